"""The other entrance: all runs of a collection, as the rank matrix has them, against any set of grades, at once.

An item is a (topic, docno), told by a number; which, the caller knows. Nothing is read or looked up again when a grade
changes: a judgment is one entry of an array.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evaluation.core.definitions import Measure
from evaluation.core.dialects import OWN, Rules
from evaluation.core.evaluate import Scores, evaluate_judged, summaries
from evaluation.core.judged import Given, Judged, joined, places
from evaluation.core.qrels import Qrels
from pooling.core.keys import PairIndex, find_topics
from pooling.core.matrix import RankMatrix
from pooling.core.rankings import Rankings

Whole = NDArray[np.int64]

NOT_IN_QRELS = np.iinfo(np.int64).min  # the grade of an item that the qrels do not hold


@dataclass(frozen=True, eq=False)
class RankedItems:
    """Runs × items. `topics` ('S', sorted by bytes) and `codes`, the topic of each item; items of no run are welcome,
    since a relevant document that nobody retrieved counts too. Aligned, sorted by row = run × T + topic, then rank:
    `rows`, `ranks`, `items`. `num_ret`: one value per row, retrieved documents that are no items included.
    """

    tags: tuple[str, ...]
    topics: NDArray[np.bytes_]
    codes: Whole
    rows: Whole
    ranks: Whole
    items: Whole
    num_ret: Whole

    @classmethod
    def build(
        cls,
        tags: Sequence[str],
        topics: NDArray[np.bytes_],
        codes: Whole,
        items: Sequence[Whole],
        ranks: Sequence[Whole] | None = None,
        lengths: Sequence[Whole] | None = None,
    ) -> "RankedItems":
        """From plain arrays, one of each kind for every run.

        `items[run]` are its items, in any order with `ranks[run]`, or without in evaluation order, topic after topic in
        any order. `lengths[run]`: documents retrieved for each topic, where not all of them are items.
        """
        order = np.argsort(topics)
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        own = place[codes] if len(codes) else codes.astype(np.int64)
        count = len(topics)
        rows, all_ranks, all_items, num_ret = [], [], [], []
        for run, held in enumerate(items):
            of_topic = own[held]
            given = _ranks_in_order(of_topic, count) if ranks is None else ranks[run].astype(np.int64)
            sort = np.lexsort((given, of_topic))
            rows.append(run * count + of_topic[sort])
            all_ranks.append(given[sort])
            all_items.append(held[sort].astype(np.int64))
            found = np.bincount(of_topic, minlength=count)
            num_ret.append(found if lengths is None else lengths[run].astype(np.int64)[order])
        return cls(tuple(tags), topics[order], own, joined(rows), joined(all_ranks), joined(all_items), joined(num_ret))

    @classmethod
    def of(cls, judged: Judged, tags: Sequence[str]) -> "RankedItems":
        """What is judged, every pair of the qrels an item under its own place."""
        qrels = judged.qrels
        return cls(tuple(tags), qrels.topics, qrels.codes, judged.rows, judged.ranks, judged.items, judged.num_ret)

    def judged(self, grades: Whole, given: Given | None = None) -> Judged:
        """The rankings against these grades, one for each item, NOT_IN_QRELS where there is none."""
        known = grades != NOT_IN_QRELS
        row_of = np.cumsum(known) - 1
        names = np.zeros(int(known.sum()), "S1")  # measures ask for no docno
        qrels = Qrels(self.topics, self.codes[known], names, grades[known])
        hits = known[self.items]
        items = row_of[self.items[hits]]
        return Judged(qrels, len(self.tags), self.rows[hits], self.ranks[hits], items, self.num_ret, given or Given())

    def only(self, topics: Whole) -> tuple["RankedItems", Whole]:
        """The same for these topics alone, by their places, ascending; and the items that are left, by their old numbers."""
        rows = self._rows_of(topics)
        hits, counts = _slices(self._row_starts, rows)
        order, starts = self._by_topic
        found, sizes = _slices(starts, topics)
        items = np.sort(order[found])
        place = np.empty(len(self.codes), np.int64)  # of an item among those that are left
        place[items] = np.arange(len(items))
        codes = np.empty(len(items), np.int64)
        codes[place[order[found]]] = np.repeat(np.arange(len(topics)), sizes)
        few = RankedItems(
            self.tags,
            self.topics[topics],
            codes,
            np.repeat(np.arange(len(rows)), counts),
            self.ranks[hits],
            place[self.items[hits]],
            self.num_ret[rows],
        )
        return few, items

    def hits_of(self, topics: Whole) -> Whole:
        """Where the hits of these topics are, in the order of the runs."""
        return _slices(self._row_starts, self._rows_of(topics))[0]

    def _rows_of(self, topics: Whole) -> Whole:
        return (np.arange(len(self.tags))[:, None] * len(self.topics) + topics).reshape(-1)

    @cached_property
    def _row_starts(self) -> Whole:
        """Where the hits of each row begin, and behind the last where they end."""
        counts = np.bincount(self.rows, minlength=len(self.tags) * len(self.topics))
        return np.concatenate(([0], np.cumsum(counts)))

    @cached_property
    def _by_topic(self) -> tuple[Whole, Whole]:
        """The items topic by topic, and where those of each begin."""
        counts = np.bincount(self.codes, minlength=len(self.topics))
        return np.argsort(self.codes, kind="stable"), np.concatenate(([0], np.cumsum(counts)))


def _slices(starts: Whole, which: Whole) -> tuple[Whole, Whole]:
    """All places of these stretches, one after the other, and how many each has."""
    counts = starts[which + 1] - starts[which]
    return np.repeat(starts[which], counts) + places(counts) - 1, counts


def _ranks_in_order(codes: Whole, count: int) -> Whole:
    """1, 2, … within each topic, in the order of the rows."""
    sort = np.argsort(codes, kind="stable")
    ranks = np.empty(len(codes), np.int64)
    ranks[sort] = places(np.bincount(codes, minlength=count))
    return ranks


def evaluate_items(
    ranked: RankedItems,
    grades: Whole,
    measures: Sequence[Measure | str],
    *,
    rel: int = 1,
    complete: bool = True,
    given: Given | None = None,
    rules: Rules = OWN,
) -> Scores:
    """All measures of all runs; topics are all those of the items, so leave out what the qrels do not cover."""
    judged = ranked.judged(grades, given)
    return evaluate_judged(judged, ranked.tags, measures, rel=rel, complete=complete, rules=rules)


def rescored(
    before: Scores, ranked: RankedItems, grades: Whole, changed: Whole, *, given: Given | None = None, rules: Rules = OWN
) -> Scores:
    """Scores after the grades of some items, `changed`, became others: only their topics are scored again.

    Equal, to the last bit, to scoring everything anew with the same measures; `given` must name the top grade if a
    measure asks for that of the scale.
    """
    topics = np.unique(ranked.codes[changed])
    few, items = ranked.only(topics)
    return scored_again(before, few.judged(grades[items], given), topics, rules=rules)


def scored_again(before: Scores, judged: Judged, topics: Whole, *, rules: Rules = OWN) -> Scores:
    """The same after these topics, by their places, are `judged` otherwise: its topics are those alone."""
    again = evaluate_judged(judged, before.tags, before.measures, rel=before.rel, complete=before.complete, rules=rules)
    values, no_relevant = before.values.copy(), before.no_relevant.copy()
    values[:, :, topics] = again.values
    no_relevant[topics] = again.no_relevant
    means = summaries(before.measures, values, before.answered, complete=before.complete, rules=rules)
    return replace(before, values=values, means=means, no_relevant=no_relevant)


@dataclass(frozen=True, eq=False)
class StoredRuns:
    """Runs kept in memory, to be scored against one set of qrels after the other; built once, and never sorted again."""

    matrix: RankMatrix
    ranked: RankedItems

    @classmethod
    def build(cls, rankings: Sequence[Rankings]) -> "StoredRuns":
        return cls.of(RankMatrix.build(rankings))

    @classmethod
    def of(cls, matrix: RankMatrix) -> "StoredRuns":
        """Seen from evaluation: the rank matrix that pools are made of, its items under the same numbers."""
        if matrix.depth is not None:
            raise ValueError(f"expected whole rankings, found them cut at {matrix.depth}")
        items, ranks = [row.items for row in matrix.rows], [row.ranks.astype(np.int64) for row in matrix.rows]
        return cls(matrix, RankedItems.build(matrix.tags, matrix.topics, matrix.codes, items, ranks))

    @cached_property
    def index(self) -> PairIndex:
        """Items by the places of their topics in `ranked`, and their docnos."""
        return PairIndex.build(self.ranked.codes, self.matrix.docnos)

    def judged(self, qrels: Qrels, given: Given | None = None) -> Judged:
        """The runs against qrels: each judged pair is looked up, not each document of the runs."""
        ranked = self.ranked
        known = find_topics(ranked.topics, qrels.topics)
        asked = np.flatnonzero(known[qrels.codes] >= 0)
        found = self.index.find(known[qrels.codes[asked]], qrels.docnos[asked])
        hits, items = self._hits(found[found >= 0], asked[found >= 0])
        place = find_topics(qrels.topics, ranked.topics)
        count, runs = max(len(ranked.topics), 1), len(ranked.tags)
        rows = ranked.rows[hits] // count * len(qrels.topics) + place[ranked.rows[hits] % count]
        num_ret = np.zeros((runs, len(qrels.topics)), np.int64)
        num_ret[:, place[place >= 0]] = ranked.num_ret.reshape(runs, len(ranked.topics))[:, place >= 0]
        return Judged(qrels, runs, rows, ranked.ranks[hits], items, num_ret.reshape(-1), given or Given())

    def _hits(self, found: Whole, pairs: Whole) -> tuple[Whole, Whole]:
        """Where in the runs these items stand, in the order of the runs, and the pair of the qrels that each is.

        Of a few topics all their ranks are gone through. Few items of many topics are gathered from where they stand; for
        many it is quicker to go through all there are.
        """
        ranked, pair_of = self.ranked, np.full(len(self.ranked.codes), -1, np.int32)
        pair_of[found] = pairs
        topics = np.unique(ranked.codes[found])
        if len(topics) <= len(ranked.topics) // 8:
            near = ranked.hits_of(topics)
        else:
            at, counts = _slices(self._starts, found)
            if len(at) < len(ranked.items) // 16:
                hits = self._places[at]
                order = np.argsort(hits)
                return hits[order], np.repeat(pairs, counts)[order]
            near = None
        items = pair_of[ranked.items if near is None else ranked.items[near]]
        hits = np.flatnonzero(items >= 0)
        return hits if near is None else near[hits], items[hits].astype(np.int64)

    @cached_property
    def _places(self) -> Whole:
        """The hits, item by item."""
        return np.argsort(self.ranked.items, kind="stable")

    @cached_property
    def _starts(self) -> Whole:
        counts = np.bincount(self.ranked.items, minlength=len(self.ranked.codes))
        return np.concatenate(([0], np.cumsum(counts)))
