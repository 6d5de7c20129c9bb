from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser
from django.utils import timezone

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
        made_at = timezone.localtime(datetime.fromisoformat(found.made_at))
        self.say(f"Restored {len(found.members)} files as of {made_at:%Y-%m-%d %H:%M}. `assize up` starts the site.")
