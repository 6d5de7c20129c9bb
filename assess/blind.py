"""What an assessor's pages, answers and API may read: seat token, topic, document, own grade, and nothing else.

Runs, ranks, pool rounds and other people's judgments are in none of these queries, so that no template, order or field
can tell of them.
"""

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from itertools import accumulate
from typing import Any

from django.conf import settings
from django.db.models import Count, Exists, F, JSONField, OuterRef, Q, QuerySet, Subquery, TextField, Value
from django.db.models.functions import Coalesce, JSONObject, Length, NullIf
from django.db.models.lookups import IsNull
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.text import Truncator

from assess import markup
from assess.core import highlighting, passages, reading
from assess.core.facts import Facts, facts
from assess.models import Answer, Assignment, Judgment, JudgmentEvent, Message, OwnWords, PracticeItem, Seat
from config.models import User
from config.statements import statement
from pooling import selectors as pooled
from pooling.models import Collection, Document, Membership

FEW = 3  # documents, handed out after a judgment whatever their size
PAGE_LETTERS = 1_000_000  # of the documents a page comes with
MOST_LETTERS = 5_000_000  # of those it holds, once it has asked for more
FIELDS = ("title", "text", "html", "url", "language", "date", "extra")
SAID = {name: name for name in ("grade", "answer", "reason", "note", "known", "evidence")}
NOTHING_SOUGHT = highlighting.Wanted(frozenset(), frozenset())
QUEUE = (F("later_at").asc(nulls_first=True), "position", "pk")  # what was put off comes last
NOTHING = {"grade": None, "answer": Answer.OPEN.value, "reason": "", "note": "", "known": False, "evidence": "", "seen": 0}


@dataclass(frozen=True)
class Card:
    """A document to judge, with its topic. `seen` is how often this assessor said something of it so far;
    it `waits` until there is a grade, or a reason why there is none."""

    token: uuid.UUID
    topic: str
    topic_title: str
    description: str
    narrative: str
    docno: str
    title: str
    text: str
    html: str
    url: str
    language: str
    date: str
    extra: str | None
    topic_language: str
    own_words: str
    waits: bool
    grade: int | None
    seen: int
    answer: str
    reason: str
    note: str
    known: bool
    evidence: str

    @property
    def sought_in(self) -> str:
        """The language by which words are stemmed: that of the topic as it is shown, else the document's."""
        return self.topic_language or self.language

    @cached_property
    def sought(self) -> highlighting.Wanted:
        """Words of the topic, and the assessor's own."""
        return highlighting.wanted(f"{self.topic_title or self.description} {self.own_words}", self.sought_in)

    @property
    def heading(self) -> list[tuple[str, bool]]:
        """The title; nothing where there is none."""
        return highlighting.pieces([self.title], self.sought, self.sought_in)[0]

    @property
    def facts(self) -> Facts:
        return facts(self.extra, self.sought, self.sought_in, above_text=bool(self.text))

    @property
    def plain(self) -> SafeString:
        """The text as HTML. Words are marked where it is all there is: beside a page it is for the eye alone."""
        return markup.text(self.text, NOTHING_SOUGHT if self.html else self.sought, self.sought_in)

    @property
    def page(self) -> str:
        """The document as a page of its own, cleaned, for a frame in which nothing runs and nothing loads."""
        return markup.page(self.html, self.sought, self.sought_in)

    @property
    def passages(self) -> list[tuple[int, int]]:
        return passages.read(self.evidence)

    @property
    def is_long(self) -> bool:
        return len(self.text) > reading.LONG

    @property
    def length(self) -> str:
        return reading.told(self.title, self.text)


@dataclass(frozen=True)
class Own:
    """An assessor's own progress. `done` is answered, with a grade or without; `free` items are shared with others: whoever
    comes first judges them."""

    done: int
    left: int
    free: int

    @property
    def total(self) -> int:
        return self.done + self.left + self.free


@dataclass(frozen=True)
class OwnTopic:
    number: str
    title: str
    done: int
    left: int

    @property
    def total(self) -> int:
        return self.done + self.left

    @property
    def percent(self) -> int:
        return 100 * self.done // self.total if self.total else 0


@dataclass(frozen=True)
class Judged:
    """A line of one's own list of judged documents."""

    token: uuid.UUID
    docno: str
    title: str
    grade: int | None
    reason: str
    note: str
    judged_at: datetime


def seats(collection: Any, assessor: Any) -> QuerySet[Seat]:
    return Seat.objects.filter(collection=collection, assessor=assessor)


def lease_start() -> datetime:
    """A seat that was taken, and not renewed since, before this is free again."""
    return timezone.now() - timedelta(seconds=settings.LEASE_SECONDS)


def shared_topics(assessor: Any) -> QuerySet[Assignment]:
    """Of a seat: the assignment by which the assessor may take it. Item by item, whoever has the topic takes any opinion."""
    any_opinion = Q(topic__collection__assignment_plan__by_item=True)
    mine = Assignment.objects.filter(assessor=assessor, topic=OuterRef("topic"))
    return mine.filter(any_opinion | Q(slot=OuterRef("slot")))


def free_seats(assessor: Any, since: Any = None) -> QuerySet[Seat]:
    """Seats nobody has, or has any longer, of topics that the assessor shares with others, in any collection."""
    own = Seat.objects.filter(assessor=assessor, item=OuterRef("item"))
    free = Q(assessor=None) | Q(claimed_at__lt=since or lease_start())
    return Seat.objects.filter(free, Exists(shared_topics(assessor)), ~Exists(own), judged_at=None)


def documents(collection: Any) -> QuerySet[Document]:
    """The document of a seat, if it is there."""
    visible = {"corpus__collection_id": collection, "generation": F("corpus__generation")}
    return Document.objects.filter(**visible, docno=OuterRef("item__docno"))


def has_document(collection: Any) -> IsNull:
    """Of a seat; asked of one after the other. As EXISTS, PostgreSQL would find the items of all documents first."""
    return IsNull(Subquery(documents(collection).values("pk")[:1]), False)


def _as_cards(collection: Any, found: QuerySet[Seat]) -> QuerySet[Seat, Any]:
    """All that a card shows, by one query, whatever the number."""
    document = documents(collection).values(found=JSONObject(**{name: name for name in FIELDS}))
    head = Judgment.objects.filter(item=OuterRef("item"), assessor=OuterRef("assessor"), occasion=OuterRef("occasion"))
    topic = tuple(f"item__topic__{name}" for name in ("number", "title", "description", "narrative", "language"))
    reads = Membership.objects.filter(collection=collection, user=OuterRef("assessor"), ended_at=None).exclude(
        topic_language=""
    )
    own = OwnWords.objects.filter(topic=OuterRef("topic"), assessor=OuterRef("assessor")).values("words")
    rows = found.filter(has_document(collection)).annotate(
        own_words=Coalesce(Subquery(own), Value("")),
        document=Subquery(document[:1], output_field=JSONField()),
        head=Subquery(head.values(found=JSONObject(**SAID, seen="event_count"))[:1], output_field=JSONField()),
        reads=Subquery(reads.values("topic_language")[:1]),
    )
    return rows.values_list(
        *("token", *topic, "item__docno", "judged_at", "item__topic__translations"),
        *("document", "own_words", "head", "reads"),
    )


def _waiting_cards(
    collection: Collection, assessor: User, but: list[uuid.UUID], count: int, there: int | None = None
) -> list[Card]:
    """What was put off is asked for when nothing else is left: in the order of both at once, a database would read and sort
    all that somebody has yet to judge, at every judgment."""
    asked = {"collection": collection, "assessor": assessor, "but": but}
    rows = _first_cards(**asked, count=count)
    if len(rows) < (count if there is None else min(count, there)):
        rows += _last_cards(**asked, count=count - len(rows))
    return [_card(*row) for row in rows]


@statement
def _first_cards(collection: Any, assessor: Any, but: Any, *, count: int) -> QuerySet[Seat, Any]:
    found = _waiting(collection, assessor, but).filter(later_at=None).order_by("position", "pk")
    return _as_cards(collection, found)[:count]


@statement
def _last_cards(collection: Any, assessor: Any, but: Any, *, count: int) -> QuerySet[Seat, Any]:
    return _as_cards(collection, _waiting(collection, assessor, but).filter(later_at__isnull=False))[:count]


@statement
def _card_of(collection: Any, assessor: Any, token: Any) -> QuerySet[Seat, Any]:
    return _as_cards(collection, seats(collection, assessor).filter(token=token))[:1]


def _card(*row: Any) -> Card:
    token, number, title, description, narrative, language, docno, judged_at, translations, document, own_words, *rest = row
    head, reads = rest
    said = dict[str, Any](head or NOTHING)
    said |= {"known": bool(said["known"]), "waits": judged_at is None}
    if reads in translations:
        words, language = translations[reads], reads
        title, description, narrative = words["title"], words["description"], words["narrative"]
    known = {"topic_language": language, "own_words": own_words}
    return Card(token, number, title, description, narrative, docno, **document, **known, **said)


def next_cards(
    collection: Collection, assessor: User, count: int, *, but: Iterable[uuid.UUID] = (), there: int | None = None
) -> list[Card]:
    """The next documents to judge, in the assessor's own order; `but` are those the page holds already; `there` is how many
    there are beside, if that is known."""
    held = list(but)
    if count > FEW:
        count = max(1, _fitting(_sizes(collection, _waiting(collection, assessor, held), count), PAGE_LETTERS))
    return _waiting_cards(collection, assessor, held, count, there)


def more_cards(collection: Collection, assessor: User, count: int, *, held: Sequence[uuid.UUID]) -> list[Card]:
    """What a page may hold beyond what it holds already, so that going offline does not stop the work."""
    holds = sum(_sizes(collection, seats(collection, assessor).filter(token__in=held), len(held)))
    found = _waiting(collection, assessor, held)
    fits = _fitting(_sizes(collection, found, count - len(held)), MOST_LETTERS - holds)
    if fits <= 0:
        return []
    return _waiting_cards(collection, assessor, list(held), fits)


def _waiting(collection: Any, assessor: Any, but: Sequence[Any]) -> QuerySet[Seat]:
    return seats(collection, assessor).filter(judged_at=None).exclude(token__in=but).order_by(*QUEUE)


def _sizes(collection: Collection, found: QuerySet[Seat], count: int) -> list[int]:
    there = found.filter(has_document(collection))
    letters = Length("text") + Length("html") + Coalesce(Length("extra"), 0)
    size = Subquery(documents(collection).values(size=letters)[:1])
    return list(there.annotate(size=size).values_list("size", flat=True)[: max(0, count)])


def _fitting(sizes: list[int], letters: int) -> int:
    """How many of the first keep within so many letters."""
    return sum(total <= letters for total in accumulate(sizes))


def card(collection: Collection, assessor: User, token: uuid.UUID) -> Card | None:
    found = _card_of(collection=collection, assessor=assessor, token=token)
    return _card(*found[0]) if found else None


def seat_of(collection: Collection, assessor: User, topic: str, docno: str) -> uuid.UUID | None:
    """One's seat for a document that is named; of two the one that waits."""
    found = seats(collection, assessor).filter(item__topic__number=topic, item__docno=docno)
    return found.order_by(F("judged_at").asc(nulls_first=True), "occasion").values_list("token", flat=True).first()


def source(collection: Collection, assessor: User, token: uuid.UUID) -> str | None:
    """The document as it came: its markup, or its text where it has none."""
    found = seats(collection, assessor).filter(token=token)
    kept = Coalesce(NullIf("html", Value("", output_field=TextField())), "text")
    return found.annotate(source=Subquery(documents(collection).values(kept=kept)[:1])).values_list("source", flat=True).first()


def text_length(collection: Collection, token: uuid.UUID) -> int:
    """In characters; of any seat that the collection has, whose it is was asked before."""
    found = Seat.objects.filter(collection=collection, token=token)
    size = Subquery(documents(collection).values(size=Length("text"))[:1])
    return found.annotate(size=size).values_list("size", flat=True).first() or 0


def own_progress(collection: Collection, assessor: User) -> Own:
    counts = seats(collection, assessor).aggregate(done=Count("judged_at"), total=Count("pk"))
    if assessor.is_machine:  # whatever is pooled is its own
        free = max(0, pooled.drawn_items(collection).count() - counts["total"])
    else:
        free = free_seats(assessor).filter(collection=collection).count()
    return Own(counts["done"], counts["total"] - counts["done"], free)


def previous_token(collection: Collection, assessor: User, before: uuid.UUID | None = None) -> uuid.UUID | None:
    """What the assessor judged last, or last before another seat."""
    found = seats(collection, assessor).filter(judged_at__isnull=False).order_by("-judged_at", "-pk")
    if before is not None:
        at = Seat.objects.filter(token=before).values("judged_at")
        number = Seat.objects.filter(token=before).values("pk")
        older = found.filter(Q(judged_at__lt=Subquery(at)) | Q(judged_at=Subquery(at), pk__lt=Subquery(number)))
        found = older if Seat.objects.filter(token=before, judged_at__isnull=False).exists() else found
    return found.values_list("token", flat=True).first()


def own_topics(collection: Collection, assessor: User) -> list[OwnTopic]:
    """One's topics, in the order in which they come."""
    held = seats(collection, assessor).values("item__topic__number", "item__topic__title")
    counted = held.annotate(done=Count("judged_at"), total=Count("pk"))
    open_ = free_seats(assessor).filter(collection=collection)
    free = open_.values("item__topic__number", "item__topic__title").annotate(total=Count("pk"))
    found: dict[tuple[str, str], list[int]] = {}
    for row in counted:
        found[row["item__topic__number"], row["item__topic__title"]] = [row["done"], row["total"] - row["done"]]
    for open_row in free:
        found.setdefault((open_row["item__topic__number"], open_row["item__topic__title"]), [0, 0])[1] += open_row["total"]
    rows = [OwnTopic(number, title, done, left) for (number, title), (done, left) in found.items()]
    return sorted(rows, key=lambda row: (len(row.number), row.number))


def judged(collection: Collection, assessor: User, *, topic: str = "", most: int = 500) -> list[Judged]:
    """What one has judged, newest first."""
    found = seats(collection, assessor).filter(judged_at__isnull=False)
    if topic:
        found = found.filter(item__topic__number=topic)
    head = Judgment.objects.filter(item=OuterRef("item"), assessor=OuterRef("assessor"), occasion=OuterRef("occasion"))
    title = documents(collection).values("title")[:1]
    said = {name: Subquery(head.values(name)[:1]) for name in ("grade", "reason", "note")}
    rows = found.annotate(title=Subquery(title), **said).order_by("-judged_at", "-pk")
    columns: Sequence[str] = ("token", "item__docno", "title", "grade", "reason", "note", "judged_at")
    return [Judged(token, docno, title or "", *rest) for token, docno, title, *rest in rows.values_list(*columns)[:most]]


def own_events(collection: Collection, assessor: User) -> QuerySet[JudgmentEvent]:
    """One's own acts of judging; each knows its `seat`, `topic` and `docno`."""
    mine = JudgmentEvent.objects.filter(judgment__assessor=assessor, judgment__item__pool__collection=collection)
    same = {"item": OuterRef("judgment__item"), "occasion": OuterRef("judgment__occasion")}
    seat = Seat.objects.filter(assessor=assessor, **same).values("token")[:1]
    named = {"topic": F("judgment__item__topic__number"), "docno": F("judgment__item__docno")}
    return mine.annotate(seat=Subquery(seat), **named)


@dataclass(frozen=True)
class PracticeCard:
    """A document to practise on; what the organizer says of it comes after the answer, and not from here."""

    id: int
    topic: str
    topic_title: str
    description: str
    narrative: str
    docno: str
    title: str
    text: str
    extra: str | None

    @property
    def facts(self) -> Facts:
        return facts(self.extra, NOTHING_SOUGHT, "", above_text=bool(self.text))

    @property
    def plain(self) -> SafeString:
        return markup.text(self.text, NOTHING_SOUGHT, "")


def practice_card(collection: Collection, item: PracticeItem) -> PracticeCard:
    """By the topic's own words. A document that is gone shows its number alone."""
    visible = Document.objects.filter(corpus__collection=collection, generation=F("corpus__generation"), docno=item.docno)
    document = visible.values_list("title", "text", "extra").first() or ("", "", None)
    words = (item.topic.title, item.topic.description, item.topic.narrative)
    return PracticeCard(item.pk, item.topic.number, *words, item.docno, *document)


def recent_documents(
    collection: Collection, assessor: User, asked: uuid.UUID | None = None, most: int = 10
) -> list[tuple[uuid.UUID, str]]:
    """What one is likely to ask about, seat and name: what one came from, what is next, and what one judged last."""
    mine = seats(collection, assessor).annotate(title=Subquery(documents(collection).values("title")[:1]))
    waiting = mine.filter(judged_at=None).order_by(*QUEUE)[:1]
    judged_last = mine.filter(judged_at__isnull=False).order_by("-judged_at", "-pk")[:most]
    columns = ("token", "item__topic__number", "item__docno", "title")
    here = mine.filter(token=asked) if asked else mine.none()
    rows = [*here.values_list(*columns), *waiting.values_list(*columns), *judged_last.values_list(*columns)]
    return list({token: _named(docno, title, topic) for token, topic, docno, title in rows}.items())


def _named(docno: str, title: str | None, topic: str) -> str:
    """In a line of a list: a title is cut where its first words tell which it is."""
    return f"{docno} (topic {topic}){f': {Truncator(title).chars(70)}' if title else ''}"


@dataclass(frozen=True)
class Thread:
    """One's questions about a document, and the organizers' answers."""

    seat: uuid.UUID | None
    topic: str
    docno: str
    lines: list["ThreadLine"]


@dataclass(frozen=True)
class ThreadLine:
    mine: bool
    text: str
    at: datetime
    unseen: bool


def own_threads(collection: Collection, assessor: User) -> list[Thread]:
    """Newest first. Who of the organizers answered is not told."""
    found = Message.objects.filter(assessor=assessor, item__topic__collection=collection)
    seat = Seat.objects.filter(item=OuterRef("item"), assessor=assessor, occasion=0).values("token")[:1]
    columns = ("item_id", "item__topic__number", "item__docno", "seat", "author_id", "text", "at", "done_at")
    threads: dict[int, Thread] = {}
    for item, topic, docno, token, author, text, at, done_at in found.annotate(seat=Subquery(seat)).values_list(*columns):
        thread = threads.setdefault(item, Thread(token, topic, docno, []))
        mine = author == assessor.pk
        thread.lines.append(ThreadLine(mine, text, at, not mine and done_at is None))
    return sorted(threads.values(), key=lambda thread: thread.lines[-1].at, reverse=True)


def unseen_answers(collection: Collection, assessor: User) -> int:
    found = Message.objects.filter(assessor=assessor, item__topic__collection=collection, done_at=None)
    return found.exclude(author=assessor).count()
