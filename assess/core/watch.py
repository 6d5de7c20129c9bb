"""How judging goes, in figures: forecast, relevant documents by depth, and what is unlike the others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo

import numpy as np
from numpy.typing import NDArray

DEPTHS = (1, 2, 5, 10, 20, 30, 50, 75, 100, 150, 200, 500, 1000)
FEW = 20  # judgments below which nothing is said of somebody
FAST = 1 / 3  # of the others' median seconds
UNIFORM = 0.95  # share of one and the same grade …
USUAL = 0.85  # … which has no more than this share with the others
_HOUR, _DAY = 3600, 86_400
STEPS = (_HOUR, 6 * _HOUR, _DAY, 7 * _DAY, 28 * _DAY)
MOST_STRETCHES = 12
_MONDAY = 3 * _DAY  # from a Monday to 1 January 1970


@dataclass(frozen=True)
class Depth:
    """Of the pool down to a rank: its items, those judged, those relevant; and `band`, the share of relevant ones among
    what is judged between the depth before and this one: as long as that is far from 0, deeper pools find more."""

    depth: int
    items: int
    judged: int
    relevant: int
    band: float | None

    @property
    def percent(self) -> int:
        return round(100 * (self.band or 0.0))


def found_by_depth(
    ranks: NDArray[np.int64], items: NDArray[np.int64], judged: NDArray[np.int64], relevant: NDArray[np.int64]
) -> list[Depth]:
    """Counts at the usual depths, down to the first that holds every item; depths that add none are left out.
    `ranks` are best ranks, each once; the others count, for each, the items that have it."""
    if not len(ranks):
        return []
    deepest = int(ranks.max())
    depths = [depth for depth in DEPTHS if depth < deepest] + [deepest]
    rows: list[Depth] = []
    for depth in depths:
        here = ranks <= depth
        counts = int(items[here].sum()), int(judged[here].sum()), int(relevant[here].sum())
        before = rows[-1] if rows else Depth(0, 0, 0, 0, None)
        if counts[0] == before.items:
            continue
        new = counts[1] - before.judged
        rows.append(Depth(depth, *counts, (counts[2] - before.relevant) / new if new else None))
    return rows


def unlike_the_others(medians: Mapping[str, float], grades: Mapping[str, Mapping[int, int]]) -> dict[str, list[str]]:
    """What is unusual of whom, in words: judging much faster than the others, or giving one grade nearly always.

    `medians` are the median active seconds of each one's judgments, `grades` how often each gave which grade. Nothing is said
    of who has judged fewer than twenty, nor where there is nobody to compare with. It is a reason to look, no proof.
    """
    found: dict[str, list[str]] = {}
    known = {who: median for who, median in medians.items() if sum(grades.get(who, {}).values()) >= FEW}
    for who, median in known.items():
        others = [value for other, value in known.items() if other != who]
        if others and median < FAST * float(np.median(others)):
            words = f"fast: {median:.1f} s a judgment, the others {float(np.median(others)):.1f} s"
            found.setdefault(who, []).append(words)
    for who, given in grades.items():
        total = sum(given.values())
        if total < FEW:
            continue
        grade, count = max(given.items(), key=lambda pair: pair[1])
        rest = sum(sum(row.values()) for other, row in grades.items() if other != who)
        theirs = sum(row.get(grade, 0) for other, row in grades.items() if other != who)
        if rest >= FEW and count / total >= UNIFORM and theirs / rest <= USUAL:
            words = f"uniform: {count / total:.0%} have grade {grade}, with the others {theirs / rest:.0%}"
            found.setdefault(who, []).append(words)
    return found


def longest_run(grades: NDArray[np.int64], at: NDArray[np.float64]) -> int | None:
    """How many equal grades came one after the other, at the most; None where their order is not known, as of a file."""
    order = np.argsort(at, kind="stable")
    if not len(at) or (np.diff(at[order]) <= 0).any():
        return None
    ends = np.flatnonzero(np.diff(grades[order], append=-1))  # -1 is no grade that counts
    return int(np.diff(ends, prepend=-1).max())


def with_the_majority(
    items: NDArray[np.int64], grades: NDArray[np.int64], levels: Sequence[int]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Of each judgment: whether two or more others judged its item and one grade is most frequent among them; and whether it is
    that grade. Nobody's own grade is part of the majority it is held against."""
    each, scale = np.unique(items, return_inverse=True)[1], np.sort(np.asarray(levels, np.int64))
    own = np.zeros((len(items), len(scale)), np.int64)
    on_scale = np.isin(grades, scale)
    own[on_scale, np.searchsorted(scale, grades[on_scale])] = 1
    counts = np.zeros((int(each.max(initial=-1)) + 1, len(scale)), np.int64)
    np.add.at(counts, each, own)
    others = counts[each] - own
    most = others.max(axis=1, initial=0)
    known = on_scale & (others.sum(axis=1) >= 2) & ((others == most[:, None]).sum(axis=1) == 1)
    return known, known & (scale[others.argmax(axis=1)] == grades)


@dataclass(frozen=True)
class Forecast:
    """What is left, in hours of active work, and in days at the pace of the last week."""

    hours: float | None
    per_day: float
    days: float | None


def forecast(left: int, seconds: float | None, recent: int, days: float) -> Forecast:
    """`recent` judgments were made in the last `days`; `seconds` is the median of a judgment."""
    per_day = recent / days if days > 0 else 0.0
    return Forecast(None if seconds is None else left * seconds / 3600, per_day, left / per_day if per_day else None)


def stretches(at: NDArray[np.float64], zone: tzinfo) -> list[tuple[datetime, datetime, NDArray[np.int64]]]:
    """Moments (seconds since 1970) by the hour, six hours, day, week or four weeks in which they lie: the finest that makes at
    most twelve stretches from the first to the last. Each with its beginning and end as clocks in the zone show them, and the
    places of its moments; those without any are left out."""
    if not len(at):
        return []
    quarters, which = np.unique(at // 900, return_inverse=True)  # clocks change at quarters of an hour
    ahead = [datetime.fromtimestamp(quarter * 900, zone).utcoffset() or timedelta() for quarter in quarters.tolist()]
    local = at + np.array([one.total_seconds() for one in ahead])[which] + _MONDAY
    span = [int(local.max() // step - local.min() // step) + 1 for step in STEPS]
    step = next((step for step, number in zip(STEPS, span, strict=True) if number <= MOST_STRETCHES), STEPS[-1])
    found, part = np.unique(local // step, return_inverse=True)
    begins = [datetime.fromtimestamp(number * step - _MONDAY, UTC).replace(tzinfo=None) for number in found.tolist()]
    return [(start, start + timedelta(seconds=step), np.flatnonzero(part == place)) for place, start in enumerate(begins)]
