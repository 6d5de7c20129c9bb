"""Columns that grow: in memory, or in a file, where memory does not grow with them; both are read like any other array."""

import mmap
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
from numpy.typing import NDArray

ROWS = 1 << 14  # that are held at once
SMALL = 4 << 20  # bytes: a column of a run of some hundred thousand lines


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
    """A column put aside row by row; strings are as wide as the widest.

    What is small stays in memory: a file, even one of no name, would have to reach the disk with whatever others write, and
    whoever judges would wait for it. What is larger goes into one.
    """

    def __init__(self, dtype: np.dtype[Any], folder: Path | None = None) -> None:
        self.folder, self.size = folder, 0
        self._held = Growing(dtype)
        self._file: IO[bytes] | None = None

    def __del__(self) -> None:
        self._close()  # arrays of it have a hold of their own

    def add(self, more: NDArray[Any]) -> None:
        if self._file is None:
            self._held.add(more)
            if self._held.values.nbytes > SMALL:
                self._put_aside(self._held.values)
                self._held = Growing(self._held.values.dtype)
            return
        if more.dtype.itemsize > self._held.values.dtype.itemsize:
            values, self._held = self.values, Growing(more.dtype)
            self._put_aside(values)
        self._write(more)

    def like(self) -> "Spool":
        """An empty one for the same values."""
        return Spool(self._held.values.dtype, self.folder)

    @property
    def values(self) -> NDArray[Any]:
        """What is there so far."""
        if self._file is None:
            return self._held.values
        self._file.flush()
        return np.memmap(self._file, self._held.values.dtype, "r", shape=(self.size,))

    def _put_aside(self, values: NDArray[Any]) -> None:
        """Begin a file with them, as wide as what is held."""
        import tempfile  # late: small commands start at once, and put nothing aside

        self._close()
        self._file, self.size = tempfile.TemporaryFile(dir=self.folder), 0  # noqa: SIM115 (closed with the column)
        for piece in pieces_of(values):
            self._write(piece)

    def _write(self, more: NDArray[Any]) -> None:
        cast("IO[bytes]", self._file).write(more.astype(self._held.values.dtype, copy=False).tobytes())
        self.size += len(more)

    def _close(self) -> None:
        if self._file is not None:
            self._file.close()


def pieces_of(column: NDArray[Any]) -> Iterator[NDArray[Any]]:
    """The rows of a column in turn, so many at a time."""
    for begin in range(0, len(column), ROWS):
        yield column[begin : begin + ROWS]
        forget(column)


def forget(column: NDArray[Any]) -> None:
    """What was read of a column that lies in a file need not stay in memory; of any other nothing happens."""
    if isinstance(column, np.memmap):
        column._mmap.madvise(mmap.MADV_DONTNEED)  # type: ignore[attr-defined]
