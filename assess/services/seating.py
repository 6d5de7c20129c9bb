"""A seat for every opinion that is wanted: what the assignments ask for, compared with what is there."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeVar

import numpy as np
from django.db import connection, transaction
from django.db.models import Exists
from numpy.typing import NDArray

from assess import blind, selectors
from assess.checking import CHECK
from assess.core import ordering
from assess.models import SLOTS, Assignment, AssignmentPlan, Order, Seat
from assess.services import adapting, claiming
from config import jobs
from config.errors import Conflict
from config.models import Job, User
from pooling import selectors as pooled
from pooling.models import Collection, PoolItem
from pooling.services.work import ROWS, Work, pause, tell_planner

T = TypeVar("T")
ROUNDS = 5


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
        return f"Topics handed out: {', '.join(told)}" if told else "Nobody’s work has changed"

    @property
    def _counts(self) -> tuple[tuple[int, str], ...]:
        wanted = "judgment wanted" if self.made == 1 else "judgments wanted"
        return (self.made, wanted), (self.moved, "moved to somebody else"), (self.removed, "no longer wanted")


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
    with work.finish(total.words):
        pass
    return total


def _apply_in_chunks(collection: Collection, change: "Change", work: Work) -> None:
    done = 0
    for part in change.chunks():
        work.progress(done, change.size, f"{change.size:,} judgments")
        with transaction.atomic():
            Collection.objects.select_for_update().get(pk=collection.pk)  # alone: whoever judges holds it (see leases)
            part.apply()
        done += part.size
        pause()


def seat_or_intend(collection: Collection, plan: AssignmentPlan, by: User, topics: int) -> Seating:
    """In the caller's transaction, which nobody judges beside: few items at once, many by a job whose intention is written here."""
    if not Assignment.objects.filter(topic__collection=collection).exists() and not collection.seats.exists():
        return Seating(topics, 0, 0, 0)
    if PoolItem.objects.filter(pool__collection=collection).count() <= ROWS:
        change = _difference(collection, plan)
        change.apply()
        return Seating(topics, 0, 0, 0).plus(change)
    job = jobs.intend(
        "seat_items",
        title=f"Handing out the topics of {collection.short_name}",
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
        claiming.remember_holders(Seat.objects.filter(pk__in=[*self.remove, *self.free]))
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
    groups = _people(collection, plan)
    items = _items(collection, plan, groups)
    places = _places(plan, groups, items)
    change = Change([], [], [], [])
    left = set(_seats_wanted(groups, items))
    rows = Seat.objects.filter(collection=collection, slot__in=SLOTS, occasion=0)  # repeats and machines stay as they are
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
            seat = Seat(collection=collection, topic_id=items.topics[item], item_id=item, slot=slot, assessor_id=owner)
            seat.position, seat.inclusion = places[owner].get(item, 0), items.inclusion(item, slot)
            change.make.append(seat)
    return change


Groups = dict[tuple[int, int], list[int]]  # (topic, slot) -> assessors


@dataclass(frozen=True)
class _Items:
    """The items of assigned topics in a fixed order, so that what is drawn over them can be drawn again."""

    topics: dict[int, int]  # item -> topic, of those whose document is there and that nobody practises on
    places: dict[int, int]  # topic -> its place among the topics
    again: dict[
        int, dict[int, float]
    ]  # slot -> items that shall have this opinion, with the probability by which each was drawn
    keys: dict[int, int]  # item -> its place by the plan's order, where that is not by chance

    def inclusion(self, item: int, slot: int) -> float:
        return self.again.get(slot, {}).get(item, 1.0)


def _people(collection: Collection, plan: AssignmentPlan) -> Groups:
    groups: Groups = {}
    rows = Assignment.objects.filter(topic__collection=collection).order_by("assessor_id")
    for topic, slot, assessor in rows.values_list("topic_id", "slot", "assessor_id"):
        groups.setdefault((topic, slot), []).append(assessor)
    if plan.by_item:  # whoever has a topic gives any opinion on it
        for topic in {topic for topic, _ in groups}:
            everybody = sorted({user for slot in SLOTS for user in groups.get((topic, slot), [])})
            groups.update({(topic, slot): everybody for slot in SLOTS})
    return groups


def _items(collection: Collection, plan: AssignmentPlan, groups: Groups) -> _Items:
    """The overlap is drawn round by round, over items whether their document is there or not: later ones change nothing."""
    places = {topic: place for place, topic in enumerate(pooled.topics(collection).values_list("pk", flat=True))}
    drawn = PoolItem.objects.filter(pool__collection=collection, pool__drawn_at__isnull=False)
    columns = ("pool__round", "topic_id", "docno", "pk", "best_rank", "run_count", "place")
    rows = drawn.values_list(*columns).iterator(chunk_size=20_000)
    known = ((r, places[t], d.encode(), t, pk, best, n, at) for r, t, d, pk, best, n, at in rows if (t, 1) in groups)
    found = sorted(known, key=lambda row: row[:3])
    present = set(pooled.drawn_items(collection).exclude(Exists(selectors.practised())).values_list("pk", flat=True))
    rounds = np.array([row[0] for row in found], np.int64)
    topics = np.array([row[3] for row in found], np.int64)
    numbers = np.array([row[4] for row in found], np.int64)
    ranks = np.array([row[5] for row in found], np.int64)
    again: dict[int, dict[int, float]] = {2: {}, 3: {}}
    has_second = np.isin(topics, [topic for topic, slot in groups if slot == 2])
    adaptive = set(
        collection.pools.filter(strategy__in=[*adapting.ADAPTIVE, "interactive", CHECK]).values_list("round", flat=True)
    )
    for number in np.unique(rounds).tolist():
        here = (rounds == number) & has_second
        if number in adaptive:  # grows while it is judged
            for item in numbers[here].tolist():
                for slot in adapting.further(plan, item)[1:]:
                    again[slot][item] = {2: plan.overlap, 3: plan.third}[slot]
            continue
        generator = np.random.default_rng([plan.seed, number])
        second = ordering.overlap_choice(topics[here], ranks[here], plan.overlap, generator)
        chosen = np.flatnonzero(here)[second.chosen]
        again[2].update(zip(numbers[chosen].tolist(), second.inclusion[second.chosen].tolist(), strict=True))
        # The third opinions are drawn of the second ones, so that one probability is the product of two.
        share = plan.third / plan.overlap if plan.overlap else 0.0
        third = ordering.overlap_choice(topics[chosen], ranks[chosen], share, np.random.default_rng([plan.seed, number, 3]))
        both = second.inclusion[second.chosen][third.chosen] * third.inclusion[third.chosen]
        again[3].update(zip(numbers[chosen][third.chosen].tolist(), both.tolist(), strict=True))
    keys = {}
    if plan.order == Order.DOCNO:
        keys = {row[4]: place for place, row in enumerate(sorted(found, key=lambda row: row[2]))}
    elif plan.order == Order.PRIORITY:
        keys = {row[4]: place for place, row in enumerate(sorted(found, key=_priority))}
    return _Items({row[4]: row[3] for row in found if row[4] in present}, places, again, keys)


def _priority(row: tuple[int, int, bytes, int, int, int, int, int | None]) -> tuple[object, ...]:
    """As the strategy put them; those that came without one, such as of a file, after them by best rank."""
    number, _, docno, _, _, best, runs, place = row
    return number, place is None, place or 0, best, -runs, docno


def _seats_wanted(groups: Groups, items: _Items) -> Iterable[tuple[int, int]]:
    for item, topic in items.topics.items():
        yield item, 1
        for slot, chosen in items.again.items():
            if item in chosen and (topic, slot) in groups:
                yield item, slot


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
        found[owner] = _order(plan, owner, numbers[here], topics[here], items)
    found[None] = found[0]
    return found


def _order(
    plan: AssignmentPlan, owner: int, numbers: NDArray[np.int64], topics: NDArray[np.int64], items: _Items
) -> dict[int, int]:
    codes = np.array([items.places[topic] for topic in topics.tolist()], np.int64)
    if items.keys:
        order = ordering.fixed_order(codes, np.array([items.keys[item] for item in numbers.tolist()], np.int64))
    else:
        order = ordering.queue_order(codes, ordering.assessor_generator(plan.seed, owner))
    return {item: place for place, item in enumerate(numbers[order].tolist(), 1)}


def _able(groups: Groups, topic: int, slot: int, judged: set[int]) -> list[int]:
    """Who may take a seat: the slot's people, but nobody judges an item twice; then the other slots' people."""
    for number in (slot, *(other for other in SLOTS if other != slot)) if judged else (slot,):
        if found := [user for user in groups.get((topic, number), []) if user not in judged]:
            return found
    return []


def _owner(able: list[int], assessor: int | None, claimed_at: datetime | None, since: datetime) -> int | None:
    """Alone it is theirs. Shared, it stays with who took it, unless that was long ago."""
    if len(able) == 1:
        return able[0]
    return assessor if assessor in able and claimed_at and claimed_at > since else None
