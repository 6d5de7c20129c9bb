"""Measures of graded relevance. The gain of a document is its grade, 0 if unjudged or negative."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evaluation.core.judged import Judged, Level, accumulated, discounts, places, ratio, summed

Values = NDArray[np.float64]
Gains = tuple[tuple[int, float], ...]

FORMS = {"log2": "log2p1", "exp-log2": "exp"}  # as ir_measures calls them


@dataclass(frozen=True, eq=False)
class Gained:
    """Documents with a gain. `rows` are rows of the judged rankings, or topics where they are of the ideal rankings.

    `terms` are the gains, discounted; what several measures need is made once.
    """

    rows: NDArray[np.int64]
    ranks: NDArray[np.int64]
    gains: Values
    terms: Values
    size: int

    @classmethod
    def of(cls, rows: NDArray[np.int64], ranks: NDArray[np.int64], gains: Values, size: int, form: "Form") -> "Gained":
        return cls(rows, ranks, gains, gains / discount(ranks, form.form, form.base), size)

    def total(self, values: Values, cutoff: int | None) -> Values:
        """The sum over each row, in rank order, down to the cutoff."""
        if cutoff is None:
            return summed(self.rows, values, self.size)
        kept = np.flatnonzero(self.ranks <= cutoff)
        return summed(self.rows[kept], values[kept], self.size)

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        return np.bincount(self.rows, minlength=self.size)


@dataclass(frozen=True)
class Form:
    """How grades become gains, and how they are discounted; see `dcg`."""

    form: str = "log2p1"
    base: float = 2
    gains: Gains = ()

    @classmethod
    def named(cls, dcg: str | None, form: str | None, base: float, gains: Gains) -> "Form":
        return cls(form or FORMS.get(dcg or "log2", "log2p1"), base, gains)

    def gain(self, grades: NDArray[np.int64]) -> Values:
        gain = np.maximum(grades, 0).astype(np.float64)
        for grade, value in self.gains:
            gain[grades == grade] = value
        return 2.0**gain - 1.0 if self.form == "exp" else gain


PLAIN = Form()


def discount(ranks: NDArray[np.int64], form: str = "log2p1", base: float = 2) -> Values:
    """log2(rank + 1); in the form "jk" of Järvelin and Kekäläinen none before rank b, and log_b(rank) from there."""
    if form != "jk":
        return discounts(ranks)
    logs = discounts(np.maximum(ranks, 1) - 1)
    return np.where(ranks < base, 1.0, logs if base == 2 else logs / math.log2(base))


def retrieved(judged: Judged, form: Form = PLAIN) -> Gained:
    """The hits of the rankings that have a gain; a table may give negative ones."""
    return judged.once(("retrieved", form), lambda: _retrieved(judged, form))


def _retrieved(judged: Judged, form: Form) -> Gained:
    gain = form.gain(judged.grades)
    some = np.flatnonzero(gain)
    return Gained.of(judged.rows[some], judged.ranks[some], gain[some], judged.size, form)


def ideal(judged: Judged, form: Form = PLAIN) -> Gained:
    """The best ranking of each topic: all judged documents with a gain above 0, the highest first."""
    codes, grades = judged.qrels.codes, judged.qrels.grades
    return judged.once(("ideal", form), lambda: _sorted(codes, form.gain(grades), len(judged.qrels.topics), form))


def _ideal_of_retrieved(judged: Judged, form: Form) -> Gained:
    return _sorted(judged.rows, form.gain(judged.grades), judged.size, form)


def _sorted(rows: NDArray[np.int64], gain: Values, size: int, form: Form) -> Gained:
    some = np.flatnonzero(gain > 0)
    order = some[np.lexsort((-gain[some], rows[some]))]
    return Gained.of(rows[order], places(np.bincount(rows[order], minlength=size)), gain[order], size, form)


def cumulated_gain(level: Level, cutoff: int | None = None, gains: Gains = ()) -> Values:
    """CG = Σ gain over the ranks, or the first k; the order does not matter. Järvelin and Kekäläinen 2000."""
    found = retrieved(level.judged, Form(gains=gains))
    return found.total(found.gains, cutoff)


def ideal_cumulated_gain(level: Level, cutoff: int | None = None, gains: Gains = (), ideal: str = "judged") -> Values:
    """The highest CG possible."""
    found = _best(level, Form(gains=gains), ideal)
    return _of_rows(level, found.total(found.gains, cutoff))


def normalized_cumulated_gain(level: Level, cutoff: int | None = None, gains: Gains = (), ideal: str = "judged") -> Values:
    """NCG = CG / ideal CG, 0 where that is 0."""
    return ratio(cumulated_gain(level, cutoff, gains), ideal_cumulated_gain(level, cutoff, gains, ideal))


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
    found = retrieved(level.judged, Form.named(dcg, form, b, gains))
    return found.total(found.terms, cutoff)


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
    found = _best(level, Form.named(dcg, form, b, gains), ideal)
    return _of_rows(level, found.total(found.terms, cutoff))


def _best(level: Level, form: Form, which: str) -> Gained:
    return _ideal_of_retrieved(level.judged, form) if which == "retrieved" else ideal(level.judged, form)


def _of_rows(level: Level, values: Values) -> Values:
    """Values of topics as values of rows; of rows they are as they are."""
    return values if len(values) == level.judged.size else np.tile(values, level.judged.runs)


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
    found, best = retrieved(judged, Form(gains=gains)), ideal(judged, Form(gains=gains))
    so_far = accumulated(np.add, found.terms, found.counts)
    ideals = accumulated(np.add, best.terms, best.counts)
    topics = found.rows % max(len(judged.qrels.topics), 1)
    good = found.gains > 0
    at_hits = ratio(so_far, _ideal_at(best, ideals, topics, found.ranks))
    total = summed(found.rows[good], at_hits[good], judged.size)
    number = np.tile(best.counts, judged.runs)
    missed = (number - np.bincount(found.rows[good], minlength=judged.size)).astype(np.float64)
    last = np.tile(best.total(best.terms, None), judged.runs)
    total = total + ratio(missed * found.total(found.terms, None), last)
    return np.where(total > 0, ratio(total, number), 0.0)


def ndcg_at_levels(level: Level, gains: Gains = ()) -> Values:
    """Mean of nDCG at each rank where the gain of the ideal ranking changes, and at the end if that lies beyond.

    0 where nothing is relevant at the level. trec_eval: Rndcg.
    """
    judged = level.judged
    found, best = retrieved(judged, Form(gains=gains)), ideal(judged, Form(gains=gains))
    total, number = np.zeros(judged.size), np.zeros(judged.size, np.int64)

    def add(where: NDArray[np.bool_], depth: NDArray[np.int64], ideal_sum: Values) -> None:
        within = found.ranks <= depth[found.rows]
        reached = summed(found.rows[within], found.terms[within], judged.size)
        total[where] += ratio(reached, ideal_sum)[where]
        number[where] += 1

    for gain in np.unique(best.gains)[::-1]:
        upto = best.gains >= gain
        ends = np.bincount(best.rows[upto], minlength=best.size)
        sums = summed(best.rows[upto], best.terms[upto], best.size)
        has = np.bincount(best.rows[best.gains == gain], minlength=best.size) > 0
        add(np.tile(has, judged.runs), np.tile(ends, judged.runs), np.tile(sums, judged.runs))
    longer = (judged.num_ret > np.tile(best.counts, judged.runs) + 1) & np.tile(best.counts > 0, judged.runs)
    add(longer, judged.num_ret, np.tile(best.total(best.terms, None), judged.runs))
    return np.where(level.num_rel > 0, ratio(total, number), 0.0)


def normalized_gain(level: Level, gains: Gains = ()) -> Values:
    """G = Σ gain_i / log2(2 + C_i - S_i) / Σ ideal gains, S_i the gain so far, C_i that of the ideal, at least 1 a rank.

    trec_eval: G.
    """
    judged = level.judged
    found, best = retrieved(judged, Form(gains=gains)), ideal(judged, Form(gains=gains))
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
    found = retrieved(judged)
    stop = (2.0 ** np.minimum(found.gains, top) - 1.0) / 2.0**top
    passed = accumulated(np.multiply, 1.0 - stop, found.counts)
    before = np.concatenate(([1.0], passed))[:-1]
    before[np.cumsum(found.counts)[:-1][found.counts[1:] > 0]] = 1.0  # at the first hit of each row
    return found.total(before * stop / found.ranks, cutoff)


def q_measure(level: Level, beta: float = 1.0) -> Values:
    """Q = (1/R) Σ (C(i) + β cg(i)) / (i + β icg(i)) over the relevant documents retrieved; β = 0 is AP.

    C(i): relevant documents down to rank i; cg, icg: gain so far, and that of the ideal. R = 0 gives 0. Sakai 2004.
    """
    judged = level.judged
    gain = PLAIN.gain(judged.grades)
    so_far = accumulated(np.add, gain, judged.hits)[level.relevant]
    best = ideal(judged)
    ideals = accumulated(np.add, best.gains, best.counts)
    topics = level.rows % max(len(judged.qrels.topics), 1)
    blended = (level.found + beta * so_far) / (level.ranks + beta * _ideal_at(best, ideals, topics, level.ranks))
    return ratio(summed(level.rows, blended, judged.size), level.num_rel)


def compatibility(level: Level, p: float = 0.95, normalize: bool = True) -> Values:
    """Rank-biased overlap with the ideal ranking nearest to this one: the best grades first, within a grade as the run has
    them; those that it lacks come last. Both go as deep as the longer of them.

    Normalized: as a share of what the ideal ranking has. R = 0 gives 0. Clarke, Vtyurina and Smucker 2021.
    """
    judged = level.judged
    found, best = retrieved(judged), ideal(judged)
    order = np.lexsort((found.ranks, -found.gains, found.rows))
    rows, ranks, gains = found.rows[order], found.ranks[order], found.gains[order]
    new = (np.diff(rows, prepend=-1) != 0) | (np.diff(gains, prepend=-1.0) != 0)  # the first of its grade in its row
    starts = np.flatnonzero(new)
    within = np.arange(len(rows)) - np.repeat(starts, np.diff(np.append(starts, len(rows))))
    keys = best.rows * 1000.0 - best.gains  # ascends, topic after topic, the best first
    topics = rows % max(len(judged.qrels.topics), 1)
    higher = np.searchsorted(keys, topics * 1000.0 - gains) - np.searchsorted(best.rows, topics)
    met = np.maximum(ranks, higher + within + 1)  # the depth from which both rankings hold the document
    number = np.tile(best.counts, judged.runs)
    depth = np.maximum(judged.num_ret, number)
    chances = p ** np.arange(int(depth.max(initial=0)), dtype=np.float64)
    sums = np.concatenate(([0.0], np.cumsum(chances / np.arange(1, len(chances) + 1))))
    overlap = summed(rows, sums[depth[rows]] - sums[met - 1], judged.size)
    if not normalize:
        return ratio(overlap, np.concatenate(([0.0], np.cumsum(chances)))[depth])
    before = np.concatenate(([0.0], np.cumsum(sums)))  # of the ideal: Σ sums[depth] - sums[i - 1] over its documents
    return ratio(overlap, number * sums[depth] - before[number])
