from typing import Any

from django.core.management.base import CommandParser

from config.commands import Options
from evaluation import columns
from evaluation.boards import CORRECTIONS
from evaluation.core.comparison import TESTS
from evaluation.models import Seen
from evaluation.services import planning
from pooling import measures
from pooling.commands import CollectionCommand


class Command(CollectionCommand):
    help = "Show or set how a collection's scores are shown, and to whom."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--shown", metavar="LIST", help="measures beside the official ones; empty: the usual ones")
        parser.add_argument("--test", choices=TESTS, help="of differences from the best run")
        parser.add_argument("--correction", choices=CORRECTIONS, help="for the number of tests")
        parser.add_argument("--seen", choices=Seen.values, help="whose scores others than organizers see")
        parser.add_argument("--expected", metavar="FILE", help="topic and number on each line: what users expect; - is stdin")
        parser.add_argument("--known", metavar="FILE", help="topic and docno on each line: what users know; - is stdin")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        collection = self.collection(options["slug"])
        given = self._given(options)
        plan = planning.set_plan(collection, **given) if given else columns.plan(collection)
        known = {name: getattr(plan, name) for name in planning.FIELDS}
        if not options["json"]:
            known |= {"expected": f"{len(plan.expected)} topics", "known": f"{len(plan.known)} topics"}
        self.facts(known)

    def _given(self, options: Options) -> dict[str, Any]:
        given: dict[str, Any] = {name: options[name] for name in ("test", "correction", "seen") if options[name]}
        if options["shown"] is not None:
            given["shown"] = measures.named(options["shown"])
        if options["expected"]:
            given["expected"] = planning.read_expected(self.read(options["expected"]))
        if options["known"]:
            given["known"] = planning.read_known(self.read(options["known"]))
        return given
