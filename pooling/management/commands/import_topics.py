from typing import Any

from django.core.management.base import CommandParser

from pooling.commands import UploadCommand
from pooling.models import UploadKind
from pooling.services.uploads import ENCODINGS


class Command(UploadCommand):
    help = "Replace a collection's topics by those of a TREC or TSV file."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("file", help="TREC's SGML, or lines of number, tab, title; gzipped or not")
        parser.add_argument("--encoding", choices=ENCODINGS, default="utf-8", help="of the file; utf-8 unless given")
        self.add_by(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        self.take(options, UploadKind.TOPICS, [options["file"]], {"encoding": options["encoding"]})
