"""The full-text index in PostgreSQL, for sites of several machines: all of them see the same one.

A document is a tsvector of our own terms, with positions (phrases) and weights: A in its title, D in its text. A term that no
text can have tells indexes apart, so that one GIN index answers for all of them. Documents are ranked by the BM25 that the
other kind of index uses; `ts_rank_cd` with all weights at 1 is how often a term, or a phrase, occurs.

Reading a vector takes some 10 µs, so that thousands cannot be ranked in a search. In a large collection the vectors therefore
say of common terms how much each weighs in the document ("^3crane": step 3; weight B), and which two of the commonest stand
side by side ("~old crane"); and all vectors what is in the title ("=crane"), since weights are only seen by reading. A search
ranks the documents in which its common terms weigh most.
"""

import functools
import math
from bisect import bisect
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice, pairwise

from django.db import connection, transaction

from pooling.core.query import Clause, Query
from pooling.core.words import Terms
from pooling.models import Corpus, IndexedDocument, IndexedTerm, SearchIndex
from pooling.search_index import TITLE_WEIGHT, Hits, told
from pooling.services.work import Work, remove_in_chunks, tell_planner

K1, B = 1.2, 0.75
AT_ONCE = 500
# What a tsvector can hold: positions up to 16,383, 1 MB in all. A text beyond that is found by its first words.
LAST_POSITION, MOST_BYTES, LONGEST = 16_383, 900_000, 200
FEW = 500  # candidates that are ranked at first
WIDER = (1, 8, 1_000_000)  # times as many, where those are too few for the page
# A term is common if more than this share of the first documents have it, in a collection of so many; pairs are kept of those
# that are even more so.
COMMON, PAIRED, LARGE = 0.01, 0.04, 5000
STEPS = (0.6, 0.7, 0.8, 0.95, 1.1, 1.3, 1.5, 1.8, 2.1)  # of the weight in a document: of 1 in its text, and of 2 in its title
_STEPS = range(1, len(STEPS) + 1)

PAIR = "P"  # weight of a term of which pairs are kept; and of no term, where the vectors tell titles apart

_INSERT = "INSERT INTO pooling_indexeddocument (index_id, docno, title_terms, text_terms, terms) VALUES (%s, %s, %s, %s, %s::tsvector)"
_COUNT_TERMS = (
    "INSERT INTO pooling_indexedterm (index_id, weight, term, document_count) "
    "SELECT %s, %s, word, ndoc FROM ts_stat(format('SELECT terms FROM pooling_indexeddocument WHERE index_id = %%s', %s::int), %s) "
    "WHERE ndoc > %s OR word NOT LIKE '~%%'"
)
# To the planner a vector costs nothing to read, so that it would read them all.
_BY_INDEX = "SET LOCAL enable_seqscan = off; SET LOCAL max_parallel_workers_per_gather = 0; SET LOCAL jit = off"


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
        terms, common = functools.cache(Terms), _Common()
        reading = ((docno, terms(spoken)(title), terms(spoken)(text)) for docno, title, text, spoken in documents)
        while some := list(islice(reading, AT_ONCE)):
            if not index.document_count and total >= LARGE:
                common = _Common.of([(titles, texts) for _, titles, texts in some])
            rows = [_row(index, common, *one) for one in some]
            with connection.cursor() as cursor:
                cursor.executemany(_INSERT, rows)
            index.document_count += len(rows)
            index.title_terms += sum(row[2] for row in rows)
            index.text_terms += sum(row[3] for row in rows)
            work.progress(index.document_count, total, told(index.document_count, total))
        marked = [IndexedTerm(index=index, weight=PAIR, term=term, document_count=0) for term in ("", *sorted(common.paired))]
        IndexedTerm.objects.bulk_create(marked, batch_size=1000)
        with connection.cursor() as cursor:
            for weight in "ABD":
                cursor.execute(_COUNT_TERMS, [index.pk, weight, index.pk, weight, FEW])
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
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(_BY_INDEX)
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


@dataclass(frozen=True)
class _Common:
    """Terms that many documents have, and how long titles and texts are, by the first documents of an index."""

    terms: frozenset[str] = frozenset()
    paired: frozenset[str] = frozenset()
    title: float = 1.0
    text: float = 1.0

    @classmethod
    def of(cls, first: Sequence[tuple[list[str], list[str]]]) -> "_Common":
        having = Counter(term for titles, texts in first for term in {*titles, *texts})
        lengths = (max(1.0, sum(len(one[place]) for one in first) / len(first)) for place in (0, 1))
        terms, paired = (frozenset(term for term, n in having.items() if n > share * len(first)) for share in (COMMON, PAIRED))
        return cls(terms, paired, *lengths)

    def marks(self, titles: list[str], texts: list[str]) -> Iterator[str]:
        """What a document says in addition: of its title, and of common terms."""
        yield from {_quoted(_titled(term)) for term in titles}
        if not self.terms:
            return
        weights, pairs = dict[str, float](), set[str]()
        for found, boost, mean in ((titles, TITLE_WEIGHT, self.title), (texts, 1.0, self.text)):
            room = K1 * (1 - B + B * len(found) / mean)
            for term, count in Counter(found).items():
                if term in self.terms:
                    weights[term] = weights.get(term, 0) + boost * count / (count + room)
            near = pairwise(found[:LAST_POSITION])
            pairs |= {_pair(one, two) for one, two in near if one in self.paired and two in self.paired}
        steps = (_step(step, term) for term, weight in weights.items() if (step := bisect(STEPS, weight)))
        yield from (f"{_quoted(name)}:1B" for name in (*pairs, *steps))


def _titled(term: str) -> str:
    return f"={_cut(term)}"


def _step(step: int, term: str) -> str:
    return f"^{step}{term}"


def _pair(one: str, two: str) -> str:
    return f"~{one} {two}"


def _row(
    index: SearchIndex, common: _Common, docno: str, titles: list[str], texts: list[str]
) -> tuple[int, str, int, int, str]:
    """Titles come first; a position is left free before the text, so that no phrase reaches over."""
    marks = " ".join(common.marks(titles, texts))
    places: dict[str, list[str]] = {}
    size = len(marks.encode())
    placed = [(term, place, "A") for place, term in enumerate(titles, 1)]
    placed += [(term, place, "") for place, term in enumerate(texts, len(titles) + 2)]
    for term, place, weight in placed:
        lexeme = _cut(term)
        size += 2 if lexeme in places else len(lexeme.encode()) + 10
        if size > MOST_BYTES:
            break
        places.setdefault(lexeme, []).append(f"{min(place, LAST_POSITION)}{weight}")
    vector = " ".join(f"{_quoted(lexeme)}:{','.join(found)}" for lexeme, found in places.items())
    return index.pk, docno, len(titles), len(texts), f"'@{index.pk}' {marks} {vector}"


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


@dataclass(frozen=True)
class _Part:
    """A wanted clause: how to match it, how it is weighed, and of each step of its weight, the highest last, how many
    documents have at least that, and how to match those; the first is all that have it."""

    matched: str
    weighed: list[_Weighed]
    steps: list[tuple[int, str]]


class _Ranking:
    """One search: which documents match, and the best of them."""

    def __init__(self, index: SearchIndex, query: Query) -> None:
        self.index = index
        terms = {_cut(term) for clause in (*query.wanted, *query.unwanted) for term in clause.terms}
        pairs = {_pair(*map(_cut, clause.terms)) for clause in query.wanted if len(clause.terms) == 2}
        self.having = _having(index, {"", *terms, *pairs, *(_step(step, term) for term in terms for step in _STEPS)})
        self.unwanted = [self._matched(clause) for clause in query.unwanted]
        parts = [self._part(clause, query.wanted.count(clause)) for clause in dict.fromkeys(query.wanted)]
        self.parts = sorted(parts, key=lambda part: (part.steps[0][0], part.matched))

    def _count(self, *keys: tuple[str, str]) -> int:
        return sum(self.having.get(key, 0) for key in keys)

    def _matched(self, clause: Clause) -> str:
        """The clause as a tsquery that is answered by the index alone, if it can be."""
        terms = [_cut(term) for term in clause.terms]
        if clause.field == "title" and (PAIR, "") in self.having:
            titled = " & ".join(_quoted(_titled(term)) for term in terms)
            return f"({titled} & {_asked(clause)})" if len(terms) > 1 else titled
        if not clause.field and len(terms) == 2 and all((PAIR, term) in self.having for term in terms):
            return _quoted(_pair(*terms))
        return _asked(clause)

    def _part(self, clause: Clause, times: int) -> _Part:
        terms, matched = [_cut(term) for term in clause.terms], self._matched(clause)
        weights = {"title": "A", "text": "D", "": "AD"}[clause.field]
        counts = {term: self._count(*((weight, term) for weight in weights)) for term in terms}
        rarest = min(terms, key=lambda term: counts[term])
        count, names = counts[rarest], [_step(step, rarest) for step in _STEPS]
        if len(terms) > 1:  # of pairs only the frequent are counted; a longer phrase is taken as it is
            listed = self._count(("B", _pair(terms[0], terms[1]))) if len(terms) == 2 else 0
            count, names = min(count, listed or FEW // 4), names if listed else []
        steps = [(count, matched)]
        for place in range(len(names)):
            if many := self._count(*(("B", name) for name in names[place:])):
                heavy = f"({' | '.join(map(_quoted, names[place:]))})"
                is_word = len(terms) == 1 and clause.field != "title"
                steps.append(
                    (min(count, count * many // max(1, counts[rarest])), heavy if is_word else f"({matched} & {heavy})")
                )
        return _Part(matched, self._weighed(clause, times), steps)

    def _weighed(self, clause: Clause, times: int) -> list[_Weighed]:
        index, found = self.index, []
        fields = (("title", "A", TITLE_WEIGHT, index.title_terms), ("text", "D", 1.0, index.text_terms))
        for name, weight, boost, length in fields:
            if clause.field and clause.field != name:
                continue
            counts = [self._count((weight, _cut(term))) for term in clause.terms]
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
                [self._matching([part.matched for part in self.parts])],
            )
            return int(cursor.fetchone()[0])

    def best(self, count: int, total: int) -> list[str]:
        """The best documents. Those without any of the rarest words are not looked at where they cannot be among them
        (MaxScore: H. Turtle and J. Flood 1995), nor those in which common words weigh little."""
        found: list[tuple[str, float]] = []
        for times in WIDER:
            asked, rest, is_whole = self._candidates(times * FEW)
            found = self._ranked(asked, count)
            if is_whole or (len(found) >= min(count, total) and (rest is None or found[-1][1] > rest)):
                break
        return [docno for docno, _ in found]

    def _candidates(self, few: int) -> tuple[list[str], float | None, bool]:
        """Which documents are ranked, some `few` or more; what another one can have at most, None if nobody knows; and whether
        these are all."""
        chosen = [0] * len(self.parts)

        def size(place: int) -> int:
            return self.parts[place].steps[chosen[place]][0]

        while sum(map(size, range(len(chosen)))) > few:
            able = [place for place in range(len(chosen)) if chosen[place] + 1 < len(self.parts[place].steps)]
            if not able:
                break
            chosen[max(able, key=size)] += 1
        if any(chosen):
            steps = list(zip(self.parts, chosen, strict=True))
            together = self._together([part for part, step in steps if step], few)
            return [part.steps[step][1] for part, step in steps] + together, None, False
        sizes = [part.steps[0][0] for part in self.parts]
        taken = next((n for n in range(len(sizes), 1, -1) if sum(sizes[:n]) <= few), 1)
        rest = sum(weighed.most for part in self.parts[taken:] for weighed in part.weighed)
        return [part.matched for part in self.parts[:taken]], rest, taken == len(sizes)

    def _together(self, parts: list[_Part], few: int) -> list[str]:
        """Documents that have two of the common words, each with less weight, so far as there are some `few` of them."""
        pairs, number = list(combinations(parts, 2)), max(1, self.index.document_count)
        found = []
        for one, two in pairs:
            for (many, asked), (others, also) in zip(one.steps, two.steps, strict=False):
                if many * others / number <= few / len(pairs):
                    found.append(f"({asked} & {also})")
                    break
        return found

    def _ranked(self, asked: Sequence[str], count: int) -> list[tuple[str, float]]:
        parts = [weighed for part in self.parts for weighed in part.weighed]
        values = [value for part in parts for value in part.values]
        score = " + ".join(part.sql for part in parts) or "0"
        # Made of our own columns alone; what people ask for is a parameter. A vector is unpacked once, not for every term.
        rows = "SELECT docno, title_terms, text_terms, terms || ''::tsvector AS terms FROM pooling_indexeddocument"
        sql = f"SELECT docno, {score} AS score FROM ({rows} WHERE terms @@ %s::tsquery OFFSET 0) AS one"  # noqa: S608
        sql += ' ORDER BY score DESC, docno COLLATE "C" LIMIT %s'
        with connection.cursor() as cursor:
            cursor.execute(sql, [*values, self._matching(asked), count])
            return [(docno, float(score)) for docno, score in cursor.fetchall()]
