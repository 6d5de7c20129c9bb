"""Scores by rank: what a measure is after one document, two, three … for charts, and averaged over topics."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.core.judged import Level
from evaluation.core.measures.graded import discount

Table = NDArray[np.float64]  # rows × ranks


def relevant(level: Level, length: int) -> Table:
    """1 where a rank of a row holds a relevant document."""
    table = np.zeros((level.judged.size, length))
    inside = level.ranks <= length
    table[level.rows[inside], level.ranks[inside] - 1] = 1.0
    return table


def precision(level: Level, length: int) -> Table:
    """Precision after each rank."""
    return np.asarray(relevant(level, length).cumsum(axis=1) / np.arange(1, length + 1))


def recall(level: Level, length: int) -> Table:
    """Recall after each rank."""
    return ratios(relevant(level, length).cumsum(axis=1), np.repeat(level.num_rel[:, None], length, axis=1))


def gains(level: Level, length: int) -> Table:
    """The grade at each rank, 0 if unjudged or negative, or beyond the ranking."""
    judged = level.judged
    table = np.zeros((judged.size, length))
    inside = (judged.ranks <= length) & (judged.grades > 0)
    table[judged.rows[inside], judged.ranks[inside] - 1] = judged.grades[inside]
    return table


def ideal_gains(level: Level, length: int, ideal: str = "judged") -> Table:
    """The grades of the best ranking: of all judged documents, or with "retrieved" of the retrieved ones alone."""
    judged = level.judged
    if ideal == "retrieved":
        return -np.sort(-gains(level, max(length, int(judged.num_ret.max(initial=0)))), axis=1)[:, :length]
    codes, grades = judged.qrels.codes, judged.qrels.grades
    order = np.lexsort((-grades, codes))
    starts = np.searchsorted(codes, np.arange(len(judged.qrels.topics)))
    place = np.arange(len(codes)) - starts[codes]
    table = np.zeros((len(judged.qrels.topics), length))
    inside = place < length
    table[codes[inside], place[inside]] = np.maximum(grades[order][inside], 0)
    return np.tile(table, (judged.runs, 1))


def discounted(table: Table, form: str = "log2p1", base: float = 2) -> Table:
    """The gain at each rank, discounted; forms as for DCG."""
    gain = 2.0**table - 1.0 if form == "exp" else table
    return np.asarray(gain / discount(np.arange(1, table.shape[1] + 1), form, base))


def ratios(above: Table, below: Table) -> Table:
    """above / below, 0 where below is 0."""
    return np.divide(above, below, out=np.zeros(above.shape), where=below != 0)


def _averaged(table: Table) -> NDArray[np.float64]:
    return np.asarray(table.mean(axis=0))


@dataclass(frozen=True, eq=False)
class GainCurve:
    """Cumulated gain by rank, and that of the ideal ranking, rows × ranks."""

    found: Table
    ideal: Table

    @property
    def mean(self) -> NDArray[np.float64]:
        return _averaged(self.found)

    @property
    def ideal_mean(self) -> NDArray[np.float64]:
        return _averaged(self.ideal)

    @property
    def average_of_ratios(self) -> NDArray[np.float64]:
        """The mean of the normalized curves: each topic weighs the same."""
        return _averaged(ratios(self.found, self.ideal))

    @property
    def ratio_of_averages(self) -> NDArray[np.float64]:
        """The mean curve over the mean ideal: topics weigh by their ideal gain (pooled)."""
        return _averaged(ratios(self.mean[None], self.ideal_mean[None]))


def gain_curve(
    level: Level, length: int = 20, *, kind: str = "DCG", form: str = "log2p1", base: float = 2, ideal: str = "judged"
) -> GainCurve:
    """CG or DCG by rank for all rows. Järvelin and Kekäläinen 2002."""
    found, best = gains(level, length), ideal_gains(level, length, ideal)
    if kind == "DCG":
        found, best = discounted(found, form, base), discounted(best, form, base)
    return GainCurve(found.cumsum(axis=1), best.cumsum(axis=1))
