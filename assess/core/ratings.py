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
class Patterns:
    """The distinct rows of ratings, topic by topic, and how often each occurs.

    Resampling items within topics is drawing these numbers anew, which is far less work than drawing items.
    """

    levels: tuple[int, ...]
    places: NDArray[np.int8]
    topics: NDArray[np.int64]
    times: NDArray[np.int64]

    def counts(self) -> Counts:
        return _counts(self.places, len(self.levels))


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
    rows = np.column_stack((of.topics, of.places.astype(np.int64)))
    distinct, times = np.unique(rows, axis=0, return_counts=True)
    return Patterns(of.levels, distinct[:, 1:].astype(np.int8), distinct[:, 0], times.astype(np.int64))


def pairs(of: Ratings) -> list[tuple[int, int]]:
    """The pairs of assessors who share at least one item."""
    judged = (of.places != MISSING).astype(np.float32)
    together = judged.T @ judged
    return [(i, j) for i, j in combinations(range(judged.shape[1]), 2) if together[i, j]]


def _counts(places: NDArray[np.int8], size: int) -> Counts:
    item, assessor = np.nonzero(places != MISSING)
    cells = item * size + places[item, assessor]
    return np.bincount(cells, minlength=len(places) * size).reshape(len(places), size)
