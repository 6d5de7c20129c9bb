"""How many relevant documents a search would show, from some of its hits."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Band:
    """Hits of neighbouring ranks: how many there are, how many were drawn at random and judged, how many of those are relevant."""

    size: int
    judged: int
    relevant: int


@dataclass(frozen=True)
class Estimate:
    """How many, and the ends of the interval."""

    count: float
    low: float
    high: float


def relevant_hits(bands: Sequence[Band], level: float = 0.95) -> Estimate | None:
    """Relevant documents among all hits of the bands, with an interval; None while a band has hits, and none is judged.

    Each band is a stratum, and its judged hits are a simple random sample of it: the estimate is the sum of size · relevant /
    judged. A band that is judged whole is known. Of the others each has a two-sided Clopper-Pearson interval (C. Clopper and
    E. Pearson 1934) at a level that leaves the error of all of them together at 1 - `level` (Bonferroni); never below what was
    found, nor above what was not ruled out. So the interval is on the safe side, and wide where little was judged.
    """
    if any(band.size and not band.judged for band in bands):
        return None
    from scipy.special import betaincinv  # late: a tenth of a second

    partly = sum(band.judged < band.size for band in bands)
    tail = (1 - level) / 2 / max(partly, 1)
    count, low, high = 0.0, 0.0, 0.0
    for band in bands:
        size, n, k = band.size, band.judged, band.relevant
        if n == size:
            count, low, high = count + k, low + k, high + k
            continue
        least = float(betaincinv(k, n - k + 1, tail)) if k else 0.0
        most = float(betaincinv(k + 1, n - k, 1 - tail)) if k < n else 1.0
        count += size * k / n
        low += max(k, size * least)
        high += min(size - (n - k), size * most)
    return Estimate(count, low, high)
