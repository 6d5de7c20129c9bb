"""kill -9 during a freeze and while it is scored, at random moments: no release, or a whole one; no scores, or all."""

import hashlib
from types import SimpleNamespace

import pytest
from django.conf import settings
from django.db import connection
from django.utils import timezone

from config import append_only, jobs, store
from config.models import Job
from evaluation.models import Release, ReleaseStep, Score, ScoreArchive, ScoreFile
from evaluation.on_files import verify
from evaluation.services import releases
from tests import factories as people
from tests.evaluation import factories
from tests.killing import digest, kill_often

GUARDS = [
    append_only.guard("evaluation_release", "A release is never changed or deleted"),
    append_only.guard("evaluation_releasestep", "A step of a release is never changed or deleted"),
]


@pytest.fixture(autouse=True)
def _no_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "nudge", lambda job: True)


def forget_releases() -> None:
    """As if none had been frozen; the database itself would refuse it. Their files go too."""
    for release in Release.objects.all():
        store.remove(release.path)
        store.remove(release.archive)
    with connection.schema_editor() as editor:
        for _refuse, allow in GUARDS:
            allow(None, editor)  # type: ignore[arg-type]
    Job.objects.filter(name="score_release").delete()
    ReleaseStep.objects.all().delete()
    Release.objects.all().delete()
    with connection.schema_editor() as editor:
        for refuse, _allow in GUARDS:
            refuse(None, editor)  # type: ignore[arg-type]


def sha256(name: str) -> str:
    return hashlib.sha256((settings.DATA / name).read_bytes()).hexdigest()


@pytest.mark.usefixtures("committed")
def test_a_release_is_whole_or_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    frozen = timezone.now()  # the hour is in the archive: without it two are the same bytes
    monkeypatch.setattr(releases, "timezone", SimpleNamespace(now=lambda: frozen))
    organizer = people.make_user("Olga Organizer")
    collection = people.make_collection(organizer, "Harbour trials")
    factories.judge_all(collection, factories.FIRST, organizer)

    def again() -> Job:
        forget_releases()
        return releases.request_release(collection, by=organizer, rule="first")

    def seen() -> str:
        """Every release with its step, its files to the byte, and the job that is to score it."""
        found = []
        for release in Release.objects.all():
            files = [sha256(release.path), sha256(release.archive)]
            assert files == [release.sha256, release.archive_sha256]
            assert all(good for _name, good, _words in verify.verify(verify.read(settings.DATA / release.archive)))
            found.append((release.number, [step.state for step in release.steps.all()], files, release.counts, release.about))
        return digest(found, Job.objects.filter(name="score_release").count())

    kill_often(again, seen)
    assert list(ReleaseStep.objects.values_list("release__number", "state")) == [(1, "draft")]
    assert Job.objects.filter(name="score_release").count() == 1


@pytest.mark.usefixtures("committed")
def test_scores_are_whole_or_not_there() -> None:
    organizer = people.make_user("Olga Organizer")
    collection = people.make_collection(organizer, "Harbour trials")
    for tag, ranked in (("alpha", factories.ALPHA), ("beta", factories.BETA)):
        factories.make_run(collection, tag, ranked, by=organizer)
    factories.judge_all(collection, factories.FIRST, organizer)
    release = factories.freeze(collection, organizer, "first")

    def again() -> Job:
        tables = ScoreFile.objects.all(), ScoreArchive.objects.all()
        for name in [name for table in tables for name in table.values_list("path", flat=True)]:
            store.remove(name)
        for table in (*tables, Score.objects.all()):
            table.delete()
        return releases.request_scores(release, by=organizer)

    def seen() -> str:
        means = sorted(Score.objects.values_list("run__tag", "measure", "mean"), key=repr)
        tables = [(file.run.tag, file.run_sha256, sha256(file.path)) for file in ScoreFile.objects.order_by("run__tag")]
        archives = [(made.version, made.sha256, sha256(made.path)) for made in ScoreArchive.objects.all()]
        assert all(told == real for _version, told, real in archives)
        return digest(means, tables, archives)

    kill_often(again, seen)
    assert sorted(ScoreFile.objects.values_list("run__tag", flat=True)) == ["alpha", "beta"]
    assert ScoreArchive.objects.count() == 1
