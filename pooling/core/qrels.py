"""Qrels: `topic iteration docno grade`, in and out."""

import re
from collections.abc import Collection, Mapping, Set
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pooling.core.fields import Fields
from pooling.core.findings import MAX_ERRORS, Report, Said, shown
from pooling.core.keys import PairIndex, code_topics, group_pairs
from pooling.core.lines import (
    MAX_ID,
    careful_rows,
    clean_text,
    docnos_message,
    quick_lines,
    spelled_topics,
    without_zeros,
    zeros_message,
)
from pooling.core.nearest import Nearest

MAX_GRADE = 127  # as trec_eval; no scale comes near it

_GRADE = re.compile(rb"-?[0-9]+")
_PAIR = re.compile(r"(-?[0-9]{1,3})=(-?[0-9]{1,3})")
_LONG_GRADE = 10**9  # left to who goes line by line


@dataclass(frozen=True, eq=False)
class QrelsColumns:
    """Aligned: topic ('S'), docno ('S') and grade (int64) of each judged document; no pair twice."""

    topics: NDArray[np.bytes_]
    docnos: NDArray[np.bytes_]
    grades: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class _Rows:
    lines: NDArray[np.int64]
    topics: NDArray[np.bytes_]
    docnos: NDArray[np.bytes_]
    grades: NDArray[np.int64]


def read_qrels(
    data: bytes,
    *,
    topics: Set[str] | None = None,
    docnos: NDArray[np.bytes_] | None = None,
    levels: Collection[int] | None = None,
    grades: Mapping[int, int] | None = None,
    drop_zeros: bool = False,
    max_errors: int = MAX_ERRORS,
) -> tuple[QrelsColumns | None, Report]:
    """Read and check qrels; columns in the order of the file, None unless the report is ok.

    The iteration column is ignored. `grades` maps grades of the file to ours; what it does not name stays. `levels` are the grades of the scale; without them any grade from -127 to 127 is
    taken, with them a negative one outside the scale is a warning (pooled, not judged) and any other an error. The same
    pair with the same grade is kept once, with a warning; with another grade it is an error, since qrels hold one grade
    for a document. An unknown document is a warning: what was judged may have left the collection. With `drop_zeros` 0858 is
    858, where the collection has that alone.
    """
    report = Report(max_errors=max_errors)
    text = clean_text(data, report)
    if text is None:
        return None, report
    rows = _quick_rows(text) or _careful_rows(text, report)
    if not len(rows.lines):
        if report.ok:
            report.add("error", "QRELS_EMPTY", 0, "The file holds no judgments.")
        return None, report
    if grades:
        rows = replace(rows, grades=_mapped(rows.grades, grades))
    _check_grades(rows, levels, report)
    if topics is not None:
        rows = _spelled(rows, topics, report)
    if docnos is not None:
        rows = _bare(rows, docnos, report) if drop_zeros else rows
        _check_documents(rows, docnos, report)
    keep = _check_duplicates(rows, report)
    if not report.ok:
        return None, report
    return QrelsColumns(rows.topics[keep], rows.docnos[keep], rows.grades[keep]), report


def write_qrels(topics: NDArray[np.bytes_], docnos: NDArray[np.bytes_], grades: NDArray[np.int64]) -> bytes:
    """`topic 0 docno grade`, sorted by topic, then docno, both by bytes; LF. The same judgments give the same bytes."""
    order = np.lexsort((docnos, topics))
    rows = zip(topics[order].tolist(), docnos[order].tolist(), grades[order].tolist(), strict=True)
    return b"".join(b"%b 0 %b %d\n" % row for row in rows)


def _quick_rows(data: bytes) -> _Rows | None:
    columns = quick_qrels(data)
    return None if columns is None else _Rows(*columns)


def quick_qrels(
    data: bytes, *, longest: int = MAX_ID
) -> tuple[NDArray[np.int64], NDArray[np.bytes_], NDArray[np.bytes_], NDArray[np.int64]] | None:
    """Line numbers, topics, docnos and grades of a file in which nothing is wrong by form, None of any other."""

    def take(lines: NDArray[np.int64], fields: Fields) -> tuple[Any, ...] | None:
        grades = fields.column(3).integers()
        if grades is None or (np.abs(grades) >= _LONG_GRADE).any():
            return None
        return lines, fields.column(0).values(), fields.column(2).values(), grades

    chunks = quick_lines(data, 4, take, longest=longest)
    if chunks is None:
        return None
    lines, topics, docnos, grades = (np.concatenate(column) for column in zip(*chunks, strict=True))
    return lines, topics, docnos, grades


def _careful_rows(data: bytes, report: Report) -> _Rows:
    rows: list[tuple[int, bytes, bytes, int]] = []
    for line, fields in careful_rows(data):
        if len(fields) == 5:
            message = f"Line {line} has 5 columns, as sampled qrels and prels have; qrels have 4: topic 0 docno grade."
            report.add("error", "PRELS_LIKELY", line, message)
        elif len(fields) != 4:
            found = f"{len(fields)} column{'' if len(fields) == 1 else 's'}"
            report.add("error", "FIELDS", line, f"Line {line} has {found}; 4 are needed: topic 0 docno grade.")
        elif not _GRADE.fullmatch(fields[3]):
            report.add("error", "GRADE_NOT_INTEGER", line, f'Grade "{shown(fields[3])}" is not an integer.')
        elif max(len(fields[0]), len(fields[2])) > MAX_ID:
            report.add("error", "ID_LONG", line, f"An id of line {line} has more than {MAX_ID} bytes, the most allowed.")
        else:
            rows.append((line, fields[0], fields[2], int(fields[3][:10])))
    lines, topics, docnos, grades = zip(*rows, strict=True) if rows else ((), (), (), ())
    return _Rows(
        np.array(lines, np.int64), np.array(topics, np.bytes_), np.array(docnos, np.bytes_), np.array(grades, np.int64)
    )


def parse_grades(text: str) -> dict[int, int]:
    """A mapping of grades as it is written: `1=2 2=3`, or `-2=0, 4=3`; a negative one of ours: not judged.

    ValueError, in words, for anything else.
    """
    found: dict[int, int] = {}
    for pair in text.replace(",", " ").split():
        match = _PAIR.fullmatch(pair)
        if match is None:
            raise ValueError(f"Expected grades as theirs=ours, such as 1=2 2=3; found “{pair[:40]}”.")
        theirs, ours = int(match[1]), int(match[2])
        if found.setdefault(theirs, ours) != ours:
            raise ValueError(f"Expected each grade of theirs once; {theirs} becomes {found[theirs]} and {ours}.")
    return found


def _mapped(grades: NDArray[np.int64], mapping: Mapping[int, int]) -> NDArray[np.int64]:
    theirs, places = np.unique(grades, return_inverse=True)
    return np.array([mapping.get(grade, grade) for grade in theirs.tolist()], np.int64)[places]


def outside_message(grade: str, scale: str, many: str) -> str:
    return f"Grade {grade}{_on(many)} is not on the scale ({scale}); extend the scale or map the grade."


def _on(many: str) -> str:
    return f", on {many}," if many else ""


def _check_grades(rows: _Rows, levels: Collection[int] | None, report: Report) -> None:
    beyond = np.abs(rows.grades) > MAX_GRADE
    outside = beyond if levels is None else beyond | ~np.isin(rows.grades, list(levels))
    scale = f"{-MAX_GRADE} to {MAX_GRADE}" if levels is None else ", ".join(str(level) for level in sorted(levels))
    high = np.flatnonzero(outside & ((rows.grades >= 0) | beyond))
    report.add_grouped(
        "error",
        "GRADE_OUTSIDE_SCALE",
        rows.lines[high],
        rows.grades[high],
        lambda i, many: outside_message(str(rows.grades[high[i]]), scale, many),
    )
    low = np.flatnonzero(outside & (rows.grades < 0) & ~beyond)
    report.add_grouped(
        "warning",
        "GRADE_OUTSIDE_SCALE",
        rows.lines[low],
        rows.grades[low],
        lambda i, many: f"Grade {rows.grades[low[i]]}{_on(many)} is negative: pooled, not judged. It counts neither way.",
    )


def _spelled(rows: _Rows, topics: Set[str], report: Report) -> _Rows:
    """The rows with topics as the collection spells them; unknown ones are errors."""
    names, codes = code_topics(rows.topics)
    spelled, changed, known = spelled_topics(names, topics)
    if changed.any():
        first = int(np.flatnonzero(changed[codes])[0])
        message = zeros_message(rows.topics[first], spelled[codes[first]])
        report.add("warning", "TOPIC_ZEROS", int(rows.lines[first]), message)
    strange = np.flatnonzero(~known[codes])
    report.add_grouped(
        "error",
        "TOPIC_UNKNOWN",
        rows.lines[strange],
        codes[strange],
        lambda i, many: f"Topic {shown(rows.topics[strange[i]])}{_on(many)} is not part of this collection.",
    )
    return replace(rows, topics=spelled[codes])


def _bare(rows: _Rows, docnos: NDArray[np.bytes_], report: Report) -> _Rows:
    bare = without_zeros(rows.docnos, docnos)
    if not bare.any():
        return rows
    taken, first = np.where(bare, np.strings.lstrip(rows.docnos, b"0"), rows.docnos), int(np.flatnonzero(bare)[0])
    message = docnos_message(int(bare.sum()), rows.docnos[first], taken[first])
    report.add("warning", "DOC_ZEROS", int(rows.lines[first]), message)
    return replace(rows, docnos=taken)


def _check_documents(rows: _Rows, docnos: NDArray[np.bytes_], report: Report) -> None:
    index = PairIndex.build(np.zeros(len(docnos), np.int64), docnos)
    gone = np.flatnonzero(index.find(np.zeros(len(rows.docnos), np.int64), rows.docnos) < 0)
    nearest = Nearest(docnos)
    report.add_grouped(
        "warning",
        "DOC_UNKNOWN",
        rows.lines[gone],
        rows.docnos[gone],
        lambda i, many: unknown_document(bytes(rows.docnos[gone[i]]), many, nearest),
    )


def unknown_document(docno: bytes, many: str, nearest: Nearest) -> Said:
    near = shown(nearest.to(docno))
    hint = f" Did you mean {near}?" if near else ""
    return Said(f"Document {shown(docno)}{_on(many)} is not in the collection.{hint}", shown(docno), near)


def _check_duplicates(rows: _Rows, report: Report) -> NDArray[np.bool_]:
    _, codes = code_topics(rows.topics)
    firsts, inverse = group_pairs(codes, rows.docnos)
    first = firsts[inverse]
    again: NDArray[np.bool_] = first != np.arange(len(first))
    same = np.flatnonzero(again & (rows.grades == rows.grades[first]))
    other = np.flatnonzero(again & (rows.grades != rows.grades[first]))

    def pair(row: np.int64) -> str:
        docno, topic = shown(rows.docnos[row]), shown(rows.topics[row])
        return f"Document {docno} of topic {topic} was judged on line {rows.lines[first[row]]}"

    report.add_many(
        "warning", "DUPLICATE_SAME", rows.lines[same], lambda i: f"{pair(same[i])} with the same grade; one is kept."
    )
    report.add_many(
        "error",
        "DUPLICATE_CONFLICT",
        rows.lines[other],
        lambda i: f"{pair(other[i])} with grade {rows.grades[first[other[i]]]}, here with {rows.grades[other[i]]}.",
    )
    return ~again
