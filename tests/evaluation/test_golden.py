"""`assize eval` prints what trec_eval 9.0.8 and 10.0 print, byte for byte, and ends with their status."""

import json
from pathlib import Path

import pytest

from evaluation.core import trec_run
from evaluation.core.dialects import RULES
from evaluation.core.trec_files import read_qrels_table
from evaluation.on_files import eval as command
from pooling.core.qrels import read_qrels
from pooling.core.runs import read_run
from tests.golden import FOLDER

CASES = sorted(path.parent.name for path in (FOLDER / "trec_eval").glob("*/case.json"))
# Documented differences. Version 10 stands in a document of its own for a missing topic; a run that has none scores 0,
# whoever judged that name.
OTHERWISE = {("complete-bogus-docno", "answer.v10.c.txt")}
# What trec_eval lets pass or guesses at, and uploads do not, with the code of the reason.
REFUSED_RUNS = {
    "duplicate-in-run": "DOC_DUPLICATE",
    "rank-garbage": "RANK_NOT_INTEGER",
    "run-five-fields": "FIELDS",
    "score-scientific": "SCORE_NOT_FINITE",
}
REFUSED_QRELS = {"qrels-extra-field": "PRELS_LIKELY"}


@pytest.mark.parametrize("case", CASES)
def test_prints_what_trec_eval_prints(
    case: str, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    """With each set of flags. But for `rbp`, which 10.0 computes from memory it never set."""
    monkeypatch.chdir(FOLDER / "trec_eval" / case)
    answers = json.loads(Path("case.json").read_text())["answers"]
    for answer in answers:
        if (case, answer["file"]) in OTHERWISE:
            continue
        status = command.main([*answer["flags"], "--dialect", answer["dialect"], "qrels.txt", "run.txt"])
        out, err = capsysbinary.readouterr()
        printed = b"".join(line for line in out.splitlines(keepends=True) if not line.startswith(b"rbp"))
        assert printed == Path(answer["file"]).read_bytes(), answer["file"]
        assert status == answer["exit"], answer["file"]
        assert not status or err.decode().replace("\n", " ") == answer["stderr"], answer["file"]
    assert answers


@pytest.mark.parametrize("case", [case for case in CASES if case not in REFUSED_RUNS | REFUSED_QRELS])
def test_the_quick_reader_finds_the_same(case: str) -> None:
    """In pieces as small as a topic; what it leaves to the careful reader is equal anyway."""
    folder = FOLDER / "trec_eval" / case
    qrels, _ = read_qrels_table((folder / "qrels.txt").read_bytes())
    opened = trec_run.opened_bytes((folder / "run.txt").read_bytes())
    for rules in (rules for rules in RULES.values() if rules.comments or case != "comments"):
        (careful,) = trec_run.read_hits([opened], qrels, rules, fast=False)
        (quick,) = trec_run.read_hits([opened], qrels, rules, piece=1)
        for name in ("tag", "strangers", "guessed"):
            assert getattr(quick, name) == getattr(careful, name)
        for name in ("places", "ranks", "items", "num_ret"):
            assert getattr(quick, name).tolist() == getattr(careful, name).tolist()


def test_a_missing_topic_scores_zero_whatever_was_judged(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(FOLDER / "trec_eval" / "complete-bogus-docno")
    assert command.main(["-q", "-c", "-m", "num_ret", "-m", "map", "--dialect", "10", "qrels.txt", "run.txt"]) == 0
    values = [line.split()[2] for line in capsys.readouterr().out.splitlines()]
    assert [value for count, value in zip(values[::2], values[1::2], strict=True) if count == "0"] == ["0.0000"]


@pytest.mark.parametrize(("case", "code"), REFUSED_RUNS.items())
def test_runs_that_trec_eval_guesses_at_are_refused_as_uploads(case: str, code: str) -> None:
    rankings, _, report = read_run((FOLDER / "trec_eval" / case / "run.txt").read_bytes())
    assert rankings is None
    assert report.findings[0].code == code


@pytest.mark.parametrize(("case", "code"), REFUSED_QRELS.items())
def test_qrels_that_trec_eval_refuses_are_refused_as_uploads(case: str, code: str) -> None:
    columns, report = read_qrels((FOLDER / "trec_eval" / case / "qrels.txt").read_bytes())
    assert columns is None
    assert report.findings[0].code == code
