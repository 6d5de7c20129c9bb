from typing import Any

from django.core.management.base import CommandParser

from evaluation import selectors
from evaluation.commands import ReleaseCommand


class Command(ReleaseCommand):
    help = "Show every run's scores under a release, the best first."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--strict", action="store_true", help="relevant from the strict threshold on")
        parser.add_argument("--sort", metavar="MEASURE", default="", help="order by it; the first official one unless given")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        board = selectors.leaderboard(self.release(options), sort=options["sort"], strict=options["strict"])
        rows: list[dict[str, object]] = []
        for row in board.rows:
            cells = zip(board.columns, row.cells, strict=True)
            scores = {column.name: cell.value if options["json"] else cell.text for column, cell in cells}
            rows.append({"run": row.run.tag, "group": row.run.group, **scores})
        self.table(rows, ["run", "group", *(column.name for column in board.columns)])
