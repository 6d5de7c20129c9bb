"""The full-text index of a corpus: in the data folder, one for each generation of its documents, written by a job.

Texts are analysed by `core/words.py` before they reach the index, so that every script is found by the same rules as it is
highlighted and ranked by; the index itself only parts terms at blanks.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings

from config import store
from pooling import selectors
from pooling.core.query import Clause, Query
from pooling.core.words import terms
from pooling.models import Collection

HEAP = 64_000_000
TITLE_WEIGHT = 2.0
LAST = "meta.json"  # tantivy writes it when all else is there


@dataclass(frozen=True)
class Hits:
    total: int
    docnos: list[str]


def name(collection: Collection) -> str:
    """Of the folder where the index of the present documents is, or will be."""
    corpus = selectors.corpus(collection)
    return f"files/search/{corpus.pk}-{corpus.generation}"


def folder(collection: Collection) -> Path:
    return store.folder(name(collection), LAST)


def is_ready(collection: Collection) -> bool:
    return (folder(collection) / LAST).exists()


def write(target: Path, documents: Iterable[tuple[str, str, str, str]], tell: Callable[[int], None]) -> int:
    """An index of (docno, title, text, language) in an empty folder; how many there are."""
    import tantivy

    target.mkdir(parents=True)
    writer = tantivy.Index(_schema(), path=str(target)).writer(HEAP, 1)
    count = 0
    for docno, title, text, language in documents:
        told = {"docno": docno, "title": " ".join(terms(title, language)), "text": " ".join(terms(text, language))}
        writer.add_document(tantivy.Document(**told))
        count += 1
        if count % 500 == 0:
            tell(count)
    writer.commit()
    writer.wait_merging_threads()
    return count


def _schema() -> Any:
    import tantivy

    made = tantivy.SchemaBuilder()
    made.add_text_field("docno", stored=True, tokenizer_name="raw")
    for name in ("title", "text"):
        made.add_text_field(name, tokenizer_name="whitespace")
    return made.build()


def search(collection: Collection, query: Query, count: int, offset: int = 0) -> Hits:
    """The best documents by BM25 over title and text; a document with an unwanted word is not among them."""
    import tantivy

    if not query:
        return Hits(0, [])
    index = tantivy.Index.open(str(folder(collection)))
    parts = [(tantivy.Occur.Should, _clause(index.schema, one)) for one in query.wanted]
    parts += [(tantivy.Occur.MustNot, _clause(index.schema, one)) for one in query.unwanted]
    searcher = index.searcher()
    found = searcher.search(tantivy.Query.boolean_query(parts), limit=count, offset=offset)
    return Hits(found.count or 0, [searcher.doc(address)["docno"][0] for _score, address in found.hits])


def _clause(schema: Any, clause: Clause) -> Any:
    import tantivy

    def one(field: str) -> Any:
        if len(clause.terms) > 1:
            return tantivy.Query.phrase_query(schema, field, list(clause.terms))
        return tantivy.Query.term_query(schema, field, clause.terms[0])

    if clause.field:
        return one(clause.field)
    both = [tantivy.Query.boost_query(one("title"), TITLE_WEIGHT), one("text")]
    return tantivy.Query.boolean_query([(tantivy.Occur.Should, part) for part in both])


def frequencies(collection: Collection, asked: Iterable[str]) -> tuple[int, dict[str, int]]:
    """How many documents there are, and how many have each term in their text."""
    import tantivy

    searcher = tantivy.Index.open(str(folder(collection))).searcher()
    return searcher.num_docs, {term: searcher.doc_freq("text", term) for term in asked}


def remove_others(collection: Collection) -> None:
    """Indexes of documents that were replaced."""
    here: Path = settings.DATA / name(collection)
    for other in here.parent.glob(f"{selectors.corpus(collection).pk}-*"):
        if other != here:
            store.remove_folder(f"files/search/{other.name}")
