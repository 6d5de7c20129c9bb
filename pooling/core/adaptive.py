"""Strategies that look at the judgments so far: which document of a topic comes next.

Each is a function of the ranks, the documents picked so far in their order, and what was said of them. Nothing else is
remembered, so that any order can be made again; an outcome that is not known yet (somebody is at it) has no effect on
what is learnt, and its document is not picked again.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pooling.core.matrix import RankMatrix
from pooling.core.strategy import READ, P, Parameter, Values, adaptive

UNKNOWN, NOT_RELEVANT, RELEVANT = -1, 0, 1

_BUDGET = Parameter("budget", "int", "Documents per topic", "The most that is judged of a topic.", 100, 1, 100_000)
_AHEAD = Parameter(
    "ahead",
    "int",
    "Chosen ahead",
    "This many documents of a topic wait for each of its assessors; 1: every judgment counts before the next is chosen.",
    2,
    1,
    50,
)
_RATE = Parameter("rate", "float", "Memory", "1: all outcomes count alike; 0: only the last of each run.", 1.0, 0, 1)
_TARGET = Parameter(
    "target",
    "int",
    "Relevant ones wanted",
    "This many of a topic call for a stop; left out: as many as there are.",
    None,
    1,
    100_000,
)
OWN = (_BUDGET, _AHEAD, READ, _TARGET)


def find(docnos: NDArray[np.bytes_], wanted: NDArray[np.bytes_]) -> NDArray[np.int64]:
    """The places of docnos in an ascending list, -1 for those that are not there."""
    if not len(docnos) or not len(wanted):
        return np.full(len(wanted), -1, np.int64)
    place = np.minimum(np.searchsorted(docnos, wanted), len(docnos) - 1)
    return np.where(docnos[place] == wanted, place, -1)


@dataclass(frozen=True, eq=False)
class TopicRanks:
    """The ranks of one topic. Documents are numbered by docno ascending; `items` are their numbers in the matrix.

    Aligned, run by run and best first: `runs`, `docs`, `ranks`. `lengths`: how many documents each run has. `texts`: what
    a learner needs (see `learning`), where a strategy reads the documents themselves.
    """

    docnos: NDArray[np.bytes_]
    items: NDArray[np.int64]
    lengths: NDArray[np.int64]
    runs: NDArray[np.int64]
    docs: NDArray[np.int64]
    ranks: NDArray[np.int64]
    texts: Any = None
    memo: dict[Any, Any] = field(default_factory=dict)  # of what costs much and depends on its key alone

    @classmethod
    def of(cls, matrix: RankMatrix, topic: bytes) -> "TopicRanks":
        found = np.flatnonzero(matrix.topics == topic)
        code = int(found[0]) if len(found) else -1
        items = np.flatnonzero(matrix.codes == code)
        items = items[np.argsort(matrix.docnos[items])]
        local = np.full(len(matrix), -1, np.int64)
        local[items] = np.arange(len(items))
        rows = [(local[row.items], row.ranks) for row in matrix.rows]
        kept = [(docs[docs >= 0], ranks[docs >= 0].astype(np.int64)) for docs, ranks in rows]
        lengths = np.array([len(docs) for docs, _ in kept], np.int64)
        empty = np.zeros(0, np.int64)
        docs, ranks = (np.concatenate([empty, *column]) for column in zip(*kept, strict=True)) if kept else (empty, empty)
        return cls(matrix.docnos[items], items, lengths, np.repeat(np.arange(len(kept)), lengths), docs, ranks)

    def among(self, docnos: NDArray[np.bytes_]) -> "TopicRanks":
        """The same ranks with the documents numbered as in a longer list, in ascending order; what is not there is left out."""
        place = find(docnos, self.docnos)
        kept = place[self.docs] >= 0
        runs, docs = self.runs[kept], place[self.docs[kept]]
        lengths = np.bincount(runs, minlength=len(self.lengths)).astype(np.int64)
        return TopicRanks(docnos, np.zeros(0, np.int64), lengths, runs, docs, self.ranks[kept])

    def __len__(self) -> int:
        return len(self.docnos)

    def rank(self, run: int, doc: int) -> int:
        """0 where the run has it not."""
        found = self.ranks[(self.runs == run) & (self.docs == doc)]
        return int(found[0]) if len(found) else 0


@dataclass(frozen=True, eq=False)
class History:
    """What was picked of a topic, in order: the document, the run it was picked from (-1: none alone), what was said of it.

    `taken`: every document that is not to be picked: these, and those that are judged or missing for other reasons.
    `elsewhere`: for each run, how often it gave something not relevant in other topics; for strategies that mind.
    """

    docs: NDArray[np.int64]
    runs: NDArray[np.int64]
    outcomes: NDArray[np.int64]
    taken: NDArray[np.bool_]
    elsewhere: NDArray[np.int64]

    @classmethod
    def start(cls, ranks: TopicRanks, taken: NDArray[np.bool_] | None = None) -> "History":
        no = np.zeros(0, np.int64)
        return cls(no, no, no, np.zeros(len(ranks), bool) if taken is None else taken, np.zeros(len(ranks.lengths), np.int64))

    def said(self, doc: int, run: int, outcome: int) -> "History":
        """The same with one pick more."""
        taken = self.taken.copy()
        taken[doc] = True
        docs, runs, outcomes = np.append(self.docs, doc), np.append(self.runs, run), np.append(self.outcomes, outcome)
        return History(docs, runs, outcomes, taken, self.elsewhere)


@dataclass(frozen=True)
class Next:
    """The document to judge next, the run it comes from (-1: none alone), and in words why."""

    doc: int
    run: int
    why: str


def next_of_each(ranks: TopicRanks, taken: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The best document of each run that is not taken, -1 where there is none."""
    free = np.flatnonzero(~taken[ranks.docs])[::-1]
    first = np.full(len(ranks.lengths), -1, np.int64)
    first[ranks.runs[free]] = ranks.docs[free]  # the last assignment stands: the best rank
    return first


@adaptive(
    "mtf",
    "Move to front",
    *OWN,
    Parameter(
        "scope",
        "choice",
        "Priorities",
        "A run falls back by what it gave in this topic, or in all.",
        "local",
        choices=(("local", "Topic by topic"), ("global", "Over all topics")),
    ),
)
def move_to_front(ranks: TopicRanks, history: History, values: Values, seed: Sequence[int]) -> Next | None:
    """Goes on with the run that last gave something relevant: simple, strong, easy to explain.

    Every run has a priority, 0 at first. The next document of the current run is judged; if it is relevant, the run stays
    current, else its priority falls by one and the run of highest priority becomes current, ties in the order of the runs.
    (Cormack, Palmer and Clarke 1998; local priorities are of the topic, global ones of all topics.)
    """
    first = next_of_each(ranks, history.taken)
    if (first < 0).all():
        return None
    standing = priorities(ranks, history, values.get("scope", "local"))
    run = int(history.runs[-1]) if len(history.runs) and history.outcomes[-1] != NOT_RELEVANT else -1
    if run < 0 or first[run] < 0:
        run = greatest(np.where(first >= 0, standing, np.iinfo(np.int64).min), history, values, seed)
    return Next(int(first[run]), run, f"priority {standing[run]}")


def priorities(ranks: TopicRanks, history: History, scope: str = "local") -> NDArray[np.int64]:
    """Of each run: how often it gave something that is not relevant, as a negative number."""
    missed = history.runs[(history.outcomes == NOT_RELEVANT) & (history.runs >= 0)]
    count = np.bincount(missed, minlength=len(ranks.lengths))
    return -(count + history.elsewhere) if scope == "global" else -count


@adaptive("maxmean", "MaxMean", *OWN, _RATE)
def max_mean(ranks: TopicRanks, history: History, values: Values, seed: Sequence[int]) -> Next | None:
    """Every run is an arm of a bandit: the one with the highest share of relevant documents so far comes next.

    The mean of each run's posterior, (1 + relevant) / (2 + judged), over all judged documents that it has, whoever they
    were picked from; with a memory below 1 older outcomes fade. (Losada, Parapar and Barreiro 2017.)
    """
    good, bad = posterior(ranks, history, values.get("rate", 1.0))
    return play(ranks, history, good / (good + bad), "mean", values, seed)


@adaptive("thompson", "Thompson sampling", *OWN, _RATE)
def thompson(ranks: TopicRanks, history: History, values: Values, seed: Sequence[int]) -> Next | None:
    """As MaxMean, but the run is drawn by chance from what is known of each, so that poor ones get a further try.

    One draw from each run's posterior Beta(1 + relevant, 1 + not relevant); the largest is played. The draw of a place in
    the order depends on the seed and that place alone. (Losada, Parapar and Barreiro 2017.)
    """
    good, bad = posterior(ranks, history, values.get("rate", 1.0))
    return play(ranks, history, np.random.default_rng([*seed, len(history.docs)]).beta(good, bad), "draw", values, seed)


def posterior(ranks: TopicRanks, history: History, rate: float = 1.0) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The two parameters of each run's Beta posterior."""
    place = np.full(len(ranks), -1, np.int64)
    known = history.outcomes != UNKNOWN
    place[history.docs[known]] = np.arange(int(known.sum()))
    entries = np.flatnonzero(place[ranks.docs] >= 0)
    runs, when = ranks.runs[entries], place[ranks.docs[entries]]
    order = np.lexsort((when, runs))
    runs, when = runs[order], when[order]
    seen = np.bincount(runs, minlength=len(ranks.lengths))
    later = np.cumsum(seen)[runs] - 1 - np.arange(len(runs))  # outcomes of the run after this one
    weight = np.power(float(rate), later)
    relevant = history.outcomes[known][when]
    found = _sums(runs, weight * relevant, len(seen))
    judged = _sums(runs, weight, len(seen))
    return 1 + found, 1 + judged - found


def greatest(numbers: NDArray[Any], history: History, values: Values, seed: Sequence[int]) -> int:
    """Where the largest stands: of equals the first, or one by chance, which hangs on the seed and the place in the order."""
    if values.get("ties") != "random":
        return int(np.argmax(numbers))
    equal = np.flatnonzero(numbers == numbers.max())
    return int(np.random.default_rng([*seed, len(history.docs), 1]).choice(equal))


def play(
    ranks: TopicRanks, history: History, arms: NDArray[np.float64], word: str, values: Values, seed: Sequence[int]
) -> Next | None:
    """The next document of the run with the largest number."""
    first = next_of_each(ranks, history.taken)
    if (first < 0).all():
        return None
    run = greatest(np.where(first >= 0, np.round(arms, 12), -np.inf), history, values, seed)
    return Next(int(first[run]), run, f"{word} {arms[run]:.4f}")


@adaptive("hedge", "Hedge", *OWN, Parameter("beta", "float", "β", "Nearer 0: learns faster.", 0.1, 0.001, 0.999))
def hedge(ranks: TopicRanks, history: History, values: Values, seed: Sequence[int]) -> Next | None:
    """Weighs the runs by how well they ranked what was judged, and picks what the trusted ones put on top.

    A document at rank r of a run is worth ln(Z / r), Z documents in all; one that a run has not is worth the mean over the
    ranks that are left. A run loses half the worth of what is not relevant, gains half of what is; its weight is
    β^loss. (Aslam, Pavlu and Savell 2003.)
    """
    if history.taken.all():
        return None
    weight, worth, absent = hedge_weights(ranks, history, values.get("beta", 0.1))
    base = float((weight * absent).sum())
    scores = base + _sums(ranks.docs, weight[ranks.runs] * (worth - absent[ranks.runs]), len(ranks))
    return _heaviest(history, scores, values, seed)


def hedge_weights(
    ranks: TopicRanks, history: History, beta: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """The weight of each run, the worth of each entry, and for each run that of a document it has not."""
    losses, worth, absent = hedge_losses(ranks, history)
    raised = np.power(beta, losses - losses.min())
    return raised / raised.sum(), worth, absent


def hedge_losses(ranks: TopicRanks, history: History) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """The loss of each run by what is known so far; worth and absent as of `hedge_weights`."""
    size = len(ranks)
    logs = np.log(size / np.arange(1, size + 1))
    tails = np.append(np.cumsum(logs[::-1])[::-1], 0.0)
    left = size - ranks.lengths
    absent = np.where(left > 0, tails[ranks.lengths] / np.maximum(left, 1), 0.0)
    worth = logs[ranks.ranks - 1]
    sign = np.zeros(size)
    known = history.outcomes != UNKNOWN
    sign[history.docs[known]] = np.where(history.outcomes[known] == RELEVANT, -1.0, 1.0)
    gained = sign[ranks.docs] * (worth - absent[ranks.runs])
    losses = 0.5 * (absent * sign.sum() + _sums(ranks.runs, gained, len(ranks.lengths)))
    return losses, worth, absent


@adaptive(
    "rbp-adaptive",
    "RBP with residuals",
    *OWN,
    P,
    Parameter(
        "method",
        "choice",
        "Method",
        "B: runs of which little is judged come first. C: good runs, too.",
        "C",
        choices=(("B", "B: by what is open"), ("C", "C: by what is open and promising")),
    ),
)
def rbp_adaptive(ranks: TopicRanks, history: History, values: Values, seed: Sequence[int]) -> Next | None:
    """Judges what moves the runs' RBP most: by what is still open of each run's score, and how good the run looks.

    w = (1 - p) p^(rank - 1); a run's residual is 1 less the w of what was picked, its base the w of what is relevant.
    B: sum of w × residual; C: that times (base + residual / 2)³. (Moffat, Webber and Zobel 2007.)
    """
    if history.taken.all():
        return None
    p, count = values.get("p", 0.8), len(ranks.lengths)
    worth = (1 - p) * p ** (ranks.ranks - 1.0)
    picked, good = np.zeros(len(ranks), bool), np.zeros(len(ranks), bool)
    picked[history.docs] = True
    good[history.docs[history.outcomes == RELEVANT]] = True
    open_part = 1 - _sums(ranks.runs, worth * picked[ranks.docs], count)
    base = _sums(ranks.runs, worth * good[ranks.docs], count)
    factor = open_part * (base + open_part / 2) ** 3 if values.get("method", "C") == "C" else open_part
    return _heaviest(history, _sums(ranks.docs, worth * factor[ranks.runs], len(ranks)), values, seed)


def _sums(index: NDArray[np.int64], weights: NDArray[np.float64], size: int) -> NDArray[np.float64]:
    return np.bincount(index, weights, minlength=size).astype(np.float64, copy=False)


def _heaviest(history: History, scores: NDArray[np.float64], values: Values, seed: Sequence[int]) -> Next:
    """Ties: docno ascending, as the documents are numbered, or by chance."""
    doc = greatest(np.where(history.taken, -np.inf, np.round(scores, 12)), history, values, seed)
    return Next(doc, -1, f"weight {scores[doc]:.6f}")


@dataclass(frozen=True, eq=False)
class Order:
    """Documents in the order in which they were picked, the run of each (-1: none alone), and the history at the end."""

    picks: tuple[Next, ...]
    history: History


def simulate(
    ranks: TopicRanks,
    pick: Any,
    values: Values,
    relevant: NDArray[np.bool_],
    budget: int,
    seed: Sequence[int] = (0,),
    history: History | None = None,
) -> Order:
    """Judge with known answers, one document after the other, until the budget or the runs are at their end."""
    history = history or History.start(ranks)
    picks: list[Next] = []
    while len(picks) < budget:
        found = pick(ranks, history, values, seed)
        if found is None:
            break
        picks.append(found)
        history = history.said(found.doc, found.run, RELEVANT if relevant[found.doc] else NOT_RELEVANT)
    return Order(tuple(picks), history)
