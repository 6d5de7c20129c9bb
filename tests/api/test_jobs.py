"""Jobs over the API: who sees them, their output, the trial."""

from pathlib import Path

import pytest
from django.conf import settings
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from config import jobs
from config.models import Job, User
from pooling.services import collections
from tests.api.conftest import NO_TOKEN, NOT_FOUND, CallerFor, at
from tests.conftest import Cast

pytestmark = pytest.mark.once


def make_job(user: User, **values: object) -> Job:
    job = jobs.intend("trial", title="Trial", args={"steps": 1, "seconds": "0"}, started_by=user)
    Job.objects.filter(pk=job.pk).update(**values)
    job.refresh_from_db()
    return job


def with_output(user: User) -> Job:
    job = make_job(user, state="done", output="files/exports/harbour.zip", finished_at=timezone.now())
    path = Path(settings.DATA) / job.output
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"zipped")
    return job


def test_read(cast: Cast, caller_for: CallerFor) -> None:
    job = make_job(cast.stranger, state="running", done_count=3, total=10, message="Step 3", heartbeat_at=timezone.now())
    call = caller_for(cast.stranger)
    answer = call("GET", f"/jobs/{job.pk}")
    assert call.status == 200
    assert answer == {
        "id": job.pk,
        "name": "trial",
        "title": "Trial",
        "state": "running",
        "done": 3,
        "total": 10,
        "message": "Step 3",
        "attempt": 0,
        "started_by": "stranger",
        "created_at": answer["created_at"],
        "started_at": None,
        "finished_at": None,
        "output": None,
    }


def test_read_is_for_who_started_it_organizers_and_administrators(cast: Cast, caller_for: CallerFor) -> None:
    job = collections.request_export(cast.collection, by=cast.staff)
    path = f"/jobs/{job.pk}"
    seen = {}
    for name in ("organizer", "staff", "assessor", "stranger", "other_organizer"):
        call = caller_for(getattr(cast, name))
        call("GET", path)
        seen[name] = (call.status, len(call("GET", "/jobs")["results"]))
    hidden = (404, 0)
    assert seen == {
        "organizer": (200, 1),
        "staff": (200, 1),
        "assessor": hidden,
        "stranger": hidden,
        "other_organizer": hidden,
    }
    assert caller_for()("GET", path) == NO_TOKEN


def test_list_by_state(cast: Cast, caller_for: CallerFor) -> None:
    waiting, done = make_job(cast.stranger), make_job(cast.stranger, state="done")
    call = caller_for(cast.stranger)
    assert [job["id"] for job in call.walk("/jobs?page_size=1")] == [done.pk, waiting.pk]
    assert [job["id"] for job in call.walk("/jobs?state=done")] == [done.pk]
    refused = make_job(cast.stranger, state="refused")
    assert [(job["id"], job["state"]) for job in call.walk("/jobs?state=refused")] == [(refused.pk, "refused")]
    why = "Expected one of waiting, running, done, refused, failed; found “lost”."
    assert call("GET", "/jobs?state=lost") == at("state", why)


def test_list_query_count(cast: Cast, caller_for: CallerFor, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    call = caller_for(cast.stranger)
    call("GET", "/me")
    for count in (1, 3):
        while Job.objects.count() < count:
            make_job(cast.stranger)
        with django_assert_num_queries(2):  # token, jobs with who started them
            assert len(call("GET", "/jobs")["results"]) == count


def test_output(cast: Cast, caller_for: CallerFor) -> None:
    job = with_output(cast.stranger)
    call = caller_for(cast.stranger)
    address = call("GET", f"/jobs/{job.pk}")["output"]
    assert address == f"http://127.0.0.1:8000/api/v1/jobs/{job.pk}/output"
    assert call("GET", f"/jobs/{job.pk}/output") == b"zipped"
    assert call.headers["Content-Disposition"] == 'attachment; filename="harbour.zip"'
    assert caller_for(cast.assessor)("GET", f"/jobs/{job.pk}/output") == NOT_FOUND


def test_output_that_is_not_there(cast: Cast, caller_for: CallerFor) -> None:
    call = caller_for(cast.stranger)
    assert call("GET", f"/jobs/{make_job(cast.stranger).pk}/output") == NOT_FOUND
    lost = with_output(cast.stranger)
    (Path(settings.DATA) / lost.output).unlink()
    assert call("GET", f"/jobs/{lost.pk}/output") == NOT_FOUND


def test_trial(cast: Cast, caller_for: CallerFor) -> None:
    call = caller_for(cast.staff)
    answer = call("POST", "/jobs/trial", {"steps": 3, "seconds": 1})
    assert (call.status, answer["name"], answer["state"]) == (202, "trial", "waiting")
    assert Job.objects.get().args == {"steps": 3, "seconds": "1"}


@pytest.mark.parametrize("steps", [0, 1001])
def test_trial_tells_why_not(cast: Cast, caller_for: CallerFor, steps: int) -> None:
    why = f"Expected at {'least 1' if steps == 0 else 'most 1000'}; found {steps}."
    call = caller_for(cast.staff)
    answer = call("POST", "/jobs/trial", {"steps": steps})
    assert (answer, call.status) == (at("steps", why), 422)


def test_trial_is_for_administrators(cast: Cast, caller_for: CallerFor) -> None:
    call = caller_for(cast.organizer)
    assert (call("POST", "/jobs/trial", {}), call.status) == (NOT_FOUND, 404)
    assert Job.objects.count() == 0
