from typing import Any

from django.core.management.base import CommandParser

from pooling.commands import UploadCommand
from pooling.core.documents import FORMATS
from pooling.core.encodings import ENCODINGS
from pooling.models import UploadKind


class Command(UploadCommand):
    help = "Replace a collection's documents by those of a file or folder, or add to them."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("file", help="a file of documents, packed or not, an archive, or a folder of texts and pages")
        parser.add_argument("--format", choices=FORMATS, default="auto", help="of the file; as it tells unless given")
        parser.add_argument("--encoding", choices=ENCODINGS, default="utf-8", help="of the file; utf-8 unless given")
        parser.add_argument("--only-pool", action="store_true", help="keep only what the pool needs; list what is missing")
        others = parser.add_mutually_exclusive_group()
        others.add_argument("--add", action="store_true", help="documents that the file lacks stay; else it is refused")
        others.add_argument("--drop", action="store_true", help="documents that the file lacks are dropped")
        self.add_by(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        told = {"format": options["format"], "encoding": options["encoding"], "only": "pool" if options["only_pool"] else ""}
        told["others"] = "keep" if options["add"] else "drop" if options["drop"] else "refuse"
        self.take(options, UploadKind.DOCUMENTS, [options["file"]], told)
