from typing import Any

from django.core.management.base import CommandParser

from pooling.commands import UploadCommand
from pooling.core.encodings import ENCODINGS
from pooling.models import UploadKind


class Command(UploadCommand):
    help = "Replace a collection's topics by those of a file, or add a language to them."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("file", help="TREC's SGML, XML, JSON lines, SMART, or lines of number, tab, title; packed or not")
        parser.add_argument("--encoding", choices=ENCODINGS, default="utf-8", help="of the file; utf-8 unless given")
        parser.add_argument("--language", default="", metavar="TAG", help="of topics that name none, such as en")
        parser.add_argument("--parallel", action="store_true", help="the topics stay; these are the same in --language")
        parser.add_argument("--running-numbers", action="store_true", help="number them 1, 2, 3 … in the order of the file")
        parser.add_argument("--drop", action="store_true", help="drop topics that the file lacks; else it is refused")
        self.add_by(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        told = {"encoding": options["encoding"], "language": options["language"]}
        told |= {"parallel": "yes" if options["parallel"] else "", "numbering": "running" if options["running_numbers"] else ""}
        told["drop"] = "yes" if options["drop"] else ""
        self.take(options, UploadKind.TOPICS, [options["file"]], told)
