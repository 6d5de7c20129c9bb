"""What a run gives to one user: who knows some documents already, and expects to find a number of relevant ones."""

import numpy as np
from numpy.typing import NDArray

from evaluation.core.judged import Level, defined_ratio

Values = NDArray[np.float64]


def coverage(level: Level) -> Values:
    """Of the relevant documents the user knew, the share that was retrieved; NaN where there are none. Korfhage 1997."""
    judged = level.judged
    known = _known(level)
    relevant = judged.qrels.grades >= level.rel
    below = np.bincount(judged.qrels.codes[known & relevant], minlength=len(judged.qrels.topics))
    return defined_ratio(_found(level, known[judged.items]), np.tile(below, judged.runs))


def novelty(level: Level) -> Values:
    """Of the relevant documents retrieved, the share the user did not know; NaN where none was. Korfhage 1997."""
    return defined_ratio(_found(level, ~_known(level)[level.judged.items]), level.num_rel_ret)


def relative_recall(level: Level) -> Values:
    """Relevant documents retrieved / the number the user expected, so it may pass 1; NaN where nobody said."""
    return defined_ratio(level.num_rel_ret, _expected(level))


def recall_effort(level: Level) -> Values:
    """The number the user expected / the documents read until it was found, the whole ranking if it was not.

    NaN where nobody said, or nothing was retrieved.
    """
    expected = _expected(level)
    last = level.found == expected[level.rows]
    read = level.judged.num_ret.copy()
    read[level.rows[last]] = level.ranks[last]
    return defined_ratio(expected, np.where(expected > 0, read, 0))


def _found(level: Level, mask: NDArray[np.bool_]) -> NDArray[np.int64]:
    return np.bincount(level.judged.rows[level.relevant & mask], minlength=level.judged.size)


def _known(level: Level) -> NDArray[np.bool_]:
    known = level.judged.given.known
    return np.zeros(len(level.judged.qrels), bool) if known is None else known


def _expected(level: Level) -> NDArray[np.int64]:
    expected = level.judged.given.expected
    return np.tile(np.zeros(len(level.judged.qrels.topics), np.int64) if expected is None else expected, level.judged.runs)
