import uuid
from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser

from assess import adjudication
from assess.models import Decision, DecisionReason
from assess.services import adjudicating
from config.commands import Error, printable
from pooling.commands import CollectionCommand
from pooling.core import extra
from pooling.models import Role

CASES = ["topic", "docno", "opinions", "low", "high", "cannot", "tie", "grade"]
WORDS = ("reason", "comment", "precedent")


class Command(CollectionCommand):
    help = "List the documents that an adjudicator has to decide, or show one; decide it, or open it again."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        self.add_by(parser, "the adjudicator who decides; organizers may list and reopen")
        parser.add_argument("--topic", metavar="NUMBER", default="", help="its documents; those of all topics unless given")
        parser.add_argument("--state", choices=["open", "decided", "all"], default="open", help="which are listed")
        parser.add_argument("--docno", metavar="DOCNO", default="", help="this document of --topic")
        act = parser.add_mutually_exclusive_group()
        act.add_argument("--grade", type=int, metavar="N", help="decide it")
        act.add_argument("--reopen", action="store_true", help="the decision no longer stands")
        parser.add_argument("--reason", choices=DecisionReason.values, default="", help="why they differed")
        parser.add_argument("--comment", metavar="TEXT", default="")
        parser.add_argument("--precedent", metavar="TEXT", default="", help="one line that is added to the guidelines")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        decides, reopens = options["grade"] is not None, options["reopen"]
        if (options["docno"] or decides or reopens) and not (options["topic"] and options["docno"]):
            raise Error("Expected a document: --topic and --docno.", returncode=2)
        told = {name: options[name] for name in WORDS if options[name]}
        if not decides and told and not (reopens and set(told) == {"comment"}):
            raise Error(
                "Expected --grade with a reason, a comment or a precedent; --reopen takes a comment alone.", returncode=2
            )
        roles = [Role.ADJUDICATOR] if options["docno"] and not reopens else [Role.ADJUDICATOR, Role.ORGANIZER]
        collection, by, held = self.member(options, *roles)
        organizer = Role.ORGANIZER in held
        of = {"topic": options["topic"], "docno": options["docno"]}
        act = {**of, "by": by, "client_id": uuid.uuid4(), **told}
        if decides:
            self.told(adjudicating.decide(collection, grade=options["grade"], **act))
        elif reopens:
            self.told(adjudicating.reopen(collection, organizer=organizer, **act))
        elif options["docno"]:
            self.show(adjudication.dossier_for(collection, by, **of))
        else:
            which = {"organizer": organizer, "state": options["state"]}
            found = adjudication.cases_for(collection, by, options["topic"], **which)
            self.table([{name: getattr(case, name) for name in CASES} for case in found], CASES)

    def told(self, made: Decision) -> None:
        of = {"topic": made.item.topic.number, "docno": made.item.docno, "grade": made.grade, "reason": made.reason}
        self.facts({**of, "comment": made.comment, "seen": made.event_count, "updated_at": made.updated_at})

    def show(self, found: adjudication.Dossier) -> None:
        """Who said what is not told."""
        of = found.document
        title, text, beside = (of.title, of.text, extra.read(of.extra)) if of else ("", "", {})
        told = {"topic": found.topic.number, "docno": found.docno, "title": title, "grade": found.grade, "seen": found.seen}
        opinions = [asdict(opinion) for opinion in found.opinions]
        if self._json:
            return self.document({**told, "text": text, "extra": beside, "opinions": opinions})
        self.facts(told)
        self.stdout.write(
            "\n".join(["", *map(printable, [*(f"{name}: {words}" for name, words in beside.items()), *text.splitlines()]), ""])
        )
        return self.table(opinions, ["name", "grade", "reason", "note", "passages"])
