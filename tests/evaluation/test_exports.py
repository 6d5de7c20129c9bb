"""Downloads: each parses back to the stored scores, and nothing in it is run by a spreadsheet."""

import csv
import io
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from config.errors import Refusal
from evaluation import bundles, comparing, exports, selectors, standings
from evaluation.models import Release, Score, ScoreFile
from evaluation.on_files import eval as eval_command
from evaluation.standings import Standing
from pooling import tables
from pooling.models import Run, Topic
from tests.conftest import Cast, ClientFor
from tests.evaluation import factories

pytestmark = pytest.mark.once


def read(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def standing(release: Release) -> Standing:
    return standings.of_release(release)


def test_means_csv_holds_every_digit(release: Release) -> None:
    rows = read(exports.means_csv(standing(release)))
    assert [(row["run"], row["group"], row["kind"]) for row in rows] == [
        ("alpha", "Kelp", "automatic"),
        ("beta", "", "automatic"),
    ]
    for row in rows:
        stored = dict(Score.objects.filter(run__tag=row["run"]).values_list("measure", "mean"))
        assert {name: float(row[name]) for name in stored} == stored
        assert list(row)[:4] == ["run", "group", "kind", "AP"]


def test_topics_csv_holds_every_value(release: Release) -> None:
    rows = read("".join(exports.topics_csv(standing(release))))
    found = {(row["run"], row["topic"], row["measure"]): float(row["value"]) for row in rows}
    expected = {
        (run.tag, topic.decode(), name): scores.values[measure, place]
        for run, scores in ((file.run, selectors.table(file)) for file in selectors.score_files(release))
        for measure, name in enumerate(scores.names)
        for place, topic in enumerate(scores.topics.tolist())
    }
    assert found == expected
    assert len(rows) == 2 * 2 * 19


def test_trec_eval_text_parses_back(release: Release) -> None:
    found_ = standing(release)
    lines = [line.split("\t") for line in exports.trec_eval(found_.scores(found_.place("alpha"))).splitlines()]
    assert all(len(name) == 22 for name, _topic, _value in lines)
    found = {(name.strip(), topic): value for name, topic, value in lines}
    assert (found["runid", "all"], found["num_q", "all"]) == ("alpha", "2")
    assert (found["num_ret", "all"], found["num_rel_ret", "all"], found["num_rel", "all"]) == ("7", "4", "4")
    scores = selectors.table(release.score_files.get(run__tag="alpha"))
    ap = scores.names.index("AP")
    assert [found["map", "1"], found["map", "2"]] == [f"{value:6.4f}" for value in scores.values[ap]]
    mean = Score.objects.get(run__tag="alpha", measure="AP").mean
    assert found["map", "all"] == f"{mean:6.4f}"
    assert len(lines) == 3 * 11 + 2
    assert [topic for name, topic, _value in lines if name.strip() == "ndcg_cut_10"] == ["1", "2", "all"]


def test_every_score_names_its_run_release_and_version(release: Release, cast: Cast, client_for: ClientFor) -> None:
    """As it was when it was computed: a site that was updated since says the old version."""
    assert set(ScoreFile.objects.values_list("version", flat=True)) == {bundles.version()}
    ScoreFile.objects.filter(run__tag="beta").update(version="0.0.1")
    client, here = client_for(cast.organizer), "/c/harbour-trials/"
    digest = Run.objects.get(tag="beta").upload.sha256
    named = {"sha256": digest, "release": "1", "version": "0.0.1"}

    def rows(path: str) -> list[dict[str, str]]:
        return [row for row in read(b"".join(client.get(here + path)).decode()) if row.get("run", "beta") == "beta"]

    topic = "leaderboard/topics/1/?table={}&form=csv"
    for path in ("leaderboard/scores.csv", "leaderboard/topics.csv", "leaderboard/file/csv/"):
        assert {name: rows(path)[0][name] for name in named} == named, path
    for name in ("scores", "strip"):
        assert {key: rows(topic.format(name))[0][key] for key in named} == named
    for name in ("topics", "summary", "means", "gains", "recall-precision"):
        row = rows(f"scores/beta/?table={name}&form=csv")[0]
        assert (row["run_sha256"], row["release"], row["version"]) == (digest, "1", "0.0.1")
    for path in ("scores/beta/?table=topics&form=tex", "leaderboard/file/tex/", "leaderboard/topics/1/?table=scores&form=tex"):
        text = client.get(here + path).content.decode()
        assert digest in text and "version 0.0.1" in text and "% release 1" in text
    compared = rows("compare/?runs=alpha&runs=beta&table=topics&form=csv")[0]
    assert (compared["sha256 of beta"], compared["release"]) == (digest, "1")
    for path in ("scores/beta/", "leaderboard/"):
        assert "0.0.1" in client.get(here + path).content.decode()


def test_every_score_names_them_over_the_api(release: Release, cast: Cast, client_for: ClientFor) -> None:
    ScoreFile.objects.update(version="0.0.1")
    client, digest = client_for(cast.organizer), Run.objects.get(tag="alpha").upload.sha256

    def told(path: str) -> Any:
        return client.get(f"/api/v1/collections/harbour-trials/{path}").json()

    for path in ("releases/1/runs/alpha", "releases/1/runs/alpha/report"):
        found = told(path)
        assert (found["run_sha256"], found["release"], found["version"]) == (digest, 1, "0.0.1")
    for path in ("releases/1/scores", "releases/1/topics/1", "leaderboard"):
        found = told(path)["runs"][0]
        assert (found["run"], found["sha256"], found["version"]) == ("alpha", digest, "0.0.1")
    assert told("leaderboard")["made_with"] == "assize 0.0.1"
    assert told("leaderboard?release=live")["made_with"] == f"assize {bundles.version()}"


def test_the_archive_of_scores_names_the_version_that_computed_them(release: Release) -> None:
    ScoreFile.objects.filter(run__tag="beta").update(version="0.0.1")
    factories.make_run(release.collection, "gamma", factories.BETA, by=release.frozen_by)
    factories.score(release)
    newest = release.score_archives.first()
    assert newest
    with zipfile.ZipFile(settings.DATA / newest.path) as archive:
        files = {name.split("/", 1)[1]: archive.read(name).decode() for name in archive.namelist()}
    assert f"Computed with Assize 0.0.1, {bundles.version()}." in files["README.md"]
    assert [row["version"] for row in read(files["runs.csv"])] == [bundles.version(), "0.0.1", bundles.version()]
    assert {row["version"] for row in read(files["topics.csv"]) if row["run"] == "beta"} == {"0.0.1"}


def test_strict_text_is_that_of_trec_eval_from_that_level(
    release: Release, cast: Cast, client_for: ClientFor, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of run, leaderboard and topic alike, line by line as `assize eval -l 2` prints the downloaded files."""
    client, here = client_for(cast.organizer), "/c/harbour-trials/"
    (tmp_path / "qrels").write_bytes(b"".join(client.get(f"{here}releases/1/qrels/")))
    (tmp_path / "run").write_bytes(b"".join(client.get(f"{here}runs/alpha/file/")))
    text = client.get(f"{here}scores/alpha/trec_eval/?view=strict").content.decode()
    names = [line.split()[0] for line in text.splitlines() if "\tall\t" in line]
    asked = [part for name in names for part in ("-m", name)]
    assert eval_command.main(["-q", "-c", "-l", "2", *asked, str(tmp_path / "qrels"), str(tmp_path / "run")]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert sorted(text.splitlines()) == sorted(printed)
    assert text != client.get(f"{here}scores/alpha/trec_eval/").content.decode()
    board = client.get(f"{here}leaderboard/file/txt/?view=strict").content.decode().splitlines()
    assert sorted(line for line in printed if "\tall\t" in line) == sorted(board[: len(names)])
    topic = client.get(f"{here}leaderboard/topics/1/?table=scores&form=txt&view=strict").content.decode()
    assert topic.startswith(f"{'runid':<22}\t1\talpha\n")
    mine = topic.split(f"{'runid':<22}\t1\tbeta")[0].splitlines()[1:]
    assert sorted(mine) == sorted(line for line in printed if "\t1\t" in line)


def test_qrels_views(release: Release) -> None:
    assert exports.qrels(release) == (settings.DATA / release.path).read_bytes()
    assert exports.qrels(release, "lenient") == b"1 0 a 1\n1 0 b 0\n1 0 c 1\n2 0 d 1\n2 0 e 0\n2 0 f 1\n"
    assert exports.qrels(release, "strict") == b"1 0 a 1\n1 0 b 0\n1 0 c 0\n2 0 d 1\n2 0 e 0\n2 0 f 0\n"
    with pytest.raises(Refusal, match="view: Expected one of graded, lenient, strict; found “odd”"):
        exports.qrels(release, "odd")


def test_cells_that_begin_like_a_formula_are_text(release: Release) -> None:
    Run.objects.filter(tag="beta").update(tag="-cmd", group="=HYPERLINK(1)")
    rows = read(exports.means_csv(standing(release)))
    assert [(row["run"], row["group"]) for row in rows] == [("'-cmd", "'=HYPERLINK(1)"), ("alpha", "Kelp")]
    assert {row["run"] for row in read("".join(exports.topics_csv(standing(release))))} == {"'-cmd", "alpha"}
    files = exports.score_files(release, [(file, selectors.table(file), means) for file, means in selectors.means(release)])
    listed = read(files["runs.csv"].decode())
    assert {(row["tag"], row["group"]) for row in listed} == {("'-cmd", "'=HYPERLINK(1)"), ("alpha", "Kelp")}


def test_heads_that_begin_like_a_formula_are_text(release: Release) -> None:
    Run.objects.filter(tag="beta").update(tag="-cmd")
    told = comparing.told(comparing.compared(standing(release), ["-cmd", "alpha"]))
    heads = {name: next(csv.reader(io.StringIO(tables.written(table, "csv")))) for name, table in told.items()}
    held = {name: head for name, head in heads.items() if any("-cmd" in cell for cell in head)}
    assert set(held) >= {"topics", "recall-precision", "differences"}
    assert {cell.split()[0] for head in held.values() for cell in head if "-cmd" in cell} == {"'-cmd"}
    assert '"-cmd":' in tables.written(told["topics"], "json")  # which no spreadsheet runs


def test_odd_topics_and_docnos_go_through(release: Release) -> None:
    collection, by = release.collection, release.frozen_by
    Topic.objects.filter(number="2").update(number="=2/é")
    factories.judge(factories.make_item(collection, "=2/é", 'ж,"d', by=by), by, 1)
    later = factories.freeze(collection, by)
    factories.score(later)
    assert '=2/é 0 ж,"d 1\n'.encode() in exports.qrels(later)
    assert {row["topic"] for row in read("".join(exports.topics_csv(standing(later))))} == {"1", "'=2/é"}
