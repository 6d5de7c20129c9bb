from typing import Any

from django.core.management.base import CommandParser

from pooling.commands import UploadCommand
from pooling.core.metadata import FIGURES
from pooling.core.repairs import REPAIRS
from pooling.models import RunKind
from pooling.services.runs import FIGURE_PREFIX


class Command(UploadCommand):
    help = "Check run files and add them to a collection."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("file", nargs="+", help="a TREC run, packed or not, an archive of them, or the YAML beside one")
        parser.add_argument(
            "--tag", default="", help="what the run is called, instead of the tag in its file; of one run alone"
        )
        parser.add_argument("--group", default="", help="who made them")
        parser.add_argument("--kind", choices=RunKind.values, default="", help="automatic unless their metadata tell")
        parser.add_argument("--description", default="", metavar="TEXT", help="how they were made")
        parser.add_argument("--priority", type=int, metavar="N", help="of a group's runs, the lowest is pooled first")
        parser.add_argument("--language", default="", metavar="TAG", help="in which they read the topics")
        parser.add_argument("--replace", action="store_true", help="take the place of runs of the same tag, kept in history")
        parser.add_argument(
            "--repair", default="", metavar="LIST", help=f"mend where the check calls for it: {','.join(REPAIRS)}"
        )
        parser.add_argument("--figure", action="append", default=[], metavar="NAME=N", help=f"efficiency, one of {_names()}")
        self.add_by(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        told = {name: options[name] for name in ("tag", "group", "kind", "description", "language", "repair")}
        told |= {"replace": "yes" if options["replace"] else ""}
        told |= {} if options["priority"] is None else {"priority": str(options["priority"])}
        figures = (figure.partition("=") for figure in options["figure"])
        self.take_runs(options, options["file"], told | {f"{FIGURE_PREFIX}{name}": value for name, _, value in figures})


def _names() -> str:
    return ", ".join(figure.name for figure in FIGURES)
