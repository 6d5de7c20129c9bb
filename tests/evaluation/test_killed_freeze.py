"""kill -9 during a freeze and while it is scored, at random moments: no release, or a whole one; no scores of a run, or all.

Few kills by default; `make kills` tries the number that was promised.
"""

import hashlib
import time

import pytest
from django.conf import settings

from config import jobs
from config.models import Job, JobState
from evaluation import services
from evaluation.models import Release, ReleaseStep, Score, ScoreArchive, ScoreFile
from evaluation.on_files import verify
from pooling.models import Collection
from tests import factories as people
from tests.evaluation import factories
from tests.pooling.test_killed import KILLS, killed_often, run_in_a_process


def seen() -> object:
    """Every release of the collection, each with its step and whole files."""
    found = []
    for release in Release.objects.filter(collection__slug="harbour-trials"):
        files = {path: (settings.DATA / path).read_bytes() for path in (release.path, release.archive)}
        assert [hashlib.sha256(data).hexdigest() for data in files.values()] == [release.sha256, release.archive_sha256]
        assert all(good for _name, good, _words in verify.verify(verify.read(settings.DATA / release.archive)))
        found.append((release.number, ReleaseStep.objects.filter(release=release).count()))
    return found


@pytest.mark.usefixtures("committed")
def test_a_release_is_whole_or_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "nudge", lambda job: True)
    organizer = people.make_user("Olga Organizer")
    twin, collection = (people.make_collection(organizer, name) for name in ("Twin trials", "Harbour trials"))
    for one in (twin, collection):
        factories.judge_all(one, factories.FIRST, organizer)
    began = time.monotonic()
    assert run_in_a_process(services.request_release(twin, by=organizer, rule="first"), None)
    lasts = time.monotonic() - began  # the kills are spread over all of the work, however fast the machine is
    job = services.request_release(collection, by=organizer, rule="first")
    states = list(killed_often(job, seen, KILLS, lasts=lasts))
    assert all(state in ([], [(1, 1)]) for state in states)
    assert [] in states, "some kills came before the end"
    while not Job.objects.filter(pk=job.pk, state=JobState.DONE).exists():
        assert run_in_a_process(job, None)
    assert seen() == [(1, 1)]
    assert Job.objects.filter(name="score_release", collection_id=collection.pk).count() == 1


def scores(collection: Collection) -> dict[str, dict[str, float | None]]:
    found: dict[str, dict[str, float | None]] = {}
    for tag, measure, mean in Score.objects.filter(run__collection=collection).values_list("run__tag", "measure", "mean"):
        found.setdefault(tag, {})[measure] = mean
    return found


def released(name: str) -> tuple[Collection, Job]:
    """A collection with two runs and a release, and the job that is to score it."""
    organizer = people.make_user(f"Organizer of {name}")
    collection = people.make_collection(organizer, name)
    for tag, ranked in (("alpha", factories.ALPHA), ("beta", factories.BETA)):
        factories.make_run(collection, tag, ranked, by=organizer)
    factories.judge_all(collection, factories.FIRST, organizer)
    assert run_in_a_process(services.request_release(collection, by=organizer, rule="first"), None)
    return collection, Job.objects.get(name="score_release", collection_id=collection.pk)


@pytest.mark.usefixtures("committed")
def test_scores_of_a_run_are_whole_or_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "nudge", lambda job: True)
    undisturbed, job = released("Quiet trials")
    assert run_in_a_process(job, None)
    wanted = scores(undisturbed)
    assert sorted(wanted) == ["alpha", "beta"]
    collection, job = released("Harbour trials")

    def whole() -> bool:
        files = ScoreFile.objects.filter(run__collection=collection)
        kept = {file.run.tag for file in files.select_related("run") if (settings.DATA / file.path).exists()}
        return scores(collection) == {tag: wanted[tag] for tag in kept}

    assert all(killed_often(job, whole, KILLS, lasts=0.4))
    while not Job.objects.filter(pk=job.pk, state=JobState.DONE).exists():
        assert run_in_a_process(job, None)
    assert whole() and scores(collection) == wanted
    assert ScoreArchive.objects.filter(release__collection=collection).count() == 1
