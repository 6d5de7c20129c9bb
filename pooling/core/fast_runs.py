"""Large run files as columns, by way of polars: a piece at a time, each with all results of its topics.

Only what is plain is read here, and anything else is left to the readers that go line by line. polars is imported when
first needed, and never used in a process forked from one that used it: its threads would not be there, and it would wait
for them for ever.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import polars as pl

SEED = 1  # of the hashes; equal text has equal hashes while the process lasts
PIECE = 4 << 20  # bytes; memory stays flat however large the file is

_BLOCK = 1 << 17
_BLANKS = bytes.maketrans(b"\t\r\v\f", b"    ")
_BLANK_LINES = re.compile(rb"\n[\n ]+")
_used_by: list[int] = []


def available() -> bool:
    """Whether polars may be used in this process."""
    if not _used_by:
        _used_by.append(os.getpid())
    return _used_by[0] == os.getpid()


@dataclass(frozen=True, eq=False)
class Columns:
    """Lines of a run, in the order of the file. `heads` are the topics where they change, `lengths` how many lines each
    has from there; the same topic may come again. `docnos` is a series of text, `hashes` are of these, by `SEED`; `scores`
    are finite or infinite."""

    heads: list[str]
    lengths: NDArray[np.int64]
    docnos: "pl.Series"
    hashes: NDArray[np.uint64]
    scores: NDArray[np.float64]
    tag: bytes


def pieces(file: BinaryIO, size: int = PIECE) -> Iterator[bytes]:
    """The file in pieces of whole lines that end where a topic ends, as long as its lines stand together."""
    begun = b""
    while piece := begun + file.read(size):
        begun = b""
        if not piece.endswith(b"\n"):
            piece += file.readline()
        topic = piece[piece.rfind(b"\n", 0, len(piece) - 1) + 1 :].split(None, 1)[:1]
        lines = [piece]
        while line := file.readline():
            if line.split(None, 1)[:1] != topic:
                begun = line
                break
            lines.append(line)
        yield b"".join(lines)


def run_columns(piece: bytes) -> Columns | None:
    """The columns of a piece, None unless all of it is plain: six fields to a line, scores that are decimal numbers.

    Blanks may be tabs or several, and lines blank or with CR LF; comments, more fields or odd scores are for others.
    """
    if not piece.endswith(b"\n"):
        piece += b"\n"
    return _columns(piece) or _columns(_single_blanks(piece))


def _single_blanks(piece: bytes) -> bytes:
    piece = piece.translate(_BLANKS)
    while b"  " in piece:
        piece = piece.replace(b"  ", b" ")
    return _BLANK_LINES.sub(b"\n", piece.replace(b" \n", b"\n")).lstrip(b" \n")


def _columns(piece: bytes) -> Columns | None:
    import polars as pl

    topic, docno = pl.col("topic"), pl.col("docno")
    table = _table(
        piece,
        {"topic": pl.String, "q0": pl.String, "docno": pl.String, "rank": pl.String, "score": pl.Float64, "tag": pl.String},
        [topic, docno, docno.hash(SEED).alias("hash"), pl.col("score"), topic.hash(SEED).alias("topics")],
    )
    if table is None or table["score"].null_count():
        return None
    scores = table["score"].to_numpy()
    heads, lengths = _stretches(table["topic"], table["topics"].to_numpy())
    if np.isnan(scores).any() or any(head.startswith("#") for head in heads):
        return None
    tag = piece[piece.rfind(b"\n", 0, len(piece) - 1) + 1 :].split()[5]
    return Columns(heads, lengths, table["docno"], table["hash"].to_numpy(), scores, tag)


def _table(piece: bytes, schema: "dict[str, type[pl.DataType]]", wanted: "list[pl.Expr]") -> "pl.DataFrame | None":
    """Columns of lines that have all fields of the schema, no more, with one blank between."""
    import polars as pl

    separator = "\t" if piece.find(b"\t", 0, piece.find(b"\n")) >= 0 else " "
    counted = _blanks(np.frombuffer(piece, np.uint8), ord(separator))
    if counted is None:
        return None
    try:
        source = pl.scan_csv(piece, has_header=False, separator=separator, quote_char=None, schema=schema)
        table = source.select(wanted).collect().rechunk()
    except pl.exceptions.PolarsError:  # a line of more fields, a number that is none, bytes that are not UTF-8
        return None
    # No line has more fields than it should, none is empty, and there are as many separators as they need.
    fields = len(schema)
    return table if counted == (fields * table.height, (fields - 1) * table.height) else None


def _blanks(codes: NDArray[np.uint8], separator: int) -> tuple[int, int] | None:
    """How many blanks of any kind there are, and how many separators; None if two stand together, or one comes first.

    Block by block, in the same memory: fresh memory for all of a piece would cost more than the counting.
    """
    blanks = separators = 0
    before = True
    low = np.empty(min(_BLOCK, len(codes)) + 1, bool)
    for start in range(0, len(codes), _BLOCK):
        block = codes[start : start + _BLOCK]
        inside = low[: len(block) + 1]
        inside[0] = before
        np.less_equal(block, ord(" "), out=inside[1:])
        if (inside[1:] & inside[:-1]).any():  # an empty field, or a blank line
            return None
        before = bool(inside[-1])
        blanks += int(np.count_nonzero(inside[1:]))
        separators += int(np.count_nonzero(block == separator))
    return (blanks, separators) if len(codes) else None


def _stretches(values: "pl.Series", hashes: NDArray[np.uint64]) -> tuple[list[str], NDArray[np.int64]]:
    """The values where they change, and for how many rows each stands."""
    starts = np.flatnonzero(np.concatenate(([True], hashes[1:] != hashes[:-1])))
    return values[starts].to_list(), np.diff(np.append(starts, len(hashes))).astype(np.int64)


@dataclass(frozen=True, eq=False)
class QrelsColumns:
    """Lines of qrels in the order of the file; `heads` and `lengths` as for runs."""

    heads: list[str]
    lengths: NDArray[np.int64]
    docnos: "pl.Series"
    grades: NDArray[np.int64]


def qrels_columns(data: bytes) -> QrelsColumns | None:
    """The columns of qrels, None unless they are plain: four fields to a line, one blank between, whole grades."""
    import polars as pl

    if not data.endswith(b"\n"):
        data += b"\n"
    topic = pl.col("topic")
    table = _table(
        data,
        {"topic": pl.String, "q0": pl.String, "docno": pl.String, "grade": pl.Int64},
        [topic, pl.col("docno"), pl.col("grade"), topic.hash(SEED).alias("topics")],
    )
    if table is None or table["grade"].null_count():
        return None
    heads, lengths = _stretches(table["topic"], table["topics"].to_numpy())
    if any(head.startswith("#") for head in heads):
        return None
    return QrelsColumns(heads, lengths, table["docno"], table["grade"].to_numpy())


def as_bytes(texts: "pl.Series") -> NDArray[np.bytes_]:
    """A series of text as an 'S' array."""
    width = texts.str.len_bytes().max()
    if not isinstance(width, int) or width != texts.str.len_chars().max():
        return np.array([text.encode() for text in texts.to_list()], np.bytes_)
    joined = texts.str.pad_end(width, "\0").str.join("").item()
    found = np.frombuffer(joined.encode(), f"S{width}") if len(joined) == width * len(texts) else None
    return np.array([text.encode() for text in texts.to_list()], np.bytes_) if found is None or not joined.isascii() else found
