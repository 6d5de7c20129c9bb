from typing import Any

from django.core.management.base import CommandParser

from pooling.commands import UploadCommand
from pooling.models import UploadKind


class Command(UploadCommand):
    help = "Replace a collection's documents by those of a JSONL file."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("file", help="JSON lines, gzipped or not")
        self.add_by(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        self.take(options, UploadKind.DOCUMENTS, [options["file"]])
