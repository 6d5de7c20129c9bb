"""When to stop judging a topic: rules over its judgments in their order. They propose; a person decides."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Gains = NDArray[np.int64]


@dataclass(frozen=True)
class Stop:
    """After how many judgments a rule stops, and how many relevant documents were found by then.

    `reached` is false where the rule never called for it and the judgments are at their end.
    """

    at: int
    found: int
    reached: bool


def budget(gains: Gains, budget: int) -> Stop:
    """So many are judged."""
    return _first(gains, np.arange(1, len(gains) + 1) >= budget)


def consecutive(gains: Gains, n: int) -> Stop:
    """So many in a row are not relevant."""
    return _first(gains, _barren(gains) >= n)


def half_plus(gains: Gains, n: int, share: float, size: int | None = None) -> Stop:
    """So many in a row are not relevant, and at least a share of the pool is done; the pool is what is judged unless told."""
    done = np.arange(1, len(gains) + 1) >= share * (len(gains) if size is None else size)
    return _first(gains, (_barren(gains) >= n) & done)


def window_rate(gains: Gains, window: int, rate: float) -> Stop:
    """The relevant share of the last so many is below a rate."""
    sums = np.cumsum(gains)
    recent = sums - np.concatenate((np.zeros(window, np.int64), sums))[: len(gains)]
    full = np.arange(1, len(gains) + 1) >= window
    return _first(gains, full & (recent / window < rate))


def target(gains: Gains, target: int) -> Stop:
    """So many relevant ones are found."""
    return _first(gains, np.cumsum(gains) >= target)


def batch(gains: Gains, least: int = 10) -> Stop:
    """A whole batch of at least so many has nothing relevant. Batches are those of active learning: 1, 2 … 10, 11, 13, 15 …"""
    sums = np.concatenate(([0], np.cumsum(gains)))
    met = np.zeros(len(gains), bool)
    for start, end in _batches(len(gains)):
        met[end - 1] = end - start >= least and sums[end] == sums[start]
    return _first(gains, met)


def _batches(size: int) -> Iterator[tuple[int, int]]:
    """The whole batches of so many judgments: where each begins and ends."""
    start, length = 0, 1
    while start + length <= size:
        yield start, start + length
        start, length = start + length, length + -(-length // 10)


RULES: dict[str, Callable[..., Stop]] = {
    "budget": budget,
    "consecutive": consecutive,
    "half_plus": half_plus,
    "window_rate": window_rate,
    "target": target,
    "batch": batch,
}


def _first(gains: Gains, met: NDArray[np.bool_]) -> Stop:
    at = int(np.argmax(met)) + 1 if met.any() else len(gains)
    return Stop(at, int(gains[:at].sum()), bool(met.any()))


def _barren(gains: Gains) -> NDArray[np.int64]:
    """At each judgment, how many in a row were not relevant, this one included."""
    places = np.arange(1, len(gains) + 1)
    last = np.maximum.accumulate(np.where(gains > 0, places, 0))
    return places - last


@dataclass(frozen=True)
class Knee:
    """Where the curve of relevant documents found bends most, and how much steeper it was before.

    `split`: after how many judgments, 0 if it bends nowhere; `ratio`: slope before / slope after; `needed`: the ratio that
    calls for a stop.
    """

    split: int
    ratio: float
    needed: float
    stop: bool


def knee(gains: Gains, bound: float = 6.0, *, adjust: bool = True, least: int = 1000) -> Knee:
    """The knee method (Cormack and Grossman 2016).

    The split i is farthest above the chord of the curve; before = found(i) / i, after = (1 + found - found(i)) / (s - i).
    Stop from `least` judgments on if their ratio reaches `bound`; with `adjust`, 156 less the relevant ones found (at most
    150) if that is more, since a few prove little.
    """
    size = len(gains)
    sums = np.cumsum(gains)
    total = int(sums[-1]) if size else 0
    needed = max(bound, 156.0 - min(total, 150)) if adjust else bound
    above = sums[:-1] * size - total * np.arange(1, size) if size > 1 else np.zeros(0)
    if not (above > 0).any():
        return Knee(0, 0.0, needed, stop=False)
    split = int(np.argmax(above)) + 1
    before = sums[split - 1] / split
    after = (1 + total - sums[split - 1]) / (size - split)
    ratio = float(before / after)
    return Knee(split, ratio, needed, stop=size >= least and ratio >= needed)


@dataclass(frozen=True)
class RecallBound:
    """What a random sample of the unjudged tells: relevant documents missed, at most so many, and the recall."""

    missed: float
    missed_upper: float
    recall: float
    recall_lower: float


def recall_bound(found: int, unjudged: int, sampled: int, relevant: int, level: float = 0.95) -> RecallBound:
    """Of N unjudged documents n were drawn at random and k are relevant: kN/n are missed, by a one-sided Clopper-Pearson bound at most
    the share whose chance to show k or fewer is 1 - level."""
    from scipy.special import betaincinv  # late: a tenth of a second

    share = float(betaincinv(relevant + 1, sampled - relevant, level)) if relevant < sampled else 1.0
    missed, upper = relevant / sampled * unjudged, share * unjudged
    return RecallBound(missed, upper, _share(found, missed), _share(found, upper))


def _share(found: float, missed: float) -> float:
    return found / (found + missed) if found + missed else 1.0


@dataclass(frozen=True)
class Advice:
    """What a rule says of a topic at this moment."""

    rule: str
    stop: bool
    why: str


ROW, WINDOW, RATE, HALF, BATCH = 50, 100, 0.02, 0.5, 10  # what the advice goes by


def advice(outcomes: Sequence[int], budget_of: int | None = None, target_of: int | None = None) -> list[Advice]:
    """What every rule says now, each with its reason in words; those that need a budget, where there is one."""
    gains = np.array(outcomes, np.int64)
    size, found = len(gains), int(gains.sum())
    barren, recent = int(_barren(gains)[-1]) if size else 0, int(gains[-WINDOW:].sum())
    row = f"{barren} in a row were not relevant"
    told = [
        Advice("consecutive", barren >= ROW, f"{row}; {ROW} call for a stop."),
        Advice("window", size >= WINDOW and recent / WINDOW < RATE, f"{recent} of the last {min(WINDOW, size)} were relevant."),
        _batch_advice(gains),
        _knee_advice(gains),
        Advice(
            "target",
            target_of is not None and found >= target_of,
            f"{found} of the {target_of} relevant ones that are wanted are found."
            if target_of
            else f"{found} relevant ones are found; the round was begun without a number that is wanted.",
        ),
    ]
    if budget_of is not None:
        half = size >= HALF * budget_of
        told.insert(0, Advice("budget", size >= budget_of, f"{size} of {budget_of} are judged, {found} of them relevant."))
        why = f"{row}, and {size} of {budget_of} are judged; {ROW // 2} call for a stop once half is done."
        told.insert(2, Advice("half plus", half and barren >= ROW // 2, why))
    return told


def _batch_advice(gains: Gains) -> Advice:
    whole = [(start, end) for start, end in _batches(len(gains)) if end - start >= BATCH]
    if not whole:
        return Advice("batch", False, f"No batch of {BATCH} or more is judged yet.")
    start, end = whole[-1]
    found = int(gains[start:end].sum())
    return Advice(
        "batch",
        not found,
        f"The last whole batch, judgments {start + 1} to {end}, had {found} relevant; none calls for a stop.",
    )


def _knee_advice(gains: Gains) -> Advice:
    bend = knee(gains)
    if not bend.split:
        return Advice("knee", False, "The curve has no bend yet.")
    why = f"The curve was {bend.ratio:.1f} times steeper before judgment {bend.split}; {bend.needed:.0f} times call for a stop, from 1,000 judgments on."
    return Advice("knee", bend.stop, why)
