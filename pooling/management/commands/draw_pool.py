from typing import Any

from django.core.management.base import CommandParser

from config.commands import Error
from pooling import plans, selectors
from pooling.arguments import add_strategy, given_values
from pooling.commands import CollectionCommand
from pooling.models import Collection
from pooling.services import pools
from pooling.services.work import Direct


class Command(CollectionCommand):
    help = "Draw a round of the pool, or tell what it would cost."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        add_strategy(parser)
        parser.add_argument("--run", action="append", default=[], metavar="TAG", help="only this run; may be given again")
        parser.add_argument("--estimate", action="store_true", help="draw nothing, print the sizes")
        parser.add_argument(
            "--seconds", type=float, metavar="N", help="of a judgment, to tell hours; the pace seen unless given"
        )
        parser.add_argument("--seed", type=int, metavar="N", help="of what is drawn by chance; a new one unless given")
        self.add_json(parser)
        self.add_by(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        collection = self.collection(options["slug"])
        runs, strategy, values = selectors.chosen_runs(collection, options["run"]), options["strategy"], given_values(options)
        if options["estimate"]:
            return self.estimate(collection, plans.choice(runs, strategy, values, options["seed"]), options)
        if strategy == "depth" and "depth" not in values:
            raise Error("Say how deep with --depth N; --estimate tells what each depth would cost.")
        chosen = {"runs": runs, "strategy": strategy, "seed": options["seed"], **values}
        pool = pools.plan_pool(collection, by=self.actor(options), **chosen)
        with self.bar(f"Pool of {collection.short_name}") as tell, Direct(tell) as work:
            pools.draw_pool(pool, work)
        found = {"round": pool.round, "strategy": pool.strategy, "runs": len(pool.used), "items": pool.item_count}
        found["seed"] = pool.seed
        return self.table([found], list(found))

    def estimate(self, collection: Collection, choice: plans.Choice, options: dict[str, Any]) -> None:
        """By depth for depth-k, else by topic."""
        plan = plans.plan(collection, choice, options["seconds"])
        if choice.is_by_chance:
            self.stderr.write(f"--seed {choice.seed} draws this very choice.", lambda text: text)
        first, sizes = ("depth", plan.marks) if plan.curve else ("number", plan.topics)
        rows = [vars(size) for size in sizes]
        if not options["json"]:  # which has every digit
            rows = [row | {"hours": row["hours"] and round(row["hours"], 2)} for row in rows]
        return self.table(rows, [first, "items", "new", "hours"])
