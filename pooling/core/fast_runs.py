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

PIECE = 16 << 20  # bytes; memory stays flat however large the file is

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
    has from there; the same topic may come again. `docnos` is a series of text, `scores` are finite or infinite."""

    heads: list[str]
    lengths: NDArray[np.int64]
    docnos: "pl.Series"
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

    low = np.frombuffer(piece, np.uint8) <= ord(" ")
    if not len(piece) or low[0] or (low[1:] & low[:-1]).any():  # an empty field, a blank line
        return None
    separator = "\t" if piece.find(b"\t", 0, piece.find(b"\n")) >= 0 else " "
    schema = {
        "topic": pl.String, "q0": pl.String, "docno": pl.String, "rank": pl.String, "score": pl.Float64, "tag": pl.String,
    }  # fmt: skip
    try:
        table = pl.read_csv(
            piece, has_header=False, separator=separator, quote_char=None, columns=[0, 2, 4], schema=schema
        ).rechunk()
    except pl.exceptions.PolarsError:  # a line of more fields, a score that is none, bytes that are not UTF-8
        return None
    # No line has more than six fields, none is empty, and there are as many separators as six fields need.
    blanks, lines = np.count_nonzero(low), table.height
    if blanks != 6 * lines or piece.count(separator.encode()) != 5 * lines:
        return None
    scores = table["score"].to_numpy()
    if table["score"].null_count() or np.isnan(scores).any():
        return None
    stretches = table["topic"].rle().struct.unnest()
    heads = stretches["value"].to_list()
    if any(head is None or head.startswith("#") for head in heads):
        return None
    tag = piece[piece.rfind(b"\n", 0, len(piece) - 1) + 1 :].split()[5]
    return Columns(heads, stretches["len"].to_numpy().astype(np.int64), table["docno"], scores, tag)
