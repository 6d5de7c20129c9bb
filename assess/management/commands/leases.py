from typing import Any

from django.core.management.base import CommandParser

from assess import selectors
from assess.services import judging
from pooling.commands import CollectionCommand


class Command(CollectionCommand):
    help = "Show what assessors hold of shared topics and have not judged; free it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--free", metavar="USER", help="Give back what this assessor holds.")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        collection = self.collection(options["slug"])
        if options["free"]:
            lease = selectors.lease(collection, options["free"])
            self.say(f"Freed {judging.free_leases(collection, assessor=lease.assessor)}.")
        rows = [
            {"user": row.assessor.username, "items": row.items, "renewed_at": row.renewed_at.isoformat(), "ended": row.ended}
            for row in selectors.leases(collection)
        ]
        self.table(rows, ["user", "items", "renewed_at", "ended"])
