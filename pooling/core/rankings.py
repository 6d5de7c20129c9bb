"""THE order of a run: score descending, ties by docno descending. Pools and measures all read this."""

import io
import re
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

import numpy as np
from numpy.typing import NDArray

from pooling.core.keys import PairIndex, code_topics, find_topics, in_order
from pooling.core.spool import pieces_of

if TYPE_CHECKING:
    import zipfile  # late: commands on files alone do not store runs

Dialect = Literal["9", "10"]

_COLUMNS = ("tag", "topics", "offsets", "docnos", "scores")
_HEAD = re.compile(
    rb"\x93NUMPY\x01\x00..\{'descr': '([^']+)', 'fortran_order': False, 'shape': \((?:(\d+),)?\), \} *\n", re.DOTALL
)


def evaluation_order(
    codes: NDArray[np.int64], docnos: NDArray[np.bytes_], scores: NDArray[np.float64], *, dialect: Dialect | None = None
) -> NDArray[np.int64]:
    """The permutation that puts the rows of a run into evaluation order.

    By topic code, then score descending, then docno descending by unsigned bytes ("b" before "a" before "B", "d10"
    before "d1"); the rank column plays no part. Scores are compared as doubles; with dialect "9" as single floats, the
    way trec_eval 9 did, so that scores equal in 24 bits are ties. Docnos are compared only where scores are tied.
    Scores must not be NaN. (trec_eval, form_res_rels.c)
    """
    compared: NDArray[np.floating] = scores
    if dialect == "9":
        with np.errstate(over="ignore"):  # beyond 3.4e38 a single float is infinite, for trec_eval 9 too
            compared = scores.astype(np.float32)
    order = np.arange(len(codes)) if in_order(codes, -compared) else np.lexsort((-compared, codes))
    tied = np.zeros(len(order), bool)
    tied[1:] = (compared[order[1:]] == compared[order[:-1]]) & (codes[order[1:]] == codes[order[:-1]])
    if tied.any():
        member = tied.copy()
        member[:-1] |= tied[1:]
        rows = order[member]
        stretch = np.cumsum(~tied)[member]
        _, place = np.unique(docnos[rows], return_inverse=True)
        order[member] = rows[np.lexsort((-place, stretch))]
    return order.astype(np.int64, copy=False)


@dataclass(frozen=True, eq=False)
class Rankings:
    """One run in evaluation order.

    `topics` ('S', T distinct, sorted by bytes); the rows of topic t are `offsets[t]:offsets[t + 1]` of `docnos` ('S')
    and `scores` (float64), best first. A topic without rows is not listed. Trusted to hold no docno twice in a topic.
    """

    tag: str
    topics: NDArray[np.bytes_]
    offsets: NDArray[np.int64]
    docnos: NDArray[np.bytes_]
    scores: NDArray[np.float64]

    @classmethod
    def build(
        cls,
        tag: str,
        topics: NDArray[np.bytes_],
        docnos: NDArray[np.bytes_],
        scores: NDArray[np.float64],
        *,
        dialect: Dialect | None = None,
    ) -> "Rankings":
        """Sort aligned columns, one row for each result, in any order."""
        distinct, codes = code_topics(topics)
        order = evaluation_order(codes, docnos, scores, dialect=dialect)
        offsets = np.concatenate(([0], np.cumsum(np.bincount(codes, minlength=len(distinct))))).astype(np.int64)
        return cls(tag, distinct, offsets, docnos[order], scores[order])

    @classmethod
    def from_dict(cls, tag: str, run: Mapping[str, Mapping[str, float]], *, dialect: Dialect | None = None) -> "Rankings":
        """From {topic: {docno: score}}; a topic without documents is not listed, a score that is NaN a ValueError."""
        rows = [(topic.encode(), docno.encode(), score) for topic, scored in run.items() for docno, score in scored.items()]
        topics, docnos, scores = zip(*rows, strict=True) if rows else ((), (), ())
        column = np.array(scores, np.float64)
        if np.isnan(column).any():
            raise ValueError("expected scores that can be ranked, found NaN")
        return cls.build(tag, np.array(topics, np.bytes_), np.array(docnos, np.bytes_), column, dialect=dialect)

    def __len__(self) -> int:
        return len(self.docnos)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Documents retrieved for each topic."""
        return np.diff(self.offsets)

    @property
    def codes(self) -> NDArray[np.int64]:
        """The topic of every row, as its place in `topics`."""
        return np.repeat(np.arange(len(self.topics), dtype=np.int64), self.lengths)

    @property
    def ranks(self) -> NDArray[np.int64]:
        """The rank of every row, from 1."""
        return np.arange(1, len(self) + 1, dtype=np.int64) - np.repeat(self.offsets[:-1], self.lengths)

    def rank_of(self, topic: str, docno: str) -> int | None:
        """The rank of one document, None if the run did not retrieve it for the topic."""
        rank = int(self.ranks_of(np.array([topic.encode()]), np.array([docno.encode()]))[0])
        return rank or None

    def ranks_of(self, topics: NDArray[np.bytes_], docnos: NDArray[np.bytes_]) -> NDArray[np.int64]:
        """The ranks of many documents: aligned arrays of topics and docnos in, ranks out, 0 where not retrieved."""
        rows = PairIndex.build(self.codes, self.docnos).find(find_topics(self.topics, topics), docnos)
        return np.where(rows >= 0, np.append(self.ranks, 0)[rows], 0)

    def cut(self, depth: int) -> "Rankings":
        """The first `depth` documents of every topic; exactly these, a tie at the cut is decided by the order."""
        if depth < 1:
            raise ValueError(f"expected a depth of at least 1, got {depth}")
        kept = np.minimum(self.lengths, depth)
        offsets = np.concatenate(([0], np.cumsum(kept))).astype(np.int64)
        keep = np.arange(offsets[-1]) + np.repeat(self.offsets[:-1] - offsets[:-1], kept)
        return Rankings(self.tag, self.topics, offsets, self.docnos.take(keep), self.scores.take(keep))

    def reordered(self, dialect: Dialect | None) -> "Rankings":
        """The same results in the order of another dialect."""
        topics = np.repeat(self.topics, self.lengths)
        return Rankings.build(self.tag, topics, self.docnos, self.scores, dialect=dialect)

    def to_bytes(self) -> bytes:
        """What `write` writes."""
        buffer = io.BytesIO()
        self.write(buffer)
        return buffer.getvalue()

    def write(self, to: BinaryIO) -> None:
        """One npz file; the same rankings give the same bytes. Not compressed: it is read far more often than written."""
        import zipfile

        with zipfile.ZipFile(to, "w", zipfile.ZIP_STORED) as archive:
            for name in _COLUMNS:
                column = np.array(self.tag.encode()) if name == "tag" else getattr(self, name)
                with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
                    head = {"descr": column.dtype.str, "fortran_order": False, "shape": column.shape}
                    np.lib.format.write_array_header_1_0(file, head)
                    for piece in pieces_of(column) if column.shape else (column,):
                        file.write(piece.tobytes())

    @classmethod
    def from_bytes(cls, data: bytes) -> "Rankings":
        """The rankings that `to_bytes` wrote, as views of these bytes; anything else is a ValueError."""
        import zipfile

        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                tag, topics, offsets, docnos, scores = (_column(data, archive.getinfo(f"{name}.npy")) for name in _COLUMNS)
        except (KeyError, TypeError, ValueError, OSError, struct.error, zipfile.BadZipFile) as error:
            raise ValueError("expected the columns of a stored run, found another file") from error
        return cls(bytes(tag.item()).decode(), topics, offsets, docnos, scores)


def _column(data: bytes, info: "zipfile.ZipInfo") -> NDArray[Any]:
    """One array of an npz file that is not compressed, without a copy; its checksum is compared."""
    name, extra = struct.unpack_from("<HH", data, info.header_offset + 26)  # lengths, at the end of the 30 bytes before them
    begin = info.header_offset + 30 + name + extra
    held = memoryview(data)[begin : begin + info.file_size]
    if info.compress_type or zlib.crc32(held) != info.CRC:
        raise ValueError(f"{info.filename} is not as it was written")
    head = _HEAD.match(held)  # of an array of one dimension or none
    if head is None:
        raise ValueError(f"{info.filename} is not in the form that is written")
    column = np.frombuffer(held, np.dtype(head[1].decode()), offset=head.end())
    return column if head[2] else column.reshape(())
