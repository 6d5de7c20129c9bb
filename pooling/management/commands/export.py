from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from pooling.commands import CollectionCommand
from pooling.services import collections


class Command(CollectionCommand):
    help = "Write a collection's settings, scale, guidelines and members as one zip archive."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("-o", "--output", metavar="FILE", help="the archive; SLUG.zip in the current folder unless given")

    def handle(self, *args: Any, **options: Any) -> None:
        collection = self.collection(options["slug"])
        target = Path(options["output"] or f"{collection.slug}.zip")
        with self.written(target) as aside, self.bar(f"Export of {collection.short_name}") as tell:
            tell(0, 1, "Writing the archive")
            count = collections.export_collection(collection, aside)
            tell(1, 1, f"{count} files")
        self.stdout.write(str(target))
