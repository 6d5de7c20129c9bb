"""Qrels of a sampled pool, by strata or by probabilities, as an evaluation needs them."""

from dataclasses import replace

import numpy as np

from evaluation.core.judged import Given
from evaluation.core.qrels import Qrels
from pooling.core.keys import code_topics
from pooling.core.sampled_qrels import SampledQrels


def judged_sample(sample: SampledQrels, given: Given | None = None) -> tuple[Qrels, Given]:
    """The qrels, and what is given with what the sample tells. Strata tell probabilities, too: sampled / pooled of each."""
    topics, codes = code_topics(sample.topics)
    order = np.lexsort((sample.docnos, codes))
    qrels = Qrels(topics, codes[order], sample.docnos[order], sample.grades[order])
    given = given or Given()
    if sample.inclusion is not None:
        return qrels, replace(given, inclusion=sample.inclusion[order])
    strata = np.zeros(len(qrels), np.int64) if sample.strata is None else sample.strata[order]
    cell = qrels.codes * (int(strata.max(initial=0)) + 1) + strata
    pooled = np.bincount(cell)
    sampled = np.bincount(cell[qrels.grades >= 0], minlength=len(pooled))
    return qrels, replace(
        given, strata=strata, inclusion=np.where(qrels.grades >= 0, (sampled / np.maximum(pooled, 1))[cell], 0.0)
    )
