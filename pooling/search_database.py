"""The full-text index in PostgreSQL, for sites of several machines: all of them see the same one.

Words are found by postings: of each term and field a row says which documents have it. They are ranked here, by the BM25 that
the other kind of index uses. Phrases are found by PostgreSQL's full-text search: a document is a tsvector of our own terms,
with positions and weights (A in its title, D in its text); `ts_rank_cd` with all weights at 1 is how often a phrase occurs. A
term that no text can have tells indexes apart, so that one GIN index answers for all of them. To look for two very common
words side by side it would read nearly every vector: such a pair has postings of its own, as if it were a word.
"""

import functools
import math
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import islice, pairwise

import numpy as np
from django.db import connection, transaction
from numpy.typing import NDArray

from pooling.core.query import Clause, Query
from pooling.core.words import Terms
from pooling.models import Corpus, IndexedDocument, IndexedTerm, SearchIndex
from pooling.search_index import TITLE_WEIGHT, Hits, told
from pooling.services.work import Work, remove_in_chunks, tell_planner

K1, B = 1.2, 0.75
AT_ONCE = 500
# What a tsvector can hold: positions up to 16,383, 1 MB in all. Phrases are found in what there is room for.
LAST_POSITION, MOST_BYTES, LONGEST = 16_383, 900_000, 200
COMMON = 20  # a term is very common if more than so many of the first AT_ONCE documents have it
PAIRED = "P"  # weight of the rows that say of which terms pairs are kept
PIECE = 4_000_000  # postings that are held in memory while an index is written; each piece has rows of its own
MOST = 0xFFFF  # of what a posting counts

FIELDS = {"title": "A", "text": "D"}

# A document's number, how often it has the term, and how many terms the field has: 32, 16 and 16 bits.
Postings = NDArray[np.uint64]

_DOCUMENTS = "COPY pooling_indexeddocument (index_id, number, docno, terms) FROM STDIN"
_TERMS = "COPY pooling_indexedterm (index_id, piece, weight, term, document_count, postings) FROM STDIN"
# To the planner a vector costs nothing to read, so that it would read them all.
_BY_INDEX = "SET LOCAL enable_seqscan = off; SET LOCAL max_parallel_workers_per_gather = 0; SET LOCAL jit = off"
_PHRASE = (
    "SELECT number, ts_rank_cd('{1,1,1,1}', terms, %s::tsquery), ts_rank_cd('{1,1,1,1}', terms, %s::tsquery) "
    "FROM pooling_indexeddocument WHERE terms @@ %s::tsquery ORDER BY number"
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
        terms, piece = functools.cache(Terms), _Piece(frozenset())
        reading = ((docno, terms(spoken)(title), terms(spoken)(text)) for docno, title, text, spoken in documents)
        while some := list(islice(reading, AT_ONCE)):
            if not index.document_count:
                piece = _Piece(_common((titles, texts) for _, titles, texts in some))
            with connection.cursor() as cursor, cursor.copy(_DOCUMENTS) as copy:
                for number, (docno, titles, texts) in enumerate(some, index.document_count):
                    copy.write_row((index.pk, number, docno, _vector(index, titles, texts)))
                    piece.add(number, titles, texts)
            index.document_count += len(some)
            index.title_terms += sum(len(titles) for _, titles, _ in some)
            index.text_terms += sum(len(texts) for _, _, texts in some)
            if piece.size > PIECE:
                piece = piece.written(index)
            work.progress(index.document_count, total, told(index.document_count, total))
        piece.written(index)
        with connection.cursor() as cursor:
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
        scores = _Ranking(index, query).scores()
        found = np.flatnonzero(scores)
        best = _best(scores, found, offset + count)[offset:].tolist()
        rows = IndexedDocument.objects.filter(index=index, number__in=best)
        docnos = dict(rows.values_list("number", "docno"))
        return Hits(len(found), [docnos[number] for number in best])

    def frequencies(self, terms: Iterable[str]) -> tuple[int, dict[str, int]]:
        index = self._ready()
        if index is None:
            return 0, {}
        lexemes, having = {term: _cut(term) for term in terms}, Counter[str]()
        rows = IndexedTerm.objects.filter(index=index, weight="D", term__in=set(lexemes.values()))
        for lexeme, number in rows.values_list("term", "document_count"):
            having[lexeme] += number
        return index.document_count, {term: having[lexeme] for term, lexeme in lexemes.items()}


def _remove(indexes: "Iterable[SearchIndex]") -> None:
    for one in indexes:
        for rows in (IndexedDocument.objects.filter(index=one), IndexedTerm.objects.filter(index=one)):
            remove_in_chunks(rows)
        one.delete()


def _best(scores: NDArray[np.float64], found: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """The numbers of the best documents; of equals, the first in the collection comes first."""
    if len(found) > count:
        least = np.partition(scores[found], -count)[-count]
        found = found[scores[found] >= least]
    return found[np.argsort(-scores[found], kind="stable")[:count]]


def _common(first: "Iterable[tuple[list[str], list[str]]]") -> frozenset[str]:
    having = Counter(_cut(term) for titles, texts in first for term in {*titles, *texts})
    return frozenset(term for term, number in having.items() if number > COMMON)


class _Piece:
    """Postings of some documents, by weight and term."""

    def __init__(self, common: frozenset[str], number: int = 0) -> None:
        self.common, self.number, self.size = common, number, 0
        self.postings: defaultdict[tuple[str, str], array[int]] = defaultdict(functools.partial(array, "Q"))
        if not number:
            self.postings |= {(PAIRED, term): array("Q") for term in common}

    def add(self, number: int, titles: list[str], texts: list[str]) -> None:
        for weight, found in (("A", titles), ("D", texts)):
            terms, length = [_cut(term) for term in found], min(len(found), MOST)
            counted = Counter(terms)
            counted.update(_pair(one, two) for one, two in pairwise(terms) if one in self.common and two in self.common)
            for term, times in counted.items():
                self.postings[weight, term].append(number << 32 | min(times, MOST) << 16 | length)
            self.size += len(counted)

    def written(self, index: SearchIndex) -> "_Piece":
        """The next piece, when this one is stored."""
        with connection.cursor() as cursor, cursor.copy(_TERMS) as copy:
            for (weight, term), postings in self.postings.items():
                copy.write_row((index.pk, self.number, weight, term, len(postings), postings.tobytes()))
        return _Piece(self.common, self.number + 1)


def _pair(one: str, two: str) -> str:
    return f"{one} {two}"


def _vector(index: SearchIndex, titles: list[str], texts: list[str]) -> str:
    """Titles come first; a position is left free before the text, so that no phrase reaches over."""
    places: dict[str, list[str]] = {}
    size = 0
    placed = [(term, place, "A") for place, term in enumerate(titles, 1)]
    placed += [(term, place, "") for place, term in enumerate(texts, len(titles) + 2)]
    for term, place, weight in placed[:LAST_POSITION]:
        lexeme = _cut(term)
        size += 2 if lexeme in places else len(lexeme.encode()) + 10
        if size > MOST_BYTES:
            break
        places.setdefault(lexeme, []).append(f"{place}{weight}")
    vector = " ".join(f"{_quoted(lexeme)}:{','.join(found)}" for lexeme, found in places.items())
    return f"'@{index.pk}' {vector}"


def _cut(term: str) -> str:
    return term[:LONGEST]


def _quoted(lexeme: str) -> str:
    doubled = lexeme.replace("\\", "\\\\").replace("'", "''")
    return f"'{doubled}'"


class _Ranking:
    """One search: what each document scores, 0 for those that do not match."""

    def __init__(self, index: SearchIndex, query: Query) -> None:
        self.index, self.query = index, query
        clauses = [[_cut(term) for term in clause.terms] for clause in (*query.wanted, *query.unwanted)]
        terms = {term for terms in clauses for term in terms} | {_pair(*terms) for terms in clauses if len(terms) == 2}
        pieces: defaultdict[tuple[str, str], list[bytes]] = defaultdict(list)
        rows = IndexedTerm.objects.filter(index=index, term__in=terms).order_by("piece")
        for weight, term, postings in rows.values_list("weight", "term", "postings"):
            pieces[weight, term].append(bytes(postings))
        self.postings = {key: np.frombuffer(b"".join(found), "<u8") for key, found in pieces.items()}

    def scores(self) -> NDArray[np.float64]:
        index, scores = self.index, np.zeros(self.index.document_count)
        means = {"title": index.title_terms / index.document_count, "text": index.text_terms / index.document_count}
        for clause, times in Counter(self.query.wanted).items():
            for field, postings in self._found(clause):
                boost = TITLE_WEIGHT if field == "title" and not clause.field else 1.0
                most = times * boost * self._idf(clause, field) * (K1 + 1)
                counts = (postings >> 16 & MOST).astype(np.float64)
                room = K1 * (1 - B) + K1 * B / means[field] * (postings & MOST)
                scores[postings >> 32] += most * counts / (counts + room)
        for clause in self.query.unwanted:
            for _, postings in self._found(clause):
                scores[postings >> 32] = 0
        return scores

    def _of(self, field: str, term: str) -> Postings:
        return self.postings.get((FIELDS[field], term), np.zeros(0, np.uint64))

    def _idf(self, clause: Clause, field: str) -> float:
        """A phrase is as rare as its words together."""
        number, having = self.index.document_count, (len(self._of(field, _cut(term))) for term in clause.terms)
        return sum(math.log(1 + (number - many + 0.5) / (many + 0.5)) for many in having)

    def _found(self, clause: Clause) -> Iterator[tuple[str, Postings]]:
        """By field, the postings of the clause."""
        terms = [_cut(term) for term in clause.terms]
        if len(terms) == 2 and all((PAIRED, term) in self.postings for term in terms):
            terms = [_pair(*terms)]
        fields = [
            field for field in FIELDS if clause.field in ("", field) and all(len(self._of(field, term)) for term in terms)
        ]
        if len(terms) == 1:
            yield from ((field, self._of(field, terms[0])) for field in fields)
        elif fields:
            yield from self._phrase(terms, fields)

    def _phrase(self, terms: list[str], fields: list[str]) -> Iterator[tuple[str, Postings]]:
        def asked(label: str) -> str:
            return " <-> ".join(f"{_quoted(term)}{label}" for term in terms)

        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(_BY_INDEX)
            cursor.execute(_PHRASE, [asked(":A"), asked(":D"), f"'@{self.index.pk}' & ({asked('')})"])
            found = np.rint(np.array(cursor.fetchall(), np.float64)).reshape(-1, 3).astype(np.uint64).T
        for field in fields:
            counts, postings = found[1 + list(FIELDS).index(field)], self._of(field, terms[0])
            numbers, counts = found[0][counts > 0], counts[counts > 0]
            lengths = postings[np.searchsorted(postings, numbers << 32)] & MOST
            yield field, numbers << 32 | np.minimum(counts, MOST) << 16 | lengths
