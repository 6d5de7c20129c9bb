from typing import Any

from django.core.management.base import CommandParser

from evaluation.services import strategies
from pooling.commands import CollectionCommand
from pooling.services.work import Direct


class Command(CollectionCommand):
    help = "Simulate all pooling strategies on the judgments that are there."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--budget", type=int, default=50, metavar="N", help="documents of each topic; 50 unless given")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        collection = self.collection(options["slug"])
        with self.bar("Strategies") as tell, Direct(tell) as work:
            found = strategies.compare_strategies(collection, budget=options["budget"], work=work)
        if found.summary:
            self.say(found.summary)
        rows = [
            {
                "strategy": line.name,
                "to_80": line.to_enough,
                "against_depth": line.by_depth,
                "against_best_rank": line.share,
                "found": line.found,
                "tau": line.tau,
                "largest_change": line.largest,
            }
            for line in found.lines
        ]
        self.table(rows, ["strategy", "to_80", "against_depth", "against_best_rank", "found", "tau", "largest_change"])
