"""Uploads, topics, runs and pools over the API: the same services, with scopes."""

from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pytest_django import DjangoAssertNumQueries, Settings

from config import accounts
from config.models import Job, User
from pooling.models import Pool, Role, Run, Upload
from pooling.services import collections, pools
from pooling.services.work import Direct
from tests import factories
from tests.api.conftest import NOT_FOUND, CallerFor, error
from tests.conftest import Cast
from tests.pooling import files
from tests.pooling.files import run_file

pytestmark = pytest.mark.once

HERE = "/collections/harbour-trials"
ARCHIVED = error("conflict", "This collection is archived; restore it first.")


@pytest.fixture(autouse=True)
def _own_data(settings: Settings, tmp_path: Path) -> None:
    settings.DATA = tmp_path


@pytest.fixture
def caller_for() -> CallerFor:
    return CallerFor()


def post(user: User, path: str, data: bytes, *scopes: str, key: str = "", **fields: str) -> tuple[int, Any]:
    """A multipart request with one file."""
    secret = accounts.make_token(user=user, name="t", scopes=scopes or ("read", "submit", "manage"))[1]
    headers = {"Authorization": f"Bearer {secret}", **({"Idempotency-Key": key} if key else {})}
    given = {"file": SimpleUploadedFile("a.txt", data), **fields}
    answer = Client(enforce_csrf_checks=True).post(f"/api/v1{path}", given, headers=headers)
    return answer.status_code, answer.json()


def test_topics_from_upload_to_list(cast: Cast, caller_for: CallerFor) -> None:
    status, upload = post(cast.organizer, f"{HERE}/topics", files.TOPICS)
    assert (status, upload["state"], upload["kind"], upload["report"]) == (202, "received", "topics", None)
    assert Job.objects.get(pk=upload["job"]).name == "check_upload"
    files.check(Upload.objects.get())
    call = caller_for(cast.organizer)
    read = call("GET", f"{HERE}/uploads/{upload['id']}")
    assert (read["state"], read["report"]["facts"]) == ("accepted", {"topics": 3})
    found = caller_for(cast.assessor)("GET", f"{HERE}/topics")["results"]
    assert [topic["number"] for topic in found] == ["10", "2", "1"]
    assert found[2] == {
        "number": "1",
        "title": "tidal power",
        "description": "fish near turbines",
        "narrative": "",
        "language": "",
        "translations": {},
        "extra": {},
        "version": 1,
    }


def test_refused_file_tells_every_fault(cast: Cast, caller_for: CallerFor) -> None:
    _, upload = post(cast.organizer, f"{HERE}/documents", b"{oops\n")
    files.check(Upload.objects.get())
    call = caller_for(cast.organizer)
    report = call("GET", f"{HERE}/uploads/{upload['id']}")["report"]
    assert (report["errors"], report["counts"]) == (1, {"JSON": 1})
    assert (report["findings"][0]["line"], report["findings"][0]["severity"]) == (1, "error")
    assert call("GET", f"{HERE}/documents") == {"documents": 0, "complete": True, "imports": 1}


def test_participant_submits_with_the_scope_submit(cast: Cast, caller_for: CallerFor) -> None:
    files.take_topics(cast.collection, cast.organizer)
    data = run_file("bm25", t1="d1", t2="d2", t10="d3")
    status, told = post(cast.participant, f"{HERE}/runs", data, "read", "manage")
    assert (status, told["error"]["code"]) == (403, "forbidden")
    status, upload = post(cast.participant, f"{HERE}/runs", data, "submit", group="North", kind="manual")
    assert status == 202
    files.check(Upload.objects.get(pk=upload["id"]))
    call = caller_for(cast.participant)
    [run] = call("GET", f"{HERE}/runs")["results"]
    facts = ("tag", "group", "kind", "topics", "lines", "submitted_by", "upload")
    assert [run[name] for name in facts] == ["bm25", "North", "manual", 3, 3, "Member participant", upload["id"]]
    assert call("GET", f"{HERE}/runs/bm25") == run
    assert call("GET", f"{HERE}/runs/bm25/file") == data
    assert post(cast.participant, f"{HERE}/topics", files.TOPICS)[0] == 403


def test_a_field_that_is_left_out_says_nothing(cast: Cast) -> None:
    files.take_topics(cast.collection, cast.organizer)

    def facts(**fields: str) -> tuple[str, int]:
        status, upload = post(cast.participant, f"{HERE}/runs", run_file("bm25", t1="d1"), "submit", **fields)
        assert status == 202, upload
        run = files.check(Upload.objects.get(pk=upload["id"])).run
        return run.kind, run.priority

    assert facts(priority="7", metadata="method: {automatic: false}") == ("manual", 7)
    assert facts(replace="true") == ("manual", 7)
    assert facts(replace="true", kind="automatic", priority="1") == ("automatic", 1)


def test_others_runs_are_not_there(cast: Cast, caller_for: CallerFor) -> None:
    rival = factories.make_user("Rival")
    factories.join(cast.collection, rival, Role.PARTICIPANT)
    files.fill(cast.collection, cast.organizer)
    run = files.take_run(cast.collection, rival, run_file("rivals", t1="d1"))
    call = caller_for(cast.participant)
    assert call("GET", f"{HERE}/runs")["results"] == call("GET", f"{HERE}/uploads")["results"] == []
    assert (call("GET", f"{HERE}/uploads/{run.upload_id}"), call.status) == (NOT_FOUND, 404)
    for tag, path in (("rivals", "rivals"), ("rivals", "rivals/file"), ("none", "none")):
        told = error("not_found", f"There is no run “{tag}” among those you see.")
        assert (call("GET", f"{HERE}/runs/{path}"), call.status) == (told, 404)
    assert len(caller_for(rival)("GET", f"{HERE}/runs")["results"]) == 1


@pytest.mark.parametrize("role", ["assessor", "adjudicator", "researcher"])
def test_blind_roles_get_403(cast: Cast, caller_for: CallerFor, role: str) -> None:
    runs = files.fill(cast.collection, cast.organizer)
    call = caller_for(getattr(cast, role))
    for path in ("runs", "runs/alpha", "runs/alpha/file", "uploads", f"uploads/{runs[0].upload_id}", "pools", "pools/sizes"):
        call("GET", f"{HERE}/{path}")
        assert call.status == 403, path


def test_pool_sizes_and_drawing(cast: Cast, caller_for: CallerFor) -> None:
    files.fill(cast.collection, cast.organizer)
    call = caller_for(cast.organizer)
    sizes = call("GET", f"{HERE}/pools/sizes?depth=1&depth=2")
    assert sizes == [{"depth": 1, "items": 5, "new": 5, "hours": None}, {"depth": 2, "items": 7, "new": 7, "hours": None}]
    assert [size["depth"] for size in call("GET", f"{HERE}/pools/sizes?run=alpha")] == [5, 10, 20, 50, 100]
    assert call("GET", f"{HERE}/pools/sizes?depth=0")["error"]["message"] == "depth: Expected at least 1; found 0."
    job = call("POST", f"{HERE}/pools", {"depth": 1, "runs": ["alpha"]}, key="once")
    assert (call.status, job["state"]) == (202, "waiting")
    assert call("POST", f"{HERE}/pools", {"depth": 1, "runs": ["alpha"]}, key="once") == job
    assert call("POST", f"{HERE}/pools", {"depth": 1})["error"]["code"] == "conflict"
    with Direct(lambda done, total, words: None) as work:
        pools.draw_pool(Pool.objects.get(), work)
    [pool] = call("GET", f"{HERE}/pools")["results"]
    assert [pool[name] for name in ("round", "strategy", "parameters", "runs", "items")] == [
        1,
        "depth",
        {"depth": 1, "ties": "evaluation"},
        ["alpha"],
        3,
    ]


def test_pool_of_an_unknown_run(cast: Cast, caller_for: CallerFor) -> None:
    files.fill(cast.collection, cast.organizer)
    told = caller_for(cast.organizer)("POST", f"{HERE}/pools", {"depth": 1, "runs": ["nobody"]})
    assert told == error("invalid", "There is no run “nobody” in this collection.", runs=["nobody"])


def test_archived_refuses_every_change(cast: Cast, caller_for: CallerFor) -> None:
    files.fill(cast.collection, cast.organizer)
    collections.archive_collection(cast.collection)
    for path in ("topics", "documents", "runs"):
        assert post(cast.organizer, f"{HERE}/{path}", b"x") == (409, ARCHIVED)
    assert caller_for(cast.organizer)("POST", f"{HERE}/pools", {"depth": 1}) == ARCHIVED


def test_too_large_is_413(cast: Cast, settings: Settings) -> None:
    settings.UPLOAD_MB = 1
    status, told = post(cast.organizer, f"{HERE}/topics", b"x" * 1_100_000)
    assert (status, told["error"]["code"]) == (413, "too_large")
    assert "at most 1 MB may be sent at once" in told["error"]["message"]


def test_unknown_field_is_refused(cast: Cast) -> None:
    files.take_topics(cast.collection, cast.organizer)
    status, told = post(cast.organizer, f"{HERE}/runs", b"x", groop="North")
    assert (status, told["error"]["code"], told["error"]["message"][-16:]) == (422, "invalid", "; found “groop”.")
    assert Run.objects.count() == 0


def test_same_key_again_is_one_upload(cast: Cast) -> None:
    first = post(cast.organizer, f"{HERE}/topics", files.TOPICS, key="k1")
    assert post(cast.organizer, f"{HERE}/topics", files.TOPICS, key="k1") == first
    assert Upload.objects.count() == 1


def test_runs_query_count(cast: Cast, caller_for: CallerFor, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    files.take_topics(cast.collection, cast.organizer)
    call = caller_for(cast.organizer)
    call("GET", "/me")  # the token's first use is noted
    for tags in (["a"], ["b", "c"]):
        for tag in tags:
            files.take_run(cast.collection, cast.organizer, run_file(tag, t1="d1"))
        with django_assert_num_queries(4):  # token, collection with own roles, own roles, runs with file and person
            call("GET", f"{HERE}/runs")


def test_list_tells_which_checks_still_run(cast: Cast, caller_for: CallerFor) -> None:
    files.take_topics(cast.collection, cast.organizer)
    going, lost = (files.send(cast.collection, cast.organizer, "run", b"x") for _ in range(2))
    Job.objects.filter(pk=lost.job_id or 0).update(state="failed")
    call = caller_for(cast.organizer)
    assert [upload["state"] for upload in call("GET", f"{HERE}/uploads")["results"]] == ["failed", "received", "accepted"]
    assert call("GET", f"{HERE}/uploads/{going.pk}")["state"] == "received"
