import sys
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from assess import selectors
from assess.services import practice
from config.commands import Error
from config.errors import Invalid
from pooling.commands import CollectionCommand


class Command(CollectionCommand):
    help = "Show or set the documents that assessors of a topic practise on."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--topic", metavar="NUMBER", help="show, or with --file set, the practice set of this topic")
        parser.add_argument("--file", metavar="FILE", help="lines of docno, grade and reason; - for standard input")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        collection = self.collection(options["slug"])
        if not options["topic"]:
            sets = selectors.practice_sets(collection)
            rows = [{"topic": topic.number, "documents": count, "begun_by": people} for topic, count, people in sets]
            return self.table(rows, ["topic", "documents", "begun_by"])
        topic = self.topic(collection, options["topic"])
        if options["file"]:
            try:
                text = sys.stdin.read() if options["file"] == "-" else Path(options["file"]).read_text(encoding="utf-8")
                practice.set_practice(collection, topic=topic, examples=practice.read_examples(text))
            except (OSError, UnicodeError) as error:
                raise Error(f"{options['file']} cannot be read: {error}") from None
            except Invalid as error:
                raise Error(f"{options['file']}: {error.words}") from None
        rows = [{"docno": item.docno, "grade": item.grade, "reason": item.reason} for item in topic.practice.all()]
        return self.table(rows, ["docno", "grade", "reason"])
