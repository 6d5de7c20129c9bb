"""Where rankings meet judgments: which ranks hold judged documents, for all runs and topics at once."""

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from evaluation.core.dialects import RecallPoints
from evaluation.core.qrels import Qrels
from pooling.core.keys import find_topics
from pooling.core.rankings import Rankings

Made = TypeVar("Made")


@dataclass(frozen=True, eq=False)
class Given:
    """What an evaluation may be told beside rankings and grades; measures that need one of these say so.

    `recall_points`: see `Rules`. `documents`: how many the collection holds. `top`: the highest grade of the scale, the
    highest of the qrels unless given. `known`: for each judged pair of the qrels, whether the user knew the document.
    `expected`: for each topic, how many relevant documents the user expects to find, 0 where nobody said. Of a sampled
    pool, for each pair of the qrels: `strata`, from 0, and `inclusion`, the probability with which it was drawn.
    """

    recall_points: RecallPoints = "exact"
    documents: int | None = None
    top: int | None = None
    known: NDArray[np.bool_] | None = None
    expected: NDArray[np.int64] | None = None
    strata: NDArray[np.int64] | None = None
    inclusion: NDArray[np.float64] | None = None


@dataclass(frozen=True, eq=False)
class Judged:
    """The retrieved documents that the qrels know, of one or many runs.

    A *row* is a (run, topic): row = run × T + topic, over the T topics of the qrels; topics that only a run has are
    left out. Aligned, one for each hit, sorted by row, then rank: `rows`, `ranks` (from 1), `items` (the pair's place in
    the qrels). A negative grade is pooled but not judged; a retrieved document without a hit is not in the qrels.
    `num_ret` has one value per row.
    """

    qrels: Qrels
    runs: int
    rows: NDArray[np.int64]
    ranks: NDArray[np.int64]
    items: NDArray[np.int64]
    num_ret: NDArray[np.int64]
    given: Given = field(default_factory=Given)
    _made: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False)

    @property
    def size(self) -> int:
        """The number of rows."""
        return self.runs * len(self.qrels.topics)

    @cached_property
    def grades(self) -> NDArray[np.int64]:
        """The grade of each hit."""
        return self.qrels.grades[self.items]

    @cached_property
    def top(self) -> int:
        """The highest grade of the scale, at least 1."""
        if self.given.top is not None:
            return max(self.given.top, 1)
        return max(int(self.qrels.grades.max(initial=1)), 1)

    @cached_property
    def hits(self) -> NDArray[np.int64]:
        """How many hits each row has."""
        return np.bincount(self.rows, minlength=self.size)

    @cached_property
    def condensed(self) -> "Judged":
        """The same without the documents nobody judged, negative grades included; the others close up.

        Condensed lists (Sakai 2007); trec_eval -J. What the qrels hold does not change.
        """
        kept = self.grades >= 0
        rows = self.rows[kept]
        counts = np.bincount(rows, minlength=self.size)
        return replace(self, rows=rows, ranks=places(counts), items=self.items[kept], num_ret=counts)

    def cut(self, depth: int) -> "Judged":
        """The first `depth` documents of every row alone; trec_eval -M."""
        kept = self.ranks <= depth
        rows, ranks, items = self.rows[kept], self.ranks[kept], self.items[kept]
        return replace(self, rows=rows, ranks=ranks, items=items, num_ret=np.minimum(self.num_ret, depth))

    def once(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """What several measures need, made when first asked for."""
        if key not in self._made:
            self._made[key] = make()
        made: Made = self._made[key]
        return made

    def so_far(self, mask: NDArray[np.bool_]) -> NDArray[np.int64]:
        """For each hit, the number of masked hits in its row down to and with it."""
        total = np.cumsum(mask)
        before = np.concatenate(([0], total))[np.cumsum(self.hits) - self.hits]  # of all rows above
        so_far: NDArray[np.int64] = total - before[self.rows]
        return so_far


class Level:
    """A `Judged` seen at one relevance level: a document with a grade of at least `rel` is relevant.

    What several measures need is computed once. `rows` and `ranks` are of the relevant hits. `found`: for each of them,
    how many relevant documents the ranking holds down to it; `nonrel_above`: how many judged non-relevant ones above it.
    """

    def __init__(self, judged: Judged, rel: int) -> None:
        self.judged = judged
        self.rel = rel
        self.relevant = judged.grades >= rel
        self.rows = judged.rows[self.relevant]
        self.ranks = judged.ranks[self.relevant]

    @cached_property
    def num_rel(self) -> NDArray[np.int64]:
        """R, one value per row."""
        return np.tile(self.judged.qrels.num_rel(self.rel), self.judged.runs)

    @cached_property
    def num_nonrel(self) -> NDArray[np.int64]:
        """N, one value per row."""
        return np.tile(self.judged.qrels.num_nonrel(self.rel), self.judged.runs)

    @cached_property
    def num_rel_ret(self) -> NDArray[np.int64]:
        """Relevant documents retrieved, one value per row."""
        return np.bincount(self.rows, minlength=self.judged.size)

    @cached_property
    def found(self) -> NDArray[np.int64]:
        return places(self.num_rel_ret)

    @cached_property
    def precision(self) -> NDArray[np.float64]:
        """The precision at each relevant hit."""
        return self.found / self.ranks

    @cached_property
    def ceiling(self) -> NDArray[np.float64]:
        """The highest precision at each relevant hit and all below it in its row."""
        return accumulated(np.maximum, self.precision[::-1], self.num_rel_ret[::-1])[::-1]

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """The place of each row's first relevant hit among the relevant hits."""
        return np.cumsum(self.num_rel_ret) - self.num_rel_ret

    @cached_property
    def nonrel_above(self) -> NDArray[np.int64]:
        nonrel = (self.judged.grades >= 0) & ~self.relevant
        return self.judged.so_far(nonrel)[self.relevant]

    def count(self, cutoff: int | NDArray[np.int64]) -> NDArray[np.int64]:
        """Relevant documents of each row down to the cutoff: one for all, or one per row."""
        within = self.ranks <= (cutoff if isinstance(cutoff, int) else cutoff[self.rows])
        return np.bincount(self.rows[within], minlength=self.judged.size)


def join(qrels: Qrels, rankings: Sequence[Rankings], given: Given | None = None) -> Judged:
    """Look up every retrieved document of every run in the qrels.

    No loop over topics or documents; the order of the rankings is trusted to be evaluation order.
    """
    count = len(qrels.topics)
    rows, ranks, items = [], [], []
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
        items.append(place[place >= 0])
    return Judged(
        qrels,
        len(rankings),
        joined(rows),
        joined(ranks),
        joined(items),
        num_ret.reshape(-1),
        given or Given(),
    )


def joined(parts: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """One after the other; none give none."""
    return np.concatenate([np.zeros(0, np.int64), *parts])


def places(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """1, 2, … n for each n of `counts`, one after the other."""
    ends = np.cumsum(counts)
    return np.arange(1, int(ends[-1]) + 1 if len(ends) else 1) - np.repeat(ends - counts, counts)


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


def accumulated(step: np.ufunc, values: NDArray[np.float64], counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """`step` (np.add, np.maximum) over the values so far within each row, from the first value of the row to each.

    `values` lie row after row, `counts` of them in each; sums are added one by one. Rows of like length, up to the next
    power of two, are laid side by side and done at once: no loop over rows, and little room is wasted.
    """
    result = np.empty(len(values))
    starts = np.cumsum(counts) - counts
    longest = int(counts.max(initial=0))
    for power in range((longest - 1).bit_length() + 1 if longest else 0):
        rows = np.flatnonzero((counts > (1 << power) >> 1) & (counts <= 1 << power))
        columns = np.arange(1 << power)
        within = columns < counts[rows, None]
        at = (starts[rows, None] + columns)[within]
        table = np.zeros(within.shape)
        table[within] = values[at]
        result[at] = step.accumulate(table, axis=1)[within]
    return result


def ratio(above: NDArray[np.generic], below: NDArray[np.generic]) -> NDArray[np.float64]:
    """above / below, one value per row, 0 where below is 0: the documented value of an undefined measure."""
    quotient: NDArray[np.float64] = np.zeros(len(below), np.float64)
    np.divide(above, below, out=quotient, where=below != 0)
    return quotient


def defined_ratio(above: NDArray[np.generic], below: NDArray[np.generic]) -> NDArray[np.float64]:
    """above / below, NaN where below is 0: for measures whose undefined values are left out of means."""
    return np.where(below != 0, ratio(above, below), np.nan)
