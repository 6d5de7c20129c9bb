from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from config import backups
from config.commands import SiteCommand


class Command(SiteCommand):
    help = "Write database, files and secret key as one verified archive, while people work."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", help="the archive to write; refused if it is there already")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        with self.bar("Backup") as tell:
            made = backups.backup(Path(options["file"]), tell)
        self.facts(asdict(made))
