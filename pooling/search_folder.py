"""The full-text index as a folder beside the other files, by tantivy. It only parts terms at blanks: they are analysed already."""

import functools
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.conf import settings

from config import store
from pooling.core.query import Clause, Query
from pooling.core.words import Terms
from pooling.models import Corpus
from pooling.search_index import TITLE_WEIGHT, Hits, told
from pooling.services.work import Work

HEAP = 64_000_000
LAST = store.LAST  # tantivy's, too: it writes it when all else is there


class FolderIndex:
    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self.name = f"files/search/{corpus.pk}-{corpus.generation}"
        self.path: Path = settings.DATA / self.name

    def is_ready(self) -> bool:
        return (store.folder(self.name) / LAST).exists()

    def write(self, documents: Iterable[tuple[str, str, str, str]], total: int, work: Work) -> int:
        """Written aside, and switched in by one renaming."""
        import tantivy

        aside = work.folder() / "index"
        aside.mkdir(parents=True)
        writer = tantivy.Index(_schema(), path=str(aside)).writer(HEAP, 1)
        count, terms = 0, functools.cache(Terms)
        for docno, title, text, language in documents:
            given = {"docno": docno, "title": " ".join(terms(language)(title)), "text": " ".join(terms(language)(text))}
            writer.add_document(tantivy.Document(**given))
            count += 1
            if count % 500 == 0:
                work.progress(count, total, told(count, total))
        writer.commit()
        writer.wait_merging_threads()
        with work.finish(f"{count:,} documents are indexed"):
            if not self.path.exists():
                store.move(aside, self.name)
        for other in self.path.parent.glob(f"{self.corpus.pk}-*"):
            if other != self.path:
                store.remove_folder(f"files/search/{other.name}")
        return count

    def search(self, query: Query, count: int, offset: int = 0) -> Hits:
        import tantivy

        if not query:
            return Hits(0, [])
        index = tantivy.Index.open(str(store.folder(self.name)))
        parts = [(tantivy.Occur.Should, _clause(index.schema, one)) for one in query.wanted]
        parts += [(tantivy.Occur.MustNot, _clause(index.schema, one)) for one in query.unwanted]
        searcher = index.searcher()
        found = searcher.search(tantivy.Query.boolean_query(parts), limit=count, offset=offset)
        return Hits(found.count or 0, [searcher.doc(address)["docno"][0] for _score, address in found.hits])

    def frequencies(self, terms: Iterable[str]) -> tuple[int, dict[str, int]]:
        import tantivy

        searcher = tantivy.Index.open(str(store.folder(self.name))).searcher()
        return searcher.num_docs, {term: searcher.doc_freq("text", term) for term in terms}


def _schema() -> Any:
    import tantivy

    made = tantivy.SchemaBuilder()
    made.add_text_field("docno", stored=True, tokenizer_name="raw")
    for name in ("title", "text"):
        made.add_text_field(name, tokenizer_name="whitespace")
    return made.build()


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
