"""Run and qrels files as trec_eval reads them: bytes apart by white space, numbers as far as they are numbers.

Uploads are read by pooling's readers, which refuse what this lets pass. Where trec_eval crashes or guesses at what it
never set, this has rules of its own: a comment may stand anywhere (10.0 takes every second one for data, and crashes on
one at the end); a NUL byte or a score that is not a number (NaN) refuses the file, since no order is right for it.
"""

import gzip
import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal, cast

import numpy as np
from numpy.typing import NDArray

from evaluation.core.dialects import OWN, Rules
from evaluation.core.qrels import Qrels
from pooling.core import fast_runs
from pooling.core.fields import Fields
from pooling.core.findings import shown
from pooling.core.keys import code_topics, distinct
from pooling.core.lines import quick_lines
from pooling.core.packed import GZIP
from pooling.core.qrels import quick_qrels

Role = Literal["qrels", "results"]

_LONGEST = 4096  # bytes of a field that the quick reader takes
_FLOAT = re.compile(
    rb"[+-]?(0[xX]([0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)([pP][+-]?[0-9]+)?"
    rb"|([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|[iI][nN][fF]([iI][nN][iI][tT][yY])?|[nN][aA][nN])"
)
_INT = re.compile(rb"[+-]?[0-9]{1,18}")
_ODD = re.compile(rb"[\x00\x0b\x0c\r#]")  # white space the quick reader does not know, comments, NUL


DAMAGED = (OSError, EOFError, zlib.error)  # what reading a gzip file may end with


class FileFault(ValueError):
    """A file that cannot be read; the message says what was expected and found, and where.

    `role` and `record` are what trec_eval's own message needs: it counts records, blank lines and comments apart.
    """

    def __init__(self, message: str, role: Role, record: int = 0) -> None:
        super().__init__(message)
        self.role = role
        self.record = record


@dataclass(frozen=True, eq=False)
class RunTable:
    """A run's lines: aligned `topics`, `docnos` and `scores`. `tag` is that of the last line, as trec_eval has it.

    `guessed` is the line of the first score that is not a number by itself, such as "12abc" or "abc", which are read as
    12 and 0; 0 if there is none.
    """

    tag: bytes
    topics: NDArray[np.bytes_]
    docnos: NDArray[np.bytes_]
    scores: NDArray[np.float64]
    guessed: int = 0


def opener(name: str | Path, role: Role = "results") -> Callable[[], BinaryIO]:
    """What opens a file, gzipped or not, which its first bytes tell; a FileFault if it cannot be read."""

    def opened() -> BinaryIO:
        try:
            with Path(name).open("rb") as file:
                packed = file.read(2) == GZIP
            return cast("BinaryIO", gzip.open(name)) if packed else Path(name).open("rb")
        except OSError as error:
            raise FileFault(f"expected a file that can be read, found none: {error.strerror}", role) from error

    return opened


def read_all(opened: Callable[[], BinaryIO], role: Role) -> bytes:
    """All of a file; a FileFault if it is damaged."""
    try:
        with opened() as file:
            return file.read()
    except DAMAGED as error:
        raise FileFault(f"expected a whole gzip file, found a damaged one: {error}", role) from error


def read_run_table(data: bytes, rules: Rules = OWN) -> RunTable:
    """A run's lines, in the order of the file; a FileFault for one that has not six fields."""
    if b"\0" in data:
        raise FileFault(_nul(data), "results")
    quick = None if _ODD.search(data) else _quick_run(data)
    return quick or _careful_run(data, rules)


def _quick_run(data: bytes) -> RunTable | None:
    def take(lines: NDArray[np.int64], fields: Fields) -> RunTable | None:
        scores = fields.column(4).numbers()
        if scores is None or not np.isfinite(scores).all():
            return None
        return RunTable(fields.last(5), fields.column(0).values(), fields.column(2).values(), scores)

    tables = quick_lines(data, 6, take, longest=_LONGEST)
    if tables is None:
        return None
    topics, docnos, scores = (
        np.concatenate([getattr(table, name) for table in tables]) for name in ("topics", "docnos", "scores")
    )
    return RunTable(tables[-1].tag, topics, docnos, scores)


def _careful_run(data: bytes, rules: Rules) -> RunTable:
    topics, docnos, scores = [], [], []
    tag, guessed, records = b"", 0, 0
    for number, line in enumerate(data.split(b"\n"), 1):
        fields = line.split(None, 6)
        if not fields or (rules.comments and fields[0].startswith(b"#")):
            continue
        records += 1
        if len(fields) < 6:
            told = f"line {number}: expected 6 columns (topic Q0 docno rank score tag), found {len(fields)}"
            raise FileFault(told, "results", records)
        score, whole = _score(fields[4])
        if score != score:
            raise FileFault(
                f'line {number}: expected a score that can be ranked, found "{shown(fields[4])}"', "results", records
            )
        if not whole and not guessed:
            guessed = number
        topics.append(fields[0])
        docnos.append(fields[2])
        scores.append(score)
        tag = fields[5]
    if not records:
        raise FileFault("expected lines of topic Q0 docno rank score tag, found none", "results")
    return RunTable(tag, np.array(topics, np.bytes_), np.array(docnos, np.bytes_), np.array(scores, np.float64), guessed)


def _score(field: bytes) -> tuple[float, bool]:
    """As C's atof: the longest beginning that is a number, 0 if there is none; and whether it is the whole field."""
    found = _FLOAT.match(field)
    if found is None:
        return 0.0, False
    text = found[0].decode()
    value = float.fromhex(text) if "x" in text.lower() else float(text)
    return value, len(found[0]) == len(field)


def read_qrels_table(data: bytes, rules: Rules = OWN, *, fast: bool = True) -> tuple[Qrels, dict[int, bytes]]:
    """Qrels, and the topics by place that judge a document twice, each with the first such docno.

    Of judgments of the same document the first is kept. A FileFault for a line that has not four fields.
    """
    if fast and (found := _fast_qrels(data)):
        return found, {}
    if b"\0" in data:
        raise FileFault(_nul(data), "qrels")
    quick = None if _ODD.search(data) or b"\n\n" in data else _quick_qrels(data)
    topics, docnos, grades = quick or _careful_qrels(data, rules)
    distinct, codes = code_topics(topics)
    order = np.lexsort((docnos, codes))
    codes, docnos, grades = codes[order], docnos[order], grades[order]
    again = np.flatnonzero((docnos[1:] == docnos[:-1]) & (codes[1:] == codes[:-1])) + 1
    twice = {int(codes[row]): bytes(docnos[row]) for row in again[::-1]}
    kept = np.delete(np.arange(len(codes)), again)
    return Qrels(distinct, codes[kept], docnos[kept], grades[kept]), twice


def _fast_qrels(data: bytes) -> Qrels | None:
    """Qrels by the quick reader, None unless they are plain and no document is judged twice."""
    columns = fast_runs.qrels_columns(data)
    if columns is None:
        return None
    topics, _, place = distinct(columns.heads)
    if len(topics) < len(columns.heads):
        return None
    codes, docnos, grades = np.repeat(place, columns.lengths), columns.docnos.values(), columns.grades
    if (place[1:] < place[:-1]).any():
        rows = np.argsort(codes, kind="stable")
        codes, docnos, grades = codes[rows], docnos[rows], grades[rows]
    qrels = Qrels(topics, codes, docnos, grades)
    try:
        _ = qrels.index
    except ValueError:
        return None
    return qrels


def _quick_qrels(data: bytes) -> tuple[NDArray[np.bytes_], NDArray[np.bytes_], NDArray[np.int64]] | None:
    columns = quick_qrels(data, longest=_LONGEST)
    if columns is None or int(columns[0][-1]) != len(columns[0]):  # a blank line is a fault
        return None
    return columns[1:]


def _careful_qrels(data: bytes, rules: Rules) -> tuple[NDArray[np.bytes_], NDArray[np.bytes_], NDArray[np.int64]]:
    rows: list[tuple[bytes, bytes, int]] = []
    lines = data.split(b"\n")
    if lines and not lines[-1]:
        lines.pop()
    for number, line in enumerate(lines, 1):
        if rules.comments and line.startswith(b"#"):
            continue
        fields = line.split()
        if len(fields) != 4:
            told = f"line {number}: expected 4 columns (topic 0 docno grade), found {len(fields)}"
            raise FileFault(told, "qrels", len(rows) + 1)
        found = _INT.match(fields[3])
        rows.append((fields[0], fields[2], int(found[0]) if found else 0))
    if not rows:
        raise FileFault("expected lines of topic 0 docno grade, found none", "qrels")
    topics, docnos, grades = zip(*rows, strict=True)
    return np.array(topics, np.bytes_), np.array(docnos, np.bytes_), np.array(grades, np.int64)


def _nul(data: bytes) -> str:
    return f"line {1 + data.count(bytes([10]), 0, data.index(0))}: expected text, found a NUL byte"
