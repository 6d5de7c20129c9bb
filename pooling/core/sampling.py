"""Sampled pools: some of what could be judged, drawn by chance, with the probability that each had."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pooling.core.matrix import Best, RankMatrix
from pooling.core.strategy import BUDGET, MOST_DEPTH, Parameter, Sample, Values, sampled

_DEPTH = Parameter("depth", "int", "Depth", "This many documents of each run and topic can be drawn.", 100, 1, MOST_DEPTH)


@sampled(
    "strata",
    "Strata of best rank",
    Parameter("edges", "text", "Last rank of each stratum", "Ascending, by commas.", "10,100", pattern=r"\d+(,\d+)*"),
    Parameter(
        "shares",
        "text",
        "Share of each, in percent",
        "By commas; at least one of each is drawn.",
        "100,10",
        pattern=r"\d+(\.\d+)?(,\d+(\.\d+)?)*",
    ),
)
def strata(matrix: RankMatrix, best: Best, runs: Sequence[int], values: Values, seed: int) -> Sample:
    """The documents that some run has near the top are all judged; of those further down a random share.

    The stratum of a document is the interval of its best rank. Of a stratum of N documents n are drawn uniformly without
    replacement: n / N is the probability of each. For xinfAP and infNDCG. (Yilmaz, Kanoulas and Aslam 2008.)
    """
    edges, shares = strata_of(values)
    items, of = _inside(matrix, best, edges)
    groups, code = np.unique(np.stack((matrix.codes[items], of)), axis=1, return_inverse=True)
    sizes = np.bincount(code, minlength=groups.shape[1])
    wanted = np.clip(np.floor(sizes * shares[groups[1] - 1] + 0.5), 1, sizes).astype(np.int64)
    return _drawn(matrix, items, of, code, sizes, wanted, seed)


def strata_of(values: Values) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The edges, ascending, and the share of each; a ValueError says what is wrong."""
    edges = np.array([int(part) for part in str(values["edges"]).split(",")], np.int64)
    shares = np.array([float(part) for part in str(values["shares"]).split(",")]) / 100
    if (np.diff(edges, prepend=0) <= 0).any() or edges[-1] > MOST_DEPTH:
        raise ValueError(
            f"Last rank of each stratum: expected ascending ranks up to {MOST_DEPTH:,}; found “{values['edges']}”."
        )
    if len(shares) != len(edges) or (shares <= 0).any() or (shares > 1).any():
        raise ValueError(
            f"Share of each: expected {len(edges)} numbers above 0 and up to 100, one for each stratum; found “{values['shares']}”."
        )
    return edges, shares


@sampled("two-strata", "Two strata in a budget", BUDGET, _DEPTH)
def two_strata(matrix: RankMatrix, best: Best, runs: Sequence[int], values: Values, seed: int) -> Sample:
    """As deep a whole pool as the budget allows, and what is left of it by chance from further down.

    The largest depth j whose pool fits is judged whole; the rest of the budget is drawn uniformly from the other documents
    down to the depth. Of each topic apart. The default among samples: simple probabilities, xinfAP and infNDCG defined.
    """
    depth, budget, topics = int(values["depth"]), int(values["budget"]), len(matrix.topics)
    items = np.flatnonzero(best.there & (best.rank <= depth))
    counts = np.bincount(matrix.codes[items] * (depth + 1) + best.rank[items], minlength=topics * (depth + 1))
    within = counts.reshape(topics, depth + 1).cumsum(axis=1)
    whole = (within <= budget).sum(axis=1) - 1
    of = 1 + (best.rank[items] > whole[matrix.codes[items]])
    code = matrix.codes[items] * 2 + of - 1
    sizes = np.bincount(code, minlength=topics * 2)
    wanted = sizes.copy()
    wanted[1::2] = np.minimum(budget - sizes[0::2], sizes[1::2])
    return _drawn(matrix, items, of, code, sizes, wanted, seed)


@sampled("ap-weighted", "By weight in average precision", BUDGET, _DEPTH)
def ap_weighted(matrix: RankMatrix, best: Best, runs: Sequence[int], values: Values, seed: int) -> Sample:
    """Every document has a chance in proportion to what it weighs in the runs' average precision; for statAP.

    A rank r of a run of m documents weighs (1 + 1/r + … + 1/m) / 2m; over the runs, the mean. Probabilities are in
    proportion to it, at most 1, and add up to the budget; one systematic draw takes exactly so many. (Aslam and Pavlu 2007.)
    """
    depth, budget = int(values["depth"]), int(values["budget"])
    items = np.flatnonzero(best.there & (best.rank <= depth))
    weights = ap_weights(matrix, runs, depth)
    chances, taken = np.zeros(len(items)), np.zeros(len(items), bool)
    starts = np.random.default_rng(seed).random(len(matrix.topics))
    for topic in range(len(matrix.topics)):
        mine = np.flatnonzero(matrix.codes[items] == topic)
        mine = mine[np.argsort(matrix.docnos[items[mine]])]
        chances[mine] = inclusion(weights[items[mine]], budget)
        taken[mine[systematic(chances[mine], float(starts[topic]))]] = True
    return _sample(matrix, items, np.ones(len(items), np.int64), chances, taken)


def ap_weights(matrix: RankMatrix, runs: Sequence[int], depth: int = MOST_DEPTH) -> NDArray[np.float64]:
    """Of every item its mean rank weight over the runs, 0 where a run has it not."""
    total = np.zeros(len(matrix))
    for place in runs:
        row = matrix.rows[place]
        inside = row.ranks <= depth
        codes = matrix.codes[row.items[inside]]
        lengths = np.bincount(codes, minlength=len(matrix.topics))
        for length in np.unique(lengths[lengths > 0]).tolist():
            here = lengths[codes] == length
            total[row.items[inside][here]] += rank_weights(length)[row.ranks[inside][here] - 1]
    return total / max(len(runs), 1)


def rank_weights(length: int) -> NDArray[np.float64]:
    """(1 + 1/r + … + 1/m) / 2m for the ranks of a run of m documents; they add up to 1."""
    tails = np.cumsum(1.0 / np.arange(length, 0, -1))[::-1]
    weights: NDArray[np.float64] = (1 + tails) / (2 * length)
    return weights


def inclusion(weights: NDArray[np.float64], size: int) -> NDArray[np.float64]:
    """Probabilities in proportion to weights that add up to `size`; what would be above 1 is sure, the rest rescaled."""
    chances = np.zeros(len(weights))
    left, room = np.flatnonzero(weights > 0), size
    while len(left) and room > 0:
        scaled = room * weights[left] / weights[left].sum()
        sure = scaled >= 1
        if not sure.any():
            chances[left] = scaled
            break
        chances[left[sure]] = 1.0
        left, room = left[~sure], room - int(sure.sum())
    return chances


def systematic(chances: NDArray[np.float64], start: float) -> NDArray[np.int64]:
    """Walk along the chances and take one each time their sum passes start, start + 1, …: the places of those taken.

    With chances up to 1 nothing is taken twice, and as many are taken as the chances add up to. (Madow 1949.)
    """
    sums = np.cumsum(chances)
    passed = np.ceil(np.round(sums, 12) - start).astype(np.int64)  # marks below each sum
    taken: NDArray[np.int64] = np.flatnonzero(np.diff(np.maximum(passed, 0), prepend=0) > 0)
    return taken


def _inside(matrix: RankMatrix, best: Best, edges: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Items of some stratum, and which, from 1."""
    items = np.flatnonzero(best.there & (best.rank <= edges[-1]))
    return items, np.searchsorted(edges, best.rank[items]) + 1


def _drawn(
    matrix: RankMatrix,
    items: NDArray[np.int64],
    of: NDArray[np.int64],
    code: NDArray[np.int64],
    sizes: NDArray[np.int64],
    wanted: NDArray[np.int64],
    seed: int,
) -> Sample:
    """Of every group (`code`) the wanted number, uniformly."""
    fixed = np.argsort(matrix.docnos[items], kind="stable")  # so that the draw hangs on no order of runs
    chance = np.empty(len(items))
    chance[fixed] = np.random.default_rng(seed).random(len(items))
    order = np.lexsort((chance, code))
    place = np.empty(len(items), np.int64)
    place[order] = np.arange(len(items)) - (np.cumsum(sizes) - sizes)[code[order]]
    shares = wanted / np.maximum(sizes, 1)
    return _sample(matrix, items, of, shares[code], place < wanted[code])


def _sample(
    matrix: RankMatrix,
    items: NDArray[np.int64],
    of: NDArray[np.int64],
    chances: NDArray[np.float64],
    taken: NDArray[np.bool_],
) -> Sample:
    order = np.lexsort((matrix.docnos[items], ~taken, matrix.codes[items]))
    take = np.bincount(matrix.codes[items[taken]], minlength=len(matrix.topics))
    return Sample(items[order], take, of[order], chances[order])
