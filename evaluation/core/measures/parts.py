"""Runs that return parts of documents: how many of the characters returned are relevant.

Parts are (document, start, end), half-open in characters of the stored text; relevant text is the union of the spans an
assessor marked. Characters returned again count in the size of what was read and not as relevant, so overlap costs.
(Kamps, Pehcevski, Kazai, Lalmas and Robertson 2007)
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from evaluation.core.judged import accumulated, ratio
from evaluation.core.measures.sets import f_measure

Values = NDArray[np.float64]
Whole = NDArray[np.int64]

_POINTS = 101


@dataclass(frozen=True, eq=False)
class Spans:
    """Stretches of text, aligned: `topics` and `docs` are codes from 0, `starts` < `ends` in characters."""

    topics: Whole
    docs: Whole
    starts: Whole
    ends: Whole


@dataclass(frozen=True, eq=False)
class PartScores:
    """What a run's parts are worth, topic after topic in rank order; `counts` says how many parts each topic has.

    `precision`, `recall`: over the characters of all parts down to each.
    """

    counts: Whole
    precision: Values
    recall: Values

    def f(self, beta: float = 1.0) -> Values:
        """F of precision and recall down to each part."""
        return f_measure(self.precision, self.recall, beta)

    def at_part(self, values: Values, cutoff: int) -> Values:
        """One value per topic: the one at the given part, or at the last if there are fewer, 0 if there is none."""
        ends = np.cumsum(self.counts)
        at = ends - self.counts + np.minimum(self.counts, cutoff) - 1
        return np.where(self.counts > 0, np.append(values, 0.0)[at], 0.0)

    def interpolated(self, recall: float) -> Values:
        """iP[x]: the highest precision at a recall of at least x, one value per topic; 0 where it is not reached."""
        best = np.zeros(len(self.counts))
        reached = self.recall >= recall - 1e-12
        np.maximum.at(best, self._topics[reached], self.precision[reached])
        return best

    def average_interpolated(self) -> Values:
        """AiP: the mean of iP at 0.00, 0.01, … 1.00, one value per topic; its mean over topics is MAiP."""
        return np.asarray(np.mean([self.interpolated(point / 100) for point in range(_POINTS)], axis=0))

    @property
    def _topics(self) -> Whole:
        return np.repeat(np.arange(len(self.counts)), self.counts)


def score_parts(parts: Spans, relevant: Spans, topics: int) -> PartScores:
    """Score parts that lie topic after topic, each in rank order; a topic without relevant text has recall 0."""
    _check(parts, "part")
    _check(relevant, "relevant span")
    fresh, total = _relevant_sizes(parts, relevant, topics)
    return score_sizes(np.bincount(parts.topics, minlength=topics), fresh, parts.ends - parts.starts, total)


def score_sizes(counts: Whole, relevant: Whole, sizes: Whole, total: Whole) -> PartScores:
    """The same from sizes: of each part its relevant characters and all, of each topic all that are relevant."""
    read = accumulated(np.add, sizes.astype(np.float64), counts)
    good = accumulated(np.add, relevant.astype(np.float64), counts)
    return PartScores(counts, ratio(good, read), ratio(good, np.repeat(total, counts)))


def _check(spans: Spans, what: str) -> None:
    empty = np.flatnonzero((spans.ends <= spans.starts) | (spans.starts < 0))
    if len(empty):
        start, end = int(spans.starts[empty[0]]), int(spans.ends[empty[0]])
        raise ValueError(f"expected each {what} to begin at 0 or later and end after it begins, found {start} to {end}")


def _relevant_sizes(parts: Spans, relevant: Spans, topics: int) -> tuple[Whole, Whole]:
    """Relevant characters that each part is first to return, and those of each topic.

    All borders of a document cut it into pieces; each piece is relevant or not, and belongs to the first part over it.
    """
    width = int(max(parts.docs.max(initial=0), relevant.docs.max(initial=0))) + 1
    texts = np.concatenate((parts.topics * width + parts.docs, relevant.topics * width + relevant.docs))
    starts, ends = np.concatenate((parts.starts, relevant.starts)), np.concatenate((parts.ends, relevant.ends))
    length = int(ends.max(initial=0)) + 1
    borders = np.unique(np.concatenate((texts * length + starts, texts * length + ends)))
    sizes = np.append(np.diff(borders), 0)
    first, last = np.searchsorted(borders, texts * length + starts), np.searchsorted(borders, texts * length + ends)
    pieces = np.repeat(first, last - first) + _within(last - first)
    span = np.repeat(np.arange(len(texts)), last - first)
    is_relevant = np.zeros(len(borders), bool)
    is_relevant[pieces[span >= len(parts.topics)]] = True
    owner = np.full(len(borders), len(parts.topics))
    of_parts = span < len(parts.topics)
    np.minimum.at(owner, pieces[of_parts], span[of_parts])
    good = np.flatnonzero(is_relevant)
    fresh = np.bincount(owner[good], sizes[good], minlength=len(parts.topics) + 1)[:-1].astype(np.int64)
    total = np.bincount(borders[good] // length // width, sizes[good], minlength=topics).astype(np.int64)
    return fresh, total


def _within(counts: Whole) -> Whole:
    return np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)


def precision_after(found: PartScores, cutoff: int) -> Values:
    """Relevant characters / characters, of the first k parts."""
    return found.at_part(found.precision, cutoff)


def recall_after(found: PartScores, cutoff: int) -> Values:
    """Relevant characters of the first k parts / all that are relevant; 0 where none is."""
    return found.at_part(found.recall, cutoff)


def f_after(found: PartScores, cutoff: int, beta: float = 1.0) -> Values:
    """F of precision and recall over the characters of the first k parts."""
    return found.at_part(found.f(beta), cutoff)


def interpolated(found: PartScores, cutoff: Fraction) -> Values:
    """iP[x]: the highest precision at a recall of at least x, 0 where it is not reached."""
    return found.interpolated(float(cutoff))


def average_interpolated(found: PartScores) -> Values:
    """AiP: the mean of iP at 0.00, 0.01, … 1.00; its mean over topics is MAiP."""
    return found.average_interpolated()
