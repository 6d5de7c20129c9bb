"""How reusable a collection is: what happens to a run's score if the run had not been there to fill the pool."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.core.definitions import Measure
from evaluation.core.evaluate import evaluate_judged
from evaluation.core.judged import Given, Judged
from evaluation.core.matrix import NOT_IN_QRELS, RankedItems, rescored
from evaluation.core.orders import kendall

SEED = 20260101
Step = Callable[[], None]  # called after each of the parts that take long


def _unheard() -> None:
    pass


@dataclass(frozen=True, eq=False)
class LeftOut:
    """One group (or run) left out of the pool, and all runs scored with what is left of the qrels.

    `lost` documents, `lost_relevant` of them relevant, that no other group would have brought in. `runs`: the places of
    the group's runs; aligned with them, runs × measures: `before`, `after` (mean scores), `rank_before` and `rank_after`
    (1 is best). `taus`: by each measure tau_b between the orders of all runs, None where one is all tied.
    """

    name: str
    runs: NDArray[np.int64]
    lost: int
    lost_relevant: int
    before: NDArray[np.float64]
    after: NDArray[np.float64]
    rank_before: NDArray[np.int64]
    rank_after: NDArray[np.int64]
    taus: list[float | None]

    @property
    def difference(self) -> NDArray[np.float64]:
        return self.after - self.before

    @property
    def relative(self) -> NDArray[np.float64]:
        """The difference as a share of the score before; 0 where that was 0."""
        return np.divide(self.difference, self.before, out=np.zeros(self.before.shape), where=self.before != 0)


def leave_out(
    ranked: RankedItems,
    grades: NDArray[np.int64],
    measures: Sequence[Measure | str] = ("AP",),
    *,
    depth: int,
    groups: Sequence[str] | None = None,
    rel: int = 1,
    given: Given | None = None,
    pooled: NDArray[np.bool_] | None = None,
    step: Step = _unheard,
) -> list[LeftOut]:
    """Leave each group of runs out in turn, each run by itself if there are no `groups`; names are sorted. `pooled` runs,
    all unless told, filled the pool.

    The documents that only runs of the group have among their first `depth` are removed from the qrels, as if nobody
    had judged them. Zobel 1998; Buckley, Dimmick, Soboroff and Voorhees 2007 for groups.
    """
    names = list(groups or ranked.tags)
    if len(names) != len(ranked.tags):
        raise ValueError(f"expected a group for each of {len(ranked.tags)} runs, found {len(names)}")
    listed = sorted(set(names))
    member = np.array([listed.index(name) for name in names], np.int64)
    of_run = ranked.rows // max(len(ranked.topics), 1)
    brought = ranked.ranks <= depth if pooled is None else (ranked.ranks <= depth) & pooled[of_run]
    contributed = np.zeros((len(listed), len(grades)), bool)
    contributed[member[of_run][brought], ranked.items[brought]] = True
    alone = contributed & (contributed.sum(axis=0) == 1) & (grades != NOT_IN_QRELS)
    highest = given or Given(top=int(grades.max(initial=1)))
    full = evaluate_judged(ranked.judged(grades, highest), ranked.tags, list(measures), rel=rel)
    found = []
    for number, name in enumerate(listed):
        lost, runs = np.flatnonzero(alone[number]), np.flatnonzero(member == number)
        reduced = np.where(alone[number], NOT_IN_QRELS, grades)
        means = rescored(full, ranked, reduced, lost, given=highest).means if len(lost) else full.means
        found.append(
            LeftOut(
                name,
                runs,
                len(lost),
                int((grades[lost] >= rel).sum()),
                full.means[runs],
                means[runs],
                _ranks(full.means)[runs],
                _ranks(means)[runs],
                _taus(full.means, means),
            )
        )
        step()
    return found


@dataclass(frozen=True, eq=False)
class Shallower:
    """The pool as if it had been drawn to a smaller depth: how much of it is judged, the mean score of every run by every
    measure under what is left of the qrels, and tau_b of their orders against the full ones, None where one is all tied."""

    depth: int
    judged: int
    relevant: int
    means: NDArray[np.float64]
    taus: list[float | None]


def depth_curve(
    ranked: RankedItems,
    grades: NDArray[np.int64],
    measures: Sequence[Measure | str] = ("AP",),
    *,
    depth: int,
    rel: int = 1,
    depths: Sequence[int] | None = None,
    pooled: NDArray[np.bool_] | None = None,
    step: Step = _unheard,
) -> list[Shallower]:
    """From a judged depth-k pool the shallower ones, depth 1 to k or those named: of the judged documents those whose best
    rank, of `pooled` runs if not of all, is within.

    A document that no run has is kept at every depth: no rank brought it in.
    """
    there = slice(None) if pooled is None else pooled[ranked.rows // max(len(ranked.topics), 1)]
    best = np.full(len(grades), np.iinfo(np.int64).max)
    np.minimum.at(best, ranked.items[there], ranked.ranks[there])
    best[best == np.iinfo(np.int64).max] = 0
    full = _means(ranked.judged(np.where(best <= depth, grades, NOT_IN_QRELS)), ranked.tags, measures, rel)
    found = []
    for at in depths or range(1, depth + 1):
        left = np.where(best <= at, grades, NOT_IN_QRELS)
        means = _means(ranked.judged(left), ranked.tags, measures, rel)
        judged, relevant = int((left >= 0).sum()), int((left >= rel).sum())
        found.append(Shallower(at, judged, relevant, means, _taus(full, means)))
        step()
    return found


@dataclass(frozen=True)
class ThinPoint:
    """A share of the judgments, and by each measure, for each draw, the tau_b of the runs' order with that under all."""

    share: float
    judged: int
    taus: dict[str, list[float]]

    def spread(self, measure: str) -> tuple[float, float, float] | None:
        """The mean over the draws, the lowest and the highest; None where all runs are tied."""
        found = self.taus[measure]
        return (sum(found) / len(found), min(found), max(found)) if found else None


def thinned(
    ranked: RankedItems,
    grades: NDArray[np.int64],
    measures: Sequence[str],
    shares: Sequence[float],
    rng: np.random.Generator,
    *,
    rel: int = 1,
    draws: int = 1,
    step: Step = _unheard,
) -> list[ThinPoint]:
    """Judgments taken away at random, so many times, the same ones for every measure. Buckley and Voorhees 2004.

    Within a draw a smaller share is part of a larger one.
    """
    full = _means(ranked.judged(grades), ranked.tags, measures, rel)
    orders = [rng.permutation(len(grades)) for _ in range(draws)]
    points = []
    for share in shares:
        found: dict[str, list[float]] = {name: [] for name in measures}
        size = round(share * len(grades))
        for order in orders if size < len(grades) else orders[:1]:
            kept = np.full(len(grades), NOT_IN_QRELS)
            kept[order[:size]] = grades[order[:size]]
            taus = _taus(full, _means(ranked.judged(kept), ranked.tags, measures, rel))
            for name, tau in zip(measures, taus, strict=True):
                found[name] += [] if tau is None else [tau]
        points.append(ThinPoint(share, size, found))
        step()
    return points


def _means(judged: Judged, tags: tuple[str, ...], measures: Sequence[Measure | str], rel: int) -> NDArray[np.float64]:
    """Runs × measures."""
    return evaluate_judged(judged, tags, list(measures), rel=rel).means


def _taus(first: NDArray[np.float64], second: NDArray[np.float64]) -> list[float | None]:
    return [kendall(one, other) for one, other in zip(first.T, second.T, strict=True)]


def _ranks(means: NDArray[np.float64]) -> NDArray[np.int64]:
    """1 for the highest of each measure; equal ones share the better rank."""
    rounded = np.round(means, 12)
    return np.asarray(1 + (rounded[None, :, :] > rounded[:, None, :]).sum(axis=1), np.int64)
