from typing import Any

from django.core.management.base import CommandParser

from assess import selectors
from assess.models import Order
from assess.services import assigning, seating, workloads
from assess.services.assigning import Rules, Wanted
from config.models import User
from pooling.commands import CollectionCommand
from pooling.models import Collection
from pooling.services.work import Direct

COLUMNS = ["topic", "items", "judged", "first", "second", "third"]


class Command(CollectionCommand):
    help = "Show or set who judges which topic."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        act = parser.add_mutually_exclusive_group()
        act.add_argument("--auto", action="store_true", help="share out the topics that have no assessor")
        parser.add_argument("--all", action="store_true", help="with --auto: every topic, whoever has it now")
        parser.add_argument(
            "--assessors", metavar="LIST", help="with --auto: user names, separated by commas; all unless given"
        )
        act.add_argument("--topic", metavar="NUMBER", help="assign this topic to --first and --second")
        parser.add_argument("--first", metavar="LIST", default="", help="user names; several share the topic")
        parser.add_argument("--second", metavar="LIST", default="", help="user names of who gives second opinions")
        parser.add_argument("--third", metavar="LIST", default="", help="user names of who gives third opinions")
        act.add_argument("--rules", action="store_true", help="set only what the options below say of all topics")
        act.add_argument("--workload", metavar="USER", help="set the --weight and the --cap of this assessor")
        parser.add_argument("--weight", type=float, default=1.0, metavar="N", help="against the others'; 1 unless given")
        parser.add_argument("--cap", type=int, metavar="N", help="most documents; no limit unless given")
        act.add_argument("--seats", action="store_true", help="hand out what was pooled after its topic was assigned")
        parser.add_argument(
            "--overlap", type=float, metavar="SHARE", help="share that two judge, 0 to 1; the present one, or 0"
        )
        parser.add_argument("--seed", type=int, metavar="N", help="of order and overlap; the present one unless given")
        parser.add_argument("--third-share", type=float, metavar="SHARE", help="share that three judge, at most the overlap")
        parser.add_argument("--order", choices=Order.values, help="in which documents of a topic come")
        parser.add_argument("--repeats", type=float, metavar="SHARE", help="share that comes back, unsaid, to who judged it")
        parser.add_argument("--by-item", choices=["yes", "no"], help="whoever is free takes the next document")
        parser.add_argument("--count-machines", choices=["yes", "no"], help="judgments of machines enter releases and figures")
        self.add_by(parser)
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        collection = self.collection(options["slug"])
        if options["workload"]:
            person = selectors.assessor(collection, options["workload"])
            workloads.set_workload(collection, assessor=person, weight=options["weight"], cap=options["cap"])
        elif options["auto"] or options["topic"] or options["seats"] or options["rules"]:
            self._act(collection, options)
        rows = [
            {
                "topic": line.topic.number,
                "items": line.items,
                "judged": line.done,
                "first": [user.username for user in line.first],
                "second": [user.username for user in line.second],
                "third": [user.username for user in line.third],
            }
            for line in selectors.topic_plans(collection)
        ]
        self.table(rows, COLUMNS)

    def _act(self, collection: Collection, options: dict[str, Any]) -> None:
        plan, by = selectors.plan(collection), self.actor(options)
        overlap = options["overlap"] if options["overlap"] is not None else plan.overlap if plan else 0.0
        with self.bar(collection.slug) as tell, Direct(tell) as work:
            told: dict[str, Any] = {"by": by, "overlap": overlap, "seed": options["seed"], "work": work}
            told["rules"] = self._rules(options)
            if options["seats"]:
                done = seating.seat_items(collection, work)
            elif options["auto"]:
                people = None if options["assessors"] is None else self._people(collection, options["assessors"])
                done = assigning.auto_assign(collection, assessors=people, everything=options["all"], **told)
            elif options["rules"]:
                done = assigning.assign(collection, wanted=[], **told)
            else:
                topic = self.topic(collection, options["topic"])
                groups = [self._people(collection, options[name]) for name in ("first", "second", "third")]
                done = assigning.assign(collection, wanted=[Wanted(topic, *groups)], **told)
        self.say(f"{done.words}.")

    def _rules(self, options: dict[str, Any]) -> Rules:
        said = {"yes": True, "no": False}
        flags = {name: said.get(options[name]) for name in ("by_item", "count_machines")}
        return Rules(third=options["third_share"], order=options["order"], repeats=options["repeats"], **flags)

    def _people(self, collection: Collection, names: str) -> list[User]:
        given = [name.strip() for name in names.split(",") if name.strip()]
        found = [(self.found(name) or User(username=name)).username for name in given]  # by e-mail, too
        return selectors.named_assessors(collection, found)
