from typing import Any

from django.core.management.base import CommandParser

from assess import watching
from pooling.commands import CollectionCommand


class Command(CollectionCommand):
    help = "Show what is judged and what is left, by assessor and by topic."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        found = watching.progress(self.collection(options["slug"]))
        groups = (("all", [found.total]), ("assessor", found.assessors), ("topic", found.topics))
        rows = [
            {
                "of": kind,
                "name": (line.who or line.name) if kind == "assessor" else line.name,
                "done": line.done,
                "left": line.left,
                "skipped": line.skipped,
                "later": line.later,
                "seconds": line.seconds if options["json"] or line.seconds is None else f"{line.seconds:.1f}",
            }
            for kind, lines in groups
            for line in lines
        ]
        self.table(rows, ["of", "name", "done", "left", "skipped", "later", "seconds"])
        if found.unassigned:
            self.say(f"{found.unassigned} of {found.items} items have no assessor.")
