from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.sessions.models import Session
from django.utils import timezone
from pytest_django import Settings

from config import accounts, housekeeping
from config.models import Job, JobState, OneTimeLink, RememberedAnswer, Throttle
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def data(settings: Settings, tmp_path: Path) -> Path:
    settings.DATA = tmp_path
    return tmp_path


def test_tidying_nothing_is_fine() -> None:
    assert set(housekeeping.tidy().values()) == {0}


def test_rows_that_had_their_time_are_removed() -> None:
    now, user = timezone.now(), factories.make_user()
    for age in (timedelta(hours=-1), timedelta(hours=1), timedelta(hours=25), timedelta(days=31)):
        Session.objects.create(session_key=str(age), expire_date=now - age)
        Throttle.objects.create(key=str(age), window_ends=now - age)
        RememberedAnswer.objects.create(user=user, key=str(age), request="", created_at=now - age)
        OneTimeLink.objects.create(digest=f"expired {age}", expires_at=now - age)
        OneTimeLink.objects.create(digest=f"used {age}", expires_at=now, used_at=now - age)
    removed = housekeeping.tidy()
    assert list(removed.items())[:4] == [
        ("expired sessions", 3),
        ("ended throttles", 3),
        ("remembered answers", 2),
        ("one-time links", 2),
    ]
    assert set(housekeeping.tidy().values()) == {0}


def test_fresh_link_is_kept() -> None:
    accounts.make_link(None)
    housekeeping.tidy()
    assert OneTimeLink.objects.count() == 1


def test_old_outputs_are_removed_with_their_file(data: Path) -> None:
    now, made = timezone.now(), []
    for days in (29, 31):
        job = Job.objects.create(name="x", title="X", state=JobState.DONE, finished_at=now - timedelta(days=days))
        job.output = f"files/exports/{job.pk}/x.zip"
        job.save()
        path = data / job.output
        path.parent.mkdir(parents=True)
        path.write_text("zip")
        made.append(job)
    assert housekeeping.tidy()["job outputs"] == 1
    kept, gone = Job.objects.order_by("pk")
    assert (kept.output, gone.output) == (made[0].output, "")
    assert sorted(path.name for path in (data / "files" / "exports").iterdir()) == [str(kept.pk)]


def test_output_whose_file_is_gone_is_cleared() -> None:
    long_ago = timezone.now() - timedelta(days=40)
    Job.objects.create(name="x", title="X", state=JobState.DONE, finished_at=long_ago, output="files/exports/9/x.zip")
    assert housekeeping.tidy()["job outputs"] == 1
    assert Job.objects.get().output == ""


def test_nothing_outside_the_data_folder_is_removed(data: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = tmp_path_factory.mktemp("other") / "file"
    other.write_text("precious")
    long_ago = timezone.now() - timedelta(days=40)
    Job.objects.create(name="x", title="X", state=JobState.DONE, finished_at=long_ago, output=str(other))
    housekeeping.tidy()
    assert other.exists()


def test_leftover_folders_are_removed_and_those_in_use_kept(data: Path) -> None:
    running = Job.objects.create(name="x", title="X", state=JobState.RUNNING, attempt=2)
    waiting = Job.objects.create(name="x", title="X", attempt=1)
    for name in (f"assize-{running.pk}-2", f"assize-{running.pk}-1", f"assize-{waiting.pk}-1", "assize-4711-1"):
        (data / "aside" / name).mkdir(parents=True)
        (data / "aside" / name / "half").write_text("half")
    assert housekeeping.tidy()["leftover folders"] == 3
    assert [path.name for path in (data / "aside").iterdir()] == [f"assize-{running.pk}-2"]
