"""Large run files as columns, a piece at a time, each with all results of its topics.

Only what is plain is read here, and anything else is left to the readers that go line by line.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from pooling.core.fields import Column, plain_fields
from pooling.core.keys import distinct
from pooling.core.lines import BLANK_LINES, single_blanks
from pooling.core.rankings import Dialect, Rankings

PIECE = 2 << 20  # bytes; memory stays flat however large the file is


@dataclass(frozen=True, eq=False)
class Columns:
    """Lines of a run, in the order of the file. `heads` are the topics where they change, `lengths` how many lines each
    has from there; the same topic may come again. Scores are never NaN."""

    heads: NDArray[np.bytes_]
    lengths: NDArray[np.int64]
    docnos: Column
    scores: NDArray[np.float64]
    tag: bytes

    @cached_property
    def offsets(self) -> NDArray[np.int64]:
        """Where the lines of each head begin."""
        return np.cumsum(self.lengths) - self.lengths

    @cached_property
    def places(self) -> NDArray[np.int64]:
        """The head of each line."""
        return np.repeat(np.arange(len(self.heads)), self.lengths)

    def keys(self, codes: NDArray[np.int64], seed: int = 0) -> NDArray[np.uint64]:
        """A key for each line, by the code of its head and its docno."""
        return self.docnos.keys(codes[self.places], seed)

    def order(self, dialect: Dialect | None) -> NDArray[np.int64] | None:
        """The permutation that puts the lines of each head into evaluation order, None where the file has it already."""
        scores: NDArray[np.floating] = self.scores
        if dialect == "9":
            with np.errstate(over="ignore"):
                scores = scores.astype(np.float32)
        rising, tied = scores[1:] > scores[:-1], scores[1:] == scores[:-1]
        starts = self.offsets[1:] - 1
        rising[starts] = False
        tied[starts] = False
        if rising.any():
            order = np.lexsort((-scores, self.places))
            scores = scores[order]
            tied = scores[1:] == scores[:-1]
            tied[starts] = False
            return self._untied(order, tied) if tied.any() else order
        pairs = np.flatnonzero(tied)
        if not len(pairs) or not (self.docnos[pairs].values() < self.docnos[pairs + 1].values()).any():
            return None
        return self._untied(np.arange(len(scores)), tied)

    def _untied(self, order: NDArray[np.int64], tied: NDArray[np.bool_]) -> NDArray[np.int64]:
        """The order with docnos descending where a line is tied with the one before it."""
        member = np.zeros(len(order), bool)
        member[1:] = tied
        member[:-1] |= tied
        rows = order[member]
        stretch = np.cumsum(np.concatenate(([True], ~tied)))[member]
        descending = -distinct(self.docnos[rows].values())[2]
        order[member] = rows[np.lexsort((descending, stretch))]
        return order


def pieces(file: BinaryIO, size: int = PIECE) -> Iterator[bytes]:
    """The file in pieces of whole lines that end where a topic ends, as long as its lines stand together."""
    held, wanted = b"", size
    while block := file.read(wanted):
        held += block if block.endswith(b"\n") else block + file.readline()
        end = _last_topic(held)
        if end:
            yield held[:end]
            held, wanted = held[end:], size
        else:  # one topic alone so far
            wanted *= 2
    if held:
        yield held


def _last_topic(text: bytes) -> int:
    """Where the lines of the last line's topic begin, 0 if all are."""
    last = text[text.rfind(b"\n", 0, len(text) - 1) + 1 :]
    topic = last.split(None, 1)[:1]
    if not topic or not last.startswith(topic[0]) or last == topic[0]:
        return len(text)  # not plain, whatever becomes of it
    start = last[: len(topic[0]) + 1]  # and the blank behind it
    return 0 if text.startswith(start) else text.find(b"\n" + start) + 1


def run_columns(piece: bytes) -> Columns | None:
    """The columns of a piece, None unless all of it is plain: six fields to a line, scores that are decimal numbers.

    Blanks may be tabs or several, and lines blank or with CR LF; comments, more fields or odd scores are for others.
    """
    fields = plain_fields(piece, 6) or plain_fields(_tidy(piece), 6)
    if fields is None:
        return None
    scores = fields.column(4).numbers()
    heads, lengths = _stretches(fields.column(0))
    if scores is None or not np.isfinite(scores).all() or np.strings.startswith(heads, b"#").any():
        return None
    tag = bytes(fields.column(5)[np.array([-1])].values()[0])
    return Columns(heads, lengths, fields.column(2), scores, tag)


def _tidy(piece: bytes) -> bytes:
    return BLANK_LINES.sub(b"\n", single_blanks(piece)).lstrip(b"\n")


def _stretches(topics: Column) -> tuple[NDArray[np.bytes_], NDArray[np.int64]]:
    """The values where they change, and for how many lines each stands."""
    starts = topics.heads()
    return topics[starts].values(), np.diff(np.append(starts, len(topics))).astype(np.int64)


def read_rankings(opened: Callable[[], BinaryIO], dialect: Dialect | None = None) -> Rankings | None:
    """A plain run in evaluation order, None for any other: one that is not plain, has the lines of a topic apart, or names a
    document twice. Memory is that of the rankings and of a piece."""
    tag, heads, lengths = b"", [], []
    all_docnos, all_scores = _Growing(np.dtype("S1")), _Growing(np.dtype(np.float64))
    with opened() as file:
        for piece in pieces(file):
            columns = run_columns(piece)
            if columns is None or any_twice(columns.keys(np.arange(len(columns.heads)))):
                return None
            order, docnos, scores = columns.order(dialect), columns.docnos, columns.scores
            if order is not None:
                docnos, scores = docnos[order], scores[order]
            heads.append(columns.heads)
            lengths.append(columns.lengths)
            all_docnos.add(docnos.values())
            all_scores.add(scores)
            tag = columns.tag
    if not heads:
        return None
    found = np.concatenate(heads), np.concatenate(lengths)
    return _sorted(tag.decode("utf-8", "replace"), *found, all_docnos.values, all_scores.values)


class _Growing:
    """An array that grows where it lies: large ones are moved by the system's page tables, not copied."""

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self.values: NDArray[Any] = np.empty(0, dtype)

    def add(self, more: NDArray[Any]) -> None:
        if more.dtype.itemsize > self.values.dtype.itemsize:
            self.values = self.values.astype(more.dtype)
        there = len(self.values)
        self.values.resize(there + len(more), refcheck=False)
        self.values[there:] = more


def _sorted(
    tag: str, heads: NDArray[np.bytes_], lengths: NDArray[np.int64], docnos: NDArray[np.bytes_], scores: NDArray[np.float64]
) -> Rankings | None:
    """Topics in their order; None if one stands in two places."""
    topics, order, _ = distinct(heads)
    if len(topics) < len(heads):
        return None
    offsets = np.concatenate(([0], np.cumsum(lengths[order]))).astype(np.int64)
    if (order[1:] < order[:-1]).any():
        starts = np.cumsum(lengths) - lengths
        rows = np.repeat(starts[order] - offsets[:-1], lengths[order]) + np.arange(len(docnos))
        docnos, scores = docnos[rows], scores[rows]
    return Rankings(tag, topics, offsets, docnos, scores)


def any_twice(keys: NDArray[np.uint64]) -> bool:
    """Whether two lines may hold the same pair: exactly, but for clashes of 64-bit keys, which cost only time.

    Halves of keys are sorted, at a fraction of the time; where two are equal the whole keys are compared.
    """
    halves = (keys >> np.uint64(32)).astype(np.uint32)
    ordered = np.sort(halves)
    met = ordered[1:][ordered[1:] == ordered[:-1]]
    if not len(met):
        return False
    crowd = np.sort(keys[np.isin(halves, met)])
    return bool((crowd[1:] == crowd[:-1]).any())


@dataclass(frozen=True, eq=False)
class QrelsColumns:
    """Lines of qrels in the order of the file; `heads` and `lengths` as for runs."""

    heads: NDArray[np.bytes_]
    lengths: NDArray[np.int64]
    docnos: Column
    grades: NDArray[np.int64]


def qrels_columns(data: bytes) -> QrelsColumns | None:
    """The columns of qrels, None unless they are plain: four fields to a line, one blank between, whole grades."""
    fields = plain_fields(data, 4)
    if fields is None:
        return None
    grades = fields.column(3).integers()
    heads, lengths = _stretches(fields.column(0))
    if grades is None or np.strings.startswith(heads, b"#").any():
        return None
    return QrelsColumns(heads, lengths, fields.column(2), grades)
