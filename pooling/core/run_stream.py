"""Runs as they come: checked and put in order a piece at a time, so that memory is that of a piece.

What is in order is put aside, if there is much of it in files of no name, and the rankings are read from there.

Only what is plain and without a fault goes this way. Anything else is left to `check_run`, which holds the whole file and
names each fault by its line; of what both take both say the same.
"""

from collections.abc import Callable, Collection, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from pooling.core import packed
from pooling.core.fast_runs import PIECE_ALONE, Columns, TooLong, by_topic, pieces, stretches
from pooling.core.fields import PAD, Fields, plain_fields, unpadded
from pooling.core.findings import MAX_ERRORS, Report
from pooling.core.keys import PairIndex, any_twice
from pooling.core.lines import BOM, MAX_ID, MOST_LINES, any_control, quick_chunk, spelled_topics, unpack
from pooling.core.repairs import calls_for_any
from pooling.core.run_checks import RunColumns, TagTaken, Ties, check_order, note_missing, note_ties
from pooling.core.runs import SPAN, TAG, RunRead, check_run, note_tag
from pooling.core.spool import Spool

_DELETE = 127  # the control character that is no blank, and the last of ASCII
_FIRST = np.zeros(1, np.int64)
_LONGEST = 8 << 20  # bytes of a topic: more than a hundred thousand results


def check_file(
    opened: Callable[[], BinaryIO],
    *,
    limit: int = packed.LIMIT,
    most_lines: int = MOST_LINES,
    folder: Path | None = None,
    **options: Any,
) -> RunRead:
    """`check_run` with its options, of a file that may be packed; at most so many bytes and lines may come out of it.

    Rankings may lie in files of no name in the folder, the system's own for such unless given.
    """
    with opened() as raw:
        found = None if packed.is_archive(raw) else _Stream(limit, most_lines, folder, **options).read(raw)
    if found is not None:
        return found
    with opened() as raw:
        data = unpack(raw.read(), limit=limit, most_lines=most_lines)
    return check_run(data, **options)


@dataclass
class _Stream:
    """A run as far as it is read."""

    limit: int
    most_lines: int
    folder: Path | None
    topics: Set[str] | None = None
    docnos: NDArray[np.bytes_] | None = None
    complete: bool = True
    max_per_topic: int = 1000
    strict: bool = False
    depth: int | None = None
    tag_taken: TagTaken | None = None
    text_lengths: object = None
    repair: Collection[str] = ()
    tag: str = ""  # what the run is called, "" as its file
    max_errors: int = MAX_ERRORS
    own_tag: bytes = b""  # of the file
    lines: int = 0
    heads: list[NDArray[np.bytes_]] = field(default_factory=list)
    lengths: list[NDArray[np.int64]] = field(default_factory=list)
    ties: list[Ties] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.report = Report(max_errors=self.max_errors)
        self.read_docnos, self.read_scores = Spool(np.dtype("S1"), self.folder), Spool(np.dtype(np.float64), self.folder)
        self.index = None if self.docnos is None else PairIndex.build(np.zeros(len(self.docnos), np.int64), self.docnos)

    def read(self, raw: BinaryIO) -> RunRead | None:
        """None where anything is odd by form, unknown, there twice, in error or to be repaired."""
        size = 0
        try:
            for piece in (piece for _name, file in packed.members(raw) for piece in pieces(file, PIECE_ALONE, _LONGEST)):
                size += len(piece) - 2 * PAD
                if size > self.limit or not self._take(piece) or self.lines > self.most_lines:
                    return None
        except TooLong:
            return None
        tag = self.tag or self.own_tag.decode()
        if not self.heads or tag in (".", "..") or (self.tag_taken and self.tag_taken(tag)):
            return None
        heads, lengths = np.concatenate(self.heads), np.concatenate(self.lengths)
        ranked = by_topic(tag, heads, lengths, self.read_docnos, self.read_scores)
        if ranked is None or not self.report.ok or calls_for_any(self.report):
            return None
        if self.topics is not None:
            note_missing(ranked.topics, self.topics, "error" if self.strict else "warning", self.report)
        note_ties(self.ties, self.report)
        if self.tag:
            note_tag(self.tag, self.own_tag, self.report)
        return RunRead(ranked, None, ranked.tag, "", self.report) if self.report.ok else None

    def _take(self, piece: NDArray[np.uint8]) -> bool:
        """Whether the piece was taken."""
        plain = _plain(piece)
        if plain is None:
            return False
        fields, lines, line_count = plain
        columns, ranks = _columns(fields, bool(self.tag)), fields.column(3).integers()
        if columns is None or ranks is None or self.own_tag not in (b"", columns.tag) or not self._knows(columns):
            return False
        if not self.heads and SPAN.fullmatch(bytes(columns.docnos[_FIRST].values()[0])):
            return False
        docnos, order = columns.docnos.values(), columns.order(None)
        sound = np.ones(len(docnos), bool)
        seen = RunColumns(columns.tag, lines + self.lines, docnos, docnos, ranks, columns.scores, sound, None)
        self.ties.append(
            check_order(
                seen,
                columns.heads,
                columns.places,
                np.arange(len(docnos)),
                self.report,
                max_per_topic=self.max_per_topic,
                depth=self.depth,
            )
        )
        self.own_tag, self.lines = columns.tag, self.lines + line_count
        self.heads.append(columns.heads)
        self.lengths.append(columns.lengths)
        self.read_docnos.add(docnos if order is None else docnos[order])
        self.read_scores.add(columns.scores if order is None else columns.scores[order])
        return True

    def _knows(self, columns: Columns) -> bool:
        """Whether the collection has every topic, spelled so, and every document."""
        if self.topics is not None:
            _, changed, known = spelled_topics(columns.heads, self.topics)
            if changed.any() or not known.all():
                return False
        if self.index is None:
            return True
        codes = np.zeros(len(columns.docnos), np.int64)
        rows = self.index.rows_of(columns.docnos.keys(codes, self.index.seed))
        return bool((rows >= 0).all() and self.index.confirmed(rows, codes, columns.docnos.words).all())


def _plain(piece: NDArray[np.uint8]) -> tuple[Fields, NDArray[np.int64], int] | None:
    """The fields of a piece, the numbers of their lines from 1, and how many lines it has."""
    if (piece >= _DELETE).any() and not _is_text(unpadded(piece)):
        return None
    fields = plain_fields(piece, 6)
    if fields is not None:
        return (fields, np.arange(1, len(fields) + 1), len(fields)) if _fits(fields) else None
    text = unpadded(piece)
    tidied = None if any_control(text) else quick_chunk(text, 6, MAX_ID)
    return None if tidied is None else (tidied[1], tidied[0], text.count(b"\n"))


def _is_text(text: bytes) -> bool:
    """Whether it is UTF-8 without a byte order mark or the control character beyond ASCII's others."""
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return not text.startswith(BOM) and _DELETE not in text


def _fits(fields: Fields) -> bool:
    return fields.longest <= MAX_ID and not (fields.text[fields.column(0).starts] == ord("#")).any()


def _columns(fields: Fields, any_tag: bool) -> Columns | None:
    """None unless all have one tag that may stand, column 2 is Q0, scores are finite, and each topic stands in one place with no document twice."""
    tags, q0, scores = fields.column(5), fields.column(1), fields.column(4).numbers()
    if len(tags.heads()) > 1 or len(q0.heads()) > 1 or scores is None or not np.isfinite(scores).all():
        return None
    tag = bytes(tags[_FIRST].values()[0])
    heads, lengths = stretches(fields.column(0))
    if bytes(q0[_FIRST].values()[0]) != b"Q0" or not (any_tag or TAG.fullmatch(tag)) or len(set(heads.tolist())) < len(heads):
        return None
    columns = Columns(heads, lengths, fields.column(2), scores, tag)
    return None if any_twice(columns.keys(np.arange(len(heads)))) else columns
