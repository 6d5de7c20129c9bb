from typing import Any

from django.core.management.base import CommandParser

from pooling.commands import UploadCommand
from pooling.models import RunKind, UploadKind


class Command(UploadCommand):
    help = "Check run files and add them to a collection."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("file", nargs="+", help="a TREC run of six columns, gzipped or not; its tag names the run")
        parser.add_argument("--group", default="", help="who made them")
        parser.add_argument("--kind", choices=RunKind.values, default=RunKind.AUTOMATIC.value)
        parser.add_argument("--description", default="", metavar="TEXT", help="how they were made")
        self.add_by(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        told = {name: options[name] for name in ("group", "kind", "description")}
        self.take(options, UploadKind.RUN, options["file"], told)
