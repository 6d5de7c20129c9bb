"""Scores by the judgments of now. What a judgment does not touch is not read, ranked or scored again.

Everything is kept in the process: the final grades, which of the documents each run has at which rank, and the scores.
After an act of judging or deciding the opinions of its document are read, and its topic is scored anew.
"""

import threading
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from assess import opinions
from assess import selectors as judging
from assess.models import MergePlan
from evaluation.core.bounds import score_range
from evaluation.core.definitions import MeasureError
from evaluation.core.evaluate import Scores, evaluate_judged
from evaluation.core.judged import Given, Judged
from evaluation.core.matrix import RankedItems, StoredRuns, rescored
from evaluation.core.qrels import Qrels
from pooling import selectors as pooling
from pooling.core.keys import code_topics
from pooling.models import Collection

Values = NDArray[np.float64]
Whole = NDArray[np.int64]
Ranges = tuple[Values, Values]  # lowest and highest, runs × topics
MOST_CHANGED = 5_000  # documents; more are read with all the others
MOST_KEPT = 4

_kept: "OrderedDict[Hashable, Live]" = OrderedDict()
_lock = threading.Lock()


@dataclass(frozen=True)
class Mark:
    """How far judging and deciding have come: the newest act of each kind, and how many acts there are."""

    event: int
    events: int
    decision: int
    decisions: int

    @classmethod
    def of(cls, collection: Collection) -> "Mark":
        return cls(*judging.judging_so_far(collection), *opinions.decisions_so_far(collection))


@dataclass(frozen=True, eq=False)
class Live:
    """At a mark: `items`, the pool's item of each pair of the qrels; `scores`; `ranges` of the measures that were asked for."""

    mark: Mark
    items: Whole
    judged: Judged
    scores: Scores
    rel: int
    ranges: dict[str, Ranges] = field(default_factory=dict)

    def range_of(self, measure: str) -> Ranges:
        """The range that unjudged documents allow each score, NaN for measures without one."""
        if measure not in self.ranges:
            self.ranges[measure] = _ranges(self.judged, measure, self.rel)
        return self.ranges[measure]


def live(
    key: Hashable,
    collection: Collection,
    mark: Mark,
    plan: MergePlan,
    runs: StoredRuns,
    names: Sequence[str],
    rel: int,
    given: Given,
) -> Live:
    """Under a `key` that tells all that scores depend on, but for judging and deciding, which the mark tells."""
    with _lock:
        before = _kept.get(key)
    if before and before.mark == mark:
        return before
    changed = _changed(collection, before.mark, mark) if before else None
    found = _followed(before, collection, mark, plan, changed) if before and changed is not None else None
    if found is None:
        found = _anew(collection, mark, plan, runs, names, rel, given)
    with _lock:
        _kept[key] = found
        _kept.move_to_end(key)
        while len(_kept) > MOST_KEPT:
            _kept.popitem(last=False)
    return found


def _changed(collection: Collection, before: Mark, now: Mark) -> list[int] | None:
    """Items judged or decided since; None where that cannot be told from the newest acts, or they are too many."""
    if now.events - before.events > MOST_CHANGED or now.event < before.event or now.decision < before.decision:
        return None
    judged = judging.judged_since(collection, before.event, now.event)
    decided = opinions.decided_since(collection, before.decision, now.decision)
    if (len(judged), len(decided)) != (now.events - before.events, now.decisions - before.decisions):
        return None  # an act was committed after one with a higher number
    return sorted({*judged, *decided})


def _final(collection: Collection, plan: MergePlan, items: Sequence[int] | None) -> tuple[opinions.Opinions, opinions.Final]:
    found = opinions.opinions(collection, items=items)
    return found, opinions.final(found, plan.rule, plan.opinions, plan.missing, pooling.grades(collection)[0].value)


def qrels(collection: Collection, plan: MergePlan) -> Qrels:
    """The final grades of now."""
    return _qrels(collection, plan)[0]


def _qrels(collection: Collection, plan: MergePlan) -> tuple[Qrels, Whole]:
    """With the pool's item of each pair."""
    found, final = _final(collection, plan, None)
    topics, docnos = found.topics[final.places], found.docnos[final.places]
    distinct, codes = code_topics(topics)
    order = np.lexsort((docnos, codes))
    return Qrels(distinct, codes[order], docnos[order], final.grades[order]), found.items[final.places][order]


def _anew(
    collection: Collection, mark: Mark, plan: MergePlan, runs: StoredRuns, names: Sequence[str], rel: int, given: Given
) -> Live:
    graded, items = _qrels(collection, plan)
    judged = runs.judged(graded, replace(given, top=None))  # as of a release: the highest of the qrels
    scores = evaluate_judged(judged, runs.ranked.tags, list(names), rel=rel)
    return Live(mark, items, replace(judged, given=given), scores, rel)


def _followed(before: Live, collection: Collection, mark: Mark, plan: MergePlan, changed: list[int]) -> Live | None:
    """The same after these items were judged; None if a document came to the qrels or left them, or their highest grade is
    another: some measures of all topics ask for it."""
    found, final = _final(collection, plan, changed)
    graded, old = found.items[final.places], before.judged.qrels
    there = np.flatnonzero(np.isin(before.items, changed))
    if not np.array_equal(np.sort(before.items[there]), graded):
        return None
    places = there[np.argsort(before.items[there])]
    moved = places[old.grades[places] != final.grades]
    if not len(moved):
        return replace(before, mark=mark)
    grades = old.grades.copy()
    grades[places] = final.grades
    if grades.max() != old.grades.max():
        return None
    judged = replace(before.judged, qrels=replace(old, grades=grades))
    ranked = RankedItems.of(judged, before.scores.tags)
    scores = rescored(before.scores, ranked, grades, moved, given=replace(judged.given, top=int(grades.max())))
    topics = np.unique(old.codes[moved])
    few, items = ranked.only(topics)
    part = few.judged(grades[items], judged.given)
    ranges = {}
    for measure, (low, high) in before.ranges.items():
        low, high = low.copy(), high.copy()
        low[:, topics], high[:, topics] = _ranges(part, measure, before.rel)
        ranges[measure] = low, high
    return Live(mark, before.items, judged, scores, before.rel, ranges)


def _ranges(judged: Judged, measure: str, rel: int) -> Ranges:
    shape = judged.runs, len(judged.qrels.topics)
    try:
        found = score_range(judged, measure, rel=rel)
    except MeasureError:
        return np.full(shape, np.nan), np.full(shape, np.nan)
    return found.low.reshape(shape), found.high.reshape(shape)
