"""Measures of graded relevance. The gain of a document is its grade, 0 if unjudged or negative."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.core.judged import Judged, Level, accumulated, discounts, places, ratio, summed

Values = NDArray[np.float64]
Gains = tuple[tuple[int, float], ...]

FORMS = {"log2": "log2p1", "exp-log2": "exp"}  # as ir_measures calls them


@dataclass(frozen=True, eq=False)
class Gained:
    """Documents with a gain. `rows` are rows of the judged rankings, or topics where they are of the ideal rankings."""

    rows: NDArray[np.int64]
    ranks: NDArray[np.int64]
    gains: Values
    size: int

    def cut(self, cutoff: int | None) -> "Gained":
        if cutoff is None:
            return self
        kept = self.ranks <= cutoff
        return Gained(self.rows[kept], self.ranks[kept], self.gains[kept], self.size)

    def discounted(self, form: str, base: float) -> Values:
        """The sum over each row of gain / discount, in rank order."""
        return summed(self.rows, self.gains / discount(self.ranks, form, base), self.size)

    @property
    def counts(self) -> NDArray[np.int64]:
        return np.bincount(self.rows, minlength=self.size)


def discount(ranks: NDArray[np.int64], form: str = "log2p1", base: float = 2) -> Values:
    """log2(rank + 1); in the form "jk" of Järvelin and Kekäläinen none before rank b, and log_b(rank) from there."""
    if form != "jk":
        return discounts(ranks)
    logs = discounts(np.maximum(ranks, 1) - 1)
    return np.where(ranks < base, 1.0, logs if base == 2 else logs / math.log2(base))


def _gain(grades: NDArray[np.int64], form: str, gains: Gains) -> Values:
    gain = np.maximum(grades, 0).astype(np.float64)
    for grade, value in gains:
        gain[grades == grade] = value
    return 2.0**gain - 1.0 if form == "exp" else gain


def retrieved(judged: Judged, form: str = "log2p1", gains: Gains = ()) -> Gained:
    """The hits of the rankings that have a gain; a table may give negative ones."""
    gain = _gain(judged.grades, form, gains)
    some = gain != 0
    return Gained(judged.rows[some], judged.ranks[some], gain[some], judged.size)


def ideal(judged: Judged, form: str = "log2p1", gains: Gains = ()) -> Gained:
    """The best ranking of each topic: all judged documents with a gain above 0, the highest first."""
    gain = _gain(judged.qrels.grades, form, gains)
    return _sorted(judged.qrels.codes, gain, len(judged.qrels.topics))


def _ideal_of_retrieved(judged: Judged, form: str, gains: Gains) -> Gained:
    return _sorted(judged.rows, _gain(judged.grades, form, gains), judged.size)


def _sorted(rows: NDArray[np.int64], gain: Values, size: int) -> Gained:
    some = np.flatnonzero(gain > 0)
    order = some[np.lexsort((-gain[some], rows[some]))]
    return Gained(rows[order], places(np.bincount(rows[order], minlength=size)), gain[order], size)


def _form(form: str | None, dcg: str | None) -> str:
    return form or FORMS.get(dcg or "log2", "log2p1")


def cumulated_gain(level: Level, cutoff: int | None = None, gains: Gains = ()) -> Values:
    """CG = Σ gain over the ranks, or the first k; the order does not matter. Järvelin and Kekäläinen 2000."""
    found = retrieved(level.judged, gains=gains).cut(cutoff)
    return summed(found.rows, found.gains, found.size)


def ideal_cumulated_gain(level: Level, cutoff: int | None = None, gains: Gains = (), best: str = "judged") -> Values:
    """The highest CG possible."""
    return _ideal_sum(level, cutoff, "log2p1", gains, best, lambda found: summed(found.rows, found.gains, found.size))


def normalized_cumulated_gain(level: Level, cutoff: int | None = None, gains: Gains = (), best: str = "judged") -> Values:
    """NCG = CG / ideal CG, 0 where that is 0."""
    return ratio(cumulated_gain(level, cutoff, gains), ideal_cumulated_gain(level, cutoff, gains, best))


def dcg(
    level: Level,
    cutoff: int | None = None,
    dcg: str | None = None,
    form: str | None = None,
    b: float = 2,
    gains: Gains = (),
) -> Values:
    """DCG = Σ gain_i / log2(i + 1) over the ranks, or the first k; with form='exp' the gain is 2^grade - 1.

    With form='jk' ranks below b are not discounted, and the others by log_b(i). trec_eval 10: dcg. Järvelin and
    Kekäläinen 2002, with the discount of Burges et al. 2005.
    """
    form = _form(form, dcg)
    return retrieved(level.judged, form, gains).cut(cutoff).discounted(form, b)


def ideal_dcg(
    level: Level,
    cutoff: int | None = None,
    dcg: str | None = None,
    form: str | None = None,
    b: float = 2,
    gains: Gains = (),
    ideal: str = "judged",
) -> Values:
    """The highest DCG possible: of all judged documents, the best first. trec_eval 10: ideal_dcg.

    With ideal='retrieved' of the retrieved ones alone, as some textbooks do: it rewards missing relevant documents.
    """
    form = _form(form, dcg)
    return _ideal_sum(level, cutoff, form, gains, ideal, lambda found: found.discounted(form, b))


def _ideal_sum(
    level: Level, cutoff: int | None, form: str, gains: Gains, best: str, total: Callable[[Gained], Values]
) -> Values:
    judged = level.judged
    if best == "retrieved":
        return total(_ideal_of_retrieved(judged, form, gains).cut(cutoff))
    return np.tile(total(ideal(judged, form, gains).cut(cutoff)), judged.runs)


_dcg, _ideal_dcg = dcg, ideal_dcg  # parameters of the same names hide them below


def ndcg(
    level: Level,
    cutoff: int | None = None,
    dcg: str | None = None,
    form: str | None = None,
    b: float = 2,
    gains: Gains = (),
    ideal: str = "judged",
) -> Values:
    """nDCG = DCG / ideal DCG, both over all ranks or cut at k; the relevance level plays no part.

    An ideal of 0 gives 0. trec_eval: ndcg, ndcg_cut_k. Järvelin and Kekäläinen 2002, with the discount of Burges et al.
    2005; forms as for DCG.
    """
    return ratio(_dcg(level, cutoff, dcg, form, b, gains), _ideal_dcg(level, cutoff, dcg, form, b, gains, ideal))


def _ideal_at(ideal_gained: Gained, sums: Values, topics: NDArray[np.int64], ranks: NDArray[np.int64]) -> Values:
    """The running sum of each topic's ideal at these ranks; beyond its end the last, 0 where there is none."""
    counts = ideal_gained.counts
    starts = np.cumsum(counts) - counts
    depth = np.minimum(ranks, counts[topics])
    return np.where(depth > 0, np.append(sums, 0.0)[starts[topics] + depth - 1], 0.0)


def ndcg_at_relevant(level: Level, gains: Gains = ()) -> Values:
    """Mean of nDCG at the rank of each document with a gain; one not retrieved has the final DCG / the final ideal.

    trec_eval: ndcg_rel.
    """
    judged = level.judged
    found, best = retrieved(judged, gains=gains), ideal(judged, gains=gains)
    so_far = accumulated(np.add, found.gains / discounts(found.ranks), found.counts)
    ideals = accumulated(np.add, best.gains / discounts(best.ranks), best.counts)
    topics = found.rows % max(len(judged.qrels.topics), 1)
    good = found.gains > 0
    at_hits = ratio(so_far, _ideal_at(best, ideals, topics, found.ranks))
    total = summed(found.rows[good], at_hits[good], judged.size)
    number = np.tile(best.counts, judged.runs)
    missed = (number - np.bincount(found.rows[good], minlength=judged.size)).astype(np.float64)
    last = np.tile(best.discounted("log2p1", 2), judged.runs)
    total = total + ratio(missed * found.discounted("log2p1", 2), last)
    return np.where(total > 0, ratio(total, number), 0.0)


def ndcg_at_levels(level: Level, gains: Gains = ()) -> Values:
    """Mean of nDCG at each rank where the gain of the ideal ranking changes, and at the end if that lies beyond.

    0 where nothing is relevant at the level. trec_eval: Rndcg.
    """
    judged = level.judged
    found, best = retrieved(judged, gains=gains), ideal(judged, gains=gains)
    terms, best_terms = found.gains / discounts(found.ranks), best.gains / discounts(best.ranks)
    total, number = np.zeros(judged.size), np.zeros(judged.size, np.int64)

    def add(where: NDArray[np.bool_], depth: NDArray[np.int64], ideal_sum: Values) -> None:
        within = found.ranks <= depth[found.rows]
        reached = summed(found.rows[within], terms[within], judged.size)
        total[where] += ratio(reached, ideal_sum)[where]
        number[where] += 1

    for gain in np.unique(best.gains)[::-1]:
        upto = best.gains >= gain
        ends = np.bincount(best.rows[upto], minlength=best.size)
        sums = summed(best.rows[upto], best_terms[upto], best.size)
        has = np.bincount(best.rows[best.gains == gain], minlength=best.size) > 0
        add(np.tile(has, judged.runs), np.tile(ends, judged.runs), np.tile(sums, judged.runs))
    longer = (judged.num_ret > np.tile(best.counts, judged.runs) + 1) & np.tile(best.counts > 0, judged.runs)
    add(longer, judged.num_ret, np.tile(best.discounted("log2p1", 2), judged.runs))
    return np.where(level.num_rel > 0, ratio(total, number), 0.0)


def normalized_gain(level: Level, gains: Gains = ()) -> Values:
    """G = Σ gain_i / log2(2 + C_i - S_i) / Σ ideal gains, S_i the gain so far, C_i that of the ideal, at least 1 a rank.

    trec_eval: G.
    """
    judged = level.judged
    found, best = retrieved(judged, gains=gains), ideal(judged, gains=gains)
    so_far = accumulated(np.add, found.gains, found.counts)
    costs = accumulated(np.add, np.maximum(best.gains, 1.0), best.counts)
    topics = found.rows % max(len(judged.qrels.topics), 1)
    beyond = np.maximum(found.ranks - best.counts[topics], 0)
    inside = 2.0 + (_ideal_at(best, costs, topics, found.ranks) + beyond) - so_far
    logs = np.fromiter(map(math.log2, inside.tolist()), np.float64, len(inside))
    total = summed(found.rows, found.gains / logs, judged.size)
    return ratio(total, np.tile(summed(best.rows, best.gains, best.size), judged.runs))


def expected_reciprocal_rank(level: Level, cutoff: int | None = None, gmax: int | None = None) -> Values:
    """ERR = Σ (1/i) s_i Π_{j<i} (1 - s_j), s = (2^grade - 1) / 2^gmax: where a user who stops when satisfied stops.

    gmax is the highest grade of the scale, and a grade above counts as it. Chapelle et al. 2009.
    """
    judged = level.judged
    top = gmax or judged.top
    found = retrieved(judged).cut(cutoff)
    stop = (2.0 ** np.minimum(found.gains, top) - 1.0) / 2.0**top
    passed = accumulated(np.multiply, 1.0 - stop, found.counts)
    before = np.concatenate(([1.0], passed))[:-1]
    before[np.cumsum(found.counts)[:-1][found.counts[1:] > 0]] = 1.0  # at the first hit of each row
    return summed(found.rows, before * stop / found.ranks, judged.size)


def q_measure(level: Level, beta: float = 1.0) -> Values:
    """Q = (1/R) Σ (C(i) + β cg(i)) / (i + β icg(i)) over the relevant documents retrieved; β = 0 is AP.

    C(i): relevant documents down to rank i; cg, icg: gain so far, and that of the ideal. R = 0 gives 0. Sakai 2004.
    """
    judged = level.judged
    gain = _gain(judged.grades, "log2p1", ())
    so_far = accumulated(np.add, gain, judged.hits)[level.relevant]
    best = ideal(judged)
    ideals = accumulated(np.add, best.gains, best.counts)
    topics = level.rows % max(len(judged.qrels.topics), 1)
    blended = (level.found + beta * so_far) / (level.ranks + beta * _ideal_at(best, ideals, topics, level.ranks))
    return ratio(summed(level.rows, blended, judged.size), level.num_rel)
