from typing import Any

from django.core.management.base import CommandParser

from assess import blind, watching
from assess.services import judging, questions
from config.commands import Error, Options
from pooling.commands import CollectionCommand
from pooling.models import Role


class Command(CollectionCommand):
    help = "Show what assessors asked; answer it, or ask as one of them."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        act = parser.add_mutually_exclusive_group()
        act.add_argument("--answer", type=int, metavar="NUMBER", help="answer this question with --text")
        act.add_argument("--ask", nargs=2, metavar=("TOPIC", "DOCNO"), help="ask about this document with --text")
        act.add_argument("--own", action="store_true", help="what the assessor --by asked, with the answers")
        parser.add_argument("--text", metavar="WORDS", default="", help="the answer, or the question")
        self.add_by(parser)
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        if options["ask"] or options["own"]:
            return self.own(options)
        collection = self.collection(options["slug"])
        if options["answer"] is not None:
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
        return self.table(rows, ["number", "open", "topic", "docno", "asked_by", "text"])

    def own(self, options: Options) -> None:
        if not options["by"]:
            raise Error("Expected the assessor as --by.", returncode=2)
        collection, assessor, _roles = self.member(options, Role.ASSESSOR)
        if options["ask"]:
            topic, docno = options["ask"]
            seat = judging.seat_of(collection, assessor=assessor, topic=topic, docno=docno)
            questions.ask(collection, assessor=assessor, seat=seat, text=options["text"])
        rows = [
            {"topic": thread.topic, "docno": thread.docno, "mine": line.mine, "at": line.at, "text": line.text}
            for thread in blind.own_threads(collection, assessor)
            for line in thread.lines
        ]
        self.table(rows, ["topic", "docno", "mine", "at", "text"])
