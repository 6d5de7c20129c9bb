from typing import Any

from django.core.management.base import CommandParser

from evaluation import pool_reports, standings
from pooling.commands import CollectionCommand
from pooling.services.work import Direct


class Command(CollectionCommand):
    help = "Tell how reusable a collection is: groups left out, shallower pools, fewer judgments."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument(
            "--release", metavar="N", default="", help="number of the release, or live; the newest unless given"
        )
        parser.add_argument("--measure", metavar="NAME", default="", help="the first official one unless given")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        standing = standings.standing(self.collection(options["slug"]), options["release"])
        with self.bar("Pool report") as tell, Direct(tell) as work:
            found = pool_reports.stored_report(standing)
            found = found if found and found.key == standing.key else pool_reports.computed(standing, work)
        report = pool_reports.led_by(standing, found, options["measure"])
        if options["json"]:
            self.document(pool_reports.document(standing, report))
            return
        self.stdout.write(report.verdict.words)
        for reason in report.reasons:
            self.stdout.write(f"{reason.kind:<5} {reason.words}")
        table = pool_reports.told(report)["groups" if report.has_groups else "runs"]
        self.stdout.write("")
        self.table([dict(zip(table.head, map(_shown, row), strict=True)) for row in table.rows], list(table.head))


def _shown(value: object) -> object:
    return f"{value:.4f}" if isinstance(value, float) else value
