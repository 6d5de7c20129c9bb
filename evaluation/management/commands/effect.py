from typing import Any

from django.core.management.base import CommandParser

from evaluation import effect
from pooling.commands import CollectionCommand

COLUMNS = ["first", "second", "items", "tau", "tau_ap", "swaps", "sure", "run", "moved"]


class Command(CollectionCommand):
    help = "Show whether disagreement changes the order of runs."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--measure", metavar="NAME", default="", help="the first official one unless given")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        found = effect.effect(self.collection(options["slug"]), options["measure"])
        if options["json"]:
            self.document(effect.document(found))
            return
        rows: list[dict[str, object]] = []
        for one in (*found.rules, *found.assessors, *found.pairs, *found.machines):
            shown = {name: getattr(one, name) for name in COLUMNS}
            taus = {name: "-" if shown[name] is None else f"{shown[name]:.4f}" for name in ("tau", "tau_ap")}
            rows.append({**shown, **taus})
        self.table(rows, COLUMNS)
