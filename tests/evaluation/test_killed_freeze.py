"""kill -9 during a freeze, at random moments: no release, or a whole one."""

import hashlib

import pytest
from django.conf import settings

from config import jobs
from config.models import Job, JobState
from evaluation import services
from evaluation.models import Release, ReleaseStep
from evaluation.on_files import verify
from tests import factories as people
from tests.evaluation import factories
from tests.pooling.test_killed import killed_often, run_in_a_process


def seen() -> object:
    """Every release there is, each with its step and whole files."""
    found = []
    for release in Release.objects.all():
        files = {path: (settings.DATA / path).read_bytes() for path in (release.path, release.archive)}
        assert [hashlib.sha256(data).hexdigest() for data in files.values()] == [release.sha256, release.archive_sha256]
        assert all(good for _name, good, _words in verify.verify(verify.read(settings.DATA / release.archive)))
        found.append((release.number, ReleaseStep.objects.filter(release=release).count()))
    return found


@pytest.mark.usefixtures("committed")
def test_a_release_is_whole_or_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "nudge", lambda job: True)
    organizer = people.make_user("Olga Organizer")
    collection = people.make_collection(organizer, "Harbour trials")
    factories.judge_all(collection, factories.FIRST, organizer)
    job = services.request_release(collection, by=organizer, rule="first")
    states = list(killed_often(job, seen, 20, lasts=0.4))
    assert all(state in ([], [(1, 1)]) for state in states)
    while not Job.objects.filter(pk=job.pk, state=JobState.DONE).exists():
        assert run_in_a_process(job, None)
    assert seen() == [(1, 1)]
    assert Job.objects.filter(name="score_release").count() == 1
