"""Where rankings meet judgments: which ranks hold judged documents, for all runs and topics at once."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from evaluation.core.qrels import Qrels
from pooling.core.keys import find_topics
from pooling.core.rankings import Rankings


@dataclass(frozen=True, eq=False)
class Judged:
    """The retrieved documents that the qrels know, of one or many runs.

    A *row* is a (run, topic): row = run × T + topic, over the T topics of the qrels; topics that only a run has are
    left out. Aligned, one for each hit, sorted by row, then rank: `rows`, `ranks` (from 1), `grades`. A negative grade
    is pooled but not judged; a retrieved document without a hit is not in the qrels. `num_ret` has one value per row.
    """

    qrels: Qrels
    runs: int
    rows: NDArray[np.int64]
    ranks: NDArray[np.int64]
    grades: NDArray[np.int64]
    num_ret: NDArray[np.int64]

    @property
    def size(self) -> int:
        """The number of rows."""
        return self.runs * len(self.qrels.topics)

    @cached_property
    def gained(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """Row, rank and gain of the hits whose grade is above 0; the linear gain is the grade."""
        positive = self.grades > 0
        return self.rows[positive], self.ranks[positive], self.grades[positive].astype(np.float64)

    @cached_property
    def ideal(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """Topic, rank and gain in the ideal ranking: all judged documents with a gain, the best first."""
        positive = np.flatnonzero(self.qrels.grades > 0)
        topics, grades = self.qrels.codes[positive], self.qrels.grades[positive]
        order = np.lexsort((-grades, topics))
        counts = np.bincount(topics, minlength=len(self.qrels.topics))
        ranks = np.arange(1, len(order) + 1) - np.repeat(np.cumsum(counts) - counts, counts)
        return topics[order], ranks, grades[order].astype(np.float64)


class Level:
    """A `Judged` seen at one relevance level: a document with a grade of at least `rel` is relevant.

    What several measures need is computed once. `found`: for each relevant hit, how many relevant documents the ranking
    holds down to it; `nonrel_above`: how many judged non-relevant ones it holds above it.
    """

    def __init__(self, judged: Judged, rel: int) -> None:
        self.judged = judged
        self.rel = rel
        self._relevant = judged.grades >= rel
        self.rows = judged.rows[self._relevant]
        self.ranks = judged.ranks[self._relevant]

    @cached_property
    def num_rel(self) -> NDArray[np.int64]:
        """R, one value per row."""
        return np.tile(self.judged.qrels.num_rel(self.rel), self.judged.runs)

    @cached_property
    def num_nonrel(self) -> NDArray[np.int64]:
        """N, one value per row."""
        return np.tile(self.judged.qrels.num_nonrel(self.rel), self.judged.runs)

    @cached_property
    def found(self) -> NDArray[np.int64]:
        return self._so_far(self._relevant)[self._relevant]

    @cached_property
    def nonrel_above(self) -> NDArray[np.int64]:
        nonrel = (self.judged.grades >= 0) & ~self._relevant
        return self._so_far(nonrel)[self._relevant]

    def count(self, mask: NDArray[np.bool_] | None = None) -> NDArray[np.int64]:
        """Relevant hits of each row, of those in `mask` if given."""
        return np.bincount(self.rows if mask is None else self.rows[mask], minlength=self.judged.size)

    def _so_far(self, mask: NDArray[np.bool_]) -> NDArray[np.int64]:
        """For each hit, the number of masked hits in its row down to and with it."""
        total = np.cumsum(mask)
        hits = np.bincount(self.judged.rows, minlength=self.judged.size)
        before = np.concatenate(([0], total))[np.cumsum(hits) - hits]  # of all rows above
        so_far: NDArray[np.int64] = total - before[self.judged.rows]
        return so_far


def join(qrels: Qrels, rankings: Sequence[Rankings]) -> Judged:
    """Look up every retrieved document of every run in the qrels.

    No loop over topics or documents; the order of the rankings is trusted to be evaluation order.
    """
    count = len(qrels.topics)
    rows, ranks, grades = [], [], []
    num_ret = np.zeros((len(rankings), count), np.int64)
    for number, run in enumerate(rankings):
        topics = find_topics(qrels.topics, run.topics)
        num_ret[number, topics[topics >= 0]] = run.lengths[topics >= 0]
        codes = np.repeat(topics, run.lengths)
        asked = np.flatnonzero(codes >= 0)
        place = qrels.index.find(codes[asked], run.docnos[asked])
        hits = asked[place >= 0]
        rows.append(number * count + codes[hits])
        ranks.append(run.ranks[hits])
        grades.append(qrels.grades[place[place >= 0]])
    none: NDArray[np.int64] = np.zeros(0, np.int64)
    return Judged(
        qrels,
        len(rankings),
        np.concatenate([none, *rows]),
        np.concatenate([none, *ranks]),
        np.concatenate([none, *grades]),
        num_ret.reshape(-1),
    )


@lru_cache(maxsize=4)
def _log2_table(size: int) -> NDArray[np.float64]:
    table = np.fromiter(map(math.log2, range(1, size + 1)), np.float64, size)
    table.setflags(write=False)
    return table


def discounts(ranks: NDArray[np.int64]) -> NDArray[np.float64]:
    """log2(rank + 1), by the C library's log2 as trec_eval; numpy's own differs in the last bit on some machines."""
    size = 1 << max(10, int(ranks.max(initial=0)).bit_length() + 1)
    return _log2_table(size)[ranks]


def summed(rows: NDArray[np.int64], values: NDArray[np.float64], size: int) -> NDArray[np.float64]:
    """The sum of `values` for each of `size` rows, added one by one in the order given.

    `np.bincount` adds in sequence as a loop in C does, so that sums are equal to trec_eval's to the last bit; `np.sum`
    and `np.add.reduceat` add in pairs and are not.
    """
    return np.bincount(rows, values, minlength=size).astype(np.float64, copy=False)


def ratio(above: NDArray[np.generic], below: NDArray[np.generic]) -> NDArray[np.float64]:
    """above / below, one value per row, 0 where below is 0: the documented value of an undefined measure."""
    quotient: NDArray[np.float64] = np.zeros(len(below), np.float64)
    np.divide(above, below, out=quotient, where=below != 0)
    return quotient
