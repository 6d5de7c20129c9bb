"""The full-text index in PostgreSQL, for sites of several machines: all of them see the same one.

A document is a tsvector of our own terms, with positions (phrases) and weights: A in its title, D in its text. A term that no
text can have tells indexes apart, so that one GIN index answers for all of them. Documents are ranked by the BM25 that the
other kind of index uses; `ts_rank_cd` with all weights at 1 is how often a term, or a phrase, occurs.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from django.db import connection

from pooling.core.query import Clause, Query
from pooling.core.words import terms
from pooling.models import Corpus, IndexedDocument, IndexedTerm, SearchIndex
from pooling.search_index import TITLE_WEIGHT, Hits, told
from pooling.services.work import Work, remove_in_chunks, tell_planner

K1, B = 1.2, 0.75
AT_ONCE = 500
# What a tsvector can hold: positions up to 16,383, 1 MB in all. A text beyond that is found by its first words.
LAST_POSITION, MOST_BYTES, LONGEST = 16_383, 900_000, 200
FEW = 2000  # candidates that are ranked at first

_INSERT = "INSERT INTO pooling_indexeddocument (index_id, docno, title_terms, text_terms, terms) VALUES (%s, %s, %s, %s, %s::tsvector)"
_COUNT_TERMS = (
    "INSERT INTO pooling_indexedterm (index_id, weight, term, document_count) "
    "SELECT %s, %s, word, ndoc FROM ts_stat(format('SELECT terms FROM pooling_indexeddocument WHERE index_id = %%s', %s::int), %s)"
)


class DatabaseIndex:
    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus

    def _ready(self) -> SearchIndex | None:
        return SearchIndex.objects.filter(corpus_id=self.corpus.pk, generation=self.corpus.generation, is_ready=True).first()

    def is_ready(self) -> bool:
        return self._ready() is not None

    def write(self, documents: Iterable[tuple[str, str, str, str]], total: int, work: Work) -> int:
        """Rows of an index that is nobody's until it is ready."""
        index = SearchIndex.objects.create(corpus=self.corpus, generation=self.corpus.generation)
        reading = iter(documents)
        while rows := [_row(index, *document) for document in islice(reading, AT_ONCE)]:
            with connection.cursor() as cursor:
                cursor.executemany(_INSERT, rows)
            index.document_count += len(rows)
            index.title_terms += sum(row[2] for row in rows)
            index.text_terms += sum(row[3] for row in rows)
            work.progress(index.document_count, total, told(index.document_count, total))
        with connection.cursor() as cursor:
            for weight in "AD":
                cursor.execute(_COUNT_TERMS, [index.pk, weight, index.pk, weight])
            cursor.execute("SELECT gin_clean_pending_list('indexed_document_terms')")
        tell_planner(IndexedDocument, IndexedTerm)
        with work.finish(f"{index.document_count:,} documents are indexed"):
            Corpus.objects.select_for_update().get(pk=self.corpus.pk)
            index.is_ready = not self.is_ready()
            index.save()
        others = SearchIndex.objects.filter(corpus=self.corpus)
        _remove(others.filter(pk__lt=index.pk) if index.is_ready else others.filter(pk=index.pk))
        return index.document_count

    def search(self, query: Query, count: int, offset: int = 0) -> Hits:
        index = self._ready()
        if index is None or not query:
            return Hits(0, [])
        ranking = _Ranking(index, query)
        total = ranking.total()
        return Hits(total, ranking.best(offset + count, total)[offset:])

    def frequencies(self, terms: Iterable[str]) -> tuple[int, dict[str, int]]:
        index = self._ready()
        if index is None:
            return 0, {}
        lexemes = {term: _cut(term) for term in terms}
        having = _having(index, lexemes.values())
        return index.document_count, {term: having.get(("D", lexeme), 0) for term, lexeme in lexemes.items()}


def _remove(indexes: "Iterable[SearchIndex]") -> None:
    for one in indexes:
        for rows in (IndexedDocument.objects.filter(index=one), IndexedTerm.objects.filter(index=one)):
            remove_in_chunks(rows)
        one.delete()


def _having(index: SearchIndex, lexemes: Iterable[str]) -> dict[tuple[str, str], int]:
    rows = IndexedTerm.objects.filter(index=index, term__in=set(lexemes))
    return {(weight, term): count for weight, term, count in rows.values_list("weight", "term", "document_count")}


def _row(index: SearchIndex, docno: str, title: str, text: str, language: str) -> tuple[int, str, int, int, str]:
    """Titles come first; a position is left free before the text, so that no phrase reaches over."""
    titles, texts = terms(title, language), terms(text, language)
    places: dict[str, list[str]] = {}
    size = 0
    placed = [(term, place, "A") for place, term in enumerate(titles, 1)]
    placed += [(term, place, "") for place, term in enumerate(texts, len(titles) + 2)]
    for term, place, weight in placed:
        lexeme = _cut(term)
        size += 2 if lexeme in places else len(lexeme.encode()) + 10
        if size > MOST_BYTES:
            break
        places.setdefault(lexeme, []).append(f"{min(place, LAST_POSITION)}{weight}")
    vector = " ".join(f"{_quoted(lexeme)}:{','.join(found)}" for lexeme, found in places.items())
    return index.pk, docno, len(titles), len(texts), f"'@{index.pk}' {vector}"


def _cut(term: str) -> str:
    return term[:LONGEST]


def _quoted(lexeme: str) -> str:
    doubled = lexeme.replace("\\", "\\\\").replace("'", "''")
    return f"'{doubled}'"


def _asked(clause: Clause, weight: str = "") -> str:
    """The clause as a tsquery; without a weight, of the field it asks for, or of any."""
    label = weight or {"title": "A", "text": "D", "": ""}[clause.field]
    parts = [_quoted(_cut(term)) + (f":{label}" if label else "") for term in clause.terms]
    return f"({' <-> '.join(parts)})"


@dataclass(frozen=True)
class _Weighed:
    """A wanted clause in one field: at most `most`; `saturation` is K of BM25 for no terms, `per_term` what each adds."""

    asked: str
    length: str
    most: float
    saturation: float
    per_term: float

    @property
    def sql(self) -> str:
        """w·tf / (tf + K), with tf but once, since reading a vector is what takes time."""
        room = f"(%s + %s * {self.length})"
        return f"%s * (1 - {room} / (ts_rank_cd('{{1,1,1,1}}', terms, %s::tsquery) + {room}))"

    @property
    def values(self) -> list[float | str]:
        room = [self.saturation, self.per_term]
        return [self.most, *room, self.asked, *room]


class _Ranking:
    """One search: which documents match, and the best of them."""

    def __init__(self, index: SearchIndex, query: Query) -> None:
        self.index = index
        self.unwanted = [_asked(clause) for clause in query.unwanted]
        having = _having(index, {_cut(term) for clause in query.wanted for term in clause.terms})
        clauses = []
        for clause in dict.fromkeys(query.wanted):
            times = query.wanted.count(clause)
            fewest = min(having.get(("A", term), 0) + having.get(("D", term), 0) for term in map(_cut, clause.terms))
            clauses.append((fewest, _asked(clause), self._weighed(clause, having, times)))
        self.clauses = sorted(clauses, key=lambda clause: clause[:2])

    def _weighed(self, clause: Clause, having: dict[tuple[str, str], int], times: int) -> list[_Weighed]:
        index, found = self.index, []
        fields = (("title", "A", TITLE_WEIGHT, index.title_terms), ("text", "D", 1.0, index.text_terms))
        for name, weight, boost, length in fields:
            if clause.field and clause.field != name:
                continue
            counts = [having.get((weight, _cut(term)), 0) for term in clause.terms]
            if not all(counts):
                continue
            number = index.document_count
            idf = sum(math.log(1 + (number - count + 0.5) / (count + 0.5)) for count in counts)
            mean = max(length, 1) / max(number, 1)
            boost = boost if not clause.field else 1.0
            found.append(
                _Weighed(_asked(clause, weight), f"{name}_terms", times * boost * idf * (K1 + 1), K1 * (1 - B), K1 * B / mean)
            )
        return found

    def _matching(self, asked: Sequence[str]) -> str:
        return " & ".join([f"'@{self.index.pk}'", f"({' | '.join(asked)})", *(f"!{one}" for one in self.unwanted)])

    def total(self) -> int:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM pooling_indexeddocument WHERE terms @@ %s::tsquery",
                [self._matching([asked for _, asked, _ in self.clauses])],
            )
            return int(cursor.fetchone()[0])

    def best(self, count: int, total: int) -> list[str]:
        """The best documents. Those without any of the rarest words are not looked at where they cannot be among them
        (MaxScore: H. Turtle and J. Flood 1995)."""
        size = len(self.clauses)
        first = next((n for n in range(size, 1, -1) if sum(fewest for fewest, _, _ in self.clauses[:n]) <= FEW), 1)
        for taken in (first, size):
            found = self._ranked(taken, count)
            rest = sum(part.most for _, _, parts in self.clauses[taken:] for part in parts)
            if taken == size or (len(found) >= min(count, total) and found[-1][1] > rest):
                break
        return [docno for docno, _ in found]

    def _ranked(self, taken: int, count: int) -> list[tuple[str, float]]:
        parts = [part for _, _, some in self.clauses for part in some]
        values = [value for part in parts for value in part.values]
        score = " + ".join(part.sql for part in parts) or "0"
        # Made of our own columns alone; what people ask for is a parameter.
        sql = f"SELECT docno, {score} AS score FROM pooling_indexeddocument WHERE terms @@ %s::tsquery"  # noqa: S608
        sql += ' ORDER BY score DESC, docno COLLATE "C" LIMIT %s'
        with connection.cursor() as cursor:
            cursor.execute(sql, [*values, self._matching([asked for _, asked, _ in self.clauses[:taken]]), count])
            return [(docno, float(score)) for docno, score in cursor.fetchall()]
