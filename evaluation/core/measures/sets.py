"""Counts of what was retrieved."""

import numpy as np
from numpy.typing import NDArray

from evaluation.core.judged import Level


def num_ret(level: Level, cutoff: int | None = None) -> NDArray[np.float64]:
    """Documents retrieved, judged or not; 0 for a topic the run lacks. trec_eval: num_ret."""
    return level.judged.num_ret.astype(np.float64)


def num_rel(level: Level, cutoff: int | None = None) -> NDArray[np.float64]:
    """R: documents judged relevant, retrieved or not. trec_eval: num_rel."""
    return level.num_rel.astype(np.float64)


def num_rel_ret(level: Level, cutoff: int | None = None) -> NDArray[np.float64]:
    """Relevant documents retrieved. trec_eval: num_rel_ret."""
    return level.count().astype(np.float64)
