from typing import Any

from django.core.management.base import CommandParser

from config.commands import Error, SiteCommand
from evaluation.core import formulas


class Command(SiteCommand):
    help = "List every measure, or tell of one: definition, formula, worked example, reference."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", nargs="?", metavar="NAME", help="of one measure; all unless given")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        found = [{"family": family, **entry} for family, entries in formulas.families().items() for entry in entries]
        if options["name"]:
            one = [entry for entry in found if entry["name"].casefold() == options["name"].casefold()]
            if not one:
                raise Error(f"There is no measure “{options['name']}”; expected one of {', '.join(e['name'] for e in found)}.")
            self.facts(one[0])
            return
        self.table(found, ["name", "family", "formula", "example", "value"])
