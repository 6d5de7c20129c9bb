"""Strategies compared on judgments that are there: what each would have found, and how well it would have ranked the runs."""

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.core.evaluate import evaluate_judged
from evaluation.core.matrix import NOT_IN_QRELS, StoredRuns
from evaluation.core.orders import kendall
from pooling.core.adaptive import History, TopicRanks, simulate
from pooling.core.matrix import RankMatrix
from pooling.core.strategies import STRATEGIES, clean

Whole = NDArray[np.int64]
ENOUGH = 0.8  # of the relevant documents
DEPTH = "depth"  # a pool by depth is judged whole, in the order of its docnos, as at NIST


@dataclass(frozen=True, eq=False)
class Compared:
    """One strategy. `judged[k]` and `relevant[k]`: over all topics, after k + 1 judgments of each.

    `to_enough`: judgments until 80 % of the relevant documents were found, None if they never were. At the budget that was
    asked for: `tau`, of the order of the runs by AP against that of all judgments, None where one is all tied; `bias`, AP less
    that of all judgments, one for each run.
    """

    name: str
    judged: Whole
    relevant: Whole
    to_enough: int | None
    tau: float | None
    bias: NDArray[np.float64]


def compare(
    stored: StoredRuns, grades: Whole, names: Sequence[str], *, budget: int, rel: int = 1, seed: int = 0
) -> tuple[int, list[Compared]]:
    """How many relevant documents there are, and each strategy with its defaults.

    `grades`: one for each item of the matrix, NOT_IN_QRELS where nobody judged it; such items are stepped over, since nobody
    knows what they are. `budget`: judgments of each topic at which runs are ranked.
    """
    relevant = grades >= rel
    total = int(relevant.sum())
    full = _means(stored, grades, rel)
    found = []
    for name in names:
        orders = course(stored.matrix, grades, name, clean(name, {}), rel=rel, seed=seed)
        judged, gained = gains(orders, relevant)
        enough = np.flatnonzero(gained >= ENOUGH * total)
        first = np.concatenate([np.zeros(0, np.int64), *(order[:budget] for order in orders)])
        some = np.full(len(grades), NOT_IN_QRELS)
        some[first] = grades[first]
        means = _means(stored, some, rel)
        to_enough = int(judged[enough[0]]) if len(enough) and total else None
        found.append(Compared(name, judged, gained, to_enough, kendall(means, full), means - full))
    return total, found


def gains(orders: Sequence[Whole], relevant: NDArray[np.bool_]) -> tuple[Whole, Whole]:
    """Of items in their order, topic by topic: how many are judged and relevant over all, after k + 1 judgments of each."""
    longest = max((len(order) for order in orders), default=0)
    judged, gained = np.zeros(longest, np.int64), np.zeros(longest, np.int64)
    for order in orders:
        judged[: len(order)] += 1
        gained[: len(order)] += relevant[order]
    return np.cumsum(judged), np.cumsum(gained)


def course(
    matrix: RankMatrix, grades: Whole, name: str, values: Mapping[str, Any], *, rel: int = 1, seed: int = 0
) -> list[Whole]:
    """Of each topic all judged items, in the order in which the strategy would have had them judged.

    A pool by depth has no order of its own: it is judged by docno, ascending, which tells nothing of ranks.
    """
    one = STRATEGIES[name]
    known = grades != NOT_IN_QRELS
    if name == DEPTH:
        by_docno = np.argsort(matrix.docnos, kind="stable")
        by_docno = by_docno[known[by_docno]]
        return [by_docno[matrix.codes[by_docno] == code] for code in range(len(matrix.topics))]
    if one.pick is None:
        if one.choose is None:
            raise ValueError(f"expected a strategy that puts documents in an order, found {name}")
        ordered = one.choose(matrix, matrix.best(), range(len(matrix.rows)), values).items
        ordered = ordered[known[ordered]]
        return [ordered[matrix.codes[ordered] == code] for code in range(len(matrix.topics))]
    orders = []
    for topic in matrix.topics.tolist():
        ranks = TopicRanks.of(matrix, topic)
        start = History.start(ranks, ~known[ranks.items])
        course = simulate(ranks, one.pick, values, grades[ranks.items] >= rel, len(ranks), [seed, zlib.crc32(topic)], start)
        orders.append(ranks.items[np.array([pick.doc for pick in course.picks], np.int64)])
    return orders


def _means(stored: StoredRuns, grades: Whole, rel: int) -> NDArray[np.float64]:
    return evaluate_judged(stored.ranked.judged(grades), stored.ranked.tags, ["AP"], rel=rel).means[:, 0]
