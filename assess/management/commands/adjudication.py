from typing import Any

from django.core.management.base import CommandParser

from assess import adjudication
from assess.services import adjudicating
from config.commands import Error
from pooling.commands import CollectionCommand


class Command(CollectionCommand):
    help = "Show where opinions differ; say who decides which topic."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--topic", metavar="NUMBER", help="its documents, instead of all topics")
        parser.add_argument(
            "--assign", metavar="TOPIC=USER,USER", action="append", default=[], help="who decides a topic; may be given again"
        )
        self.add_by(parser)
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        collection = self.collection(options["slug"])
        wanted = {}
        for given in options["assign"]:
            topic, sign, names = given.rpartition("=")
            if not sign:
                raise Error(f"Expected TOPIC=USER,USER; found “{given[:80]}”.")
            wanted[topic] = [name for name in names.split(",") if name]
        if wanted:
            adjudicating.assign_adjudicators(collection, by=self.actor(options), wanted=wanted)
        if options["topic"] is None:
            lines = adjudication.inbox(collection)
            rows: list[dict[str, object]] = [
                {
                    "topic": line.topic.number,
                    "open": line.open,
                    "decided": line.decided,
                    "adjudicators": ", ".join(user.username for user in line.people),
                }
                for line in lines
            ]
            self.table(rows, ["topic", "open", "decided", "adjudicators"])
            return
        columns = ["docno", "opinions", "low", "high", "cannot", "tie", "grade"]
        cases = adjudication.cases(collection, options["topic"])
        self.table([{name: getattr(case, name) for name in columns} for case in cases], columns)
