"""What adjudicators read: where opinions differ, by topic; one document with what was said of it, and not by whom."""

import hashlib
import uuid
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from django.db.models import Count, Exists, F, Max, Min, OuterRef, Q, QuerySet
from django.http import Http404
from django.urls import reverse
from django.utils.safestring import SafeString

from assess import markup, opinions, selectors
from assess.core import highlighting, passages, reading
from assess.core.facts import Facts, facts
from assess.models import AdjudicatorTopic, Answer, Decision, DecisionEvent, Judgment, MergePlan, MergeRule
from config import expected
from config.errors import Missing
from config.models import User
from pooling import selectors as pooled
from pooling.access import Anyone
from pooling.models import Collection, Document, PoolItem, Role, Topic


@dataclass(frozen=True)
class Case:
    """A document on which opinions differ. `grade` is what was decided, None while it is open."""

    topic: str
    docno: str
    opinions: int
    low: int | None
    high: int | None
    cannot: int
    tie: bool
    grade: int | None

    @property
    def is_open(self) -> bool:
        return self.grade is None

    @cached_property
    def token(self) -> uuid.UUID:
        """For an act on it, new at every look."""
        return uuid.uuid4()


@dataclass
class TopicInbox:
    topic: Topic
    open: int = 0
    decided: int = 0
    people: list[User] = field(default_factory=list)

    @property
    def total(self) -> int:
        return self.open + self.decided


def _heads(collection: Collection) -> QuerySet[Judgment]:
    kept = {"occasion": 0, "extra": False, "answer__in": [Answer.GRADE, Answer.CANNOT]}
    return Judgment.objects.filter(selectors.who_counts(collection), item__pool__collection=collection, **kept)


def cases(collection: Collection, topic: str | None = None, but: User | None = None) -> list[Case]:
    """Where opinions differ as the collection's plan says, and all that was decided; without what `but` judged themselves."""
    plan = opinions.plan(collection)
    heads = _heads(collection)
    if topic is not None:
        heads = heads.filter(item__topic__number=topic)
    if but is not None:
        own = Judgment.objects.filter(item=OuterRef("item"), assessor=but)
        heads = heads.filter(~Exists(own))
    said = heads.order_by().values("item").annotate(n=Count("grade"), low=Min("grade"), high=Max("grade"))
    said = said.annotate(cannot=Count("pk", filter=Q(answer=Answer.CANNOT)))
    rows = said.filter(_differs(plan))
    columns = ("item", "item__topic__number", "item__docno", "n", "low", "high", "cannot", "item__decision__grade")
    found = list(rows.values_list(*columns))
    ties = _ties(heads, found, plan)
    kept = [
        Case(number, docno, n, low, high, cannot, item in ties, grade)
        for item, number, docno, n, low, high, cannot, grade in found
        if grade is not None or item in ties or _is_case(plan, collection, low, high, cannot)
    ]
    return sorted(kept, key=lambda case: (case.topic, _order(case.docno)))


def cases_for(collection: Collection, user: User, topic: str = "", *, organizer: bool, state: str = "open") -> list[Case]:
    """Those of all topics, or of one, that are for this user: all for organizers, their own topics for adjudicators."""
    found = cases(collection, topic or None, but=None if organizer else user)
    if not organizer:
        theirs = {line.topic.number for line in inbox(collection, user)}
        found = [case for case in found if case.topic in theirs]
    return [case for case in found if state == "all" or case.is_open == (state == "open")]


def _differs(plan: MergePlan) -> Q:
    """Wide enough for every case; `_is_case` decides."""
    wanted = Q(item__decision__isnull=False)  # what was decided stays, whatever the plan says now
    if plan.cannot:
        wanted |= Q(cannot__gt=0)
    if plan.differ_by or plan.across or plan.rule == MergeRule.MAJORITY:
        wanted |= Q(high__gt=F("low"))
    return wanted


def _is_case(plan: MergePlan, collection: Collection, low: int | None, high: int | None, cannot: int) -> bool:
    if cannot and plan.cannot:
        return True
    if low is None or high is None:
        return False
    crosses = low < collection.lenient_from <= high or low < collection.strict_from <= high
    return bool((plan.differ_by and high - low >= plan.differ_by) or (plan.across and crosses))


def reasons(collection: Collection, plan: MergePlan) -> list[str]:
    """For what a document is listed, in words: as `cases` decides it."""
    found = []
    if plan.differ_by:
        apart = "their grades differ" if plan.differ_by == 1 else f"their grades are {plan.differ_by} or more apart"
        found.append(f"two assessors judged it and {apart}")
    if plan.across:
        thresholds = " or from ".join(str(grade) for grade in sorted({collection.lenient_from, collection.strict_from}))
        found.append(f"it is relevant to one and not to another, counting as relevant from grade {thresholds} on")
    if plan.cannot:
        found.append("somebody could not judge it")
    if plan.rule == MergeRule.MAJORITY:
        found.append("its opinions are even, so that no grade is the most frequent")
    return found


def _ties(heads: QuerySet[Judgment], rows: Iterable[tuple[Any, ...]], plan: MergePlan) -> set[int]:
    """Items whose opinions are even under the majority rule."""
    if plan.rule != MergeRule.MAJORITY:
        return set()
    items = [row[0] for row in rows]
    votes: dict[int, dict[int, int]] = {}
    for item, grade in heads.filter(item__in=items, answer=Answer.GRADE).values_list("item_id", "grade"):
        counts = votes.setdefault(item, {})
        counts[grade or 0] = counts.get(grade or 0, 0) + 1
    return {item for item, counts in votes.items() if sorted(counts.values())[-2:].count(max(counts.values())) > 1}


def _order(docno: str) -> str:
    """An order that tells nothing of ranks, the same at every look."""
    return hashlib.sha256(docno.encode()).hexdigest()


def adjudicators(collection: Collection) -> list[User]:
    held = collection.memberships.filter(role=Role.ADJUDICATOR, ended_at=None)
    return list(User.objects.filter(pk__in=held.values("user_id"), is_active=True).order_by("name", "pk"))


def inbox(collection: Collection, of: User | None = None) -> list[TopicInbox]:
    """Topics with something to decide or decided; for an adjudicator those that are theirs, or nobody's."""
    lines: dict[str, TopicInbox] = {topic.number: TopicInbox(topic) for topic in pooled.topics(collection)}
    for row in AdjudicatorTopic.objects.filter(topic__collection=collection).select_related("topic", "adjudicator"):
        lines[row.topic.number].people.append(row.adjudicator)
    for case in cases(collection, but=of):
        line = lines[case.topic]
        line.open += case.is_open
        line.decided += not case.is_open
    found = [line for line in lines.values() if line.total]
    return [line for line in found if of is None or not line.people or of in line.people]


@dataclass(frozen=True)
class ToDecide:
    collection: Collection
    left: int


def to_decide(user: Anyone) -> list[ToDecide]:
    """What waits for an adjudicator, in each collection that is open."""
    if not isinstance(user, User):
        return []
    held = {"memberships__user": user, "memberships__role": Role.ADJUDICATOR, "memberships__ended_at": None}
    found = Collection.objects.filter(**held, archived_at=None).order_by("name")
    counted = [ToDecide(collection, sum(line.open for line in inbox(collection, user))) for collection in found]
    return [row for row in counted if row.left]


def next_topic(collection: Collection, user: User, after: str) -> str | None:
    """The topic with something open that comes after this one, else the first."""
    lines = inbox(collection, user)
    numbers = [line.topic.number for line in lines]
    place = numbers.index(after) + 1 if after in numbers else 0
    return next((line.topic.number for line in lines[place:] + lines[:place] if line.open), None)


def is_for(collection: Collection, topic: str, user: User) -> bool:
    """Whether a topic is this adjudicator's: assigned to them, or to nobody."""
    people = list(
        AdjudicatorTopic.objects.filter(topic__collection=collection, topic__number=topic).values_list("adjudicator", flat=True)
    )
    return not people or user.pk in people


@dataclass(frozen=True)
class Opinion:
    """What somebody said, with the passages they took as evidence; who is not told."""

    name: str
    grade: int | None
    reason: str
    note: str
    passages: list[str]


@dataclass(frozen=True)
class Dossier:
    """A document to decide, with all that was said of it."""

    item: PoolItem
    topic: Topic
    docno: str
    document: Document | None
    opinions: list[Opinion]
    decision: Decision | None
    history: list[DecisionEvent]

    @property
    def date(self) -> str:
        return self.document.date if self.document else ""

    @property
    def language(self) -> str:
        return self.document.language if self.document else ""

    @property
    def url(self) -> str:
        return self.document.url if self.document else ""

    @property
    def length(self) -> str:
        return reading.told(self.document.title, self.document.text) if self.document else reading.length("")

    @property
    def seen(self) -> int:
        return self.decision.event_count if self.decision else 0

    @property
    def grade(self) -> int | None:
        return self.decision.grade if self.decision else None

    @property
    def sought_in(self) -> str:
        """The language by which words are stemmed: the topic's, else the document's."""
        return self.topic.language or self.language

    @cached_property
    def sought(self) -> highlighting.Wanted:
        return highlighting.wanted(self.topic.title or self.topic.description, self.sought_in)

    @property
    def heading(self) -> list[tuple[str, bool]]:
        title = self.document.title if self.document else ""
        return highlighting.pieces([title], self.sought, self.sought_in)[0]

    @property
    def facts(self) -> Facts:
        stored, text = (self.document.extra, self.document.text) if self.document else (None, "")
        return facts(stored, self.sought, self.sought_in, above_text=bool(text))

    @property
    def html(self) -> str:
        return self.document.html if self.document else ""

    @property
    def plain(self) -> SafeString:
        """As an assessor sees it."""
        return markup.text(self.document.text if self.document else "", self.sought, self.sought_in)

    @property
    def page(self) -> str:
        return markup.page(self.html, self.sought, self.sought_in)


def not_pooled(collection: Collection, topic: str, docno: str) -> Missing:
    words = expected.no_such("document", docno, f"in the pool of topic “{expected.shown(topic)}”")
    return Missing(words, href=reverse("adjudicate", args=[collection.slug]), label="To decide")


def dossier(collection: Collection, topic: str, docno: str) -> Dossier:
    """Opinions stand in an order that tells nothing of who is the primary assessor: by grade, then by what they wrote."""
    found = PoolItem.objects.filter(topic__collection=collection, topic__number=topic, docno=docno).select_related("topic")
    item = found.first()
    if item is None:
        raise not_pooled(collection, topic, docno)
    heads = _heads(collection).filter(item=item)
    document = pooled.document(collection, docno)
    text = document.text if document else ""
    said = sorted((row.grade is None, row.grade or 0, row.reason, row.note, row.evidence) for row in heads)
    letters = [chr(ord("A") + place) if place < 26 else f"{place + 1}" for place in range(len(said))]
    rows = [
        Opinion(letter, None if none else grade, reason, note, [text[start:end] for start, end in passages.read(evidence)])
        for letter, (none, grade, reason, note, evidence) in zip(letters, said, strict=True)
    ]
    decision = Decision.objects.filter(item=item).first()
    history = list(decision.events.select_related("adjudicator")) if decision else []
    return Dossier(item, item.topic, docno, document, rows, decision, history)


def said(item: PoolItem) -> list[Judgment]:
    """Everything that was said of a document, by whom; for organizers."""
    return list(Judgment.objects.filter(item=item).select_related("assessor").order_by("occasion", "assessor__name", "pk"))


def history(collection: Collection, topic: str) -> list[DecisionEvent]:
    """Every act of deciding on a topic, newest first; for organizers."""
    found = DecisionEvent.objects.filter(decision__item__topic__collection=collection, decision__item__topic__number=topic)
    return list(found.select_related("decision__item", "adjudicator").order_by("-pk"))


def to_undo(collection: Collection, card: Dossier, user: User) -> Decision | None:
    """What undo opens again: the decision on the document that is shown, else one's own last that still stands."""
    if card.decision and card.grade is not None:
        return card.decision
    mine = Decision.objects.filter(item__topic__collection=collection, adjudicator=user, grade__isnull=False)
    return mine.select_related("item__topic").annotate(last_act=Max("events")).order_by("-last_act").first()


def dossier_for(collection: Collection, user: User, topic: str, docno: str) -> Dossier:
    """A document that is for this adjudicator: of their topic, a case, and not judged by themselves."""
    if not is_for(collection, topic, user) or docno not in {case.docno for case in cases(collection, topic, but=user)}:
        raise Http404
    return dossier(collection, topic, docno)
