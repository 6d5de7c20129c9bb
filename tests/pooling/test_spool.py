"""Columns that are put aside: the same rows in memory and in a file, however wide they become on the way."""

from pathlib import Path

import numpy as np
import pytest

from pooling.core import spool

PIECES = [np.array(words, "S") for words in ([b"a", b"b"], [b"longer"], [b"c"] * 40, [b"the longest of all"], [b"", b"d"])]


@pytest.mark.parametrize("small", [0, 20, 500, 4 << 20])
def test_rows_are_the_same_in_memory_and_aside(small: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool, "SMALL", small)
    column = spool.Spool(np.dtype("S1"), tmp_path)
    for place, piece in enumerate(PIECES):
        column.add(piece)
        assert column.values.tolist() == np.concatenate(PIECES[: place + 1]).tolist()
    assert isinstance(column.values, np.memmap) == (column.values.nbytes > small)
    assert b"".join(part.tobytes() for part in spool.pieces_of(column.values)) == np.concatenate(PIECES).tobytes()
    assert list(tmp_path.iterdir()) == []  # a file of no name


def test_another_for_the_same_values_is_empty(tmp_path: Path) -> None:
    column = spool.Spool(np.dtype("S1"), tmp_path)
    column.add(PIECES[1])
    other = column.like()
    assert (len(other.values), other.values.dtype) == (0, np.dtype("S6"))
