"""TREC runs: `topic Q0 docno rank score tag`, read quickly where clean and with care where not.

Sub-document results have two columns more, `start length` in code points, or `docno:start-end` as their docno, the end
being the first character that is no more part of it.
"""

import math
import re
from collections.abc import Collection, Set
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pooling.core.fields import Fields
from pooling.core.findings import MAX_ERRORS, Report, shown
from pooling.core.keys import group_pairs
from pooling.core.lines import MAX_ID, careful_rows, clean_text, quick_lines
from pooling.core.rankings import Rankings
from pooling.core.repairs import offers, repaired
from pooling.core.run_checks import RunColumns, TagTaken, TextLengths, check_columns

Form = Literal["documents", "columns", "suffix"]

MAX_TAG = 25
TAG = re.compile(rb"[A-Za-z0-9_.-]{1,%d}" % MAX_TAG)
_RANK = re.compile(rb"-?[0-9]+")
_SCORE = re.compile(rb"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
_NOT_FINITE = re.compile(rb"[+-]?(nan|inf|infinity)", re.IGNORECASE)
SPAN = re.compile(rb"(.+):([0-9]{1,17})-([0-9]{1,17})")
_COMMENT = re.compile(rb"\s*#")
_NO_BREAK = "\u00a0".encode()
_HEADER = 1 << 18  # bytes in which a header and the first result are looked for
_RANK_LIMIT = 10**18  # beyond it a rank is cut, since it is only compared
_FIRST = np.zeros(1, np.int64)


@dataclass(frozen=True, eq=False)
class RunRead:
    """What a run file holds. `rankings` are of documents, None unless the report is ok; `passages` of `docno:start-end`.

    `header` is the YAML text of an ir_metadata block in the comments, "" where there is none; the tag is "" if no line
    has one. `mended` are the repairs that were made.
    """

    rankings: Rankings | None
    passages: Rankings | None
    tag: str
    header: str
    report: Report
    mended: tuple[str, ...] = ()


def read_run(data: bytes, **options: Any) -> tuple[Rankings | None, str, Report]:
    """The rankings, the tag and everything found in a run file: `check_run` for those who need no more."""
    found = check_run(data, **options)
    return found.rankings, found.tag, found.report


def check_run(
    data: bytes,
    *,
    topics: Set[str] | None = None,
    docnos: NDArray[np.bytes_] | None = None,
    complete: bool = True,
    max_per_topic: int = 1000,
    strict: bool = False,
    depth: int | None = None,
    tag_taken: TagTaken | None = None,
    text_lengths: TextLengths | None = None,
    repair: Collection[str] = (),
    tag: str = "",
    max_errors: int = MAX_ERRORS,
) -> RunRead:
    """Read and check a run file.

    `topics` are the collection's topic numbers and `docnos` its docnos (an 'S' array), None where not known; `complete`
    says that no other document exists, so that an unknown docno is an error rather than a warning. `strict` takes the
    severities of the NIST checkers. `depth` is the pool depth below which a topic is called short. `text_lengths` tells
    how long the texts of documents are, to check spans against. `tag_taken` says of a tag in use what is then told. `repair`
    names what may be mended (`REPAIRS`), where that is called for; the report is then that of the repaired run. `tag` is
    the run's, whatever its lines have; they still have one and the same.

    A clean file is read as arrays; when any line is odd the whole file is read again line by line, and that reader
    names each fault. Both hand the same columns to the same checks.
    """
    report = Report(max_errors=max_errors)
    text = clean_text(data, report)
    if text is None:
        return RunRead(None, None, "", "", report)
    header, form = header_of(text), _form(text, docnos)
    columns = (quick_columns(text, bool(tag)) if form == "documents" else None) or careful_columns(
        text, report, form, bool(tag)
    )
    if columns is None:
        return RunRead(None, None, "", header, report)
    if tag:
        note_tag(tag, columns.tag, report)
        columns = replace(columns, tag=tag.encode())
    if columns.tag in (b".", b".."):  # it could not stand in an address
        words = f'The run tag "{columns.tag.decode()}" needs a letter, a digit or "_".'
        report.add("error", "TAG_FORMAT", 0, words, columns.tag.decode())
    by_form = deepcopy(report)
    check = partial(
        check_columns,
        topics=topics,
        docnos=docnos,
        complete=complete,
        max_per_topic=max_per_topic,
        strict=strict,
        depth=depth,
        tag_taken=tag_taken,
        text_lengths=text_lengths,
    )
    topics_read = check(columns, report)
    offered = offers(report, columns) if by_form.ok else ()
    mended = tuple(name for name in offered if name in repair)
    if mended:
        columns, report = repaired(columns, mended, max_per_topic, by_form), by_form
        topics_read = check(columns, report)
        offered = tuple(name for name in offers(report, columns) if name not in mended)
    report.offers = offered
    tag = columns.tag.decode()
    if not report.ok:
        return RunRead(None, None, tag, header, report, mended)
    ranked = Rankings.build(tag, topics_read, columns.units, columns.scores)
    if columns.spans is None:
        return RunRead(ranked, None, tag, header, report, mended)
    return RunRead(documents_of(ranked), ranked, tag, header, report, mended)


def tag_fault(tag: str) -> str:
    """What is said of a tag that somebody chose and that may not stand, in an address for one; else nothing."""
    if TAG.fullmatch(tag.encode()) and tag not in (".", ".."):
        return ""
    return f'Expected a tag of letters, digits, "_", "-" and ".", {MAX_TAG} at most; found “{shown(tag)}”.'


def note_tag(given: str, found: bytes, report: Report) -> None:
    """That a run is called otherwise than its file."""
    if given.encode() != found:
        words = f'"{given}" was given as the tag; that of the file is "{shown(found)}".'
        report.add("info", "TAG_GIVEN", 0, words, shown(found))


def documents_of(passages: Rankings) -> Rankings:
    """The ranking of documents by their best passage: the first of each counts, the others are left out."""
    docnos = np.array([unit.rpartition(b":")[0] for unit in passages.docnos.tolist()], np.bytes_)
    firsts, _ = group_pairs(passages.codes, docnos)
    keep = np.sort(firsts)
    counts = np.bincount(passages.codes[keep], minlength=len(passages.topics))
    offsets = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    return Rankings(passages.tag, passages.topics, offsets, docnos[keep], passages.scores[keep])


def header_of(text: bytes) -> str:
    """The YAML of an ir_metadata block in the comments before the first result, "" if there is none."""
    lines: list[str] = []
    inside = False
    if not _COMMENT.match(text):
        return ""
    for line in text[:_HEADER].split(b"\n"):
        if line.strip() and not line.startswith(b"#"):
            break
        words = line[1:].decode("utf-8", "replace")
        mark = words.strip().lower()
        if mark == "ir_metadata.start":
            inside = True
        elif mark == "ir_metadata.end":
            break
        elif inside:
            lines.append(words[1:] if words.startswith(" ") else words)
    return "\n".join(lines)


def _form(text: bytes, docnos: NDArray[np.bytes_] | None) -> Form:
    """By the first result: eight columns of which the last two are numbers, or a docno that ends with a span."""
    fields = next((fields for _, fields in careful_rows(text[:_HEADER])), [])
    if len(fields) == 8 and fields[6].isdigit() and fields[7].isdigit():
        return "columns"
    if len(fields) != 6 or not SPAN.fullmatch(fields[2]):
        return "documents"
    if docnos is not None:
        return "documents" if (docnos == fields[2]).any() else "suffix"
    return "suffix" if all(len(row) == 6 and SPAN.fullmatch(row[2]) for _, row in careful_rows(text)) else "documents"


def quick_columns(data: bytes, any_tag: bool = False) -> RunColumns | None:
    """The columns of a file in which nothing is wrong by form, None otherwise; with `any_tag` its tag may be of any form.

    What counts as a number is exactly the grammar of `careful_columns`.
    """
    chunks = quick_lines(data, 6, partial(_quick_part, any_tag=any_tag))
    if chunks is None or any(part.tag != chunks[0].tag for part in chunks):
        return None
    joined = {
        name: np.concatenate([getattr(part, name) for part in chunks])
        for name in ("lines", "topics", "docnos", "ranks", "scores", "sound")
    }
    return RunColumns(chunks[0].tag, **joined, odd_q0=next((part.odd_q0 for part in chunks if part.odd_q0), None))


def _quick_part(lines: NDArray[np.int64], fields: Fields, any_tag: bool) -> RunColumns | None:
    tags, q0 = fields.column(5), fields.column(1)
    ranks, scores = fields.column(3).integers(), fields.column(4).numbers()
    if len(tags.heads()) > 1 or ranks is None or scores is None or not np.isfinite(scores).all():
        return None
    tag = bytes(tags[_FIRST].values()[0])
    if not any_tag and not TAG.fullmatch(tag):
        return None
    heads = q0.heads()
    other = heads[q0[heads].values() != b"Q0"]
    odd_q0 = (int(lines[other[0]]), bytes(q0[other[:1]].values()[0])) if len(other) else None
    topics, docnos = fields.column(0).values(), fields.column(2).values()
    return RunColumns(tag, lines, topics, docnos, ranks, scores, np.ones(len(lines), bool), odd_q0)


@dataclass
class _Rows:
    spans: list[tuple[int, int]]
    lines: list[int]
    topics: list[bytes]
    docnos: list[bytes]
    ranks: list[int]
    scores: list[float]
    sound: list[bool]


def careful_columns(data: bytes, report: Report, form: Form = "documents", any_tag: bool = False) -> RunColumns | None:
    """The columns of any file, line by line, with a finding for each fault of form; None if no line has six fields.

    A line with a wrong number of fields, or with an identifier that is too long, is left out; one with a bad rank or
    score stays, marked unsound, so that its topic and document are still checked.
    """
    rows, width = _Rows([], [], [], [], [], [], []), 8 if form == "columns" else 6
    tag: bytes | None = None
    odd_q0: tuple[int, bytes] | None = None
    any_line = False
    for line, fields in careful_rows(data):
        any_line = True
        if len(fields) != width:
            report.add("error", "FIELDS", line, _fields_message(line, fields, width), str(len(fields)))
            continue
        topic, q0, docno, rank, score, own_tag = fields[:6]
        if q0 != b"Q0" and odd_q0 is None:
            odd_q0 = line, q0
        if tag is None:
            tag = own_tag
            if not any_tag and not TAG.fullmatch(tag):
                report.add("error", "TAG_FORMAT", line, _tag_message(tag), shown(tag))
        elif own_tag != tag:
            report.add_once("error", "TAG_MIXED", line, _mixed_message(line, own_tag, tag), shown(own_tag))
        if max(len(topic), len(docno)) > MAX_ID:
            report.add("error", "ID_LONG", line, _long_message(line, topic, docno))
            continue
        ranked, scored = _rank(rank, line, report), _score(score, line, report)
        if form != "documents":
            span = _span(docno, fields[6:], line, report)
            if span is None:
                continue
            docno, *at = span
            rows.spans.append((at[0], at[1]))
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
        np.array(rows.spans, np.int64).reshape(-1, 2) if form != "documents" else None,
    )


def _span(docno: bytes, fields: list[bytes], line: int, report: Report) -> tuple[bytes, int, int] | None:
    """(docno, start, length) of a sub-document result."""
    if fields:
        start, length = (int(field) if field.isdigit() and len(field) < 18 else -1 for field in fields)
    else:
        found = SPAN.fullmatch(docno)
        docno, start, end = (found[1], int(found[2]), int(found[3])) if found else (docno, -1, -1)
        length = end - start
    if start < 0 or length < 0:
        message = f"Line {line} has no span; expected start and length as numbers, or docno:start-end."
        report.add("error", "SPAN_FORMAT", line, message, shown(b" ".join(fields) or docno))
        return None
    if length == 0:
        report.add("error", "SPAN_EMPTY", line, f"The span of line {line} has length 0; expected at least 1.", "0")
        return None
    return docno, start, length


def _rank(field: bytes, line: int, report: Report) -> int | None:
    if not _RANK.fullmatch(field):
        message = f'Rank "{shown(field)}" is not an integer; are rank and score exchanged?'
        report.add_alike("error", "RANK_NOT_INTEGER", line, message, shown(field))
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
        report.add_alike("error", "SCORE_NOT_NUMBER", line, message, shown(field))
        return None
    report.add_alike("error", "SCORE_NOT_FINITE", line, f'Score "{shown(field)}" cannot be ranked.', shown(field))
    return None


def _fields_message(line: int, fields: list[bytes], width: int) -> str:
    found, odd = len(fields), any(_NO_BREAK in field for field in fields)
    needed = f"{width} are needed: topic Q0 docno rank score tag{' start length' if width == 8 else ''}"
    hint = " A no-break space (U+00A0) parts no columns." if odd else ""
    return f"Line {line} has {found} column{'' if found == 1 else 's'}; {needed}.{hint}"


def _tag_message(tag: bytes) -> str:
    text = tag.decode("utf-8", "replace")
    odd = [letter for letter in dict.fromkeys(text) if not TAG.fullmatch(letter.encode())]
    found = [f"{len(text)} characters"] if len(text) > MAX_TAG else []
    found += [" and ".join(f'"{shown(letter)}"' for letter in odd[:3])] if odd else []
    rule = f'may only use letters, digits, "_", "-", "." and at most {MAX_TAG} characters'
    return f'Run tag "{shown(tag)}" {rule}; it has {", and ".join(found)}.'


def _mixed_message(line: int, tag: bytes, first: bytes) -> str:
    return f'Line {line} has tag "{shown(tag)}", the file began with "{shown(first)}". One file is one run.'


def _long_message(line: int, topic: bytes, docno: bytes) -> str:
    name, value = ("topic", topic) if len(topic) > MAX_ID else ("docno", docno)
    return f'The {name} "{shown(value)}" of line {line} has {len(value):,} bytes; at most {MAX_ID} are allowed.'


def write_run(rankings: Rankings) -> bytes:
    """The run as a file: single tabs, ranks from 1 in evaluation order, scores as short as they read back equal, LF."""
    topics = np.repeat(rankings.topics, rankings.lengths).tolist()
    rows = zip(topics, rankings.docnos.tolist(), rankings.ranks.tolist(), rankings.scores.tolist(), strict=True)
    tag = rankings.tag.encode()
    return b"".join(b"%b\tQ0\t%b\t%d\t%b\t%b\n" % (t, d, r, repr(s).encode(), tag) for t, d, r, s in rows)
