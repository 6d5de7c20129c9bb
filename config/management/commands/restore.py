from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser

from config import backups, prepare, up
from config.commands import Error, SiteCommand


class Command(SiteCommand):
    help = "Put an archive of `assize backup` back, onto an empty site."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", help="the archive; every file in it is verified first")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with up.only_one(settings.DATA), self.bar("Restore") as tell:
                found = backups.restore(Path(options["file"]), tell)
        except prepare.CannotStart as error:
            raise Error(str(error)) from None
        self.say(f"Restored {len(found.members)} files as of {found.made_at}. `assize up` starts the site.")
