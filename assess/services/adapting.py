"""Adaptive rounds while they are judged: after each judgment the strategy is told, and picks what comes next."""

from typing import Any

import numpy as np
from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery

from assess import selectors
from assess.models import ANSWERED, Answer, Assignment, AssignmentPlan, Judgment, Seat
from config.models import User
from config.statements import statement
from pooling.adaptives import Said
from pooling.core.strategies import STRATEGIES
from pooling.models import Collection, Pick, Pool, PoolItem, Topic
from pooling.services import picking

ADAPTIVE = [name for name, one in STRATEGIES.items() if one.kind == "adaptive"]


def advance(collection: Collection, *, pool: int, topic: int) -> int:
    """See to it that enough of a topic is picked, and seated; how many were added."""
    round_ = Pool.objects.select_related("collection").get(pk=pool)
    rows = _picks(pool=pool, topic=topic)
    waiting = sum(row.answer not in ANSWERED for row in rows)
    people = Assignment.objects.filter(topic=topic, slot=1).count()
    wanted = int(round_.parameters["ahead"]) * max(people, 1) - waiting
    if wanted <= 0:
        return 0
    said = [Said(row.item__docno, row.run_id, _outcome(collection, row.answer, row.grade)) for row in rows]
    where = Topic.objects.get(pk=topic)
    items = picking.extend(round_, where, said=said, elsewhere=_elsewhere(round_, where), count=wanted)
    if items:
        seat(collection, items)
    return len(items)


def fill(collection: Collection, *, assessor: User) -> None:
    """The same for all topics of somebody's, where a process died between a judgment and the next pick."""
    for row in _stale(collection=collection, assessor=assessor):
        advance(collection, pool=row.pool, topic=row.topic)


@statement
def _stale(collection: Any, assessor: Any) -> QuerySet[Pick, Any]:
    """Rounds and topics of somebody's in which nothing that was picked is open."""
    mine = Assignment.objects.filter(assessor=assessor, topic=OuterRef("topic"))
    rounds = Pick.objects.filter(Exists(mine), pool__collection=collection, pool__drawn_at__isnull=False).order_by()
    answered = Judgment.objects.filter(item=OuterRef("item"), occasion=0, answer__in=ANSWERED)
    open_ = Count("pk", filter=~Q(Exists(answered)))
    return rounds.values("pool", "topic").annotate(open=open_).filter(open=0).values_list("pool", "topic")


def first_said() -> QuerySet[Judgment]:
    """Of an item what was said of it first, and counts; machines are not asked."""
    found = Judgment.objects.filter(item=OuterRef("item"), occasion=0, extra=False, assessor__is_machine=False)
    return found.order_by("pk")


@statement
def _picks(pool: Any, topic: Any) -> QuerySet[Pick, Any]:
    """In their order, with what was said of each first."""
    answer, grade = (Subquery(first_said().values(name)[:1]) for name in ("answer", "grade"))
    found = Pick.objects.filter(pool=pool, topic=topic).order_by("number").annotate(answer=answer, grade=grade)
    return found.values_list("item__docno", "run_id", "answer", "grade")


def _outcome(collection: Collection, answer: str | None, grade: int | None) -> int:
    if answer != Answer.GRADE or grade is None:
        return -1
    return int(grade >= collection.lenient_from)


def _elsewhere(pool: Pool, topic: Topic) -> dict[int, int]:
    """For strategies that mind: of each run, how often it gave something not relevant in other topics of the round."""
    if pool.parameters.get("scope") != "global":
        return {}
    grade = Subquery(first_said().filter(answer=Answer.GRADE).values("grade")[:1])
    picks = Pick.objects.filter(pool=pool, run__isnull=False).exclude(topic=topic).annotate(grade=grade)
    missed = picks.filter(grade__lt=pool.collection.lenient_from).order_by().values("run")
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
    last = Seat.objects.filter(collection=collection, item__topic=item.topic_id, slot=slot).order_by("-position")
    share = {1: 1.0, 2: plan.overlap, 3: plan.third}[slot]
    place = last.values_list("position", flat=True).first() or 0
    return Seat(collection=collection, item=item, slot=slot, assessor_id=owner, position=place, inclusion=share)
