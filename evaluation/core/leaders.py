"""Many systems against the best of them: intervals of their means, and which are not told apart from it.

Scores are systems × topics. Where a test draws at random, all systems share the draws: one product of matrices serves all.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.core import several, significance
from evaluation.core.comparison import FOR_FAMILIES, SEED, Test
from evaluation.core.significance import FEWEST, TOLERANCE, Correction

Table = NDArray[np.float64]
Values = NDArray[np.float64]

_EXACT_FLIPS = 20
_FLIPS, _SAMPLES = 100_000, 10_000
_AT_ONCE = 1 << 18  # numbers held at a time: they stay in the processor's cache
_SHUFFLED = 60_000_000  # scores that randomized Tukey shuffles at most; with many systems it draws less often


def mean_intervals(scores: Table, *, samples: int = 2000, level: float = 0.95, seed: int = SEED) -> tuple[Values, Values]:
    """Percentile intervals of the means, by bootstrap over topics; the same topics are drawn for all systems."""
    systems, topics = scores.shape
    if not topics:
        return np.full(systems, np.nan), np.full(systems, np.nan)
    drawn = np.random.default_rng(seed).multinomial(topics, np.full(topics, 1 / topics), size=samples)
    low, high = np.quantile(drawn @ scores.T / topics, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return low, high


@dataclass(frozen=True, eq=False)
class Leaders:
    """`best`: the place of the system with the highest mean, the first of equal ones. `p`: of each one's difference from
    it, corrected for their number; 1 for the best itself. `same`: not told apart from it; all false where nothing was
    tested, for fewer than five topics or two systems."""

    best: int
    p: Values
    same: NDArray[np.bool_]
    tested: bool


def against_best(
    scores: Table, *, test: Test = "randomization", correction: Correction = "holm", alpha: float = 0.05, seed: int = SEED
) -> Leaders:
    """The family is all systems against the best. Tukey's tests mind their number by themselves, by all pairs."""
    systems, topics = scores.shape
    best = int(np.argmax(np.round(scores.mean(axis=1), 12))) if systems and topics else 0
    nothing = Leaders(best, np.ones(systems), np.zeros(systems, bool), False)
    if systems < 2 or topics < FEWEST:
        return nothing
    others = np.array([place for place in range(systems) if place != best])
    rng = np.random.default_rng(seed)
    p = np.ones(systems)
    if test in FOR_FAMILIES:
        p[others] = _tukey(scores, best, others, test, rng)
    else:
        gaps = np.round(scores[best] - scores[others], 12)
        p[others] = significance.adjust(_paired(gaps, scores[best], scores[others], test, rng).tolist(), correction)
    return Leaders(best, p, p >= alpha, True)


def _tukey(scores: Table, best: int, others: NDArray[np.int64], test: Test, rng: np.random.Generator) -> Values:
    gaps = scores[best].mean() - scores[others].mean(axis=1)
    if test == "tukey":
        from scipy import stats

        error = several.anova(scores).residual
        if error.ms < TOLERANCE**2:
            return np.where(gaps < TOLERANCE, 1.0, 0.0)
        q = gaps / (error.ms / scores.shape[1]) ** 0.5
        return np.asarray(np.clip(stats.studentized_range.sf(q, len(scores), error.df), 0.0, 1.0))
    samples = int(np.clip(_SHUFFLED // scores.size, 500, _SAMPLES))
    ranges = np.sort(several.shuffled_ranges(scores, rng, samples))
    hits = len(ranges) - np.searchsorted(ranges, gaps - TOLERANCE)
    return np.asarray((hits + 1) / (len(ranges) + 1))


def _paired(gaps: Table, best: Values, others: Table, test: Test, rng: np.random.Generator) -> Values:
    """One p-value for each row of the differences."""
    if test == "t":
        return paired_t(gaps)
    if test == "wilcoxon":
        return np.array([significance.wilcoxon(best, other).p for other in others])
    if test == "sign":
        return np.array([significance.sign_test(best, other).p for other in others])
    if test == "bootstrap":
        return _bootstrap(gaps, rng)
    return _randomization(gaps, rng)


def paired_t(gaps: Table) -> Values:
    """As significance.paired_t: p of each row of differences; 1 where all are 0."""
    from scipy import stats

    count = gaps.shape[1]
    mean, spread = gaps.mean(axis=1), gaps.std(axis=1, ddof=1)
    flat = spread < TOLERANCE
    t = mean / np.where(flat, 1.0, spread) * count**0.5
    return np.where(flat, np.where(np.abs(mean) < TOLERANCE, 1.0, 0.0), 2 * stats.t.sf(np.abs(t), count - 1))


def _randomization(gaps: Table, rng: np.random.Generator) -> Values:
    """As significance.randomization: all sign patterns up to 20 topics, random ones beyond."""
    systems, topics = gaps.shape
    sums, doubled = gaps.sum(axis=1)[:, None], 2 * gaps
    found = np.abs(sums) - TOLERANCE * topics
    hits = np.zeros(systems, np.int64)
    exact = topics <= _EXACT_FLIPS
    total = 1 << topics if exact else _FLIPS
    for start, size in _portions(total, max(systems, topics)):
        if exact:
            patterns = (np.arange(start, start + size)[:, None] >> np.arange(topics)) & 1
        else:
            patterns = rng.integers(0, 2, (size, topics), np.int8)
        flipped = doubled @ patterns.T.astype(np.float64)
        flipped -= sums
        hits += [np.count_nonzero(row) for row in np.abs(flipped, out=flipped) >= found]  # a row at a time: thrice as quick
    return np.asarray(hits / total if exact else (hits + 1) / (total + 1))


def _bootstrap(gaps: Table, rng: np.random.Generator) -> Values:
    """As significance.bootstrap, by the shift method."""
    systems, topics = gaps.shape
    mean = gaps.mean(axis=1)
    centred, found = gaps - mean[:, None], np.abs(mean) - TOLERANCE
    hits = np.zeros(systems, np.int64)
    for _start, size in _portions(_SAMPLES, max(systems, topics)):
        drawn = rng.multinomial(topics, np.full(topics, 1 / topics), size=size)
        hits += (np.abs(drawn @ centred.T / topics) >= found).sum(axis=0)
    return np.asarray((hits + 1) / (_SAMPLES + 1))


def _portions(total: int, width: int) -> Iterator[tuple[int, int]]:
    most = max(4, _AT_ONCE // max(width, 1) // 4 * 4)  # fours: so many small numbers are drawn of one word
    return ((start, min(most, total - start)) for start in range(0, total, most))
