"""Who gave which item which grade, as a matrix; and its distinct rows, on which alone agreement depends."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

MISSING = -1
Counts = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Ratings:
    """The grades that M assessors gave N items.

    `levels`: the levels of the scale, ascending, whether used or not. `places`: N × M, the place of each grade among the
    levels, MISSING where an assessor gave none. `topics`: N, the topic of each item, as a code from 0 on.
    """

    levels: tuple[int, ...]
    places: NDArray[np.int8]
    topics: NDArray[np.int64]

    def shared(self) -> "Ratings":
        """Only the items that at least two assessors graded: the others tell nothing of agreement."""
        return self.only((self.places != MISSING).sum(axis=1) >= 2)

    def only(self, items: NDArray[np.bool_]) -> "Ratings":
        return replace(self, places=self.places[items], topics=self.topics[items])

    def of(self, assessors: Sequence[int]) -> "Ratings":
        """The columns of these assessors, in this order."""
        return replace(self, places=self.places[:, list(assessors)])

    def binarised(self, rel: int) -> "Ratings":
        """Two levels, 0 for grades below `rel` and 1 from `rel` on. A grade that is missing stays so."""
        side = np.array([*(level >= rel for level in self.levels), MISSING], np.int8)  # MISSING finds the last place
        return replace(self, levels=(0, 1), places=side[self.places])

    def counts(self) -> Counts:
        """N × K: how many assessors gave each item each level."""
        return _counts(self.places, len(self.levels))


@dataclass(frozen=True, eq=False)
class Kinds:
    """Items that are alike, topic by topic, and how often each kind occurs.

    Resampling items within topics is drawing these numbers anew, which is far less work than drawing items.
    """

    topics: NDArray[np.int64]
    times: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Patterns(Kinds):
    """Alike is what has the same grades of the same assessors. `places` as in Ratings."""

    levels: tuple[int, ...]
    places: NDArray[np.int8]


@dataclass(frozen=True, eq=False)
class Tallies(Kinds):
    """Alike is what has the same number of each grade, by whomever: far fewer kinds where assessors are many, and all that
    most coefficients depend on.

    `counts`: P × K. `complete`: whether every assessor of the topic graded it. `cells`: of two assessors, the place of their
    pair of grades in a table of K × K; of more, zeros.
    """

    counts: Counts
    complete: NDArray[np.bool_]
    cells: NDArray[np.int64]

    def alike(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Whatever the topic: where each distinct kind stands first, and which of them each one is."""
        rows = np.column_stack((self.cells, self.counts))
        first = distinct(rows)[0]
        places = {tuple(row): place for place, row in enumerate(rows[first].tolist())}
        return first, np.array([places[tuple(row)] for row in rows.tolist()], np.int64)


def ratings(
    items: NDArray[np.int64],
    assessors: NDArray[np.int64],
    grades: NDArray[np.int64],
    levels: Sequence[int],
    topics: NDArray[np.int64],
) -> Ratings:
    """Ratings out of aligned rows, one for each judgment; `topics` has the topic's code of each item.

    Items, assessors and topics are codes from 0 on. A grade that is no level ("cannot judge", negative) is missing data.
    Of two grades of one assessor for one item the later counts.
    """
    scale = np.unique(np.asarray(levels, np.int64))
    if len(scale) != len(levels) or not 2 <= len(scale) <= 128:
        raise ValueError(f"expected 2 to 128 distinct levels, got {list(levels)}")
    known = np.isin(grades, scale)
    places = np.full((len(topics), int(assessors.max(initial=-1)) + 1), MISSING, np.int8)
    places[items[known], assessors[known]] = np.searchsorted(scale, grades[known])
    return Ratings(tuple(scale.tolist()), places, topics)


def patterns(of: Ratings) -> Patterns:
    """Items of a topic with the same ratings by the same people, once with their number."""
    first, times = distinct(np.column_stack((of.topics, of.places.astype(np.int64))))
    return Patterns(of.topics[first], times, of.levels, of.places[first])


def tallies(of: Ratings) -> Tallies:
    """Items of a topic that most coefficients do not tell apart, once with their number."""
    size, two = len(of.levels), of.places.shape[1] == 2
    cells = of.places[:, 0].astype(np.int64) * size + of.places[:, 1] if two else np.zeros(len(of.places), np.int64)
    counts, complete = of.counts(), _complete(of)
    first, times = distinct(np.column_stack((of.topics, complete, cells, counts)))
    return Tallies(of.topics[first], times, counts[first], complete[first], cells[first])


def distinct(rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where each distinct row stands first, in their order, and how often it occurs. Rows are compared as bytes, all at once:
    numbers from -1 on, whose order that keeps."""
    packed = np.ascontiguousarray((rows + 1).astype(">u4")).view(f"V{4 * rows.shape[1]}").ravel()
    order = np.argsort(packed, kind="stable")
    new = np.ones(len(order), bool)
    new[1:] = packed[order[1:]] != packed[order[:-1]]
    starts = np.flatnonzero(new)
    return order[starts], np.diff(np.append(starts, len(order)))


def _complete(of: Ratings) -> NDArray[np.bool_]:
    """Which items have a grade of every assessor of their topic."""
    judged = of.places != MISSING
    if not len(judged):
        return np.zeros(0, bool)
    codes = np.unique(of.topics, return_inverse=True)[1]
    order = np.argsort(codes, kind="stable")
    present = np.logical_or.reduceat(judged[order], np.flatnonzero(np.diff(codes[order], prepend=-1)), axis=0)
    return np.asarray((judged | ~present[codes]).all(axis=1))


def pairs(of: Ratings) -> list[tuple[int, int]]:
    """The pairs of assessors who share at least one item."""
    judged = (of.places != MISSING).astype(np.float32)
    together = judged.T @ judged
    return [(i, j) for i, j in combinations(range(judged.shape[1]), 2) if together[i, j]]


def _counts(places: NDArray[np.int8], size: int) -> Counts:
    item, assessor = np.nonzero(places != MISSING)
    cells = item * size + places[item, assessor]
    return np.bincount(cells, minlength=len(places) * size).reshape(len(places), size)
