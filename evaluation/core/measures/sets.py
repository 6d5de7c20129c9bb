"""Measures of a retrieved set, order apart, and counts. An unjudged document is not relevant."""

import numpy as np
from numpy.typing import NDArray

from evaluation.core.judged import Level, ratio

Values = NDArray[np.float64]


def num_q(level: Level) -> Values:
    """1 for each topic; the sum is their number. trec_eval: num_q."""
    return np.ones(level.judged.size)


def num_ret(level: Level) -> Values:
    """Documents retrieved, judged or not; 0 for a topic the run lacks. trec_eval: num_ret."""
    return level.judged.num_ret.astype(np.float64)


def num_rel(level: Level) -> Values:
    """R: documents judged relevant, retrieved or not. trec_eval: num_rel."""
    return level.num_rel.astype(np.float64)


def num_rel_ret(level: Level) -> Values:
    """Relevant documents retrieved. trec_eval: num_rel_ret."""
    return level.num_rel_ret.astype(np.float64)


def num_nonrel_judged_ret(level: Level) -> Values:
    """Documents retrieved that are judged, and not relevant. trec_eval: num_nonrel_judged_ret."""
    judged = level.judged
    found = judged.rows[(judged.grades >= 0) & ~level.relevant]
    return np.bincount(found, minlength=judged.size).astype(np.float64)


def set_precision(level: Level, relative: bool = False) -> Values:
    """Relevant retrieved / retrieved; 0 where nothing is. trec_eval: set_P.

    Relative: divided by what a perfect set of this size could hold, min(retrieved, R); trec_eval: set_relative_P.
    """
    below = np.minimum(level.judged.num_ret, level.num_rel) if relative else level.judged.num_ret
    return ratio(level.num_rel_ret, below)


def set_recall(level: Level) -> Values:
    """Relevant retrieved / R; R = 0 gives 0. trec_eval: set_recall."""
    return ratio(level.num_rel_ret, level.num_rel)


def f_measure(precision: Values, recall: Values, beta: float = 1.0) -> Values:
    """F = (1 + β²) P R / (β² P + R), 0 where P or R is 0; β > 1 weights recall. van Rijsbergen 1979."""
    weight = beta * beta
    return ratio((weight + 1.0) * precision * recall, weight * precision + recall)


def set_f(level: Level, beta: float = 1.0) -> Values:
    """F of set precision and recall. trec_eval's set_F.x takes x = β², so that SetF(beta=2) is its set_F.4."""
    return f_measure(set_precision(level), set_recall(level), beta)


def set_e(level: Level, beta: float = 1.0) -> Values:
    """E = 1 - F: low is good, and 1 where nothing relevant is found. van Rijsbergen 1979."""
    return 1.0 - set_f(level, beta)


def set_ap(level: Level) -> Values:
    """Set precision times set recall: AP if each order of the set were as likely. trec_eval: set_map."""
    found = level.num_rel_ret
    return ratio(found * found, level.judged.num_ret * level.num_rel)


def utility(level: Level, a: float = 1.0, b: float = -1.0, c: float = 0.0, d: float = 0.0) -> Values:
    """a · relevant retrieved + b · others retrieved + c · relevant missed + d · others left out. trec_eval: utility.

    The last needs the number of documents of the collection, 0 unless given.
    """
    tp, fp, fn, tn = _table(level, level.judged.given.documents or 0)
    return a * tp + b * fp + c * fn + d * tn


def fallout(level: Level) -> Values:
    """Share of the collection's non-relevant documents that was retrieved; 0 if it has none."""
    _, fp, _, tn = _table(level)
    return ratio(fp, fp + tn)


def specificity(level: Level) -> Values:
    """Share of the collection's non-relevant documents that was left out: 1 - fallout."""
    return 1.0 - fallout(level)


def generality(level: Level) -> Values:
    """R / documents of the collection: how easy relevant documents are to hit upon."""
    return level.num_rel / np.float64(max(level.judged.given.documents or 0, 1))


def accuracy(level: Level) -> Values:
    """Documents classed rightly / documents of the collection.

    Almost 1 for a system that retrieves nothing, since almost nothing is relevant: not for ranking systems.
    """
    tp, fp, fn, tn = _table(level)
    return ratio(tp + tn, tp + fp + fn + tn)


def _table(level: Level, documents: int | None = None) -> tuple[Values, Values, Values, Values]:
    """True and false positives, false and true negatives."""
    total = level.judged.given.documents if documents is None else documents
    tp = level.num_rel_ret.astype(np.float64)
    fp, fn = level.judged.num_ret - tp, level.num_rel - tp
    return tp, fp, fn, np.float64(total or 0) - tp - fp - fn
