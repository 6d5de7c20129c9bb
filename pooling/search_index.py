"""What every full-text index does, wherever it is kept."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from pooling.core.query import Query
from pooling.models import Corpus
from pooling.services.work import Work

TITLE_WEIGHT = 2.0


@dataclass(frozen=True)
class Hits:
    total: int
    docnos: list[str]


class Index(Protocol):
    """The index of a corpus' present documents."""

    def __init__(self, corpus: Corpus) -> None: ...

    def is_ready(self) -> bool: ...

    def write(self, documents: Iterable[tuple[str, str, str, str]], total: int, work: Work) -> int:
        """Index (docno, title, text, language), switched in by `work.finish`, others removed; how many there are."""

    def search(self, query: Query, count: int, offset: int = 0) -> Hits:
        """The best documents by BM25 over title and text; a document with an unwanted word is not among them."""

    def frequencies(self, terms: Iterable[str]) -> tuple[int, dict[str, int]]:
        """How many documents there are, and how many have each term in their text."""


def told(count: int, total: int) -> str:
    """How far an index is, in words."""
    return f"{count:,} of {total:,} documents"
