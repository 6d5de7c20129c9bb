"""Adaptive rounds while they are judged: after each judgment the strategy is told, and picks what comes next."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db import IntegrityError, transaction
from django.db.models import Case, Count, Exists, IntegerField, JSONField, Max, Min, OuterRef, Q, QuerySet, Subquery, When
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, Coalesce, JSONObject

from assess import selectors
from assess.models import ANSWERED, Answer, Assignment, AssignmentPlan, Judgment, JudgmentEvent, Seat
from assess.services import placing
from config.models import User
from config.statements import statement
from pooling import adaptives
from pooling.adaptives import Said
from pooling.core.strategies import STRATEGIES
from pooling.models import Collection, Pick, Pool, PoolItem, TopicStop
from pooling.services import picking

ADAPTIVE = [name for name, one in STRATEGIES.items() if one.kind == "adaptive"]


@dataclass(frozen=True)
class Added:
    """How many items were picked, and whose they are: one assessor's, or None's alone."""

    count: int = 0
    owner: int | None = None


def advance(collection: Collection, *, pool: int, topic: int) -> Added:
    """See to it that enough of a topic is picked, and seated.

    Everything is read by one query; the choice is worked out without any lock; what is added is one statement. If another
    did the same meanwhile, the numbers are taken, and nothing is added.
    """
    rows = _state(pool=pool, topic=topic)
    mine = sorted((row for row in rows if row.pool_id == pool), key=lambda row: row.pick__number)
    facts = mine[0].facts
    found = adaptives.view_at(pool, topic, facts["stamp"])
    waiting = tuple(row.pick__number for row in mine if row.answer not in ANSWERED)
    wanted = int(found.pool.parameters["ahead"]) * max(facts["people"], 1) - len(waiting)
    if wanted <= 0 or facts["stopped"]:
        return Added()
    said = [Said(row.docno, row.pick__run_id, _outcome(collection, row.answer, row.grade)) for row in mine]
    others = [row.docno for row in rows if row.pool_id != pool]
    picks = adaptives.next_picks(found, said, _elsewhere(collection, found), others, wanted)
    known = adaptives.Known(found.key, len(mine), facts["newest"] or 0, waiting)
    try:
        return _add(collection, found, picks, known, facts) if picks else Added()
    except IntegrityError:
        return Added()


def _add(
    collection: Collection, found: adaptives.View, picks: list[adaptives.Picked], known: adaptives.Known, facts: dict[str, Any]
) -> Added:
    plan = facts["plan"]
    if plan and plan["overlap"] > 0:  # further opinions go by the numbers of the items, which they get first
        with transaction.atomic():
            seat(collection, picking.add(found, picks, known))
        return Added(len(picks))
    who, many = ("anybody", "all") if plan and plan["by_item"] else ("first", "people")
    place = None if plan is None or not facts[many] else (facts["place"] or 0)
    owner = facts[who] if facts[many] == 1 else None
    return Added(placing.place(collection, found, picks, known, place, owner), owner)


def fill(collection: Collection, *, assessor: User) -> None:
    """The same for all topics of somebody's, where a process died between a judgment and the next pick."""
    for row in _stale(collection=collection, assessor=assessor):
        advance(collection, pool=row.pool, topic=row.topic)


@statement
def _stale(collection: Any, assessor: Any) -> QuerySet[Pick, Any]:
    """Rounds and topics of somebody's in which nothing that was picked is open, though there is more to pick."""
    mine = Assignment.objects.filter(assessor=assessor, topic=OuterRef("topic"))
    rounds = Pick.objects.filter(Exists(mine), pool__collection=collection, pool__drawn_at__isnull=False).order_by()
    answered = Judgment.objects.filter(item=OuterRef("item"), occasion=0, answer__in=ANSWERED)
    open_ = Count("pk", filter=~Q(Exists(answered)))
    stopped = Exists(TopicStop.objects.filter(pool=OuterRef("pool"), topic=OuterRef("topic")))
    budget = Cast(KeyTextTransform("budget", "pool__parameters"), IntegerField())
    counts = rounds.filter(~stopped).values("pool", "topic").annotate(open=open_, left=Max(budget) - Count("pk"))
    return counts.filter(open=0, left__gt=0).values_list("pool", "topic")


def first_said(item: str = "item") -> QuerySet[Judgment]:
    """Of an item what was said of it first, and counts; machines are not asked."""
    found = Judgment.objects.filter(item=OuterRef(item), occasion=0, extra=False, assessor__is_machine=False)
    return found.order_by("pk")


@statement
def _state(pool: Any, topic: Any) -> QuerySet[PoolItem, Any]:
    """The items of a topic: of the round with what was said of each first, and with its first one all else that counts."""
    own = Q(pool=pool)
    answer, grade = (Case(When(own, then=Subquery(first_said("pk").values(name)[:1]))) for name in ("answer", "grade"))
    facts = Case(When(own & Q(pick__number=1), then=Subquery(_facts(pool, topic), output_field=JSONField())))
    found = PoolItem.objects.filter(topic=topic).order_by().annotate(answer=answer, grade=grade, facts=facts)
    return found.values_list("docno", "pool_id", "pick__number", "pick__run_id", "answer", "grade", "facts")


def _facts(pool: Any, topic: Any) -> QuerySet[Pool, Any]:
    plan = AssignmentPlan.objects.filter(collection__pools=pool).values(f=JSONObject(overlap="overlap", by_item="by_item"))
    people = Assignment.objects.filter(topic=topic).order_by().values("topic")
    seats = Seat.objects.filter(topic=topic, slot=1).order_by().values("slot")
    facts = {
        "stamp": Subquery(adaptives.stamp(pool, topic), output_field=JSONField()),
        "stopped": Exists(TopicStop.objects.filter(pool=pool, topic=topic)),
        "newest": Subquery(JudgmentEvent.objects.order_by("-pk").values("pk")[:1]),
        "plan": Subquery(plan, output_field=JSONField()),
        "people": Coalesce(Subquery(people.filter(slot=1).annotate(n=Count("pk")).values("n")), 0),
        "first": Subquery(people.filter(slot=1).annotate(n=Min("assessor")).values("n")),
        "all": Coalesce(Subquery(people.annotate(n=Count("assessor", distinct=True)).values("n")), 0),
        "anybody": Subquery(people.annotate(n=Min("assessor")).values("n")),
        "place": Subquery(seats.annotate(n=Max("position")).values("n")),
    }
    return Pool.objects.filter(pk=pool).order_by().values(f=JSONObject(**facts))


def _outcome(collection: Collection, answer: str | None, grade: int | None) -> int:
    if answer != Answer.GRADE or grade is None:
        return -1
    return int(grade >= collection.lenient_from)


def _elsewhere(collection: Collection, found: adaptives.View) -> dict[int, int]:
    """For strategies that mind: of each run, how often it gave something not relevant in other topics of the round."""
    if found.pool.parameters.get("scope") != "global":
        return {}
    answer, grade = (Subquery(first_said().values(name)[:1]) for name in ("answer", "grade"))
    picks = Pick.objects.filter(pool=found.pool, run__isnull=False).exclude(topic=found.topic).order_by()
    missed = (
        picks.annotate(answer=answer, grade=grade).filter(answer=Answer.GRADE, grade__lt=collection.lenient_from).values("run")
    )
    return {row["run"]: row["n"] for row in missed.annotate(n=Count("pk"))}


@transaction.atomic
def seat(collection: Collection, items: list[PoolItem]) -> None:
    """Seats behind those that the topic has, for its one assessor or for whoever of several comes first; a share of the
    items gets further opinions, drawn item by item, since nobody knows how many there will be."""
    plan = selectors.plan(collection)
    if plan is None:
        return
    people: dict[int, list[int]] = {}
    for slot, user in Assignment.objects.filter(topic=items[0].topic_id).values_list("slot", "assessor_id"):
        people.setdefault(slot, []).append(user)
    for item in items:
        for slot in further(plan, item.pk):
            if slot in people or plan.by_item:
                Seat.objects.bulk_create([_new_seat(collection, plan, item, slot, people)], ignore_conflicts=True)


def further(plan: AssignmentPlan, item: int) -> list[int]:
    """Which opinions an item of an adaptive round gets: by one number of its own, the same at every asking."""
    chance = float(np.random.default_rng([plan.seed, item, 2]).random())
    return [1, *([2] if chance < plan.overlap else []), *([3] if chance < plan.third else [])]


def _new_seat(collection: Collection, plan: AssignmentPlan, item: PoolItem, slot: int, people: dict[int, list[int]]) -> Seat:
    group = sorted({user for users in people.values() for user in users}) if plan.by_item else people[slot]
    owner = group[0] if len(group) == 1 else None
    last = Seat.objects.filter(topic=item.topic_id, slot=slot).order_by("-position")
    share = {1: 1.0, 2: plan.overlap, 3: plan.third}[slot]
    place = last.values_list("position", flat=True).first() or 0
    told = {"slot": slot, "assessor_id": owner, "position": place, "inclusion": share}
    return Seat(collection=collection, topic_id=item.topic_id, item=item, **told)
