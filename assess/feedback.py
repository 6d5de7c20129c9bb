"""Words that a search may take in: from what one judged oneself, or from its first hits (pseudo-feedback)."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from assess.models import Answer, Judgment
from config.models import User
from pooling import search
from pooling import selectors as pooled
from pooling.core.query import read_query
from pooling.core.text import heaviest, rocchio
from pooling.core.words import LETTERS, RUN, Stems, means_something, pairs
from pooling.models import Collection, Topic

Source = Literal["judged", "hits"]
SOURCES: tuple[str, ...] = get_args(Source)
ADDED = 8  # words that are offered
FIRST = 10  # hits that pseudo-feedback takes for relevant
JUDGED = 200  # of one's own judgments, the latest
LETTERS_READ = 50_000


@dataclass(frozen=True)
class Offered:
    """Words to add, best first; `source`: what they are taken from; `documents`: how many of those were taken for relevant."""

    source: str
    documents: int
    words: list[str]


def offered(collection: Collection, user: User, topic: Topic | None, words: str, source: str) -> Offered:
    """The words of a source, to be edited before they are taken; a source that is not known is one's own judgments."""
    language = topic.language if topic else ""
    if source == "hits":
        relevant = dict.fromkeys(search.index_of(collection).search(read_query(words, language), FIRST).docnos, True)
    else:
        relevant = _judged(collection, user, topic) if topic else {}
    return Offered(source, sum(relevant.values()), _words(collection, words, language, relevant))


def _judged(collection: Collection, user: User, topic: Topic) -> dict[str, bool]:
    """What one said of documents of the topic: relevant or not."""
    rows = Judgment.objects.filter(item__topic=topic, assessor=user, occasion=0, answer=Answer.GRADE)
    said = rows.order_by("-pk").values_list("item__docno", "grade")[:JUDGED]
    return {docno: grade is not None and grade >= collection.lenient_from for docno, grade in said}


def _words(collection: Collection, words: str, language: str, relevant: Mapping[str, bool]) -> list[str]:
    """Rocchio by tf-idf, without the words of the search; as they are written in the documents."""
    if not any(relevant.values()):
        return []
    spelled: dict[str, Counter[str]] = {}
    vectors: dict[bool, list[dict[str, float]]] = {True: [], False: []}
    documents = pooled.documents(collection).filter(docno__in=relevant).order_by("docno")
    for docno, title, text, spoken in documents.values_list("docno", "title", "text", "language"):
        counts = Counter[str]()
        for term, word in _terms(f"{title} {text}"[:LETTERS_READ], spoken):
            counts[term] += 1
            spelled.setdefault(term, Counter())[word] += 1
        size = sum(counts.values()) or 1
        vectors[relevant[docno]].append({term: count / size for term, count in counts.items()})
    total, having = search.index_of(collection).frequencies(spelled)
    rare = {term: math.log2(max(total, 1) / max(having[term], 1)) for term in spelled}
    weighed = {kind: [{t: tf * rare[t] for t, tf in one.items()} for one in found] for kind, found in vectors.items()}
    asked = {term for clause in read_query(words, language).wanted for term in clause.terms}
    model = rocchio({}, weighed[True], weighed[False])
    best = heaviest({term: weight for term, weight in model.items() if term not in asked}, ADDED)
    return [spelled[term].most_common(1)[0][0] for term in best]


def _terms(text: str, language: str) -> Iterable[tuple[str, str]]:
    """The terms of a text, each with how it is written there."""
    stem = Stems(language)
    yield from ((stem(word), word.lower()) for word in LETTERS.findall(text) if means_something(word))
    yield from ((pair, pair) for run in RUN.findall(text) for pair in pairs(run))
