"""Continuous active learning: a classifier over the documents' words, trained again as judgments come."""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pooling.core.adaptive import NOT_RELEVANT, OWN, RELEVANT, History, Next, TopicRanks, greatest
from pooling.core.strategy import MOST_DEPTH, Parameter, Values, adaptive
from pooling.core.text import Texts, rocchio

PRESUMED = 100  # unjudged documents that a round of training takes for not relevant


COLLECTION = "collection"
_FROM = Parameter(
    "candidates",
    "choice",
    "Candidates",
    "All documents: also such as no run has, and without any run; of more than 100,000, the first by their numbers.",
    COLLECTION,
    choices=((COLLECTION, "All documents"), ("runs", "What the runs have")),
)


@dataclass(frozen=True, eq=False)
class Vectors:
    """Documents by docno ascending as rows of a sparse matrix (scipy, CSR): tf-idf, each of length 1. `vocabulary`: the column of a term."""

    docnos: NDArray[np.bytes_]
    vocabulary: dict[str, int]
    rows: Any

    @classmethod
    def of(cls, texts: Texts, kind: Any = np.float64) -> "Vectors":
        """Of texts in any order; single precision halves the memory of many."""
        order = np.argsort(texts.docnos, kind="stable")
        return cls(texts.docnos[order], texts.vocabulary, _unit(texts.tf_idf)[order].astype(kind))

    def to_bytes(self) -> bytes:
        made, words = io.BytesIO(), "\n".join(self.vocabulary).encode()
        columns = {"indptr": self.rows.indptr, "indices": self.rows.indices, "data": self.rows.data}
        np.savez(made, docnos=self.docnos, terms=np.frombuffer(words, np.uint8), **columns)
        return made.getvalue()

    @classmethod
    def from_bytes(cls, data: bytes) -> "Vectors":
        from scipy.sparse import csr_matrix

        with np.load(io.BytesIO(data)) as file:
            terms = file["terms"].tobytes().decode()
            vocabulary = {term: column for column, term in enumerate(terms.split("\n") if terms else [])}
            docnos, columns = file["docnos"], (file["data"], file["indices"], file["indptr"])
        return cls(docnos, vocabulary, csr_matrix(columns, shape=(len(docnos), len(vocabulary))))

    def row(self, weights: Mapping[str, float]) -> Any:
        """Terms and their weights as one row of length 1; a term that no document has is left out."""
        from scipy.sparse import csr_matrix

        known = sorted((self.vocabulary[term], weight) for term, weight in weights.items() if term in self.vocabulary)
        columns = np.array([column for column, _ in known], np.int64)
        data = (np.array([weight for _, weight in known]), columns, np.array([0, len(known)]))
        return _unit(csr_matrix(data, shape=(1, len(self.vocabulary))))


@dataclass(frozen=True, eq=False)
class Learnable:
    """What a learner knows of a topic: its documents' words, numbered as `TopicRanks` numbers them, and its own."""

    vectors: Vectors
    topic: Mapping[str, float]


def reads_all(strategy: str, values: Mapping[str, Any]) -> bool:
    """Whether a round picks from all documents, so that it needs no run. Rounds of before there was the choice do not."""
    return strategy == "cal" and values.get("candidates") == COLLECTION


def batch_of(place: int) -> tuple[int, int]:
    """The batch that the n-th pick (from 0) lies in, from 0, and its first place: 1, 2, 3 … 10, 11, 13, 15 … documents.

    After each batch its size B grows by B / 10, rounded up. (Cormack and Grossman 2015.)
    """
    batch, start, size = 0, 0, 1
    while start + size <= place:
        start, size, batch = start + size, size + -(-size // 10), batch + 1
    return batch, start


@adaptive(
    "cal",
    "Continuous active learning",
    *(one for one in OWN if one.name != "read"),
    _FROM,
    Parameter("read", "int", "Ranks read", "So far down each run its documents are read.", 100, 1, MOST_DEPTH),
    Parameter("presumed", "int", "Presumed not relevant", "Random documents added to each training.", PRESUMED, 0, 1000),
)
def continuous_active_learning(ranks: TopicRanks, history: History, values: Values, seed: Sequence[int]) -> Next | None:
    """Learns from the words of what was judged, and picks what looks most like the relevant: finds the most, reads texts.

    Logistic regression over tf-idf vectors. It is trained on the topic's own words as a relevant document, on all that was
    judged before this batch, and on some random documents that are presumed not relevant for this batch alone; batches
    grow by a tenth. Its pools carry the classifier's bias and no probabilities. (Cormack and Grossman 2014.)
    """
    if not isinstance(ranks.texts, Learnable):
        raise ValueError("Continuous active learning reads the documents; expected their texts, found ranks alone.")
    if history.taken.all():
        return None
    batch, start = batch_of(len(history.docs))
    judged, outcomes = history.docs[:start], history.outcomes[:start]
    before = history.taken.copy()
    before[history.docs[start:]] = False  # as it was when the batch began, whenever that is asked
    key = (batch, outcomes.tobytes(), np.packbits(before).tobytes(), tuple(seed))
    scores = ranks.memo.get(key)
    if scores is None:
        presumed = _presumed(before, int(values.get("presumed", PRESUMED)), [*seed, batch])
        scores = _scores(ranks.texts, judged, outcomes, presumed)
        ranks.memo.clear()
        ranks.memo[key] = scores
    doc = greatest(np.where(history.taken, -np.inf, np.round(scores, 12)), history, values, seed)
    return Next(doc, -1, f"batch {batch + 1}, score {scores[doc]:.4f}")


def _presumed(taken: NDArray[np.bool_], most: int, seed: Sequence[int]) -> NDArray[np.int64]:
    free = np.flatnonzero(~taken)
    return np.sort(np.random.default_rng(seed).choice(free, min(most, len(free)), replace=False))


def _scores(
    known: Learnable, judged: NDArray[np.int64], outcomes: NDArray[np.int64], presumed: NDArray[np.int64]
) -> NDArray[np.float64]:
    from scipy.sparse import vstack

    rows, topic = known.vectors.rows, known.vectors.row(known.topic)
    good, bad = judged[outcomes == RELEVANT], np.append(judged[outcomes == NOT_RELEVANT], presumed)
    taught = vstack([topic, rows[good], rows[bad]]).tocsr()
    labels = np.concatenate((np.ones(1 + len(good)), -np.ones(len(bad))))
    weights = logistic(taught, labels).astype(rows.dtype)
    return np.asarray(rows @ weights, np.float64).reshape(-1)


def logistic(rows: Any, labels: NDArray[np.float64], penalty: float = 1e-3) -> NDArray[np.float64]:
    """Weights w of a logistic regression: the least of mean log(1 + exp(-y x·w)) + penalty/2 |w|². Labels are 1 and -1.

    Both classes count alike, whatever their sizes. Without intercept: only the order of the scores matters.
    """
    from scipy.optimize import minimize

    used = np.unique(rows.indices)  # few of all terms
    few = rows[:, used]
    share = np.where(labels > 0, 0.5 / max((labels > 0).sum(), 1), 0.5 / max((labels < 0).sum(), 1))

    def cost(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        margins = labels * (few @ weights)
        slope = -labels * share / (1 + np.exp(np.minimum(margins, 500)))
        value = (share * np.logaddexp(0, -margins)).sum() + penalty / 2 * (weights @ weights)
        return float(value), few.T @ slope + penalty * weights

    found = minimize(cost, np.zeros(len(used)), jac=True, method="L-BFGS-B", options={"maxiter": 100})
    weights = np.zeros(rows.shape[1])
    weights[used] = found.x
    return weights


def _unit(rows: Any) -> Any:
    """Rows of length 1; empty ones stay empty."""
    from scipy.sparse import diags

    norms = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).reshape(-1))
    return (diags(1.0 / np.where(norms > 0, norms, 1.0)) @ rows).tocsr()


def feedback_model(
    texts: Texts, query: Mapping[str, float], relevant: Sequence[int], nonrelevant: Sequence[int] = ()
) -> dict[str, float]:
    """The query after relevance feedback (Rocchio) from documents of `texts`, by how often they have each term."""
    return rocchio(query, [counts_of(texts, doc) for doc in relevant], [counts_of(texts, doc) for doc in nonrelevant])


def counts_of(texts: Texts, doc: int) -> dict[str, float]:
    """The terms of a document with their counts."""
    row, names = texts.counts[doc], texts.by_column
    return {names[column]: float(count) for column, count in zip(row.indices.tolist(), row.data.tolist(), strict=True)}
