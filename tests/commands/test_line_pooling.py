import gzip
import zipfile
from pathlib import Path

import pytest
from pytest_django import Settings

from pooling import selectors
from pooling.models import Pool, Run, Upload
from tests.commands.conftest import Assize
from tests.conftest import Cast
from tests.pooling import files
from tests.pooling.files import run_file

pytestmark = [pytest.mark.django_db, pytest.mark.once]


@pytest.fixture(autouse=True)
def _own_data(settings: Settings, tmp_path: Path) -> None:
    settings.DATA = tmp_path / "data"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "topics.tsv").write_bytes(files.TOPICS)
    (tmp_path / "docs.jsonl.gz").write_bytes(gzip.compress(files.documents()))
    (tmp_path / "a.run").write_bytes(run_file("alpha", t1="d1 d2", t2="d3", t10="d4"))
    (tmp_path / "b.run").write_bytes(run_file("beta", t1="d2 d5", t2="d3", t10="d4"))
    (tmp_path / "bad.run").write_bytes(b"1 Q0 d1 1 2.0 bad\n1 Q0 d1 2\n")
    return tmp_path


def test_from_files_to_a_pool(assize: Assize, cast: Cast, folder: Path) -> None:
    done = assize("import-topics", "harbour-trials", folder / "topics.tsv")
    assert (done.status, done.out) == (0, "3 topics\n")
    assert assize("import-documents", "harbour-trials", folder / "docs.jsonl.gz").out == "5 documents\n"
    done = assize("import-run", "harbour-trials", folder / "a.run", folder / "b.run", "--group", "North", "--kind", "manual")
    assert (done.status, done.out) == (0, "alpha  3 topics  4 lines\nbeta  3 topics  4 lines\n")
    assert {(run.tag, run.group, run.kind, run.submitted_by) for run in Run.objects.all()} == {
        ("alpha", "North", "manual", cast.staff),
        ("beta", "North", "manual", cast.staff),
    }
    shown = assize("draw-pool", "harbour-trials", "--estimate", "--depth", "1", "--json").json
    assert [(row["depth"], row["items"]) for row in shown] == [(1, 4), (5, 5), (10, 5), (20, 5), (50, 5), (100, 5)]
    assert Pool.objects.count() == 0
    drawn = assize(
        "draw-pool", "harbour-trials", "--depth", "1", "--run", "alpha", "--json", "--by", "olga-organizer", "--seed", "5"
    )
    assert drawn.json == [{"round": 1, "strategy": "depth", "runs": 1, "items": 3, "seed": 5}]
    assert Pool.objects.get().drawn_by == cast.organizer
    again = assize("draw-pool", "harbour-trials", "--depth", "1", "--run", "alpha")
    assert again.status == 1 and "Nothing is new" in again.err
    assert not list((folder / "data" / "files").glob(".command-*"))


def test_documents_are_added_or_dropped_as_it_is_said(assize: Assize, cast: Cast, folder: Path) -> None:
    (folder / "more.jsonl").write_bytes(files.documents(["d5", "n1"]))
    assize("import-documents", "harbour-trials", folder / "docs.jsonl.gz")
    refused = assize("import-documents", "harbour-trials", folder / "more.jsonl")
    assert refused.status == 1 and "4 documents of the collection are not in the file and would be dropped;" in refused.err
    assert assize("import-documents", "harbour-trials", folder / "more.jsonl", "--add").out == "6 documents  4 kept\n"
    assert assize("import-documents", "harbour-trials", folder / "more.jsonl", "--drop").out == "2 documents  4 dropped\n"


def test_bad_run_is_listed_by_line_and_stores_nothing(assize: Assize, cast: Cast, folder: Path) -> None:
    assize("import-topics", "harbour-trials", folder / "topics.tsv")
    told = assize("import-run", "harbour-trials", folder / "bad.run", folder / "a.run")
    assert (told.status, told.out) == (1, "alpha  3 topics  4 lines\n")
    assert "bad.run:2: error: Line 2 has 4 columns; 6 are needed: topic Q0 docno rank score tag." in told.err.splitlines()
    assert told.err.splitlines()[-1] == "Error: Refused: 1 of 2 files. Nothing of it was stored."
    assert [run.tag for run in Run.objects.all()] == ["alpha"]
    assert Upload.objects.get(name="bad.run").path == ""


def test_bad_documents_leave_the_old(assize: Assize, cast: Cast, folder: Path) -> None:
    assize("import-documents", "harbour-trials", folder / "docs.jsonl.gz")
    told = assize("import-documents", "harbour-trials", folder / "a.run")
    assert told.status == 1
    assert selectors.documents(cast.collection).count() == 5


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("import-run", "harbour-trials", "a.run"), "There are no topics yet"),
        (("import-topics", "nowhere", "topics.tsv"), "There is no collection “nowhere”."),
        (("import-topics", "harbour-trials", "none.tsv"), "No such file or directory."),
        (("draw-pool", "harbour-trials"), "Say how deep with --depth N"),
        (("draw-pool", "harbour-trials", "--depth", "0"), "depth: Expected at least 1; found 0."),
        (("draw-pool", "harbour-trials", "--depth", "5"), "Choose at least one run."),
        (("draw-pool", "harbour-trials", "--depth", "5", "--run", "x"), "There is no run “x” in this collection."),
    ],
)
def test_what_cannot_be_done_is_told(
    assize: Assize, cast: Cast, folder: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], words: str
) -> None:
    monkeypatch.chdir(folder)
    told = assize(*arguments)
    assert told.status == 1
    assert words in told.err


def test_folders_archives_languages_and_strategies(assize: Assize, cast: Cast, folder: Path) -> None:
    pages = folder / "pages"
    (pages / "deep").mkdir(parents=True)
    (pages / "d1.txt").write_text("one")
    (pages / "deep" / "d2.html").write_text("<html><title>Two</title><body>two</body></html>")
    assert assize("import-topics", "harbour-trials", folder / "topics.tsv", "--language", "en").out == "3 topics\n"
    assert assize("topics", "harbour-trials", "--format", "tsv").out.startswith("1\ttidal power\n2\tharbour walls\n")
    assert assize("topics", "harbour-trials").out.startswith("<top>\n<num> Number: 1\n")
    (folder / "fr.tsv").write_text("1\tles marées\n2\tles murs\n10\tles pilotes\n")
    done = assize("import-topics", "harbour-trials", folder / "fr.tsv", "--language", "fr", "--parallel")
    assert (done.status, selectors.topic_languages(cast.collection)) == (0, ["en", "fr"])
    with zipfile.ZipFile(folder / "runs.zip", "w") as archive:
        for name in ("a.run", "b.run"):
            archive.write(folder / name, name)
        archive.writestr("b.yml", "actor: {team: South}\nefficiency: {cpu_seconds: 2}\n")
    done = assize("import-run", "harbour-trials", folder / "runs.zip", "--priority", "2", "--figure", "index_bytes=5")
    assert (done.status, done.out) == (0, "alpha  3 topics  4 lines\nbeta  3 topics  4 lines\n")
    told = {run.tag: (run.group, run.priority, run.efficiency) for run in Run.objects.all()}
    assert told["beta"] == ("South", 2, {"cpu_seconds": 2.0, "index_bytes": 5.0})
    assert assize("import-run", "harbour-trials", folder / "a.run").status == 1
    assert assize("import-run", "harbour-trials", folder / "a.run", "--replace").status == 0
    assert Run.objects.get(tag="alpha").priority == 2
    wrong = assize("import-run", "harbour-trials", folder / "a.run", "--figure", "speed=5")
    assert wrong.status == 1 and "“speed” is no efficiency figure" in wrong.err
    shown = assize(
        "draw-pool", "harbour-trials", "--strategy", "rrf", "--budget", "1", "--estimate", "--seconds", "36", "--json"
    ).json
    assert shown == [{"number": number, "items": 1, "new": 1, "hours": 0.01} for number in ("1", "2", "10")]
    table = assize("draw-pool", "harbour-trials", "--strategy", "rrf", "--budget", "1", "--estimate", "--seconds", "50").out
    assert table.splitlines()[1].split() == ["1", "1", "1", "0.01"]
    drawn = assize("draw-pool", "harbour-trials", "--strategy", "rrf", "--budget", "1", "--seed", "7", "--json")
    assert drawn.json == [{"round": 1, "strategy": "rrf", "runs": 2, "items": 3, "seed": 7}]
    kept = assize("import-documents", "harbour-trials", pages, "--only-pool")
    assert (kept.status, kept.out) == (0, "1 document  2 missing\n")
    assert assize("import-documents", "harbour-trials", pages).out == "2 documents  2 missing\n"


def test_uploads_are_listed_and_refused_ones_dismissed(assize: Assize, cast: Cast, folder: Path) -> None:
    files.take_topics(cast.collection, cast.organizer)
    assert assize("import-run", "harbour-trials", folder / "bad.run", "--by", cast.organizer.username).status == 1
    rows = assize("uploads", "list", "harbour-trials", "--json").json
    assert [(row["name"], row["state"], row["errors"]) for row in rows] == [
        ("bad.run", "refused", 1),
        ("file.txt", "accepted", 0),
    ]
    refused, accepted = (row["id"] for row in rows)
    assert assize("uploads", "dismiss", "harbour-trials", refused).status == 0
    assert assize("uploads", "dismiss", "harbour-trials", refused).status == 1
    assert assize("uploads", "dismiss", "harbour-trials", accepted).status == 1
    assert list(Upload.objects.values_list("pk", flat=True)) == [accepted]
