"""Runs × measures × topics, in one pass."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.core.definitions import Measure, MeasureError
from evaluation.core.dialects import OWN, Rules
from evaluation.core.judged import Given, Judged, Level, defined_ratio, join, ratio
from evaluation.core.qrels import Qrels
from evaluation.core.registry import parse_measure
from pooling.core.rankings import Rankings

LEAST = 0.00001  # what a topic counts at least in a geometric mean, as in trec_eval

_NEEDS = {
    "documents": "the number of documents in the collection",
    "known": "which documents the user knew",
    "expected": "how many relevant documents the user expects",
    "strata": "the stratum of every pooled document",
    "inclusion": "the probability with which each document was sampled",
}


class MissingTopic(ValueError):
    """A topic with judgments that a run does not answer, where the rules allow none."""

    def __init__(self, run: int, place: int, topic: str) -> None:
        super().__init__(f'topic "{topic}" has judgments, and the run has no document for it')
        self.run = run
        self.place = place
        self.topic = topic


@dataclass(frozen=True, eq=False)
class Scores:
    """What an evaluation found.

    `values`: runs × measures × topics, 0 where the run lacks the topic or the topic has nothing relevant; NaN where a
    measure is undefined and left out of means. `means`: runs × measures; counts such as NumRet are summed instead, and
    some means are geometric, and one of a measure that no topic defines is NaN. `answered`: runs × topics, false where the run has no document for the topic.
    `no_relevant`: per topic, true where no document reaches `rel`: the 0 of such a topic is a convention, and a page
    says so. `topics` are those of the qrels, sorted by bytes.
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
    judged_only: bool = False,
    given: Given | None = None,
    rules: Rules = OWN,
) -> Scores:
    """All measures of all runs on all topics of the qrels; see `evaluate_judged`.

    The rankings are trusted to be in the order of the rules.
    """
    judged = join(qrels, rankings, given)
    tags = tuple(run.tag for run in rankings)
    return evaluate_judged(judged, tags, measures, rel=rel, complete=complete, judged_only=judged_only, rules=rules)


def evaluate_judged(
    judged: Judged,
    tags: tuple[str, ...],
    measures: Sequence[Measure | str],
    *,
    rel: int = 1,
    complete: bool = True,
    judged_only: bool = False,
    rules: Rules = OWN,
) -> Scores:
    """All measures of all rows.

    `rel` is the grade from which a document is relevant (strict or lenient evaluation is a matter of it alone); a
    measure that names its own, as AP(rel=2), keeps it. With `complete` a topic that a run lacks counts as 0 in its mean
    (trec_eval -c); without, a run's mean is over the topics it answered, and 0 if there are none. `judged_only` leaves
    unjudged documents out of all rankings (trec_eval -J). Topics of a run that the qrels lack are ignored. A mean is a
    sum from the first topic to the last, divided by their number.
    """
    parsed = tuple(parse_measure(measure) if isinstance(measure, str) else measure for measure in measures)
    _check_needs(parsed, judged.given)
    shape = judged.runs, len(judged.qrels.topics)
    answered = judged.num_ret.reshape(shape) > 0
    if rules.missing == "refuse" and not complete:
        _refuse_missing(answered, judged.qrels)
    values = _values(judged, parsed, rel, judged_only).transpose(1, 0, 2)
    if not complete:
        values = np.where(answered[:, None, :], values, 0.0)  # NumRel is not 0 by itself
    means = summaries(parsed, values, answered, complete=complete, rules=rules)
    if complete and not rules.level_in_sum:
        means[:, [one.definition.name == "NumRel" for one in parsed]] = judged.qrels.num_rel(1).sum()
    return Scores(tags, parsed, judged.qrels.topics, values, means, answered, judged.qrels.num_rel(rel) == 0, rel, complete)


def summaries(
    measures: Sequence[Measure],
    values: NDArray[np.float64],
    answered: NDArray[np.bool_],
    *,
    complete: bool = True,
    rules: Rules = OWN,
) -> NDArray[np.float64]:
    """Runs × measures: the means, sums or geometric means of runs × measures × topics."""
    counted = np.ones(answered.shape, bool) if complete else answered
    means = np.zeros(values.shape[:2])
    for place, measure in enumerate(measures):
        means[:, place] = _summary(measure, values[:, place], counted, answered, rules)
    return means


def _check_needs(measures: Sequence[Measure], given: Given) -> None:
    for measure in measures:
        needs = measure.definition.needs
        if needs == "evidence":
            raise MeasureError(f"{measure} is of parts of documents; expected a measure of whole documents.")
        if needs and getattr(given, needs) is None:
            raise MeasureError(f"{measure} needs {_NEEDS[needs]}, which was not given.")


def _refuse_missing(answered: NDArray[np.bool_], qrels: Qrels) -> None:
    missing = np.argwhere(~answered)
    if len(missing):
        run, place = (int(index) for index in missing[0])
        raise MissingTopic(run, place, bytes(qrels.topics[place]).decode("utf-8", "replace"))


def _values(judged: Judged, measures: Sequence[Measure], rel: int, judged_only: bool) -> NDArray[np.float64]:
    """Measures × runs × topics."""
    levels: dict[tuple[int, bool], Level] = {}
    values = np.zeros((len(measures), judged.runs, len(judged.qrels.topics)))
    for place, measure in enumerate(measures):
        view = measure.rel or rel, judged_only or measure.judged_only
        if view not in levels:
            levels[view] = Level(judged.condensed if view[1] else judged, view[0])
        values[place] = measure.values(levels[view]).reshape(values.shape[1:])
    return values


def _summary(
    measure: Measure, values: NDArray[np.float64], counted: NDArray[np.bool_], answered: NDArray[np.bool_], rules: Rules
) -> NDArray[np.float64]:
    """One figure per run from runs × topics."""
    kind = measure.definition.summary
    if kind == "sum":
        return _total(np.where(counted, values, 0.0))
    if kind == "geometric mean":
        return _geometric(values, counted, answered, rules)
    if kind == "mean of the defined":
        counted = counted & ~np.isnan(values)
    total, number = _total(np.where(counted, values, 0.0)), counted.sum(axis=1)
    return defined_ratio(total, number) if kind == "mean of the defined" else ratio(total, number)


def _geometric(
    values: NDArray[np.float64], counted: NDArray[np.bool_], answered: NDArray[np.bool_], rules: Rules
) -> NDArray[np.float64]:
    """exp of the mean log, no topic below LEAST; trec_eval 9 adds the missing ones at the end."""
    logs = np.log(np.maximum(values, LEAST))
    total = _total(np.where(counted & answered if not rules.shows_missing else counted, logs, 0.0))
    if not rules.shows_missing:
        total = total + (counted & ~answered).sum(axis=1) * np.log(LEAST)
    number = counted.sum(axis=1)
    return np.where(number > 0, np.exp(total / np.maximum(number, 1)), 0.0)


def _total(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sum over the topics, one by one from the first to the last."""
    return np.cumsum(values, axis=1)[:, -1] if values.shape[1] else np.zeros(len(values))
