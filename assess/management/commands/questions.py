from typing import Any

from django.core.management.base import CommandParser

from assess import watching
from assess.services import questions
from config.commands import Error
from pooling.commands import CollectionCommand


class Command(CollectionCommand):
    help = "Show what assessors asked; answer it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--answer", type=int, metavar="NUMBER", help="answer this question with --text")
        parser.add_argument("--text", metavar="WORDS", default="", help="the answer")
        self.add_by(parser)
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        collection = self.collection(options["slug"])
        if options["answer"]:
            if options["answer"] not in {thread.number for thread in watching.inbox(collection)}:
                raise Error(f"There is no question {options['answer']} in {collection.slug}.")
            questions.answer(collection, by=self.actor(options), question=options["answer"], text=options["text"])
            self.say("Answered.")
        rows = [
            {
                "number": thread.number,
                "open": thread.open,
                "topic": thread.topic,
                "docno": thread.docno,
                "asked_by": thread.asked_by,
                "text": thread.lines[-1].text,
            }
            for thread in watching.inbox(collection)
        ]
        self.table(rows, ["number", "open", "topic", "docno", "asked_by", "text"])
