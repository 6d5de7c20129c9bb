"""Scores by the judgments of now. What a judgment does not touch is not read, ranked or scored again.

Everything is kept in the process: the final grades, which of the documents each run has at which rank, and the scores.
After an act of judging or deciding the opinions of its document are read, and its topic is scored anew.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assess import opinions
from assess import selectors as judging
from assess.models import MergePlan
from evaluation.core.bounds import score_range
from evaluation.core.definitions import MeasureError
from evaluation.core.evaluate import Scores, evaluate_judged
from evaluation.core.judged import Given, Judged
from evaluation.core.matrix import StoredRuns, scored_again
from evaluation.core.qrels import Qrels
from pooling import selectors as pooling
from pooling.core.keys import code_topics, find_topics
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
    """At a mark: `items`, the pool's item of each pair of the qrels; `scores`; `ranges` of the measures that were asked for.
    `runs` gives what is scored, which is not kept here: it is large, and few ask for it."""

    mark: Mark
    items: Whole
    qrels: Qrels
    scores: Scores
    rel: int
    given: Given
    runs: Callable[[], StoredRuns]
    ranges: dict[str, Ranges] = field(default_factory=dict)
    _whole: list[Judged] = field(default_factory=list)

    @property
    def judged(self) -> Judged:
        """Which of the documents each run has at which rank, on all topics; made when first asked for."""
        if not self._whole:
            self._whole.append(self.runs().judged(self.qrels, self.given))
        return self._whole[0]

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
    runs: Callable[[], StoredRuns],
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
    found = _followed(before, collection, mark, plan, changed, runs) if before and changed is not None else None
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
    collection: Collection,
    mark: Mark,
    plan: MergePlan,
    runs: Callable[[], StoredRuns],
    names: Sequence[str],
    rel: int,
    given: Given,
) -> Live:
    graded, items = _qrels(collection, plan)
    stored = runs()
    judged = stored.judged(graded, replace(given, top=None))  # as of a release: the highest of the qrels
    scores = evaluate_judged(judged, stored.ranked.tags, list(names), rel=rel)
    return Live(mark, items, graded, scores, rel, given, runs, _whole=[replace(judged, given=given)])


def _followed(
    before: Live, collection: Collection, mark: Mark, plan: MergePlan, changed: list[int], runs: Callable[[], StoredRuns]
) -> Live | None:
    """The same after these items were judged: their topics are scored anew. None if a topic came to the qrels or left them,
    or their highest grade is another: some measures of all topics ask for it."""
    found, final = _final(collection, plan, changed)
    old, there = before.qrels, np.flatnonzero(np.isin(before.items, changed))
    items, codes = found.items[final.places], find_topics(old.topics, found.topics[final.places])
    if (codes < 0).any():
        return None
    known = there[np.argsort(before.items[there])]
    same = np.array_equal(before.items[known], items)
    if same and np.array_equal(old.grades[known], final.grades):
        return replace(before, mark=mark, runs=runs)
    if same:
        grades = old.grades.copy()
        grades[known] = final.grades
        pairs, qrels = before.items, replace(old, grades=grades)
    else:
        pairs, qrels = _exchanged(before, there, items, codes, found.docnos[final.places], final.grades)
    if (
        qrels.grades.max(initial=-1) != old.grades.max(initial=-1)
        or not np.bincount(qrels.codes, minlength=len(old.topics)).all()
    ):
        return None
    topics = np.unique(np.concatenate((old.codes[there], codes)))
    part = runs().judged(qrels.only(np.isin(np.arange(len(old.topics)), topics)), before.given)
    highest = replace(before.given, top=int(qrels.grades.max()))
    scores = scored_again(before.scores, replace(part, given=highest), topics)
    ranges = {}
    for measure, (low, high) in before.ranges.items():
        low, high = low.copy(), high.copy()
        low[:, topics], high[:, topics] = _ranges(part, measure, before.rel)
        ranges[measure] = low, high
    whole = [replace(judged, qrels=qrels) for judged in before._whole] if same else []
    return Live(mark, pairs, qrels, scores, before.rel, before.given, runs, ranges, whole)


def _exchanged(
    before: Live, out: Whole, items: Whole, codes: Whole, docnos: NDArray[np.bytes_], grades: Whole
) -> tuple[Whole, Qrels]:
    """The items and the qrels without those at the places `out`, and with these, each put where it belongs: sorting all
    takes as long as everything else."""
    old = before.qrels
    kept = np.delete(np.arange(len(old)), out)
    order = np.lexsort((docnos, codes))
    places = np.zeros(len(order), np.int64)
    for code in np.unique(codes):
        mine = np.flatnonzero(codes[order] == code)
        start, end = np.searchsorted(old.codes[kept], [code, code + 1])
        places[mine] = start + np.searchsorted(old.docnos[kept[start:end]], docnos[order][mine])
    chosen = np.insert(kept, places, len(old) + order)

    def joined(before: NDArray[Any], new: NDArray[Any]) -> NDArray[Any]:
        return np.concatenate((before, new))[chosen]

    qrels = Qrels(old.topics, joined(old.codes, codes), joined(old.docnos, docnos), joined(old.grades, grades))
    return joined(before.items, items), qrels


def _ranges(judged: Judged, measure: str, rel: int) -> Ranges:
    shape = judged.runs, len(judged.qrels.topics)
    try:
        found = score_range(judged, measure, rel=rel)
    except MeasureError:
        return np.full(shape, np.nan), np.full(shape, np.nan)
    return found.low.reshape(shape), found.high.reshape(shape)
