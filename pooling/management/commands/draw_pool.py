from typing import Any

from django.core.management.base import CommandParser

from config.commands import Error
from pooling import selectors
from pooling.commands import CollectionCommand
from pooling.models import Collection, Run
from pooling.services import pools
from pooling.services.work import Direct


class Command(CollectionCommand):
    help = "Draw a round of the pool, or tell what each depth would cost."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--depth", type=int, metavar="N", help="so many documents of each run and topic")
        parser.add_argument("--run", action="append", default=[], metavar="TAG", help="only this run; may be given again")
        parser.add_argument("--estimate", action="store_true", help="draw nothing, print the sizes")
        self.add_json(parser)
        self.add_by(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        collection = self.collection(options["slug"])
        runs, depth = self.runs(collection, options["run"]), options["depth"]
        if depth is not None:
            pools.require_depth(depth)
        if options["estimate"]:
            depths = sorted({*selectors.DEPTHS, depth} - {None})
            rows = [vars(size) for size in selectors.pool_sizes(collection, runs, depths)]
            return self.table(rows, ["depth", "items", "new", "hours"])
        if depth is None:
            raise Error("Say how deep with --depth N; --estimate tells what each depth would cost.")
        pool = pools.plan_pool(collection, by=self.actor(options), runs=runs, depth=depth)
        with self.bar(f"Pool of {collection.name}") as tell, Direct(tell) as work:
            pools.draw_pool(pool, work)
        found = {"round": pool.round, "depth": depth, "runs": len(runs), "items": pool.item_count}
        return self.table([found], list(found))

    def runs(self, collection: Collection, tags: list[str]) -> list[Run]:
        found = list(collection.runs.all())
        for tag in sorted(set(tags) - {run.tag for run in found}):
            raise Error(f"{collection.slug} has no run “{tag}”.")
        return [run for run in found if run.tag in tags] if tags else found
