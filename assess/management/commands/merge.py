from argparse import BooleanOptionalAction
from typing import Any

from django.core.management.base import CommandParser

from assess import opinions
from assess.models import MergeRule, Missing
from assess.services import merging
from pooling.commands import CollectionCommand

COLUMNS = ["rule", "set", "items", "few", "ties", "relevant", "strict", "changed"]


class Command(CollectionCommand):
    help = "Show what each merge rule would give; set the collection's rule."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--rule", choices=MergeRule.values, help="how several opinions become one grade")
        parser.add_argument("--opinions", type=int, metavar="N", help="fewest opinions that a document needs")
        parser.add_argument("--missing", choices=Missing.values, help="what becomes of one with fewer, or an open tie")
        parser.add_argument("--differ-by", type=int, metavar="N", help="adjudicated from so many grades apart; 0: never")
        parser.add_argument("--across", action=BooleanOptionalAction, default=None, help="adjudicate across the threshold")
        parser.add_argument("--cannot", action=BooleanOptionalAction, default=None, help="adjudicate what cannot be judged")
        parser.add_argument("--show-own", action=BooleanOptionalAction, default=None, help="assessors see their own agreement")
        self.add_by(parser)
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        collection = self.collection(options["slug"])
        given = {name: options[name] for name in merging.FIELDS if options[name] is not None}
        if given:
            merging.set_plan(collection, by=self.actor(options), **given)
        rows = [
            {**{name: getattr(line, name) for name in COLUMNS if name != "set"}, "set": line.current}
            for line in opinions.preview(collection)
        ]
        self.table(rows, COLUMNS)
