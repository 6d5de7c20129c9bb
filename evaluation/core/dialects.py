"""Whose rules an evaluation follows: our own, or those of a release of trec_eval."""

from dataclasses import dataclass
from typing import Literal

from pooling.core.rankings import Dialect

RecallPoints = Literal["exact", "truncated", "rounded"]
Missing = Literal["zero", "skip", "refuse"]


@dataclass(frozen=True)
class Rules:
    """Where the dialects part; all else is common to them.

    `order`: how scores are compared (as single floats under "9"). `recall_points`: how a recall level becomes a number
    of relevant documents: exactly, by cutting x·R + 0.9, or by rounding x·R. `missing`: what becomes of a topic with
    judgments and no results: it counts as zero, is left out, or stops the evaluation. `shows_missing`: whether such a
    topic has lines of its own when it is averaged in. `comments`: whether lines that begin with "#" are comments.
    `level_in_sum`: whether the sum of relevant documents under -c keeps to the level; trec_eval counts grades above 0.
    `all_trec_10`: whether the set all_trec holds what trec_eval 10.0 added to it.
    """

    order: Dialect | None = None
    recall_points: RecallPoints = "exact"
    missing: Missing = "zero"
    shows_missing: bool = True
    comments: bool = True
    level_in_sum: bool = True
    all_trec_10: bool = True


OWN = Rules()
RULES: dict[Dialect | None, Rules] = {
    None: OWN,
    "9": Rules("9", "truncated", "skip", shows_missing=False, comments=False, level_in_sum=False, all_trec_10=False),
    "10": Rules("10", "rounded", "refuse", level_in_sum=False),
}
