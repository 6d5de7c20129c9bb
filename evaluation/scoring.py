"""Scores from Python: `from evaluation import evaluate, compare, read_run, read_qrels`. No settings, no database.

>>> from evaluation import compare, evaluate
>>> qrels = {"1": {"a": 2, "b": 0, "c": 1}, "2": {"a": 1}}
>>> run = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"x": 2.0, "a": 1.0}}
>>> result = evaluate(qrels, run, ["AP", "nDCG@10", "P@1"])
>>> result.mean("AP")
0.6666666666666666
>>> result.per_topic("P@1")
{'1': 1.0, '2': 0.0}
>>> print(result.to_trec_eval(per_topic=False).expandtabs(), end="")
runid                   all     run
num_q                   all     2
map                     all     0.6667
ndcg_cut_10             all     0.7906
P_1                     all     0.5000
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from evaluation.core.comparison import Comparison as Compared
    from evaluation.core.comparison import Test
    from evaluation.core.definitions import Measure
    from evaluation.core.dialects import Rules
    from evaluation.core.evaluate import Scores
    from evaluation.core.judged import Given, Judged
    from evaluation.core.qrels import Qrels
    from evaluation.core.significance import Correction
    from evaluation.core.trec_run import RunHits
    from evaluation.sources import QrelsSource, RunSource
    from pooling.core.rankings import Dialect


@dataclass(frozen=True, eq=False)
class Result:
    """What `evaluate` returns.

    `runs`, `measures` and `topics` name the axes of `values` (runs × measures × topics, NaN where undefined) and `means`
    (runs × measures; counts are summed, GMAP is a geometric mean; NaN where no topic defines a measure). `answered`
    (runs × topics) tells where a run has documents.

    >>> from evaluation import evaluate
    >>> result = evaluate({"1": {"a": 1}}, [{"1": {"a": 1.0}}, {"1": {"b": 2.0, "a": 1.0}}], ["RR", "NumRet"])
    >>> result.values.tolist()
    [[[1.0], [1.0]], [[0.5], [2.0]]]
    >>> result.means.tolist()
    [[1.0, 1.0], [0.5, 2.0]]
    """

    scores: Scores

    @property
    def runs(self) -> tuple[str, ...]:
        return self.scores.tags

    @property
    def measures(self) -> tuple[str, ...]:
        return tuple(str(measure) for measure in self.scores.measures)

    @property
    def topics(self) -> tuple[str, ...]:
        return tuple(topic.decode("utf-8", "replace") for topic in self.scores.topics.tolist())

    @property
    def values(self) -> NDArray[np.float64]:
        return self.scores.values

    @property
    def means(self) -> NDArray[np.float64]:
        return self.scores.means

    @property
    def answered(self) -> NDArray[np.bool_]:
        return self.scores.answered

    def mean(self, measure: str, run: int = 0) -> float:
        """One run's mean of a measure, under any of its names."""
        return float(self.means[run, self._column(measure)])

    def per_topic(self, measure: str, run: int = 0) -> dict[str, float]:
        """One run's scores by a measure, topic by topic."""
        return dict(zip(self.topics, self.values[run, self._column(measure)].tolist(), strict=True))

    def _column(self, measure: str) -> int:
        from evaluation.core.registry import parse_measure

        name = str(parse_measure(measure))
        if name not in self.measures:
            raise KeyError(f"expected one of {', '.join(self.measures)}, found {name}")
        return self.measures.index(name)

    def _long(self) -> dict[str, list[Any]]:
        rows = [
            (run, topic, measure, value)
            for run, table in zip(self.runs, self.values.tolist(), strict=True)
            for measure, row in zip(self.measures, table, strict=True)
            for topic, value in zip(self.topics, row, strict=True)
        ]
        columns = list(zip(*rows, strict=True)) if rows else [()] * 4
        return {name: list(column) for name, column in zip(("run", "topic", "measure", "value"), columns, strict=True)}

    def to_pandas(self) -> Any:
        """A pandas frame of run, topic, measure and value; pandas must be installed."""
        import pandas

        return pandas.DataFrame(self._long())

    def to_polars(self) -> Any:
        """The same as a polars frame.

        >>> from evaluation import evaluate
        >>> evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, ["RR"]).to_polars().rows()
        [('run', '1', 'RR', 1.0)]
        """
        import polars

        return polars.DataFrame(self._long())

    def to_json(self) -> str:
        """One JSON document: runs, each with its means and, per topic, its scores; null where undefined.

        >>> from evaluation import evaluate
        >>> evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, ["RR"]).to_json()
        '{"measures": ["RR"], "runs": [{"run": "run", "means": {"RR": 1.0}, "topics": {"1": {"RR": 1.0}}}]}'
        """
        runs = [
            {
                "run": run,
                "means": _defined(self.measures, means),
                "topics": {
                    topic: _defined(self.measures, row) for topic, row in zip(self.topics, table.T.tolist(), strict=True)
                },
            }
            for run, means, table in zip(self.runs, self.means.tolist(), self.values, strict=True)
        ]
        return json.dumps({"measures": list(self.measures), "runs": runs})

    def to_trec_eval(self, run: int = 0, *, per_topic: bool = True) -> str:
        """One run's scores as `trec_eval` prints them, with runid and num_q."""
        from evaluation.core.registry import parse_measure
        from evaluation.core.trec_names import Line
        from evaluation.core.trec_output import summary_text, topic_texts

        lines = [Line.of(measure) for measure in self.scores.measures if measure.trec_eval != "num_q"]
        number = len(self.topics) if self.scores.complete else int(self.answered[run].sum())
        counted = f"{parse_measure('NumQ').trec_eval:<22}\tall\t{number}\n"
        parts = list(topic_texts(self.scores, run, lines)) if per_topic else []
        named = summary_text(self.scores, run, [Line("runid", special="runid")])
        return "".join([*parts, named, counted, summary_text(self.scores, run, lines)])


def _defined(names: Sequence[str], values: Sequence[float]) -> dict[str, float | None]:
    return {name: None if value != value else value for name, value in zip(names, values, strict=True)}


@dataclass(frozen=True, eq=False)
class Comparison:
    """What `compare` returns: `found` holds systems, pairs and notes; the rest are ways to show them."""

    found: Compared

    def p(self, first: str, second: str) -> float | None:
        """The p-value of a pair of runs, corrected if there are several pairs."""
        for pair in self.found.pairs:
            if {pair.first, pair.second} == {first, second}:
                return pair.p_adjusted
        raise KeyError(f"expected two of {', '.join(one.tag for one in self.found.systems)}, found {first} and {second}")

    def to_json(self) -> str:
        return json.dumps(self.found.as_dict())

    def to_latex(self) -> str:
        from evaluation.core import comparison_text

        return comparison_text.latex(self.found)

    def __str__(self) -> str:
        from evaluation.core import comparison_text

        return comparison_text.text(self.found)


def evaluate(
    qrels: QrelsSource,
    run: RunSource | Sequence[RunSource],
    measures: Sequence[str | Measure],
    *,
    rel: int = 1,
    complete: bool = True,
    judged_only: bool = False,
    depth: int | None = None,
    dialect: Dialect | None = None,
    documents: int | None = None,
    top: int | None = None,
    relevant_topics: bool = False,
    known: Mapping[str, Iterable[str]] | None = None,
    expected: Mapping[str, int] | None = None,
) -> Result:
    """Score a run, or a list of runs, by measures under our names or trec_eval's.

    Qrels and runs are paths of files (gzipped or not), {topic: {docno: grade or score}}, pandas or polars frames, or
    what `read_qrels` and `read_run` return. `rel`: the grade from which a document is relevant. `complete`: topics that
    a run lacks count as zero; otherwise its mean is over those it has. `judged_only`: leave unjudged documents out.
    `depth`: read so many documents of a topic at most. `dialect`: "9" or "10" for trec_eval's rules. `documents`: how
    many the collection holds. `top`: the highest grade of the scale, the highest of the qrels unless given.
    `relevant_topics`: leave out topics that have no relevant document, which score 0 otherwise. For measures of what a
    run gives to one user: `known`, by topic the docnos that the user knows, and `expected`, how many relevant documents
    the user expects to find.

    A file, or a measure, that cannot be understood is a ValueError that says where and why.

    >>> from evaluation import evaluate
    >>> evaluate({"1": {"a": 1}}, {"1": {"b": 2.0, "a": 1.0}}, ["recip_rank"]).mean("RR")
    0.5
    >>> judged, run = {"1": {"a": 1, "b": 2, "c": 1}, "2": {"a": 0}}, {"1": {"b": 3.0, "x": 2.0, "c": 1.0}}
    >>> told = {"known": {"1": ["a", "b"]}, "expected": {"1": 2}}
    >>> evaluate(judged, run, ["Coverage", "Novelty", "RelRecall", "RecallEffort"], **told).means.tolist()
    [[0.5, 0.5, 1.0, 0.6666666666666666]]
    >>> evaluate(judged, run, ["RR"]).mean("RR"), evaluate(judged, run, ["RR"], relevant_topics=True).mean("RR")
    (0.5, 1.0)
    >>> evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, ["P"])
    Traceback (most recent call last):
    ...
    evaluation.core.definitions.MeasureError: "P": P needs a cutoff, as in P@10.
    """
    from evaluation.core.dialects import RULES
    from evaluation.core.evaluate import evaluate_judged
    from evaluation.core.judged import Given
    from evaluation.core.registry import parse_measure
    from evaluation.sources import read_qrels

    rules = RULES[dialect]
    parsed = [parse_measure(measure) if isinstance(measure, str) else measure for measure in measures]
    judgments = read_qrels(qrels, dialect=dialect)
    if relevant_topics:
        judgments = judgments.only(judgments.num_rel(rel) > 0)
    given = Given(
        rules.recall_points,
        documents,
        top,
        None if known is None else judgments.marked((topic, docno) for topic, docnos in known.items() for docno in docnos),
        None if expected is None else judgments.by_topic(expected),
    )
    judged, tags = _judged(judgments, _listed(run), rules, depth, given)
    return Result(evaluate_judged(judged, tags, parsed, rel=rel, complete=complete, judged_only=judged_only, rules=rules))


def compare(
    qrels: QrelsSource,
    runs: Sequence[RunSource],
    measure: str | Measure = "AP",
    *,
    test: Test | None = None,
    correction: Correction = "holm",
    baseline: int | None = None,
    rel: int = 1,
    seed: int | None = None,
) -> Comparison:
    """Compare two or more runs topic by topic: randomization test for two, randomized Tukey for more, unless told.

    `test`: randomization, t, wilcoxon, sign, bootstrap, tukey or randomized-tukey; where a test minds only its own pair,
    p-values are corrected by `correction` (holm, bh, bonferroni). `baseline`: the place of the run all others are
    compared with. The same `seed` gives the same answer.

    >>> from evaluation import compare
    >>> topics = [str(number) for number in range(12)]
    >>> qrels = {topic: {"a": 1} for topic in topics}
    >>> good = {topic: {"a": 1.0} for topic in topics}
    >>> poor = {topic: {"b": 2.0, "a": 1.0} for topic in topics}
    >>> found = compare(qrels, [good, poor], "RR")
    >>> found.p("run", "run-2") < 0.01
    True
    """
    from evaluation.core.comparison import SEED, compare_scores

    sources = list(runs)
    result = evaluate(qrels, sources, [measure, "Judged@10"], rel=rel)
    shares = [None if share != share else share for share in result.means[:, 1].tolist()]
    found = compare_scores(
        _distinct(result.runs),
        result.values[:, 0],
        result.measures[0],
        test=test,
        correction=correction,
        baseline=baseline,
        judged=shares,
        seed=SEED if seed is None else seed,
    )
    return Comparison(found)


def _judged(
    qrels: Qrels,
    runs: Sequence[RunSource],
    rules: Rules,
    depth: int | None,
    given: Given,
) -> tuple[Judged, tuple[str, ...]]:
    """Paths are streamed, anything else is joined as it is."""
    from evaluation.core.judged import join
    from evaluation.core.trec_files import FileFault, opener
    from evaluation.core.trec_run import judged_rankings, read_hits
    from evaluation.sources import read_run
    from pooling.core.rankings import Rankings

    if runs and all(isinstance(run, str | Path) for run in runs):
        names = [str(run) for run in runs]
        hits: list[RunHits] = []
        try:
            for found in read_hits([opener(name) for name in names], qrels, rules, depth):
                hits.append(_sound(names[len(hits)], found, qrels))
        except FileFault as fault:
            raise ValueError(f"{names[len(hits)]}: {fault}") from fault
        return judged_rankings(qrels, hits, given), tuple(run.tag for run in hits)
    rankings = [run.reordered(rules.order) if isinstance(run, Rankings) else read_run(run, dialect=rules.order) for run in runs]
    judged = join(qrels, rankings, given)
    return (judged if depth is None else judged.cut(depth)), tuple(run.tag for run in rankings)


def _sound(name: str, hits: RunHits, qrels: Qrels) -> RunHits:
    from evaluation.sources import guessed, twice

    if hits.guessed:
        raise ValueError(guessed(name, hits.guessed))
    if hits.repeated:
        raise ValueError(twice(name, hits.repeated.docno, bytes(qrels.topics[hits.repeated.place])))
    return hits


def _listed(run: RunSource | Sequence[RunSource]) -> Sequence[RunSource]:
    return run if isinstance(run, list | tuple) else [run]


def _distinct(tags: Sequence[str]) -> list[str]:
    """Tags that can be told apart: the second "run" becomes "run-2"."""
    found: list[str] = []
    for tag in tags:
        number, name = 1, tag
        while name in found:
            number += 1
            name = f"{tag}-{number}"
        found.append(name)
    return found
