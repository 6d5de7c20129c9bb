"""Releases and scores over the API: the same services, JSON, files, scopes and roles."""

import csv
import io

import pytest
from pytest_django import DjangoAssertNumQueries

from config.models import Job
from evaluation.models import Release, Score
from pooling.models import Run
from pooling.services import collections
from tests.api.conftest import CallerFor, caller_for, error
from tests.conftest import Cast
from tests.evaluation import factories

pytestmark = pytest.mark.once

__all__ = ["caller_for"]
ALL = "/collections/harbour-trials/releases"
ONE = f"{ALL}/1"
BLIND = error("forbidden", "Scores tell which runs found what; who judges this collection does not see them.")


def test_freeze_is_a_job(judged: Cast, caller_for: CallerFor) -> None:
    call = caller_for(judged.organizer)
    answer = call("POST", ALL, {"rule": "max", "note": "Spring"}, key="one")
    assert (call.status, answer["name"], answer["state"]) == (202, "freeze_release", "waiting")
    assert call("POST", ALL, {"rule": "max", "note": "Spring"}, key="two")["id"] == answer["id"]
    assert Job.objects.get().args == {
        "collection": judged.collection.pk,
        "by": judged.organizer.pk,
        "rule": "max",
        "note": "Spring",
    }


def test_what_a_release_would_lack(judged: Cast, caller_for: CallerFor) -> None:
    call = caller_for(judged.organizer)
    graded = {"items": 6, "ungraded_items": 0, "topics": 2, "ungraded_topics": 0}
    words = "2 disagreements are open and follow the merge rule, which may leave some without a grade."
    assert call("GET", f"{ALL}/missing") == {**graded, "open_cases": 2, "words": words}


def test_publishing_opens_a_private_collection_if_asked(judged: Cast, caller_for: CallerFor) -> None:
    factories.freeze(judged.collection, judged.organizer, state="draft")
    call = caller_for(judged.organizer)
    assert (call("POST", f"{ONE}/state", {"state": "public"}, key="a")["error"]["code"], call.status) == ("conflict", 409)
    told = call("POST", f"{ONE}/state", {"state": "public", "open_collection": True}, key="b")
    judged.collection.refresh_from_db()
    assert (told["state"], judged.collection.visibility) == ("public", "public")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"rule": "lowest"}, "rule: Expected one of first, majority, median_low, median_high, max, min; found “lowest”."),
        ({"note": "x" * 5001}, "note: Expected at most 5000 characters; found 5001."),
        ({"rules": "first"}, "rules: Expected nothing under this name; found “first”."),
    ],
)
def test_bad_freeze_is_told(judged: Cast, caller_for: CallerFor, body: dict[str, str], words: str) -> None:
    call = caller_for(judged.organizer)
    assert (call("POST", ALL, body)["error"]["message"], call.status) == (words, 422)


def test_freeze_refuses_nothing_judged_archived_and_other_roles(cast: Cast, caller_for: CallerFor) -> None:
    call = caller_for(cast.organizer)
    told = call("POST", ALL, {})["error"]["message"]
    assert (told, call.status) == ("Nothing is judged yet: a release needs at least one judgment.", 422)
    for who, status in ((cast.participant, 403), (cast.researcher, 403), (cast.stranger, 404)):
        other = caller_for(who)
        other("POST", ALL, {})
        assert other.status == status
    reader = caller_for(cast.organizer, "read")
    reader("POST", ALL, {})
    assert reader.status == 403
    collections.archive_collection(cast.collection)
    assert (call("POST", ALL, {})["error"]["code"], call.status) == ("conflict", 409)


def test_list_and_read(release: Release, judged: Cast, caller_for: CallerFor) -> None:
    call = caller_for(judged.participant, "read")
    [listed] = call("GET", ALL)["results"]
    assert listed == call("GET", ONE)
    assert listed["counts"] == release.counts
    shown = {name: listed[name] for name in ("number", "rule", "note", "sha256", "frozen_by")}
    assert shown == {
        "number": 1,
        "rule": "first",
        "note": "First one.",
        "sha256": release.sha256,
        "frozen_by": "Olga Organizer",
    }
    assert listed["page"].endswith("/c/harbour-trials/releases/1/")
    call("GET", f"{ALL}/2")
    assert call.status == 404


def test_qrels(release: Release, judged: Cast, caller_for: CallerFor) -> None:
    call = caller_for(judged.researcher, "read")
    assert call("GET", f"{ONE}/qrels").startswith(b"1 0 a 2\n1 0 b 0\n")
    assert call("GET", f"{ONE}/qrels?view=strict").startswith(b"1 0 a 1\n1 0 b 0\n1 0 c 0\n")
    call("GET", f"{ONE}/qrels?view=odd")
    assert call.status == 422


def test_scores(release: Release, judged: Cast, caller_for: CallerFor) -> None:
    found = caller_for(judged.participant, "read")("GET", f"{ONE}/scores")
    assert (found["release"], found["lenient_from"], found["measures"][:2]) == (1, 1, ["AP", "nDCG"])
    assert [(row["run"], row["group"]) for row in found["runs"]] == [("alpha", "Kelp"), ("beta", "")]
    for row in found["runs"]:
        stored = dict(Score.objects.filter(run__tag=row["run"]).values_list("measure", "mean"))
        assert (row["scores"], sorted(row["scores"])) == (stored, sorted(found["measures"]))


def test_scores_of_a_topic_and_of_a_run_agree(release: Release, judged: Cast, caller_for: CallerFor) -> None:
    call = caller_for(judged.participant, "read")
    topic, run = call("GET", f"{ONE}/topics/1"), call("GET", f"{ONE}/runs/beta")
    assert run["run_sha256"] == Run.objects.get(tag="beta").upload.sha256
    assert [row["topic"] for row in run["topics"]] == ["1", "2"]
    assert topic["runs"][1]["scores"] == run["topics"][0]["scores"]
    assert topic["runs"][1]["scores"]["AP"] == 1.0
    pair = [row["scores"]["AP"] for row in topic["runs"]]
    assert run["topics"][0]["medians"]["AP"] == sum(pair) / 2
    assert run["means"]["AP"] == 0.5
    for path in ("topics/10", "runs/gamma", "runs/gamma/trec_eval"):
        call("GET", f"{ONE}/{path}")
        assert call.status == 404


def test_files(release: Release, judged: Cast, caller_for: CallerFor) -> None:
    call = caller_for(judged.participant, "read")
    rows = list(csv.DictReader(io.StringIO(call("GET", f"{ONE}/scores.csv").decode())))
    assert [row["run"] for row in rows] == ["alpha", "beta"]
    rows = list(csv.DictReader(io.StringIO(call("GET", f"{ONE}/topics.csv").decode())))
    assert list(rows[0]) == ["run", "topic", "measure", "value", "sha256", "release", "version"]
    assert (rows[0]["run"], rows[0]["topic"], rows[0]["measure"]) == ("alpha", "1", "AP")
    assert call("GET", f"{ONE}/runs/beta/trec_eval").startswith(b"map                   \t1\t1.0000\n")


@pytest.mark.parametrize(
    "path", ["", "/1", "/1/qrels", "/1/scores", "/1/scores.csv", "/1/topics.csv", "/1/topics/1", "/1/runs/beta"]
)
def test_judges_are_told_nothing(release: Release, judged: Cast, caller_for: CallerFor, path: str) -> None:
    for who in (judged.assessor, judged.adjudicator):
        call = caller_for(who)
        assert (call("GET", ALL + path), call.status) == (BLIND, 403)


def test_score_new_runs(release: Release, judged: Cast, caller_for: CallerFor) -> None:
    call = caller_for(judged.organizer)
    answer = call("POST", f"{ONE}/scores")
    assert (call.status, answer["name"]) == (202, "score_release")
    call("POST", f"{ALL}/2/scores")
    assert call.status == 404


def test_leaderboard(release: Release, judged: Cast, caller_for: CallerFor) -> None:
    call = caller_for(judged.organizer, "read")
    found = call("GET", "/collections/harbour-trials/leaderboard?sort=-AP&measures=AP")
    assert (found["release"], found["qrels_sha256"], found["measures"]) == (1, release.sha256, ["AP", "Judged@10"])
    assert [(row["run"], row["missing_topics"]) for row in found["runs"]] == [("beta", 1), ("alpha", 0)]
    live = call("GET", "/collections/harbour-trials/leaderboard?release=live&sort=-AP&measures=AP")
    assert (live["release"], [row["scores"] for row in live["runs"]]) == (None, [row["scores"] for row in found["runs"]])
    assert (
        caller_for(judged.participant)("GET", "/collections/harbour-trials/leaderboard?release=live")["error"]["code"]
        == "not_found"
    )
    assert call("GET", "/collections/harbour-trials/leaderboard?test=odd")["error"]["message"].startswith(
        "test: Expected one of randomization"
    )


def test_run_report(release: Release, judged: Cast, caller_for: CallerFor) -> None:
    found = caller_for(judged.participant, "read")("GET", f"{ONE}/runs/beta/report")
    assert (found["retrieved"], found["relevant"], found["relevant_retrieved"], found["missing_topics"]) == (2, 4, 2, 1)
    assert (found["average_precision"], found["micro_recall"], len(found["recall_levels"])) == (0.5, 0.5, 11)


COUNTS = {"": 4, "/1": 4, "/1/scores": 8, "/1/scores.csv": 7, "/1/topics/1": 8, "/1/runs/alpha": 7}


@pytest.mark.parametrize("path", COUNTS)
def test_query_counts_do_not_grow(
    judged: Cast, caller_for: CallerFor, path: str, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    Run.objects.filter(tag="beta").delete()
    made = factories.freeze(judged.collection, judged.organizer)
    factories.score(made)
    call = caller_for(judged.organizer)
    call("GET", ALL + path)
    for runs in (1, 3):
        for number in range(Run.objects.count(), runs):
            factories.make_run(judged.collection, f"more-{number}", factories.BETA, by=judged.organizer)
        factories.score(made)
        with django_assert_num_queries(COUNTS[path]):
            call("GET", ALL + path)
