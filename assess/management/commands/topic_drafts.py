from typing import Any

from django.core.management.base import CommandParser

from assess import drafting
from assess.models import DraftState, TopicDraft
from assess.services import drafting as acts
from config.commands import Error, Options
from pooling import search
from pooling.commands import CollectionCommand
from pooling.core.topics import TEXTS
from pooling.models import Collection


class Command(CollectionCommand):
    help = "Develop topics: make drafts, grade hits, accept or drop drafts, and freeze the topics."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--add", metavar="NUMBER", help="make a draft of this number; needs --title")
        parser.add_argument("--edit", metavar="NUMBER", help="change a draft; what is not named stays as it is")
        parser.add_argument("--number", metavar="NUMBER", help="with --edit: its new number")
        parser.add_argument("--title", metavar="TEXT", help="of the draft that is made or changed")
        parser.add_argument("--description", metavar="TEXT", help="of the draft that is made or changed")
        parser.add_argument("--narrative", metavar="TEXT", help="of the draft that is made or changed")
        parser.add_argument("--words", metavar="WORDS", help="what is searched for; the title unless given")
        parser.add_argument("--show", metavar="NUMBER", help="the hits of a draft that are to be judged")
        parser.add_argument("--more", metavar="NUMBER", help="draw more hits of a draft to be judged")
        parser.add_argument("--grade", nargs=3, metavar=("NUMBER", "DOCNO", "GRADE"), help="grade a hit of a draft")
        parser.add_argument("--accept", metavar="NUMBER", help="make a topic of a draft")
        parser.add_argument("--drop", metavar="NUMBER", help="drop a draft")
        parser.add_argument("--reason", default="", metavar="TEXT", help="why it is accepted or dropped")
        parser.add_argument("--freeze", action="store_true", help="close the list of topics")
        parser.add_argument("--open", action="store_true", help="open the list of topics again")
        self.add_json(parser)
        self.add_by(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        collection = self.collection(options["slug"])
        by = self.actor(options)
        if options["add"]:
            texts = {name: options[name] or "" for name in TEXTS}
            acts.create_draft(collection, by=by, number=options["add"], texts=texts, words=options["words"] or "")
        if options["edit"]:
            self.edit(self.draft(collection, options["edit"]), options)
        if options["more"]:
            acts.draw_more(self.draft(collection, options["more"]))
        if options["grade"]:
            number, docno, grade = options["grade"]
            if not grade.lstrip("-").isdigit():
                raise Error(f"Expected a whole number as grade; found “{grade}”.")
            acts.grade_hit(self.draft(collection, number), by=by, docno=docno, grade=int(grade))
        if options["accept"]:
            acts.accept_draft(self.draft(collection, options["accept"]), by=by, reason=options["reason"])
        if options["drop"]:
            acts.drop_draft(self.draft(collection, options["drop"]), by=by, reason=options["reason"])
        if options["freeze"]:
            acts.freeze_topics(collection)
        if options["open"]:
            acts.open_topics(collection)
        if options["show"]:
            found = drafting.tried(self.draft(collection, options["show"]), by)
            hits = [
                {
                    "ranks": f"{band.first}-{band.last}",
                    "docno": hit.docno,
                    "grade": grade,
                    "title": "".join(p for p, _ in hit.heading),
                }
                for band in found.bands
                for hit, grade in band.hits
            ]
            self.table(hits, ["ranks", "docno", "grade", "title"])
            return
        ready = search.index_of(collection).is_ready()
        self.table(
            [self.row(draft, by, ready) for draft in drafting.drafts(collection)],
            ["number", "title", "state", "judged", "relevant", "estimate", "low", "high"],
        )

    def edit(self, draft: TopicDraft, options: Options) -> None:
        said = ("number", *TEXTS, "words")
        now = {name: getattr(draft, name) if options[name] is None else options[name] for name in said}
        if options["words"] is None and draft.words == draft.title:  # it searched for its title
            now["words"] = ""
        told = {"number": now["number"], "words": now["words"], "language": draft.language}
        acts.edit_draft(draft, texts={name: now[name] for name in TEXTS}, **told)

    def row(self, draft: TopicDraft, by: Any, ready: bool) -> dict[str, Any]:
        told = drafting.tried(draft, by).estimate if ready and draft.state == DraftState.OPEN else None
        numbers = {
            "estimate": told and round(told.count, 1),
            "low": told and round(told.low, 1),
            "high": told and round(told.high, 1),
        }
        counts = {"judged": getattr(draft, "judged", 0), "relevant": getattr(draft, "relevant", 0)}
        return {"number": draft.number, "title": draft.title, "state": draft.state, **counts, **numbers}

    def draft(self, collection: Collection, number: str) -> TopicDraft:
        found = collection.drafts.filter(number=number, state=DraftState.OPEN).first()
        if found is None:
            raise Error(f"Expected the number of an open draft of {collection.slug}; found “{number}”.")
        return found
