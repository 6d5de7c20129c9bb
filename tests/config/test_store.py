"""Files that several machines share: what one keeps, another has; here a machine is a data folder, and the store a real S3 server."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from django.core.files.storage import FileSystemStorage
from pytest_django import Settings

from config import doctor, env, store
from evaluation import exports, selectors
from pooling import search
from pooling import selectors as pooling
from pooling.models import Collection, UploadKind
from pooling.search_folder import FolderIndex
from pooling.services import indexing, uploads
from pooling.services.work import Direct
from tests import factories as people
from tests.assess import factories as assessors
from tests.conftest import ClientFor
from tests.evaluation import factories
from tests.pooling import files

BUCKET = "assize"


@pytest.fixture(scope="module")
def s3() -> Iterator[str]:
    from moto.server import ThreadedMotoServer  # late: it takes seconds to load

    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"{host}:{port}"
    server.stop()


@pytest.fixture
def shared(s3: str, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> str:
    """The settings of a site whose files are in a bucket, made as an operator makes them: by an address alone."""
    monkeypatch.setenv("TRIAL", f"s3+http://ann:secret@{s3}/{BUCKET}?region=eu-west-1&prefix=site")
    parts = env.url("TRIAL", ("s3+http",), "s3://…", about="")
    del env.VARIABLES["TRIAL"]
    assert parts
    client = boto3.client(
        "s3", endpoint_url=f"http://{s3}", region_name="eu-west-1", aws_access_key_id="ann", aws_secret_access_key="secret"
    )
    client.create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})
    settings.STORAGES = {**settings.STORAGES, "shared": env.storage("TRIAL", parts)}
    return s3


@pytest.mark.once
def test_what_one_machine_takes_another_reads_scores_and_hands_out(
    db: None, shared: str, settings: Settings, tmp_path: Path, client_for: ClientFor
) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    settings.DATA = one
    organizer = people.make_user("Olga Organizer")
    collection = people.make_collection(organizer, "Harbour trials")
    (ann,) = assessors.make_assessors(collection, "Ann Assessor")
    files.take(collection, organizer, UploadKind.TOPICS, b"1\tharbour cranes\n2\twine\n")
    documents = b'{"id": "en2", "text": "Of wine."}\n{"id": "en3", "text": "Of cranes."}\n'
    files.take(collection, organizer, UploadKind.DOCUMENTS, documents)
    sent = files.run_file("alpha", t1="en3 en2", t2="en2")
    files.take_run(collection, organizer, sent)
    # A file that came to a web server of the first machine is checked by a worker of the second.
    late = uploads.receive_file(collection, by=organizer, kind="run", name="b", chunks=[files.run_file("beta", t1="en2")])
    settings.DATA = two
    with Direct(factories.quiet) as work:
        uploads.check_upload(late, work)
        indexing.index_documents(collection, work)
    settings.DATA = one
    assert {run.tag: len(pooling.rankings(run)) for run in collection.runs.all()} == {"alpha": 3, "beta": 1}
    assert search.index_of(collection).is_ready() and search.index_of(collection).frequencies(["crane"])[0] == 2
    factories.judge_all(collection, {"1": {"en3": 2, "en2": 0}, "2": {"en2": 1}}, ann)
    release = factories.freeze(collection, organizer)
    settings.DATA = two
    assert factories.score(release) == 2
    settings.DATA = one
    assert selectors.table(selectors.score_files(release)[0]).means.size
    client = client_for(organizer)
    downloaded = client.get("/c/harbour-trials/runs/beta/file/")
    assert b"".join(downloaded.streaming_content) == files.run_file("beta", t1="en2")  # type: ignore[attr-defined]
    settings.DATA = tmp_path / "three"  # a machine that has nothing yet
    assert exports.qrels(release) == b"1 0 en2 0\n1 0 en3 2\n2 0 en2 1\n"
    found = [fault for faults in doctor.examine(factories.quiet).values() for fault in faults]
    assert [fault for fault in found if "round" not in fault.what] == []  # which was drawn by nobody
    _removed_everywhere(collection, settings, one)


def _removed_everywhere(collection: Collection, settings: Settings, one: Path) -> None:
    upload = collection.uploads.get(name="b")
    store.remove(upload.path)
    shutil.rmtree(one)
    settings.DATA = one
    assert upload.file_path and not upload.file_path.exists()
    store.fetch_all()
    kept = {path.relative_to(one).as_posix() for path in one.rglob("*") if path.is_file()}
    assert {name for name in kept if name.startswith("files/releases/")} and upload.path not in kept
    store.remove_folder(FolderIndex(pooling.corpus(collection)).name)
    assert not search.index_of(collection).is_ready()


def test_a_file_that_changes_is_fetched_anew(settings: Settings, tmp_path: Path) -> None:
    """Any storage of Django's will do; here a folder that both machines see."""
    location = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": tmp_path / "shared"}}
    location["OPTIONS"] |= {"allow_overwrite": True}  # type: ignore[operator]
    settings.STORAGES = {**settings.STORAGES, "shared": location}
    for machine, text in (("one", b"old"), ("two", b"new")):
        settings.DATA = tmp_path / machine
        store.put("files/strategies/1.json", text)
    settings.DATA = tmp_path / "one"
    assert store.path("files/strategies/1.json").read_bytes() == b"old"  # most never change, and are not asked for
    assert store.path("files/strategies/1.json", changes=True).read_bytes() == b"new"
    settings.DATA = tmp_path / "three"
    store.fetch_all()
    assert (tmp_path / "three/files/strategies/1.json").read_bytes() == b"new"
    (tmp_path / "three/files/more.txt").write_bytes(b"restored")
    store.keep_all()
    assert (tmp_path / "shared/files/more.txt").read_bytes() == b"restored"
    assert not store.path("files/none").exists()


class Breaking(FileSystemStorage):
    """A store that other machines see, which takes so many files and then is away."""

    takes = 0

    def save(self, name: str | None, content: Any, max_length: int | None = None) -> str:
        if Breaking.takes == 0:
            raise OSError("the store is away")
        Breaking.takes -= 1
        return super().save(name, content, max_length)


def test_a_folder_that_was_sent_in_part_is_taken_by_nobody(settings: Settings, tmp_path: Path) -> None:
    location = {"location": tmp_path / "shared", "allow_overwrite": True}
    settings.STORAGES = {**settings.STORAGES, "shared": {"BACKEND": f"{__name__}.Breaking", "OPTIONS": location}}
    one, two, aside = tmp_path / "one", tmp_path / "two", tmp_path / "one" / "attempt"
    parts = {"meta.json": b"{}", "a.idx": b"1", "z.idx": b"2", "more/b.idx": b"3"}
    for name, data in parts.items():
        (aside / name).parent.mkdir(parents=True, exist_ok=True)
        (aside / name).write_bytes(data)
    for taken in range(len(parts)):
        settings.DATA, Breaking.takes = one, taken
        with pytest.raises(OSError, match="the store is away"):
            store.move(aside, "files/search/1-1")
        assert not (one / "files/search/1-1").exists()  # so that the next attempt sends it again
        settings.DATA = two
        assert not store.folder("files/search/1-1").exists()
    settings.DATA, Breaking.takes = one, len(parts)
    store.move(aside, "files/search/1-1")
    for settings.DATA in (one, two):
        here = store.folder("files/search/1-1")
        assert {str(path.relative_to(here)): path.read_bytes() for path in here.rglob("*") if path.is_file()} == parts


@pytest.mark.parametrize("address", ["s3://host", "s3://host/bucket/folder", "s3://host/bucket?colour=red"])
def test_an_address_that_says_too_little_or_too_much_is_refused(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRIAL", address)
    parts = env.url("TRIAL", ("s3",), "s3://…", about="")
    del env.VARIABLES["TRIAL"]
    assert parts
    with pytest.raises(env.BadSetting, match="write an address like s3://key:secret@"):
        env.storage("TRIAL", parts)
