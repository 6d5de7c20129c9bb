from typing import Any

from django.core.management.base import CommandParser

from pooling import exports
from pooling.commands import CollectionCommand
from pooling.core.topics import WRITTEN


class Command(CollectionCommand):
    help = "Print a collection's topics as a file."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--format", choices=WRITTEN, default="trec", help="trec unless given")

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(exports.topics_file(self.collection(options["slug"]), options["format"]), ending="")
