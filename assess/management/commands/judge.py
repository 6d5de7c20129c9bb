import json
from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.core.management.base import CommandParser
from django.http import Http404

from assess import blind
from assess.schemas.judging import CardOut, JudgmentLine
from assess.services import judging
from config.arguments import whole
from config.commands import Error, printable
from config.errors import Refusal
from config.models import User
from pooling.commands import CollectionCommand
from pooling.models import Collection, Role

LISTED = ["seat", "topic", "docno", "title", "answer"]
SAVED = ["seat", "answer", "grade", "seen", "client_id"]


class Command(CollectionCommand):
    help = "Show an assessor's next documents, or one of them; judge one, or many."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        self.add_by(parser, "the assessor who judges")
        which = parser.add_mutually_exclusive_group()
        which.add_argument("--next", type=whole(1, 20), default=5, metavar="N", help="list so many, 20 at most; 5 unless given")
        which.add_argument("--seat", metavar="ID", help="one document, by its seat, as it is listed")
        which.add_argument("--docno", metavar="DOCNO", help="one document, with its --topic")
        which.add_argument("--file", metavar="FILE", help="acts as JSON lines; - is stdin")
        parser.add_argument("--topic", metavar="NUMBER", help="of --docno")
        act = parser.add_mutually_exclusive_group()
        act.add_argument("--grade", type=int, metavar="N")
        act.add_argument("--cannot", dest="reason", metavar="REASON", help="it cannot be judged")
        act.add_argument("--later", dest="answer", action="store_const", const="later", help="put it off")
        act.add_argument("--open", dest="answer", action="store_const", const="open", help="take the answer back")
        parser.add_argument("--note", metavar="TEXT", help="empty: none")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        collection, assessor, _roles = self.member(options, Role.ASSESSOR)
        named = {name: options[name] for name in ("seat", "topic", "docno") if options[name] is not None}
        said = {name: options[name] for name in ("grade", "answer", "reason", "note") if options[name] is not None}
        said |= {"answer": "cannot"} if "reason" in said else {}
        if set(named) not in ({"seat"}, {"topic", "docno"}) and (named or (said and not options["file"])):
            raise Error("Expected a document: --seat, or --topic and --docno.", returncode=2)
        if options["file"]:
            if said:
                raise Error("Expected acts in the file or as options; found both.", returncode=2)
            self.judge(collection, assessor, self.read(options["file"]).split("\n"), options["file"])
        elif said:
            self.judge(collection, assessor, [json.dumps(named | said)])
        elif named:
            seat = _seat(collection, assessor, JudgmentLine.read(json.dumps(named)))
            self.show(judging.item(collection, assessor=assessor, seat=seat))
        else:
            self.cards(judging.next_items(collection, assessor=assessor, count=options["next"]))

    def cards(self, cards: list[blind.Card]) -> None:
        if self._json:
            return self.document([CardOut.from_orm(card).dict() for card in cards])
        return self.table(
            [{"seat": card.token, **{name: getattr(card, name) for name in LISTED[1:]}} for card in cards], LISTED
        )

    def show(self, card: blind.Card) -> None:
        told = CardOut.from_orm(card).dict()
        if self._json:
            return self.document(told)
        topic, document = told.pop("topic"), told.pop("document")
        about = {name: document[name] for name in ("docno", "title", "url", "language", "date")}
        self.facts({"topic": topic.pop("number"), **{f"topic_{name}": words for name, words in topic.items()}, **about, **told})
        beside = [f"{name}: {words}" for name, words in document["extra"].items()]
        return self.stdout.write("\n".join(["", *map(printable, [*beside, *card.text.splitlines()])]))

    def judge(self, collection: Collection, assessor: User, lines: Iterable[str], file: str = "") -> None:
        """Every line is read before the first act; each act is then stored by itself."""
        acts, saved, where = [], list[judging.Recorded](), ""
        try:
            for number, words in enumerate(lines, 1):
                if words.strip():
                    where = f"{file}: line {number}: " if file else ""
                    line = JudgmentLine.read(words)
                    acts.append((where, _seat(collection, assessor, line), line.act()))
            for where, seat, act in acts:  # noqa: B007  (told where it ends)
                saved.append(judging.record_judgment(collection, assessor=assessor, seat=seat, **act, ahead=0))
        except (Refusal, Http404) as error:
            told = str(error) or f"There is no such document of {assessor.username}."
            stored = f" Before it {'1 act was' if len(saved) == 1 else f'{len(saved):,} acts were'} stored." if saved else ""
            raise Error(f"{where}{told}{stored}") from error
        finally:
            if saved:
                self.table([{name: getattr(one.saved, name) for name in SAVED} for one in saved], SAVED)
        if saved:
            self.say(f"{saved[-1].done} answered, {saved[-1].left} left.")


def _seat(collection: Collection, assessor: User, line: JudgmentLine) -> UUID:
    return line.seat or judging.seat_of(collection, assessor=assessor, topic=line.topic, docno=line.docno)
