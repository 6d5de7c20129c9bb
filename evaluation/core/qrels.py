"""Qrels as arrays: who was judged, and how."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pooling.core.findings import shown
from pooling.core.keys import PairIndex, code_topics, find_topics
from pooling.core.qrels import QrelsColumns


@dataclass(frozen=True, eq=False)
class Qrels:
    """Judgments of a set of topics.

    `topics` ('S', T distinct, sorted by bytes); aligned, one row for each judged document and sorted by topic:
    `codes` (place in `topics`), `docnos` ('S'), `grades` (int64). Negative grades are kept: they mean "pooled,
    not judged", count neither as relevant nor as non-relevant, and have no gain.
    """

    topics: NDArray[np.bytes_]
    codes: NDArray[np.int64]
    docnos: NDArray[np.bytes_]
    grades: NDArray[np.int64]

    @classmethod
    def build(cls, topics: NDArray[np.bytes_], docnos: NDArray[np.bytes_], grades: NDArray[np.int64]) -> "Qrels":
        """From aligned columns in any order; a pair given twice is a ValueError."""
        distinct, codes = code_topics(topics)
        order = np.lexsort((docnos, codes))
        qrels = cls(distinct, codes[order], docnos[order], grades[order].astype(np.int64))
        same = (qrels.docnos[1:] == qrels.docnos[:-1]) & (qrels.codes[1:] == qrels.codes[:-1])
        if same.any():
            raise ValueError(f"expected one grade for a document, found several for {shown(qrels.docnos[np.argmax(same)])}")
        return qrels

    @classmethod
    def from_columns(cls, columns: QrelsColumns) -> "Qrels":
        return cls.build(columns.topics, columns.docnos, columns.grades)

    @classmethod
    def from_dict(cls, judgments: Mapping[str, Mapping[str, int]]) -> "Qrels":
        """From {topic: {docno: grade}}; a topic without judgments is no topic."""
        rows = [
            (topic.encode(), docno.encode(), grade) for topic, judged in judgments.items() for docno, grade in judged.items()
        ]
        topics, docnos, grades = zip(*rows, strict=True) if rows else ((), (), ())
        return cls.build(np.array(topics, np.bytes_), np.array(docnos, np.bytes_), np.array(grades, np.int64))

    def __len__(self) -> int:
        return len(self.docnos)

    @cached_property
    def index(self) -> PairIndex:
        """For looking up judged documents; made once."""
        return PairIndex.build(self.codes, self.docnos)

    def only(self, wanted: NDArray[np.bool_]) -> "Qrels":
        """The judgments of these of its topics."""
        kept = wanted[self.codes]
        codes = (np.cumsum(wanted) - 1)[self.codes[kept]]
        return Qrels(self.topics[wanted], codes, self.docnos[kept], self.grades[kept])

    def marked(self, pairs: Iterable[tuple[str, str]]) -> NDArray[np.bool_]:
        """For each judged document, whether it is among these of topic and docno; others are nobody's."""
        found = np.zeros(len(self), bool)
        listed = sorted(set(pairs))
        if listed:
            topics, docnos = (np.array([one.encode() for one in column], np.bytes_) for column in zip(*listed, strict=True))
            places = self.index.find(find_topics(self.topics, topics), docnos)
            found[places[places >= 0]] = True
        return found

    def by_topic(self, told: Mapping[str, int]) -> NDArray[np.int64]:
        """What is told of each topic, 0 where nothing is."""
        return np.array([int(told.get(topic.decode("utf-8", "replace"), 0)) for topic in self.topics.tolist()], np.int64)

    def num_rel(self, rel: int) -> NDArray[np.int64]:
        """R of each topic: documents with a grade of at least `rel`, retrieved or not."""
        return self._count(self.grades >= rel)

    def num_nonrel(self, rel: int) -> NDArray[np.int64]:
        """N of each topic: documents judged below `rel`; negative grades are no judgments."""
        return self._count((self.grades >= 0) & (self.grades < rel))

    def _count(self, mask: NDArray[np.bool_]) -> NDArray[np.int64]:
        return np.bincount(self.codes[mask], minlength=len(self.topics))
