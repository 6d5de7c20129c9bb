"""What the commands on releases share."""

from django.core.management.base import CommandParser

from config.commands import Options
from evaluation import selectors
from evaluation.models import Release
from pooling.commands import CollectionCommand


class ReleaseCommand(CollectionCommand):
    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--release", metavar="N", type=int, help="number of the release; the newest unless given")

    def release(self, options: Options) -> Release:
        return selectors.release(self.collection(options["slug"]), options["release"])
