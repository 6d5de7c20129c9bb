"""Jobs that eat, sleep or are unknown, on a live site with one worker: each ends by its limit, and the next one starts."""

from collections.abc import Iterator
from datetime import timedelta
from itertools import pairwise

import pytest
from pytest_django import DjangoDbBlocker

from config import jobs
from config.models import Job
from tests.site import ROOT, Site

pytestmark = [pytest.mark.timeout(240), pytest.mark.once]
NEXT = timedelta(seconds=5)


@pytest.fixture
def poisoned(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Site]:
    """A site that knows the jobs of `tests/live/poison`, by settings of the tests' own."""
    given = {"DJANGO_SETTINGS_MODULE": "tests.live.poison.settings", "PYTHONPATH": str(ROOT)}
    site = Site(**given, ASSIZE_WORKERS="1", ASSIZE_WEB_PROCESSES="1", ASSIZE_JOB_MEMORY_MB="256").start()
    with django_db_blocker.unblock(), site.database():
        yield site
    site.remove()


def test_poison_stops_nobody(poisoned: Site) -> None:
    eats, sleeps, gone = (Job.objects.create(name=f"poison {how}", title=how) for how in ("eats", "sleeps", "is gone"))
    last = jobs.intend("trial", title="Trial", args={"steps": 1, "seconds": "0"})
    poisoned.wait_for(lambda: Job.objects.filter(pk=sleeps.pk, state="running").exists(), 90)
    assert poisoned.get("/healthz")[0] == 200
    poisoned.wait_for(lambda: Job.objects.filter(pk=last.pk, state="done").exists(), 180)
    told = Job.objects.in_bulk()
    assert [(told[job.pk].state, told[job.pk].attempt, told[job.pk].message) for job in (eats, sleeps, gone)] == [
        ("failed", 1, "It needed more than the 256 MB of memory a job may use."),
        ("failed", 1, "It took longer than 0.1 minutes and was stopped."),
        ("failed", 1, "This version of the site does not know the job “poison is gone”."),
    ]
    assert told[eats.pk].done_count > 1000, "it ate piece by piece"
    order = list(Job.objects.order_by("started_at"))
    assert order == [eats, sleeps, gone, last]
    for before, after in pairwise(order):
        assert before.finished_at and after.started_at and after.started_at - before.finished_at < NEXT, after
