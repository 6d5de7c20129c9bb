"""Measures by a model of the reader: how likely a reader who saw the documents so far goes on to the next one.

A measure is the expected gain of a document that is read: Σ V_i g_i / Σ V_i, V_i = Π_{j<i} C_j the chance that the document
at rank i is read, C_j that of going on after rank j. The gain g is a share of the scale, (grade - min_rel) / (max_rel -
min_rel), 0 of unjudged documents, and max_rel the highest grade of the scale. A ranking goes on, without gain, to the
depth of the measure: its cutoff, 1,000 documents at most, as in cwl_eval. Moffat, Thomas and Scholer 2013; Azzopardi, Thomas and
Moffat 2019.
"""

import numpy as np
from numpy.typing import NDArray

from evaluation.core.judged import Level, accumulated, discounts, summed

Values = NDArray[np.float64]
Whole = NDArray[np.int64]

DEPTH = 1000


class _Gains:
    """The documents with a gain, row after row, within the depth."""

    def __init__(self, level: Level, cutoff: int, min_rel: int, max_rel: int | None) -> None:
        judged = level.judged
        top = judged.top if max_rel is None else max_rel
        shares = np.clip((judged.grades - min_rel) / max(top - min_rel, 1), 0.0, 1.0)
        kept = np.flatnonzero((shares > 0) & (judged.ranks <= min(cutoff, DEPTH)))
        self.rows, self.ranks, self.gains = judged.rows[kept], judged.ranks[kept], shares[kept]
        self.size = judged.size
        self.counts: Whole = np.bincount(self.rows, minlength=self.size)

    def before(self, step: np.ufunc, values: Values, start: float) -> Values:
        """`step` over the values of the row above each document, `start` at the first."""
        found = np.concatenate(([start], accumulated(step, values, self.counts)))[:-1]
        found[np.flatnonzero(np.diff(self.rows, prepend=-1))] = start
        return found

    def total(self, values: Values) -> Values:
        return summed(self.rows, values, self.size)


def _expected(weights: Values, found: _Gains, *, stops: bool = False) -> Values:
    """Where ranks are read with chances in proportion to these weights, rank 1 first; if `stops`, a reader also stops at
    each document with the probability of its gain.

    With P_j the chance that none of the first j gains stopped the reader and S the running sum of the weights, Σ V_i is
    S[depth] - Σ_j P_{j-1} g_j (S[depth] - S[r_j]): no rank without a gain is visited.
    """
    so_far = np.cumsum(weights)
    there = found.gains * found.before(np.multiply, 1.0 - found.gains, 1.0) if stops else found.gains
    unread = found.total(there * (so_far[-1] - so_far[found.ranks - 1])) if stops else 0.0
    return np.asarray(found.total(there * weights[found.ranks - 1]) / (so_far[-1] - unread))


def _ranks(cutoff: int = DEPTH) -> Whole:
    return np.arange(1, min(cutoff, DEPTH) + 1)


def sdcg(level: Level, cutoff: int, min_rel: int = 0, max_rel: int | None = None) -> Values:
    """SDCG@k: DCG@k as a share of that of k documents of the highest grade; V_i = 1 / log2(i + 1). Moffat et al. 2015."""
    return _expected(1.0 / discounts(_ranks(cutoff)), _Gains(level, cutoff, min_rel, max_rel))


def bpm(level: Level, cutoff: int, T: float = 1.0, min_rel: int = 0, max_rel: int | None = None) -> Values:
    """BPM@k: the mean gain of what is read by one who stops with a gain of T, or after k documents. Zhang et al. 2017."""
    found = _Gains(level, cutoff, min_rel, max_rel)
    before = found.before(np.add, found.gains, 0.0)
    read = before < T - 1e-12  # thirds do not add up to one
    last = read & (before + found.gains >= T - 1e-12)
    stop = np.full(found.size, min(cutoff, DEPTH))
    stop[found.rows[last]] = found.ranks[last]
    return np.asarray(found.total(found.gains * read) / stop)


def insq(level: Level, T: float = 1.0, min_rel: int = 0, max_rel: int | None = None) -> Values:
    """INSQ: C_i = ((i + 2T - 1) / (i + 2T))², T the gain that is wanted. Moffat, Scholer and Thomas 2012."""
    return _expected(_patience(T), _Gains(level, DEPTH, min_rel, max_rel))


def _patience(T: float) -> Values:
    return np.asarray((2 * T / (_ranks() - 1 + 2 * T)) ** 2, np.float64)


def inst(level: Level, T: float = 1.0, min_rel: int = 0, max_rel: int | None = None) -> Values:
    """INST: as INSQ, with T + T_i in place of 2T, T_i what is left of T after rank i: what is found ends reading earlier.

    From one gain to the next, with a = T + T_i, V_i is V_r ((r + a - 1) / (i - 1 + a))², r the rank of the gain above, and
    sums of such squares are differences of Hurwitz' zeta. Moffat et al. 2015.
    """
    from scipy.special import zeta  # late: nothing else here needs it

    found = _Gains(level, DEPTH, min_rel, max_rel)
    ranks, wanted = found.ranks, 2 * T
    first = np.diff(found.rows, prepend=-1) > 0
    above = found.before(np.maximum, ranks.astype(np.float64), 0.0)  # the rank of the gain above
    until = wanted - found.before(np.add, found.gains, 0.0)  # a down to each gain, and below it
    after = until - found.gains
    steps = np.where(first, wanted, above + until - 1) / (ranks - 1 + until)
    read = accumulated(np.multiply, steps**2, found.counts)
    below = np.append(ranks[1:], DEPTH)
    below[np.append(first[1:], True)[: len(ranks)]] = DEPTH
    stretches = read * (ranks + after - 1) ** 2 * (zeta(2, ranks + after) - zeta(2, below[: len(ranks)] + after))
    begins = np.full(found.size, DEPTH)
    begins[found.rows[first]] = ranks[first]
    total = wanted**2 * (zeta(2, wanted) - zeta(2, begins + wanted)) + found.total(stretches)
    return np.asarray(found.total(read * found.gains) / total)


def nerr8(level: Level, cutoff: int, min_rel: int = 0, max_rel: int | None = None) -> Values:
    """NERR8@k: C_i = 1 - g_i down to rank k: the gain is the chance of stopping. Azzopardi, Mackenzie and Moffat 2021, (8)."""
    return _expected(np.ones(len(_ranks(cutoff))), _Gains(level, cutoff, min_rel, max_rel), stops=True)


def nerr9(level: Level, cutoff: int, min_rel: int = 0, max_rel: int | None = None) -> Values:
    """NERR9@k: C_i = (1 - g_i) i / (i + 1) down to rank k. Azzopardi, Mackenzie and Moffat 2021, (9)."""
    return _expected(1.0 / _ranks(cutoff), _Gains(level, cutoff, min_rel, max_rel), stops=True)


def nerr10(level: Level, p: float = 0.9, min_rel: int = 0, max_rel: int | None = None) -> Values:
    """NERR10: C_i = p (1 - g_i), the patience of RBP. Azzopardi, Mackenzie and Moffat 2021, (10)."""
    return _expected(np.asarray(p ** (_ranks() - 1), np.float64), _Gains(level, DEPTH, min_rel, max_rel), stops=True)


def nerr11(level: Level, T: float = 1.0, min_rel: int = 0, max_rel: int | None = None) -> Values:
    """NERR11: C_i = (1 - g_i) ((i + 2T - 1) / (i + 2T))², the patience of INSQ. Azzopardi, Mackenzie and Moffat 2021, (11)."""
    return _expected(_patience(T), _Gains(level, DEPTH, min_rel, max_rel), stops=True)
