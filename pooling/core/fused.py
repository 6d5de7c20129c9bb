"""Strategies that need no judgment: a fixed order of all documents, of which the first are taken."""

import zlib
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pooling.core.keys import pair_keys, scattered
from pooling.core.matrix import Best, RankMatrix, Ranks
from pooling.core.strategy import BUDGET, MOST_DEPTH, READ, SPLIT, P, Parameter, Preference, Values, strategy

_SPLIT_DEPTH = 100
_BLOCK = 512  # documents whose pairs are compared at once


@strategy(
    "depth",
    "Depth-k",
    Parameter("depth", "int", "Depth", "This many documents of each run and topic are judged.", 10, 1, MOST_DEPTH),
)
def depth_k(matrix: RankMatrix, best: Best, runs: Sequence[int], values: Values) -> Preference:
    """The first documents of each run and topic: every run treated alike, the usual way at TREC.

    The union over the runs of each topic's first `depth` documents. Exactly `depth` of a run count, ties at the cut
    included; a shorter run gives what it has. Preference: best rank, then the number of runs that have it there, then
    docno. Spärck Jones and van Rijsbergen 1975; as practised by NIST at TREC (Harman 1993).
    """
    items = np.flatnonzero(best.there)
    keys = (-best.runs_at_best[items], best.rank[items])
    ordered = _ordered(matrix, items, values, *keys)
    within = matrix.codes[items[best.rank[items] <= values["depth"]]]
    return Preference(ordered, np.bincount(within, minlength=len(matrix.topics)))


@strategy("take", "Best rank first", BUDGET, SPLIT, READ)
def take(matrix: RankMatrix, best: Best, runs: Sequence[int], values: Values) -> Preference:
    """A fixed number for each topic, by the best rank that any run gave.

    Best rank over the runs, then how many runs have it there, then docno: depth-k cut at a budget instead of a rank.
    """
    items = np.flatnonzero(best.there)
    return _taken(matrix, best, values, _ordered(matrix, items, values, -best.runs_at_best[items], best.rank[items]))


Weigh = Callable[[RankMatrix, Sequence[int], Values], NDArray[np.float64]]


def fusion(name: str, label: str, *own: Parameter) -> Callable[[Weigh], Weigh]:
    """Register a strategy that takes the heaviest documents; ties: docno ascending."""

    def register(weigh: Weigh) -> Weigh:
        def choose(matrix: RankMatrix, best: Best, runs: Sequence[int], values: Values) -> Preference:
            items = np.flatnonzero(best.there)
            # Rounded, so that a sum taken in another order changes no pool.
            weights = np.round(weigh(matrix, runs, values), 15)[items]
            return _taken(matrix, best, values, _ordered(matrix, items, values, -weights))

        choose.__doc__ = weigh.__doc__
        strategy(name, label, BUDGET, *own, SPLIT, READ)(choose)
        return weigh

    return register


@fusion(
    "rrf", "Reciprocal rank fusion", Parameter("k", "float", "k", "Larger: the very first ranks count less.", 60.0, 0, 10_000)
)
def reciprocal_rank_fusion(matrix: RankMatrix, runs: Sequence[int], values: Values) -> NDArray[np.float64]:
    """A fixed number for each topic, those first that many runs have near the top.

    Weight: sum over the runs of 1 / (k + rank). (Cormack, Clarke and Büttcher 2009.)
    """
    return _summed(matrix, runs, lambda row: 1.0 / (values["k"] + row.ranks))


@fusion(
    "rbp",
    "Rank-biased precision",
    P,
    Parameter(
        "combine",
        "choice",
        "Weights of a document",
        "Added over the runs, or the largest alone.",
        "sum",
        choices=(("sum", "Sum"), ("max", "Largest")),
    ),
)
def rank_biased_precision(matrix: RankMatrix, runs: Sequence[int], values: Values) -> NDArray[np.float64]:
    """A fixed number for each topic, those first that weigh most in the runs' scores.

    Weight: sum (or the largest) over the runs of (1 - p) p^(rank - 1), what the document is worth in each run's RBP.
    Method A of Moffat, Webber and Zobel 2007; for B and C see `adaptive`.
    """
    p = values["p"]
    return _summed(matrix, runs, lambda row: (1 - p) * p ** (row.ranks - 1.0), values["combine"])


@fusion("dcg", "DCG weights")
def discounted_gain(matrix: RankMatrix, runs: Sequence[int], values: Values) -> NDArray[np.float64]:
    """A fixed number for each topic, those first that weigh most by DCG's discount.

    Weight: sum over the runs of 1 / log2(rank + 1).
    """
    return _summed(matrix, runs, lambda row: 1.0 / np.log2(row.ranks + 1.0))


@fusion("borda", "Borda count")
def borda(matrix: RankMatrix, runs: Sequence[int], values: Values) -> NDArray[np.float64]:
    """A fixed number for each topic, by Borda's count: points for every document that stands below.

    With n documents of the topic in all runs: n - rank + 1 points of each run that has it; what a run of m documents
    has not shares the points that are left, (n - m + 1) / 2 each. (Aslam and Montague 2001.)
    """
    sizes = np.bincount(matrix.codes[matrix.best(runs).there], minlength=len(matrix.topics))
    total = np.zeros(len(matrix))
    shared = np.zeros(len(sizes))
    for place in runs:
        row = matrix.rows[place]
        codes = matrix.codes[row.items]
        absent = (sizes - np.bincount(codes, minlength=len(sizes)) + 1) / 2
        total[row.items] += sizes[codes] - row.ranks + 1 - absent[codes]
        shared += absent
    return total + shared[matrix.codes]


@fusion("condorcet", "Condorcet")
def condorcet(matrix: RankMatrix, runs: Sequence[int], values: Values) -> NDArray[np.float64]:
    """A fixed number for each topic, those first that beat most others when the runs vote on each pair.

    Weight: the documents of the topic that more runs rank below it than above it; what a run has not is below all it
    has (Copeland's count). (Montague and Aslam 2002.) Every pair is compared: read less than 1000 ranks of many runs.
    """
    beaten = np.zeros(len(matrix))
    for items, ranks in _by_topic(matrix, runs):
        for start in range(0, len(items), _BLOCK):
            mine = ranks[:, start : start + _BLOCK]
            votes = np.zeros((mine.shape[1], len(items)), np.int16)
            for own, every in zip(mine, ranks, strict=True):
                votes += own[:, None] < every
                votes -= own[:, None] > every
            beaten[items[start : start + _BLOCK]] = (votes > 0).sum(axis=1)
    return beaten


@fusion("combsum", "CombSUM")
def comb_sum(matrix: RankMatrix, runs: Sequence[int], values: Values) -> NDArray[np.float64]:
    """A fixed number for each topic, by the sum of the runs' scores, each run's brought to 0 to 1.

    Scores: (s - least) / (greatest - least) over what is read of a run and topic; constant ones are 1. Scores of unknown
    systems are hard to compare: prefer ranks. (Fox and Shaw 1994, for this and the three others.)
    """
    return _summed(matrix, runs, _normalised(matrix))


@fusion("combmnz", "CombMNZ")
def comb_mnz(matrix: RankMatrix, runs: Sequence[int], values: Values) -> NDArray[np.float64]:
    """A fixed number for each topic, by the sum of the scores times the number of runs that have the document."""
    return comb_sum(matrix, runs, values) * matrix.best(runs).runs


@fusion("combmax", "CombMAX")
def comb_max(matrix: RankMatrix, runs: Sequence[int], values: Values) -> NDArray[np.float64]:
    """A fixed number for each topic, by the highest score that any run gave."""
    return _summed(matrix, runs, _normalised(matrix), "max")


@fusion("combanz", "CombANZ")
def comb_anz(matrix: RankMatrix, runs: Sequence[int], values: Values) -> NDArray[np.float64]:
    """A fixed number for each topic, by the mean score over the runs that have the document."""
    return comb_sum(matrix, runs, values) / np.maximum(matrix.best(runs).runs, 1)


def _taken(matrix: RankMatrix, best: Best, values: Values, ordered: NDArray[np.int64]) -> Preference:
    counts = np.bincount(matrix.codes[ordered], minlength=len(matrix.topics))
    budget = int(values["budget"])
    if values.get("split") != "proportional":
        return Preference(ordered, np.minimum(counts, budget))
    sizes = np.bincount(matrix.codes[ordered[best.rank[ordered] <= _SPLIT_DEPTH]], minlength=len(matrix.topics))
    return Preference(ordered, proportional(sizes, budget * len(sizes), int(values.get("min_per_topic", 0))))


def _summed(
    matrix: RankMatrix, runs: Sequence[int], weight: Callable[[Ranks], NDArray[np.float64]], combine: str = "sum"
) -> NDArray[np.float64]:
    """Of every item the sum, or the largest, of what it weighs in each run."""
    total = np.zeros(len(matrix))
    for place in runs:
        row = matrix.rows[place]
        mine = weight(row)
        total[row.items] = np.maximum(total[row.items], mine) if combine == "max" else total[row.items] + mine
    return total


def _normalised(matrix: RankMatrix) -> Callable[[Ranks], NDArray[np.float64]]:
    def scores(row: Ranks) -> NDArray[np.float64]:
        codes = matrix.codes[row.items]
        low, high = np.full(len(matrix.topics), np.inf), np.full(len(matrix.topics), -np.inf)
        np.minimum.at(low, codes, row.scores)
        np.maximum.at(high, codes, row.scores)
        span = (high - low)[codes]
        return np.where(span > 0, (row.scores - low[codes]) / np.where(span > 0, span, 1), 1.0)

    return scores


def _by_topic(matrix: RankMatrix, runs: Sequence[int]) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int32]]]:
    """Of each topic its items, and runs × items their ranks, beyond all others where a run has it not."""
    order = np.argsort(matrix.codes, kind="stable")
    bounds = np.searchsorted(matrix.codes[order], np.arange(len(matrix.topics) + 1))
    for start, end in pairwise(bounds.tolist()):
        items = order[start:end]
        ranks = matrix.ranks_of(items)[list(runs)]
        there = (ranks > 0).any(axis=0)
        yield items[there], np.where(ranks > 0, ranks, np.iinfo(np.int32).max)[:, there]


def proportional(sizes: NDArray[np.int64], total: int, least: int = 0) -> NDArray[np.int64]:
    """A total split in proportion to sizes by largest remainder, at least `least` for each; equal remainders: the first."""
    whole = int(sizes.sum())
    if not whole:
        return np.zeros(len(sizes), np.int64)
    exact = sizes * (total / whole)
    shares = np.floor(exact).astype(np.int64)
    order = np.argsort(-(exact - shares), kind="stable")
    shares[order[: total - int(shares.sum())]] += 1
    raised: NDArray[np.int64] = np.maximum(shares, least)
    return raised


def _ordered(matrix: RankMatrix, items: NDArray[np.int64], values: Values, *keys: NDArray[Any]) -> NDArray[np.int64]:
    """Items topic by topic as they are numbered, within a topic by the keys, the last first, then by docno or by chance."""
    by_chance = (_chance(matrix, items, int(values["seed"])),) if values.get("ties") == "random" else ()
    order: NDArray[np.int64] = np.lexsort((matrix.docnos[items], *by_chance, *keys, matrix.codes[items]))
    return items[order]


def _chance(matrix: RankMatrix, items: NDArray[np.int64], seed: int) -> NDArray[np.uint64]:
    """A number by lot for each item, that hangs on the seed, its topic and its docno alone: on no other run or depth."""
    topics = np.array([zlib.crc32(topic) for topic in matrix.topics.tolist()], np.int64)
    return scattered(pair_keys(topics[matrix.codes[items]], matrix.docnos[items], zlib.crc32(b"%d" % seed)))
