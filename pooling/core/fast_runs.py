"""Large run files as columns, a piece at a time, each with all results of its topics.

Only what is plain is read here, and anything else is left to the readers that go line by line.
"""

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from pooling.core.fields import PAD, Column, padded, plain_fields, unpadded
from pooling.core.keys import add_words, any_twice, distinct, word_keys
from pooling.core.lines import BLANK_LINES, single_blanks
from pooling.core.rankings import Dialect, Rankings
from pooling.core.spool import ROWS, Growing, Spool, forget

PIECE = 3 << 20  # bytes; memory stays flat however large the file is, and two threads seldom wait for each other
PIECE_ALONE = 2 << 20  # where one thread reads, and the rankings take memory


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
        """A key for each line, by the code of its head and its docno, as `pair_keys` has it."""
        return add_words(np.repeat(word_keys(codes, (), seed), self.lengths), self.docnos.words, seed)

    def order(self, dialect: Dialect | None) -> NDArray[np.int64] | None:
        """The permutation that puts the lines of each head into evaluation order, None where the file has it already."""
        scores: NDArray[np.floating] = self.scores
        if dialect == "9":
            with np.errstate(over="ignore"):
                scores = scores.astype(np.float32)
        tied = scores[1:] >= scores[:-1]
        starts = self.offsets[1:] - 1
        tied[starts] = False
        pairs = np.flatnonzero(tied)
        if (scores[pairs + 1] > scores[pairs]).any():
            order = np.lexsort((-scores, self.places))
            scores = scores[order]
            tied = scores[1:] == scores[:-1]
            tied[starts] = False
            return self._untied(order, tied) if tied.any() else order
        if not len(pairs) or not self.docnos.rises(pairs):
            return None
        return self._untied(np.arange(len(scores)), tied)

    def _untied(self, order: NDArray[np.int64], tied: NDArray[np.bool_]) -> NDArray[np.int64]:
        """The order with docnos descending where a line is tied with the one before it."""
        member = np.zeros(len(order), bool)
        member[1:] = tied
        goes_on = member.copy()
        member[:-1] |= tied
        places = np.flatnonzero(member)
        rows, stretch = order[places], np.cumsum(~goes_on[places])
        *names, first = self.docnos.descending(rows)
        by_name = np.lexsort((*names, first)) if names else np.argsort(first)
        order[places] = rows[by_name[np.argsort(stretch[by_name], kind="stable")]]
        return order


class TooLong(ValueError):
    """A topic, or a line, that is longer than its reader wants to hold."""


def pieces(file: BinaryIO, size: int = PIECE, longest: int | None = None) -> Iterator[NDArray[np.uint8]]:
    """The file as padded text, in pieces of whole lines that end where a topic ends, as long as its lines stand together.

    With `longest` no piece is made that needs more bytes: TooLong is raised instead.
    """
    held, wanted, more = b"", size, True
    while more:
        text = bytearray(2 * PAD + len(held) + wanted + 1)
        end = PAD + len(held)
        text[PAD:end] = held
        full = end + wanted
        while more and end < full:
            got = cast(io.BufferedIOBase, file).readinto(memoryview(text)[end:full])
            end, more = end + got, got > 0
        if not more and end > PAD and text[end - 1] != ord("\n"):
            text[end] = ord("\n")
            end += 1
        cut = _last_topic(text, PAD, end) if more else end
        held, wanted = bytes(memoryview(text)[cut:end]), size if cut > PAD else wanted * 2  # one topic alone so far
        if longest is not None and wanted > longest:
            raise TooLong
        if cut > PAD:
            yield np.frombuffer(text, np.uint8)[: cut + PAD]


def _last_topic(text: bytearray, begin: int, end: int) -> int:
    """Where the lines of the last whole line's topic begin, `begin` if there is no other topic before it.

    Found by strides from the end that double, then by halves. Where the lines of a topic do not stand together it may be
    another of their beginnings; that topic is then met again in another piece.
    """
    stop = text.rfind(b"\n", begin, end) + 1 or begin
    high = text.rfind(b"\n", begin, max(stop - 1, begin)) + 1 or begin
    topic = text[high:stop].split(None, 1)[:1]
    if high == begin or not topic:
        return high if high == begin else stop
    start = text[high : high + len(topic[0]) + 1]  # with the blank behind it
    low, stride = high, stop - high
    while low > begin and text.startswith(start, low):
        high, low, stride = low, text.rfind(b"\n", begin, max(low - stride, begin)) + 1 or begin, stride * 2
    if low == begin and text.startswith(start, begin):
        return begin
    while True:  # `low` begins a line of another topic, `high` one of this
        middle = text.rfind(b"\n", low, (low + high) // 2) + 1 or text.find(b"\n", low) + 1
        if middle >= high:
            return high
        if text.startswith(start, middle):
            high = middle
        else:
            low = middle


def run_columns(piece: NDArray[np.uint8]) -> Columns | None:
    """The columns of a piece, None unless all of it is plain: six fields to a line, scores that are decimal numbers.

    Blanks may be tabs or several, and lines blank or with CR LF; comments, more fields or odd scores are for others.
    """
    fields = plain_fields(piece, 6) or plain_fields(padded(_tidy(unpadded(piece))), 6)
    if fields is None:
        return None
    scores = fields.column(4).numbers()
    heads, lengths = stretches(fields.column(0))
    if scores is None or not np.isfinite(scores).all() or np.strings.startswith(heads, b"#").any():
        return None
    tag = fields.last(5)
    return Columns(heads, lengths, fields.column(2), scores, tag)


def _tidy(piece: bytes) -> bytes:
    return BLANK_LINES.sub(b"\n", single_blanks(piece)).lstrip(b"\n")


def stretches(topics: Column) -> tuple[NDArray[np.bytes_], NDArray[np.int64]]:
    """The values where they change, and for how many lines each stands."""
    starts = topics.heads()
    return topics[starts].values(), np.diff(np.append(starts, len(topics))).astype(np.int64)


def read_rankings(opened: Callable[[], BinaryIO], dialect: Dialect | None = None) -> Rankings | None:
    """A plain run in evaluation order, None for any other: one that is not plain, has the lines of a topic apart, or names a
    document twice. Memory is that of the rankings and of a piece."""
    tag, heads, lengths = b"", [], []
    all_docnos, all_scores = Growing(np.dtype("S1")), Growing(np.dtype(np.float64))
    with opened() as file:
        for piece in pieces(file, PIECE_ALONE):
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
    return by_topic(tag.decode("utf-8", "replace"), *found, all_docnos, all_scores)


def by_topic(
    tag: str, heads: NDArray[np.bytes_], lengths: NDArray[np.int64], docnos: Growing | Spool, scores: Growing | Spool
) -> Rankings | None:
    """Topics in their order; None if one stands in two places."""
    topics, order, _ = distinct(heads)
    if len(topics) < len(heads):
        return None
    offsets = np.concatenate(([0], np.cumsum(lengths[order]))).astype(np.int64)
    if (order[1:] < order[:-1]).any():
        moved = (np.cumsum(lengths) - lengths)[order] - offsets[:-1], offsets
        docnos, scores = _arranged(docnos, *moved), _arranged(scores, *moved)
    return Rankings(tag, topics, offsets, docnos.values, scores.values)


def _arranged(column: Growing | Spool, moves: NDArray[np.int64], offsets: NDArray[np.int64]) -> Growing | Spool:
    """The rows from each offset to the next, each taken from where its move leads; some thousand at a time."""
    arranged, values = column.like(), column.values
    cuts, _, _ = distinct(np.append(np.searchsorted(offsets, range(0, int(offsets[-1]), ROWS)), len(moves)))
    for begin, end in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
        rows = np.arange(offsets[begin], offsets[end])
        rows += np.repeat(moves[begin:end], np.diff(offsets[begin : end + 1]))
        arranged.add(values[rows])
        forget(values)
    return arranged


@dataclass(frozen=True, eq=False)
class QrelsColumns:
    """Lines of qrels in the order of the file; `heads` and `lengths` as for runs."""

    heads: NDArray[np.bytes_]
    lengths: NDArray[np.int64]
    docnos: Column
    grades: NDArray[np.int64]


def qrels_columns(data: bytes) -> QrelsColumns | None:
    """The columns of qrels, None unless they are plain: four fields to a line, one blank between, whole grades."""
    fields = plain_fields(padded(data), 4)
    if fields is None:
        return None
    grades = fields.column(3).integers()
    heads, lengths = stretches(fields.column(0))
    if grades is None or np.strings.startswith(heads, b"#").any():
        return None
    return QrelsColumns(heads, lengths, fields.column(2), grades)
