"""Rank matrices of stored runs, kept as long as the process lives: derived data, made again at will."""

import threading
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path

from config import store
from pooling.core.matrix import RankMatrix, Ties
from pooling.core.rankings import Rankings
from pooling.models import Run

MOST_ENTRIES = 20_000_000  # ranks kept in all, some 24 bytes each

Key = tuple[int | None, Ties, tuple[tuple[str, int], ...]]

_kept: "OrderedDict[Key, RankMatrix]" = OrderedDict()
_lock = threading.Lock()


def matrix_of(runs: Sequence[Run], depth: int | None, ties: Ties = "evaluation") -> RankMatrix:
    """The matrix of these runs in this order; one of the first so many of them, if it is there, is only extended."""
    files = [store.path(run.columns) for run in runs]
    stamps = tuple((str(file), file.stat().st_mtime_ns) for file in files)
    with _lock:
        there = next((n for n in range(len(runs), 0, -1) if (depth, ties, stamps[:n]) in _kept), 0)
        matrix = _kept[depth, ties, stamps[:there]] if there else RankMatrix.empty(depth, ties)
    for file in files[there:]:
        matrix = matrix.extended(_rankings(file))
    with _lock:
        _kept[depth, ties, stamps] = matrix
        _kept.move_to_end((depth, ties, stamps))
        while len(_kept) > 1 and (len(_kept) > 8 or sum(map(_entries, _kept.values())) > MOST_ENTRIES):
            _kept.popitem(last=False)
    return matrix


def _rankings(file: Path) -> Rankings:
    return Rankings.from_bytes(file.read_bytes())


def _entries(matrix: RankMatrix) -> int:
    return sum(len(row.items) for row in matrix.rows)
