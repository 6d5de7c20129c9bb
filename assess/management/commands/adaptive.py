from typing import Any

from django.core.management.base import CommandParser

from assess import adaptive_rounds
from assess.services import checking
from config.commands import Error
from config.expected import no_such
from pooling.commands import CollectionCommand
from pooling.models import Collection, Pool, Topic
from pooling.services import picking


class Command(CollectionCommand):
    help = "Tell how adaptive rounds go and when to stop; stop a topic, go on with it, or check by a sample."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--round", type=int, metavar="N", help="the newest adaptive one unless given")
        parser.add_argument("--stop", metavar="TOPIC", help="pick no more of this topic; needs --reason")
        parser.add_argument("--reason", default="", metavar="TEXT", help="why enough is judged")
        parser.add_argument("--resume", metavar="TOPIC", help="go on with a topic that was stopped")
        parser.add_argument("--check", metavar="TOPIC", help="draw a random sample of what is left of this topic")
        parser.add_argument("--count", type=int, default=50, metavar="N", help="so many documents of it, 50 unless given")
        self.add_json(parser)
        self.add_by(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        collection = self.collection(options["slug"])
        if options["stop"]:
            by = self.actor(options)
            picking.stop_topic(*self.which(collection, options, options["stop"]), by=by, reason=options["reason"])
        if options["resume"]:
            picking.resume_topic(*self.which(collection, options, options["resume"]))
        if options["check"]:
            by, count = self.actor(options), options["count"]
            checking.draw_check(*self.which(collection, options, options["check"]), by=by, count=count)
        rounds = self.rounds(collection, options) if options["round"] is not None else adaptive_rounds.rounds(collection)
        rows = [
            {
                "round": one.pool.round,
                "topic": one.topic.number,
                "judged": one.judged,
                "budget": one.budget,
                "relevant": one.relevant,
                "still_to_find": one.still_to_find,
                "advice": one.calls[0].why if one.calls else "",
                "missed_at_most": round(one.check.bound.missed_upper, 1) if one.check and one.check.bound else None,
                "recall_at_least": round(one.check.bound.recall_lower, 4) if one.check and one.check.bound else None,
                "stopped": one.stop.reason if one.stop else "",
            }
            for round_ in rounds
            for one in round_.topics
        ]
        names = ["round", "topic", "judged", "budget", "relevant", "still_to_find", "advice"]
        self.table(rows, [*names, "missed_at_most", "recall_at_least", "stopped"])

    def which(self, collection: Collection, options: dict[str, Any], number: str) -> tuple[Pool, Topic]:
        return self.rounds(collection, options)[0].pool, self.topic(collection, number)

    def rounds(self, collection: Collection, options: dict[str, Any]) -> list[adaptive_rounds.RoundGoes]:
        """The one that is asked for, or all; there is one at least."""
        found = [one for one in adaptive_rounds.rounds(collection) if options["round"] in (None, one.pool.round)]
        if not found:
            raise Error("There is no adaptive round." if options["round"] is None else no_such("round", options["round"]))
        return found
