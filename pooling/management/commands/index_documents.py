from typing import Any

from django.core.management.base import CommandParser

from pooling.commands import CollectionCommand
from pooling.services import indexing
from pooling.services.work import Direct


class Command(CollectionCommand):
    help = "Make the search index of a collection's documents."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")

    def handle(self, *args: Any, **options: Any) -> None:
        collection = self.collection(options["slug"])
        with self.bar("Search index") as tell, Direct(tell) as work:
            count = indexing.index_documents(collection, work)
        self.stdout.write(f"{count} documents")
