from typing import Any

from django.core.management.base import CommandParser

from config.commands import Error
from evaluation import boards, exports, selectors, standings
from evaluation.boards import CORRECTIONS, Wanted
from evaluation.core.comparison import TESTS
from pooling.commands import CollectionCommand
from pooling.models import RunKind


class Command(CollectionCommand):
    help = "Show every run's scores under a release, or live, the best first."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument(
            "--release", metavar="N", default="", help="number of the release, or live; the newest unless given"
        )
        parser.add_argument("--strict", action="store_true", help="relevant from the strict threshold on")
        parser.add_argument("--sort", metavar="MEASURE", default="", help="order by it; the first official one unless given")
        parser.add_argument("--measures", metavar="LIST", default="", help="show these, separated by blanks")
        parser.add_argument("--group", metavar="NAME", default="", help="runs of this group alone")
        parser.add_argument("--kind", choices=RunKind.values, default="", help="runs of this kind alone")
        parser.add_argument("--test", choices=TESTS, default="", help="of differences from the best")
        parser.add_argument("--correction", choices=CORRECTIONS, default="", help="for the number of tests")
        parser.add_argument("--form", choices=("csv", "tex", "txt"), help="print the whole board in this form instead")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        standing = standings.standing(self.collection(options["slug"]), options["release"])
        words = {name: options[name] for name in ("sort", "group", "kind", "test", "correction")}
        board = boards.leaderboard(
            standing, Wanted(strict=options["strict"], measures=tuple(options["measures"].split()), **words)
        )
        if options["form"]:
            if options["json"]:
                raise Error("Expected --json or --form, found both.")
            self.stdout.write(exports.board_text(standing, board, options["form"], strict=options["strict"]), ending="")
            return
        if options["json"]:
            self.document(boards.document(standing, board))
            return
        rows: list[dict[str, object]] = []
        for row in board.rows:
            scores = {column.name: cell.text for column, cell in zip(board.columns, row.cells, strict=True)}
            rows.append({"run": row.run.tag, "group": row.run.group, "best": "=" if row.same else "", **scores})
        self.table(rows, ["run", "group", "best", *(column.name for column in board.columns)])
        self.say(f"{standing.name.capitalize()}. {board.lead_by(board.focus.name if board.focus else '')}")
        if standing.release and (late := [run.tag for run in selectors.late(standing.release)]):
            self.say(f"Submitted after the release was frozen, and without scores under it: {', '.join(late)}.")
