"""Measures of graded relevance."""

import numpy as np
from numpy.typing import NDArray

from evaluation.core.judged import Level, discounts, ratio, summed


def ndcg(level: Level, cutoff: int | None = None) -> NDArray[np.float64]:
    """nDCG = DCG / ideal DCG, DCG = Σ gain_i / log2(i + 1) over the ranks, or over the first k with a cutoff.

    The gain is the grade, 0 if unjudged or negative; the relevance level plays no part. The ideal ranking holds all
    judged documents, the best first, cut at k too. An ideal of 0 gives 0. trec_eval: ndcg, ndcg_cut_k. Järvelin and
    Kekäläinen 2002, with the discount of Burges et al. 2005.
    """
    judged = level.judged
    rows, ranks, gains = judged.gained
    topics, ideal_ranks, ideal_gains = judged.ideal
    if cutoff is not None:
        kept = ranks <= cutoff
        rows, ranks, gains = rows[kept], ranks[kept], gains[kept]
        kept = ideal_ranks <= cutoff
        topics, ideal_ranks, ideal_gains = topics[kept], ideal_ranks[kept], ideal_gains[kept]
    dcg = summed(rows, gains / discounts(ranks), judged.size)
    ideal = summed(topics, ideal_gains / discounts(ideal_ranks), len(judged.qrels.topics))
    return ratio(dcg, np.tile(ideal, judged.runs))
