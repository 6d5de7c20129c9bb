"""Pages and API by which topics, runs and rules are changed."""

from datetime import UTC, datetime

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from pooling.models import Collection, Membership, Run, Topic, Upload
from tests.api.conftest import CallerFor, caller_for
from tests.conftest import Cast, ClientFor
from tests.pooling import files
from tests.pooling.files import run_file
from tests.pooling.test_packed import zip_of

pytestmark = pytest.mark.once

HERE, API = "/c/harbour-trials/", "/collections/harbour-trials"
__all__ = ["caller_for"]  # a fixture of the API's tests


@pytest.fixture
def olga(cast: Cast, client_for: ClientFor) -> Client:
    files.take_topics(cast.collection, cast.organizer)
    return client_for(cast.organizer)


def test_a_topic_is_changed_on_its_page(cast: Cast, olga: Client) -> None:
    Collection.objects.update(judging_started_at=timezone.now())
    answer = olga.post(f"{HERE}topics/1/", {"title": "tides", "description": "d", "narrative": "", "language": "en", "of": ""})
    assert (answer.status_code, answer["Location"]) == (302, f"{HERE}topics/1/")
    page = olga.get(f"{HERE}topics/1/").content.decode()
    assert "version 2" in page and "tidal power" in page  # what it was is kept
    assert olga.post(f"{HERE}topics/1/", {"title": "", "of": ""}).status_code == 422
    assert [olga.get(f"{HERE}topics/{number}/").status_code for number in ("99", "a%00b")] == [404, 404]


def test_a_member_reads_topics_in_a_language(cast: Cast, olga: Client, client_for: ClientFor) -> None:
    files.take(cast.collection, cast.organizer, "topics", b"1\tles mar\xc3\xa9es\n", language="fr", parallel="yes")
    client = client_for(cast.assessor)
    assert client.post(f"{HERE}topics/language/", {"language": "fr"}).status_code == 302
    assert "les marées" in client.get(f"{HERE}topics/").content.decode()
    assert "les marées" not in olga.get(f"{HERE}topics/").content.decode().replace('"', "").split("<table")[0]
    assert Membership.objects.get(user=cast.assessor).topic_language == "fr"
    assert client.post(f"{HERE}topics/language/", {"language": "xx"}).status_code == 422


def test_times_of_runs_are_of_utc_whatever_zone_the_pages_have(
    cast: Cast, olga: Client, client_for: ClientFor, caller_for: CallerFor, settings: Settings
) -> None:
    settings.TIME_ZONE = "Asia/Tokyo"
    assert olga.post(f"{HERE}rules/", {"max_per_topic": 5, "runs_close_at": "2999-02-01T20:00"}).status_code == 302
    cast.collection.refresh_from_db()
    assert cast.collection.runs_close_at == datetime(2999, 2, 1, 20, tzinfo=UTC)
    assert 'value="2999-02-01T20:00"' in olga.get(f"{HERE}rules/").content.decode()
    page = client_for(cast.participant).get(f"{HERE}runs/").content.decode()
    assert "Runs are taken until 1 February 2999, 20:00 UTC." in page
    call = caller_for(cast.organizer)
    assert call("PUT", f"{API}/rules", {"runs_close_at": "2999-02-01T20:00:00"})["runs_close_at"] == "2999-02-01T20:00:00Z"


def test_rules_and_what_is_told_of_a_run(cast: Cast, olga: Client, client_for: ClientFor) -> None:
    rules = {"max_per_topic": 5, "runs_open_at": "2026-01-01T00:00", "runs_close_at": "2026-02-01T00:00"}
    assert olga.post(f"{HERE}rules/", rules).status_code == 302
    page = client_for(cast.participant).get(f"{HERE}runs/").content.decode()
    assert "Runs were taken until 1 February 2026, 00:00 UTC." in page and "multipart" not in page
    wrong = olga.post(f"{HERE}rules/", {**rules, "runs_close_at": "2025-01-01T00:00"})
    assert wrong.status_code == 422 and "expected one after it" in wrong.content.decode()
    run = files.take_run(cast.collection, cast.organizer, run_file("a", t1="d1"))
    given = {"group": "G", "kind": "manual", "description": "", "priority": 3, "language": "", "figure_cpu_seconds": "4.5"}
    assert olga.post(f"{HERE}runs/a/edit/", given).status_code == 302
    run.refresh_from_db()
    assert (run.group, run.priority, run.efficiency) == ("G", 3, {"cpu_seconds": 4.5})
    assert "4.5 s" in olga.get(f"{HERE}runs/a/").content.decode()


def test_earlier_files_of_a_run_can_be_downloaded(cast: Cast, olga: Client) -> None:
    first, second = run_file("a", t1="d1"), run_file("a", t1="d2")
    files.take_run(cast.collection, cast.organizer, first)
    files.take_run(cast.collection, cast.organizer, second, replace="yes")
    assert b"".join(olga.get(f"{HERE}runs/a/file/")) == second
    assert b"".join(olga.get(f"{HERE}runs/a/file/?version=1")) == first
    assert olga.get(f"{HERE}runs/a/file/?version=7").status_code == 404


def test_the_same_by_api(cast: Cast, olga: Client, caller_for: CallerFor) -> None:
    call = caller_for(cast.organizer)
    topic = call("PUT", f"{API}/topics/1", {"title": "tides", "language": "en"})
    assert (topic["title"], topic["language"], Topic.objects.get(number="1").title) == ("tides", "en", "tides")
    assert call("GET", f"{API}/topics/1")["title"] == "tides"
    assert call("PUT", f"{API}/rules", {"max_per_topic": 7})["max_per_topic"] == 7
    assert call("GET", f"{API}/rules")["runs_close_at"] is None
    files.take_run(cast.collection, cast.organizer, run_file("a", t1="d1"))
    changed = call("PATCH", f"{API}/runs/a", {"priority": 9, "efficiency": {"throughput_qps": 80}})
    assert (changed["priority"], changed["efficiency"]) == (9, {"throughput_qps": 80.0})
    assert "is no efficiency figure" in str(call("PATCH", f"{API}/runs/a", {"efficiency": {"speed": 1}}))


def test_an_archive_by_api(cast: Cast, olga: Client) -> None:
    archive = zip_of([("x.run", run_file("x", t1="d1")), ("y.run", run_file("y", t1="d2"))])
    answer = olga.post(f"/api/v1{API}/runs/archive", {"file": SimpleUploadedFile("runs.zip", archive), "group": "G"})
    assert (answer.status_code, [upload["name"] for upload in answer.json()]) == (202, ["x.run", "y.run"])
    for upload in Upload.objects.filter(kind="run"):
        files.check(upload)
    assert {(run.tag, run.group) for run in Run.objects.all()} == {("x", "G"), ("y", "G")}
