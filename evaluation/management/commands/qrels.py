from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from evaluation import changes, exports
from evaluation.commands import ReleaseCommand


class Command(ReleaseCommand):
    help = "Print or write the qrels of a release, or of the judgments so far."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--view", choices=exports.VIEWS, default="graded", help="lenient, strict: grades as 0 and 1")
        parser.add_argument("--live", action="store_true", help="the judgments of now instead of a release")
        parser.add_argument("--at", metavar="TIME", default="", help="with --live: as they stood at a date or time, UTC")
        parser.add_argument("-o", "--output", metavar="FILE", help="write there and print the path; printed unless given")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["live"]:
            data = changes.live_qrels(self.collection(options["slug"]), changes.moment(options["at"]))
        else:
            data = exports.qrels(self.release(options), options["view"])
        if not options["output"]:
            self.stdout.write(data.decode(), ending="")
            return
        target = Path(options["output"])
        with self.written(target) as aside:
            aside.write_bytes(data)
        self.stdout.write(str(target))
