"""Which documents to judge: every strategy by its name (see `strategy`), its parameters checked, its choice made."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pooling.core import adaptive, fused, learning, sampling
from pooling.core.matrix import Best, RankMatrix, Ties
from pooling.core.strategy import COMMON, KINDS, MOST_DEPTH, STRATEGIES, TIES, Kind, Parameter, Sample, Strategy, Value

__all__ = ["COMMON", "KINDS", "MOST_DEPTH", "STRATEGIES", "TIES", "Kind", "Parameter", "Strategy", "Value"]

# Strategies are registered by being imported, in any order; people see them by kind.
SOURCES = (fused, adaptive, learning, sampling)
for _name in sorted(STRATEGIES, key=lambda name: list(KINDS).index(STRATEGIES[name].kind)):
    STRATEGIES[_name] = STRATEGIES.pop(_name)


def clean(name: str, values: Mapping[str, object]) -> dict[str, Value]:
    """The parameters of a strategy with the common ones, checked and filled in; what is unknown or wrong is a ValueError."""
    if name not in STRATEGIES:
        raise ValueError(f"strategy: Expected one of {', '.join(STRATEGIES)}; found “{name[:80]}”.")
    known = {parameter.name: parameter for parameter in STRATEGIES[name].all_parameters}
    for given in values:
        if given not in known:
            raise ValueError(f"The strategy {name} has no parameter “{given}”; it has {', '.join(known)}.")
    cleaned = {key: parameter.checked(values.get(key)) for key, parameter in known.items()}
    least, most = cleaned.get("min_per_topic"), cleaned.get("max_per_topic")
    if isinstance(least, int) and isinstance(most, int) and least > most:
        raise ValueError(f"At least {least:,} and at most {most:,} per topic cannot both be; expected the first to be smaller.")
    if name == "strata":
        sampling.strata_of(cleaned)
    return {key: value for key, value in cleaned.items() if value is not None}


def reach(name: str, values: Mapping[str, Any]) -> int:
    """How far down the runs a strategy looks: the depth of the matrix that it needs."""
    if name == "strata":
        return int(str(values["edges"]).split(",")[-1])
    if "depth" in values:
        return MOST_DEPTH if "min_per_topic" in values else int(values["depth"])
    return int(values.get("read", MOST_DEPTH))


def rank_ties(values: Mapping[str, Any]) -> Ties:
    """How equal scores in a run are ranked; chance decides between documents, never within a run."""
    return "docno-ascending" if values.get("ties") == "docno-ascending" else "evaluation"


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
    sample: Sample | None = None  # of a sampled pool: all that could have been drawn

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


def choose(
    matrix: RankMatrix, name: str, values: Mapping[str, Any], runs: Sequence[int] | None = None, seed: int = 0
) -> Chosen:
    """The items that a strategy takes, with the quotas per topic kept. `values` are as `clean` gives them.

    Of an adaptive strategy, whose items nobody knows beforehand, these are as many as it will take at most, by best rank.
    """
    places = tuple(range(len(matrix.rows)) if runs is None else runs)
    best, one = matrix.best(places), STRATEGIES[name]
    sample = one.draw(matrix, best, places, values, seed) if one.draw else None
    found = sample or (one.choose or fused.take)(matrix, best, places, {**values, "seed": seed})
    counts = np.bincount(matrix.codes[found.items], minlength=len(matrix.topics))
    take = quota(found.take, counts, values)
    starts = np.cumsum(counts) - counts  # `items` stand topic by topic
    place = np.arange(len(found.items)) - np.repeat(starts, counts)
    items = found.items[place < np.repeat(take, counts)]
    return Chosen(matrix, places, items, best, int(values["depth"]) if "depth" in values else None, sample)


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
