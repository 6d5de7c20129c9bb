"""What unjudged documents leave open of a run's scores: how many there are at its top, and how far its means could move."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from evaluation.core.judged import Judged
    from evaluation.core.trec_names import Line

FEW = 0.95  # of Judged@10, as where a run is scored privately


def few_judged(judged: Judged) -> float | None:
    """Judged@10, the mean over the topics that the run answers, where it is low; else None."""
    from evaluation.core.judged import Level
    from evaluation.core.registry import parse_measure

    answered = judged.num_ret > 0
    if not answered.any():
        return None
    share = float(parse_measure("Judged@10").values(Level(judged, 1))[answered].mean())
    return share if share < FEW else None


def only_relevant(judged: Judged, level: int) -> bool:
    """Whether no document is judged not relevant, so that Judged@10 tells no more than P@10."""
    grades = judged.qrels.grades[judged.qrels.grades >= 0]
    return bool(len(grades)) and bool((grades >= level).all())


def range_lines(judged: Judged, asked: Sequence[Line], *, rel: int, complete: bool) -> Iterator[str]:
    """For each measure that has a known range, the lowest and the highest mean that unjudged documents allow."""
    from evaluation.core.bounds import score_range
    from evaluation.core.definitions import MeasureError

    counted = np.ones(judged.size, bool) if complete else judged.num_ret > 0
    for line in asked:
        try:
            found = score_range(judged, line.measure, rel=rel) if line.measure else None
        except MeasureError:
            continue
        if found and counted.any():
            yield f"{line.name + '_lowest':<22}\tall\t{found.low[counted].mean():6.4f}\n"
            yield f"{line.name + '_highest':<22}\tall\t{found.high[counted].mean():6.4f}\n"
