from typing import Any

from django.core.management.base import CommandParser

from evaluation import comparing, standings
from evaluation.boards import CORRECTIONS, Wanted
from evaluation.core import comparison_text
from evaluation.core.comparison import TESTS
from pooling.commands import CollectionCommand


class Command(CollectionCommand):
    help = "Compare two or more runs of a collection topic by topic, with tests."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("tags", nargs="+", metavar="TAG", help="of the runs, two or more")
        parser.add_argument(
            "--release", metavar="N", default="", help="number of the release, or live; the newest unless given"
        )
        parser.add_argument("--measure", metavar="NAME", default="", help="the first official one unless given")
        parser.add_argument("--strict", action="store_true", help="relevant from the strict threshold on")
        parser.add_argument(
            "--test", choices=TESTS, default="", help="two runs: the organizers' choice; more: randomized-tukey"
        )
        parser.add_argument("--correction", choices=CORRECTIONS, default="", help="for the number of tests")
        parser.add_argument(
            "--baseline", metavar="TAG", default="", help="compare all others with this run; all pairs unless given"
        )
        parser.add_argument("--latex", action="store_true", help="print a table for a paper instead")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        standing = standings.standing(self.collection(options["slug"]), options["release"])
        wanted = Wanted(strict=options["strict"], test=options["test"], correction=options["correction"])
        found = comparing.compared(standing, options["tags"], options["measure"], wanted=wanted, baseline=options["baseline"])
        if options["json"]:
            self.document(comparing.document(found))
        elif options["latex"]:
            self.stdout.write(comparison_text.latex(found.found), ending="")
        else:
            self.stdout.write(comparison_text.text(found.found), ending="")
            order = comparing.views(found)
            self.stdout.write("\n" + "\n".join([*found.sentences, *([order.words] if order else [])]))
