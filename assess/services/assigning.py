"""Who judges what: assignments by hand or balanced, and a seat for every opinion that is wanted."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from django.db import transaction
from django.utils import timezone

from assess import selectors
from assess.core.balance import balance
from assess.models import Assignment, AssignmentPlan, Order
from assess.services import seating
from config import expected
from config.errors import Conflict, Refusal
from config.models import User
from pooling.models import Collection, Topic
from pooling.services.collections import require_not_archived
from pooling.services.work import ROWS, Work

MOST_SEED = 2**31 - 1


@dataclass(frozen=True)
class Wanted:
    """Who shall judge a topic. Several in one slot share it: each item goes to whoever comes first."""

    topic: Topic
    first: Sequence[User] = ()
    second: Sequence[User] = ()
    third: Sequence[User] = ()

    @property
    def groups(self) -> tuple[tuple[int, Sequence[User]], ...]:
        return (1, self.first), (2, self.second), (3, self.third)


@dataclass(frozen=True)
class Rules:
    """What else all of a collection's assignments have in common; what is None stays as it is."""

    third: float | None = None
    order: str | None = None
    repeats: float | None = None
    by_item: bool | None = None
    count_machines: bool | None = None

    @property
    def given(self) -> dict[str, object]:
        return {name: value for name, value in vars(self).items() if value is not None}


AS_IT_IS = Rules()


def assign(
    collection: Collection,
    *,
    by: User,
    wanted: Sequence[Wanted],
    overlap: float,
    seed: int | None = None,
    rules: Rules = AS_IT_IS,
    work: Work | None = None,
) -> seating.Seating:
    """Set who judges the named topics, and seat them. Other topics stay; judged seats stay whatever happens.

    With `work` (a command) the seats are made at once, in chunks; else at once if they are few, or by a job.
    """
    with transaction.atomic():
        plan = _lock(collection, by=by, overlap=overlap, seed=seed, rules=rules)
        _check(collection, wanted, plan)
        _write(by, wanted)
        if work is None:
            return seating.seat_or_intend(collection, plan, by, len(wanted))
    done = seating.seat_items(collection, work)
    return seating.Seating(len(wanted), done.made, done.moved, done.removed)


def auto_assign(
    collection: Collection,
    *,
    by: User,
    assessors: Sequence[User] | None = None,
    overlap: float = 0.0,
    seed: int | None = None,
    everything: bool = False,
    rules: Rules = AS_IT_IS,
    work: Work | None = None,
) -> seating.Seating:
    """Share the topics out so that everybody has about as many items for their weight, and none more than their cap.
    Only topics without an assessor, or `everything`. Item by item, everybody gets every topic."""
    people = sorted(selectors.assessors(collection) if assessors is None else set(assessors), key=lambda user: user.pk)
    if not people:
        raise Conflict("There is no assessor yet: invite one first." if assessors is None else "Choose at least one assessor.")
    plan = selectors.plan(collection)
    by_item = rules.by_item if rules.by_item is not None else bool(plan and plan.by_item)
    third = rules.third if rules.third is not None else plan.third if plan else 0.0
    wanted_of_each = 1 + (overlap > 0) + (third > 0)
    if len(people) < wanted_of_each:
        word, number = ("third", "three") if wanted_of_each == 3 else ("second", "two")
        raise Refusal(f"A {word} opinion needs a {word} assessor: choose {number} at least, or a share of 0.")
    lines = selectors.topic_plans(collection)
    plans = [line for line in lines if everything or not line.first]
    if not plans:
        raise Conflict("Every topic has its assessor already.")
    if not any(line.items for line in plans):
        raise Conflict("There is nothing to judge yet: draw a pool first.")
    chosen = _seed(plan, seed)
    if by_item:
        wanted = [Wanted(line.topic, people) for line in plans]
    else:
        fixed = [] if everything else [line for line in lines if line.first]
        wanted = _balanced(collection, people, plans, fixed, (1.0, overlap, third), np.random.default_rng([chosen, 0]))
    return assign(collection, by=by, wanted=wanted, overlap=overlap, seed=chosen, rules=rules, work=work)


def _balanced(
    collection: Collection,
    people: Sequence[User],
    plans: Sequence[selectors.TopicPlan],
    fixed: Sequence[selectors.TopicPlan],
    shares: Sequence[float],
    generator: np.random.Generator,
) -> list[Wanted]:
    loads = {user.pk: 0.0 for user in people}
    for line in fixed:
        for group, share in zip((line.first, line.second, line.third), shares, strict=True):
            for user in group:
                if user.pk in loads:
                    loads[user.pk] += share * line.items / len(group)
    sizes = np.array([line.items for line in plans], np.int64)
    start = np.array([round(loads[user.pk]) for user in people], np.int64)
    able = selectors.workloads(collection)
    weights = np.array([able[user.pk].weight if user.pk in able else 1.0 for user in people])
    caps = [able[user.pk].cap if user.pk in able else None for user in people]
    limits = np.array([np.inf if cap is None else cap for cap in caps])
    found = balance(sizes, start, shares, generator, weights=weights, caps=limits)
    if not (found[0] >= 0).any():
        raise Conflict("Nobody may take another topic: every cap is reached. Raise one, or invite more assessors.")
    groups = [[[people[place]] if place >= 0 else [] for place in row] for row in found.tolist()]
    return [Wanted(line.topic, *told) for line, *told in zip(plans, *groups, strict=True) if told[0]]


@transaction.atomic
def seat_new_items(collection: Collection, *, by: User) -> seating.Seating:
    """Seats for what later rounds, or documents that came later, have added to assigned topics."""
    _open(collection)
    plan = selectors.plan(collection)
    if plan is None:
        raise Conflict("No topic is assigned yet.")
    return seating.seat_or_intend(collection, plan, by, 0)


# Assignments


def _open(collection: Collection) -> Collection:
    locked = Collection.objects.select_for_update().get(pk=collection.pk)
    require_not_archived(locked)
    return locked


def _seed(plan: AssignmentPlan | None, seed: int | None) -> int:
    if seed is not None:
        expected.require_between("seed", seed, 0, MOST_SEED)
        return seed
    return plan.seed if plan else secrets.randbelow(MOST_SEED)


def _lock(collection: Collection, *, by: User, overlap: float, seed: int | None, rules: Rules) -> AssignmentPlan:
    _open(collection)
    plan = selectors.plan(collection)
    third = rules.third if rules.third is not None else min(plan.third, overlap) if plan else 0.0
    for name, share in (("overlap", overlap), ("share of third opinions", third), ("share of repeats", rules.repeats or 0.0)):
        if not 0 <= share <= 1:
            raise Refusal(f"The {name} is a share from 0 to 1 (0 to 100 %); found {share:g}.")
    if third > overlap:
        raise Refusal(f"A third opinion needs a second one: expected a share of at most {overlap:g}, found {third:g}.")
    if rules.third and (people := len(selectors.assessors(collection))) < 3:
        raise Refusal(f"A third opinion needs a third assessor: this collection has {people}. Invite one, or set 0 %.")
    if rules.order is not None:
        expected.require_one_of("order", rules.order, Order.values)
    values = {"overlap": overlap, "seed": _seed(plan, seed), "changed_by": by, "changed_at": timezone.now()}
    values |= {**rules.given, "third": third}
    return AssignmentPlan.objects.update_or_create(collection=collection, defaults=values)[0]


def _check(collection: Collection, wanted: Sequence[Wanted], plan: AssignmentPlan) -> None:
    able = {user.pk for user in selectors.assessors(collection)}
    for line in wanted:
        number = line.topic.number
        if line.topic.collection_id != collection.pk:
            raise Refusal(f"Topic {number} is not of this collection.")
        named = [user for _, group in line.groups for user in group]
        if twice := next((user.name for user in named if named.count(user) > 1), None):
            raise Refusal(f"Topic {number}: {twice} cannot give the second opinion on their own judgments.")
        if line.second and not line.first:
            raise Refusal(f"Topic {number}: a second opinion needs a first one; choose a first assessor.")
        if line.third and not line.second:
            raise Refusal(f"Topic {number}: a third opinion needs a second one; choose a second assessor.")
        if line.second and not plan.overlap:
            raise Refusal(f"Topic {number} has a second assessor, but the overlap is 0 %: set how much two judge.")
        if line.third and not plan.third:
            raise Refusal(f"Topic {number} has a third assessor, but nothing gets a third opinion: set how much.")
        for user in named:
            if user.pk not in able:
                raise Refusal(f"Topic {number}: {user.name} is not an assessor of this collection.")


def _write(by: User, wanted: Sequence[Wanted]) -> None:
    """Only what differs is written, so that an assignment keeps its date."""
    want = {(line.topic.pk, user.pk, slot) for line in wanted for slot, group in line.groups for user in group}
    old = Assignment.objects.filter(topic__in=[line.topic.pk for line in wanted])
    have = {(row.topic_id, row.assessor_id, row.slot): row.pk for row in old}
    Assignment.objects.filter(pk__in=[pk for key, pk in have.items() if key not in want]).delete()
    fresh = sorted(want - have.keys())
    rows = [Assignment(topic_id=topic, assessor_id=user, slot=slot, assigned_by=by) for topic, user, slot in fresh]
    Assignment.objects.bulk_create(rows, batch_size=ROWS)
