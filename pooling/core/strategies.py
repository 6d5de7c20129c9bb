"""Which documents to judge: named strategies over the rank matrix, each declared once with its parameters.

Forms, API and commands are made from the declarations. To add a strategy, write one function and decorate it: it puts
the items of every topic into an order of preference and says how many of each topic are taken.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pooling.core.matrix import Best, RankMatrix, Ties

MOST_DEPTH = 1000
TIES: dict[Ties, str] = {
    "evaluation": "As evaluation has them: docno descending",
    "docno-ascending": "Docno ascending, as NIST made its pools",
}
Value = int | float | str | None


@dataclass(frozen=True)
class Parameter:
    """One number or choice of a strategy; `default` None means that it may be left out."""

    name: str
    kind: Literal["int", "float", "choice"]
    label: str
    help: str
    default: Value = None
    low: float | None = None
    high: float | None = None
    choices: tuple[tuple[str, str], ...] = ()

    def checked(self, value: object) -> Value:
        """The value as this parameter has it; a ValueError says what was expected and what came."""
        if value is None or value == "":
            return self.default
        if self.kind == "choice":
            if value not in dict(self.choices):
                raise ValueError(f"{self.label}: expected {' or '.join(dict(self.choices))}; found “{value}”.")
            return str(value)
        try:
            number = int(str(value)) if self.kind == "int" else float(str(value))
        except ValueError:
            raise ValueError(f"{self.label}: expected {self._range()}; found “{value}”.") from None
        if not (self.low is None or number >= self.low) or not (self.high is None or number <= self.high):
            raise ValueError(f"{self.label}: expected {self._range()}; found {number:,}.")
        return number

    def _range(self) -> str:
        kind = "a whole number" if self.kind == "int" else "a number"
        if self.low is None or self.high is None:
            return kind if self.low is None else f"{kind} of at least {self.low:,}"
        return f"{kind} from {self.low:,} to {self.high:,}"


@dataclass(frozen=True, eq=False)
class Preference:
    """Items in order of preference, topic by topic; of topic t the first `take[t]` are chosen."""

    items: NDArray[np.int64]
    take: NDArray[np.int64]


Choose = Callable[[RankMatrix, Best, Sequence[int], Mapping[str, Any]], Preference]


@dataclass(frozen=True)
class Strategy:
    name: str
    label: str
    about: str
    parameters: tuple[Parameter, ...]
    choose: Choose


STRATEGIES: dict[str, Strategy] = {}

# What every strategy takes beside its own.
COMMON = (
    Parameter(
        "ties",
        "choice",
        "Ties at the cut",
        "Which of equally scored documents come first.",
        "evaluation",
        choices=(*TIES.items(),),
    ),
    Parameter("per_group", "int", "Runs of each group", "Only the first so many by priority; empty: all.", None, 1, 1000),
    Parameter(
        "min_per_topic", "int", "At least, per topic", "Filled up from deeper ranks; empty: no minimum.", None, 1, 100_000
    ),
    Parameter(
        "max_per_topic", "int", "At most, per topic", "The least preferred are left out; empty: no limit.", None, 1, 100_000
    ),
)
_BUDGET = Parameter(
    "budget", "int", "Documents per topic", "Exactly so many of each topic, as far as there are any.", 100, 1, 100_000
)
_SPLIT = Parameter(
    "split",
    "choice",
    "Budget over topics",
    "Proportional: the same total, more for topics whose runs differ more.",
    "per-topic",
    choices=(("per-topic", "The same for each topic"), ("proportional", "In proportion to the pools at depth 100")),
)
_READ = Parameter("read", "int", "Ranks read", "So far down each run counts.", MOST_DEPTH, 1, MOST_DEPTH)
_SPLIT_DEPTH = 100


def strategy(name: str, label: str, *parameters: Parameter) -> Callable[[Choose], Choose]:
    """Register a strategy; the first line of its docstring is what people read about it."""

    def register(choose: Choose) -> Choose:
        about = (choose.__doc__ or "").strip().split("\n")[0]
        STRATEGIES[name] = Strategy(name, label, about, parameters, choose)
        return choose

    return register


def clean(name: str, values: Mapping[str, object]) -> dict[str, Value]:
    """The parameters of a strategy with the common ones, checked and filled in; what is unknown or wrong is a ValueError."""
    if name not in STRATEGIES:
        raise ValueError(f"Expected the strategy {' or '.join(STRATEGIES)}; found “{name}”.")
    known = {parameter.name: parameter for parameter in (*STRATEGIES[name].parameters, *COMMON)}
    for given in values:
        if given not in known:
            raise ValueError(f"The strategy {name} has no parameter “{given}”; it has {', '.join(known)}.")
    cleaned = {key: parameter.checked(values.get(key)) for key, parameter in known.items()}
    least, most = cleaned["min_per_topic"], cleaned["max_per_topic"]
    if isinstance(least, int) and isinstance(most, int) and least > most:
        raise ValueError(f"At least {least:,} and at most {most:,} per topic cannot both be; expected the first to be smaller.")
    return {key: value for key, value in cleaned.items() if value is not None}


def reach(name: str, values: Mapping[str, Any]) -> int:
    """How far down the runs a strategy looks: the depth of the matrix that it needs."""
    if name == "depth":
        return MOST_DEPTH if "min_per_topic" in values else int(values["depth"])
    return int(values.get("read", MOST_DEPTH))


@dataclass(frozen=True, eq=False)
class Chosen:
    """What a strategy took: items in order of preference within their topics, the best ranks, and who has them.

    `holds(i)` are the places, in run i's row, of what that run contributed: the pooled items that it has within reach.
    """

    matrix: RankMatrix
    runs: tuple[int, ...]
    items: NDArray[np.int64]
    best: Best
    depth: int | None  # contributions reach so far; None: as far as the matrix

    def held(self, place: int) -> NDArray[np.int64]:
        """The pooled items that a run contributed. With depth-k that is what it has within k; for what was filled in
        from deeper ranks, whoever has it at its best rank."""
        row = self.matrix.rows[place]
        inside = self._pooled[row.items]
        if self.depth is not None:
            inside &= row.ranks <= np.maximum(self.depth, self.best.rank[row.items])
        return row.items[inside]

    @property
    def _pooled(self) -> NDArray[np.bool_]:
        pooled = np.zeros(len(self.matrix), bool)
        pooled[self.items] = True
        return pooled


def choose(matrix: RankMatrix, name: str, values: Mapping[str, Any], runs: Sequence[int] | None = None) -> Chosen:
    """The items that a strategy takes, with the quotas per topic kept. `values` are as `clean` gives them."""
    places = tuple(range(len(matrix.rows)) if runs is None else runs)
    best = matrix.best(places)
    found = STRATEGIES[name].choose(matrix, best, places, values)
    counts = np.bincount(matrix.codes[found.items], minlength=len(matrix.topics))
    take = quota(found.take, counts, values)
    starts = np.cumsum(counts) - counts  # `items` stand topic by topic
    place = np.arange(len(found.items)) - np.repeat(starts, counts)
    items = found.items[place < np.repeat(take, counts)]
    return Chosen(matrix, places, items, best, int(values["depth"]) if name == "depth" else None)


def quota(take: NDArray[np.int64], there: NDArray[np.int64], values: Mapping[str, Any]) -> NDArray[np.int64]:
    """How many of each topic are taken within the least and the most that were asked for, and what there is."""
    least, most = int(values.get("min_per_topic", 0)), int(values.get("max_per_topic", np.iinfo(np.int64).max))
    wanted: NDArray[np.int64] = np.minimum(np.clip(take, least, most), there)
    return wanted


def choose_runs(groups: Sequence[str], priorities: Sequence[int], per_group: int | None) -> list[int]:
    """The runs that are pooled: the first so many of each group by priority, then as listed. A run without group is one."""
    if per_group is None:
        return list(range(len(groups)))
    taken: dict[str, int] = {}
    chosen = []
    for place in sorted(range(len(groups)), key=lambda i: (priorities[i], i)):
        group = groups[place] or f"\0{place}"
        taken[group] = taken.get(group, 0) + 1
        if taken[group] <= per_group:
            chosen.append(place)
    return sorted(chosen)


@strategy(
    "depth",
    "Depth-k",
    Parameter("depth", "int", "Depth", "So many documents of each run and topic are judged.", 10, 1, MOST_DEPTH),
)
def depth_k(matrix: RankMatrix, best: Best, runs: Sequence[int], values: Mapping[str, Any]) -> Preference:
    """The first documents of each run and topic: every run treated alike, the usual way at TREC.

    The union over the runs of each topic's first `depth` documents. Exactly `depth` of a run count, ties at the cut
    included; a shorter run gives what it has. Preference: best rank, then the number of runs that have it there, then
    docno. Spärck Jones and van Rijsbergen 1975; as practised by NIST at TREC (Harman 1993).
    """
    items = np.flatnonzero(best.there)
    keys = (-best.runs_at_best[items], best.rank[items])
    ordered = _ordered(matrix, items, *keys)
    within = matrix.codes[items[best.rank[items] <= values["depth"]]]
    return Preference(ordered, np.bincount(within, minlength=len(matrix.topics)))


@strategy(
    "rrf",
    "Reciprocal rank fusion",
    _BUDGET,
    Parameter("k", "float", "k", "Larger: the very first ranks count less.", 60.0, 0, 10_000),
    _SPLIT,
    _READ,
)
def reciprocal_rank_fusion(matrix: RankMatrix, best: Best, runs: Sequence[int], values: Mapping[str, Any]) -> Preference:
    """A fixed number for each topic, those first that many runs have near the top.

    Weight: sum over the runs of 1 / (k + rank). Ties: docno ascending. (Cormack, Clarke and Büttcher 2009.)
    """
    return _fused(matrix, best, runs, values, lambda ranks: 1.0 / (values["k"] + ranks))


@strategy(
    "rbp",
    "Rank-biased precision",
    _BUDGET,
    Parameter("p", "float", "p", "How patient the reader is: nearer 1 looks deeper.", 0.8, 0.01, 0.999),
    Parameter(
        "combine",
        "choice",
        "Weights of a document",
        "Added over the runs, or the largest alone.",
        "sum",
        choices=(("sum", "Sum"), ("max", "Largest")),
    ),
    _SPLIT,
    _READ,
)
def rank_biased_precision(matrix: RankMatrix, best: Best, runs: Sequence[int], values: Mapping[str, Any]) -> Preference:
    """A fixed number for each topic, those first that weigh most in the runs' scores.

    Weight: sum (or the largest) over the runs of (1 - p) p^(rank - 1), what the document is worth in each run's RBP.
    Method A of Moffat, Webber and Zobel 2007. Ties: docno ascending.
    """
    p = values["p"]
    return _fused(matrix, best, runs, values, lambda ranks: (1 - p) * p ** (ranks - 1.0))


def _fused(
    matrix: RankMatrix,
    best: Best,
    runs: Sequence[int],
    values: Mapping[str, Any],
    weight: Callable[[NDArray[np.int32]], NDArray[np.float64]],
) -> Preference:
    items = np.flatnonzero(best.there)
    ordered = _ordered(matrix, items, -weights(matrix, runs, weight, values.get("combine", "sum"))[items])
    counts = np.bincount(matrix.codes[items], minlength=len(matrix.topics))
    budget = int(values["budget"])
    if values.get("split") != "proportional":
        return Preference(ordered, np.minimum(counts, budget))
    sizes = np.bincount(matrix.codes[items[best.rank[items] <= _SPLIT_DEPTH]], minlength=len(matrix.topics))
    return Preference(ordered, proportional(sizes, budget * len(sizes), int(values.get("min_per_topic", 0))))


def weights(
    matrix: RankMatrix, runs: Sequence[int], weight: Callable[[NDArray[np.int32]], NDArray[np.float64]], combine: str = "sum"
) -> NDArray[np.float64]:
    """The weight of every item, rounded to 12 decimals, so that a sum taken in another order changes no pool."""
    total = np.zeros(len(matrix))
    for place in runs:
        row = matrix.rows[place]
        mine = weight(row.ranks)
        total[row.items] = np.maximum(total[row.items], mine) if combine == "max" else total[row.items] + mine
    return np.round(total, 12)


def proportional(sizes: NDArray[np.int64], total: int, least: int = 0) -> NDArray[np.int64]:
    """A total split in proportion to sizes by largest remainder, at least `least` for each; equal remainders: the first."""
    whole = int(sizes.sum())
    if not whole:
        return np.zeros(len(sizes), np.int64)
    exact = sizes * (total / whole)
    shares = np.floor(exact).astype(np.int64)
    order = np.argsort(-(exact - shares), kind="stable")
    shares[order[: total - int(shares.sum())]] += 1
    raised: NDArray[np.int64] = np.maximum(shares, least)
    return raised


def _ordered(matrix: RankMatrix, items: NDArray[np.int64], *keys: NDArray[Any]) -> NDArray[np.int64]:
    """Items topic by topic as they are numbered, within a topic by the keys, the last first, then by docno."""
    order: NDArray[np.int64] = np.lexsort((matrix.docnos[items], *keys, matrix.codes[items]))
    return items[order]
