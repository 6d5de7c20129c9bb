"""Measures estimated from a sampled pool: by strata, of which a share was judged, or by each document's probability."""

import numpy as np
from numpy.typing import NDArray

from evaluation.core.judged import Judged, Level, accumulated, discounts, ratio, summed

Values = NDArray[np.float64]

DEEPEST = 1000  # estimates read no further
_SMOOTHING = 0.00001


def xinf_ap(level: Level) -> Values:
    """xinfAP: AP estimated from a stratified sample; a negative grade is pooled and not sampled.

    N_h, n_h, r_h: documents of stratum h in the pool, sampled, sampled and relevant; R_h = r_h N_h / n_h, R their sum. A
    relevant one at rank k has P = 1/k + (1/k) Σ_s D_s (r_s + ε) / (n_s + 3ε) over the strata above it (D pooled, n
    sampled, r relevant); the value is Σ_h (R_h / R) mean of P over the stratum's relevant ones, 0 for one not retrieved.
    Documents outside the pool count as not relevant. ε = 0.00001; nothing relevant gives 0. Yilmaz, Kanoulas and Aslam
    2008.
    """
    level = Level(level.judged.cut(DEEPEST), level.rel)
    judged, count = level.judged, _count(level.judged)
    strata = _strata(judged)[judged.items]
    above = np.zeros(len(level.rows))
    for stratum in range(count):
        here = strata == stratum
        parts = (here, here & (judged.grades >= 0), here & level.relevant)
        pooled, sampled, good = (_above(judged, part)[level.relevant] for part in parts)
        above += pooled * (good + _SMOOTHING) / (sampled + 3 * _SMOOTHING)
    precision = (1 + above) / level.ranks
    sums = summed(level.rows * count + strata[level.relevant], precision, judged.size * count).reshape(-1, count)
    relevant, estimated = _estimates(judged, judged.qrels.grades >= level.rel)
    shares = ratio(estimated.reshape(-1), np.repeat(estimated.sum(axis=1), count)).reshape(estimated.shape)
    means = np.divide(sums, np.tile(relevant, (judged.runs, 1)), out=np.zeros_like(sums), where=sums > 0)
    value: Values = (np.tile(shares, (judged.runs, 1)) * means).sum(axis=1)
    return value


def inf_ndcg(level: Level) -> Values:
    """infNDCG: nDCG estimated from a stratified sample; gains are the grades.

    Retrieved: Σ_h D_h · mean of g / log2(k + 1) over the stratum's retrieved sampled ones, D_h its retrieved pooled ones.
    Ideal: of each grade the estimated number Σ_h count N_h / n_h, rounded, highest first. Above 1 is possible with small
    samples. Yilmaz, Kanoulas and Aslam 2008.
    """
    judged = level.judged.cut(DEEPEST)
    count = _count(judged)
    cell = judged.rows * count + _strata(judged)[judged.items]
    size = judged.size * count
    gains = summed(cell, np.maximum(judged.grades, 0) / discounts(judged.ranks), size)
    pooled = np.bincount(cell, minlength=size)
    sampled = np.bincount(cell[judged.grades >= 0], minlength=size)
    found = ratio(pooled * gains, sampled).reshape(-1, count).sum(axis=1)
    return ratio(found, np.tile(_ideal(judged), judged.runs))


def stat_ap(level: Level) -> Values:
    """statAP: AP estimated from a sample whose every document had a probability π of its own.

    (1/R) Σ over the sampled relevant ones at rank k of (1/π) (1 + Σ of 1/π of those above) / k; R = Σ 1/π over all sampled
    relevant ones. Nothing relevant gives 0. Aslam and Pavlu 2007.
    """
    judged, (rows, ranks, weights) = level.judged, _weighed(level)
    counts = np.bincount(rows, minlength=judged.size)
    earlier = accumulated(np.add, weights, counts) - weights
    return ratio(summed(rows, weights * (1 + earlier) / ranks, judged.size), np.tile(stat_num_rel(level), judged.runs))


def stat_precision(level: Level, cutoff: int) -> Values:
    """P@k estimated likewise: (1/k) Σ 1/π over the sampled relevant ones of the first k. Above 1 is possible."""
    rows, ranks, weights = _weighed(level)
    return summed(rows[ranks <= cutoff], weights[ranks <= cutoff], level.judged.size) / cutoff


def stat_num_rel(level: Level) -> Values:
    """The relevant documents of each topic, estimated: Σ 1/π over the sampled relevant ones."""
    qrels = level.judged.qrels
    chances = _inclusion(level.judged)
    counted = (qrels.grades >= level.rel) & (chances > 0)
    return summed(qrels.codes[counted], 1 / chances[counted], len(qrels.topics))


def xinf_num_rel(level: Level) -> Values:
    """The relevant documents of each topic, estimated by strata: Σ_h r_h N_h / n_h."""
    estimated: Values = _estimates(level.judged, level.judged.qrels.grades >= level.rel)[1].sum(axis=1)
    return estimated


def _weighed(level: Level) -> tuple[NDArray[np.int64], NDArray[np.int64], Values]:
    """Of the relevant hits that were sampled: row, rank and 1/π."""
    chances = _inclusion(level.judged)[level.judged.items][level.relevant]
    counted = chances > 0
    return level.rows[counted], level.ranks[counted], 1 / chances[counted]


def _inclusion(judged: Judged) -> Values:
    """Of each pair of the qrels, 0 where it is no probability; 1 for all unless given."""
    given = judged.given.inclusion
    return np.ones(len(judged.qrels)) if given is None else np.where((given > 0) & (given <= 1), given, 0.0)


def _strata(judged: Judged) -> NDArray[np.int64]:
    """Of each pair of the qrels, from 0; one for all unless given."""
    given = judged.given.strata
    return np.zeros(len(judged.qrels), np.int64) if given is None else given


def _count(judged: Judged) -> int:
    return int(_strata(judged).max(initial=0)) + 1


def _above(judged: Judged, mask: NDArray[np.bool_]) -> NDArray[np.int64]:
    """For each hit, the masked hits of its row above it."""
    return judged.so_far(mask) - mask


def _cells(judged: Judged, mask: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Topics × strata: how many pairs of the qrels are masked."""
    qrels, count = judged.qrels, _count(judged)
    cell = qrels.codes[mask] * count + _strata(judged)[mask]
    return np.bincount(cell, minlength=len(qrels.topics) * count).reshape(-1, count)


def _estimates(judged: Judged, relevant: NDArray[np.bool_]) -> tuple[NDArray[np.int64], Values]:
    """Topics × strata: sampled relevant ones, and how many there are by estimate."""
    found = _cells(judged, relevant)
    pooled, sampled = _cells(judged, np.ones(len(judged.qrels), bool)), _cells(judged, judged.qrels.grades >= 0)
    return found, ratio((found * pooled).reshape(-1), sampled.reshape(-1)).reshape(found.shape)


def _ideal(judged: Judged) -> Values:
    """The DCG of the ideal ranking of each topic, by the estimated number of each grade."""
    worth = np.concatenate(([0.0], np.cumsum(1 / discounts(np.arange(1, DEEPEST + 1)))))
    total = np.zeros(len(judged.qrels.topics))
    start = np.zeros(len(total), np.int64)
    for grade in np.unique(judged.qrels.grades[judged.qrels.grades > 0])[::-1].tolist():
        number = np.floor(_estimates(judged, judged.qrels.grades == grade)[1].sum(axis=1) + 0.5).astype(np.int64)
        end = start + number
        total += grade * (worth[np.minimum(end, DEEPEST)] - worth[np.minimum(start, DEEPEST)])
        start = end
    return total
