"""How far the order of systems depends on who judged which topic: one assessor of each topic is drawn, many times over."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.core.significance import TOLERANCE

Floats = NDArray[np.float64]
_AT_ONCE = 1 << 22  # numbers held at once


@dataclass(frozen=True, eq=False)
class Drawn:
    """B draws. `means` and `ranks`, B × runs: each run's mean score and rank, 1 the best, equal ones sharing; `taus`, B:
    Kendall's tau_b with the order that is compared, NaN where all runs tie."""

    means: Floats
    ranks: NDArray[np.int64]
    taus: Floats


def draw(scores: Sequence[Floats], truth: Floats, *, draws: int = 1000, seed: int = 0) -> Drawn:
    """Of each topic the scores by each of its assessors, assessors × runs, one row of which is drawn; `truth`: the mean
    scores of the runs to whose order each draw's is compared. Generator PCG64. Voorhees 2000."""
    rng = np.random.default_rng(seed)
    counts = np.array([len(one) for one in scores])
    starts = np.cumsum(counts) - counts
    stacked = np.concatenate(scores)
    chosen = starts + (rng.random((draws, len(scores))) * counts).astype(np.int64)
    runs = stacked.shape[1]
    size = max(1, _AT_ONCE // max(runs * max(runs, len(scores)), 1))
    parts = [_of(stacked, chosen[begin : begin + size], truth) for begin in range(0, draws, size)]
    return Drawn(*(np.concatenate([part[place] for part in parts]) for place in range(3)))


def _of(stacked: Floats, chosen: NDArray[np.int64], truth: Floats) -> tuple[Floats, NDArray[np.int64], Floats]:
    means = stacked[chosen].mean(axis=1)
    ahead = _signs(means)
    expected = _signs(truth[None, :])
    below = np.sqrt(_pairs(np.abs(ahead)) * _pairs(np.abs(expected)))
    taus = np.divide(_pairs(ahead * expected), below, out=np.full(len(means), np.nan), where=below > 0)
    return means, 1 + (ahead < 0).sum(axis=2), taus


def _signs(means: Floats) -> Floats:
    """For each draw and each ordered pair of runs whether the first is ahead: 1, 0 for a tie, -1."""
    gaps = means[:, :, None] - means[:, None, :]
    return np.where(np.abs(gaps) <= TOLERANCE, 0.0, np.sign(gaps))


def _pairs(signs: Floats) -> Floats:
    return np.asarray(signs.sum(axis=(1, 2)) / 2)
