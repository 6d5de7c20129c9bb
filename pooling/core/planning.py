"""What a pool would cost and who would contribute to it, before it is drawn: counts on the rank matrix."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pooling.core.matrix import RankMatrix
from pooling.core.rankings import Rankings
from pooling.core.strategies import Chosen, choose, quota


@dataclass(frozen=True, eq=False)
class Pool:
    """The items of a pool, aligned and sorted by topic, then docno, both by bytes.

    `best_ranks`: the best rank any pooled run gave the document; `runs`: how many pooled runs contributed it; `places`:
    which it is, from 1, in the order of preference that its strategy has of the topic.
    """

    topics: NDArray[np.bytes_]
    docnos: NDArray[np.bytes_]
    best_ranks: NDArray[np.int64]
    runs: NDArray[np.int64]
    places: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.docnos)


@dataclass(frozen=True, eq=False)
class Contributions:
    """What each pooled run gave to a pool; all arrays are aligned with `tags`.

    `contributed`: its documents in the pool; `unique`: those no other run contributed; `group_unique`: those of the
    run's whole group that no other group contributed (the run itself is its group where none are named);
    `group_pooled`: those of its whole group; `shares`:
    contributed / pool size, 0 for an empty pool. The three `*relevant` arrays count the relevant among them; they are
    None while nothing is judged.
    """

    tags: tuple[str, ...]
    pool_size: int
    contributed: NDArray[np.int64]
    unique: NDArray[np.int64]
    group_unique: NDArray[np.int64]
    group_pooled: NDArray[np.int64]
    shares: NDArray[np.float64]
    relevant: NDArray[np.int64] | None = None
    unique_relevant: NDArray[np.int64] | None = None
    group_unique_relevant: NDArray[np.int64] | None = None


@dataclass(frozen=True, eq=False)
class PoolSizes:
    """The exact size of the depth-k pool of each topic: `sizes` is depths × topics, topics sorted by bytes."""

    depths: tuple[int, ...]
    topics: NDArray[np.bytes_]
    sizes: NDArray[np.int64]

    @property
    def totals(self) -> NDArray[np.int64]:
        totals: NDArray[np.int64] = self.sizes.sum(axis=1)
        return totals


def pool_of(chosen: Chosen) -> Pool:
    """The chosen items with their provenance, sorted."""
    matrix = chosen.matrix
    place = np.empty(len(matrix.topics), np.int64)
    place[np.argsort(matrix.topics)] = np.arange(len(matrix.topics))
    items = chosen.items[np.lexsort((matrix.docnos[chosen.items], place[matrix.codes[chosen.items]]))]
    holders = np.zeros(len(matrix), np.int64)
    for run in chosen.runs:
        holders[chosen.held(run)] += 1
    ranks = chosen.best.rank[items].astype(np.int64)
    preferred = np.zeros(len(matrix), np.int64)
    preferred[chosen.items] = _within_topics(matrix.codes[chosen.items])
    return Pool(matrix.topics[matrix.codes[items]], matrix.docnos[items], ranks, holders[items], preferred[items])


def _within_topics(codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """1, 2 … anew for each topic, of items that stand topic by topic."""
    first = np.flatnonzero(np.diff(codes, prepend=-1))
    numbers: NDArray[np.int64] = np.arange(1, len(codes) + 1) - np.repeat(first, np.diff(first, append=len(codes)))
    return numbers


def depth_pool(rankings: Sequence[Rankings], depth: int) -> Pool:
    """The depth-k pool of runs (strategies.depth_k)."""
    return pool_of(choose(RankMatrix.build(rankings, depth), "depth", {"depth": depth}))


def contributions(
    chosen: Chosen, groups: Sequence[str] | None = None, relevant: NDArray[np.bool_] | None = None
) -> Contributions:
    """Contributions of each pooled run, alone and by group.

    `groups` names the group of each pooled run; `relevant` is aligned with the matrix' items, false also where not
    judged. A run that is unique in nothing could be left out without loss (Zobel 1998).
    """
    count, size = len(chosen.runs), len(chosen.matrix)
    named = [groups[place] or f"\0{place}" for place in range(count)] if groups is not None else range(count)
    _, group_of = np.unique(np.array(named), return_inverse=True)
    held = [chosen.held(run) for run in chosen.runs]
    holders, holder = np.zeros(size, np.int64), np.full(size, -1, np.int64)
    group_holders, group_sizes = np.zeros(size, np.int64), np.zeros(count, np.int64)
    for group in range(int(group_of.max()) + 1 if count else 0):
        items = np.zeros(size, bool)
        for place in np.flatnonzero(group_of == group).tolist():
            items[held[place]] = True
            holders[held[place]] += 1
        group_holders += items
        group_sizes[group] = items.sum()
        holder[items] = group
    sole = np.flatnonzero(group_holders == 1)
    unique = [mine[holders[mine] == 1] for mine in held]
    total = len(chosen.items)

    def by_run(parts: list[NDArray[np.int64]]) -> NDArray[np.int64]:
        return np.array([len(part) for part in parts], np.int64)

    def by_group(items: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.bincount(holder[items], minlength=max(count, 1))[group_of]

    tags = tuple(chosen.matrix.tags[run] for run in chosen.runs)
    contributed = by_run(held)
    counted = (tags, total, contributed, by_run(unique), by_group(sole), group_sizes[group_of], contributed / max(total, 1))
    if relevant is None:
        return Contributions(*counted)
    all_good, unique_good = (by_run([part[relevant[part]] for part in parts]) for parts in (held, unique))
    return Contributions(*counted, all_good, unique_good, by_group(sole[relevant[sole]]))


def by_group(used: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Of rows of runs, in their order, what each group gave. A run without a group stands alone, under its tag.

    Rounds that were drawn before `group_pooled` was kept tell it of groups of one run; else it is None.
    """
    groups: dict[tuple[str, str], dict[str, Any]] = {}
    for row in used:
        alone = "" if row["group"] else row["tag"]
        begun = {"group": row["group"], "run": alone, "runs": 0, "pooled": row["pooled"], "unique": row["group_unique"]}
        told = groups.setdefault((row["group"], alone), begun)
        told["runs"] += 1
        told["pooled"] = row.get("group_pooled", None if told["runs"] > 1 else row["pooled"])
    return list(groups.values())


def pool_sizes(
    matrix: RankMatrix, depths: Sequence[int], values: Mapping[str, Any] | None = None, runs: Sequence[int] | None = None
) -> PoolSizes:
    """The exact sizes of the depth-k pools for any number of depths, per topic, in one pass over the ranks.

    A document is in the depth-k pool if and only if its best rank is at most k: counted once by topic and best rank,
    the sums along the ranks tell every depth. Quotas per topic are kept as the drawing keeps them.
    """
    best, topics = matrix.best(runs), len(matrix.topics)
    there = best.there
    deepest = max(depths)
    ranks = np.minimum(best.rank[there], deepest + 1).astype(np.int64)
    counts = np.bincount(matrix.codes[there] * (deepest + 2) + ranks, minlength=topics * (deepest + 2))
    within = counts.reshape(topics, deepest + 2).cumsum(axis=1)
    sizes = np.stack([quota(within[:, depth], within[:, -1], values or {}) for depth in depths])
    order = np.argsort(matrix.topics)
    return PoolSizes(tuple(depths), matrix.topics[order], sizes[:, order])
