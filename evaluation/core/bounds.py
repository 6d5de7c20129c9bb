"""The range of a score under incomplete judgments: the lowest and highest that the unjudged documents allow.

The documents in question are those a run retrieved and nobody judged, negative grades among them; each may turn out to
have any grade of the scale. What nobody retrieved stays as it is. Exact, for AP, P@k, nDCG in all its forms, and RBP.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.core.definitions import Measure, MeasureError
from evaluation.core.judged import Judged, Level, accumulated, places, ratio, summed
from evaluation.core.measures import graded, incomplete, ranked
from evaluation.core.registry import parse_measure

Values = NDArray[np.float64]
Whole = NDArray[np.int64]

_STEPS = 50  # of the search for the highest nDCG; it ends long before, since each step at least doubles the right digits


@dataclass(frozen=True, eq=False)
class Range:
    """`low` and `high`, one value per row; the score itself, with unjudged documents as not relevant, lies between."""

    low: Values
    high: Values


def score_range(judged: Judged, measure: Measure | str, *, rel: int = 1) -> Range:
    """The range of AP, P@k, nDCG or RBP for every row; a MeasureError for any other measure, or form of these.

    Of RBP by grades only with a gmax of its own: without, an unjudged document could change what all grades are worth.
    """
    asked = parse_measure(measure) if isinstance(measure, str) else measure
    level = Level(judged, asked.rel or rel)
    cutoff = asked.cutoff if isinstance(asked.cutoff, int) else None
    told: dict[str, Any] = {name: value for name, value in asked.parameters if name != "rel"}
    name = asked.definition.name
    if name == "P" and not told and cutoff is not None:
        return _precision(level, cutoff)
    if name == "AP" and not told:
        return _average_precision(level, cutoff)
    if name == "nDCG" and set(told) <= {"dcg", "form", "b", "gains"}:
        form = graded.Form.named(told.get("dcg"), told.get("form"), told.get("b", 2), told.get("gains", ()))
        worth = form.gain(np.arange(judged.top + 1))
        if worth[0] == 0 and (np.diff(worth) >= 0).all():  # else a higher grade may be worth less
            return _ndcg(judged, cutoff, form, np.diff(worth))
    gain, gmax = told.get("gain", "binary"), told.get("gmax")
    if name == "RBP" and set(told) <= {"p", "gain", "gmax"} and (gain == "binary" or (gain == "scale" and gmax)):
        return _rbp(level, cutoff, told.get("p", 0.8), gain, gmax)
    raise MeasureError(
        f"{asked} has no known range; expected AP, AP@k, P@k, nDCG, nDCG@k, RBP(p=…) or RBP(gain='scale',gmax=…)."
    )


def _precision(level: Level, cutoff: int) -> Range:
    low = ranked.precision_at(level, cutoff)
    return Range(low, low + incomplete.unjudged_at(level, cutoff))


def _rbp(level: Level, cutoff: int | None, p: float, gain: str, gmax: int | None) -> Range:
    """What is not judged may be worth most, also what would follow the ranking, down to the cutoff."""
    low = incomplete.rbp(level, cutoff, p=p, gain=gain, gmax=gmax)
    most = 1.0 if gmax is None or gain == "binary" else min(level.judged.top / gmax, 1.0)
    if cutoff is None:
        return Range(low, low + most * incomplete.rbp_residual(level, p=p))
    some = (level.judged.grades >= 0) & (level.judged.ranks <= cutoff)
    held = (1.0 - p) * summed(level.judged.rows[some], np.float64(p) ** (level.judged.ranks[some] - 1), level.judged.size)
    return Range(low, low + most * np.maximum(1.0 - p**cutoff - held, 0.0))


@dataclass(frozen=True, eq=False)
class _Unjudged:
    """The unjudged ranks of every row, aligned, sorted by row, then rank; `counts` of them in each row."""

    rows: Whole
    ranks: Whole
    counts: Whole

    @classmethod
    def of(cls, judged: Judged) -> "_Unjudged":
        starts = np.cumsum(judged.num_ret) - judged.num_ret
        free = np.ones(int(judged.num_ret.sum()), bool)
        known = judged.grades >= 0
        free[starts[judged.rows[known]] + judged.ranks[known] - 1] = False
        rows = np.repeat(np.arange(judged.size), judged.num_ret)[free]
        return cls(rows, places(judged.num_ret)[free], np.bincount(rows, minlength=judged.size))


def _average_precision(level: Level, cutoff: int | None) -> Range:
    """With m of the unjudged documents relevant, AP is highest if they are the first m, lowest if they are the last.

    What one more adds to the sum of precisions is its own, and 1/rank for each relevant document below it.
    """
    judged = level.judged
    free = _Unjudged.of(judged)
    limit = np.iinfo(np.int64).max if cutoff is None else cutoff
    worth = np.where(level.ranks <= limit, 1.0 / level.ranks, 0.0)
    above, below = _around(level, free, worth)
    counts_here = free.ranks <= limit
    own = np.where(counts_here, 1.0 / free.ranks, 0.0)
    place = places(free.counts)
    base = ranked.average_precision(level, cutoff) * level.num_rel

    best = accumulated(np.add, (above + place) * own + below, free.counts)
    high = _extreme(np.maximum, (base[free.rows] + best) / (level.num_rel[free.rows] + place), free, ratio(base, level.num_rel))
    later = accumulated(np.add, own[::-1], free.counts[::-1]) - own[::-1]  # of unjudged documents further down
    worst = accumulated(np.add, (above[::-1] + 1) * own[::-1] + below[::-1] + later, free.counts[::-1])[::-1]
    number = free.counts[free.rows] - place + 1
    low = _extreme(
        np.minimum, (base[free.rows] + worst) / (level.num_rel[free.rows] + number), free, ratio(base, level.num_rel)
    )
    return Range(low, high)


def _around(level: Level, free: _Unjudged, worth: Values) -> tuple[Whole, Values]:
    """For each unjudged rank: relevant documents above it, and the worth of those below."""
    width = int(level.judged.num_ret.max(initial=0)) + 1
    at = np.searchsorted(level.rows * width + level.ranks, free.rows * width + free.ranks)
    above = at - level.starts[free.rows]
    so_far = accumulated(np.add, worth, level.num_rel_ret)
    total = summed(level.rows, worth, level.judged.size)
    before = np.where(above > 0, np.append(so_far, 0.0)[at - 1], 0.0)
    return above, np.maximum(total[free.rows] - before, 0.0)


def _extreme(step: np.ufunc, values: Values, free: _Unjudged, start: Values) -> Values:
    """The highest or lowest of each row's values, and of what it starts with."""
    result = start.copy()
    step.at(result, free.rows, values)
    return result


def _ndcg(judged: Judged, cutoff: int | None, form: graded.Form, heights: Values) -> Range:
    """A grade is a stack of steps, each of its height, and both DCG and its ideal are sums over the steps.

    On each step the first m unjudged documents are best, the last m worst. The lowest value gives all of them the top
    grade or none; for the highest, how many reach each step is found by comparing DCG with a share of the ideal, and
    raising the share to what that reaches until it stays (Dinkelbach 1967).
    """
    free = _Unjudged.of(judged)
    weight = _weights(free.ranks, cutoff, form)
    deepest = int(judged.num_ret.max(initial=0)) + len(judged.qrels) + 1
    ideal = np.concatenate(([0.0], np.cumsum(_weights(np.arange(1, deepest + 1), cutoff, form))))
    base = summed(judged.rows, form.gain(judged.grades) * _weights(judged.ranks, cutoff, form), judged.size)
    counts = [np.tile(judged.qrels.num_rel(step), judged.runs) for step in range(1, len(heights) + 1)]
    known = list(zip(heights.tolist(), counts, strict=True))
    best_base = np.sum([height * ideal[number] for height, number in known], axis=0)
    start = ratio(base, best_base)
    place = places(free.counts)

    worst = accumulated(np.add, weight[::-1], free.counts[::-1])[::-1]
    number = free.counts[free.rows] - place + 1
    below = np.sum([height * ideal[one[free.rows] + number] for height, one in known], axis=0)
    low = _extreme(np.minimum, ratio(base[free.rows] + float(heights.sum()) * worst, below), free, start)

    first = accumulated(np.add, weight, free.counts)
    high = start
    for _ in range(_STEPS):
        above, under = base.copy(), best_base.copy()
        for height, one in known:
            gain, cost = first, ideal[one[free.rows] + place] - ideal[one][free.rows]
            surplus = gain - high[free.rows] * cost
            best = _extreme(np.maximum, surplus, free, np.zeros(judged.size))
            chosen = np.flatnonzero((surplus == best[free.rows]) & (surplus > 0))
            rows, at = np.unique(free.rows[chosen], return_index=True)
            above[rows] += height * gain[chosen[at]]
            under[rows] += height * cost[chosen[at]]
        raised = np.maximum(ratio(above, under), high)
        if (raised == high).all():
            break
        high = raised
    return Range(low, high)


def _weights(ranks: Whole, cutoff: int | None, form: graded.Form) -> Values:
    weight = 1.0 / graded.discount(ranks, form.form, form.base)
    return weight if cutoff is None else np.where(ranks <= cutoff, weight, 0.0)
