"""Scores of passages from Python, by characters: `from evaluation import evaluate_passages`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evaluation.core.definitions import Measure
    from evaluation.core.passages import Span
    from evaluation.scoring import Result
    from pooling.core.rankings import Rankings

    Marked = str | Path | Mapping[str, Mapping[str, Sequence[tuple[int, int]]]]
    Returned = str | Path | Mapping[str, Mapping[str, float]]


def evaluate_passages(marked: Marked, run: Returned, measures: Sequence[str | Measure]) -> Result:
    """Score a run of passages against those that assessors marked, over the topics with a marked passage.

    `marked`: {topic: {docno: [(start, end), …]}}, or the path of a file as `assize eval --passages` takes it. `run`:
    {topic: {"docno:start-end": score}}, or the path of a run of passages. Ends are not part of a passage.

    >>> from evaluation import evaluate_passages
    >>> marked = {"1": {"a": [(0, 100)], "b": [(50, 150)]}}
    >>> found = evaluate_passages(marked, {"1": {"a:50-150": 2.0, "b:0-100": 1.0}}, ["PartP@1", "PartR@2", "AiP"])
    >>> found.mean("PartP@1"), found.mean("PartR@2")
    (0.5, 0.5)
    """
    import numpy as np

    from evaluation.core.definitions import MeasureError
    from evaluation.core.evaluate import Scores
    from evaluation.core.passages import score_passages
    from evaluation.core.registry import parse_measure
    from evaluation.scoring import Result
    from pooling.core.keys import find_topics

    asked = tuple(parse_measure(one) if isinstance(one, str) else one for one in measures)
    for one in asked:
        if one.definition.needs != "evidence":
            raise MeasureError(f"{one} is of whole documents; expected PartP@k, PartR@k, PartF@k, iP@x or AiP.")
    returned = _returned(run)
    scored = score_passages(returned, _marked(marked))
    values = np.array([one.values(scored.found) for one in asked]).reshape(1, len(asked), len(scored.topics))
    answered = find_topics(returned.topics, scored.topics)[None] >= 0
    nothing = np.zeros(len(scored.topics), bool)
    return Result(Scores((returned.tag,), asked, scored.topics, values, values.mean(axis=2), answered, nothing, 1, True))


def _marked(marked: Marked) -> list[Span]:
    from evaluation.core.passages import read_marked

    if isinstance(marked, str | Path):
        return read_marked(Path(marked).read_text("utf-8"))
    found = [
        (topic.encode(), docno.encode(), *span)
        for topic, documents in marked.items()
        for docno, spans in documents.items()
        for span in spans
    ]
    if not found:
        raise ValueError("expected marked passages (topic docno start-end), found none")
    return found


def _returned(run: Returned) -> Rankings:
    from pooling.core.rankings import Rankings
    from pooling.core.runs import check_run

    if isinstance(run, Mapping):
        return Rankings.from_dict("run", run)
    found = check_run(Path(run).read_bytes(), max_per_topic=10**6)
    if found.passages is None:
        fault = next((one.message for one in found.report.findings if one.severity == "error"), "")
        raise ValueError(f"{run}: {fault or 'expected passages (docno:start-end), found documents'}")
    return found.passages
