"""Measures of a ranking with binary relevance; an unjudged document is not relevant."""

import numpy as np
from numpy.typing import NDArray

from evaluation.core.judged import Level, ratio, summed


def average_precision(level: Level, cutoff: int | None = None) -> NDArray[np.float64]:
    """AP = (1/R) Σ i / r_i over the relevant documents retrieved, r_i the rank of the i-th.

    Relevant documents not retrieved add 0. With a cutoff only ranks up to it count, still divided by R. R = 0 gives 0.
    trec_eval: map, map_cut_k. Buckley and Voorhees 2000.
    """
    rows, precision = level.rows, level.found / level.ranks
    if cutoff is not None:
        rows, precision = rows[level.ranks <= cutoff], precision[level.ranks <= cutoff]
    return ratio(summed(rows, precision, level.judged.size), level.num_rel)


def precision_at(level: Level, cutoff: int) -> NDArray[np.float64]:
    """P@k = relevant documents in the first k / k, also where fewer than k were retrieved. trec_eval: P_k."""
    return level.count(level.ranks <= cutoff) / np.float64(cutoff)


def recall_at(level: Level, cutoff: int) -> NDArray[np.float64]:
    """R@k = relevant documents in the first k / R; R = 0 gives 0. trec_eval: recall_k."""
    return ratio(level.count(level.ranks <= cutoff), level.num_rel)


def r_precision(level: Level, cutoff: int | None = None) -> NDArray[np.float64]:
    """Relevant documents in the first R, divided by R; ranks not retrieved are not relevant, R = 0 gives 0.

    The point where precision and recall are equal. trec_eval: Rprec.
    """
    return ratio(level.count(level.ranks <= level.num_rel[level.rows]), level.num_rel)


def reciprocal_rank(level: Level, cutoff: int | None = None) -> NDArray[np.float64]:
    """1 / rank of the first relevant document, 0 if there is none (with a cutoff: none in the first k).

    trec_eval: recip_rank. Kantor and Voorhees 2000; its mean is MRR.
    """
    first = level.found == 1
    if cutoff is not None:
        first &= level.ranks <= cutoff
    return summed(level.rows[first], 1.0 / level.ranks[first], level.judged.size)


def success_at(level: Level, cutoff: int) -> NDArray[np.float64]:
    """1 if any of the first k documents is relevant, else 0. trec_eval: success_k."""
    return (level.count(level.ranks <= cutoff) > 0).astype(np.float64)
