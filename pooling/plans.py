"""What a round of the pool would be: its size, its cost, and who would contribute, as the drawing then does it."""

import hashlib
import json
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from django.db.models import Count
from numpy.typing import NDArray

from config.errors import Refusal
from config.expected import require_between
from pooling import selectors, vectors
from pooling.core import learning, planning, strategies
from pooling.core.matrix import Ties
from pooling.matrices import matrix_of
from pooling.models import Collection, Pool, PoolItem, Run

CURVE = 100  # depths that are told at least
DEPTHS = (5, 10, 20, 50, 100)
PACES = (0.1, 36_000)  # seconds of a judgment, from the least to the most
MOST_SEED = 2**53 - 1  # what a browser's numbers hold


@dataclass(frozen=True)
class Choice:
    """A strategy with its parameters, the runs it is applied to, in the order in which they came, and the seed of chance."""

    strategy: str
    values: dict[str, Any]
    runs: tuple[Run, ...]
    seed: int

    @property
    def kind(self) -> str:
        return strategies.STRATEGIES[self.strategy].kind

    @property
    def is_by_chance(self) -> bool:
        """Does another seed make another pool?"""
        return self.kind == "sampled" or self.values.get("ties") == "random"

    @property
    def digest(self) -> str:
        """Tells whether what is drawn is what was shown: other parameters, runs, files of runs or another
        seed have another one."""
        runs = [(run.tag, run.upload.sha256, run.group, run.priority) for run in self.runs]
        told = json.dumps([self.strategy, self.values, runs, self.seed], sort_keys=True)
        return hashlib.sha256(told.encode()).hexdigest()[:16]


def new_seed() -> int:
    return secrets.randbits(32)


def choice(runs: Iterable[Run], strategy: str, values: Mapping[str, object], seed: int | None = None) -> Choice:
    """Checked, and with the runs that `per_group` leaves; without a seed, with a new one."""
    try:
        cleaned = strategies.clean(strategy, values)
    except ValueError as error:
        raise Refusal(str(error)) from error
    ordered = sorted(runs, key=lambda run: run.pk)
    if not ordered and not learning.reads_all(strategy, cleaned):
        raise Refusal("Choose at least one run.")
    per_group = cleaned.get("per_group")
    places = strategies.choose_runs(
        [run.group for run in ordered],
        [run.priority for run in ordered],
        per_group if isinstance(per_group, int) else None,
    )
    if seed is not None:
        require_between("seed", seed, 0, MOST_SEED)
    return Choice(strategy, dict(cleaned), tuple(ordered[place] for place in places), new_seed() if seed is None else seed)


def chosen(choice: Choice, deepest: int = 0) -> strategies.Chosen:
    """The items that the choice takes; `deepest` asks for a matrix that tells more. Of an adaptive strategy these are as
    many as it takes at most."""
    depth = max(strategies.reach(choice.strategy, choice.values), deepest)
    matrix = matrix_of(choice.runs, min(depth, strategies.MOST_DEPTH), strategies.rank_ties(choice.values))
    return strategies.choose(matrix, choice.strategy, choice.values, seed=choice.seed)


@dataclass(frozen=True)
class Size:
    """What a pool of one depth would cost: its items, and those of them that no round has yet."""

    depth: int
    items: int
    new: int
    hours: float | None = None


@dataclass(frozen=True)
class TopicSize:
    number: str
    title: str
    items: int
    new: int
    hours: float | None = None


@dataclass(frozen=True)
class Share:
    """What a run gives to the pool: its documents in it, those no other run has; those of its group that no other group
    has, and all of its group."""

    run: Run
    pooled: int
    unique: int
    group_unique: int
    group_pooled: int
    share: float

    def told(self) -> dict[str, Any]:
        run = self.run
        facts = {"tag": run.tag, "group": run.group, "version": run.version, "sha256": run.upload.sha256}
        group = {"group_unique": self.group_unique, "group_pooled": self.group_pooled}
        return {**facts, "pooled": self.pooled, "unique": self.unique, **group}


@dataclass(frozen=True)
class Plan:
    """`curve` has every depth from 1, for depth-k alone; hours are of what is new, None where no pace is known. Of an adaptive
    strategy the numbers are the most there can be, and nobody knows beforehand who contributes: `shares` is empty."""

    choice: Choice
    items: int
    new: int
    seconds: float | None
    curve: list[Size]
    topics: list[TopicSize]
    shares: list[Share]

    @property
    def groups(self) -> list[dict[str, Any]]:
        return planning.by_group(share.told() for share in self.shares)

    @property
    def hours(self) -> float | None:
        return _hours(self.new, self.seconds)

    @property
    def next_depth(self) -> int | None:
        """The first usual depth, else the first of all, that would add something; None where none does."""
        return next((size.depth for sizes in (self.marks, self.curve) for size in sizes if size.new), None)

    @property
    def marks(self) -> list[Size]:
        """A few of the curve for a table: the usual depths, and the one that was chosen."""
        wanted = {*DEPTHS, self.choice.values.get("depth")}
        return [size for size in self.curve if size.depth in wanted]


def plan(collection: Collection, choice: Choice, seconds: float | None = None) -> Plan:
    """Exact numbers for a choice, and for depth-k those of every other depth too, from the same ranks."""
    if seconds is not None:
        require_between("seconds", seconds, *PACES)
    pace = seconds or collection.seconds_per_judgment
    if learning.reads_all(choice.strategy, choice.values):
        return _plan_of_all(collection, choice, pace)
    deepest = max(CURVE, int(choice.values["depth"])) if choice.strategy == "depth" else 0
    adaptive = choice.kind == "adaptive"
    found = chosen(replace(choice, values={**choice.values, "budget": 10**9}) if adaptive else choice, deepest)
    pool = planning.pool_of(found)
    titles = dict(collection.topics.values_list("number", "title"))
    known, new = selectors.is_known(collection, pool.topics), selectors.is_new(collection, pool.topics, pool.docnos)
    if adaptive:  # its budget is of what it picks itself, and it steps over what is there
        known = new = _first_of_each(pool.topics, new, int(choice.values["budget"]))
    topics = _topics(pool, known, new, titles, pace)
    curve = _curve(collection, found, choice, deepest, pace) if deepest else []
    told = [] if adaptive else shares(found, choice.runs)
    return Plan(choice, int(known.sum()), int(new.sum()), pace, curve, topics, told)


def _plan_of_all(collection: Collection, choice: Choice, pace: float | None) -> Plan:
    """Of a round that picks from all documents: its budget of each topic, as far as there are documents left."""
    there, budget = vectors.candidates(collection), int(choice.values["budget"])
    drawn = PoolItem.objects.filter(pool__collection=collection, pool__drawn_at__isnull=False).order_by()
    pooled = dict(drawn.values_list("topic__number").annotate(Count("pk")))
    sizes = []
    for number, title in selectors.topics(collection).values_list("number", "title"):
        count = min(budget, max(0, there - pooled.get(number, 0)))
        sizes.append(TopicSize(number, title, count, count, _hours(count, pace)))
    items = sum(size.items for size in sizes)
    return Plan(choice, items, items, pace, [], sizes, [])


def sizes(collection: Collection, runs: Sequence[Run], depths: Sequence[int] = DEPTHS) -> list[Size]:
    """The exact sizes of the depth-k pools of these runs, before anything is drawn."""
    if not runs:
        return []
    for depth in depths:
        choice(runs, "depth", {"depth": depth})  # refuses what is out of range
    curve = plan(collection, choice(runs, "depth", {"depth": max(depths)})).curve
    return [curve[depth - 1] for depth in depths]


def shares(found: strategies.Chosen, runs: Sequence[Run]) -> list[Share]:
    gave = planning.contributions(found, [run.group for run in runs])
    columns = (gave.contributed, gave.unique, gave.group_unique, gave.group_pooled, gave.shares)
    return [Share(run, *row) for run, *row in zip(runs, *(column.tolist() for column in columns), strict=True)]


def _first_of_each(topics: "NDArray[np.bytes_]", there: "NDArray[np.bool_]", count: int) -> "NDArray[np.bool_]":
    """Of what is there, the first so many of each topic."""
    _, codes = np.unique(topics, return_inverse=True)
    order = np.argsort(codes, kind="stable")
    seen = np.cumsum(there[order])
    starts = np.concatenate(([0], seen))[np.searchsorted(codes[order], codes[order])]
    first = np.zeros(len(topics), bool)
    first[order] = there[order] & (seen - starts <= count)
    return first


def _hours(items: int, seconds: float | None) -> float | None:
    return items * seconds / 3600 if seconds else None


def _topics(
    pool: planning.Pool, known: "NDArray[np.bool_]", new: "NDArray[np.bool_]", titles: Mapping[str, str], pace: float | None
) -> list[TopicSize]:
    numbers, codes = np.unique(pool.topics, return_inverse=True)
    items = np.bincount(codes[known], minlength=len(numbers)).tolist()
    fresh = np.bincount(codes[new], minlength=len(numbers)).tolist()
    rows = [(number.decode(), *counts) for number, *counts in zip(numbers.tolist(), items, fresh, strict=True)]
    sizes = [TopicSize(number, titles[number], n, f, _hours(f, pace)) for number, n, f in rows if number in titles]
    return sorted(sizes, key=lambda size: (len(size.number), size.number))


def _curve(collection: Collection, found: strategies.Chosen, choice: Choice, deepest: int, pace: float | None) -> list[Size]:
    """One pass over the best ranks: every depth takes the first so many of a topic, in an order that is the same for all."""
    depths, matrix = range(1, deepest + 1), found.matrix
    sizes = planning.pool_sizes(matrix, depths, choice.values)
    items = fresh = sizes.sizes[:, selectors.is_known(collection, sizes.topics)].sum(axis=1)
    if selectors.pools(collection).exists():
        whole = {"depth": strategies.MOST_DEPTH, "ties": choice.values["ties"]}
        every = strategies.choose(matrix, "depth", whole, seed=choice.seed)
        new = selectors.is_new(collection, matrix.topics[matrix.codes[every.items]], matrix.docnos[every.items])
        codes = matrix.codes[every.items]  # topic by topic
        starts = np.searchsorted(codes, np.argsort(matrix.topics))
        before = np.concatenate(([0], np.cumsum(new)))
        fresh = (before[starts + sizes.sizes] - before[starts]).sum(axis=1)
    rows = zip(depths, items.tolist(), fresh.tolist(), strict=True)
    return [Size(depth, n, new, _hours(new, pace)) for depth, n, new in rows]


def picked(pool: Pool) -> strategies.Chosen:
    """The items of an adaptive round as they are now, with who has them."""
    runs = list(pool.runs.order_by("pk"))
    matrix = matrix_of(runs, strategies.reach(pool.strategy, pool.parameters), strategies.rank_ties(pool.parameters))
    rows = list(pool.items.values_list("topic__number", "docno"))
    topics, docnos = (np.array([row[place].encode() for row in rows], np.bytes_) for place in (0, 1))
    items = matrix.find(topics, docnos)
    return strategies.Chosen(matrix, tuple(range(len(runs))), items[items >= 0], matrix.best(), None)


def found_by(runs: Sequence[Run], items: Sequence[PoolItem]) -> list[list[tuple[str, int]]]:
    """Of each item, the runs that have it with the rank each gave it, best first; with ties as its round has them."""
    found: list[list[tuple[str, int]]] = [[] for _ in items]
    ties = np.array([strategies.rank_ties(item.pool.parameters) for item in items])
    for order in np.unique(ties).tolist() if runs else ():
        places = np.flatnonzero(ties == order).tolist()
        for place, ranks in zip(places, _ranks(runs, [items[place] for place in places], order), strict=True):
            found[place] = ranks
    return found


def _ranks(runs: Sequence[Run], items: Sequence[PoolItem], ties: Ties) -> list[list[tuple[str, int]]]:
    matrix = matrix_of(runs, None, ties)
    topics = np.array([item.topic.number.encode() for item in items], np.bytes_)
    ranks = matrix.ranks_of(matrix.find(topics, np.array([item.docno.encode() for item in items], np.bytes_)))
    pairs = [[(rank, matrix.tags[row]) for row, rank in enumerate(column) if rank] for column in ranks.T.tolist()]
    return [[(tag, rank) for rank, tag in sorted(found)] for found in pairs]
