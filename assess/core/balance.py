"""Topics shared out among assessors, so that all have about the same number of items to judge."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def balance(
    sizes: NDArray[np.int64], loads: NDArray[np.int64], share: float, generator: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The first and the second assessor of each topic, as places in `loads`.

    `sizes` is each topic's number of items, `loads` what each assessor has to judge already. The largest topic goes
    first, to whoever has least so far (Graham 1969: at most 4/3 of the best possible maximum); ties are drawn. With
    `share` above 0 a topic's second opinion, share × size items, goes likewise to somebody else; -1 where there is
    nobody else, or no share.
    """
    first, second = np.full(len(sizes), -1, np.int64), np.full(len(sizes), -1, np.int64)
    if not len(loads):
        return first, second
    load = loads.astype(np.float64) + generator.random(len(loads)) * 1e-6
    order = np.lexsort((generator.random(len(sizes)), -sizes))
    for topic in order.tolist():
        first[topic] = _least(load, ())
        load[first[topic]] += sizes[topic]
        if share > 0 and len(load) > 1:
            second[topic] = _least(load, (int(first[topic]),))
            load[second[topic]] += share * sizes[topic]
    return first, second


def _least(load: NDArray[np.float64], but: Sequence[int]) -> int:
    free = load.copy()
    free[list(but)] = np.inf
    return int(np.argmin(free))
