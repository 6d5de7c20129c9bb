"""A run of passages against the passages that assessors marked, topic by topic, by characters."""

import csv
import io
import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assess.core import passages
from evaluation.core.measures.parts import PartScores, Spans, score_parts
from pooling.core.keys import find_topics
from pooling.core.rankings import Rankings

Span = tuple[bytes, bytes, int, int]  # topic, docno, start, end


@dataclass(frozen=True, eq=False)
class PassageScores:
    """`topics` are those with a marked passage, sorted by bytes; the others tell nothing."""

    topics: NDArray[np.bytes_]
    found: PartScores


def score_passages(returned: Rankings, marked: list[Span]) -> PassageScores:
    """`returned` ranks docno:start-end, as runs of passages are stored. Passages of other topics are left out."""
    topics = np.unique(np.array([span[0] for span in marked], np.bytes_))
    place = find_topics(topics, returned.topics)
    units = zip(place[returned.codes].tolist(), map(_unit, returned.docnos.tolist()), strict=True)
    parts = sorted(((topic, *unit) for topic, unit in units if topic >= 0), key=lambda part: part[0])
    relevant = [(int(np.searchsorted(topics, topic)), docno, start, end) for topic, docno, start, end in marked]
    numbers = {docno: number for number, docno in enumerate(sorted({row[1] for row in (*parts, *relevant)}))}
    return PassageScores(topics, score_parts(_spans(parts, numbers), _spans(relevant, numbers), len(topics)))


def read_marked(text: str) -> list[Span]:
    """Lines of topic, docno and start-end, several with commas; or exported judgments, a CSV with these columns by name
    (topic, docno, evidence). A ValueError names the line that is neither."""
    head = text.partition("\n")[0].split(",")
    found: list[Span] = []
    if {"topic", "docno", "evidence"} <= set(head):
        rows = [(row["topic"], row["docno"], row["evidence"]) for row in csv.DictReader(io.StringIO(text, newline=""))]
    else:
        rows = [_fields(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    for number, (topic, docno, words) in enumerate(rows, 1):
        try:
            found += [(topic.encode(), docno.encode(), start, end) for start, end in passages.read(words)]
        except ValueError as error:
            raise ValueError(f'judgment {number}: expected passages as 3-20,45-60; found "{words[:80]}"') from error
    if not found:
        raise ValueError("expected marked passages (topic docno start-end), found none")
    return found


def _fields(number: int, line: str) -> tuple[str, str, str]:
    fields = re.split("[ \t]+", line.strip(" \t\r"))  # a docno may hold what else Python takes for a blank
    if len(fields) != 3:
        raise ValueError(f"line {number}: expected 3 columns (topic docno start-end), found {len(fields)}")
    return fields[0], fields[1], fields[2]


def _unit(unit: bytes) -> tuple[bytes, int, int]:
    docno, _, span = unit.rpartition(b":")
    start, _, end = span.partition(b"-")
    return docno, int(start), int(end)


def _spans(rows: list[tuple[int, bytes, int, int]], numbers: dict[bytes, int]) -> Spans:
    columns: list[NDArray[np.int64]] = [
        np.array([row[0] for row in rows], np.int64),
        np.array([numbers[row[1]] for row in rows], np.int64),
        np.array([row[2] for row in rows], np.int64),
        np.array([row[3] for row in rows], np.int64),
    ]
    return Spans(*columns)
