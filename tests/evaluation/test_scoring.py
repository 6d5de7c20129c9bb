"""From Python: what goes in, what comes out, what is refused; and the examples of the docstrings."""

import doctest
import gzip
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import polars
import pytest

from evaluation import compare, evaluate, evaluate_passages, passage_scoring, read_qrels, read_run, scoring, sources
from evaluation.core.comparison import TESTS
from tests.golden import FOLDER

QRELS = {"1": {"a": 2, "b": 0, "c": 1}, "2": {"a": 1}}
RUN = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"x": 2.0, "a": 1.0}}
MEASURES = ["AP", "nDCG@10", "P_5"]


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("".join(f"{t} 0 {d} {g}\n" for t, judged in QRELS.items() for d, g in judged.items()))
    run.write_text("".join(f"{t} Q0 {d} 1 {s} tagged\n" for t, docs in RUN.items() for d, s in docs.items()))
    return qrels, run


def test_docstrings_tell_the_truth() -> None:
    for module in (scoring, sources, passage_scoring):
        found = doctest.testmod(module)
        assert found.attempted and not found.failed


@pytest.mark.parametrize("kind", ["dict", "path", "text", "gzip", "pandas", "polars", "read"])
def test_every_way_in_gives_the_same_scores(kind: str, files: tuple[Path, Path]) -> None:
    qrels, run = files
    judged = [(t, d, g) for t, rows in QRELS.items() for d, g in rows.items()]
    scored = [(t, d, s) for t, rows in RUN.items() for d, s in rows.items()]
    if kind == "gzip":
        for path in files:
            path.write_bytes(gzip.compress(path.read_bytes()))
    frame = polars.DataFrame if kind == "polars" else pandas.DataFrame
    names = ["query_id", "doc_id"] if kind == "polars" else ["topic", "docno"]
    sources: dict[str, tuple[Any, Any]] = {
        "dict": (QRELS, RUN),
        "path": files,
        "text": (str(qrels), str(run)),
        "gzip": files,
        "pandas": (_frame(frame, [*names, "grade"], judged), _frame(frame, [*names, "score"], scored)),
        "polars": (_frame(frame, [*names, "relevance"], judged), _frame(frame, [*names, "score"], scored)),
        "read": (read_qrels(qrels), read_run(run)),
    }
    result = evaluate(*sources[kind], MEASURES)
    assert result.values.tolist() == evaluate(QRELS, RUN, MEASURES).values.tolist()
    assert result.topics == ("1", "2")
    assert result.runs == (("tagged",) if kind in ("path", "text", "gzip", "read") else ("run",))


def _frame(kind: Any, names: list[str], rows: list[tuple[Any, ...]]) -> Any:
    return kind({name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)})


def test_every_way_out_holds_the_same_scores() -> None:
    result = evaluate(QRELS, [RUN, RUN], [*MEASURES, "SL"])
    rows = result.to_polars().rows()
    assert rows[:2] == [("run", "1", "AP", result.per_topic("map")["1"]), ("run", "2", "AP", 0.5)]
    assert result.to_pandas().to_numpy().tolist() == [list(row) for row in rows]
    loaded = json.loads(result.to_json())
    assert loaded["runs"][0]["means"] == dict(zip(result.measures, result.means[0].tolist(), strict=True))
    assert loaded["runs"][1]["topics"]["2"]["AP"] == 0.5
    assert result.to_trec_eval(1).splitlines()[0] == "map                   \t1\t0.8333"
    assert "num_q                 \tall\t2" in result.to_trec_eval(1)
    with pytest.raises(KeyError, match="expected one of AP, nDCG@10, P@5, SL, found RR"):
        result.mean("RR")


def test_undefined_values_are_null_in_json() -> None:
    result = evaluate({"1": {"a": 1}, "2": {"a": 1}}, {"1": {"a": 1.0}}, ["SL"])
    assert json.loads(result.to_json())["runs"][0] == {
        "run": "run", "means": {"SL": 1.0}, "topics": {"1": {"SL": 1.0}, "2": {"SL": None}}
    }  # fmt: skip


@pytest.mark.parametrize(
    ("qrels", "run", "message"),
    [
        ("1 0 a 1\n", "1 Q0 a 1 x t\n", "run: line 1: expected a score that is a number"),
        ("1 0 a 1\n", "1 Q0 a 1 1 t\n1 Q0 b 2 nan t\n", 'run: line 2: expected a score that can be ranked, found "nan"'),
        ("1 0 a 1\n", "1 Q0 a 1 1\n", r"run: line 1: expected 6 columns \(topic Q0 docno rank score tag\), found 5"),
        ("1 0 a 1\n", "1 Q0 a 1 2 t\n1 Q0 a 1 1 t\n", 'run: topic "1": expected each document once, found "a" twice'),
        ("1 0 a 1\n", "", "run: expected lines of topic Q0 docno rank score tag, found none"),
        ("1 0 a 1\n", "1 Q0 a\0 1 1 t\n", "run: line 1: expected text, found a NUL byte"),
        ("1 0 a\n", "1 Q0 a 1 1 t\n", r"qrels: line 1: expected 4 columns \(topic 0 docno grade\), found 3"),
        ("1 0 a 1\n1 0 a 0\n", "1 Q0 a 1 1 t\n", 'qrels: topic "1": expected each document once, found "a" twice'),
    ],
)
def test_bad_files_are_refused_by_line(tmp_path: Path, qrels: str, run: str, message: str) -> None:
    (tmp_path / "qrels").write_text(qrels)
    (tmp_path / "run").write_text(run)
    with pytest.raises(ValueError, match=message):
        evaluate(tmp_path / "qrels", tmp_path / "run", ["AP"])
    if "qrels:" not in message:
        with pytest.raises(ValueError, match=message):
            read_run(tmp_path / "run")


def test_a_damaged_gzip_file_is_refused(files: tuple[Path, Path]) -> None:
    qrels, run = files
    run.write_bytes(gzip.compress(run.read_bytes() * 100)[:-9])
    with pytest.raises(ValueError, match="run: expected a whole gzip file, found a damaged one"):
        evaluate(qrels, run, ["AP"])


def test_what_is_no_source_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="expected a file that can be read, found none: No such file"):
        evaluate(tmp_path / "none", RUN, ["AP"])
    with pytest.raises(ValueError, match="expected a path, a dict, or a frame with columns topic/query_id/qid and"):
        evaluate(pandas.DataFrame({"topic": ["1"]}), RUN, ["AP"])
    with pytest.raises(ValueError, match="expected scores that can be ranked, found NaN"):
        evaluate(QRELS, pandas.DataFrame({"topic": ["1"], "docno": ["a"], "score": [np.nan]}), ["AP"])
    with pytest.raises(ValueError, match="Fallout needs the number of documents in the collection"):
        evaluate(QRELS, RUN, ["Fallout"])


def test_options_are_those_of_trec_eval() -> None:
    run = {"1": {"x": 4.0, "c": 3.0, "a": 2.0}}
    assert evaluate(QRELS, run, ["AP"], complete=False).mean("AP") == evaluate(QRELS, run, ["AP"]).mean("AP") * 2
    assert evaluate(QRELS, run, ["RR"], rel=2).per_topic("RR")["1"] == 1 / 3
    assert evaluate(QRELS, run, ["RR"], judged_only=True).per_topic("RR")["1"] == 1
    assert evaluate(QRELS, run, ["RR"], depth=1).per_topic("RR")["1"] == 0
    assert evaluate(QRELS, run, ["Fallout"], documents=11).per_topic("Fallout")["1"] == 1 / 9
    ties = {"1": {"b": 16777217.0, "c": 16777216.0}}
    assert evaluate(QRELS, ties, ["RR"], dialect="9").per_topic("RR")["1"] == 1
    assert evaluate(QRELS, ties, ["RR"]).per_topic("RR")["1"] == 0.5


@pytest.mark.parametrize("test", TESTS)
def test_compare_by_every_test(test: Any) -> None:
    topics = [str(number) for number in range(30)]
    qrels = {topic: {"a": 1} for topic in topics}
    runs = [
        {topic: {"a": 1.0, "b": float(-1 if place < most else 2)} for place, topic in enumerate(topics)} for most in (30, 20, 0)
    ]
    found = compare(qrels, runs, "RR", test=test)
    assert found.p("run", "run-3") is not None
    assert (found.p("run-3", "run") or 0) < 0.001
    assert [system.tag for system in found.found.systems] == ["run", "run-2", "run-3"]
    assert found.found.correction == ("" if "tukey" in test else "holm")
    assert json.loads(found.to_json()) == found.found.as_dict() | {"notes": []}
    assert str(compare(qrels, runs, "RR", test=test)) == str(found)


def test_compare_says_what_a_reader_should_know() -> None:
    few = compare({"1": {"a": 1}}, [{"1": {"a": 1.0}}, {"1": {"b": 1.0}}], "RR").found
    assert few.pairs[0].p is None
    assert few.notes[0] == "1 topic is too few to test; the differences alone are shown."
    assert few.notes[1].startswith("Judged@10 is 0.00 for run-2 and 1.00 for run: the comparison may be biased")
    with pytest.raises(ValueError, match="expected at least 2 runs to compare, found 1"):
        compare(QRELS, [RUN])
    with pytest.raises(ValueError, match="expected a measure that is defined for every topic, found SL"):
        compare({"1": {"a": 1}}, [{"1": {"b": 1.0}}, {"1": {"a": 1.0}}], "SL")


@pytest.mark.parametrize("case", ["unicode", "ties-docid-bytes", "crlf", "tabs", "no-final-newline"])
def test_nasty_files_score_alike_from_python(case: str) -> None:
    folder = FOLDER / "trec_eval" / case
    result = evaluate(folder / "qrels.txt", folder / "run.txt", ["map", "ndcg", "recip_rank"], dialect="10", complete=True)
    lines = [line.split("\t") for line in (folder / "answer.v10.txt").read_text().splitlines()]
    expected = {name.strip(): value for name, topic, value in lines if topic == "all"}
    assert [f"{mean:.4f}" for mean in result.means[0]] == [expected[name] for name in ("map", "ndcg", "recip_rank")]


def test_importing_it_loads_nothing_heavy() -> None:
    import subprocess

    told = "import sys, evaluation; print([name for name in ('django', 'polars', 'scipy', 'numpy') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_passages_from_files_and_from_dictionaries_score_the_same(tmp_path: Path) -> None:
    marked, run = tmp_path / "marked", tmp_path / "parts"
    marked.write_text("1 a 0-20,100-140\n2 b 5-10\n")
    run.write_text("1 Q0 a 1 3 parts 0 40\n1 Q0 a 2 2 parts 10 40\n1 Q0 a 3 1 parts 100 40\n")
    measures = ["PartP@1", "PartR@3", "AiP"]
    files = evaluate_passages(marked, run, measures)
    told = {"1": {"a": [(0, 20), (100, 140)]}, "2": {"b": [(5, 10)]}}
    plain = evaluate_passages(told, {"1": {"a:0-40": 3.0, "a:10-50": 2.0, "a:100-140": 1.0}}, measures)
    assert files.values.tolist() == plain.values.tolist()
    assert files.means[0, :2].tolist() == [0.25, 0.5]
    assert files.answered.tolist() == [[True, False]]
    assert "PartP@1               \tall\t0.2500\n" in files.to_trec_eval()
    with pytest.raises(ValueError, match="AP is of whole documents"):
        evaluate_passages(told, run, ["AP"])
    with pytest.raises(ValueError, match="expected marked passages"):
        evaluate_passages({}, run, ["AiP"])
    run.write_text("1 Q0 a 1 3 parts\n")
    with pytest.raises(ValueError, match=r"expected passages .docno:start-end., found documents"):
        evaluate_passages(told, run, ["AiP"])
