from typing import Any

from django.core.management.base import CommandParser

from config.commands import Error
from pooling.arguments import add_model, model_of
from pooling.commands import UploadCommand
from pooling.services import baselines
from pooling.services.work import Direct


class Command(UploadCommand):
    help = "Make a run over a collection's own documents, by BM25 or tf-idf."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        add_model(parser)
        self.add_by(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            model = model_of(options)
        except ValueError as error:
            raise Error(str(error)) from error
        collection, by = self.collection(options["slug"]), self.actor(options)
        with self.bar(model.run_tag) as tell, Direct(tell) as work:
            upload = baselines.make_baseline(collection, by=by, model=model, work=work)
        self.report([upload])
