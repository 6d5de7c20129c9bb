"""TREC runs: `topic Q0 docno rank score tag`, read quickly where clean and with care where not."""

import math
import re
from collections.abc import Collection, Set
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pooling.core.findings import MAX_ERRORS, Report, shown
from pooling.core.lines import MAX_ID, careful_rows, clean_text, quick_table
from pooling.core.rankings import Rankings
from pooling.core.run_checks import RunColumns, check_columns

_TAG = re.compile(rb"[A-Za-z0-9_.-]{1,25}")
_RANK = re.compile(rb"-?[0-9]+")
_SCORE = re.compile(rb"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
_NOT_FINITE = re.compile(rb"[+-]?(nan|inf|infinity)", re.IGNORECASE)
_RANK_LIMIT = 10**18  # beyond it a rank is cut, since it is only compared
_IS_RANK, _IS_SCORE = np.zeros(256, bool), np.zeros(256, bool)
_IS_RANK[list(b"\0-0123456789")] = True
_IS_SCORE[list(b"\0+-.0123456789eE")] = True


def read_run(
    data: bytes,
    *,
    topics: Set[str] | None = None,
    docnos: NDArray[np.bytes_] | None = None,
    complete: bool = True,
    max_per_topic: int = 1000,
    strict: bool = False,
    depth: int | None = None,
    tags_taken: Collection[str] = (),
    max_errors: int = MAX_ERRORS,
) -> tuple[Rankings | None, str, Report]:
    """Read and check a run file: its rankings, its tag, and everything found.

    `topics` are the collection's topic numbers and `docnos` its docnos (an 'S' array), None where not known; `complete`
    says that no other document exists, so that an unknown docno is an error rather than a warning. `strict` takes the
    severities of the NIST checkers. `depth` is the pool depth below which a topic is called short. Rankings are None
    unless the report is ok; the tag is "" if no line has one.

    A clean file is read as arrays; when any line is odd the whole file is read again line by line, and that reader
    names each fault. Both hand the same columns to the same checks.
    """
    report = Report(max_errors=max_errors)
    text = clean_text(data, report)
    if text is None:
        return None, "", report
    columns = quick_columns(text) or careful_columns(text, report)
    if columns is None:
        return None, "", report
    topics_read = check_columns(
        columns,
        report,
        topics=topics,
        docnos=docnos,
        complete=complete,
        max_per_topic=max_per_topic,
        strict=strict,
        depth=depth,
        tags_taken=tags_taken,
    )
    tag = columns.tag.decode()
    if not report.ok:
        return None, tag, report
    return Rankings.build(tag, topics_read, columns.docnos, columns.scores), tag, report


def quick_columns(data: bytes) -> RunColumns | None:
    """The columns of a file in which nothing is wrong by form, None otherwise.

    Python's own idea of a number is too wide (underscores, other scripts' digits, nan), so the characters are checked
    before numpy converts: what remains is exactly the grammar of `careful_columns`.
    """
    table = quick_table(data, 6)
    if table is None:
        return None
    topics, q0, docnos, ranks, scores, tags = table.columns
    if (tags != tags[0]).any() or not _TAG.fullmatch(tags[0]) or not _IS_SCORE[_bytes(scores)].all():
        return None
    if ranks.dtype.itemsize > 18 or not _IS_RANK[_bytes(ranks)].all():
        return None
    try:
        ranked, scored = ranks.astype(np.int64), scores.astype(np.float64)
    except ValueError:
        return None
    if not np.isfinite(scored).all():
        return None
    other = np.flatnonzero(q0 != b"Q0")
    odd_q0 = (int(table.lines[other[0]]), bytes(q0[other[0]])) if len(other) else None
    sound = np.ones(len(topics), bool)
    return RunColumns(bytes(tags[0]), table.lines, topics, docnos, ranked, scored, sound, odd_q0)


def _bytes(column: NDArray[np.bytes_]) -> NDArray[np.uint8]:
    return column.view(np.uint8)


@dataclass
class _Rows:
    lines: list[int]
    topics: list[bytes]
    docnos: list[bytes]
    ranks: list[int]
    scores: list[float]
    sound: list[bool]


def careful_columns(data: bytes, report: Report) -> RunColumns | None:
    """The columns of any file, line by line, with a finding for each fault of form; None if no line has six fields.

    A line with a wrong number of fields, or with an identifier that is too long, is left out; one with a bad rank or
    score stays, marked unsound, so that its topic and document are still checked.
    """
    rows = _Rows([], [], [], [], [], [])
    tag: bytes | None = None
    odd_q0: tuple[int, bytes] | None = None
    any_line = False
    for line, fields in careful_rows(data):
        any_line = True
        if len(fields) != 6:
            report.add("error", "FIELDS", line, _fields_message(line, len(fields)))
            continue
        topic, q0, docno, rank, score, own_tag = fields
        if q0 != b"Q0" and odd_q0 is None:
            odd_q0 = line, q0
        if tag is None:
            tag = own_tag
            if not _TAG.fullmatch(tag):
                report.add("error", "TAG_FORMAT", line, _tag_message(tag))
        elif own_tag != tag:
            report.add_once("error", "TAG_MIXED", line, _mixed_message(line, own_tag, tag))
        if max(len(topic), len(docno)) > MAX_ID:
            report.add("error", "ID_LONG", line, _long_message(line, topic, docno))
            continue
        ranked, scored = _rank(rank, line, report), _score(score, line, report)
        rows.lines.append(line)
        rows.topics.append(topic)
        rows.docnos.append(docno)
        rows.ranks.append(ranked or 0)
        rows.scores.append(scored or 0.0)
        rows.sound.append(ranked is not None and scored is not None)
    if not any_line:
        report.add("error", "RUN_EMPTY", 0, "The file holds no result lines.")
    if tag is None:
        return None
    return RunColumns(
        tag,
        np.array(rows.lines, np.int64),
        np.array(rows.topics, np.bytes_),
        np.array(rows.docnos, np.bytes_),
        np.array(rows.ranks, np.int64),
        np.array(rows.scores, np.float64),
        np.array(rows.sound, bool),
        odd_q0,
    )


def _rank(field: bytes, line: int, report: Report) -> int | None:
    if not _RANK.fullmatch(field):
        message = f'Rank "{shown(field)}" is not an integer; are rank and score exchanged?'
        report.add("error", "RANK_NOT_INTEGER", line, message)
        return None
    if len(field) > 18:  # int() refuses thousands of digits
        return -_RANK_LIMIT if field.startswith(b"-") else _RANK_LIMIT
    return int(field)


def _score(field: bytes, line: int, report: Report) -> float | None:
    if _SCORE.fullmatch(field):
        score = float(field)
        if math.isfinite(score):
            return score
    elif not _NOT_FINITE.fullmatch(field):
        message = f'Score "{shown(field)}" is not a number; use a decimal point.'
        report.add("error", "SCORE_NOT_NUMBER", line, message)
        return None
    report.add("error", "SCORE_NOT_FINITE", line, f'Score "{shown(field)}" cannot be ranked.')
    return None


def _fields_message(line: int, found: int) -> str:
    return f"Line {line} has {found} column{'' if found == 1 else 's'}; 6 are needed: topic Q0 docid rank score tag."


def _tag_message(tag: bytes) -> str:
    return f'Run tag "{shown(tag)}" may only use letters, digits, "_", "-", "." and at most 25 characters.'


def _mixed_message(line: int, tag: bytes, first: bytes) -> str:
    return f'Line {line} has tag "{shown(tag)}", the file began with "{shown(first)}". One file is one run.'


def _long_message(line: int, topic: bytes, docno: bytes) -> str:
    name, value = ("topic", topic) if len(topic) > MAX_ID else ("document id", docno)
    return f'The {name} "{shown(value)}" of line {line} has {len(value):,} bytes; at most {MAX_ID} are allowed.'


def write_run(rankings: Rankings) -> bytes:
    """The run as a file: single tabs, ranks from 1 in evaluation order, scores as short as they read back equal, LF."""
    topics = np.repeat(rankings.topics, rankings.lengths).tolist()
    rows = zip(topics, rankings.docnos.tolist(), rankings.ranks.tolist(), rankings.scores.tolist(), strict=True)
    tag = rankings.tag.encode()
    return b"".join(b"%b\tQ0\t%b\t%d\t%b\t%b\n" % (t, d, r, repr(s).encode(), tag) for t, d, r, s in rows)
