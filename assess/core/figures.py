"""Every coefficient of a set of ratings, each with its items, standard error, interval and a word where it needs one."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from assess.core import bootstrap, chance
from assess.core.agreement import Table, Weights, kappa_standard_error, kappas
from assess.core.bootstrap import Plan, Sample
from assess.core.ratings import MISSING, Counts, Kinds, Patterns, Ratings, Tallies, patterns, tallies

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

NO_OVERLAP = "no overlap"
ONE_LEVEL = "only one level used"
ONE_ITEM = "one item"

_AT_ONCE = 1 << 21  # numbers held at once for the tables of all pairs

Values = NDArray[np.float64]
Statistic = Callable[[Sample], Values]
Statistics = Callable[[Sample], dict[str, Values]]


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
    found = tallies(ratings)
    groups: list[tuple[Kinds, Statistics, Plan | None]] = [(found, _Coefficients(ratings, found), plan)]
    if ratings.places.shape[1] != 2:
        each = patterns(ratings)
        tables = _Tables.of(each)
        groups.append(
            (each, partial(_pairwise, tables), plan and plan.within(len(ratings.places) + tables.pairs * tables.size**2))
        )
    values: dict[str, float] = {}
    drawn: dict[str, Values] = {}
    for kinds, statistics, resampled in groups:
        values |= {key: float(value[0]) for key, value in statistics(bootstrap.sample_itself(kinds)).items()}
        if resampled is not None and len(ratings.places) > 1:
            parts = [statistics(sample) for sample in bootstrap.resamples(kinds, resampled)]
            drawn |= {key: np.concatenate([part[key] for part in parts]) for key in parts[0]}
    keys = [key for key in TITLES if key in values]
    if not len(ratings.places):
        return [Figure(key, 0, None, note=NO_OVERLAP) for key in keys]
    counts = {key: int(found.times[found.complete].sum()) if key == "overlap" else len(ratings.places) for key in keys}
    return [_figure(ratings, key, counts[key], values[key], drawn.get(key), plan) for key in keys]


def values(ratings: Ratings) -> dict[str, float | None]:
    """Each coefficient without its interval; None where it is not defined."""
    return {figure.key: figure.value for figure in figures(ratings)}


def by_topic(ratings: Ratings) -> list[tuple[int, list[Figure]]]:
    """Each topic's figures, without intervals; topics with nothing shared included."""
    return [(int(topic), figures(ratings.only(ratings.topics == topic))) for topic in np.unique(ratings.topics)]


def topic_values(ratings: Ratings, keys: Sequence[str]) -> tuple[list[int], list[int], dict[str, list[float | None]]]:
    """Of each topic with something shared its code, how many items, and a few coefficients: all topics at once."""
    shared = ratings.shared()
    found = tallies(shared)
    sample = bootstrap.samples_of_topics(found)
    numbers, computed = sample.times.sum(axis=1).astype(np.int64).tolist(), _Coefficients(shared, found)(sample)
    values = {key: [None if math.isnan(one) else one for one in computed[key].tolist()] for key in keys}
    return np.unique(found.topics).tolist(), numbers, values


@dataclass(frozen=True)
class TopicMean:
    """The mean over the topics that have a value, how many have one, and how many have none."""

    key: str
    mean: float | None
    topics: int
    undefined: int


def topic_means(topics: list[tuple[int, list[Figure]]]) -> list[TopicMean]:
    """Of each coefficient over all topics, which have the same ones in the same order; one without a value counts in no mean."""
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


class _Coefficients:
    """Each coefficient that fits the ratings, as a function of samples; but for the mean of the pairs.

    Only overlap asks for topics: for all others a sample is summed up over them first, which leaves a handful of kinds.
    """

    def __init__(self, ratings: Ratings, found: Tallies) -> None:
        first, kind = found.alike()
        self.sums = np.eye(len(first))[kind]
        self.made = _statistics(ratings, found.counts[first], found.cells[first])
        self.overlap = partial(_overlap, found) if len(ratings.levels) == 2 else None

    def __call__(self, sample: Sample) -> dict[str, Values]:
        summed = replace(sample, times=sample.times @ self.sums)
        values = {key: statistic(summed) for key, statistic in self.made.items()}
        return values if self.overlap is None else {**values, "overlap": self.overlap(sample)}


def _statistics(ratings: Ratings, counts: Counts, cells: NDArray[np.int64]) -> dict[str, Statistic]:
    binary, two, levels = len(ratings.levels) == 2, ratings.places.shape[1] == 2, ratings.levels
    made: dict[str, Statistic] = {"raw": partial(_raw, chance.observed_agreement(counts))}
    if binary:
        made |= {
            "positive": partial(_specific, counts[:, 1], counts.sum(axis=1)),
            "negative": partial(_specific, counts[:, 0], counts.sum(axis=1)),
        }
    if two:
        made |= {key: partial(_kappa, np.eye(len(levels) ** 2)[cells], levels, weights) for key, weights in _KAPPAS.items()}
    for key, (model, weights) in _BEYOND_CHANCE.items():
        if key not in ("raw", "fleiss" if two else "pooled"):
            made[key] = partial(_beyond_chance, counts, levels, model, weights)
    both = chance.coincidences(counts).reshape(len(counts), len(levels) ** 2)
    made |= {f"alpha_{metric}": partial(_alpha, both, levels, metric) for metric in _ALPHAS}
    weighted = {"linear", "quadratic", "alpha_ordinal", "alpha_interval", "ac2_linear", "ac2_quadratic"}  # equal on two levels
    return {key: statistic for key, statistic in made.items() if not (binary and key in weighted)}


def _raw(share: Values, sample: Sample) -> Values:
    return _divide(sample.times @ share, sample.times.sum(axis=1))


def _specific(chosen: NDArray[np.int64], number: NDArray[np.int64], sample: Sample) -> Values:
    """Of those who chose a level, the share of their fellow assessors who chose it too: 2a / (2a + b + c) for two."""
    return _divide(sample.times @ (chosen * (chosen - 1)), sample.times @ (chosen * (number - 1)))


def _overlap(found: Tallies, sample: Sample) -> Values:
    """Relevant to all / relevant to any, in each topic over what all its assessors judged; the mean over topics.

    A topic with nothing relevant to anyone is left out. Voorhees 2000.
    """
    starts = np.unique(found.topics, return_index=True)[1]
    anyone, everyone = found.complete & (found.counts[:, 1] > 0), found.complete & (found.counts[:, 0] == 0)
    union = np.add.reduceat(sample.times * anyone, starts, axis=1)
    share = _divide(np.add.reduceat(sample.times * everyone, starts, axis=1), union)
    return _divide(np.nansum(share * sample.topics, axis=1), (sample.topics * (union > 0)).sum(axis=1))


def _cells(first: NDArray[np.int8], second: NDArray[np.int8], size: int) -> NDArray[np.int64]:
    return first.astype(np.int64) * size + second


def _kappa(cells: Values, levels: tuple[int, ...], weights: Weights, sample: Sample) -> Values:
    return kappas((sample.times @ cells).reshape(-1, len(levels), len(levels)), weights=weights, levels=levels)


@dataclass(frozen=True, eq=False)
class _Tables:
    """How patterns fill the tables of all pairs: `patterns`, one for each pair within one, in the order of the `cells` they
    fall into; each cell begins at one of `starts`. A pair's table is K × K cells, one pair's after the other's."""

    patterns: NDArray[np.int64]
    starts: NDArray[np.int64]
    cells: NDArray[np.int64]
    pairs: int
    size: int

    @classmethod
    def of(cls, found: Patterns) -> "_Tables":
        size, people = len(found.levels), found.places.shape[1]
        rows, first, second = _within(found.places)
        used, pair = np.unique(first * people + second, return_inverse=True)
        cell = pair * size**2 + _cells(found.places[rows, first], found.places[rows, second], size)
        order = np.argsort(cell, kind="stable")
        cells, starts = np.unique(cell[order], return_index=True)
        return cls(rows[order], starts, cells, len(used), size)


def _within(places: NDArray[np.int8]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Every pair of assessors of every row: the row and both columns, the lower first."""
    row, column = np.nonzero(places != MISSING)
    starts, lengths = np.unique(row, return_index=True, return_counts=True)[1:]
    found = [
        (np.repeat(starts[lengths == m], m * (m - 1) // 2).reshape(-1, m * (m - 1) // 2), np.triu_indices(m, 1))
        for m in np.unique(lengths[lengths > 1]).tolist()
    ]
    one = np.concatenate([(start + i).ravel() for start, (i, _) in found] or [np.empty(0, np.int64)])
    two = np.concatenate([(start + j).ravel() for start, (_, j) in found] or [np.empty(0, np.int64)])
    return row[one], column[one], column[two]


def _pairwise(tables: _Tables, sample: Sample) -> dict[str, Values]:
    """The mean of Cohen's kappa over the pairs that have one, some samples at a time: of a crowd there are thousands of pairs."""
    found = []
    each = max(1, _AT_ONCE // max(tables.pairs * tables.size**2, len(tables.patterns), 1))
    for begin in range(0, len(sample.times), each):
        times = sample.times[begin : begin + each]
        filled = np.zeros((len(times), tables.pairs * tables.size**2))
        if len(tables.starts):
            filled[:, tables.cells] = np.add.reduceat(times[:, tables.patterns], tables.starts, axis=1)
        each_pair = filled.reshape(len(times), tables.pairs, tables.size, tables.size)
        row, column, equal = each_pair.sum(axis=3), each_pair.sum(axis=2), np.trace(each_pair, axis1=2, axis2=3)
        n = row.sum(axis=2)
        share = _divide(n * (n - equal), n * n - (row * column).sum(axis=2))
        found.append(_divide(np.nansum(1.0 - share, axis=1), (~np.isnan(share)).sum(axis=1).astype(np.float64)))
    return {"pairwise": np.concatenate(found)}


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
