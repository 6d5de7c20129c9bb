"""How far a figure would move with other items of the same kind: resampling, and the percentile interval."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assess.core.ratings import Patterns

GENERATOR = "PCG64"  # told beside the seed with every result
MOST_UNDEFINED = 0.05  # share of resamples without a value from which on no interval is given
_AT_ONCE = 1 << 21  # numbers drawn before they are used: bounds the memory


@dataclass(frozen=True)
class Plan:
    """How to resample: items within each topic, or whole topics, for a claim about topics in general."""

    resamples: int = 2000
    seed: int = 0
    level: float = 0.95
    by_topic: bool = False


@dataclass(frozen=True, eq=False)
class Sample:
    """B samples at once. `times`, B × P: how often each pattern occurs; `topics`, B × T: how often each topic does."""

    times: NDArray[np.float64]
    topics: NDArray[np.float64]


@dataclass(frozen=True)
class Spread:
    """What the resamples tell: their standard deviation, the interval, and how many had no value."""

    standard_error: float | None
    interval: tuple[float, float] | None
    undefined: int


def sample_itself(of: Patterns) -> Sample:
    return Sample(of.times[None, :].astype(np.float64), np.ones((1, len(np.unique(of.topics)))))


def resamples(of: Patterns, plan: Plan) -> Iterator[Sample]:
    """`plan.resamples` samples in all. The same patterns and seed give the same samples."""
    rng = np.random.default_rng(plan.seed)
    starts = np.unique(of.topics, return_index=True)[1]
    size = max(1, _AT_ONCE // max(len(of.times), 1))
    for begin in range(0, plan.resamples, size):
        number = min(size, plan.resamples - begin)
        if plan.by_topic:
            drawn = rng.multinomial(len(starts), np.full(len(starts), 1 / len(starts)), number).astype(np.float64)
            lengths = np.diff(np.append(starts, len(of.times)))
            yield Sample(np.repeat(drawn, lengths, axis=1) * of.times, drawn)
        else:
            parts = [rng.multinomial(int(topic.sum()), topic / topic.sum(), number) for topic in np.split(of.times, starts[1:])]
            yield Sample(np.concatenate(parts, axis=1).astype(np.float64), np.ones((number, len(starts))))


def percentile_interval(values: NDArray[np.float64], level: float) -> tuple[float, float]:
    """The middle `level` of the values, NaN left out; quantiles by linear interpolation (Hyndman and Fan's 7th)."""
    low, high = np.quantile(values[~np.isnan(values)], [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def spread(values: NDArray[np.float64], level: float) -> Spread:
    """Of one value for each resample, NaN where undefined: dropped and counted; no interval if they are too many."""
    undefined = int(np.isnan(values).sum())
    if len(values) - undefined < 2 or undefined > MOST_UNDEFINED * len(values):
        return Spread(None, None, undefined)
    return Spread(float(np.nanstd(values, ddof=1)), percentile_interval(values, level), undefined)
