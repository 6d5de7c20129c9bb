"""Texts as sparse matrices of terms, and how they are weighed: tf-idf, BM25, relevance feedback."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pooling.core.words import Terms

Idf = Literal["floor", "seed"]
Weights = dict[str, float]


@dataclass(frozen=True, eq=False)
class Texts:
    """Documents × terms: `counts` is a sparse matrix (scipy, CSR) of how often each document has each term.

    `vocabulary` gives the column of a term; document i is `docnos[i]`.
    """

    docnos: NDArray[np.bytes_]
    vocabulary: dict[str, int]
    counts: Any

    @classmethod
    def build(cls, documents: Iterable[tuple[str, Sequence[str]]]) -> Texts:
        """Of (docno, terms) pairs. Terms are numbered as they come."""
        from scipy.sparse import csr_matrix

        vocabulary: dict[str, int] = {}
        docnos, sizes = list[bytes](), list[int]()
        columns, counts = array("i"), array("i")  # of many documents, a tenth of what lists take
        for docno, words in documents:
            found = Counter(words)
            docnos.append(docno.encode())
            sizes.append(len(found))
            columns.extend([vocabulary.setdefault(term, len(vocabulary)) for term in found])
            counts.extend(found.values())
        pointers = np.concatenate(([0], np.cumsum(np.array(sizes, np.int64))))
        data = (np.array(counts, np.float64), np.array(columns, np.int32), pointers)
        return cls(np.array(docnos, np.bytes_), vocabulary, csr_matrix(data, shape=(len(docnos), len(vocabulary))))

    @classmethod
    def of(cls, documents: Iterable[tuple[str, str, str]]) -> Texts:
        """Of (docno, text, language)."""
        terms = cache(Terms)
        return cls.build((docno, terms(language)(text)) for docno, text, language in documents)

    def __len__(self) -> int:
        return len(self.docnos)

    @cached_property
    def lengths(self) -> NDArray[np.float64]:
        """Term occurrences of each document."""
        return np.asarray(self.counts.sum(axis=1)).reshape(-1)

    @cached_property
    def frequencies(self) -> NDArray[np.int64]:
        """Documents that have each term."""
        return np.bincount(self.counts.indices, minlength=len(self.vocabulary))

    @cached_property
    def by_column(self) -> list[str]:
        """The term of each column."""
        return list(self.vocabulary)

    @cached_property
    def by_term(self) -> Any:
        """The same by columns (CSC), for a query's few terms."""
        return self.counts.tocsc()

    @cached_property
    def tf_idf(self) -> Any:
        """Of each document and term tf × idf: its share of the document, times log2(D / documents with the term)."""
        from scipy.sparse import diags

        shares = 1.0 / np.maximum(self.lengths, 1)
        return (diags(shares) @ self.counts @ diags(idf_log2(len(self), self.frequencies))).tocsr()

    def vector(self, weights: Mapping[str, float]) -> NDArray[np.float64]:
        """Terms and their weights as one dense row; a term that no document has is left out."""
        row = np.zeros(len(self.vocabulary))
        for term, weight in weights.items():
            if term in self.vocabulary:
                row[self.vocabulary[term]] = weight
        return row


def idf_log2(documents: int, having: NDArray[np.int64]) -> NDArray[np.float64]:
    """log2(D / n), 0 for a term that no document has."""
    return np.log2(documents / np.maximum(having, 1)) * (having > 0)


def idf_bm25(documents: int, having: NDArray[np.int64], form: Idf = "floor") -> NDArray[np.float64]:
    """'seed': ln((N - n + 0.5) / (n + 0.5)), negative for terms in more than half of all documents (Robertson and Spärck Jones
    1976); 'floor', the default: ln(1 + that fraction), never negative."""
    odds = (documents - having + 0.5) / (having + 0.5)
    return np.log(odds if form == "seed" else 1 + odds)


def bm25(
    texts: Texts,
    query: Mapping[str, float],
    *,
    k1: float = 1.2,
    b: float = 0.75,
    k3: float | None = None,
    idf: Idf = "floor",
) -> NDArray[np.float64]:
    """Of each document: sum over the query's terms of IDF · f (k1 + 1) / (f + k1 (1 - b + b |d| / avgdl)).

    f: how often the document has the term; a term that it lacks adds 0. With k3 each is multiplied by (k3 + 1) qf /
    (k3 + qf), qf: how often the query has it; without, every term counts once, times nothing. k1 = 0: the binary model;
    b = 0: no heed of lengths. (Robertson et al. 1994.)
    """
    scores = np.zeros(len(texts))
    mean = texts.lengths.mean() if len(texts) else 0.0
    norms = k1 * (1 - b + b * texts.lengths / (mean or 1.0))
    for term, weight in query.items():
        column = texts.vocabulary.get(term)
        if column is None:
            continue
        start, end = texts.by_term.indptr[column], texts.by_term.indptr[column + 1]
        rows, counts = texts.by_term.indices[start:end], texts.by_term.data[start:end]
        worth = float(idf_bm25(len(texts), np.array([end - start]), idf)[0])
        worth *= 1.0 if k3 is None else (k3 + 1) * weight / (k3 + weight)
        scores[rows] += worth * counts * (k1 + 1) / (counts + norms[rows])
    return scores


def tf_idf(texts: Texts, query: Mapping[str, float]) -> NDArray[np.float64]:
    """Of each document the sum of its tf × idf over the query's terms, each times its weight in the query."""
    return np.asarray(texts.tf_idf @ texts.vector(query)).reshape(-1)


def cosines(texts: Texts, query: Mapping[str, float]) -> NDArray[np.float64]:
    """The cosine of each document's counts with the query's weights; 0 where either is empty."""
    row = texts.vector(query)
    norms = np.sqrt(np.asarray(texts.counts.multiply(texts.counts).sum(axis=1)).reshape(-1))
    norms *= np.sqrt(sum(weight * weight for weight in query.values()))
    found: NDArray[np.float64] = np.divide(texts.counts @ row, norms, out=np.zeros(len(texts)), where=norms > 0)
    return found


def rocchio(
    query: Mapping[str, float],
    relevant: Sequence[Mapping[str, float]],
    nonrelevant: Sequence[Mapping[str, float]] = (),
    *,
    alpha: float = 1.0,
    beta: float = 0.75,
    gamma: float = 0.15,
) -> Weights:
    """α query + β mean of the relevant - γ mean of the others; terms of no positive weight are dropped. (Rocchio 1971.)"""
    found: Weights = {term: alpha * weight for term, weight in query.items()}
    for factor, documents in ((beta, relevant), (-gamma, nonrelevant)):
        for document in documents:
            for term, weight in document.items():
                found[term] = found.get(term, 0.0) + factor * weight / len(documents)
    return {term: weight for term, weight in found.items() if weight > 0}


def heaviest(weights: Mapping[str, float], most: int) -> Weights:
    """The few terms that weigh most; ties by the term."""
    ordered = sorted(weights.items(), key=lambda pair: (-round(pair[1], 12), pair[0]))
    return dict(ordered[:most])
