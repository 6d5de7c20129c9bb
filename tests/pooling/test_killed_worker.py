"""A real worker on a real queue, killed with -9 in mid-import: the old documents or the new, never some of each.

Few kills by default; `make kills` tries more.
"""

import os
import random
import signal
import subprocess
import time

import pytest
import redis

from config import jobs
from config.models import Job, JobState
from pooling import selectors
from pooling.models import Collection, Document, UploadKind
from tests import factories
from tests import queue_server as servers
from tests.killing import digest
from tests.pooling import files
from tests.queue_server import _queue_process, queue_server

pytestmark = [pytest.mark.usefixtures("committed"), pytest.mark.timeout(300)]
__all__ = ["_queue_process", "queue_server"]  # fixtures
KILLS = int(os.environ.get("KILLS", "2"))
MANY = 4000


def seen(collection: Collection) -> str:
    found = selectors.documents(collection).order_by("docno").values_list("docno", "title", "text")
    return digest(list(found), selectors.corpus(collection).document_count)


def running(job: Job) -> bool:
    """Wait until a worker has the job; false if it is done already."""
    until = time.monotonic() + 90
    while (state := Job.objects.get(pk=job.pk).state) == JobState.WAITING:
        assert time.monotonic() < until, "no worker took the job"
        time.sleep(0.02)
    return state == JobState.RUNNING


def test_documents_are_old_or_new_whenever_the_worker_is_killed(queue_server: "redis.Redis") -> None:
    by = factories.make_user("Olga Organizer")
    collection = factories.make_collection(by, "Harbour trials")
    few = files.documents(["a", "b"], "old")
    data = files.documents([f"n{number}" for number in range(MANY)], "new")
    files.take(collection, by, UploadKind.DOCUMENTS, data)
    new = seen(collection)
    files.take(collection, by, UploadKind.DOCUMENTS, few, others="drop")
    old = seen(collection)
    draw, cut, kills, span = random.Random(11), 0, 0, 1.5
    while kills < KILLS or (not cut and kills < KILLS + 10):
        upload = files.send(collection, by, UploadKind.DOCUMENTS, data, others="drop")
        job = Job.objects.get(pk=upload.job_id or 0)
        jobs.sweep()
        worker = start_worker()
        try:
            if running(job):
                time.sleep(draw.uniform(0, span))
        finally:
            worker.kill()
            worker.communicate(timeout=60)
        assert worker.returncode == -signal.SIGKILL
        state = seen(collection)
        assert state in (old, new)
        kills += Job.objects.get(pk=job.pk).state == JobState.RUNNING  # what was done already was not killed
        cut += state == old
        jobs.release_running(count_failure=False)
        Job.objects.filter(state=JobState.WAITING).update(state=JobState.FAILED)
        if state == new:  # a quick machine
            span *= 0.8
            files.take(collection, by, UploadKind.DOCUMENTS, few, others="drop")
    assert cut, "some kills came in mid-import"
    upload = files.send(collection, by, UploadKind.DOCUMENTS, data, others="drop")
    files.check(upload)
    assert seen(collection) == new
    assert Document.objects.exclude(generation=selectors.corpus(collection).generation).count() == 0


def start_worker() -> "subprocess.Popen[str]":
    return servers.start("work")
