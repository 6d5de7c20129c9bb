"""The order in which an assessor meets the items, and which items two assessors judge."""

import numpy as np
from numpy.typing import NDArray


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


def overlap_choice(topics: NDArray[np.int64], share: float, generator: np.random.Generator) -> NDArray[np.bool_]:
    """Which items are judged twice: of every topic a random `share`, rounded half up, and at least one.

    `topics` is the topic of each item, the items in a fixed order (topic, docno), so that the choice can be drawn
    again. Share 0 chooses none, 1 all; anything outside is a ValueError. Inclusion probability is the topic's chosen
    number over its size: every item of a topic has the same.
    """
    if not 0 <= share <= 1:
        raise ValueError(f"expected a share from 0 to 1, got {share}")
    if not len(topics) or share == 0:
        return np.zeros(len(topics), bool)
    _, code, sizes = np.unique(topics, return_inverse=True, return_counts=True)
    wanted = np.clip(np.floor(share * sizes + 0.5).astype(np.int64), 1, sizes)
    order = np.lexsort((generator.random(len(topics)), code))
    place = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    chosen = np.zeros(len(topics), bool)
    chosen[order] = place < np.repeat(wanted, sizes)
    return chosen
