"""Measures made for incomplete judgments: unjudged documents are stepped over."""

import numpy as np
from numpy.typing import NDArray

from evaluation.core.judged import Level, ratio, summed


def bpref(level: Level, cutoff: int | None = None) -> NDArray[np.float64]:
    """bpref = (1/R) Σ 1 - min(n_r, R) / min(N, R) over the relevant documents retrieved.

    n_r: judged non-relevant documents ranked above; N: judged non-relevant documents of the topic. The term is 1 where
    n_r is 0. Unjudged documents, negative grades among them, are skipped; relevant ones not retrieved add 0; R = 0
    gives 0. trec_eval (from 8.0 on): bpref. Buckley and Voorhees 2004.
    """
    rel = level.num_rel[level.rows]
    above = np.minimum(level.nonrel_above, rel)
    below = np.minimum(level.num_nonrel[level.rows], rel)
    terms = 1.0 - ratio(above, below)  # n_r > 0 only where N > 0, so the guarded 0/0 is the term 1
    return ratio(summed(level.rows, terms, level.judged.size), level.num_rel)
