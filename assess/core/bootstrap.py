"""How far a figure would move with other items of the same kind: resampling, and the percentile interval."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from assess.core.ratings import Kinds

GENERATOR = "PCG64"  # told beside the seed with every result
MOST_UNDEFINED = 0.05  # share of resamples without a value from which on no interval is given
THIN = 10  # items below which a topic's figures say little
_MANY = 32  # kinds of a topic from which on it is quicker to draw items than numbers of each kind
_LEAST = 100  # resamples where what may be drawn is limited
_AT_ONCE = 1 << 21  # numbers drawn before they are used: bounds the memory


@dataclass(frozen=True)
class Plan:
    """How to resample: items within each topic, or whole topics, for a claim about topics in general.

    Topics of fewer than `THIN` items are drawn from as one: n items of a topic by themselves vary by (n − 1) / n of what they
    should, and a single one not at all, so that many small topics would make every interval too narrow.

    `draws`: how many numbers (items, cells of the pairs' tables) may be drawn for a coefficient that depends on who gave
    which grade; where that is not enough for all resamples, it has fewer, or none.
    """

    resamples: int = 2000
    seed: int = 0
    level: float = 0.95
    by_topic: bool = False
    draws: int | None = None

    def within(self, numbers: int) -> "Plan | None":
        """For a coefficient with so many numbers in each resample."""
        if self.draws is None:
            return self
        most = self.draws // max(numbers, 1)
        return replace(self, resamples=min(self.resamples, max(_LEAST, most))) if 4 * most >= _LEAST else None


@dataclass(frozen=True, eq=False)
class Sample:
    """B samples at once. `times`, B × P: how often each kind of item occurs; `topics`, B × T: how often each topic does."""

    times: NDArray[np.float64]
    topics: NDArray[np.float64]


@dataclass(frozen=True)
class Spread:
    """What the resamples tell: their standard deviation, the interval, and how many had no value."""

    standard_error: float | None
    interval: tuple[float, float] | None
    undefined: int


def sample_itself(of: Kinds) -> Sample:
    """What was found, as the only sample: by the same functions the estimate itself."""
    return Sample(of.times[None, :].astype(np.float64), np.ones((1, len(np.unique(of.topics)))))


def samples_of_topics(of: Kinds) -> Sample:
    """A sample for each topic: its own items, once."""
    codes = np.unique(of.topics, return_inverse=True)[1]
    mine = np.eye(int(codes.max(initial=-1)) + 1)
    return Sample(mine[:, codes] * of.times, mine)


def resamples(of: Kinds, plan: Plan) -> Iterator[Sample]:
    """`plan.resamples` samples in all. The same kinds and seed give the same samples."""
    rng = np.random.default_rng(plan.seed)
    starts = np.unique(of.topics, return_index=True)[1]
    strata = _strata(of)
    size = max(1, _AT_ONCE // max(len(of.times), 1))
    for begin in range(0, plan.resamples, size):
        number = min(size, plan.resamples - begin)
        if plan.by_topic:
            drawn = rng.multinomial(len(starts), np.full(len(starts), 1 / len(starts)), number).astype(np.float64)
            lengths = np.diff(np.append(starts, len(of.times)))
            yield Sample(np.repeat(drawn, lengths, axis=1) * of.times, drawn)
        else:
            times = np.empty((number, len(of.times)))
            for places in strata:
                times[:, places] = _drawn(of.times[places], number, rng)
            yield Sample(times, np.ones((number, len(starts))))


def _strata(of: Kinds) -> list[NDArray[np.int64]]:
    """The places of the kinds of each topic; those of all thin topics together, at the end."""
    codes = np.unique(of.topics, return_inverse=True)[1]
    thin = (np.bincount(codes, of.times) < THIN)[codes]
    places = np.arange(len(codes))
    ends = np.unique(codes[~thin], return_index=True)[1][1:]
    return [part for part in (*np.split(places[~thin], ends), places[thin]) if len(part)]


def _drawn(times: NDArray[np.int64], number: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Of a topic's items (or of those of all thin ones) as many as there are, with replacement: how often each kind came."""
    items, kinds = int(times.sum()), len(times)
    if kinds < _MANY:
        return rng.multinomial(items, times / items, number)
    kind, found = np.repeat(np.arange(kinds), times), np.empty((number, kinds), np.int64)
    size = max(1, _AT_ONCE // items)
    for part in (found[begin : begin + size] for begin in range(0, number, size)):
        drawn = kind[rng.integers(0, items, (len(part), items), np.int32)] + kinds * np.arange(len(part))[:, None]
        part[:] = np.bincount(drawn.ravel(), minlength=part.size).reshape(part.shape)
    return found


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
