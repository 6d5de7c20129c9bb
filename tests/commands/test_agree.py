"""`assize agree` on files alone."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from assess.on_files.agree import main

TEXTBOOK = [(1, 1)] * 300 + [(1, 0)] * 20 + [(0, 1)] * 10 + [(0, 0)] * 70


@pytest.fixture
def textbook(tmp_path: Path) -> Path:
    """The textbook's 400 documents: 300 relevant to both, 20 and 10 to one alone, 70 to neither."""
    path = tmp_path / "judgments.csv"
    rows = [f"1,d{i},Ida,{one}\n1,d{i},Max,{other}\n" for i, (one, other) in enumerate(TEXTBOOK)]
    path.write_text("topic,docno,assessor,grade\n" + "".join(rows))
    return path


@pytest.fixture
def graded(tmp_path: Path) -> Path:
    """Three assessors, two topics, grades 0 to 2, with a gap."""
    path = tmp_path / "graded.tsv"
    columns = {"Ida": "012201210012", "Max": "012101220011", "Nora": "02-201110012"}
    rows = [
        f"{'A' if place < 6 else 'B'}\td{place}\t{name}\t{grade}\n"
        for name, grades in columns.items()
        for place, grade in enumerate(grades)
        if grade != "-"
    ]
    path.write_text("topic\tdocid\tassessor\tgrade\n" + "".join(rows))
    return path


def asked(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> Any:
    assert main([*map(str, arguments), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_textbook_example(textbook: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (view,) = asked(capsys, textbook)["views"]
    shown = {key: f"{one['value']:.3f}" for key, one in view["figures"].items()}
    assert (shown["raw"], shown["cohen"], shown["pooled"]) == ("0.925", "0.776", "0.776")
    assert view["figures"]["cohen"]["value"] == pytest.approx(0.776119403, abs=1e-9)
    assert view["figures"]["pooled"]["value"] == pytest.approx(0.7759103641, abs=1e-9)
    assert view["figures"]["cohen"]["large_sample"] == pytest.approx([0.6999004081, 0.8523383978], abs=1e-9)
    assert (view["threshold"], view["figures"]["pooled"]["band"], view["figures"]["raw"]["band"]) == (1, "fair", None)


def test_textbook_example_as_a_table(textbook: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(textbook), "--levels", "0-1"]) == 0
    printed = capsys.readouterr()
    lines = [line.split() for line in printed.out.splitlines()]
    assert lines[0] == [
        "2",
        "assessors,",
        "1",
        "topic,",
        "400",
        "items,",
        "400",
        "judged",
        "by",
        "two",
        "or",
        "more.",
        "Levels",
        "0,",
        "1.",
    ]
    values = {" ".join(line[:-7]): line[-6] for line in lines if line[-1:] in (["fair"], ["good"], ["poor"])}
    assert values["Cohen's kappa"] == "0.7761"
    assert values["kappa (pooled marginals, Scott's pi)"] == "0.7759"
    assert lines[-6:-2] == [
        ["Grades", "of", "Ida", "(rows)", "and", "Max", "(columns):"],
        ["0", "1"],
        ["0", "70", "10"],
        ["1", "20", "300"],
    ]
    assert printed.err == ""


def test_qrels_of_two_assessors_give_the_same(textbook: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for place, name in enumerate(("Ida", "Max")):
        (tmp_path / f"{name}.qrels").write_text("".join(f"1 0 d{i} {pair[place]}\n" for i, pair in enumerate(TEXTBOOK)))
    assert asked(capsys, tmp_path / "Ida.qrels", tmp_path / "Max.qrels") == asked(capsys, textbook)


def test_three_assessors_with_pairs_and_topics(graded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = asked(capsys, graded, "--threshold", "2", "--threshold", "1", "--pairs", "--topics", "--resamples", "50")
    assert [view["threshold"] for view in found["views"]] == [None, 1, 2]
    assert (found["assessors"], found["levels"], found["topics"], found["items"]) == (["Ida", "Max", "Nora"], [0, 1, 2], 2, 12)
    on_grades, relevant, _ = found["views"]
    assert {"pairwise", "fleiss", "alpha_ordinal", "ac2_linear"} < set(on_grades["figures"])
    assert {"positive", "negative", "overlap"} < set(relevant["figures"])
    assert [(pair["first"], pair["second"], pair["figures"]["cohen"]["n"]) for pair in on_grades["pairs"]] == [
        *(("Ida", "Max", 12), ("Ida", "Nora", 11), ("Max", "Nora", 11))
    ]
    pairwise = [pair["figures"]["cohen"]["value"] for pair in on_grades["pairs"]]
    assert on_grades["figures"]["pairwise"]["value"] == pytest.approx(sum(pairwise) / 3, abs=1e-12)
    assert [(topic["topic"], topic["few"]) for topic in on_grades["by_topic"]] == [("A", True), ("B", True)]
    fleiss = [topic["figures"]["fleiss"]["value"] for topic in on_grades["by_topic"]]
    assert on_grades["topic_means"]["fleiss"] == {"mean": pytest.approx(sum(fleiss) / 2), "topics": 2, "undefined": 0}
    assert [sum(map(sum, one["counts"])) for one in found["tables"]] == [12, 11, 11]


def test_every_table_is_printed(graded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(graded), "--pairs", "--topics", "--resamples", "50", "--seed", "3"]) == 0
    printed = capsys.readouterr()
    for words in ("On the grades:", "Relevant from 1 on:", "FIRST  SECOND", "TOPIC", "MEAN OVER TOPICS", "few items"):
        assert words in printed.out
    assert printed.out.endswith("Intervals: 50 resamples of items, PCG64, seed 3.\n")
    assert printed.err == "The scale is taken to be 0 to 2, the highest grade found; --levels tells another.\n"


def test_same_seed_same_bytes(graded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, again, other = (asked(capsys, graded, "--seed", seed, "--resamples", "100") for seed in ("1", "1", "2"))
    assert one == again != other


def test_no_resamples_no_intervals(textbook: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = asked(capsys, textbook, "--resamples", "0")
    assert found["bootstrap"] is None
    assert {one["interval"] for one in found["views"][0]["figures"].values()} == {None}


def test_faults_end_with_status_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bad.txt"
    path.write_text("1 d1 Ida 0\n1 d1 Ida 1\n1 d2 Ida x\n")
    assert main([str(path)]) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.splitlines() == [
        f"{path}:2: error: Ida judged document d1 of topic 1 on line 1 with grade 0, here with 1; one of them is expected.",
        f'{path}:3: error: Grade "x" is not an integer.',
        "To take the earlier or the later of two grades, add --repeats first or --repeats last.",
    ]
    assert main([str(tmp_path / "none.txt")]) == 1
    assert capsys.readouterr().err == f"Error: {tmp_path / 'none.txt'}: No such file or directory.\n"


def test_topics_are_resampled_only_if_there_are_enough(graded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(graded), "--unit", "topics"]) == 1
    assert capsys.readouterr().err == "Error: expected at least 10 topics to resample topics, found 2.\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--threshold", "7"], "expected a threshold from 1 to 1, found 7"),
        (["--levels", "0-500"], "expected two or more levels from 0 to 127, as 0-3 or 0,1,2, found 0-500"),
        (["--levels", "few"], "expected two or more levels from 0 to 127, as 0-3 or 0,1,2, found few"),
        (["--confidence", "95"], "expected a --confidence between 0 and 1"),
        (["--resamples", "9" * 20], f"argument --resamples: expected a whole number from 0 to 100000, found “{'9' * 20}”"),
    ],
)
def test_wrong_usage(textbook: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([str(textbook), *arguments])
    assert ended.value.code == 2
    assert capsys.readouterr().err.endswith(f"assize agree: error: {message}\n")


def test_runs_without_django(textbook: Path) -> None:
    code = "import sys; from config import cli; status = cli.main(); sys.exit(status or 'django' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code, "agree", str(textbook), "--json"], cwd=settings.BASE_DIR, capture_output=True, timeout=60
    )
    assert (done.returncode, json.loads(done.stdout)["shared"]) == (0, 400)
