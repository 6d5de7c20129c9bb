"""Measures of sampled pools, by the worked examples."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evaluation.core.evaluate import evaluate_rankings
from evaluation.core.judged import Given, Level, join
from evaluation.core.measures import sampled
from evaluation.core.qrels import Qrels
from evaluation.core.registry import MeasureError
from evaluation.on_files import eval as eval_files
from pooling.core.rankings import Rankings
from tests.golden import vectors


def material(vector: dict[str, Any]) -> tuple[Qrels, Rankings, Given]:
    judged = vector.get("prels") or vector["qrels"]
    grades = {docno: pair[0 if "prels" in vector else 1] for docno, pair in judged.items()}
    qrels = Qrels.from_dict({"1": grades})
    others = [judged[docno.decode()][1 if "prels" in vector else 0] for docno in qrels.docnos.tolist()]
    if "prels" in vector:
        given = Given(inclusion=np.array(others))
    else:
        given = Given(strata=np.array([int(name) - 1 for name in others]))
    ranking = {docno: float(-place) for place, docno in enumerate(vector["ranking"])}
    return qrels, Rankings.from_dict("t", {"1": ranking}), given


@pytest.mark.parametrize("vector", vectors("pooling", "xinfAP", "infNDCG", "statAP", "stat_P@k"))
def test_estimates_of_the_worked_example(vector: dict[str, Any]) -> None:
    qrels, run, given = material(vector)
    name = f"statP@{vector['params']['k']}" if vector["measure"] == "stat_P@k" else vector["measure"]
    scores = evaluate_rankings(qrels, [run], [name], given=given)
    assert scores.values[0, 0, 0] == pytest.approx(vector["expected"], abs=1e-9)


@pytest.mark.parametrize("vector", vectors("pooling", "est_num_rel", "stat_R"))
def test_the_number_of_relevant_documents_is_estimated(vector: dict[str, Any]) -> None:
    qrels, run, given = material(vector)
    level = Level(join(qrels, [run], given), 1)
    found = (sampled.xinf_num_rel if vector["measure"] == "est_num_rel" else sampled.stat_num_rel)(level)
    assert found.tolist() == pytest.approx([vector["expected"]], abs=1e-9)


def test_several_runs_and_topics_are_as_each_alone() -> None:
    cases = [vector.values[0] for vector in vectors("pooling", "xinfAP") if vector.values[0]["id"] != "xinfap-complete"]
    judged = cases[0]["qrels"]
    both = Qrels.from_dict({topic: {docno: grade for docno, (_, grade) in judged.items()} for topic in ("1", "2")})
    strata = np.array([int(judged[docno.decode()][0]) - 1 for docno in both.docnos.tolist()])
    runs = [
        Rankings.from_dict(case["id"], {t: {d: float(-i) for i, d in enumerate(case["ranking"])} for t in ("1", "2")})
        for case in cases
    ]
    scores = evaluate_rankings(both, runs, ["xinfAP", "infNDCG"], given=Given(strata=strata))
    assert scores.values[:, 0, 0].tolist() == pytest.approx([case["expected"] for case in cases], abs=1e-9)
    assert (scores.values[:, :, 0] == scores.values[:, :, 1]).all()


def test_nothing_relevant_gives_zero_and_nothing_told_is_refused() -> None:
    qrels, run = Qrels.from_dict({"1": {"a": 0, "b": -1}}), Rankings.from_dict("t", {"1": {"a": 1.0, "b": 0.5}})
    given = Given(strata=np.zeros(2, np.int64), inclusion=np.array([0.5, 0.0]))
    scores = evaluate_rankings(qrels, [run], ["xinfAP", "infNDCG", "statAP", "statP@1"], given=given)
    assert scores.values.reshape(-1).tolist() == [0, 0, 0, 0]
    with pytest.raises(MeasureError, match="xinfAP needs the stratum of every pooled document"):
        evaluate_rankings(qrels, [run], ["xinfAP"])


def write(path: Path, *, prels: bool = False) -> tuple[str, str]:
    case = vectors("pooling", "statAP" if prels else "xinfAP")[1].values[0]
    judged = case["prels"] if prels else case["qrels"]
    form = "1 {0} {1[0]} 1 {1[1]}\n" if prels else "1 0 {0} {1[0]} {1[1]}\n"
    (path / "sample").write_text("".join(form.format(docno, pair) for docno, pair in judged.items()))
    rows = "".join(f"1 Q0 {docno} 0 {-place} t\n" for place, docno in enumerate(case["ranking"]))
    (path / "run").write_text(rows)
    return str(path / "sample"), str(path / "run")


def test_eval_reads_sampled_qrels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert eval_files.main(["-m", "xinfAP", "-m", "infNDCG", *write(tmp_path)]) == 0
    assert capsys.readouterr().out.split() == ["xinfAP", "all", "0.3103", "infNDCG", "all", "0.4593"]


def test_eval_reads_prels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert eval_files.main(["-m", "statAP", *write(tmp_path, prels=True)]) == 0
    assert capsys.readouterr().out.split() == ["statAP", "all", "0.3522"]
    assert eval_files.main(["-m", "xinfAP", *write(tmp_path, prels=True)]) == 1
    assert "expected sampled qrels (topic 0 docno stratum grade)" in capsys.readouterr().err
    (tmp_path / "sample").write_text("1 0 a 1 0.5\n")
    assert eval_files.main(["-m", "statAP", str(tmp_path / "sample"), str(tmp_path / "run")]) == 2
    assert "say which, with --sample" in capsys.readouterr().err
