"""The file of a run's scores per topic under a release: written once, read by pages and downloads."""

import io
import zipfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evaluation.core.bounds import score_range
from evaluation.core.definitions import Measure, MeasureError
from evaluation.core.evaluate import Scores
from evaluation.core.judged import Judged
from evaluation.core.registry import parse_measure

_ARRAYS = ("topics", "measures", "values", "means", "answered", "no_relevant", "rel", "low", "high")


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """One run's scores. `measures` ('S') and `topics` ('S', sorted by bytes) name the rows and columns of `values`;
    `means` has one figure per measure. `answered` and `no_relevant` are those of Scores, `rel` is the lenient threshold.
    `low` and `high`, one figure per measure: the range of the mean that unjudged documents allow, NaN where none is known.
    """

    topics: NDArray[np.bytes_]
    measures: NDArray[np.bytes_]
    values: NDArray[np.float64]
    means: NDArray[np.float64]
    answered: NDArray[np.bool_]
    no_relevant: NDArray[np.bool_]
    rel: NDArray[np.int64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    @classmethod
    def of(cls, scores: Scores, judged: Judged) -> "ScoreTable":
        """Of an evaluation of one run alone."""
        names = np.array([str(measure).encode() for measure in scores.measures])
        ranges = np.array([_range(judged, measure, scores.rel) for measure in scores.measures]).reshape(-1, 2)
        values, means, answered = scores.values[0], scores.means[0], scores.answered[0]
        known = names, values, means, answered, scores.no_relevant, np.array(scores.rel, np.int64)
        return cls(scores.topics, *known, ranges[:, 0], ranges[:, 1])

    def to_bytes(self) -> bytes:
        """An npz file, not compressed since many are read for one page; the same scores give the same bytes."""
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
            for name in _ARRAYS:
                with archive.open(f"{name}.npy", "w") as file:
                    np.lib.format.write_array(file, np.ascontiguousarray(getattr(self, name)), allow_pickle=False)
        return buffer.getvalue()

    @classmethod
    def read(cls, path: Path) -> "ScoreTable":
        with np.load(path, allow_pickle=False) as arrays:
            found = {name: arrays[name] for name in arrays.files}
        unknown = np.full(len(found["measures"]), np.nan)  # of before ranges were stored
        return cls(**{"low": unknown, "high": unknown, **found})

    @cached_property
    def names(self) -> list[str]:
        return [name.decode() for name in self.measures.tolist()]

    def scores(self, tag: str) -> Scores:
        """As an evaluation of this run alone, in the lenient view."""
        rows = [row for row, name in enumerate(self.names) if parse_measure(name).rel is None]
        return Scores(
            (tag,),
            tuple(parse_measure(self.names[row]) for row in rows),
            self.topics,
            self.values[None, rows],
            self.means[None, rows],
            self.answered[None],
            self.no_relevant,
            int(self.rel.item()),
            True,
        )


def _range(judged: Judged, measure: Measure, rel: int) -> tuple[float, float]:
    try:
        found = score_range(judged, measure, rel=rel)
    except MeasureError:
        return np.nan, np.nan
    return float(found.low.mean()), float(found.high.mean())
