"""Topic by topic: a run against the median, how hard topics are, scores freed of the topic. Scores are systems × topics."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.core.significance import TOLERANCE

Table = NDArray[np.float64]


def from_median(scores: Table) -> Table:
    """Each score minus the median of its topic; the mean of the middle two for an even number of systems."""
    return np.asarray(scores - np.median(scores, axis=0))


@dataclass(frozen=True, eq=False)
class Difficulty:
    """Per topic: mean, median, best and standard deviation over the systems, and whether the systems differ at all.

    `third`: 0 hard, 1 medium, 2 easy, by the mean. Of the systems for which the measure is defined; NaN, and hard, where
    it is defined for none.
    """

    mean: NDArray[np.float64]
    median: NDArray[np.float64]
    best: NDArray[np.float64]
    deviation: NDArray[np.float64]
    separates: NDArray[np.bool_]
    third: NDArray[np.int64]


def difficulty(scores: Table) -> Difficulty:
    """How hard each topic is, of systems × topics. One system has a deviation of 0 and separates nothing."""
    there = ~np.isnan(scores)
    count = there.sum(axis=0)
    mean = np.where(there, scores, 0.0).sum(axis=0) / np.where(count, count, np.nan)
    best = np.where(count, np.where(there, scores, -np.inf).max(axis=0, initial=-np.inf), np.nan)
    worst = np.where(count, np.where(there, scores, np.inf).min(axis=0, initial=np.inf), np.nan)
    squares = (np.where(there, scores - mean, 0.0) ** 2).sum(axis=0)
    places = np.argsort(np.argsort(np.where(count, mean, -np.inf), kind="stable"), kind="stable")
    return Difficulty(
        mean,
        np.array([np.median(row[known]) if known.any() else np.nan for row, known in zip(scores.T, there.T, strict=True)]),
        best,
        np.sqrt(squares / np.maximum(count - 1, 1)),
        best - worst > TOLERANCE,
        places * 3 // max(len(mean), 1),
    )


def standardized(scores: Table, reference: Table | None = None) -> Table:
    """(score - mean) / deviation of its topic over the reference systems; 0 where they do not vary.

    Webber, Moffat and Zobel 2008.
    """
    given = scores if reference is None else reference
    mean, deviation = given.mean(axis=0), given.std(axis=0, ddof=1)
    varies = deviation > TOLERANCE
    return np.where(varies, (scores - mean) / np.where(varies, deviation, 1.0), 0.0)


def normal(standard: Table) -> Table:
    """Standardized scores as shares of a normal distribution, between 0 and 1."""
    from scipy import special

    return np.asarray(special.ndtr(standard))
