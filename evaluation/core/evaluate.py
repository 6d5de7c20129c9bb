"""Runs × measures × topics, in one pass."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.core.judged import Level, join
from evaluation.core.qrels import Qrels
from evaluation.core.registry import Measure, parse_measure
from pooling.core.rankings import Rankings


@dataclass(frozen=True, eq=False)
class Scores:
    """What an evaluation found.

    `values`: runs × measures × topics, 0 where the run lacks the topic or the topic has nothing relevant.
    `means`: runs × measures; counts such as NumRet are summed instead. `answered`: runs × topics, false where the run
    has no document for the topic. `no_relevant`: per topic, true where no document reaches `rel`: the 0 of such a topic
    is a convention, and a page says so. `topics` are those of the qrels, sorted by bytes.
    """

    tags: tuple[str, ...]
    measures: tuple[Measure, ...]
    topics: NDArray[np.bytes_]
    values: NDArray[np.float64]
    means: NDArray[np.float64]
    answered: NDArray[np.bool_]
    no_relevant: NDArray[np.bool_]
    rel: int
    complete: bool


def evaluate_rankings(
    qrels: Qrels,
    rankings: Sequence[Rankings],
    measures: Sequence[Measure | str],
    *,
    rel: int = 1,
    complete: bool = True,
) -> Scores:
    """All measures of all runs on all topics of the qrels.

    `rel` is the grade from which a document is relevant (strict or lenient evaluation is a matter of it alone); a
    measure that names its own, as AP(rel=2), keeps it. With `complete` a topic that a run lacks counts as 0 in its mean
    (trec_eval -c); without, a run's mean is over the topics it answered, and 0 if there are none. Topics of a run that
    the qrels lack are ignored. A mean is a sum from the first topic to the last, divided by their number.
    """
    parsed = tuple(parse_measure(measure) if isinstance(measure, str) else measure for measure in measures)
    judged = join(qrels, rankings)
    levels = {level: Level(judged, level) for level in {rel, *(one.rel for one in parsed if one.rel is not None)}}
    shape = len(rankings), len(qrels.topics)
    values = np.zeros((shape[0], len(parsed), shape[1]))
    for place, measure in enumerate(parsed):
        values[:, place, :] = measure.values(levels[measure.rel or rel]).reshape(shape)
    answered = judged.num_ret.reshape(shape) > 0
    counted = np.full(shape[0], shape[1]) if complete else answered.sum(axis=1)
    if not complete:
        values = np.where(answered[:, None, :], values, 0.0)  # NumRel is not 0 by itself
    sums = np.cumsum(values, axis=2)[:, :, -1] if shape[1] else np.zeros(values.shape[:2])
    averaged = np.array([measure.definition.summary == "mean" for measure in parsed], bool)
    divisor = np.where(averaged[None, :], np.maximum(counted, 1)[:, None], 1)
    return Scores(
        tuple(run.tag for run in rankings),
        parsed,
        qrels.topics,
        values,
        sums / divisor,
        answered,
        qrels.num_rel(rel) == 0,
        rel,
        complete,
    )


def trec_eval_text(scores: Scores, run: int, *, per_topic: bool = True) -> str:
    """One run's scores as trec_eval prints them: name, topic or "all", value with four decimals, tabs between."""
    lines: list[str] = []
    if per_topic:
        for place, topic in enumerate(scores.topics.tolist()):
            if scores.complete or scores.answered[run, place]:
                pairs = zip(scores.measures, scores.values[run, :, place].tolist(), strict=True)
                lines += (_line(measure, topic.decode(), value) for measure, value in pairs)
    pairs = zip(scores.measures, scores.means[run].tolist(), strict=True)
    lines += (_line(measure, "all", value) for measure, value in pairs)
    return "".join(lines)


def _line(measure: Measure, topic: str, value: float) -> str:
    shown = f"{value:.0f}" if measure.definition.summary == "sum" else f"{value:6.4f}"
    return f"{measure.trec_eval:<22}\t{topic}\t{shown}\n"
