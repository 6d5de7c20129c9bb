"""The order in which an assessor meets the items, and which items two assessors judge."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

STRATA = np.array([10, 50])  # the last rank of each stratum but the deepest


def assessor_generator(seed: int, assessor: int) -> np.random.Generator:
    """The generator of one assessor's order under a stored seed: the same order whenever it is asked for."""
    return np.random.default_rng([seed, assessor])


def queue_order(topics: NDArray[np.int64], generator: np.random.Generator) -> NDArray[np.int64]:
    """A permutation of the items: topic after topic, and within a topic in random order.

    `topics` is the topic's place of each item; topics come in the order of these numbers, so that an assessor keeps one
    information need in mind at a time. Random within it, so that rank shows in nothing. The same generator state gives
    the same order.
    """
    return np.lexsort((generator.random(len(topics)), topics)).astype(np.int64)


def fixed_order(topics: NDArray[np.int64], keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """A permutation of the items: topic after topic, and within a topic by `keys`, the smallest first; ties as they come."""
    return np.lexsort((keys, topics)).astype(np.int64)


@dataclass(frozen=True, eq=False)
class Overlap:
    """Which items are judged twice, and with what probability each was to be; both one for each item."""

    chosen: NDArray[np.bool_]
    inclusion: NDArray[np.float64]


def overlap_choice(
    topics: NDArray[np.int64], ranks: NDArray[np.int64], share: float, generator: np.random.Generator
) -> Overlap:
    """Of every topic a random `share`, rounded half up, and at least one, spread over the strata of best rank.

    `topics` and `ranks` are the topic and the best rank of each item, the items in a fixed order (topic, docno), so
    that the choice can be drawn again. Strata end at rank 10 and at 50. Within a topic the items are put in order of
    stratum, by chance within it, and every N/n-th is taken from a random start (systematic sampling: Madow 1949): each
    stratum gets its share to within one item, and all N items of a topic have the same inclusion probability n/N, even
    where a stratum is too small to be given one of its own. Share 0 chooses none, 1 all; outside is a ValueError.
    """
    if not 0 <= share <= 1:
        raise ValueError(f"expected a share from 0 to 1, got {share}")
    chosen, inclusion = np.zeros(len(topics), bool), np.zeros(len(topics))
    if not len(topics) or share == 0:
        return Overlap(chosen, inclusion)
    order = np.lexsort((generator.random(len(topics)), np.searchsorted(STRATA, ranks), topics))
    _, starts, sizes = np.unique(topics[order], return_index=True, return_counts=True)
    for start, size, shift in zip(starts.tolist(), sizes.tolist(), generator.random(len(sizes)).tolist(), strict=True):
        count = min(max(int(share * size + 0.5), 1), size)
        places = ((np.arange(count) + shift) * size / count).astype(np.int64)
        chosen[order[start + np.minimum(places, size - 1)]] = True
        inclusion[order[start : start + size]] = count / size
    return Overlap(chosen, inclusion)


def is_repeated(seed: int, item: int, assessor: int, share: float) -> bool:
    """Whether an item comes back to its assessor: of all pairs a `share`, chosen by the seed, the same at every asking."""
    return float(np.random.default_rng([seed, item, assessor, 1]).random()) < share
