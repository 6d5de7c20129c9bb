from typing import Any

from django.core.management.base import CommandParser

from assess import adaptive_rounds
from config.commands import Error
from pooling.commands import CollectionCommand
from pooling.models import Collection, Pool, Topic
from pooling.services import picking


class Command(CollectionCommand):
    help = "Tell how adaptive rounds go and when to stop; stop a topic, or go on with it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--round", type=int, metavar="N", help="the newest adaptive one unless given")
        parser.add_argument("--stop", metavar="TOPIC", help="pick no more of this topic; needs --reason")
        parser.add_argument("--reason", default="", metavar="TEXT", help="why enough is judged")
        parser.add_argument("--resume", metavar="TOPIC", help="go on with a topic that was stopped")
        self.add_json(parser)
        self.add_by(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        collection = self.collection(options["slug"])
        if options["stop"]:
            by = self.actor(options)
            picking.stop_topic(*self.which(collection, options, options["stop"]), by=by, reason=options["reason"])
        if options["resume"]:
            picking.resume_topic(*self.which(collection, options, options["resume"]))
        rows = [
            {
                "round": one.pool.round,
                "topic": one.topic.number,
                "judged": one.judged,
                "budget": one.budget,
                "relevant": one.relevant,
                "still_to_find": one.still_to_find,
                "advice": one.calls[0].why if one.calls else "",
                "stopped": one.stop.reason if one.stop else "",
            }
            for round_ in adaptive_rounds.rounds(collection)
            if options["round"] in (None, round_.pool.round)
            for one in round_.topics
        ]
        self.table(rows, ["round", "topic", "judged", "budget", "relevant", "still_to_find", "advice", "stopped"])

    def which(self, collection: Collection, options: dict[str, Any], number: str) -> tuple[Pool, Topic]:
        rounds = [one.pool for one in adaptive_rounds.rounds(collection) if options["round"] in (None, one.pool.round)]
        topic = collection.topics.filter(number=number).first()
        if not rounds or topic is None:
            raise Error(f"Expected a topic of an adaptive round of {collection.slug}; found “{number}”.")
        return rounds[0], topic
