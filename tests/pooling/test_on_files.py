"""`assize check-run` and `assize pool`, with no site, no settings and no database."""

import gzip
import hashlib
import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from pooling.on_files import check_run, pool
from tests.pooling import files

SCRIPT = Path(sys.executable).with_name("assize")
ONE = files.run_file("one", t1="d1 d2 d3", t2="x1 x2")
TWO = files.run_file("two", t1="d2 d4 d1", t10="y1")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "one.run").write_bytes(ONE)
    (tmp_path / "two.run.gz").write_bytes(gzip.compress(TWO))
    (tmp_path / "topics.tsv").write_bytes(b"1\ta\n2\tb\n10\tc\n")
    (tmp_path / "docnos").write_bytes(b"d1\nd2\nd3\nd4\nx1\nx2\ny1\n")
    (tmp_path / "bad.run").write_bytes(b"1 Q0 d1 1 1_000 bad\n3 Q0 d9 1 2 bad\n")
    return tmp_path


def assize(*arguments: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    env = {name: value for name, value in os.environ.items() if not name.startswith(("ASSIZE_", "DJANGO_"))}
    return subprocess.run([str(SCRIPT), *arguments], cwd=folder, env=env, capture_output=True, text=True, timeout=100)


def test_check_run_as_a_person_sees_it(folder: Path) -> None:
    done = assize(
        "check-run", "one.run", "two.run.gz", "bad.run", "--topics", "topics.tsv", "--documents", "docnos", folder=folder
    )
    assert done.returncode == 1
    assert done.stdout == (
        "one.run: accepted, 5 lines for 2 topics\ntwo.run.gz: accepted, 4 lines for 2 topics\nbad.run: refused, 3 faults\n"
    )
    assert done.stderr.splitlines() == [
        "one.run: warning: No documents for topic 10; it will score 0.",
        "two.run.gz: warning: No documents for topic 2; it will score 0.",
        'bad.run:1: error: Score "1_000" is not a number; use a decimal point.',
        "bad.run:2: error: Topic 3 is not part of this collection.",
        "bad.run:2: error: Document d9 is not in the collection.",
        "bad.run: warning: No documents for topics 2 and 10; each will score 0.",
    ]


@pytest.mark.parametrize("option", ["--depth", "--max-per-topic"])
@pytest.mark.parametrize("number", ["0", "-5", "9" * 20, "x"])
def test_check_run_takes_numbers_in_bounds(option: str, number: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        check_run.main(["a.run", option, number])
    told = f"error: argument {option}: expected a whole number from 1 to 1000000000, found “{number}”\n"
    assert (ended.value.code, capsys.readouterr().err.endswith(told)) == (2, True)


def test_check_run_as_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status = check_run.main([str(folder / "one.run"), "--json", "--max-per-topic", "2", "--strict"])
    (report,) = json.loads(capsys.readouterr().out)
    assert (status, report["verdict"], report["tag"], report["counts"]) == (1, "refused", "one", {"TOO_MANY_DOCS": 1})
    assert report["findings"][0]["line"] == 3


def test_check_run_knows_how_long_the_documents_are(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "docs.jsonl").write_bytes(files.documents(["a", "b"], text="Wässer"))
    (folder / "spans.run").write_text("1 Q0 a 1 9 s 0 6\n1 Q0 b 2 8 s 3 4\n")
    assert check_run.main([str(folder / "spans.run"), "--documents", str(folder / "docs.jsonl")]) == 1
    assert "spans.run:2: error: " in capsys.readouterr().err
    (folder / "names").write_text("a\nb\n")
    assert check_run.main([str(folder / "spans.run"), "--documents", str(folder / "names")]) == 0


def test_check_run_takes_an_archive_apart(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with zipfile.ZipFile(folder / "runs.zip", "w") as archive:
        archive.writestr("deep/one.yaml", "efficiency: {cpu_seconds: soon}\n")
        archive.writestr("deep/one.run", ONE)
        archive.writestr("two.run.gz", gzip.compress(TWO))
    name = str(folder / "runs.zip")
    assert check_run.main([name, "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert [(one["file"], one["verdict"], one["counts"]) for one in told] == [
        (f"{name}/deep/one.run", "refused", {"METADATA": 1}),
        (f"{name}/two.run.gz", "accepted", {}),
    ]
    assert check_run.main([name, "--write", str(folder / "out")]) == 1
    assert "the archive holds 2" in capsys.readouterr().err and not (folder / "out").exists()


def test_check_run_reads_the_metadata_beside_a_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "one.yml").write_text("actor: [team\n")
    assert check_run.main([str(folder / "one.run")]) == 0
    assert check_run.main([str(folder / "one.run"), str(folder / "one.yml")]) == 1
    assert "one.run: error: The metadata is no YAML" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        check_run.main([str(folder / "one.yml")])


def test_what_cannot_be_read_is_said_in_a_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "cut.gz").write_bytes(gzip.compress(ONE)[:40])
    for name, words in (("no.run", "No such file or directory."), ("cut.gz", "ends too early")):
        assert check_run.main([str(folder / name)]) == pool.main([str(folder / name)]) == 1
        told = capsys.readouterr().err.splitlines()
        assert len(told) == 2 and all(line.startswith("Error: ") and words in line for line in told)
    assert pool.main([str(folder / "bad.run")]) == 1
    assert "bad.run:1: error: Score" in capsys.readouterr().err


def test_pool_equals_a_shell_pipeline(folder: Path) -> None:
    """The runs' lines are in order, so that awk and sort know the pool too."""
    done = assize("pool", "one.run", "two.run.gz", "--depth", "2", folder=folder)
    pipeline = "for f in one.run two.run.gz; do gzip -dcf $f; done | awk '$4 <= 2 {print $1, $3}' | LC_ALL=C sort -u"
    counted = subprocess.run(["sh", "-c", pipeline], cwd=folder, capture_output=True, text=True, check=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == counted.stdout == "1 d1\n1 d2\n1 d4\n10 y1\n2 x1\n2 x2\n"


def test_pool_as_json_and_its_sizes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = [str(folder / name) for name in ("one.run", "two.run.gz")]
    assert pool.main([*names, "--depth", "1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["strategy"], found["parameters"]) == ("depth", {"depth": 1, "ties": "evaluation"})
    assert [(run["tag"], run["pooled"], run["unique"]) for run in found["runs"]] == [("one", 2, 2), ("two", 2, 2)]
    raw = [(folder / name).read_bytes() for name in ("one.run", "two.run.gz")]
    assert [run["sha256"] for run in found["runs"]] == [hashlib.sha256(data).hexdigest() for data in raw]
    assert found["items"][0] == {"topic": "1", "docno": "d1", "best_rank": 1, "runs": 1}
    assert pool.main([*names, "--depth", "3", "--sizes"]) == 0
    assert capsys.readouterr().out == "1 4\n2 6\n3 7\n"
    assert pool.main([*names, "--strategy", "rrf", "--budget", "1"]) == 0
    assert capsys.readouterr().out == "1 d2\n10 y1\n2 x1\n"


def test_pool_of_the_first_runs_of_each_group(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = [str(folder / name) for name in ("one.run", "two.run.gz")]
    (folder / "groups").write_text("# tag group priority\none north 2\ntwo north 1\n")
    assert pool.main([*names, "--depth", "1", "--per-group", "1", "--groups", str(folder / "groups")]) == 0
    assert capsys.readouterr().out == "1 d2\n10 y1\n"
    assert pool.main([*names, "--depth", "2", "--groups", str(folder / "groups"), "--json"]) == 0
    told = {"group": "north", "run": "", "runs": 2, "pooled": 6, "unique": 6}
    assert json.loads(capsys.readouterr().out)["groups"] == [told]
    for strangers in ("", "# tag group\n", "One north\n"):
        (folder / "groups").write_text(strangers)
        assert pool.main([*names, "--groups", str(folder / "groups")]) == 1
        said = f"Error: {folder}/groups: expected a line of tag and group for the runs one, two; found none of them.\n"
        assert capsys.readouterr().err == said
    (folder / "groups").write_text("one\n")
    assert pool.main([*names, "--groups", str(folder / "groups")]) == 1


def test_wrong_usage_ends_with_2(folder: Path) -> None:
    for arguments in (
        ["--depth", "0"],
        ["--budget", "3"],
        ["--strategy", "best"],
        ["--strategy", "rrf", "--sizes"],
        ["--per-group", "1"],
    ):
        with pytest.raises(SystemExit) as end:
            pool.main([str(folder / "one.run"), *arguments])
        assert end.value.code == 2


def test_files_alone_load_no_django(folder: Path) -> None:
    for name in ("check_run", "pool"):
        code = f"import sys; from pooling.on_files import {name}; {name}.main(['one.run']); sys.exit('django' in sys.modules)"
        root = str(Path(__file__).resolve().parents[2])
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=folder, env={**os.environ, "PYTHONPATH": root}, capture_output=True
        )
        assert done.returncode == 0, done.stderr


def test_the_shell_is_there() -> None:
    """The pipelines that count independently need no more than every system has."""
    assert all(shutil.which(name) for name in ("sh", "awk", "sort", "gzip"))


def test_pool_in_the_order_that_judgments_lead_to(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "qrels").write_bytes(b"1 0 d1 0\n1 0 d2 1\n1 0 d4 1\n")
    runs = [str(folder / "one.run"), str(folder / "two.run.gz")]
    assert pool.main([*runs, "--strategy", "mtf", "--qrels", str(folder / "qrels"), "--budget", "3"]) == 0
    assert capsys.readouterr().out == "1 d1\n1 d2\n1 d4\n10 y1\n2 x1\n2 x2\n"
    assert pool.main([*runs, "--strategy", "mtf", "--qrels", str(folder / "qrels"), "--json"]) == 0
    first = json.loads(capsys.readouterr().out)["items"][1]
    assert first == {"topic": "1", "docno": "d2", "run": "two", "why": "priority 0", "relevant": True}


def test_pool_by_chance_tells_the_probabilities(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--strategy", "two-strata", "--budget", "3", "--depth", "3", "--seed", "4"]
    runs = [str(folder / "one.run"), str(folder / "two.run.gz")]
    assert pool.main([*runs, *options, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    of_first = [row for row in told["sample"] if row["topic"] == "1"]
    assert [(row["stratum"], row["inclusion"]) for row in of_first].count((1, 1.0)) == 3
    assert sum(row["drawn"] for row in of_first) == 3 and told["seed"] == 4


@pytest.mark.parametrize(
    ("options", "words"),
    [(["--strategy", "mtf"], "expected them by --qrels FILE"), (["--strategy", "cal", "--qrels", "q"], "reads the documents")],
)
def test_pool_says_what_a_strategy_needs(options: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        pool.main(["one.run", *options])
    assert stopped.value.code == 2 and words in capsys.readouterr().err
