from typing import Any

from django.core.management.base import CommandParser

from config.commands import Error
from evaluation import access
from evaluation.services import trying
from pooling.commands import CollectionCommand


class Command(CollectionCommand):
    help = "List the reports of one's own runs that were kept; throw one away."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--drop", type=int, metavar="ID", help="throw this one away")
        self.add_by(parser)
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        self.collection(options["slug"])
        by = self.actor(options)
        kept = trying.kept_by(by, access.scores_for(by, options["slug"]))
        if options["drop"] is not None:
            mine = kept.filter(pk=options["drop"]).first()
            if mine is None:
                raise Error(f"{by.username} keeps no report {options['drop']}.")
            trying.throw_away(mine)
        rows = [{"id": row.pk, "run": row.tag, "release": row.release.number, "report": row.report} for row in kept.all()]
        self.table(rows, ["id", "run", "release", *(["report"] if options["json"] else [])])
