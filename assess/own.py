"""What assessors see of their own work: how far they are, how fast today, what they said of each document.

Like `blind`, it reads one's own seats and judgments and nothing else.
"""

import statistics
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone

from assess import blind
from assess.core import passages
from assess.models import ANSWERED, Answer, Judgment, JudgmentEvent, Seat
from config.models import User
from pooling.models import Collection

PACE_OF = 500  # newest acts of today


@dataclass(frozen=True)
class Filters:
    """Of one's own history; what is empty is not asked for."""

    topic: str = ""
    grade: int | None = None
    answer: str = ""
    words: str = ""
    noted: bool = False

    @property
    def is_empty(self) -> bool:
        return self == Filters()


@dataclass(frozen=True)
class Told:
    """What one says of a document at present. `seat` is None where another has judged it meanwhile."""

    seat: uuid.UUID | None
    topic: str
    docno: str
    title: str | None
    answer: str
    grade: int | None
    reason: str
    note: str
    known: bool
    evidence: str
    acts: int
    updated_at: datetime

    @property
    def passages(self) -> int:
        return len(passages.read(self.evidence))


@dataclass(frozen=True)
class Pace:
    """Answered today; the median of active seconds; and how often each grade was given, and no grade at all, in all."""

    today: int
    seconds: float | None
    grades: dict[int, int]
    cannot: int
    left: int

    @property
    def hours_left(self) -> float | None:
        return None if self.seconds is None else self.left * self.seconds / 3600


def _judgments(collection: Collection, assessor: User) -> QuerySet[Judgment]:
    """All of them, hidden repeats too: to who judged them they are documents like any other."""
    return Judgment.objects.filter(item__pool__collection=collection, assessor=assessor)


def pace(collection: Collection, assessor: User, progress: blind.Own) -> Pace:
    morning = timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)
    mine = _judgments(collection, assessor)
    today = mine.filter(first_at__gte=morning, first_at__lt=morning + timedelta(days=1), answer__in=ANSWERED).count()
    acts = JudgmentEvent.objects.filter(judgment__in=mine, at__gte=morning, answer=Answer.GRADE, seconds__isnull=False)
    seconds = [value for value in acts.order_by("-pk").values_list("seconds", flat=True)[:PACE_OF] if value is not None]
    graded = mine.filter(answer=Answer.GRADE).order_by().values_list("grade").annotate(count=Count("pk"))
    grades = {grade: count for grade, count in graded if grade is not None}
    cannot = mine.filter(answer=Answer.CANNOT).count()
    return Pace(today, statistics.median(seconds) if seconds else None, grades, cannot, progress.left + progress.free)


def history(collection: Collection, assessor: User, filters: Filters) -> QuerySet[Judgment]:
    """One's judgments, the newest change first, each with its `seat`, `topic`, `docno` and `title`."""
    found = _judgments(collection, assessor)
    if filters.topic:
        found = found.filter(item__topic__number=filters.topic)
    if filters.grade is not None:
        found = found.filter(answer=Answer.GRADE, grade=filters.grade)
    if filters.answer:
        found = found.filter(answer=filters.answer)
    if filters.noted:
        found = found.exclude(note="", evidence="")
    seat = Seat.objects.filter(assessor=assessor, item=OuterRef("item"), occasion=OuterRef("occasion")).values("token")[:1]
    title = blind.documents(collection).values("title")[:1]
    named = {"topic": F("item__topic__number"), "docno": F("item__docno"), "acts": F("event_count")}
    found = found.annotate(seat=Subquery(seat), title=Subquery(title), **named)
    for word in filters.words.split():
        has = Q(docno__icontains=word) | Q(title__icontains=word) | Q(note__icontains=word) | Q(reason__icontains=word)
        found = found.filter(has)
    acts = JudgmentEvent.objects.filter(judgment=OuterRef("pk")).order_by("-pk")
    return found.order_by(Subquery(acts.values("pk")[:1]).desc())


FIELDS = tuple(Told.__dataclass_fields__)


def told(rows: Iterable[Any]) -> list[Told]:
    """Of rows of `history`."""
    return [Told(*(getattr(row, name) for name in FIELDS)) for row in rows]
