"""Measures made for incomplete judgments: they step over unjudged documents, estimate them, or tell how many there are."""

import numpy as np
from numpy.typing import NDArray

from evaluation.core.judged import Level, defined_ratio, ratio, summed

Values = NDArray[np.float64]

_SMOOTHING = 0.00001


def bpref(level: Level, denominator: str = "trec_eval") -> Values:
    """bpref = (1/R) Σ 1 - min(n_r, R) / min(N, R) over the relevant documents retrieved.

    n_r: judged non-relevant documents ranked above; N: judged non-relevant documents of the topic. The term is 1 where
    n_r is 0. Unjudged documents, negative grades among them, are skipped; relevant ones not retrieved add 0; R = 0
    gives 0. denominator='literal' divides by R, as the formula is often printed. trec_eval (from 8.0 on): bpref.
    Buckley and Voorhees 2004.
    """
    rel = level.num_rel[level.rows]
    return _preferences(level, rel, rel, denominator)


def bpref_10(level: Level, denominator: str = "trec_eval", first: str = "R+10") -> Values:
    """bpref-10: as bpref with R + 10 in place of R, so that topics with few relevant documents are steadier.

    denominator='literal' divides by R + 10, as Buckley and Voorhees 2004 print it; first='R' counts only the first R
    judged non-relevant documents. trec_eval 8.1: bpref_top10pRnonrel.
    """
    rel = level.num_rel[level.rows]
    return _preferences(level, rel if first == "R" else rel + 10, rel + 10, denominator)


def _preferences(level: Level, most: NDArray[np.int64], below: NDArray[np.int64], denominator: str) -> Values:
    if denominator != "literal":
        below = np.minimum(level.num_nonrel[level.rows], below)
    terms = 1.0 - ratio(np.minimum(level.nonrel_above, most), below)  # n_r > 0 only where N > 0: 0/0 is the term 1
    return ratio(summed(level.rows, terms, level.judged.size), level.num_rel)


def inferred_ap(level: Level) -> Values:
    """infAP: AP estimated from a uniform sample of the pool; a negative grade is pooled and not sampled.

    (1/R) Σ over the relevant at rank k of 1/k + (k-1)/k · (pooled above / (k-1)) · (relevant above + ε) / (judged above
    + 2ε); rank 1 adds 1. ε = 0.00001. R: the relevant ones sampled; 0 gives 0. trec_eval: infAP. Yilmaz and Aslam 2006.
    """
    above = level.found - 1
    pooled = level.judged.so_far(np.ones(len(level.judged.rows), bool))[level.relevant] - 1
    before = (level.ranks - 1).astype(np.float64)
    shares = ratio(pooled, before)
    odds = (above + _SMOOTHING) / (above + level.nonrel_above + 2 * _SMOOTHING)
    terms = 1.0 / (before + 1.0) + (before / (before + 1.0)) * shares * odds
    return ratio(summed(level.rows, np.where(before == 0, 1.0, terms), level.judged.size), level.num_rel)


def judged_at(level: Level, cutoff: int, denominator: str = "retrieved") -> Values:
    """Judged documents in the first k / min(k, retrieved); NaN, left out of means, where nothing was retrieved.

    Negative grades are not judged. denominator='k' divides by k.
    """
    judged = level.judged
    inside = judged.rows[(judged.grades >= 0) & (judged.ranks <= cutoff)]
    below = np.full(judged.size, cutoff) if denominator == "k" else np.minimum(judged.num_ret, cutoff)
    return defined_ratio(np.bincount(inside, minlength=judged.size), np.where(judged.num_ret > 0, below, 0))


def unjudged_at(level: Level, cutoff: int) -> Values:
    """Unjudged documents in the first k / k; ranks that do not exist count as judged. trec_eval 10: unj_k."""
    judged = level.judged
    inside = judged.rows[(judged.grades >= 0) & (judged.ranks <= cutoff)]
    known = np.bincount(inside, minlength=judged.size)
    return (np.minimum(judged.num_ret, cutoff) - known) / np.float64(cutoff)


def rbp(level: Level, cutoff: int | None = None, p: float = 0.8, gain: str = "binary", gmax: int | None = None) -> Values:
    """RBP = (1 - p) Σ u_i p^(i-1): what a reader gains who goes on to the next document with probability p.

    u is 1 for a relevant document; gain='scale': grade / gmax, the highest grade of the scale; gain='topic': grade / the
    topic's highest, which is what trec_eval 10's rbp, of p = 0.9, was meant to be. Unjudged documents add nothing, so
    that this is the least the run can have; see RBPResidual. Moffat and Zobel 2008.
    """
    judged = level.judged
    if gain == "binary":
        rows, ranks, gains = level.rows, level.ranks, np.ones(len(level.rows))
    else:
        rows, ranks = judged.rows, judged.ranks
        gains = np.maximum(judged.grades, 0) / _highest(level, gain, gmax)[rows]
    if cutoff is not None:
        rows, ranks, gains = rows[ranks <= cutoff], ranks[ranks <= cutoff], gains[ranks <= cutoff]
    return (1.0 - p) * summed(rows, np.minimum(gains, 1.0) * _weights(ranks, p), judged.size)


def _highest(level: Level, gain: str, gmax: int | None) -> NDArray[np.int64]:
    judged = level.judged
    if gain == "scale":
        return np.full(judged.size, gmax or judged.top)
    highest = np.ones(len(judged.qrels.topics), np.int64)
    np.maximum.at(highest, judged.qrels.codes, judged.qrels.grades)
    return np.tile(highest, judged.runs)


def _weights(ranks: NDArray[np.int64], p: float) -> Values:
    """p^(rank - 1), by repeated multiplication as trec_eval does."""
    factors = np.full(int(ranks.max(initial=1)), p)
    factors[0] = 1.0
    return np.cumprod(factors)[ranks - 1]


def rbp_residual(level: Level, p: float = 0.8, tail: str = "always") -> Values:
    """What RBP could still gain: the weight of unjudged documents and of all that lies beyond the ranking.

    The score lies between RBP and RBP + RBPResidual. tail='unjudged': 0 where the ranking holds no unjudged document,
    as trec_eval 10's rbp_resid has it. Moffat and Zobel 2008.
    """
    judged = level.judged
    some = judged.grades >= 0
    rows, ranks = judged.rows[some], judged.ranks[some]
    residual = 1.0 - (1.0 - p) * summed(rows, _weights(ranks, p), judged.size)
    if tail == "always":
        return residual
    return np.where(np.bincount(rows, minlength=judged.size) == judged.num_ret, 0.0, residual)
