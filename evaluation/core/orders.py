"""How alike two orders of systems are: under two assessors, two depths, two measures. Scores within 1e-12 are tied."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.core.significance import TOLERANCE

Floats = NDArray[np.float64]


def kendall(x: Floats, y: Floats, *, ties: bool = True) -> float | None:
    """tau_b: (concordant - discordant) / √((pairs - tied in x)(pairs - tied in y)); None if one side is all tied.

    Without `ties` tau_a, which divides by all pairs. Kendall 1945.
    """
    one, other = _signs(x), _signs(y)
    concordant = float((one * other).sum())
    if not ties:
        return concordant / len(one) if len(one) else None
    below = float(np.abs(one).sum()) * float(np.abs(other).sum())
    return concordant / math.sqrt(below) if below else None


def _signs(values: Floats) -> Floats:
    """For each pair of systems, which is ahead; 0 for a tie."""
    first, second = np.triu_indices(len(values), 1)
    gaps = np.asarray(values, np.float64)[first] - np.asarray(values, np.float64)[second]
    return np.where(np.abs(gaps) <= TOLERANCE, 0.0, np.sign(gaps))


def swapped(x: Floats, y: Floats) -> int:
    """Pairs of systems that the two order otherwise: for fewer than ten systems, more telling than a tau."""
    return int((_signs(x) * _signs(y) < 0).sum())


def tau_ap(estimate: Sequence[Hashable], truth: Sequence[Hashable]) -> float:
    """tau_AP: as tau, with the top of the estimated order weighing most. Names, the best first; not symmetric.

    Yilmaz, Aslam and Robertson 2008.
    """
    places = {name: place for place, name in enumerate(truth)}
    if len(estimate) < 2 or set(places) != set(estimate) or len(places) != len(estimate):
        raise ValueError("expected two orders of the same systems, two or more, each once")
    order = np.array([places[name] for name in estimate])
    above = np.tril(order[:, None] > order[None, :], -1).sum(axis=1)[1:]
    return float(2 * (above / np.arange(1, len(order))).sum() / (len(order) - 1) - 1)


def tau_ap_symmetric(one: Sequence[Hashable], other: Sequence[Hashable]) -> float:
    """The mean of tau_AP both ways."""
    return (tau_ap(one, other) + tau_ap(other, one)) / 2


@dataclass(frozen=True)
class Overlap:
    """Rank-biased overlap: `extrapolated`, and the least it can be, from the depth both lists have."""

    extrapolated: float
    least: float


def rbo(one: Sequence[Hashable], other: Sequence[Hashable], *, p: float = 0.9) -> Overlap:
    """Rank-biased overlap of two lists, which may differ in length and in what they hold. Webber, Moffat and Zobel 2010."""
    if not 0 < p < 1:
        raise ValueError(f"expected p between 0 and 1, found {p}")
    short, long = (one, other) if len(one) <= len(other) else (other, one)
    s, n = len(short), len(long)
    if not s:
        return Overlap(0.0, 0.0)
    depths = np.arange(1, n + 1)
    shared = _shared(short, long)
    weights = p**depths
    agreed = (shared / depths * weights).sum()
    beyond = depths > s
    agreed += (shared[s - 1] * (depths - s) / (s * depths) * weights)[beyond].sum()
    tail = ((shared[-1] - shared[s - 1]) / n + shared[s - 1] / s) * p**n
    common = ((shared[:s] - shared[s - 1]) / depths[:s] * weights[:s]).sum() - shared[s - 1] * math.log(1 - p)
    return Overlap(float((1 - p) / p * agreed + tail), float((1 - p) / p * common))


def _shared(short: Sequence[Hashable], long: Sequence[Hashable]) -> Floats:
    """How many the lists have in common down to each depth of the longer."""
    place = {name: rank for rank, name in enumerate(short)}
    if len(place) != len(short) or len(set(long)) != len(long):
        raise ValueError("expected lists in which each system stands once")
    met = np.array([max(place[name], rank) for rank, name in enumerate(long) if name in place], np.int64)
    return np.bincount(met, minlength=len(long)).cumsum().astype(np.float64)


def pearson(x: Floats, y: Floats) -> float | None:
    """The correlation of the scores themselves; None if one side does not vary."""
    if np.ptp(x) <= TOLERANCE or np.ptp(y) <= TOLERANCE:
        return None
    return float(np.corrcoef(x, y)[0, 1])
