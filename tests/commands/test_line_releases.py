"""assize merge, adjudication, releases, import-qrels, effect, verify, and qrels --live."""

import json
from pathlib import Path

import pytest

from assess import opinions
from evaluation.models import Release
from evaluation.on_files import verify
from tests.commands.conftest import Assize
from tests.conftest import Cast
from tests.evaluation.conftest import judged, release, second
from tests.evaluation.factories import freeze, judge, make_item

__all__ = ["judged", "release", "second"]
HERE = "harbour-trials"


def test_merge_shows_and_sets(judged: Cast, assize: Assize) -> None:
    rows = assize("merge", HERE, "--rule", "majority", "--no-across", "--json").json
    assert {row["rule"]: (row["set"], row["ties"]) for row in rows}["majority"] == (True, 2)
    plan = opinions.plan(judged.collection)
    assert (plan.rule, plan.across, plan.cannot) == ("majority", False, True)
    assert assize("merge", HERE, "--opinions", 0).status == 1


def test_adjudication_lists_and_assigns(judged: Cast, assize: Assize) -> None:
    user = judged.adjudicator.username
    rows = assize("adjudication", HERE, "--assign", f"2={user}", "--json").json
    assert [(row["topic"], row["open"], row["adjudicators"]) for row in rows] == [("1", 1, ""), ("2", 1, user)]
    assert assize("adjudication", HERE, "--topic", 2).out.splitlines()[1].split()[:4] == ["d", "2", "1", "3"]
    assert assize("adjudication", HERE, "--assign", "2").told == (1, "Error: Expected TOPIC=USER,USER; found “2”.")


def test_releases_from_draft_to_tombstone(
    release: Release, assize: Assize, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    collection = release.collection
    judge(make_item(collection, "1", "a", by=release.frozen_by), release.frozen_by, 0)
    freeze(collection, release.frozen_by, "max", state="draft")
    assert [(row["number"], row["state"]) for row in assize("releases", "list", HERE, "--json").json] == [
        (2, "draft"),
        (1, "public"),
    ]
    assert assize("releases", "diff", HERE, 1, 2, "--json").json["changed"] == 1
    assert assize("releases", "state", HERE, 2, "private").status == 0
    assert assize("releases", "state", HERE, 2, "public").told[1].startswith("Error: The collection is private")
    assert assize("releases", "state", HERE, 2, "public", "--open-collection").status == 0
    collection.refresh_from_db()
    assert collection.visibility == "public"
    target = tmp_path / "r.zip"
    assert assize("releases", "archive", HERE, 1, "-o", target).out == f"{target}\n"
    assert verify.main([str(target), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["ok"] is True
    target.write_bytes(target.read_bytes().replace(b"1 0 a 2", b"1 0 a 3"))
    assert verify.main([str(target)]) == 1
    capsys.readouterr()
    (tmp_path / "no.zip").write_text("words")
    for name, why in (
        ("nowhere.zip", "No such file or directory"),
        ("", "expected SHA256SUMS in it; found none"),
        ("no.zip", "expected the archive of a release, or its folder; found neither (File is not a zip file)"),
    ):
        assert verify.main([str(tmp_path / name)]) == 1
        assert capsys.readouterr().out == f"WRONG archive: cannot be read: {why}\n"
    assert assize("releases", "archive", HERE, 1, "--scores", "-o", tmp_path / "s.zip").status == 0
    assert assize("releases", "state", HERE, 1, "withdrawn").status == 1
    assert assize("releases", "state", HERE, 1, "withdrawn", "--note", "Wrong.").status == 0
    assert assize("qrels", HERE, "--release", 1).told == (1, "Error: Release 1 was withdrawn: Wrong.")


def test_import_effect_and_live_qrels(judged: Cast, assize: Assize, tmp_path: Path) -> None:
    file = tmp_path / "old.qrels"
    file.write_text("1 0 a 1\n1 0 zz 3\n9 0 b 1\n")
    bad = assize("import-qrels", HERE, file, "--assessor", "nist")
    assert (bad.status, f"{file}:3: error: Topic 9 is not part of this collection." in bad.err) == (1, True)
    file.write_text("1 0 a 1\n1 0 zz 3\n")
    assert assize("import-qrels", HERE, file, "--assessor", "nist").out == "2 judgments of 1 assessor.\n"
    assert "1 0 zz 3\n" in assize("qrels", HERE, "--live").out
    assert assize("qrels", HERE, "--live", "--at", "1990-01-01").status == 1
    assert assize("qrels", HERE, "--live", "--at", "soon").status == 1
    found = assize("effect", HERE, "--json").json
    assert ([row["second"] for row in found["rules"]][:2], len(found["orders"])) == (["majority", "median_low"], 9)
    assert {row["first"] for row in found["assessors"]} == {"Member assessor", "Second Assessor", "nist"}
    assert assize("effect", HERE, "--measure", "nonsense").status == 1
    assert assize("effect", HERE).out.splitlines()[0].split()[:4] == ["FIRST", "SECOND", "ITEMS", "TAU"]
