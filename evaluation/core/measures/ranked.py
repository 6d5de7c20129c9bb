"""Measures of a ranking with binary relevance; an unjudged document is not relevant."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from evaluation.core.judged import Level, defined_ratio, discounts, ratio, summed

Values = NDArray[np.float64]

ELEVEN = tuple(Fraction(level, 10) for level in range(11))


def average_precision(level: Level, cutoff: int | None = None) -> Values:
    """AP = (1/R) Σ i / r_i over the relevant documents retrieved, r_i the rank of the i-th.

    Relevant documents not retrieved add 0. With a cutoff only ranks up to it count, still divided by R. R = 0 gives 0.
    trec_eval: map, map_cut_k. Buckley and Voorhees 2000.
    """
    return ratio(_precisions(level, cutoff), level.num_rel)


def simplified_ap(level: Level, cutoff: int | None = None) -> Values:
    """AP divided by the relevant documents retrieved instead of R: it favours systems that return little."""
    return ratio(_precisions(level, cutoff), level.num_rel_ret if cutoff is None else level.count(cutoff))


def _precisions(level: Level, cutoff: int | None) -> Values:
    if cutoff is None:
        return summed(level.rows, level.precision, level.judged.size)
    within = level.ranks <= cutoff
    return summed(level.rows[within], level.precision[within], level.judged.size)


def yaap(level: Level) -> Values:
    """log((1 + S) / (1 + R - S)), S the sum of precisions that AP divides by R; 0 where R is 0. trec_eval: yaap."""
    total = _precisions(level, None)
    return np.where(level.num_rel > 0, np.log((1.0 + total) / (1.0 + level.num_rel - total)), 0.0)


def precision_at(level: Level, cutoff: int) -> Values:
    """P@k = relevant documents in the first k / k, also where fewer than k were retrieved. trec_eval: P_k."""
    return level.count(cutoff) / np.float64(cutoff)


def relative_precision_at(level: Level, cutoff: int) -> Values:
    """Relevant documents in the first k / min(k, R), the most that k documents can hold. trec_eval: relative_P_k."""
    return ratio(level.count(cutoff), np.minimum(level.num_rel, cutoff))


def recall_at(level: Level, cutoff: int) -> Values:
    """R@k = relevant documents in the first k / R; R = 0 gives 0. trec_eval: recall_k."""
    return ratio(level.count(cutoff), level.num_rel)


def r_precision(level: Level) -> Values:
    """Relevant documents in the first R, divided by R; ranks not retrieved are not relevant, R = 0 gives 0.

    The point where precision and recall are equal. trec_eval: Rprec.
    """
    return ratio(level.count(level.num_rel), level.num_rel)


def r_precision_multiple(level: Level, cutoff: Fraction) -> Values:
    """Precision after x·R documents, ⌊x·R + 0.9⌋ to be exact; divided by that number however many were retrieved.

    trec_eval: Rprec_mult_x.xx.
    """
    depth = (float(cutoff) * level.num_rel + 0.9).astype(np.int64)
    return ratio(level.count(depth), depth)


def reciprocal_rank(level: Level, cutoff: int | None = None) -> Values:
    """1 / rank of the first relevant document, 0 if there is none (with a cutoff: none in the first k).

    trec_eval: recip_rank. Kantor and Voorhees 2000; its mean is MRR.
    """
    first = level.found == 1
    if cutoff is not None:
        first &= level.ranks <= cutoff
    return summed(level.rows[first], 1.0 / level.ranks[first], level.judged.size)


def search_length(level: Level) -> Values:
    """The rank of the first relevant document; NaN, and left out of means, where none was retrieved."""
    first = level.found == 1
    length = np.full(level.judged.size, np.nan)
    length[level.rows[first]] = level.ranks[first]
    return length


def pair_accuracy(level: Level, cutoff: int | None = None) -> Values:
    """Of the pairs of a relevant and another document of the ranking, or of its first k, the share with the relevant first.

    NaN, and left out of means, where there is no pair. ir_measures calls it Accuracy.
    """
    within = slice(None) if cutoff is None else level.ranks <= cutoff
    rows, above = level.rows[within], (level.ranks - level.found)[within]  # others above each relevant document
    good = np.bincount(rows, minlength=level.judged.size)
    size = level.judged.num_ret if cutoff is None else np.minimum(level.judged.num_ret, cutoff)
    return 1.0 - defined_ratio(summed(rows, above.astype(np.float64), level.judged.size), good * (size - good))


def success_at(level: Level, cutoff: int) -> Values:
    """1 if any of the first k documents is relevant, else 0. trec_eval: success_k."""
    return (level.count(cutoff) > 0).astype(np.float64)


def binary_g(level: Level) -> Values:
    """(1/R) Σ 1 / log2(2 + non-relevant documents above) over the relevant ones retrieved. trec_eval: binG."""
    terms = 1.0 / discounts(level.ranks - level.found + 1)
    return ratio(summed(level.rows, terms, level.judged.size), level.num_rel)


def interpolated_precision(level: Level, cutoff: Fraction, rule: str = "ceiling") -> Values:
    """The highest precision at any recall of at least x; 0 where that recall is not reached. trec_eval: iprec_at_recall.

    How many documents make a recall of x is computed exactly, or as trec_eval 9 or 10 do if the rules say so. Two other
    rules are taught: "window" takes the highest precision of the points between x and x + 0.1, "window-exact" the
    precision at x itself if a point lies there; an empty window takes the value of the next level.
    """
    if rule != "ceiling":
        return np.asarray(_windowed(level, exact=rule == "window-exact")[int(cutoff * 10)])
    needed = _needed(level, cutoff)
    reached = (needed <= level.num_rel_ret) & (level.num_rel_ret > 0)
    value = np.zeros(level.judged.size)
    value[reached] = level.ceiling[level.starts[reached] + np.maximum(needed[reached], 1) - 1]
    return value


def _needed(level: Level, recall: Fraction) -> NDArray[np.int64]:
    """Relevant documents that make this recall, one value per row."""
    points = level.judged.given.recall_points
    if points == "exact":
        return np.asarray((recall.numerator * level.num_rel + recall.denominator - 1) // recall.denominator, np.int64)
    product = float(recall) * level.num_rel
    if points == "truncated":
        return (product + 0.9).astype(np.int64)
    whole = np.floor(product)
    rounded: NDArray[np.float64] = whole + (product - whole >= 0.5)  # half away from zero; np.round goes to even numbers
    return rounded.astype(np.int64)


def _windowed(level: Level, *, exact: bool) -> Values:
    """Levels × rows."""
    number = level.num_rel[level.rows]
    place = level.found * 10 // np.maximum(number, 1)
    on_level = level.found * 10 == place * number
    best = np.full((11, level.judged.size), -1.0)
    np.maximum.at(best, (place, level.rows), level.precision)
    below = on_level & (place > 0)  # a point on a level closes the window before it
    np.maximum.at(best, (place[below] - 1, level.rows[below]), level.precision[below])
    for step in range(9, -1, -1):
        best[step] = np.where(best[step] < 0, np.maximum(best[step + 1], 0.0), best[step])
        if exact:
            here = on_level & (place == step)
            best[step, level.rows[here]] = level.precision[here]
    return np.asarray(np.maximum(best, 0.0))


def eleven_point_average(level: Level, rule: str = "ceiling", points: tuple[Fraction, ...] = ELEVEN) -> Values:
    """Mean of the interpolated precision at recall 0, 0.1, … 1, added from 1 down as trec_eval does. 11pt_avg."""
    return _averaged(level, points, rule)


def three_point_average(level: Level) -> Values:
    """Mean of the interpolated precision at recall 0.2, 0.5 and 0.8."""
    return _averaged(level, (ELEVEN[2], ELEVEN[5], ELEVEN[8]), "ceiling")


def _averaged(level: Level, points: tuple[Fraction, ...], rule: str) -> Values:
    total = np.zeros(level.judged.size)
    for point in reversed(points):
        total += interpolated_precision(level, point, rule)
    return total / len(points)


def area(level: Level) -> Values:
    """Area under the interpolated recall-precision curve of eleven points, by trapezia."""
    points = np.array([interpolated_precision(level, point) for point in ELEVEN])
    return np.asarray(np.trapezoid(points, dx=0.1, axis=0), np.float64)


def break_even(level: Level, method: str = "rprec") -> Values:
    """Where precision equals recall: R-precision, or by "curve" where the eleven-point curve crosses the diagonal."""
    if method == "rprec":
        return r_precision(level)
    recall = np.arange(11) / 10
    points = np.array([interpolated_precision(level, point) for point in ELEVEN])
    above = points - recall[:, None]
    crossing = np.argmax((above[:-1] >= 0) & (above[1:] <= 0), axis=0)
    every = np.arange(level.judged.size)
    high, low = above[crossing, every], above[crossing + 1, every]
    share = ratio(high, high - low)
    return np.asarray(np.where(high == 0, points[crossing, every], recall[crossing] + share * 0.1))


def recall_precision_points(level: Level) -> tuple[NDArray[np.int64], Values, Values]:
    """Row, recall and precision at every relevant document retrieved: the raw curve."""
    return level.rows, level.found / level.num_rel[level.rows], level.precision
