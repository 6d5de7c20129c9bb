"""What is checked in a run once its lines are columns; every check is made for all lines at once."""

from collections.abc import Callable, Iterable, Set
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pooling.core.findings import Report, Said, Severity, shown
from pooling.core.keys import PairIndex, code_topics, distinct, group_pairs
from pooling.core.lines import listed_topics, spelled_topics, zeros_message
from pooling.core.nearest import Nearest
from pooling.core.rankings import evaluation_order

TextLengths = Callable[[NDArray[np.bytes_]], NDArray[np.int64]]
TagTaken = Callable[[str], str]  # what is told of a tag that is in use, or nothing

FEW_UNKNOWN = 10  # documents that are always told one by one

_FIRST = np.zeros(1, np.int64)
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


@dataclass(frozen=True, eq=False)
class RunColumns:
    """The lines of a run file, aligned; `sound` is false where rank or score could not be read."""

    tag: bytes
    lines: NDArray[np.int64]
    topics: NDArray[np.bytes_]
    docnos: NDArray[np.bytes_]
    ranks: NDArray[np.int64]
    scores: NDArray[np.float64]
    sound: NDArray[np.bool_]
    odd_q0: tuple[int, bytes] | None
    spans: NDArray[np.int64] | None = None  # rows × (start, length) of sub-document results, in code points

    @property
    def units(self) -> NDArray[np.bytes_]:
        """What is ranked: the documents, or of sub-document results `docno:start-end`."""
        if self.spans is None:
            return self.docnos
        ends = self.spans.sum(axis=1).tolist()
        rows = zip(self.docnos.tolist(), self.spans[:, 0].tolist(), ends, strict=True)
        return np.array([b"%b:%d-%d" % row for row in rows], np.bytes_)


class Ties(NamedTuple):
    """How many scores are tied, and the first line of the first topic that has such."""

    scores: int
    line: int


def check_columns(
    columns: RunColumns,
    report: Report,
    *,
    topics: Set[str] | None,
    docnos: NDArray[np.bytes_] | None,
    complete: bool,
    max_per_topic: int,
    strict: bool,
    depth: int | None,
    tag_taken: TagTaken | None,
    text_lengths: TextLengths | None = None,
) -> NDArray[np.bytes_]:
    """Add every finding beyond a line's form to the report; returns the topic column as the collection spells it."""
    grave: Severity = "error" if strict else "warning"
    if columns.odd_q0 is not None:
        line, value = columns.odd_q0
        message = f'Column 2 is "{shown(value)}", expected "Q0". The value is ignored.'
        report.add(grave, "Q0", line, message, shown(value), "Q0")
    if taken := tag_taken(columns.tag.decode()) if tag_taken else "":
        report.add("error", "TAG_TAKEN", 0, taken, shown(columns.tag))
    names, codes = code_topics(columns.topics)
    known = np.ones(len(names), bool)
    if topics is not None:
        names, codes, known = _match_topics(names, codes, columns, topics, report)
        note_missing(names, topics, grave, report)
    if docnos is not None:
        _unknown_documents(columns, docnos, "error" if complete else "warning", report)
    if columns.spans is not None and text_lengths is not None:
        _spans_outside(columns, columns.spans, text_lengths(columns.docnos), report)
    again = _duplicates(columns, names, codes, report)
    _split_topics(columns.lines[~again], names, codes[~again], report)
    keep = columns.sound & known[codes] & ~again
    if keep.any():
        rows = np.flatnonzero(keep)
        note_ties([check_order(columns, names, codes, rows, report, max_per_topic=max_per_topic, depth=depth)], report)
    return names[codes]


def _match_topics(
    names: NDArray[np.bytes_], codes: NDArray[np.int64], columns: RunColumns, topics: Set[str], report: Report
) -> tuple[NDArray[np.bytes_], NDArray[np.int64], NDArray[np.bool_]]:
    """Topics of the run as the collection spells them, each once, and which of them it knows; unknown ones are errors."""
    spelled, changed, known = spelled_topics(names, topics)
    if changed.any():
        first = int(np.flatnonzero(changed[codes])[0])
        message = zeros_message(names[codes[first]], spelled[codes[first]])
        report.add("warning", "TOPIC_ZEROS", int(columns.lines[first]), message)
        names, place, merged = np.unique(spelled, return_index=True, return_inverse=True)
        codes, known = merged.astype(np.int64)[codes], known[place]
    strange = np.flatnonzero(~known[codes])
    # Of a few, one may be a slip for another topic of the run; of many, none is.
    there = set(names[known].tolist()) if len(np.unique(codes[strange])) > FEW_UNKNOWN else set()
    others = [topic.encode() for topic in topics if topic.encode() not in there] if len(strange) else []
    nearest = Nearest(np.array(others, np.bytes_))
    report.add_grouped(
        "error",
        "TOPIC_UNKNOWN",
        columns.lines[strange],
        codes[strange],
        lambda i, many: _unknown("Topic", "is not part of this collection", names[codes[strange[i]]], nearest, many),
    )
    return names, codes, known


def note_missing(names: NDArray[np.bytes_], topics: Set[str], severity: Severity, report: Report) -> None:
    """Topics of the collection without a line in the run."""
    missing = topics - set(np.strings.decode(names, "utf-8").tolist())
    if missing:
        many = len(missing) > 1
        words = f"No documents for {listed_topics(missing)}; {'each' if many else 'it'} will score 0."
        report.add(severity, "TOPIC_MISSING", 0, words, "" if many else shown(next(iter(missing))))


def _unknown_documents(columns: RunColumns, docnos: NDArray[np.bytes_], severity: Severity, report: Report) -> None:
    nowhere = np.zeros(len(docnos), np.int64)
    index = PairIndex.build(nowhere, docnos)
    strange = np.flatnonzero(index.find(np.zeros(len(columns.docnos), np.int64), columns.docnos) < 0)
    unknown = distinct(columns.docnos[strange])[1]
    if len(unknown) > FEW_UNKNOWN and 2 * len(unknown) > (number := len(distinct(columns.docnos)[1])):
        message = _of_another_collection(columns, strange[np.sort(unknown)], number)
        report.add(severity, "DOC_UNKNOWN", int(columns.lines[strange[0]]), message, shown(columns.docnos[strange[0]]))
        return
    nearest = Nearest(docnos)
    report.add_grouped(
        severity,
        "DOC_UNKNOWN",
        columns.lines[strange],
        columns.docnos[strange],
        lambda i, many: _unknown("Document", "is not in the collection", columns.docnos[strange[i]], nearest, many),
    )


def _of_another_collection(columns: RunColumns, rows: NDArray[np.int64], number: int) -> str:
    """`rows` are the first of each unknown document: most of the `number` that the run has."""
    first = ", ".join(f"{shown(columns.docnos[row])} on line {columns.lines[row]}" for row in rows[:3])
    return (
        f"{len(rows):,} of its {number:,} documents are not in this collection (first {first}). "
        "Is this run for another collection?"
    )


def _unknown(kind: str, words: str, value: bytes, nearest: Nearest, many: str = "") -> Said:
    near = shown(nearest.to(value))
    hint = f" Did you mean {near}?" if near else ""
    on = f", on {many}," if many else ""
    return Said(f"{kind} {shown(value)}{on} {words}.{hint}", shown(value), near)


def _spans_outside(columns: RunColumns, spans: NDArray[np.int64], lengths: NDArray[np.int64], report: Report) -> None:
    """`lengths` are those of the documents' texts in code points, -1 where there is no text to look at."""
    ends = spans.sum(axis=1)
    outside = np.flatnonzero((lengths >= 0) & (ends > lengths))

    def message(i: int) -> str:
        row = outside[i]
        span = f"{spans[row, 0]}-{ends[row]}"
        return f"The span {span} ends outside the text of {shown(columns.docnos[row])}, which has {lengths[row]:,} characters."

    report.add_many("error", "SPAN_OUTSIDE", columns.lines[outside], message)


def _duplicates(columns: RunColumns, names: NDArray[np.bytes_], codes: NDArray[np.int64], report: Report) -> NDArray[np.bool_]:
    units = columns.units
    firsts, inverse = group_pairs(codes, units)
    first = firsts[inverse]
    again: NDArray[np.bool_] = first != np.arange(len(first))
    rows = np.flatnonzero(again)

    def message(i: int) -> Said:
        row = rows[i]
        docno, topic, line = units[row], names[codes[row]], columns.lines[first[row]]
        return Said(f"Document {shown(docno)} appears again for topic {shown(topic)} (first on line {line}).", shown(docno))

    report.add_many("error", "DOC_DUPLICATE", columns.lines[rows], message)
    return again


def _split_topics(lines: NDArray[np.int64], names: NDArray[np.bytes_], codes: NDArray[np.int64], report: Report) -> None:
    heads = np.flatnonzero(np.concatenate(([True], codes[1:] != codes[:-1]))) if len(codes) else np.zeros(0, np.int64)
    _, begins, _ = distinct(codes[heads])
    if len(heads) == len(begins):
        return
    later = np.setdiff1d(heads, heads[begins])
    _, second, _ = distinct(codes[later])
    rows = later[second]
    report.add_many(
        "warning",
        "TOPIC_SPLIT",
        lines[rows],
        lambda i: f"Topic {shown(names[codes[rows[i]]])} goes on here after other topics; its lines are taken together.",
    )


def check_order(
    columns: RunColumns,
    names: NDArray[np.bytes_],
    codes: NDArray[np.int64],
    rows: NDArray[np.int64],
    report: Report,
    *,
    max_per_topic: int,
    depth: int | None,
) -> Ties:
    """Numbers of documents, ranks, and whether ranks and scores tell the same order; `rows` are those to look at, ascending."""
    topic, lines, ranks, scores = codes, columns.lines, columns.ranks, columns.scores
    if len(rows) < len(codes) or (codes[1:] < codes[:-1]).any():
        rows = rows[np.argsort(codes[rows], kind="stable")]  # by topic, then as in the file
        topic, lines, ranks, scores = codes[rows], lines[rows], ranks[rows], scores[rows]
    changes = topic[1:] != topic[:-1]
    starts = np.concatenate((_FIRST, np.flatnonzero(changes) + 1))
    counts = np.diff(np.append(starts, len(rows)))
    name = names[topic[starts]]
    _counts(name, starts, counts, lines, report, max_per_topic, depth)

    lowest = np.minimum.reduceat(ranks, starts)
    odd = np.flatnonzero((lowest != 0) & (lowest != 1))
    report.add_many(
        "warning",
        "RANK_START",
        lines[starts[odd]],
        lambda i: f"The ranks of topic {shown(name[odd[i]])} start at {lowest[odd[i]]}, expected 0 or 1. They are ignored.",
    )
    by_rank, falling = np.arange(len(rows)), scores
    if not (changes | (ranks[1:] >= ranks[:-1])).all():
        by_rank = np.lexsort((ranks, topic))  # topics stay where they are
        ranks, falling = ranks[by_rank], scores[by_rank]
    again = _first_of_each(topic, np.flatnonzero(~changes & (ranks[1:] == ranks[:-1])) + 1)
    report.add_many(
        "warning",
        "RANK_REPEATED",
        lines[by_rank[again]],
        lambda i: f"Rank {ranks[again[i]]} is used again for topic {shown(names[topic[again[i]]])}. Ranks are ignored.",
    )
    rising = _first_of_each(topic, np.flatnonzero(~changes & (falling[1:] > falling[:-1])) + 1)
    if len(rising):
        _disagreement(columns, rows, topic, starts, by_rank, by_rank[rising], report)
    return _ties(name, lines, topic, scores, starts, counts, report)


def _counts(
    name: NDArray[np.bytes_],
    starts: NDArray[np.int64],
    counts: NDArray[np.int64],
    lines: NDArray[np.int64],
    report: Report,
    most: int,
    depth: int | None,
) -> None:
    over = np.flatnonzero(counts > most)
    report.add_many(
        "error",
        "TOO_MANY_DOCS",
        lines[starts[over] + most],
        lambda i: f"{counts[over[i]]:,} documents for topic {shown(name[over[i]])}; at most {most:,} are allowed.",
    )
    short = np.flatnonzero(counts < (depth or 0))
    report.add_many(
        "info",
        "TOPIC_SHORT",
        lines[starts[short]],
        lambda i: (
            f"{counts[short[i]]} document{'' if counts[short[i]] == 1 else 's'} for topic {shown(name[short[i]])}, fewer than the pool depth {depth}."
        ),
    )


def _first_of_each(topic: NDArray[np.int64], places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Of places listed topic by topic, the first of each topic."""
    return places[distinct(topic[places])[1]]


def _disagreement(
    columns: RunColumns,
    rows: NDArray[np.int64],
    topic: NDArray[np.int64],
    starts: NDArray[np.int64],
    by_rank: NDArray[np.int64],
    rising: NDArray[np.int64],
    report: Report,
) -> None:
    by_score = evaluation_order(topic, columns.units[rows], columns.scores[rows])
    begin = np.repeat(starts, np.diff(np.append(starts, len(rows))))
    place_by_rank, place_by_score = np.empty_like(by_rank), np.empty_like(by_rank)
    place_by_rank[by_rank] = np.arange(len(rows)) - begin
    place_by_score[by_score] = np.arange(len(rows)) - begin
    # A line whose score rises may keep its place, as the middle one of three in reversed order does: then the first of its
    # topic that has another one is told.
    differs = place_by_rank != place_by_score
    moved = _first_of_each(topic, np.flatnonzero(differs))
    told = np.where(differs[rising], rising, moved[np.searchsorted(topic[moved], topic[rising])])
    lines = columns.lines[rows[told]]

    def message(i: int) -> str:
        ranked, scored = _ordinal(place_by_rank[told[i]]), _ordinal(place_by_score[told[i]])
        return f"By rank line {lines[i]} comes {ranked}, by score {scored}. Evaluation uses the score. Are these distances?"

    report.add_many("warning", "SCORE_RANK_DISAGREE", lines, message)


def _ordinal(place: np.int64) -> str:
    number = int(place) + 1
    if number <= len(_ORDINALS):
        return _ORDINALS[number - 1]
    suffix = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{suffix}"


def _ties(
    name: NDArray[np.bytes_],
    lines: NDArray[np.int64],
    topic: NDArray[np.int64],
    scores: NDArray[np.float64],
    starts: NDArray[np.int64],
    counts: NDArray[np.int64],
    report: Report,
) -> Ties:
    """Topics whose scores are all equal, each; other tied scores are told once for the file, with their number."""
    within = topic[1:] == topic[:-1]
    if (within & (scores[1:] > scores[:-1])).any():
        scores = scores[np.lexsort((scores, topic))]  # topics stay where they are
    equal = within & (scores[1:] == scores[:-1])
    constant = (np.bincount(topic[1:][equal], minlength=int(topic[-1]) + 1)[topic[starts]] == counts - 1) & (counts > 1)
    flat = np.flatnonzero(constant)
    report.add_many(
        "warning",
        "SCORES_CONSTANT",
        lines[starts[flat]],
        lambda i: f"All scores of topic {shown(name[flat[i]])} are equal; the order would depend on docnos.",
    )
    tied = np.zeros(len(topic), bool)
    tied[1:] |= equal
    tied[:-1] |= equal
    tied &= ~np.repeat(constant, counts)
    if not tied.any():
        return Ties(0, 0)
    return Ties(int(tied.sum()), int(lines[starts[np.repeat(np.arange(len(starts)), counts)[tied]]].min()))


def note_ties(found: Iterable[Ties], report: Report) -> None:
    """Those of all parts of a file at once."""
    if some := [one for one in found if one.scores]:
        words = f"{sum(one.scores for one in some):,} tied scores; ties are broken by docno, descending."
        report.add("info", "SCORE_TIES", min(one.line for one in some), words)
