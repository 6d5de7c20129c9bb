"""Judgments of several assessors as text: `topic docno assessor grade` with or without a head, or qrels of each."""

import csv
import io
import re
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assess.core.ratings import Ratings, ratings
from pooling.core.findings import Report, shown
from pooling.core.lines import (
    MAX_ID,
    careful_rows,
    clean_text,
    docnos_message,
    spelled_topics,
    unpack,
    without_zeros,
    zeros_message,
)
from pooling.core.qrels import MAX_GRADE, outside_message, read_qrels

COLUMNS = ("topic", "docno", "assessor", "grade")
ALIASES = {"docid": "docno", "document": "docno"}
Repeats = Literal["refuse", "first", "last"]

_GRADE = re.compile(r"-?[0-9]+")
_ITERATION = re.compile(r"Q?[0-9]{1,2}(\.[0-9]{1,2})?")
_QRELS_ALONE = (
    "This reads as qrels (topic, iteration, docno, grade), which name no assessor. To import them, say whose they are; for "
    f"agreement, give another assessor's beside them. If it is a table, give it a head: {' '.join(COLUMNS)}."
)
_TABLE = f"{', '.join(COLUMNS[:3])} and {COLUMNS[3]}"


@dataclass(frozen=True)
class Judgment:
    """One line. `grade` is None where the assessor gave none."""

    line: int
    topic: str
    docno: str
    assessor: str
    grade: int | None


@dataclass(eq=False)
class Judgments:
    """What the files told so far; the assessors, topics and items in the order of their appearance.

    `levels` is the scale, if it is known; without it, any grade from 0 to 127 is taken, and the scale is from 0 to the
    highest grade found. `mapping` turns grades of the files into ours; what it does not name stays. `of` are the topics of a
    collection: a table's "051" is its "51" if it has no "051". Of `bare_docnos`, those of the collection, a table's zeros
    before a docno are dropped in the same way.
    """

    levels: Collection[int] | None = None
    repeats: Repeats = "refuse"
    mapping: Mapping[int, int] = field(default_factory=dict)
    of: Set[str] | None = None
    bare_docnos: NDArray[np.bytes_] | None = None
    assessors: dict[str, int] = field(default_factory=dict)
    topics: dict[str, int] = field(default_factory=dict)
    items: dict[tuple[str, str], int] = field(default_factory=dict)
    _grades: dict[tuple[int, int], tuple[int, str, int]] = field(default_factory=dict)

    def read(self, data: bytes, name: str, *, alone: bool) -> Report:
        """Add a file, `name` being also the assessor of qrels; what is wrong with it is in the report.

        A file with a head has columns by name, others are ignored. Without one it is `topic docno assessor grade` if it
        stands `alone`, and qrels if there are others: two files without a head are two assessors. A grade that is empty
        or negative is missing data. A document that an assessor judged twice with different grades is an error, unless
        the first or the last one is to count.
        """
        report = Report()
        try:
            data = unpack(data)
        except ValueError as error:
            report.add("error", "PACKED", 0, str(error))
            return report
        text = clean_text(data, report)
        if text is None:
            return report
        first = next((line for line in text.decode().split("\n") if line.strip() and not line.lstrip().startswith("#")), "")
        if alone or _is_head(first):
            rows = list(self._rows(text, first, report))
            if not _is_head(first) and _reads_as_qrels(rows):
                report.add("error", "QRELS_ALONE", rows[0].line, _QRELS_ALONE)
            else:
                self._add_table(name, rows, report)
            return report
        return self._add_qrels(name, data)

    def ratings(self) -> Ratings:
        """What was read, over the scale; at least the levels 0 and 1."""
        grades = [grade for _, _, grade in self._grades.values()]
        levels = self.levels or range(max([1, *grades]) + 1)
        places = np.array(list(self._grades), np.int64).reshape(-1, 2)
        topics = np.array([self.topics[topic] for topic, _ in self.items], np.int64)
        return ratings(places[:, 0], places[:, 1], np.array(grades, np.int64), list(levels), topics)

    def judged(self) -> Iterator[Judgment]:
        """What counts of all that was read, in its order."""
        people, pairs = list(self.assessors), list(self.items)
        for (item, assessor), (line, _name, grade) in self._grades.items():
            yield Judgment(line, *pairs[item], people[assessor], grade)

    def _rows(self, text: bytes, first: str, report: Report) -> Iterator[Judgment]:
        names: Sequence[str] = COLUMNS
        lines = _cells(text, first, report)
        if _is_head(first):
            names = _names(first)
            line, _ = next(lines)
            if missing := [name for name in COLUMNS if names.count(name) != 1]:
                found = ", ".join(shown(name) for name in names)
                message = f"Expected one column each of {_TABLE}, found: {found}. Wrong is: {', '.join(missing)}."
                report.add("error", "COLUMNS", line, message)
                return
        places = [list(names).index(name) for name in COLUMNS]
        again = list(names).index("occasion") if "occasion" in names else None  # a hidden repeat is no opinion
        outside: list[tuple[int, int]] = []
        for line, cells in lines:
            if len(cells) != len(names):
                columns = f"{len(cells)} column{'' if len(cells) == 1 else 's'}"
                qrels = "" if _is_head(first) else " (qrels: topic 0 docno grade)"
                needed = f"{len(names)} are needed: {' '.join(names)}{qrels}."
                report.add("error", "FIELDS", line, f"Line {line} has {columns}; {needed}")
            elif again is not None and cells[again].strip() not in ("", "0"):
                continue
            elif row := _judgment(line, [cells[place].strip() for place in places], self.mapping, report):
                if row.grade is not None and row.grade not in (self.levels or range(MAX_GRADE + 1)):
                    outside.append((line, row.grade))
                else:
                    yield row
        self._tell_outside(outside, report)

    def _tell_outside(self, outside: list[tuple[int, int]], report: Report) -> None:
        scale = ", ".join(map(str, sorted(self.levels))) if self.levels else f"0 to {MAX_GRADE}"
        lines, grades = np.array(outside, np.int64).reshape(-1, 2).T
        report.add_grouped(
            "error", "GRADE_OUTSIDE_SCALE", lines, grades, lambda i, many: outside_message(str(grades[i]), scale, many)
        )

    def _add_table(self, name: str, rows: list[Judgment], report: Report) -> None:
        if not rows and report.ok:
            report.add("error", "EMPTY", 0, f"The file holds no judgments; {_TABLE} are expected on each line.")
        for row in self._spelled(rows, report):
            self._add_row(name, row, report)

    def _spelled(self, rows: list[Judgment], report: Report) -> list[Judgment]:
        if self.of is None or not rows:
            return rows
        given = list(dict.fromkeys(row.topic for row in rows))
        names, changed, _ = spelled_topics(np.array([topic.encode() for topic in given], np.bytes_), self.of)
        ours = {topic: name.decode() for topic, name, other in zip(given, names.tolist(), changed, strict=True) if other}
        if first := next((row for row in rows if row.topic in ours), None):
            message = zeros_message(first.topic.encode(), ours[first.topic].encode())
            report.add("warning", "TOPIC_ZEROS", first.line, message)
        rows = [replace(row, topic=ours[row.topic]) if row.topic in ours else row for row in rows]
        return rows if self.bare_docnos is None else self._bare(rows, self.bare_docnos, report)

    @staticmethod
    def _bare(rows: list[Judgment], known: NDArray[np.bytes_], report: Report) -> list[Judgment]:
        bare = without_zeros(np.array([row.docno.encode() for row in rows], np.bytes_), known).tolist()
        taken = [replace(row, docno=row.docno.lstrip("0")) if is_bare else row for row, is_bare in zip(rows, bare, strict=True)]
        if any(bare):
            first = bare.index(True)
            message = docnos_message(sum(bare), rows[first].docno, taken[first].docno)
            report.add("warning", "DOC_ZEROS", rows[first].line, message)
        return taken

    def _add_row(self, name: str, row: Judgment, report: Report) -> None:
        if row.grade is None:
            return
        assessor = self.assessors.setdefault(row.assessor, len(self.assessors))
        self.topics.setdefault(row.topic, len(self.topics))
        item = self.items.setdefault((row.topic, row.docno), len(self.items))
        before = self._grades.get((item, assessor))
        if before is None or self.repeats == "last":
            self._grades[item, assessor] = (row.line, name, row.grade)
        elif self.repeats == "refuse":
            line, file, grade = before
            where = f"on line {line}" if file == name else f"in {shown(file)}, line {line}"
            said = f"{shown(row.assessor)} judged document {shown(row.docno)} of topic {shown(row.topic)} {where}"
            if grade == row.grade:
                report.add("warning", "DUPLICATE_SAME", row.line, f"{said} with the same grade; one is kept.")
            else:
                message = f"{said} with grade {grade}, here with {row.grade}; one of them is expected."
                report.add("error", "DUPLICATE_CONFLICT", row.line, message)

    def _add_qrels(self, name: str, data: bytes) -> Report:
        columns, report = read_qrels(data, levels=self.levels, grades=self.mapping)
        if columns is not None:
            for topic, docno, grade in zip(
                columns.topics.tolist(), columns.docnos.tolist(), columns.grades.tolist(), strict=True
            ):
                row = Judgment(0, topic.decode(), docno.decode(), name, grade if grade >= 0 else None)
                self._add_row(name, row, report)
        return report


def _reads_as_qrels(rows: Sequence[Judgment]) -> bool:
    """Whether the second of four columns is an iteration, not a document: 0, Q0, or a few small numbers beside more names.

    TREC's own qrels have rounds there (0.5, 1, 2). A table of very few documents with such names needs a head.
    """
    second, third = {row.docno for row in rows}, {row.assessor for row in rows}
    if not rows or not all(_ITERATION.fullmatch(name) for name in second):
        return False
    return second <= {"0", "Q0"} or (len(second) <= 10 and len(second) < len(third))


def _is_head(line: str) -> bool:
    """Whether two or more of its fields are names of columns; no judgment looks so."""
    return len(set(_names(line)) & {*COLUMNS}) >= 2


def _names(line: str) -> list[str]:
    cells = next(csv.reader([line], delimiter=_delimiter(line) or " ", skipinitialspace=True), [])
    return [ALIASES.get(cell.strip().lower(), cell.strip().lower()) for cell in cells]


def _delimiter(line: str) -> str:
    """Tab, comma or semicolon, whichever is there; else columns are parted by blanks."""
    return next((sign for sign in "\t,;" if sign in line), "")


def _cells(text: bytes, first: str, report: Report) -> Iterator[tuple[int, list[str]]]:
    """Number and fields of each line with something on it; a quoted field may hold line ends."""
    sign = _delimiter(first)
    if not sign:
        yield from ((line, [cell.decode() for cell in cells]) for line, cells in careful_rows(text))
        return
    # Tables parted by tabs quote nothing as a rule, and a lone quotation mark in a note is none.
    quote = None if sign == "\t" else '"'
    reader = csv.reader(io.StringIO(text.decode(), newline=""), delimiter=sign, quotechar=quote, strict=True)
    line = 1
    try:
        for cells in reader:
            if any(cells) and not cells[0].lstrip().startswith("#"):
                yield line, cells
            line = reader.line_num + 1
    except csv.Error as error:
        report.add("error", "CSV", line, f"Line {line} cannot be parted into columns: {error}.")


def _judgment(line: int, cells: list[str], mapping: Mapping[int, int], report: Report) -> Judgment | None:
    topic, docno, assessor, told = cells
    if empty := [name for name, cell in zip(COLUMNS, cells[:3], strict=False) if not cell]:
        report.add("error", "FIELD_EMPTY", line, f"Line {line} has no {' and no '.join(empty)}.")
    elif max(len(cell.encode()) for cell in cells) > MAX_ID:
        report.add("error", "ID_LONG", line, f"A field of line {line} has more than {MAX_ID} bytes, the most allowed.")
    elif not told:
        report.add("warning", "GRADE_MISSING", line, f"Line {line} has no grade. It is left out.")
        return Judgment(line, topic, docno, assessor, None)
    elif not _GRADE.fullmatch(told):
        report.add("error", "GRADE_NOT_INTEGER", line, f'Grade "{shown(told)}" is not an integer.')
    else:
        grade = int(told[:10])
        grade = mapping.get(grade, grade)
        if grade < 0:
            report.add("warning", "GRADE_NEGATIVE", line, f"Grade {shown(told)} is negative: not judged. It is left out.")
        return Judgment(line, topic, docno, assessor, grade if grade >= 0 else None)
    return None
