"""How far judging is, and how it goes: what organizers watch while people judge."""

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

import numpy as np
from django.db.models import Count, F, Max, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce, TruncDate
from django.utils import timezone

from assess import selectors
from assess.core import watch
from assess.models import Answer, AssignmentPlan, Judgment, JudgmentEvent, Message, Seat
from assess.services.importing import STRATEGY as IMPORTED
from config.keeping import lately
from config.models import User
from pooling import selectors as pooled
from pooling.models import Collection, PoolItem

AGO = timedelta(seconds=1)  # what was counted before that was counted for another look


@dataclass
class Line:
    """How far a topic, an assessor or all of it is. `seconds`: median active seconds of a grade.

    `skipped` cannot be judged, says who should; `later` is put off, and still left.
    """

    name: str
    detail: str = ""
    done: int = 0
    total: int = 0
    seconds: float | None = None
    who: str = ""
    skipped: int = 0
    later: int = 0
    repeats: int = 0  # of an assessor: hidden repeats that were judged, in none of the counts
    grades: list[int] = field(default_factory=list)  # of a topic: how often each grade of the scale was given

    @property
    def answered(self) -> int:
        return self.done + self.skipped

    @property
    def left(self) -> int:
        return self.total - self.answered

    @property
    def percent(self) -> int:
        return 100 * self.answered // self.total if self.total else 0

    @property
    def shares(self) -> list[tuple[str, str, int, int]]:
        """For a bar from 0 to 100: where each grade begins, how wide it is, its colour's step, how often it was given."""
        whole, last = sum(self.grades), max(1, len(self.grades) - 1)
        starts = [sum(self.grades[:place]) for place in range(len(self.grades))]
        return [
            (f"{100 * start / whole:.2f}", f"{100 * count / whole:.2f}", round(9 * place / last), count)
            for place, (start, count) in enumerate(zip(starts, self.grades, strict=True))
            if count
        ]


@dataclass(frozen=True)
class Progress:
    topics: list[Line]
    assessors: list[Line]
    total: Line
    items: int
    unassigned: int
    imported: int  # judgments that came with files: in none of the counts
    scale: list[int]
    given: list["Given"]  # each assessor's grades, counted in the scale's order
    at: datetime = field(compare=False)

    @property
    def is_kept(self) -> bool:
        """It was counted for somebody who looked before."""
        return timezone.now() - self.at > AGO


def looked_at(collection: Collection) -> tuple[Progress, "Watched"]:
    """For who looks again and again: where the counting takes a while, as it was some seconds ago (config/keeping.py), but
    never as before a pool was drawn or topics were assigned."""
    plan = AssignmentPlan.objects.filter(collection=OuterRef("pk")).values("changed_at")
    state = Collection.objects.filter(pk=collection.pk).values_list(Subquery(plan), Max("pools__drawn_at"))

    def make() -> tuple[Progress, Watched]:
        found = progress(collection)
        return found, watched(collection, found)

    found, how = lately(("progress", collection.pk, *state[0]), make)
    return found, replace(how, questions=questions(collection)) if found.is_kept else how


def progress(collection: Collection) -> Progress:
    """Seats judged and left, for each topic and each assessor; the same few queries whatever the size."""
    at = timezone.now()
    topics = {
        topic.pk: Line(topic.number, topic.title) for topic in pooled.topics(collection).only("number", "title", "collection")
    }
    people: dict[int | None, Line] = {}
    total, first = Line("All"), dict[int, int]()
    for topic, assessor, slot, done, count in selectors.seat_counts(collection, "topic", "assessor", "slot"):
        for line in (topics[topic], people.setdefault(assessor, Line("")), total):
            line.done += done
            line.total += count
        first[topic] = first.get(topic, 0) + (count if slot == 1 else 0)
    _add_others(collection, topics, people, total)
    scale = list(collection.grades.values_list("value", flat=True))
    given = _add_grades(collection, scale, topics)
    _add_repeats(collection, people)
    _add_names(people)
    _add_seconds(collection, topics, people, total)
    counts = selectors.item_counts(collection)
    filled = selectors.imported_counts(collection)
    unassigned = sum(max(0, count - first.get(topic, 0) - filled[topic].first) for topic, count in counts.items())
    imported = sum(count.judgments for count in filled.values())
    by_name = sorted(people.items(), key=lambda pair: (pair[0] is None, pair[1].name, pair[0] or 0))
    lines = list(topics.values()), [line for _, line in by_name]
    return Progress(*lines, total, sum(counts.values()), unassigned, imported, scale, given, at)


def _add_others(collection: Collection, topics: dict[int, Line], people: dict[int | None, Line], total: Line) -> None:
    """What was answered without a grade, and what was put off."""
    others = selectors.answered(collection, Answer.CANNOT, Answer.LATER).order_by()
    for topic, person, answer, count in others.values_list("item__topic", "assessor", "answer").annotate(Count("pk")):
        for line in (topics[topic], people.setdefault(person, Line("")), total):
            if answer == Answer.CANNOT:
                line.done, line.skipped = line.done - count, line.skipped + count
            else:
                line.later += count


def _add_grades(collection: Collection, scale: list[int], topics: dict[int, Line]) -> list["Given"]:
    """To each topic how often each grade was given; the same for each assessor is answered."""
    columns = ("item__topic", "assessor__username", "assessor__name", "grade")
    people: dict[str, Given] = {}
    for topic, who, name, grade, count in (
        selectors.judgments(collection).order_by().values_list(*columns).annotate(Count("pk"))
    ):
        topics[topic].grades = topics[topic].grades or [0] * len(scale)
        given = people.setdefault(who, Given(name, who, [0] * len(scale), [], scale))
        for counts in (topics[topic].grades, given.grades):
            counts[scale.index(grade)] += count
    return sorted(people.values(), key=lambda given: (given.name, given.who))


def _add_repeats(collection: Collection, people: dict[int | None, Line]) -> None:
    again = Seat.objects.filter(collection=collection, occasion__gt=0, judged_at__isnull=False).order_by()
    for person, count in again.values_list("assessor").annotate(Count("pk")):
        people.setdefault(person, Line("")).repeats = count


def _add_names(people: dict[int | None, Line]) -> None:
    for user in User.objects.filter(pk__in=[pk for pk in people if pk]):
        people[user.pk].name, people[user.pk].who = user.name, user.username
        people[user.pk].detail = "machine" if user.is_machine else ""
    if None in people:
        people[None].name = "Not taken yet"


def _add_seconds(collection: Collection, topics: dict[int, Line], people: dict[int | None, Line], total: Line) -> None:
    events = JudgmentEvent.objects.filter(
        judgment__item__pool__collection=collection,
        judgment__assessor__is_machine=False,
        answer=Answer.GRADE,
        seconds__isnull=False,
    ).order_by()
    columns = events.values_list("judgment__item__topic_id", "judgment__assessor_id", "seconds")
    found = list(columns.iterator(chunk_size=20_000))
    if not found:
        return
    topic, person, seconds = (np.array(column) for column in zip(*found, strict=True))
    total.seconds = float(np.median(seconds))
    for lines, key in ((topics, topic), (people, person)):
        order = np.argsort(key, kind="stable")
        values, starts = np.unique(key[order], return_index=True)
        for value, part in zip(values.tolist(), np.split(seconds[order], starts[1:]), strict=True):
            if value in lines:
                lines[value].seconds = float(np.median(part))


# How it goes


@dataclass(frozen=True)
class Watched:
    """Beside the counts: forecast, grades, depths, what is unusual, repeats and machines."""

    forecast: watch.Forecast
    depths: list[watch.Depth]
    beyond: "Beyond"
    assessors: list["Given"]
    consistency: list["Consistency"]
    machines: list["Layer"]
    questions: int


@dataclass(frozen=True)
class Given:
    """The grades an assessor gave, in the scale's order, and what is unusual about them."""

    name: str
    who: str
    grades: list[int]
    flags: list[str]
    scale: list[int]

    @property
    def by_grade(self) -> list[tuple[int, int]]:
        return list(zip(self.scale, self.grades, strict=True))


def watched(collection: Collection, found: Progress) -> Watched:
    week = timezone.now() - timedelta(days=7)
    counted = selectors.judgments(collection)
    first = counted.exclude(item__pool__strategy=IMPORTED).order_by("first_at").values_list("first_at", flat=True).first()
    days = min(7.0, max(1.0, (timezone.now() - first).total_seconds() / 86_400)) if first else 7.0
    recent = counted.filter(first_at__gte=week).exclude(item__pool__strategy=IMPORTED).count()
    return Watched(
        watch.forecast(found.total.left, found.total.seconds, recent, days),
        *by_rank(collection, counted),
        _flagged(found),
        consistency(collection),
        machine_layers(collection),
        questions(collection),
    )


@dataclass(frozen=True)
class Beyond:
    """What no run has: found by searching, by a classifier, or brought with imported judgments. It is of no depth."""

    items: int
    judged: int
    relevant: int


def by_rank(collection: Collection, counted: QuerySet[Judgment]) -> tuple[list[watch.Depth], Beyond]:
    """Relevant documents found so far by depth of the pool: relevant is what anybody judged so. What no run has apart."""
    pool = PoolItem.objects.filter(pool__collection=collection, pool__drawn_at__isnull=False).order_by()
    items = dict(pool.values_list("best_rank").annotate(Count("pk")))
    is_relevant = Q(grade__gte=collection.lenient_from)
    judged, relevant = Count("item", distinct=True), Count("item", distinct=True, filter=is_relevant)
    found = counted.order_by().values("item__best_rank").annotate(judged=judged, relevant=relevant)
    said = {row["item__best_rank"]: (row["judged"], row["relevant"]) for row in found}
    rows = [(rank, items[rank], *said.get(rank, (0, 0))) for rank in sorted(items) if rank]
    columns = np.array(rows, np.int64).reshape(-1, 4).T
    return watch.found_by_depth(*columns), Beyond(items.get(0, 0), *said.get(0, (0, 0)))


def _flagged(found: Progress) -> list[Given]:
    """The grades of each assessor, with what is unlike the others."""
    medians = {line.who: line.seconds for line in found.assessors if line.seconds is not None}
    grades = {given.who: dict(given.by_grade) for given in found.given}
    flags = watch.unlike_the_others(medians, grades)
    return [replace(given, flags=flags.get(given.who, [])) for given in found.given]


@dataclass(frozen=True)
class Consistency:
    """How often somebody gave the same grade again, of what came back to them unsaid."""

    name: str
    who: str
    repeats: int
    same: int


def consistency(collection: Collection) -> list[Consistency]:
    same = {"item": OuterRef("item"), "assessor": OuterRef("assessor"), "occasion": 0, "answer": Answer.GRADE}
    first = Judgment.objects.filter(**same).values("grade")[:1]
    again = Judgment.objects.filter(item__pool__collection=collection, occasion=1, answer=Answer.GRADE)
    rows = (
        again.annotate(first=Subquery(first))
        .filter(first__isnull=False)
        .order_by()
        .values("assessor__name", "assessor__username")
    )
    counted = rows.annotate(repeats=Count("pk"), same=Count("pk", filter=Q(grade=F("first")))).order_by("assessor__name")
    return [Consistency(row["assessor__name"], row["assessor__username"], row["repeats"], row["same"]) for row in counted]


@dataclass(frozen=True)
class Layer:
    """What a machine has judged; `invalid` answers are no grades."""

    name: str
    who: str
    done: int
    invalid: int


def machine_layers(collection: Collection) -> list[Layer]:
    heads = Judgment.objects.filter(item__pool__collection=collection, assessor__is_machine=True, occasion=0).order_by()
    rows = heads.values("assessor").annotate(
        done=Count("pk", filter=Q(answer=Answer.GRADE)), invalid=Count("pk", filter=Q(answer=Answer.INVALID))
    )
    counts = {row["assessor"]: (row["done"], row["invalid"]) for row in rows}
    return [Layer(user.name, user.username, *counts.get(user.pk, (0, 0))) for user in selectors.machines(collection)]


# Questions


@dataclass(frozen=True)
class Thread:
    """An assessor's questions about a document, and the answers. `number` names it."""

    number: int
    topic: str
    docno: str
    asked_by: str
    lines: list[Message]
    open: bool


def questions(collection: Collection) -> int:
    """Threads that wait for an answer."""
    waiting = Message.objects.filter(item__topic__collection=collection, author=F("assessor"), done_at=None).order_by()
    return waiting.values("item", "assessor").distinct().count()


def inbox(collection: Collection) -> list[Thread]:
    """Threads, open ones first, the longest waiting before the others; then the answered ones, newest first."""
    found: dict[tuple[int, int], list[Message]] = {}
    rows = Message.objects.filter(item__topic__collection=collection).select_related("item__topic", "assessor", "author")
    for row in rows:
        found.setdefault((row.item_id, row.assessor_id), []).append(row)
    threads = [
        Thread(
            lines[0].pk,
            lines[0].item.topic.number,
            lines[0].item.docno,
            lines[0].assessor.name,
            lines,
            any(line.author_id == line.assessor_id and line.done_at is None for line in lines),
        )
        for lines in found.values()
    ]
    waiting = sorted((thread for thread in threads if thread.open), key=lambda thread: thread.lines[-1].at)
    return waiting + sorted((t for t in threads if not t.open), key=lambda thread: thread.lines[-1].at, reverse=True)


# Hours


HOURS = ("user", "name", "day", "acts", "seconds")


def hours(collection: Collection) -> list[dict[str, Any]]:
    """Active seconds of each assessor on each day (of the site's time zone), as their browsers counted them."""
    acts = JudgmentEvent.objects.filter(judgment__item__pool__collection=collection, judgment__assessor__is_machine=False)
    by_day = (
        acts.annotate(day=TruncDate("at")).order_by().values("judgment__assessor__username", "judgment__assessor__name", "day")
    )
    rows = by_day.annotate(acts=Count("pk"), seconds=Coalesce(Sum("seconds"), 0.0)).order_by(
        "judgment__assessor__username", "day"
    )
    return [
        {
            "user": row["judgment__assessor__username"],
            "name": row["judgment__assessor__name"],
            "day": row["day"].isoformat(),
            "acts": row["acts"],
            "seconds": round(row["seconds"], 1),
        }
        for row in rows
    ]
