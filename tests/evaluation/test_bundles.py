"""The archive of a release: whole, the same bytes, checked by its own script alone."""

import csv
import hashlib
import io
import json
import os
import subprocess
import sys
import uuid
import zipfile
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.conf import settings
from django.utils import timezone

from assess import opinions
from assess.core.judgment_files import Judgments
from assess.models import Judgment, JudgmentEvent
from assess.services import adjudicating, merging
from config.errors import Conflict, Gone, Refusal
from config.models import User
from evaluation import bundles, changes, selectors
from evaluation.core.archive import packed
from evaluation.models import Release, ReleaseStep
from evaluation.on_files import verify
from evaluation.services import releases
from pooling.models import Collection, Role
from tests import factories as people
from tests.conftest import Cast
from tests.evaluation.conftest import make_judged
from tests.evaluation.factories import FIRST, freeze, judge, judge_all, make_item, score
from tests.golden import vectors

EXPORTS = int(os.environ.get("EXPORTS", "20"))  # EXPORTS=100 makes as many as are promised
# Of one and the same collection's archive, on either database.
SAME_BYTES = "ea8fb38504feaf597934cd99273f23a91c33a40266493cacfa1d8f4ee7ae082d"


def files(release: Release) -> dict[str, bytes]:
    with zipfile.ZipFile(settings.DATA / release.archive) as archive:
        return {name.split("/", 1)[1]: archive.read(name) for name in archive.namelist()}


def decide(cast: Cast, topic: str, docno: str, grade: int, **more: str) -> None:
    given = {"client_id": uuid.uuid4(), "topic": topic, "docno": docno, **more}
    adjudicating.decide(cast.collection, by=cast.adjudicator, grade=grade, **given)  # type: ignore[arg-type]


def test_the_archive_holds_everything_and_checks_itself(judged: Cast, tmp_path: Path) -> None:
    Judgment.objects.filter(item__docno="a", assessor=judged.assessor).update(evidence="3-20,45-60")
    decide(judged, "2", "d", 2, reason="borderline", comment="Between.")
    release = freeze(judged.collection, judged.organizer, note="First.")
    found = files(release)
    assert sorted(found) == [
        *("CITATION.cff", "README.md", "SHA256SUMS", "agreement.json", "citation.bib", "decision-history.jsonl"),
        *("decisions.jsonl", "evidence.csv", "guidelines.md", "history.jsonl", "ir_datasets.json", "judgments.csv", "pool.csv"),
        *("qrels-lenient.txt", "qrels-strict.txt", "qrels.txt", "release.json", "runs.csv", "topics.jsonl", "verify.py"),
    ]
    assert found["qrels.txt"] == b"1 0 a 2\n1 0 b 0\n1 0 c 1\n2 0 d 2\n2 0 e 0\n2 0 f 1\n"
    assert found["qrels-strict.txt"] == b"1 0 a 1\n1 0 b 0\n1 0 c 0\n2 0 d 1\n2 0 e 0\n2 0 f 0\n"
    assert found["pool.csv"].splitlines()[:3] == [
        b"topic,docid,round,opinions,source,grade",
        b"1,a,1,2,rule,2",
        b"1,b,1,2,rule,0",
    ]
    assert b"2,d,1,2,decision,2" in found["pool.csv"]
    assert found["evidence.csv"] == b"topic,docid,assessor,start,end\n1,a,A1,3,20\n1,a,A1,45,60\n"
    told = json.loads(found["release.json"])
    assert (told["changelog"], told["merge"]) == ("First.", {"rule": "first", "opinions": 1, "missing": "out"})
    [decision] = map(json.loads, found["decisions.jsonl"].splitlines())
    assert (decision["adjudicator"], decision["grade"], decision["reason"]) == ("J1", 2, "borderline")
    assert judged.assessor.name.encode() not in b"".join(found.values())
    # Without Assize: the script of the archive, by an interpreter that knows none of our modules.
    with zipfile.ZipFile(settings.DATA / release.archive) as archive:
        archive.extractall(tmp_path)
    [folder] = tmp_path.iterdir()
    done = subprocess.run([sys.executable, "-I", folder / "verify.py"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.count("ok ")) == (0, 12), done.stdout + done.stderr


def wrong(found: dict[str, bytes]) -> set[str]:
    return {name for name, good, _words in verify.verify(found) if not good}


@pytest.mark.once
def test_verify_tells_what_was_changed(judged: Cast) -> None:
    """Each file, by the check that is about it: sums would tell of all, and can be written anew."""
    decide(judged, "2", "d", 2)
    found = files(freeze(judged.collection, judged.organizer))
    assert wrong(found) == set()
    for name, old, new, check in (
        ("qrels.txt", b"1 0 a 2", b"1 0 a 3", "qrels"),
        ("qrels-strict.txt", b"1 0 a 1", b"1 0 a 0", "strict qrels"),
        ("qrels-lenient.txt", b"1 0 b 0", b"1 0 b 1", "lenient qrels"),
        ("judgments.csv", b"1,a,A1,2", b"1,a,A1,0", "merge"),
        ("judgments.csv", b"1,a,A2,2", b"1,a,A2,0", "agreement"),
        ("judgments.csv", b"1,a,A1,2", b"1,a,A1,0", "judgments"),
        ("decisions.jsonl", b'"grade": 2', b'"grade": 1', "merge"),
        ("evidence.csv", b"start,end\n", b"start,end\n1,a,A9,3,20\n", "evidence"),
        ("pool.csv", b"1,a,1,2,rule,2", b"1,a,1,3,rule,2", "pool"),
        ("pool.csv", b"2,d,1,2,decision,2", b"2,d,1,2,rule,2", "pool"),
        ("pool.csv", b"1,b,1,2,rule,0\n", b"", "pool"),
        ("pool.csv", b"1,c,1,1,rule,1", b"1,c,1,1,rule,0", "pool"),
    ):
        assert old in found[name], (name, old)
        told = wrong({**found, name: found[name].replace(old, new)})
        assert {check, "sums"} <= told, (name, old, told)
    for name, data in (("release.json", b"[]"), ("release.json", b"[" * 100_000), ("decisions.jsonl", b"1\n")):
        assert wrong({**found, name: data}) == {"sums", "content"}


@pytest.mark.once
def test_verify_recomputes_every_count_and_figure(judged: Cast) -> None:
    """With a third assessor of some, so that there are gaps and pairs; each number moved alone is told as wrong."""
    third = people.make_user("Third Assessor")
    people.join(judged.collection, third, Role.ASSESSOR)
    judge_all(judged.collection, {"1": {"a": 1, "c": 3}, "2": {"e": 0}}, third, slot=3)
    judge_all(judged.collection, {"2": {"e": 0, "f": 2}}, User.objects.get(name="Second Assessor"), slot=2)
    found = files(freeze(judged.collection, judged.organizer))
    assert wrong(found) == set()
    for name in ("items", "topics", "judgments", "assessors", "doubly_judged", "differing", "decided", "few", "ties"):
        told = json.loads(found["release.json"])
        told["counts"][name] += 1
        assert wrong({**found, "release.json": json.dumps(told).encode()}) - {"sums"} == {
            "counts" if name in ("items", "topics") else "opinions"
        }, name
    seen = set()
    report = json.loads(found["agreement.json"])
    for number, view in enumerate(report["views"]):
        for key, figure in view["figures"].items():
            seen.add(key)
            for part, moved in (("n", figure["n"] + 1), ("value", 0.5 if figure["value"] is None else figure["value"] + 1e-6)):
                other = json.loads(found["agreement.json"])
                other["views"][number]["figures"][key][part] = moved
                assert "agreement" in wrong({**found, "agreement.json": json.dumps(other).encode()}), (key, part)
    assert {"pairwise", "fleiss", "overlap", "positive", "negative", "ac1", "ac2_linear", "alpha_ordinal"} <= seen


def test_hidden_repeats_are_in_the_files_and_count_nowhere(judged: Cast) -> None:
    """An assessor's consistency can be told from the archive; qrels, agreement and imports do not see it."""
    before = files(freeze(judged.collection, judged.organizer))
    head = Judgment.objects.get(item__docno="a", assessor=judged.assessor)
    again = Judgment.objects.create(item=head.item, assessor=judged.assessor, occasion=1, grade=0)
    JudgmentEvent.objects.create(judgment=again, client_id=uuid.uuid4(), grade=0)
    other = Judgment.objects.get(item__docno="b", assessor=judged.assessor)
    for seconds in (13.49, 17.67):
        JudgmentEvent.objects.create(judgment=other, client_id=uuid.uuid4(), grade=0, previous_grade=0, seconds=seconds)
    found = files(freeze(judged.collection, judged.organizer))
    assert wrong(found) == set()
    rows = list(csv.DictReader(io.StringIO(found["judgments.csv"].decode(), newline="")))
    mine = [(row["grade"], row["occasion"]) for row in rows if (row["docid"], row["assessor"]) == ("a", "A1")]
    assert mine == [("2", "0"), ("0", "1")]
    assert [row["seconds"] for row in rows if row["docid"] == "b"] == ["31.16", ""]  # in the order added, 31.160000000000004
    assert [json.loads(line)["occasion"] for line in found["history.jsonl"].splitlines()] == [0] * 9 + [1, 0, 0]
    for name in ("qrels.txt", "pool.csv", "agreement.json"):
        assert found[name] == before[name]
    taken = Judgments([0, 1, 2, 3])
    assert taken.read(found["judgments.csv"], "judgments", alone=True).ok and len(list(taken.judged())) == 9


@pytest.mark.parametrize("rule", ["first", "majority", "median_low", "median_high", "max", "min"])
@pytest.mark.parametrize("missing", ["out", "lowest"])
def test_verify_merges_as_the_release_did(judged: Cast, second: User, rule: str, missing: str) -> None:
    merging.set_plan(judged.collection, by=judged.organizer, rule=rule, opinions=2, missing=missing)
    release = freeze(judged.collection, judged.organizer)
    ties = 2 if rule == "majority" else 0
    assert (release.counts["few"], release.counts["ties"]) == (3, ties)
    assert release.counts["items"] == (6 if missing == "lowest" else 3 - ties)
    assert all(good for _name, good, _words in verify.verify(files(release)))


def test_words_may_hold_any_end_of_line(judged: Cast) -> None:
    """What Python takes for the end of a line is none in these files, in words and document numbers alike."""
    odd = "one\u2028two\u2029three\x85four\x0bfive\x0c\x1csix\rseven\r\neight\nnine"
    judge(make_item(judged.collection, "1", "new\u2028\x85line", by=judged.organizer), judged.assessor, 1)
    Judgment.objects.filter(item__docno="a").update(note=odd)
    decide(judged, "2", "d", 2, comment=odd)
    found = files(freeze(judged.collection, judged.organizer, note=odd))
    assert [words for _name, good, words in verify.verify(found) if not good] == []
    assert json.loads(found["decisions.jsonl"])["comment"] == odd.replace("\r\n", "\n")
    [row] = [
        row
        for row in csv.DictReader(io.StringIO(found["judgments.csv"].decode(), newline=""))
        if row["docid"] == "a" and row["assessor"] == "A1"
    ]
    assert row["comment"] == odd.replace("\r\n", "\n").replace("\r", "\n")


def test_many_exports_are_one_and_judging_on_changes_nothing(cast: Cast, second: User) -> None:
    """Made anew from the rows, each is the archive that was frozen; what is stored stays as it is."""
    judge_all(cast.collection, FIRST, cast.assessor)
    judge_all(cast.collection, {"1": {"a": 1}}, second, slot=2)  # one document: nothing to resample, which would take long
    release, collection = freeze(cast.collection, cast.organizer, note="First."), cast.collection
    sums = set()
    for _ in range(EXPORTS):
        reading = bundles.read(collection, opinions.plan(collection))
        whole = bundles.complete(collection, reading, number=1, frozen_at=release.frozen_at, note="First.")
        sums.add(hashlib.sha256(packed(whole, "harbour-trials-release-1")).hexdigest())
    assert sums == {release.archive_sha256}
    judge(make_item(collection, "1", "a", by=cast.organizer), cast.assessor, 0)
    assert hashlib.sha256((settings.DATA / release.archive).read_bytes()).hexdigest() == release.archive_sha256
    assert Release.objects.get(pk=release.pk).archive_sha256 == release.archive_sha256


def test_scores_are_a_second_archive_in_versions(release: Release, cast: Cast) -> None:
    from tests.evaluation.factories import BETA, make_run

    first = release.score_archives.get()
    with zipfile.ZipFile(settings.DATA / first.path) as archive:
        names = sorted(name.split("/", 1)[1] for name in archive.namelist())
    assert names == [
        *("README.md", "SHA256SUMS", "runs.csv", "scores.csv", "topics.csv", "trec_eval/alpha.txt", "trec_eval/beta.txt"),
    ]
    with (settings.DATA / first.path).open("rb") as file:
        assert verify.main([file.name]) == 0
    score(release)
    assert release.score_archives.count() == 1
    make_run(release.collection, "gamma", BETA, by=cast.organizer)
    score(release)
    assert [(row.version, row.run_count) for row in release.score_archives.all()] == [(2, 3), (1, 2)]


# Who sees it


def test_states_go_one_way_and_leave_a_tombstone(judged: Cast) -> None:
    release = freeze(judged.collection, judged.organizer, state="draft")
    by = judged.organizer
    with pytest.raises(Conflict, match="The collection is private"):
        releases.set_state(release, by=by, state="public")
    releases.set_state(release, by=by, state="private")
    with pytest.raises(Refusal, match="state: Expected one of private, public, withdrawn; found “draft”"):
        releases.set_state(release, by=by, state="draft")
    with pytest.raises(Refusal, match="Expected a reason"):
        releases.set_state(release, by=by, state="withdrawn")
    releases.set_state(release, by=by, state="withdrawn", note="Wrong topics.")
    assert [step.state for step in ReleaseStep.objects.all()] == ["draft", "private", "withdrawn"]
    with pytest.raises(Gone, match=r"Release 1 was withdrawn: Wrong topics\."):
        selectors.release(judged.collection, 1)
    assert (selectors.newest(judged.collection), selectors.tombstone(judged.collection, 1)) == (None, release)


def test_diff_by_topic_and_document(judged: Cast) -> None:
    old = freeze(judged.collection, judged.organizer)
    judge(make_item(judged.collection, "1", "a", by=judged.organizer), judged.assessor, 0)
    judge(make_item(judged.collection, "3", "new", by=judged.organizer), judged.assessor, 3)
    found = changes.diff(old, freeze(judged.collection, judged.organizer))
    assert (found.added, found.changed, found.removed) == (1, 1, 0)
    assert [(row.topic, row.added, row.changed, row.same) for row in found.moved_topics] == [("1", 0, 1, 2), ("3", 1, 0, 0)]
    assert [(row.docno, row.before, row.after) for row in found.changes] == [("a", 2, 0), ("new", None, 3)]


def test_diff_tells_what_was_removed(judged: Cast) -> None:
    """Two opinions are asked for from now on: what has one alone is in the qrels no longer."""
    old = freeze(judged.collection, judged.organizer)
    merging.set_plan(judged.collection, by=judged.organizer, opinions=2)
    found = changes.diff(old, freeze(judged.collection, judged.organizer))
    assert (found.added, found.changed, found.removed) == (0, 0, 3)
    assert [(row.topic, row.removed, row.same) for row in found.moved_topics] == [("1", 1, 2), ("2", 2, 1)]
    assert [(row.docno, row.before, row.after) for row in found.changes] == [("c", 1, None), ("e", 0, None), ("f", 1, None)]


def test_live_qrels_replay_the_history(judged: Cast) -> None:
    before = changes.live_qrels(judged.collection)
    then = timezone.now()
    judge(make_item(judged.collection, "1", "a", by=judged.organizer), judged.assessor, 0)
    decide(judged, "2", "d", 0)
    now = changes.live_qrels(judged.collection)
    assert now == before.replace(b"a 2", b"a 0").replace(b"d 3", b"d 0")
    assert changes.live_qrels(judged.collection, then) == before
    assert changes.live_qrels(judged.collection, timezone.now()) == now
    with pytest.raises(Refusal, match="Nothing was judged by 1990"):
        changes.live_qrels(judged.collection, then.replace(year=1990))


@pytest.mark.parametrize("vector", vectors("formats", "binarise"))
def test_binary_qrels_of_the_worked_examples(vector: dict[str, Any]) -> None:
    docnos, grades = zip(*vector["qrels"].items(), strict=True)
    columns = (np.full(len(docnos), b"1"), np.array([docno.encode() for docno in docnos]), np.array(grades))
    rel = vector["params"]["rel"]
    found = bundles.binary_files(Collection(lenient_from=rel, strict_from=rel), *columns)
    expected = "".join(f"1 0 {docno} {grade}\n" for docno, grade in vector["expected"].items()).encode()
    assert found == {"qrels-lenient.txt": expected, "qrels-strict.txt": expected}


class Still(datetime):
    """A clock that stands."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> "Still":
        return cls(2026, 5, 4, 12, 30, 15, 250, tz)


def test_the_same_bytes_whatever_the_database(cast: Cast, second: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """Text that databases order otherwise: capitals, marks, other scripts. Every file of the archive, times included."""
    monkeypatch.setattr(timezone, "datetime", Still)
    judged = make_judged(cast, second)
    for docno in ("Z", "z", "_", "ä", "10", "9", "-"):
        judge(make_item(judged.collection, "1", docno, by=judged.organizer), judged.assessor, 1)
    decide(judged, "2", "d", 2, reason="borderline", comment="Zwischen drei und null – ein Fall für sich.")
    found = files(freeze(judged.collection, judged.organizer, note="First."))
    # Its own script and the version that made it change with the program; what they are told of is all the rest.
    told = {name: data for name, data in found.items() if name not in ("verify.py", "SHA256SUMS")}
    told["release.json"] = told["release.json"].replace(bundles.version().encode(), b"")
    assert {"README.md", "citation.bib", "CITATION.cff", "ir_datasets.json", "history.jsonl"} <= set(told)
    assert hashlib.sha256(packed(told, "here")).hexdigest() == SAME_BYTES
    listed = [line.split(b" ")[2] for line in found["qrels.txt"].splitlines() if line.startswith(b"1 ")]
    assert listed == sorted(listed)
    for name in ("pool.csv", "judgments.csv"):
        docnos = [line.split(b",")[1] for line in found[name].splitlines()[1:] if line.startswith(b"1,")]
        assert docnos == sorted(docnos), name


def test_archive_bytes_depend_on_content_alone() -> None:
    data = packed({"b.txt": b"two\n", "a/c.txt": b"one\n"}, "here")
    assert (
        hashlib.sha256(data).hexdigest() == hashlib.sha256(packed({"a/c.txt": b"one\n", "b.txt": b"two\n"}, "here")).hexdigest()
    )
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.namelist() == ["here/SHA256SUMS", "here/a/c.txt", "here/b.txt"]
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
