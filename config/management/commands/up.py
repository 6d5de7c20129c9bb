from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from config import prepare, up
from config.commands import Error


class Command(BaseCommand):
    help = "Start the whole site: queue server, workers, sweeper and web server, until Ctrl-C."
    requires_system_checks = []  # run by `up` itself, after the data folder is locked

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--logs", action="store_true", help="show the log on the terminal too")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            up.main(echo_logs=options["logs"])
        except prepare.CannotStart as error:
            raise Error(str(error)) from None
