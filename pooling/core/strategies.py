"""Which documents to judge. Rankings in, pools out; one item for each (topic, docno)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pooling.core.keys import find_topics, group_pairs
from pooling.core.rankings import Rankings


@dataclass(frozen=True, eq=False)
class Pool:
    """The items of a pool, aligned and sorted by topic, then docno, both by bytes.

    `best_ranks`: the best rank any pooled run gave the document; `runs`: how many pooled runs have it within the depth.
    """

    topics: NDArray[np.bytes_]
    docnos: NDArray[np.bytes_]
    best_ranks: NDArray[np.int64]
    runs: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.docnos)


@dataclass(frozen=True, eq=False)
class Contributions:
    """What each pooled run gave to a pool; all arrays are aligned with `tags`.

    `contributed`: its documents in the pool; `unique`: those no other run contributed; `group_unique`: those of the
    run's whole group that no other group contributed (the run itself is its group where none are named); `shares`:
    contributed / pool size, 0 for an empty pool. The three `*relevant` arrays count the relevant among them; they are
    None while nothing is judged.
    """

    tags: tuple[str, ...]
    pool_size: int
    contributed: NDArray[np.int64]
    unique: NDArray[np.int64]
    group_unique: NDArray[np.int64]
    shares: NDArray[np.float64]
    relevant: NDArray[np.int64] | None = None
    unique_relevant: NDArray[np.int64] | None = None
    group_unique_relevant: NDArray[np.int64] | None = None


@dataclass(frozen=True, eq=False)
class PoolSizes:
    """The exact size of the depth-k pool of each topic: `sizes` is depths × topics."""

    depths: tuple[int, ...]
    topics: NDArray[np.bytes_]
    sizes: NDArray[np.int64]

    @property
    def totals(self) -> NDArray[np.int64]:
        totals: NDArray[np.int64] = self.sizes.sum(axis=1)
        return totals


@dataclass(frozen=True, eq=False)
class _Entries:
    """Every (run, topic, document) within the depth: the run's place, the item's place in the pool, the rank."""

    pool: Pool
    run: NDArray[np.int64]
    item: NDArray[np.int64]


def depth_pool(rankings: Sequence[Rankings], depth: int) -> Pool:
    """Depth-k pooling: the union over the runs of each topic's first `depth` documents.

    Rank is the place in evaluation order. Exactly `depth` documents of a run count, ties at the cut included; a shorter
    run gives what it has, a run without the topic gives nothing, no run gives an empty pool. Spärck Jones and van
    Rijsbergen 1975; as practised by NIST at TREC (Harman 1993).
    """
    return _entries(rankings, depth).pool


def contributions(
    rankings: Sequence[Rankings],
    depth: int,
    *,
    groups: Sequence[str] | None = None,
    relevant: NDArray[np.bool_] | None = None,
) -> Contributions:
    """Contributions of each run to the depth-k pool, alone and by group.

    `groups` names the group of each run; `relevant` is aligned with the items of `depth_pool(rankings, depth)`, false
    also where not judged. A run that is unique in nothing could be left out without loss (Zobel 1998).
    """
    entries = _entries(rankings, depth)
    size, count = len(entries.pool), len(rankings)
    _, group_of = np.unique(np.array(groups if groups is not None else range(count)), return_inverse=True)
    alone = entries.pool.runs[entries.item] == 1
    # one entry for each group that has the item
    held = np.unique(group_of[entries.run] * size + entries.item) if size else np.zeros(0, np.int64)
    item_of, holder = held % max(size, 1), held // max(size, 1)
    sole = np.bincount(item_of, minlength=size)[item_of] == 1

    def by_run(mask: NDArray[np.bool_]) -> NDArray[np.int64]:
        return np.bincount(entries.run[mask], minlength=count)

    def by_group(mask: NDArray[np.bool_]) -> NDArray[np.int64]:
        return np.bincount(holder[mask], minlength=count)[group_of]

    contributed = by_run(np.ones(len(entries.run), bool))
    counted = (tuple(run.tag for run in rankings), size, contributed, by_run(alone), by_group(sole), contributed / max(size, 1))
    if relevant is None:
        return Contributions(*counted)
    good, group_good = relevant[entries.item], relevant[item_of]
    return Contributions(*counted, by_run(good), by_run(alone & good), by_group(sole & group_good))


def pool_sizes(rankings: Sequence[Rankings], depths: Sequence[int]) -> PoolSizes:
    """The exact sizes of depth-k pools for several depths, per topic, in one pass.

    A document is in the depth-k pool if and only if its best rank is at most k, so the deepest pool tells all.
    """
    pool = depth_pool(rankings, max(depths))
    topics, code = np.unique(pool.topics, return_inverse=True)
    within = np.array(depths)[:, None] >= pool.best_ranks[None, :]
    sizes = np.bincount(
        (np.arange(len(depths))[:, None] * len(topics) + code[None, :])[within], minlength=len(depths) * len(topics)
    )
    return PoolSizes(tuple(depths), topics, sizes.reshape(len(depths), len(topics)))


def _entries(rankings: Sequence[Rankings], depth: int) -> _Entries:
    cut = [run.cut(depth) for run in rankings]
    empty: NDArray[np.int64] = np.zeros(0, np.int64)
    topics = np.unique(np.concatenate([np.zeros(0, "S1"), *(run.topics for run in cut)]))
    code = np.concatenate([empty, *(np.repeat(find_topics(topics, run.topics), run.lengths) for run in cut)])
    docno = np.concatenate([np.zeros(0, "S1"), *(run.docnos for run in cut)])
    rank = np.concatenate([empty, *(run.ranks for run in cut)])
    run_of = np.repeat(np.arange(len(cut)), [len(run) for run in cut])

    firsts, group = group_pairs(code, docno)
    order = np.lexsort((docno[firsts], code[firsts]))
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    item = place[group]
    best = np.full(len(order), np.iinfo(np.int64).max)
    np.minimum.at(best, item, rank)
    rows = firsts[order]
    pool = Pool(topics[code[rows]], docno[rows], best, np.bincount(item, minlength=len(order)))
    return _Entries(pool, run_of, item)
