from typing import Any

from django.core.management.base import CommandParser

from config.commands import Error
from evaluation import access, selectors
from evaluation.commands import ReleaseCommand
from evaluation.services import trying
from evaluation.services.importing import Faulty


class Command(ReleaseCommand):
    help = "Score a run of one's own against a public release and throw it away."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", help="a TREC run, packed or not; - is stdin")
        parser.add_argument("--keep", action="store_true", help="keep the report, for --by alone")
        parser.add_argument("--form", choices=trying.FORMS, help="print the report as a file instead of a table")
        self.add_by(parser)
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        self.collection(options["slug"])
        by, name = self.actor(options), options["file"]
        release = selectors.release(access.scores_for(by, options["slug"]), options["release"])
        try:
            report = trying.try_run(release, by=by, data=self.bytes_of(name), keep=options["keep"])
        except Faulty as faulty:
            self.tell_findings(name, faulty.report)
            raise Error(f"Refused: {name}. Nothing of it was stored.") from faulty
        for words in report["warnings"]:
            self.say(words)
        form = "json" if options["json"] else options["form"]
        if form:
            return self.stdout.write(trying.written(report, form), ending="")
        rows = [
            {"measure": name, "score": _four(score), "low": _four(ends[0]), "high": _four(ends[1])}
            for name, score in trying.means_of(report).items()
            for ends in [report["ranges"].get(name, (None, None))]
        ]
        return self.table(rows, ["measure", "score", "low", "high"])


def _four(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"
