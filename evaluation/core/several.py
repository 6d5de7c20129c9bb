"""More than two systems: analysis of variance, and which pairs differ. Scores are systems × topics."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from evaluation.core.significance import TOLERANCE

Table = NDArray[np.float64]

_AT_ONCE = 1 << 22


@dataclass(frozen=True)
class Part:
    """A source of variance; F and p are None for the residual, and where there is no residual."""

    ss: float
    df: int
    ms: float
    f: float | None = None
    p: float | None = None


@dataclass(frozen=True)
class Anova:
    """Two ways, systems and topics, each combination once. The topics' effect is nearly always the largest."""

    system: Part
    topic: Part
    residual: Part
    total: float
    eta2_partial: float | None
    omega2: float | None


@dataclass(frozen=True)
class Pair:
    """Two systems by their places. `effect`: difference / square root of the residual variance, None if that is 0."""

    first: int
    second: int
    difference: float
    statistic: float | None
    p: float
    effect: float | None


def anova(scores: Table) -> Anova:
    """score = mean + system + topic + error. Tague-Sutcliffe and Blustein 1995."""
    from scipy import stats

    systems, topics = _shape(scores)
    grand = scores.mean()
    ss_system = float(topics * ((scores.mean(axis=1) - grand) ** 2).sum())
    ss_topic = float(systems * ((scores.mean(axis=0) - grand) ** 2).sum())
    total = float(((scores - grand) ** 2).sum())
    left = scores - scores.mean(axis=1, keepdims=True) - scores.mean(axis=0) + grand
    ss_error = float((left**2).sum())
    df_error = (systems - 1) * (topics - 1)
    ms_error = ss_error / df_error

    def part(ss: float, df: int) -> Part:
        if ms_error < TOLERANCE**2:
            return Part(ss, df, ss / df)
        f = ss / df / ms_error
        return Part(ss, df, ss / df, f, float(stats.f.sf(f, df, df_error)))

    above, below = ss_system + ss_error, total + ms_error
    return Anova(
        part(ss_system, systems - 1),
        part(ss_topic, topics - 1),
        Part(ss_error, df_error, ms_error),
        total,
        ss_system / above if above > 0 else None,
        (ss_system - (systems - 1) * ms_error) / below if below > 0 else None,
    )


def tukey(scores: Table) -> list[Pair]:
    """Tukey's honestly significant difference for all pairs, by the studentised range. Tukey 1949."""
    from scipy import stats

    systems, topics = _shape(scores)
    means, error = scores.mean(axis=1), anova(scores).residual
    pairs = []
    for first, second in combinations(range(systems), 2):
        difference = float(means[first] - means[second])
        if error.ms < TOLERANCE**2:
            pairs.append(Pair(first, second, difference, None, float(abs(difference) < TOLERANCE), None))
            continue
        q = abs(difference) / (error.ms / topics) ** 0.5
        p = float(stats.studentized_range.sf(q, systems, error.df))
        pairs.append(Pair(first, second, difference, q, min(max(p, 0.0), 1.0), difference / error.ms**0.5))
    return pairs


def randomized_tukey(scores: Table, rng: np.random.Generator, *, samples: int = 10_000) -> list[Pair]:
    """Tukey's test without a distribution: how often a shuffle of the systems, topic by topic, spreads the means as far.

    p = (hits + 1) / (samples + 1). Carterette 2012; Sakai 2014.
    """
    return _by_range(scores, shuffled_ranges(scores, rng, samples), 1)


def shuffled_ranges(scores: Table, rng: np.random.Generator, samples: int) -> NDArray[np.float64]:
    """How far apart the highest and lowest mean lie after each shuffle."""
    systems, topics = _shape(scores)
    portion = max(1, _AT_ONCE // (systems * topics))
    ranges = [
        _range(rng.permuted(np.broadcast_to(scores, (size, systems, topics)).copy(), axis=1))
        for size in [portion] * (samples // portion) + [samples % portion]
        if size
    ]
    return np.concatenate(ranges)


def randomized_tukey_all(scores: Table) -> list[Pair]:
    """The same over all shuffles, as many as fit: (systems!)^topics must be below a million."""
    from itertools import permutations

    systems, topics = _shape(scores)
    orders = np.array(list(permutations(range(systems))))
    if len(orders) ** topics > 1_000_000:
        raise ValueError(f"expected few systems and topics, found {systems} and {topics}: there are too many shuffles")
    sums = np.zeros((1, systems))
    for topic in range(topics):
        sums = (sums[:, None] + scores[orders, topic]).reshape(-1, systems)
    return _by_range(scores, (sums.max(axis=1) - sums.min(axis=1)) / topics, 0)


def _range(shuffled: NDArray[np.float64]) -> NDArray[np.float64]:
    means = shuffled.mean(axis=2)
    return np.asarray(means.max(axis=1) - means.min(axis=1))


def _by_range(scores: Table, ranges: NDArray[np.float64], more: int) -> list[Pair]:
    means, error = scores.mean(axis=1), anova(scores).residual.ms
    ordered = np.sort(ranges)
    pairs = []
    for first, second in combinations(range(len(scores)), 2):
        difference = float(means[first] - means[second])
        hits = len(ordered) - int(np.searchsorted(ordered, abs(difference) - TOLERANCE))
        effect = difference / error**0.5 if error >= TOLERANCE**2 else None
        pairs.append(Pair(first, second, difference, None, (hits + more) / (len(ordered) + more), effect))
    return pairs


def letters(scores: Table, pairs: list[Pair], *, alpha: float = 0.05) -> list[str]:
    """A letter for each group of systems that do not differ, "ab" for one in two groups; in the order of the systems.

    Groups are stretches of the order by mean in which no pair differs, none inside another. Piepho 2004.
    """
    order = np.argsort(-scores.mean(axis=1), kind="stable").tolist()
    differ = {frozenset((pair.first, pair.second)) for pair in pairs if pair.p < alpha}
    found: list[str] = [""] * len(order)
    reached = 0
    for start in range(len(order)):
        end = start + 1
        while end < len(order) and all(frozenset((order[end], order[one])) not in differ for one in range(start, end)):
            end += 1
        if end > reached:
            letter = _letter(len({mark for marks in found for mark in marks.split()}))
            for place in order[start:end]:
                found[place] += f"{letter} "
            reached = end
    return [marks.replace(" ", "") for marks in found]


def _letter(number: int) -> str:
    return "abcdefghijklmnopqrstuvwxyz"[number] if number < 26 else f"{_letter(number // 26 - 1)}{_letter(number % 26)}"


def _shape(scores: Table) -> tuple[int, int]:
    systems, topics = scores.shape
    if systems < 2 or topics < 2:
        raise ValueError(f"expected at least 2 systems and 2 topics, found {systems} and {topics}")
    return systems, topics
