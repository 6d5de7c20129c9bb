"""Every coefficient of a set of ratings, each with its items, standard error, interval and a word where it needs one."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from assess.core import bootstrap, chance
from assess.core.agreement import Table, Weights, kappa_standard_error, kappas
from assess.core.bootstrap import Plan, Sample
from assess.core.ratings import MISSING, Patterns, Ratings, pairs, patterns

TITLES = {
    "raw": "raw agreement",
    "positive": "positive agreement",
    "negative": "negative agreement",
    "overlap": "overlap",
    "cohen": "Cohen's kappa",
    "pooled": "kappa (pooled marginals, Scott's pi)",
    "linear": "Cohen's kappa, linear weights",
    "quadratic": "Cohen's kappa, quadratic weights",
    "pairwise": "Cohen's kappa, mean of the pairs",
    "fleiss": "Fleiss' kappa",
    "alpha_nominal": "Krippendorff's alpha, nominal",
    "alpha_ordinal": "Krippendorff's alpha, ordinal",
    "alpha_interval": "Krippendorff's alpha, interval",
    "ac1": "Gwet's AC1",
    "ac2_linear": "Gwet's AC2, linear weights",
    "ac2_quadratic": "Gwet's AC2, quadratic weights",
    "brennan_prediger": "Brennan and Prediger's kappa",
}
# What the rule of thumb's words good, fair and poor are said of.
BANDED = {*TITLES} - {"raw", "positive", "negative", "overlap"}
FEW = 30  # items below which the large-sample interval is not to be trusted
THIN = 10  # items below which a topic's figures say little

NO_OVERLAP = "no overlap"
ONE_LEVEL = "only one level used"
ONE_ITEM = "one item"

Values = NDArray[np.float64]
Statistic = Callable[[Sample], Values]


@dataclass(frozen=True)
class Figure:
    """One coefficient. None: not defined, and `note` says why.

    `interval` is the bootstrap's, `large_sample` value ± z standard errors where that is sound; `undefined` counts the
    resamples without a value. Of a coefficient without a formula for it, the standard error is the bootstrap's.
    """

    key: str
    n: int
    value: float | None
    standard_error: float | None = None
    interval: tuple[float, float] | None = None
    large_sample: tuple[float, float] | None = None
    undefined: int = 0
    note: str = ""


def figures(ratings: Ratings, plan: Plan | None = None) -> list[Figure]:
    """All coefficients over the items that two or more assessors graded; without a plan no intervals.

    Two levels: with positive and negative agreement and overlap, the upper level being the relevant one. More: with the
    weighted coefficients. Two assessors: Cohen's kappas; more: the mean of the pairs', and Fleiss' kappa.
    """
    ratings = ratings.shared()
    found = patterns(ratings)
    statistics = _statistics(ratings, found)
    if not len(ratings.places):
        return [Figure(key, 0, None, note=NO_OVERLAP) for key in statistics]
    itself = bootstrap.sample_itself(found)
    values = {key: float(statistic(itself)[0]) for key, statistic in statistics.items()}
    drawn: dict[str, Values] = {}
    if plan is not None and len(ratings.places) > 1:
        parts = [[statistic(sample) for statistic in statistics.values()] for sample in bootstrap.resamples(found, plan)]
        drawn = {key: np.concatenate(column) for key, column in zip(statistics, zip(*parts, strict=True), strict=True)}
    counts = {key: _judged_by_all(found)[1] if key == "overlap" else len(ratings.places) for key in statistics}
    return [_figure(ratings, key, counts[key], value, drawn.get(key), plan) for key, value in values.items()]


def values(ratings: Ratings) -> dict[str, float | None]:
    return {figure.key: figure.value for figure in figures(ratings)}


def by_topic(ratings: Ratings) -> list[tuple[int, list[Figure]]]:
    """Each topic's figures, without intervals; topics with nothing shared included."""
    return [(int(topic), figures(ratings.only(ratings.topics == topic))) for topic in np.unique(ratings.topics)]


@dataclass(frozen=True)
class TopicMean:
    """The mean over the topics that have a value, how many have one, and how many have none."""

    key: str
    mean: float | None
    topics: int
    undefined: int


def topic_means(topics: list[tuple[int, list[Figure]]]) -> list[TopicMean]:
    found = []
    for column in zip(*(row for _, row in topics), strict=True):
        known = [figure.value for figure in column if figure.value is not None]
        mean = math.fsum(known) / len(known) if known else None
        found.append(TopicMean(column[0].key, mean, len(known), len(column) - len(known)))
    return found


def notes(ratings: Ratings, names: Sequence[str]) -> list[str]:
    """What a reader must know about these ratings as a whole; `names` are the assessors'."""
    ratings = ratings.shared()
    n, used = len(ratings.places), [np.unique(column[column != MISSING]) for column in ratings.places.T]
    if n == 0:
        return [f"{NO_OVERLAP}: no item was judged by two assessors"]
    said = [f"{ONE_ITEM}: no interval"] if n == 1 else []
    if len(np.unique(ratings.places[ratings.places != MISSING])) == 1:
        return [*said, f"{ONE_LEVEL}: agreement beyond chance is not defined"]
    if len(used) == 2 and n > 1:
        constant = [name for name, levels in zip(names, used, strict=True) if len(levels) == 1]
        said += [f"{name} used one level only: Cohen's kappa is 0 whatever the agreement" for name in constant]
        first, second = ratings.places.T
        if not constant and not (first == second).any():
            said.append("never the same grade: is one scale turned round?")
        if (first == second).all():
            said.append("perfect agreement: no large-sample interval")
    return said


def _figure(ratings: Ratings, key: str, n: int, value: float, drawn: Values | None, plan: Plan | None) -> Figure:
    if math.isnan(value):
        return Figure(key, n, None, note=_why_undefined(ratings, key, n))
    if n == 1:
        return Figure(key, n, value, note=f"{ONE_ITEM}, no interval")
    error = _formula_error(ratings, key)
    if drawn is None or plan is None:
        return Figure(key, n, value, error)
    spread = bootstrap.spread(drawn, plan.level)
    large = None
    if error is not None and error > 1e-12 and n >= FEW:  # with perfect agreement it is 0, which says nothing
        reach = NormalDist().inv_cdf((1 + plan.level) / 2) * error
        large = (value - reach, value + reach)
    note = "" if spread.interval else f"no interval: not defined in {spread.undefined} of {len(drawn)} resamples"
    error = spread.standard_error if error is None else error
    return Figure(key, n, value, error, spread.interval, large, spread.undefined, note)


def _why_undefined(ratings: Ratings, key: str, n: int) -> str:
    if key == "overlap":
        return "no item relevant to anyone" if n else "no item judged by all assessors of its topic"
    if key in ("positive", "negative"):
        return "no item relevant to anyone" if key == "positive" else "every item relevant to everyone"
    if len(np.unique(ratings.places[ratings.places != MISSING])) == 1:
        return ONE_LEVEL
    return "each pair used only one level"


def _formula_error(ratings: Ratings, key: str) -> float | None:
    """The standard error by formula; None for those that have none and take the bootstrap's."""
    if key in _KAPPAS:
        return kappa_standard_error(table(ratings), weights=_KAPPAS[key], levels=ratings.levels)
    if key not in _BEYOND_CHANCE:
        return None
    model, weights = _BEYOND_CHANCE[key]
    counts = ratings.counts()
    if key == "raw":
        share = chance.observed_agreement(counts)
        return float(share.std(ddof=1)) / math.sqrt(len(share))
    return chance.coefficient(counts, model, weights=weights, levels=ratings.levels).standard_error


# The coefficients

_KAPPAS: dict[str, Weights] = {"cohen": "identity", "linear": "linear", "quadratic": "quadratic"}
_BEYOND_CHANCE: dict[str, tuple[chance.Chance, Weights]] = {
    "raw": ("uniform", "identity"),
    "pooled": ("fleiss", "identity"),
    "fleiss": ("fleiss", "identity"),
    "ac1": ("gwet", "identity"),
    "ac2_linear": ("gwet", "linear"),
    "ac2_quadratic": ("gwet", "quadratic"),
    "brennan_prediger": ("uniform", "identity"),
}
_ALPHAS: tuple[chance.Metric, ...] = ("nominal", "ordinal", "interval")


def _statistics(ratings: Ratings, found: Patterns) -> dict[str, Statistic]:
    """Each coefficient that fits the ratings, as a function of samples, in the order of TITLES."""
    binary, two = len(ratings.levels) == 2, ratings.places.shape[1] == 2
    counts, levels = found.counts(), found.levels
    made: dict[str, Statistic] = {"raw": partial(_raw, chance.observed_agreement(counts))}
    if binary:
        made |= {
            "positive": partial(_specific, counts[:, 1], counts.sum(axis=1)),
            "negative": partial(_specific, counts[:, 0], counts.sum(axis=1)),
            "overlap": partial(_overlap, found),
        }
    if two:
        cells = np.eye(len(levels) ** 2)[_cells(found.places[:, 0], found.places[:, 1], len(levels))]
        made |= {key: partial(_kappa, cells, levels, weights) for key, weights in _KAPPAS.items()}
    else:
        made["pairwise"] = partial(_pairwise, found, pairs(ratings))
    for key, (model, weights) in _BEYOND_CHANCE.items():
        if key not in ("raw", "fleiss" if two else "pooled"):
            made[key] = partial(_beyond_chance, counts, levels, model, weights)
    both = chance.coincidences(counts).reshape(len(counts), len(levels) ** 2)
    made |= {f"alpha_{metric}": partial(_alpha, both, levels, metric) for metric in _ALPHAS}
    weighted = {"linear", "quadratic", "alpha_ordinal", "alpha_interval", "ac2_linear", "ac2_quadratic"}  # equal on two levels
    return {key: made[key] for key in TITLES if key in made and not (binary and key in weighted)}


def _raw(share: Values, sample: Sample) -> Values:
    return _divide(sample.times @ share, sample.times.sum(axis=1))


def _specific(chosen: NDArray[np.int64], number: NDArray[np.int64], sample: Sample) -> Values:
    """Of those who chose a level, the share of their fellow assessors who chose it too: 2a / (2a + b + c) for two."""
    return _divide(sample.times @ (chosen * (chosen - 1)), sample.times @ (chosen * (number - 1)))


def _judged_by_all(found: Patterns) -> tuple[NDArray[np.bool_], int]:
    """Which patterns have a grade of every assessor of their topic, and how many items those are."""
    judged = found.places != MISSING
    starts = np.unique(found.topics, return_index=True)[1]
    if not len(starts):
        return np.zeros(0, bool), 0
    present = np.logical_or.reduceat(judged, starts, axis=0)
    lengths = np.diff(np.append(starts, len(judged)))
    complete = (judged | ~np.repeat(present, lengths, axis=0)).all(axis=1)
    return complete, int(found.times[complete].sum())


def _overlap(found: Patterns, sample: Sample) -> Values:
    """Relevant to all / relevant to any, in each topic over what all its assessors judged; the mean over topics.

    A topic with nothing relevant to anyone is left out. Voorhees 2000.
    """
    complete, _ = _judged_by_all(found)
    starts = np.unique(found.topics, return_index=True)[1]
    anyone, everyone = complete & (found.places == 1).any(axis=1), complete & (found.places != 0).all(axis=1)
    union = np.add.reduceat(sample.times * anyone, starts, axis=1)
    share = _divide(np.add.reduceat(sample.times * everyone, starts, axis=1), union)
    return _divide(np.nansum(share * sample.topics, axis=1), (sample.topics * (union > 0)).sum(axis=1))


def _cells(first: NDArray[np.int8], second: NDArray[np.int8], size: int) -> NDArray[np.int64]:
    return first.astype(np.int64) * size + second


def _kappa(cells: Values, levels: tuple[int, ...], weights: Weights, sample: Sample) -> Values:
    return kappas((sample.times @ cells).reshape(-1, len(levels), len(levels)), weights=weights, levels=levels)


def _pairwise(found: Patterns, two: list[tuple[int, int]], sample: Sample) -> Values:
    """The mean of Cohen's kappa over the pairs that have one.

    Of a crowd there are thousands of pairs, so that only their marginals and agreements are summed up, not their tables.
    """
    size, level = len(found.levels), np.eye(len(found.levels))
    times = np.ascontiguousarray(sample.times.T)  # a pair's patterns are then whole rows
    total, defined = np.zeros(len(sample.times)), np.zeros(len(sample.times))
    for i, j in two:
        shared = np.flatnonzero((found.places[:, i] != MISSING) & (found.places[:, j] != MISSING))
        first, second = found.places[shared, i], found.places[shared, j]
        sums = np.vstack((level[:, first], level[:, second], first == second)) @ times[shared]
        row, column, equal = sums[:size], sums[size:-1], sums[-1]
        n = row.sum(axis=0)
        share = _divide(n * (n - equal), n * n - (row * column).sum(axis=0))
        total += np.nan_to_num(1.0 - share)
        defined += ~np.isnan(share)
    return _divide(total, defined)


def _beyond_chance(
    counts: NDArray[np.int64], levels: tuple[int, ...], model: chance.Chance, weights: Weights, sample: Sample
) -> Values:
    return chance.coefficients(counts, model, sample.times, weights=weights, levels=levels)


def _alpha(coincidences: Values, levels: tuple[int, ...], metric: chance.Metric, sample: Sample) -> Values:
    return chance.alphas((sample.times @ coincidences).reshape(-1, len(levels), len(levels)), metric, levels)


def table(ratings: Ratings) -> Table:
    """Of two assessors who both graded every item: K × K counts, rows the first one's grades."""
    size = len(ratings.levels)
    cells = _cells(ratings.places[:, 0], ratings.places[:, 1], size)
    return np.bincount(cells, minlength=size**2).reshape(size, size)


def _divide(above: Values, below: Values) -> Values:
    return np.asarray(np.divide(above, below, out=np.full(np.shape(above), np.nan), where=below > 0))
