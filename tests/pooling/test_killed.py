"""kill -9 in mid-work, at random moments, of real processes: what others see is the old state or the new, never half."""

import hashlib
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection

from config import jobs, store
from config.models import Job
from pooling import selectors
from pooling.models import Collection, Document, Pool, PoolItem, Run, Upload, UploadKind
from pooling.services import collections, documents, pools
from tests import factories
from tests.killing import digest, kill_often
from tests.pooling import files
from tests.pooling.files import run_file

pytestmark = pytest.mark.usefixtures("committed")


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


def job_of(upload: Upload) -> Job:
    return Job.objects.get(pk=upload.job_id or 0)


def test_documents_are_old_or_new_whenever_the_worker_is_killed(
    collection: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documents, "AT_ONCE", 25)
    by = collection.created_by
    data = files.documents([f"n{number}" for number in range(400)], "new")

    def again() -> Job:
        files.take(collection, by, UploadKind.DOCUMENTS, files.documents(), others="drop")
        return job_of(files.send(collection, by, UploadKind.DOCUMENTS, data, others="drop"))

    def seen() -> str:
        names = ("docno", "title", "text", "html", "url", "language", "date", "extra")
        return digest(sorted(selectors.documents(collection).values_list(*names)), selectors.corpus(collection).document_count)

    kill_often(again, seen)
    upload = Upload.objects.latest("pk")
    assert (upload.state, upload.report["facts"]) == ("accepted", {"documents": 400, "dropped": 5})
    documents.forget_replaced()  # as every hour: the last kill may have come after the switch
    assert Document.objects.exclude(generation=selectors.corpus(collection).generation).count() == 0


def test_a_run_is_whole_or_not_there(collection: Collection) -> None:
    data = run_file("bm25", t1="d1 d2 d3", t2="d1", t10="d5")

    def again() -> Job:
        for run in Run.objects.all():
            store.remove(run.columns)
            run.delete()
        return job_of(files.send(collection, collection.created_by, UploadKind.RUN, data))

    def seen() -> str:
        runs = Run.objects.select_related("upload")
        return digest([(run.tag, run.version, run.line_count, run.topic_count, *map(sha256, stored(run))) for run in runs])

    kill_often(again, seen)
    assert list(Run.objects.values_list("tag", "line_count")) == [("bm25", 5)]


def stored(run: Run) -> tuple[str, str]:
    return run.upload.path, run.columns


def sha256(name: str) -> str:
    return hashlib.sha256((settings.DATA / name).read_bytes()).hexdigest()


def test_a_pool_is_whole_or_not_there(collection: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "ROWS", 1)
    files.take_run(collection, collection.created_by, run_file("bm25", t1="d1 d2 d3", t2="d1", t10="d5"))

    def again() -> Job:
        Pool.objects.all().delete()
        return pools.request_pool(collection, by=collection.created_by, runs=list(Run.objects.all()), depth=2)[1]

    def items() -> list[tuple[object, ...]]:
        names = ("topic__number", "docno", "best_rank", "run_count", "place", "stratum", "inclusion")
        return sorted(selectors.drawn_items(collection).values_list(*names))

    def seen() -> str:
        return digest(items(), list(Pool.objects.exclude(drawn_at=None).values_list("round", "item_count", "used")))

    kill_often(again, seen)
    assert [item[:2] for item in items()] == [("1", "d1"), ("1", "d2"), ("10", "d5"), ("2", "d1")]
    assert PoolItem.objects.count() == 4


def test_an_export_is_whole_or_not_there(collection: Collection, tmp_path: Path) -> None:
    def again() -> Job:
        return collections.request_export(collection, by=collection.created_by)

    def seen() -> str:
        path = Job.objects.latest("pk").output_path
        return hashlib.sha256(path.read_bytes()).hexdigest() if path else ""

    kill_often(again, seen)
    collections.export_collection(collection, tmp_path / "whole.zip")
    assert seen() == hashlib.sha256((tmp_path / "whole.zip").read_bytes()).hexdigest()
    found = (settings.DATA / "files" / "exports").glob("*/*")
    assert {path for path in found if path.is_file()} == {job.output_path for job in Job.objects.exclude(output="")}
    connection.close()
