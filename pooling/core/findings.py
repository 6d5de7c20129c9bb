"""What a reader of an uploaded file found: errors, warnings and notes, each with its line."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Severity = Literal["error", "warning", "info"]

MAX_ERRORS = 99  # the error that breaks the limit is listed too, so 100 are shown at most
MAX_NOTES = 25  # warnings and infos listed of each code
SHOWN = 80  # characters of a value quoted in a message

_ORDER = {"error": 0, "warning": 1, "info": 2}


# The column or part of a file that a code is about, for programs that mend files.
FIELDS = {
    "DOC_DUPLICATE": "docno",
    "DOC_UNKNOWN": "docno",
    "DOC_ZEROS": "docno",
    "DOCNO_FORMAT": "docno",
    "DOCNO_MISSING": "docno",
    "NUMBER_FORMAT": "number",
    "NUMBER_MISSING": "number",
    "NUMBER_REPEATED": "number",
    "Q0": "column 2",
    "RANK_NOT_INTEGER": "rank",
    "RANK_REPEATED": "rank",
    "RANK_START": "rank",
    "SCORE_NOT_FINITE": "score",
    "SCORE_NOT_NUMBER": "score",
    "SCORE_RANK_DISAGREE": "score",
    "SCORE_TIES": "score",
    "SCORES_CONSTANT": "score",
    "SPAN_EMPTY": "length",
    "SPAN_FORMAT": "start",
    "SPAN_OUTSIDE": "start",
    "TAG_FORMAT": "tag",
    "TAG_MIXED": "tag",
    "TAG_TAKEN": "tag",
    "TITLE_MISSING": "title",
    "TOPIC_MISSING": "topic",
    "TOPIC_SPLIT": "topic",
    "TOPIC_UNKNOWN": "topic",
    "TOPIC_ZEROS": "topic",
}

# What there can be many of in a file, for people who are told how many.
KINDS = {
    "DOCNO_FORMAT": "docnos of a wrong form",
    "DOCNO_MISSING": "documents without a docno",
    "DOC_DUPLICATE": "documents that are there again",
    "DOC_MISSING": "pooled documents that are not in the file",
    "DOC_UNKNOWN": "lines with a document that is not in the collection",
    "DUPLICATE_CONFLICT": "pairs judged twice, with different grades",
    "DUPLICATE_SAME": "pairs judged twice, with the same grade",
    "EXTRA_CUT": "documents with a field that is cut",
    "EXTRA_LEFT": "documents with a field that is left out",
    "FIELDS": "lines with a wrong number of columns",
    "FIELD_EMPTY": "empty fields",
    "FIELD_TYPE": "fields of a wrong type",
    "GRADE_MISSING": "lines without a grade",
    "GRADE_NEGATIVE": "negative grades",
    "GRADE_NOT_INTEGER": "grades that are not whole numbers",
    "GRADE_OUTSIDE_SCALE": "grades outside the scale",
    "ID_LONG": "ids that are too long",
    "JSON": "lines that are not JSON",
    "JUDGED_ALREADY": "lines that are judged here already",
    "LINE_LONG": "lines that are too long",
    "NOT_OBJECT": "lines that are not JSON objects",
    "NUMBER_FORMAT": "topic numbers of a wrong form",
    "NUMBER_MISSING": "topics without a number",
    "NUMBER_REPEATED": "topic numbers that are there again",
    "RANK_NOT_INTEGER": "ranks that are not whole numbers",
    "RANK_REPEATED": "ranks that are there again",
    "RANK_START": "topics whose ranks do not begin at 1",
    "SCORES_CONSTANT": "topics with one score for all documents",
    "SCORE_NOT_FINITE": "scores that cannot be ranked",
    "SCORE_NOT_NUMBER": "scores that are not numbers",
    "SCORE_RANK_DISAGREE": "topics whose ranks and scores disagree",
    "SPAN_EMPTY": "spans of length 0",
    "SPAN_FORMAT": "spans of a wrong form",
    "SPAN_OUTSIDE": "spans outside their text",
    "TEXT_EMPTY": "documents without a text",
    "TITLE_MISSING": "topics without a title",
    "TOO_MANY_DOCS": "topics with too many documents",
    "TOPIC_SHORT": "topics with fewer documents than the pool's depth",
    "TOPIC_SPLIT": "topics that are parted by others",
    "TOPIC_UNKNOWN": "lines with a topic that the collection does not have",
}


@dataclass(frozen=True)
class Finding:
    """One fault or remark. `line` counts from 1; 0 concerns the whole file.

    The message says all; `value` (what was found, as `shown`), `near` (what may have been meant) and `lines` (on how many it
    is so) are in it too, and apart for programs.
    """

    severity: Severity
    code: str
    line: int
    message: str
    value: str = ""
    near: str = ""
    lines: int = 1

    @property
    def field(self) -> str:
        return FIELDS.get(self.code, "")


class Said(NamedTuple):
    """A message with the value it is about and what may have been meant."""

    message: str
    value: str = ""
    near: str = ""


@dataclass
class Report:
    """Collects the findings of one file.

    Every finding is counted, few are kept: the first `max_errors` errors by line and the one that breaks the limit,
    and the first `max_notes` warnings or infos of each code. So a file with a million faults costs no more memory than
    one with a hundred. `ok` is true when there is no error; only then may the file be taken.
    """

    max_errors: int = MAX_ERRORS
    max_notes: int = MAX_NOTES
    counts: Counter[tuple[Severity, str]] = field(default_factory=Counter)
    offers: tuple[str, ...] = ()  # repairs that the file calls for (core/repairs.py)
    _kept: dict[tuple[Severity, str], list[Finding]] = field(default_factory=dict)
    _told: dict[tuple[str, str], Finding] = field(default_factory=dict)  # by code and words, of what is told once
    _alike: dict[Finding, list[int]] = field(default_factory=dict)  # the first lines of what is told once
    _again: Counter[Finding] = field(default_factory=Counter)  # its lines beyond the first
    _told_at_once: Counter[Severity] = field(default_factory=Counter)  # lines beyond the first of what is told once

    @property
    def ok(self) -> bool:
        return self.errors == 0

    @property
    def errors(self) -> int:
        return self._total("error")

    @property
    def warnings(self) -> int:
        return self._total("warning")

    @property
    def tally(self) -> dict[str, list[tuple[int, str]]]:
        """Of which kinds of findings not all are listed."""
        return tally(told(self))

    def count(self, code: str) -> int:
        """How many findings of this code there were, listed or not."""
        return sum(number for (_, named), number in self.counts.items() if named == code)

    def add(self, severity: Severity, code: str, line: int, message: str, value: str = "", near: str = "") -> None:
        """Note one finding. Findings of one code must come in the order of their lines."""
        self.counts[severity, code] += 1
        kept = self._kept.setdefault((severity, code), [])
        if len(kept) < self._limit(severity):
            kept.append(Finding(severity, code, line, message, value, near))

    def add_once(self, severity: Severity, code: str, line: int, message: str, value: str = "") -> None:
        """Note a finding that is said only once in a file, however often it is met."""
        if not self.counts[severity, code]:
            self.add(severity, code, line, message, value)

    def add_alike(self, severity: Severity, code: str, line: int, message: str, value: str) -> None:
        """Note a finding that many lines may have: it is told once, at the first of them, with their number."""
        same = self._told.get((code, message))
        if same is None:
            self.add(severity, code, line, message, value)
            if len(kept := self._kept[severity, code]) < self._limit(severity):  # else it is not surely among them
                self._told[code, message] = kept[-1]
            return
        self.counts[severity, code] += 1
        self._told_at_once[severity] += 1
        self._again[same] += 1
        if len(lines := self._alike.setdefault(same, [same.line])) < 4:
            lines.append(line)

    def add_many(self, severity: Severity, code: str, lines: NDArray[np.int64], message: Callable[[int], str | Said]) -> None:
        """Note one finding for each of `lines`, any order; `message(i)` words the i-th and is asked only for those kept."""
        if not lines.size:
            return
        self.counts[severity, code] += len(lines)
        limit = self._limit(severity)
        first = np.argsort(lines, kind="stable")[:limit]
        kept = self._kept.setdefault((severity, code), [])
        kept.extend(Finding(severity, code, int(lines[i]), *_said(message(int(i)))) for i in first)
        kept.sort(key=lambda finding: finding.line)
        del kept[limit:]

    def add_grouped(
        self,
        severity: Severity,
        code: str,
        lines: NDArray[np.int64],
        values: NDArray[Any],
        message: Callable[[int, str], str | Said],
    ) -> None:
        """Note that a few values are wrong on many lines: all lines are counted, each value is told once, at its first line.

        `message(i, lines)` words the value of row `i`; `lines` says on how many lines it stands, and on which first; it is
        empty for one.
        """
        if not lines.size:
            return
        _, first, inverse, counts = np.unique(values, return_index=True, return_inverse=True, return_counts=True)
        lowest = np.full(len(first), np.iinfo(np.int64).max)
        np.minimum.at(lowest, inverse, lines)
        kept = self._kept.setdefault((severity, code), [])
        for place in np.argsort(lowest, kind="stable")[: self._limit(severity)].tolist():
            number = "" if counts[place] == 1 else _on_lines(np.sort(lines[inverse == place]).tolist(), int(counts[place]))
            self._told_at_once[severity] += int(counts[place]) - 1
            told = Finding(severity, code, int(lowest[place]), *_said(message(int(first[place]), number)))
            kept.append(replace(told, lines=int(counts[place])))
        kept.sort(key=lambda finding: finding.line)
        self.counts[severity, code] += len(lines)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Errors first, then warnings, then infos, each by line; what concerns the whole file comes last of its kind."""
        listed = sorted((self._whole(one) for kept in self._kept.values() for one in kept), key=_place)
        errors = [one for one in listed if one.severity == "error"][: self.max_errors + 1]
        rest = [one for one in listed if one.severity != "error"]
        if self.errors - self._told_at_once["error"] > self.max_errors:
            errors.append(Finding("error", "TOO_MANY_ERRORS", errors[-1].line, self._too_many(len(errors))))
        return (*errors, *rest)

    def _whole(self, one: Finding) -> Finding:
        if one not in self._alike:
            return one
        number = 1 + self._again[one]
        return replace(one, message=f"{one.message} It stands on {_on_lines(self._alike[one], number)}.", lines=number)

    def _too_many(self, listed: int) -> str:
        shown = "the first is listed. Correct it" if listed == 1 else f"the first {listed} are listed. Correct these"
        return f"{self.errors:,} errors in all; {shown} and check again."

    def _limit(self, severity: Severity) -> int:
        return self.max_errors + 1 if severity == "error" else self.max_notes

    def _total(self, severity: Severity) -> int:
        return sum(number for (kind, _), number in self.counts.items() if kind == severity)


def _on_lines(lines: Sequence[int], number: int) -> str:
    """12 lines (3, 4, 5 …), of which `lines` are the first; their number alone where the reader knows no lines."""
    if not lines[0]:
        return f"{number:,} lines"
    return f"{number:,} lines ({', '.join(map(str, lines[:3]))}{' …' if number > 3 else ''})"


def _said(message: str | Said) -> Said:
    return message if isinstance(message, Said) else Said(message)


def told(report: Report) -> dict[str, object]:
    """The report as JSON has it: totals, the counts of each code, and the findings that are listed."""
    found = [
        {
            "severity": one.severity,
            "code": one.code,
            "line": one.line,
            "field": one.field,
            "value": one.value,
            "near": one.near,
            "lines": one.lines,
            "message": one.message,
        }
        for one in report.findings
    ]
    counts = {code: number for (_, code), number in sorted(report.counts.items())}
    totals = {"errors": report.errors, "warnings": report.warnings, "counts": counts}
    return {**totals, "offers": list(report.offers), "findings": found}


def tally(report: Mapping[str, Any]) -> dict[str, list[tuple[int, str]]]:
    """Of each severity, the kinds of findings of which not all are listed, most first: how many there are, in words. Of a
    report as `told` gives it."""
    findings: list[dict[str, Any]] = report.get("findings", [])
    listed, severities = Counter[str](), {one["code"]: one["severity"] for one in findings}
    for one in findings:
        listed[one["code"]] += one.get("lines", 1)
    found: dict[str, list[tuple[int, str]]] = {}
    for code, number in report.get("counts", {}).items():
        if number > listed[code]:  # what the limit of errors leaves out altogether is one
            found.setdefault(severities.get(code, "error"), []).append((number, KINDS.get(code, code)))
    return {severity: sorted(kinds, key=lambda kind: (-kind[0], kind[1])) for severity, kinds in found.items()}


def kinds(report: Mapping[str, Any]) -> int:
    """How many kinds of faults there are, listed or not."""
    others = {one["code"] for one in report.get("findings", []) if one["severity"] != "error"}
    return len(set(report.get("counts", {})) - others)


def _place(finding: Finding) -> tuple[int, int, int]:
    return _ORDER[finding.severity], finding.line == 0, finding.line


def shown(value: bytes | str) -> str:
    """A value from a file as a message may quote it: at most 80 characters, nothing that does not print."""
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
    cut = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text[:SHOWN])
    return cut[:SHOWN] + "…" if len(text) > SHOWN or len(cut) > SHOWN else cut
