"""Baseline runs: topics ranked against documents by tf-idf or BM25, with or without pseudo-relevance feedback."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pooling.core.rankings import Rankings
from pooling.core.runs import tag_fault
from pooling.core.text import Idf, Texts, bm25, heaviest, rocchio, tf_idf
from pooling.core.topics import TEXTS
from pooling.core.words import terms

MODELS = {"bm25": "BM25", "tfidf": "tf-idf"}
FIELDS = {
    "title": ("title",),
    "title+description": ("title", "description"),
    "all": TEXTS,
}
IDFS = {"floor": "never negative", "seed": "negative for terms in more than half of all documents"}
MOST_DEPTH = 10_000
_FEEDBACK_TERMS = 20


@dataclass(frozen=True)
class Model:
    """How a baseline run is made; what is out of range is a ValueError."""

    model: str = "bm25"
    k1: float = 1.2
    b: float = 0.75
    k3: float | None = None
    idf: Idf = "floor"
    fields: str = "title"
    feedback: int = 0  # so many of the first documents are taken as relevant, and the topic is searched again
    depth: int = 1000
    tag: str = ""

    def __post_init__(self) -> None:
        for name, known in (("model", MODELS), ("idf", IDFS), ("fields", FIELDS)):
            if getattr(self, name) not in known:
                raise ValueError(f"{name}: Expected one of {', '.join(known)}; found “{str(getattr(self, name))[:80]}”.")
        bounds: dict[str, tuple[float, float]] = {
            "k1": (0, 1000), "b": (0, 1), "k3": (0, 1000), "feedback": (0, 100), "depth": (1, MOST_DEPTH)
        }  # fmt: skip
        for name, (low, high) in bounds.items():
            value = getattr(self, name)
            if value is not None and not value >= low:
                raise ValueError(f"{name}: Expected at least {low}; found {value}.")
            if value is not None and not value <= high:
                raise ValueError(f"{name}: Expected at most {high}; found {value}.")
        if fault := tag_fault(self.run_tag):
            raise ValueError(fault)

    @property
    def run_tag(self) -> str:
        return self.tag or f"assize-{self.model}{'-prf' if self.feedback else ''}"

    def __str__(self) -> str:
        told = f"{MODELS[self.model]} over stems, topics by {self.fields}"
        if self.model == "bm25":
            told += f"; k1 = {self.k1:g}, b = {self.b:g}" + ("" if self.k3 is None else f", k3 = {self.k3:g}")
            told += f", idf {IDFS[self.idf]}"
        if self.feedback:
            told += f"; pseudo-relevance feedback from the first {self.feedback}, {_FEEDBACK_TERMS} terms added"
        return f"{told}."


def query_of(topic: Mapping[str, str], fields: str, language: str = "") -> dict[str, float]:
    """The terms of a topic's fields, with how often they stand there; of an empty title, those of all fields."""
    words = " ".join(topic.get(name, "") for name in FIELDS[fields])
    return dict(Counter(terms(words if words.strip() else " ".join(topic.values()), language)))


def rank(
    texts: Texts,
    queries: Iterable[tuple[str, Mapping[str, float]]],
    model: Model,
    tell: Callable[[int], None] = lambda done: None,
) -> Rankings:
    """The first `depth` documents of each topic by score, those alone that have a term of it."""
    topics, docnos, scores = [], [], []
    for done, (number, query) in enumerate(queries):
        tell(done)
        found = _scores(texts, query, model)
        if model.feedback:
            first = _best(texts, found, model.feedback)
            found = _scores(texts, expanded(texts, query, first.tolist()), model)
        best = _best(texts, found, model.depth)
        topics.append(np.full(len(best), number.encode()))
        docnos.append(texts.docnos[best])
        scores.append(found[best])
    if not topics:
        return Rankings.from_dict(model.run_tag, {})
    return Rankings.build(model.run_tag, np.concatenate(topics), np.concatenate(docnos), np.concatenate(scores))


def expanded(
    texts: Texts, query: Mapping[str, float], relevant: Iterable[int], nonrelevant: Iterable[int] = ()
) -> dict[str, float]:
    """The query after Rocchio on tf-idf vectors, with the heaviest terms that it did not have."""

    def vectors(documents: Iterable[int]) -> list[dict[str, float]]:
        return [_weights(texts, doc) for doc in documents]

    length = sum(query.values()) or 1.0
    model = rocchio({term: weight / length for term, weight in query.items()}, vectors(relevant), vectors(nonrelevant))
    fresh = heaviest({term: weight for term, weight in model.items() if term not in query}, _FEEDBACK_TERMS)
    return {**{term: model.get(term, 0.0) for term in query}, **fresh}


def _weights(texts: Texts, doc: int) -> dict[str, float]:
    """A document's tf-idf vector, of length 1."""
    row = texts.tf_idf[doc]
    norm = float(np.sqrt((row.data**2).sum())) or 1.0
    return {
        texts.by_column[column]: weight / norm for column, weight in zip(row.indices.tolist(), row.data.tolist(), strict=True)
    }


def _scores(texts: Texts, query: Mapping[str, float], model: Model) -> NDArray[np.float64]:
    if model.model == "tfidf":
        return tf_idf(texts, query)
    if model.feedback:  # the expanded query's weights count in place of its frequencies
        parts = [weight * bm25(texts, {term: 1.0}, k1=model.k1, b=model.b, idf=model.idf) for term, weight in query.items()]
        return np.sum(parts, axis=0) if parts else np.zeros(len(texts))
    return bm25(texts, query, k1=model.k1, b=model.b, k3=model.k3, idf=model.idf)


def _best(texts: Texts, scores: NDArray[np.float64], count: int) -> NDArray[np.int64]:
    """The first so many in evaluation order among those with a score that is not 0."""
    there = np.flatnonzero(scores != 0)
    if len(there) > count:
        least = np.partition(scores[there], len(there) - count)[len(there) - count]
        there = there[scores[there] >= least]
    order = np.lexsort((texts.docnos[there], scores[there]))[::-1]
    return there[order[:count]]
