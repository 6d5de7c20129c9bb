"""Scores of runs against judgments. `from evaluation import evaluate` needs neither settings nor a database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evaluation.core.evaluate import Scores
    from evaluation.core.qrels import Qrels
    from pooling.core.findings import Report
    from pooling.core.rankings import Rankings


def evaluate(
    qrels: str | Path | Mapping[str, Mapping[str, int]],
    run: str | Path | Mapping[str, Mapping[str, float]],
    measures: Sequence[str],
    *,
    rel: int = 1,
    complete: bool = True,
) -> Scores:
    """Score one run, given as paths of files (gzipped or not) or as {topic: {docno: grade or score}}.

    Files are checked as uploads are, but for a limit of documents per topic; what refuses a file is a ValueError.
    """
    from evaluation.core.evaluate import evaluate_rankings

    return evaluate_rankings(_qrels(qrels), [_rankings(run)], measures, rel=rel, complete=complete)


def _qrels(source: str | Path | Mapping[str, Mapping[str, int]]) -> Qrels:
    from evaluation.core.qrels import Qrels
    from pooling.core.lines import unpack
    from pooling.core.qrels import read_qrels

    if isinstance(source, Mapping):
        return Qrels.from_dict(source)
    columns, report = read_qrels(unpack(Path(source).read_bytes()))
    if columns is None:
        raise ValueError(_refusal(source, report))
    return Qrels.from_columns(columns)


def _rankings(source: str | Path | Mapping[str, Mapping[str, float]]) -> Rankings:
    import sys

    from pooling.core.lines import unpack
    from pooling.core.rankings import Rankings
    from pooling.core.runs import read_run

    if isinstance(source, Mapping):
        return Rankings.from_dict("run", source)
    rankings, _, report = read_run(unpack(Path(source).read_bytes()), max_per_topic=sys.maxsize)
    if rankings is None:
        raise ValueError(_refusal(source, report))
    return rankings


def _refusal(source: str | Path, report: Report) -> str:
    return f"{source}: {report.findings[0].message}"
