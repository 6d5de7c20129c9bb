from dataclasses import fields
from typing import Any

from django.core.management.base import CommandParser

from config.commands import Error
from evaluation.services import importing
from pooling.commands import CollectionCommand
from pooling.services.work import Direct


class Command(CollectionCommand):
    help = "Import qrels, or judgments of several assessors, as judgments or as a release."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("file", help="qrels, or columns topic, docno, assessor, grade; packed or not; - is stdin")
        parser.add_argument("--as", dest="kind", choices=importing.KINDS, default="judgments", help="judgments unless given")
        parser.add_argument("--assessor", metavar="NAME", default="", help="whose they are, if no column tells")
        parser.add_argument(
            "--repeats", choices=("refuse", "first", "last"), default="refuse", help="of what one assessor judged twice; refuse"
        )
        parser.add_argument("--grades", metavar="LIST", default="", help="their grades as ours, where they differ: 1=2,2=3")
        parser.add_argument("--note", metavar="TEXT", default="", help="of a release")
        parser.add_argument("--sample", choices=("strata", "prels"), default="", help="the form of five columns, if unsure")
        about = "of a file that names hardly any document of the collection; refuse"
        parser.add_argument("--unknown", choices=importing.UNKNOWN_WAYS, default="refuse", help=about)
        about = "of 0858 where the collection has 858 alone: drop takes it as that; refuse"
        parser.add_argument("--zeros", choices=importing.ZEROS_WAYS, default="refuse", help=about)
        self.add_by(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        collection, by, name = self.collection(options["slug"]), self.actor(options), options["file"]
        data = self.bytes_of(name)
        given = importing.Options(**{field.name: options[field.name] for field in fields(importing.Options)})
        try:
            self.tell_findings(name, importing.check_report(collection, data, given))
            with self.bar(f"Import of {name}") as tell, Direct(tell) as work:
                done = importing.take_import(collection, by=by, data=data, options=given, work=work)
        except importing.Faulty as faulty:
            self.tell_findings(name, faulty.report)
            raise Error(faulty.message) from faulty
        self.stdout.write(done)
