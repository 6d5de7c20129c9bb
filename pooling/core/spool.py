"""Columns that grow: in memory, or in a file, where memory does not grow with them; both are read like any other array."""

import mmap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

ROWS = 1 << 14  # that are held at once


class Growing:
    """An array that grows where it lies: large ones are moved by the system's page tables, not copied."""

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self.values: NDArray[Any] = np.empty(0, dtype)

    def add(self, more: NDArray[Any]) -> None:
        if more.dtype.itemsize > self.values.dtype.itemsize:
            self.values = self.values.astype(more.dtype)
        there = len(self.values)
        self.values.resize(there + len(more), refcheck=False)
        self.values[there:] = more

    def like(self) -> "Growing":
        """An empty one for the same values."""
        return Growing(self.values.dtype)


class Spool:
    """A column put aside row by row, in a file of no name; strings are as wide as the widest."""

    def __init__(self, dtype: np.dtype[Any], folder: Path | None = None) -> None:
        import tempfile  # late: small commands start at once, and put nothing aside

        self.dtype, self.folder, self.size = dtype, folder, 0
        self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 (closed below)

    def __del__(self) -> None:
        self._file.close()  # arrays of it have a hold of their own

    def add(self, more: NDArray[Any]) -> None:
        if more.dtype.itemsize > self.dtype.itemsize:
            wider = Spool(more.dtype, self.folder)
            for piece in pieces_of(self.values) if self.size else ():
                wider.add(piece)
            self.dtype, self._file, wider._file = wider.dtype, wider._file, self._file
        self._file.write(more.astype(self.dtype, copy=False).tobytes())
        self.size += len(more)

    def like(self) -> "Spool":
        """An empty one for the same values."""
        return Spool(self.dtype, self.folder)

    @property
    def values(self) -> NDArray[Any]:
        """What is there so far."""
        self._file.flush()
        return np.memmap(self._file, self.dtype, "r", shape=(self.size,))


def pieces_of(column: NDArray[Any]) -> Iterator[NDArray[Any]]:
    """The rows of a column in turn, so many at a time."""
    for begin in range(0, len(column), ROWS):
        yield column[begin : begin + ROWS]
        forget(column)


def forget(column: NDArray[Any]) -> None:
    """What was read of a column that lies in a file need not stay in memory; of any other nothing happens."""
    if isinstance(column, np.memmap):
        column._mmap.madvise(mmap.MADV_DONTNEED)  # type: ignore[attr-defined]
