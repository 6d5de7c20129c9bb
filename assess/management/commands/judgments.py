from typing import Any

from django.core.management.base import CommandParser

from assess import exports, selectors
from pooling.commands import CollectionCommand


class Command(CollectionCommand):
    help = "Print the judgments, assessors by pseudonym."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--format", choices=list(exports.FORMATS), default="csv", help="csv, or jsonl: a judgment a line")
        parser.add_argument("--history", action="store_true", help="every act of judging, instead of the present grades")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        collection = self.collection(options["slug"])
        if options["json"]:
            return self.document(list(selectors.exported(collection, history=options["history"])))
        for line in exports.lines(collection, options["format"], history=options["history"]):
            self.stdout.write(line, ending="")
        return None
