from typing import Any

from django.core.management.base import CommandParser

from assess import selectors
from assess.services import leases
from config.commands import Error
from pooling.commands import CollectionCommand
from pooling.models import Collection


class Command(CollectionCommand):
    help = "Show what assessors hold of shared topics and have not judged; free it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--free", metavar="USER", help="Give back what this assessor holds.")
        parser.add_argument("--document", nargs=2, metavar=("TOPIC", "DOCNO"), help="With --free: this document alone.")
        parser.add_argument("--of", metavar="USER", help="List the documents that this assessor holds.")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        collection = self.collection(options["slug"])
        document = tuple(options["document"]) if options["document"] else None
        if document and not options["free"]:
            raise Error("--document needs --free.", returncode=2)
        if options["free"]:
            lease = selectors.lease(collection, options["free"])
            self.say(f"Freed {leases.free_leases(collection, assessor=lease.assessor, document=document)}.")
        if options["of"]:
            self._list_held(collection, options["of"])
            return
        rows = [
            {"user": row.assessor.username, "items": row.items, "renewed_at": row.renewed_at, "ended": row.ended}
            for row in selectors.leases(collection)
        ]
        self.table(rows, ["user", "items", "renewed_at", "ended"])

    def _list_held(self, collection: Collection, username: str) -> None:
        held = selectors.held_documents(collection, selectors.lease(collection, username).assessor)
        rows = [
            {"topic": seat.item.topic.number, "docno": seat.item.docno, "renewed_at": seat.claimed_at}
            for seat in held
            if seat.claimed_at
        ]
        self.table(rows, ["topic", "docno", "renewed_at"])
