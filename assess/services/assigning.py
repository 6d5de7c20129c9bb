"""Who judges what: assignments by hand or balanced, and a seat for every opinion that is wanted."""

import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeVar

import numpy as np
from django.db import connection, transaction
from django.utils import timezone
from numpy.typing import NDArray

from assess import blind, selectors
from assess.core import ordering
from assess.core.balance import balance
from assess.models import Assignment, AssignmentPlan, Seat
from config import jobs
from config.errors import Conflict, Refusal
from config.models import Job, User
from pooling import selectors as pooled
from pooling.models import Collection, PoolItem, Topic
from pooling.services.work import ROWS, Work, pause, tell_planner

T = TypeVar("T")
MOST_SEED = 2**31 - 1
ROUNDS = 5


@dataclass(frozen=True)
class Wanted:
    """Who shall judge a topic. Several in one slot share it: each item goes to whoever comes first."""

    topic: Topic
    first: Sequence[User] = ()
    second: Sequence[User] = ()


@dataclass(frozen=True)
class Seating:
    """What was done to the seats; with a `job`, nothing yet."""

    topics: int
    made: int
    moved: int
    removed: int
    job: Job | None = None

    def plus(self, change: "Change") -> "Seating":
        made, moved, removed = len(change.make), len(change.free), len(change.remove)
        return replace(self, made=self.made + made, moved=self.moved + moved, removed=self.removed + removed)

    @property
    def words(self) -> str:
        told = [f"{count:,} {word}" for count, word in self._counts if count]
        return ", ".join(told) or "no seat changed"

    @property
    def _counts(self) -> tuple[tuple[int, str], ...]:
        return (self.made, "new"), (self.moved, "moved"), (self.removed, "removed")


def assign(
    collection: Collection,
    *,
    by: User,
    wanted: Sequence[Wanted],
    overlap: float,
    seed: int | None = None,
    work: Work | None = None,
) -> Seating:
    """Set who judges the named topics, and seat them. Other topics stay; judged seats stay whatever happens.

    With `work` (a command) the seats are made at once, in chunks; else at once if they are few, or by a job.
    """
    with transaction.atomic():
        plan = _lock(collection, by=by, overlap=overlap, seed=seed)
        _check(collection, wanted, overlap)
        _write(by, wanted)
        if work is None:
            return _seat_or_intend(collection, plan, by, len(wanted))
    done = seat_items(collection, work)
    return Seating(len(wanted), done.made, done.moved, done.removed)


def auto_assign(
    collection: Collection,
    *,
    by: User,
    assessors: Sequence[User] | None = None,
    overlap: float = 0.0,
    seed: int | None = None,
    everything: bool = False,
    work: Work | None = None,
) -> Seating:
    """Share the topics out so that everybody has about as many items. Only topics without an assessor, or `everything`."""
    people = sorted(selectors.assessors(collection) if assessors is None else set(assessors), key=lambda user: user.pk)
    if not people:
        raise Conflict("There is no assessor yet: invite one first." if assessors is None else "Choose at least one assessor.")
    if overlap > 0 and len(people) < 2:
        raise Refusal("A second opinion needs a second assessor: choose two at least, or an overlap of 0.")
    lines = selectors.topic_plans(collection)
    plans = [line for line in lines if everything or not line.first]
    if not plans:
        raise Conflict("Every topic has its assessor already.")
    if not any(line.items for line in plans):
        raise Conflict("There is nothing to judge yet: draw a pool first.")
    chosen = _seed(selectors.plan(collection), seed)
    fixed = [] if everything else [line for line in lines if line.first]
    loads = {user.pk: 0.0 for user in people}
    for line in fixed:
        for group, share in ((line.first, 1.0), (line.second, overlap)):
            for user in group:
                if user.pk in loads:
                    loads[user.pk] += share * line.items / len(group)
    sizes = np.array([line.items for line in plans], np.int64)
    start = np.array([round(loads[user.pk]) for user in people], np.int64)
    first, second = balance(sizes, start, overlap, np.random.default_rng([chosen, 0]))
    wanted = [
        Wanted(line.topic, [people[one]], [people[two]] if two >= 0 else [])
        for line, one, two in zip(plans, first.tolist(), second.tolist(), strict=True)
    ]
    return assign(collection, by=by, wanted=wanted, overlap=overlap, seed=chosen, work=work)


@transaction.atomic
def seat_new_items(collection: Collection, *, by: User) -> Seating:
    """Seats for what later rounds, or documents that came later, have added to assigned topics."""
    _open(collection)
    plan = selectors.plan(collection)
    if plan is None:
        raise Conflict("No topic is assigned yet.")
    return _seat_or_intend(collection, plan, by, 0)


def seat_items(collection: Collection, work: Work) -> Seating:
    """Bring the seats in line with the assignments, chunk by chunk. Killed half way, the next time does the rest."""
    plan = selectors.plan(collection)
    if plan is None:
        raise Conflict("No topic is assigned yet.")
    total = Seating(0, 0, 0, 0)
    for _ in range(ROUNDS):  # what was judged or claimed between two chunks changes what is wanted
        change = _difference(collection, plan)
        if not change.size:
            break
        _apply_in_chunks(collection, change, work)
        total = total.plus(change)
    tell_planner(Seat)
    with work.finish(f"Seats: {total.words}"):
        pass
    return total


def _apply_in_chunks(collection: Collection, change: "Change", work: Work) -> None:
    done = 0
    for part in change.chunks():
        work.progress(done, change.size, f"{change.size:,} seats")
        with transaction.atomic():
            Collection.objects.select_for_update().get(pk=collection.pk)  # alone: whoever judges holds it (see judging)
            part.apply()
        done += part.size
        pause()


# Assignments


def _open(collection: Collection) -> Collection:
    locked = Collection.objects.select_for_update().get(pk=collection.pk)
    if locked.is_archived:
        raise Conflict("This collection is archived; restore it first.")
    return locked


def _seed(plan: AssignmentPlan | None, seed: int | None) -> int:
    if seed is not None and not 0 <= seed <= MOST_SEED:
        raise Refusal(f"A seed is a whole number from 0 to {MOST_SEED}; found {seed}.")
    if seed is not None:
        return seed
    return plan.seed if plan else secrets.randbelow(MOST_SEED)


def _lock(collection: Collection, *, by: User, overlap: float, seed: int | None) -> AssignmentPlan:
    _open(collection)
    if not 0 <= overlap <= 1:
        raise Refusal(f"The overlap is a share from 0 to 1 (0 to 100 %); found {overlap:g}.")
    plan = selectors.plan(collection)
    values = {"overlap": overlap, "seed": _seed(plan, seed), "changed_by": by, "changed_at": timezone.now()}
    return AssignmentPlan.objects.update_or_create(collection=collection, defaults=values)[0]


def _check(collection: Collection, wanted: Sequence[Wanted], overlap: float) -> None:
    able = {user.pk for user in selectors.assessors(collection)}
    for line in wanted:
        number = line.topic.number
        if line.topic.collection_id != collection.pk:
            raise Refusal(f"Topic {number} is not of this collection.")
        if both := {user.pk for user in line.first} & {user.pk for user in line.second}:
            name = next(user.name for user in line.first if user.pk in both)
            raise Refusal(f"Topic {number}: {name} cannot give the second opinion on their own judgments.")
        if line.second and not line.first:
            raise Refusal(f"Topic {number}: a second opinion needs a first one; choose a first assessor.")
        if line.second and not overlap:
            raise Refusal(f"Topic {number} has a second assessor, but the overlap is 0 %: set how much two judge.")
        for user in (*line.first, *line.second):
            if user.pk not in able:
                raise Refusal(f"Topic {number}: {user.name} is not an assessor of this collection.")


def _write(by: User, wanted: Sequence[Wanted]) -> None:
    """Only what differs is written, so that an assignment keeps its date."""
    want = {(line.topic.pk, user.pk, slot) for line in wanted for slot, group in _groups(line) for user in group}
    old = Assignment.objects.filter(topic__in=[line.topic.pk for line in wanted])
    have = {(row.topic_id, row.assessor_id, row.slot): row.pk for row in old}
    Assignment.objects.filter(pk__in=[pk for key, pk in have.items() if key not in want]).delete()
    fresh = sorted(want - have.keys())
    rows = [Assignment(topic_id=topic, assessor_id=user, slot=slot, assigned_by=by) for topic, user, slot in fresh]
    Assignment.objects.bulk_create(rows, batch_size=ROWS)


def _groups(line: Wanted) -> tuple[tuple[int, Sequence[User]], ...]:
    return (1, line.first), (2, line.second)


# Seats


def _seat_or_intend(collection: Collection, plan: AssignmentPlan, by: User, topics: int) -> Seating:
    """In the caller's transaction, which nobody judges beside: few items at once, many by a job whose intention is written here."""
    if PoolItem.objects.filter(pool__collection=collection).count() <= ROWS:
        change = _difference(collection, plan)
        change.apply()
        return Seating(topics, 0, 0, 0).plus(change)
    job = jobs.intend(
        "seat_items",
        title=f"Seats for the assessors of {collection.name}",
        args={"collection": collection.pk},
        started_by=by,
        collection_id=collection.pk,
    )
    return Seating(topics, 0, 0, 0, job)


# Nobody gets a second seat of an item: they may have judged or claimed another one a moment ago.
MOVE = """
UPDATE assess_seat SET assessor_id = %s, position = %s, inclusion = %s WHERE id = %s AND judged_at IS NULL AND NOT EXISTS (
    SELECT 1 FROM assess_seat other
    WHERE other.item_id = assess_seat.item_id AND other.assessor_id = %s AND other.id <> assess_seat.id
)
"""


@dataclass(frozen=True)
class Change:
    """What brings the seats in line with the assignments. Nothing here touches a judged seat."""

    make: list[Seat]
    move: list[tuple[int, int | None, int, float]]  # seat, assessor, position, inclusion
    free: list[int]  # those of `move` that change hands: emptied first, since two may swap
    remove: list[int]

    @property
    def size(self) -> int:
        return len(self.make) + len(self.move) + len(self.free) + len(self.remove)

    def chunks(self) -> Iterable["Change"]:
        """In the order that keeps every constraint: remove, empty, move, make."""
        yield from (Change([], [], [], part) for part in _parts(self.remove))
        yield from (Change([], [], part, []) for part in _parts(self.free))
        yield from (Change([], part, [], []) for part in _parts(self.move))
        yield from (Change(part, [], [], []) for part in _parts(self.make))

    def apply(self) -> None:
        """In a transaction of the caller's. What was judged or claimed since the comparison stays as it is."""
        Seat.objects.filter(pk__in=self.remove, judged_at=None).delete()
        Seat.objects.filter(pk__in=self.free, judged_at=None).update(assessor=None, claimed_at=None)
        if self.move:
            with connection.cursor() as cursor:
                cursor.executemany(MOVE, [(who, place, share, pk, who) for pk, who, place, share in self.move])
        Seat.objects.bulk_create(self.make, batch_size=ROWS, ignore_conflicts=True)


def _parts(rows: list[T]) -> Iterable[list[T]]:
    return (rows[start : start + ROWS] for start in range(0, len(rows), ROWS))


def _difference(collection: Collection, plan: AssignmentPlan) -> Change:
    """Compare the seats that are wanted with those that are there."""
    groups = _people(collection)
    items = _items(collection, plan, groups)
    places = _places(plan, groups, items)
    change = Change([], [], [], [])
    left = set(_seats_wanted(groups, items))
    rows = Seat.objects.filter(collection=collection)
    columns = rows.values_list("pk", "item_id", "slot", "assessor_id", "position", "inclusion", "claimed_at", "judged_at")
    seats = list(columns.iterator(chunk_size=20_000))
    judged: dict[int, set[int]] = {}
    for _, item, slot, assessor, *_, judged_at in seats:
        if judged_at is not None:
            judged.setdefault(item, set()).add(assessor)
            left.discard((item, slot))
    since = blind.lease_start()
    for pk, item, slot, assessor, position, inclusion, claimed_at, judged_at in seats:
        if judged_at is not None:
            continue
        able = _able(groups, items.topics.get(item, 0), slot, judged.get(item, set()))
        if (item, slot) not in left or not able:
            change.remove.append(pk)
        else:
            owner = _owner(able, assessor, claimed_at, since)
            place = places[owner if len(able) == 1 else 0].get(item, 0)
            if owner != assessor:
                change.free.append(pk)
            drawn = items.inclusion(item, slot)
            if (owner, place, drawn) != (assessor, position, inclusion):
                change.move.append((pk, owner, place, drawn))
        left.discard((item, slot))
    for item, slot in sorted(left):
        able = _able(groups, items.topics[item], slot, judged.get(item, set()))
        if able:
            owner = able[0] if len(able) == 1 else None
            seat = Seat(collection=collection, item_id=item, slot=slot, assessor_id=owner)
            seat.position, seat.inclusion = places[owner].get(item, 0), items.inclusion(item, slot)
            change.make.append(seat)
    return change


Groups = dict[tuple[int, int], list[int]]  # (topic, slot) -> assessors


@dataclass(frozen=True)
class _Items:
    """The items of assigned topics in a fixed order, so that what is drawn over them can be drawn again."""

    topics: dict[int, int]  # item -> topic, of those whose document is there
    places: dict[int, int]  # topic -> its place among the topics
    twice: dict[int, float]  # items that two shall judge, with the probability by which each was drawn

    def inclusion(self, item: int, slot: int) -> float:
        return self.twice.get(item, 1.0) if slot == 2 else 1.0


def _people(collection: Collection) -> Groups:
    groups: Groups = {}
    rows = Assignment.objects.filter(topic__collection=collection).order_by("assessor_id")
    for topic, slot, assessor in rows.values_list("topic_id", "slot", "assessor_id"):
        groups.setdefault((topic, slot), []).append(assessor)
    return groups


def _items(collection: Collection, plan: AssignmentPlan, groups: Groups) -> _Items:
    """The overlap is drawn round by round, over items whether their document is there or not: later ones change nothing."""
    places = {topic: place for place, topic in enumerate(pooled.topics(collection).values_list("pk", flat=True))}
    drawn = PoolItem.objects.filter(pool__collection=collection, pool__drawn_at__isnull=False)
    rows = drawn.values_list("pool__round", "topic_id", "docno", "pk", "best_rank").iterator(chunk_size=20_000)
    known = ((r, places[t], d.encode(), t, pk, best) for r, t, d, pk, best in rows if (t, 1) in groups)
    found = sorted(known, key=lambda row: row[:3])
    present = set(pooled.drawn_items(collection).values_list("pk", flat=True))
    twice: dict[int, float] = {}
    rounds = np.array([row[0] for row in found], np.int64)
    topics = np.array([row[3] for row in found], np.int64)
    numbers = np.array([row[4] for row in found], np.int64)
    ranks = np.array([row[5] for row in found], np.int64)
    second = np.isin(topics, [topic for topic, slot in groups if slot == 2])
    for number in np.unique(rounds).tolist():
        here = (rounds == number) & second
        generator = np.random.default_rng([plan.seed, number])
        drawn_here = ordering.overlap_choice(topics[here], ranks[here], plan.overlap, generator)
        chosen = drawn_here.chosen
        twice.update(zip(numbers[here][chosen].tolist(), drawn_here.inclusion[chosen].tolist(), strict=True))
    return _Items({row[4]: row[3] for row in found if row[4] in present}, places, twice)


def _seats_wanted(groups: Groups, items: _Items) -> Iterable[tuple[int, int]]:
    for item, topic in items.topics.items():
        yield item, 1
        if item in items.twice and (topic, 2) in groups:
            yield item, 2


def _places(plan: AssignmentPlan, groups: Groups, items: _Items) -> dict[int | None, dict[int, int]]:
    """Each assessor's own order over the items of their topics; 0 (and None) is the order of what is shared."""
    numbers = np.array(list(items.topics), np.int64)
    topics = np.array(list(items.topics.values()), np.int64)
    whose: dict[int, set[int]] = {0: set()}
    for (topic, _), people in groups.items():
        for owner in (*people, *([0] if len(people) > 1 else [])):
            whose.setdefault(owner, set()).add(topic)
    found: dict[int | None, dict[int, int]] = {}
    for owner, mine in whose.items():
        here = np.isin(topics, list(mine))
        found[owner] = _order(plan, owner, numbers[here], topics[here], items.places)
    found[None] = found[0]
    return found


def _order(
    plan: AssignmentPlan, owner: int, numbers: NDArray[np.int64], topics: NDArray[np.int64], places: dict[int, int]
) -> dict[int, int]:
    codes = np.array([places[topic] for topic in topics.tolist()], np.int64)
    order = ordering.queue_order(codes, ordering.assessor_generator(plan.seed, owner))
    return {item: place for place, item in enumerate(numbers[order].tolist(), 1)}


def _able(groups: Groups, topic: int, slot: int, judged: set[int]) -> list[int]:
    """Who may take a seat: the slot's people, but nobody judges an item twice; then the other slot's people."""
    for number in (slot, 3 - slot) if judged else (slot,):
        if found := [user for user in groups.get((topic, number), []) if user not in judged]:
            return found
    return []


def _owner(able: list[int], assessor: int | None, claimed_at: datetime | None, since: datetime) -> int | None:
    """Alone it is theirs. Shared, it stays with who took it, unless that was long ago."""
    if len(able) == 1:
        return able[0]
    return assessor if assessor in able and claimed_at and claimed_at > since else None
