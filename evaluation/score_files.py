"""The file of a run's scores per topic under a release: written once, read by pages and downloads."""

import io
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evaluation.core.evaluate import Scores
from evaluation.core.registry import parse_measure

_ARRAYS = ("topics", "measures", "values", "means", "answered", "no_relevant", "rel")


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """One run's scores. `measures` ('S') and `topics` ('S', sorted by bytes) name the rows and columns of `values`;
    `means` has one figure per measure. `answered` and `no_relevant` are those of Scores, `rel` is the lenient threshold.
    """

    topics: NDArray[np.bytes_]
    measures: NDArray[np.bytes_]
    values: NDArray[np.float64]
    means: NDArray[np.float64]
    answered: NDArray[np.bool_]
    no_relevant: NDArray[np.bool_]
    rel: NDArray[np.int64]

    @classmethod
    def of(cls, scores: Scores, run: int) -> "ScoreTable":
        names = np.array([str(measure).encode() for measure in scores.measures])
        values, means, answered = scores.values[run], scores.means[run], scores.answered[run]
        return cls(scores.topics, names, values, means, answered, scores.no_relevant, np.array(scores.rel, np.int64))

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
            return cls(*(arrays[name] for name in _ARRAYS))

    @cached_property
    def names(self) -> list[str]:
        return [name.decode() for name in self.measures.tolist()]

    def scores(self, tag: str, measures: Sequence[str]) -> Scores:
        """These measures as an evaluation of this run alone, missing topics as zero."""
        rows = [self.names.index(name) for name in measures]
        return Scores(
            (tag,),
            tuple(parse_measure(name) for name in measures),
            self.topics,
            self.values[None, rows],
            self.means[None, rows],
            self.answered[None],
            self.no_relevant,
            int(self.rel.item()),
            True,
        )
