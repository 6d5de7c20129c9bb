"""Topics shared out among assessors, so that all have about the same number of items to judge."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def balance(
    sizes: NDArray[np.int64],
    loads: NDArray[np.int64],
    shares: Sequence[float],
    generator: np.random.Generator,
    *,
    weights: NDArray[np.float64] | None = None,
    caps: NDArray[np.float64] | None = None,
) -> NDArray[np.int64]:
    """Who gives each topic's opinions, as places in `loads`: one row for each opinion, one column for each topic.

    `sizes` is each topic's number of items, `loads` what each assessor has to judge already, `shares` how much of a topic
    each opinion takes (1 for the first). The largest topic goes first, to whoever has least so far for their `weight`
    (Graham 1969: at most 4/3 of the best possible maximum); ties are drawn. Nobody gets two opinions of a topic, nor
    more than their cap in all; -1 where nobody is left, and where a share is 0. A further opinion needs the one before.
    """
    found = np.full((len(shares), len(sizes)), -1, np.int64)
    if not len(loads):
        return found
    weight = np.ones(len(loads)) if weights is None else weights
    cap = np.full(len(loads), np.inf) if caps is None else caps
    load = loads.astype(np.float64) + generator.random(len(loads)) * 1e-6
    for topic in np.lexsort((generator.random(len(sizes)), -sizes)).tolist():
        for opinion, share in enumerate(shares):
            more = share * sizes[topic]
            able = np.floor(load) + more <= cap
            able[found[:opinion, topic]] = False  # those who have it already; -1 does not come here
            if share <= 0 or not able.any():
                break
            found[opinion, topic] = int(np.argmin(np.where(able, load / weight, np.inf)))
            load[found[opinion, topic]] += more
    return found
