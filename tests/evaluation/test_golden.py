"""Equal to what trec_eval 9.0.8 and 10.0 print, to the last digit they print."""

import json
from typing import Any

import pytest

from evaluation import evaluate
from evaluation.core.evaluate import evaluate_rankings, trec_eval_text
from evaluation.core.qrels import Qrels
from evaluation.core.registry import MeasureError, parse_measure
from pooling.core.qrels import read_qrels
from pooling.core.runs import read_run
from tests.golden import FOLDER

CASES = sorted(path.parent.name for path in (FOLDER / "trec_eval").glob("*/case.json"))
# What trec_eval lets pass or guesses at, and we refuse, with the code of the reason.
REFUSED_RUNS = {
    "duplicate-in-run": "DOC_DUPLICATE",
    "rank-garbage": "RANK_NOT_INTEGER",
    "run-five-fields": "FIELDS",
    "score-scientific": "SCORE_NOT_FINITE",
}
# Version 10 stands in a document of its own for a missing topic; a run that has none scores 0, whoever judged that name.
OTHERWISE = {("complete-bogus-docno", "answer.v10.c.txt")}
REFUSED_QRELS = {"qrels-extra-field": "PRELS_LIKELY"}


def answers() -> list[Any]:
    return [
        pytest.param(case, answer, id=f"{case}-{answer['file']}")
        for case in CASES
        if case not in REFUSED_RUNS | REFUSED_QRELS
        for answer in json.loads((FOLDER / "trec_eval" / case / "case.json").read_text())["answers"]
        if answer["exit"] == 0 and (case, answer["file"]) not in OTHERWISE
    ]


def expected_lines(case: str, file: str) -> dict[tuple[str, str], str]:
    """Of the lines printed, those of measures that the registry has."""
    lines = (FOLDER / "trec_eval" / case / file).read_text().splitlines()
    rows = [[field.strip() for field in line.split("\t")] for line in lines]
    return {(name, topic): value for name, topic, value in rows if known(name)}


def known(name: str) -> bool:
    try:
        return parse_measure(name).trec_eval == name
    except MeasureError:
        return False


@pytest.mark.parametrize(("case", "answer"), answers())
def test_values_are_those_of_trec_eval(case: str, answer: dict[str, Any]) -> None:
    folder, flags = FOLDER / "trec_eval" / case, answer["flags"]
    rankings, _, report = read_run((folder / "run.txt").read_bytes())
    columns, _ = read_qrels((folder / "qrels.txt").read_bytes())
    assert rankings is not None and columns is not None, report.findings
    rankings = rankings.reordered(answer["dialect"])
    if "-M" in flags:
        rankings = rankings.cut(int(flags[flags.index("-M") + 1]))
    expected = expected_lines(case, answer["file"])
    scores = evaluate_rankings(
        Qrels.from_columns(columns),
        [rankings],
        sorted({name for name, _ in expected}),
        rel=int(flags[flags.index("-l") + 1]) if "-l" in flags else 1,
        complete="-c" in flags,
    )
    lines = [line.split("\t") for line in trec_eval_text(scores, 0).splitlines()]
    found = {(name.strip(), topic): value for name, topic, value in lines}
    if "-c" in flags:
        expected.pop(("num_rel", "all"), None)  # trec_eval sums grades > 0 here, whatever -l says
        found = {key: value for key, value in found.items() if key in expected}  # version 9 leaves missing topics out
    assert found == expected


def test_a_missing_topic_scores_zero_whatever_was_judged() -> None:
    folder = FOLDER / "trec_eval" / "complete-bogus-docno"
    scores = evaluate(folder / "qrels.txt", folder / "run.txt", ["AP", "RR", "NumRet"])
    missing = ~scores.answered[0]
    assert missing.any()
    assert (scores.values[0][:, missing] == 0).all()


@pytest.mark.parametrize(("case", "code"), REFUSED_RUNS.items())
def test_runs_that_trec_eval_guesses_at_are_refused(case: str, code: str) -> None:
    rankings, _, report = read_run((FOLDER / "trec_eval" / case / "run.txt").read_bytes())
    assert rankings is None
    assert report.findings[0].code == code


@pytest.mark.parametrize(("case", "code"), REFUSED_QRELS.items())
def test_qrels_that_trec_eval_refuses_are_refused(case: str, code: str) -> None:
    columns, report = read_qrels((FOLDER / "trec_eval" / case / "qrels.txt").read_bytes())
    assert columns is None
    assert report.findings[0].code == code
