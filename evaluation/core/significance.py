"""Is the difference between two systems more than chance? Paired tests over topics, effect sizes, corrections.

All take the scores of two systems on the same topics, in the same order. Differences are rounded to 12 decimals before
anything is ranked or compared with zero, so that 0.33 - 0.30 and 0.31 - 0.28 are equal. Tests are two-sided.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Correction = Literal["holm", "bh", "bonferroni"]

FEWEST = 5  # topics that a test needs
FEW = 10  # topics below which a test is shown with a warning
TOLERANCE = 1e-12

_EXACT_WILCOXON, _EXACT_FLIPS = 25, 20
_AT_ONCE = 1 << 22  # random numbers held in memory at a time


@dataclass(frozen=True)
class TTest:
    """Paired t-test: t and p are None if all differences are 0; p is 0 if all are the same and not 0."""

    t: float | None
    df: int
    p: float | None
    mean: float
    interval: tuple[float, float]


@dataclass(frozen=True)
class Wilcoxon:
    """Signed-rank test. `p` is exact up to 25 differences that are not zero, normal beyond."""

    n: int
    plus: float
    minus: float
    statistic: float
    z: float | None
    p_exact: float | None
    p_normal: float

    @property
    def p(self) -> float:
        return self.p_normal if self.p_exact is None else self.p_exact


@dataclass(frozen=True)
class SignTest:
    """How often each system is better; ties are left out of the test."""

    plus: int
    minus: int
    ties: int
    p: float


@dataclass(frozen=True)
class Resampled:
    """A test by random or all resamples: `hits` of `resamples` were as extreme as what was found."""

    p: float
    resamples: int
    hits: int
    exact: bool


def differences(a: Floats, b: Floats) -> Floats:
    """a - b, rounded to 12 decimals."""
    if len(a) != len(b):
        raise ValueError(f"expected scores of two systems on the same topics, found {len(a)} and {len(b)}")
    return np.round(np.asarray(a, np.float64) - np.asarray(b, np.float64), 12)


def paired_t(a: Floats, b: Floats, *, level: float = 0.95) -> TTest:
    """Student's t-test of the mean difference, with its interval. Student 1908."""
    from scipy import stats

    d = differences(a, b)
    n, mean = len(d), float(d.mean())
    spread = float(d.std(ddof=1)) if n > 1 else 0.0
    if spread < TOLERANCE:
        p = None if abs(mean) < TOLERANCE else 0.0
        return TTest(None, n - 1, p, mean, (mean, mean))
    found = stats.ttest_rel(np.asarray(a), np.asarray(b))
    half = float(stats.t.ppf((1 + level) / 2, n - 1)) * spread / math.sqrt(n)
    return TTest(float(found.statistic), n - 1, float(found.pvalue), mean, (mean - half, mean + half))


def wilcoxon(a: Floats, b: Floats) -> Wilcoxon:
    """Wilcoxon's signed-rank test; differences of 0 are left out, equal ones share their ranks. Wilcoxon 1945.

    The exact p counts all sign patterns, mid-ranks included; the normal one has the correction for ties and none for
    continuity.
    """
    from scipy import stats

    d = differences(a, b)
    d = d[d != 0]
    n = len(d)
    if not n:
        return Wilcoxon(0, 0.0, 0.0, 0.0, None, 1.0, 1.0)
    ranks = stats.rankdata(np.abs(d))
    plus, minus = float(ranks[d > 0].sum()), float(ranks[d < 0].sum())
    least = min(plus, minus)
    _, tied = np.unique(ranks, return_counts=True)
    spread = math.sqrt(n * (n + 1) * (2 * n + 1) / 24 - float((tied**3 - tied).sum()) / 48)
    z = (least - n * (n + 1) / 4) / spread
    exact = _exact_wilcoxon(ranks, least) if n <= _EXACT_WILCOXON else None
    return Wilcoxon(n, plus, minus, least, z, exact, min(1.0, 2 * float(stats.norm.cdf(z))))


def _exact_wilcoxon(ranks: Floats, least: float) -> float:
    """Over all 2^n sign patterns; ranks are doubled, so that mid-ranks are whole. scipy's exact test knows no ties."""
    doubled = np.rint(2 * ranks).astype(np.int64)
    patterns = np.zeros(int(doubled.sum()) + 1)
    patterns[0] = 1.0
    for step in doubled.tolist():
        patterns[step:] = patterns[step:] + patterns[: len(patterns) - step]
    return min(1.0, 2 * float(patterns[: round(2 * least) + 1].sum()) / 2.0 ** len(ranks))


def sign_test(a: Floats, b: Floats) -> SignTest:
    """Which is better more often than chance: the binomial test, ties left out. Arbuthnot 1710."""
    from scipy import stats

    d = differences(a, b)
    plus, minus = int((d > 0).sum()), int((d < 0).sum())
    p = float(stats.binomtest(plus, plus + minus).pvalue) if plus + minus else 1.0
    return SignTest(plus, minus, len(d) - plus - minus, min(1.0, p))


def randomization(a: Floats, b: Floats, rng: np.random.Generator, *, flips: int = 100_000) -> Resampled:
    """How often the mean difference is as large if the two systems' scores are exchanged at random, topic by topic.

    All 2^n ways up to 20 topics, and then the answer is exact; beyond, `flips` random ones and p = (hits + 1) / (flips
    + 1). Fisher 1935; Smucker, Allan and Carterette 2007.
    """
    d = differences(a, b)
    found = abs(float(d.sum())) - TOLERANCE * len(d)
    if len(d) <= _EXACT_FLIPS:
        sums = np.zeros(1)
        for value in d.tolist():
            sums = np.concatenate((sums + value, sums - value))
        hits = int((np.abs(sums) >= found).sum())
        return Resampled(hits / len(sums), len(sums), hits, True)
    hits = 0
    for size in _portions(flips, len(d)):
        signs = rng.integers(0, 2, (size, len(d)), np.int8).astype(np.float64) * 2 - 1
        hits += int((np.abs(signs @ d) >= found).sum())
    return Resampled((hits + 1) / (flips + 1), flips, hits, False)


def bootstrap(a: Floats, b: Floats, rng: np.random.Generator, *, samples: int = 10_000) -> Resampled:
    """How often the mean of resampled differences, shifted to a mean of 0, is as large as the one found.

    Fewer than five topics are refused. p = (hits + 1) / (samples + 1). Efron and Tibshirani 1993; Sakai 2006.
    """
    d = differences(a, b)
    _require(len(d))
    centred, found, hits = d - d.mean(), abs(float(d.mean())) - TOLERANCE, 0
    for size in _portions(samples, len(d)):
        means = centred[rng.integers(0, len(d), (size, len(d)))].mean(axis=1)
        hits += int((np.abs(means) >= found).sum())
    return Resampled((hits + 1) / (samples + 1), samples, hits, False)


def bootstrap_all(a: Floats, b: Floats) -> Resampled:
    """The same over all n^n resamples, for n up to 7."""
    d = differences(a, b)
    if len(d) > 7:
        raise ValueError(f"expected at most 7 topics, found {len(d)}: there are too many resamples")
    centred = d - d.mean()
    sums = np.zeros(1)
    for _ in range(len(d)):
        sums = (sums[:, None] + centred).reshape(-1)
    hits = int((np.abs(sums / len(d)) >= abs(float(d.mean())) - TOLERANCE).sum())
    return Resampled(hits / len(sums), len(sums), hits, True)


def bootstrap_interval(
    a: Floats, b: Floats, rng: np.random.Generator, *, samples: int = 10_000, level: float = 0.95
) -> tuple[float, float]:
    """Percentile interval of the mean difference."""
    d = differences(a, b)
    _require(len(d))
    portions = _portions(samples, len(d))
    means = np.concatenate([d[rng.integers(0, len(d), (size, len(d)))].mean(axis=1) for size in portions])
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def _require(topics: int) -> None:
    if topics < FEWEST:
        raise ValueError(f"expected at least {FEWEST} topics, found {topics}")


def _portions(total: int, width: int) -> list[int]:
    """`total` in portions, so that none needs more than a few megabytes of random numbers."""
    most = max(1, _AT_ONCE // max(width, 1))
    return [most] * (total // most) + ([total % most] if total % most else [])


@dataclass(frozen=True)
class Effect:
    """How large a difference is. `relative` in percent of b's mean, None if that is 0.

    `d_z`: mean / standard deviation of the differences, `g_z` the same corrected for few topics; `d_av` by the average
    variance of the two, `glass` by the deviation of b; None where that is 0. `g_interval`: of g_z, by the noncentral t.
    `cliff`: how much likelier a score of a is above one of b than below.
    """

    mean: float
    relative: float | None
    d_z: float | None
    g_z: float | None
    g_interval: tuple[float, float] | None
    d_av: float | None
    glass: float | None
    cliff: float
    wins: int
    losses: int
    ties: int


def effect_sizes(a: Floats, b: Floats, *, level: float = 0.95) -> Effect:
    """All of them; Cohen 1988, Hedges 1981, Glass 1976, Cliff 1993."""
    a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
    d = differences(a, b)
    n, mean = len(d), float(d.mean())
    d_z = _over(mean, float(d.std(ddof=1)) if n > 1 else 0.0)
    shrink = 1 - 3 / (4 * (n - 1) - 1) if n > 1 else 0.0
    interval = None if d_z is None or n < 3 else _interval(d_z, n, shrink, level)
    pairs = np.sign(np.round(a[:, None] - b[None, :], 12))
    return Effect(
        mean,
        relative_change(float(a.mean()), float(b.mean())),
        d_z,
        None if d_z is None else d_z * shrink,
        interval,
        _over(mean, math.sqrt((float(a.var(ddof=1)) + float(b.var(ddof=1))) / 2) if n > 1 else 0.0),
        _over(mean, float(b.std(ddof=1)) if n > 1 else 0.0),
        float(pairs.mean()),
        int((d > 0).sum()),
        int((d < 0).sum()),
        int((d == 0).sum()),
    )


def _over(mean: float, spread: float) -> float | None:
    return None if spread < TOLERANCE else mean / spread


def _interval(d_z: float, n: int, shrink: float, level: float) -> tuple[float, float]:
    """The noncentralities under which the t found lies at the ends of the interval. Cumming and Finch 2001.

    Where t is so large that the noncentral distribution cannot be computed, by the normal one. Hedges and Olkin 1985.
    """
    from scipy import special

    t = d_z * math.sqrt(n)
    ends = [float(special.nctdtrinc(n - 1, share, t)) / math.sqrt(n) for share in ((1 + level) / 2, (1 - level) / 2)]
    if not (math.isfinite(ends[0]) and math.isfinite(ends[1]) and ends[0] < d_z < ends[1]):
        half = float(special.ndtri((1 + level) / 2)) * math.sqrt(1 / n + d_z * d_z / (2 * n))
        ends = [d_z - half, d_z + half]
    return shrink * ends[0], shrink * ends[1]


def relative_change(value: float, baseline: float) -> float | None:
    """By how many percent a value lies above a baseline; None for a baseline of 0."""
    return None if baseline == 0 else 100 * (value - baseline) / baseline


def adjust(p: Sequence[float], method: Correction = "holm") -> list[float]:
    """p-values of a family of tests, corrected for their number; in the order given.

    Holm 1979, or by "bh" the false discovery rate of Benjamini and Hochberg 1995, or by "bonferroni".
    """
    values = np.asarray(p, np.float64)
    count = len(values)
    if not count:
        return []
    if method == "bonferroni":
        return [float(value) for value in np.minimum(values * count, 1.0)]
    if method == "bh":
        from scipy import stats

        return [float(value) for value in stats.false_discovery_control(values)]
    order = np.argsort(values, kind="stable")
    stepped = np.minimum(np.maximum.accumulate(values[order] * (count - np.arange(count))), 1.0)
    adjusted = np.empty(count)
    adjusted[order] = stepped
    return [float(value) for value in adjusted]
