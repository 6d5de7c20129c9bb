"""kill -9 in mid-work, at random moments, of real processes: what others see is the old state or the new, never half.

Few kills of some jobs by default; `make kills` tries the number that was promised.
"""

import os
import random
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection, connections

from config import jobs
from config.models import Job, JobState
from pooling import selectors
from pooling.models import Collection, Document, PoolItem, Run, UploadKind
from pooling.services import collections, documents, pools
from tests import factories
from tests.pooling import files
from tests.pooling.files import run_file

pytestmark = pytest.mark.usefixtures("committed")
KILLS = int(os.environ.get("KILLS", "5"))


@pytest.fixture
def collection() -> Collection:
    organizer = factories.make_user("Olga Organizer")
    made = factories.make_collection(organizer, "Harbour trials")
    files.take_topics(made, organizer)
    files.take(made, organizer, UploadKind.DOCUMENTS, files.documents())
    return made


@pytest.fixture(autouse=True)
def _no_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    """The row is the intention; here it is carried to a process by hand."""
    monkeypatch.setattr(jobs, "nudge", lambda job: True)


def run_in_a_process(job: Job, seconds: float | None) -> bool:
    """Run the job in a process of its own, killed with -9 after so many seconds; whether it ended by itself."""
    connections.close_all()
    pid = os.fork()
    if not pid:
        try:
            jobs.run(job.pk)
        finally:
            os._exit(0)
    if seconds is not None:
        time.sleep(seconds)
        os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    return os.WIFEXITED(status)


def killed_often(job: Job, seen: Callable[[], object], times: int, *, lasts: float) -> Iterator[object]:
    """What is seen after each kill, one later than the other; the job is given back every time, as the supervisor does."""
    draw = random.Random(7)
    for number in range(times):  # the first comes early: work that took long once may be quick the next time
        run_in_a_process(job, lasts * (number + draw.random()) / times)
        yield seen()
        jobs.release_running(count_failure=False)


def all_documents() -> object:
    found = selectors.documents(Collection.objects.get())
    return sorted(found.values_list("docno", "text")), selectors.corpus(Collection.objects.get()).document_count


def test_documents_are_old_or_new_whenever_the_worker_is_killed(
    collection: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documents, "AT_ONCE", 25)
    by = collection.created_by
    before = all_documents()
    data = files.documents([f"n{number}" for number in range(400)], "new")
    upload = files.send(collection, by, UploadKind.DOCUMENTS, data, others="drop")
    after = sorted((f"n{number}", "new") for number in range(400)), 400
    job = Job.objects.get(pk=upload.job_id or 0)
    states = list(killed_often(job, all_documents, KILLS, lasts=0.7))
    assert all(state in (before, after) for state in states)
    assert before in states, "some kills came before the end"
    while not Job.objects.filter(pk=job.pk, state=JobState.DONE).exists():
        assert run_in_a_process(job, None)
    assert all_documents() == after
    upload.refresh_from_db()
    assert (upload.state, upload.report["facts"]) == ("accepted", {"documents": 400, "dropped": 5})
    documents.forget_replaced()  # as every hour: the last kill may have come after the switch
    assert Document.objects.exclude(generation=selectors.corpus(collection).generation).count() == 0


def test_a_run_and_a_pool_are_there_or_not(collection: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    by = collection.created_by
    upload = files.send(collection, by, UploadKind.RUN, run_file("bm25", t1="d1 d2 d3", t2="d1", t10="d5"))
    job = Job.objects.get(pk=upload.job_id or 0)

    def run_seen() -> object:
        return [(run.tag, (settings.DATA / run.columns).exists()) for run in Run.objects.all()]

    assert all(state in ([], [("bm25", True)]) for state in killed_often(job, run_seen, KILLS, lasts=0.15))
    while not Job.objects.filter(pk=job.pk, state=JobState.DONE).exists():
        assert run_in_a_process(job, None)
    assert run_seen() == [("bm25", True)]

    monkeypatch.setattr(pools, "ROWS", 1)
    _, job = pools.request_pool(collection, by=by, runs=list(Run.objects.all()), depth=2)

    def pool_seen() -> object:
        return sorted(selectors.drawn_items(collection).values_list("topic__number", "docno"))

    whole = [("1", "d1"), ("1", "d2"), ("10", "d5"), ("2", "d1")]
    assert all(state in ([], whole) for state in killed_often(job, pool_seen, KILLS, lasts=0.3))
    while not Job.objects.filter(pk=job.pk, state=JobState.DONE).exists():
        assert run_in_a_process(job, None)
    assert pool_seen() == whole and PoolItem.objects.count() == 4
    connection.close()


def test_an_export_is_whole_or_not_there(collection: Collection, tmp_path: Path) -> None:
    collections.export_collection(collection, tmp_path / "whole.zip")
    whole = (tmp_path / "whole.zip").read_bytes()
    job = collections.request_export(collection, by=collection.created_by)

    def seen() -> bytes | None:
        path = Job.objects.get(pk=job.pk).output_path
        return path.read_bytes() if path else None

    assert all(state in (None, whole) for state in killed_often(job, seen, KILLS, lasts=0.1))
    while not Job.objects.filter(pk=job.pk, state=JobState.DONE).exists():
        assert run_in_a_process(job, None)
    assert seen() == whole
    assert list((settings.DATA / "files" / "exports").glob(f"{job.pk}/*")) == [Job.objects.get(pk=job.pk).output_path]
    connection.close()
