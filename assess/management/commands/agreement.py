from typing import Any

from django.core.management.base import CommandParser

from assess import agreeing, agreement_files, pairs
from pooling import tables
from pooling.commands import CollectionCommand

COLUMNS = ["first", "second", "n", "agreement", "cohen", "pooled"]


class Command(CollectionCommand):
    help = "Show how far assessors agree: kappa of each pair."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--report", choices=agreement_files.FORMS, help="every coefficient, with intervals, in this form")
        parser.add_argument(
            "--table", choices=agreement_files.CAPTIONS, help="this table of the page instead, in the report's form"
        )
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        if options["table"]:
            found_tables = agreement_files.tables(*agreeing.shown(self.collection(options["slug"])))
            self.stdout.write(tables.written(found_tables[options["table"]], options["report"] or "csv"), ending="")
            return
        if options["report"]:
            report = agreeing.whole(self.collection(options["slug"]))
            self.stdout.write(agreement_files.written(report, options["report"]), ending="")
            return
        found = pairs.agreement(self.collection(options["slug"]))
        rows = []
        for pair in [*found.pairs, *([found.overall] if found.pairs else [])]:
            figures = (pair.figures.raw, pair.figures.cohen, pair.figures.pooled)
            names = (pair.first_user or "all first", pair.second_user or "all second", pair.figures.n)
            shown = [value if options["json"] or value is None else f"{value:.4f}" for value in figures]
            row: dict[str, object] = dict(zip(COLUMNS, (*names, *shown), strict=True))
            rows.append({**row, "table": pair.figures.table.tolist()})
        self.table(rows, [*COLUMNS, "table"] if options["json"] else COLUMNS)
