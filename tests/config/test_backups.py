"""Backup while people judge, restore onto an empty machine: all of it or nothing, on either database."""

import fcntl
import hashlib
import itertools
import json
import os
import random
import shutil
import signal
import stat
import subprocess
import threading
import time
import uuid
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from django.db import DatabaseError, close_old_connections, connection
from django.utils import timezone
from pytest_django import Settings

from assess import exports as judgments
from assess.models import Judgment, JudgmentEvent
from assess.services import judging
from config import backups
from config.errors import Conflict, Refusal
from config.models import User
from evaluation import exports, standings
from evaluation.models import Release
from pooling.models import Collection
from tests import queue_server as processes
from tests.assess.conftest import Bench, make_bench
from tests.conftest import Cast
from tests.evaluation.conftest import judged, release, second
from tests.site import _new_database

__all__ = ["judged", "release", "second"]
pytestmark = pytest.mark.usefixtures("committed")
KEY = "k" * 60
_machines = itertools.count(1)


def quiet(done: int, total: int, words: str) -> None:
    """Progress that nobody watches."""


@pytest.fixture(autouse=True)
def data(settings: Settings, tmp_path: Path) -> Path:
    settings.DATA = tmp_path / "data"
    settings.DATA.mkdir()
    (settings.DATA / "secret.key").write_text(KEY)
    return settings.DATA  # type: ignore[no-any-return]


@contextmanager
def empty_machine(tmp_path: Path, settings: Settings) -> Iterator[Path]:
    """Another data folder with nothing but a new key in it, as the first command makes it, and another, empty database."""
    before, name = connection.settings_dict["NAME"], f"machine_{os.getpid()}_{next(_machines)}"
    here, there = settings.DATA, tmp_path / name
    there.mkdir()
    (there / "secret.key").write_text("another")
    if connection.vendor == "postgresql":
        _new_database(name)
    connection.close()
    connection.settings_dict["NAME"] = name if connection.vendor == "postgresql" else str(there / "assize.sqlite3")
    settings.DATA = there
    try:
        yield there
    finally:
        connection.close()
        connection.settings_dict["NAME"], settings.DATA = before, here


def shape(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def everything(slug: str) -> list[object]:
    """What people download of a collection: judgments with their history, qrels, scores."""
    collection = Collection.objects.get(slug=slug)
    told: list[object] = [
        list(judgments.lines(collection, kind, history=h)) for kind in ("csv", "jsonl") for h in (False, True)
    ]
    for found in collection.releases.all():
        told += [exports.qrels(found, view) for view in exports.VIEWS]
        standing = standings.of_release(found)
        told += [exports.means_csv(standing), list(exports.topics_csv(standing))]
        told += [exports.trec_eval(standing.scores(place)) for place in standing.seen]
    return told


# The whole way


def test_restored_site_gives_the_same_downloads(release: Release, data: Path, settings: Settings, tmp_path: Path) -> None:
    slug, before, files = release.collection.slug, everything(release.collection.slug), shape(data / "files")
    start = timezone.now()
    made = backups.backup(tmp_path / "one.zip", quiet)
    assert backups.last() == made and made.file == str(tmp_path / "one.zip")
    assert start <= made.made_at <= timezone.now() and made.size == (tmp_path / "one.zip").stat().st_size
    assert stat.S_IMODE((tmp_path / "one.zip").stat().st_mode) == 0o600
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "one.zip"]
    assert shape(data / "files") == files  # and nothing lies aside
    with empty_machine(tmp_path, settings) as there:
        backups.restore(tmp_path / "one.zip", quiet)
        assert everything(slug) == before
        assert shape(there / "files") == files
        assert (there / "secret.key").read_text() == KEY
        assert stat.S_IMODE((there / "secret.key").stat().st_mode) == 0o600
        assert backups.last() == made
        assert not (there / ".restore").exists()
        with pytest.raises(DatabaseError, match="A judgment event is never changed or deleted"):  # the guards came along
            JudgmentEvent.objects.update(grade=0)


class Writers:
    """Two who judge through the service, over and over, each with a journal of what was acknowledged."""

    def __init__(self, bench: Bench) -> None:
        self.journal: list[uuid.UUID] = []
        self.errors: list[Exception] = []
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._judge, args=(bench, user)) for user in (bench.ann, bench.bob)]

    def __enter__(self) -> "Writers":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def wait_for(self, count: int) -> None:
        until = time.monotonic() + 60
        while len(self.journal) < count and not self.errors and time.monotonic() < until:
            time.sleep(0.01)
        assert len(self.journal) >= count, self.errors

    def _judge(self, bench: Bench, user: User) -> None:
        close_old_connections()
        try:
            cards = judging.next_items(bench.collection, assessor=user, count=20)
            for number, card in enumerate(itertools.cycle(cards)):
                if self._stop.is_set():
                    return
                act = uuid.uuid4()
                judging.record_judgment(
                    bench.collection,
                    assessor=user,
                    seat=card.token,
                    grade=number % 4,
                    client_id=act,
                    ahead=0,
                )
                self.journal.append(act)
        except Exception as error:
            self.errors.append(error)
        finally:
            connection.close()


def test_backup_under_writers_has_every_judgment_saved_before_it(settings: Settings, tmp_path: Path) -> None:
    """Three times, as people judge on: what was acknowledged before the start is in it, and nothing is half in it."""
    bench = make_bench()
    bench.assign(overlap=1)
    starts = []
    with Writers(bench) as writers:
        for number in range(3):
            writers.wait_for(len(writers.journal) + 20)
            starts.append(set(writers.journal))
            backups.backup(tmp_path / f"{number}.zip", quiet)
        writers.wait_for(len(writers.journal) + 20)
    assert writers.errors == []
    live = set(judgments.lines(bench.collection, "jsonl", history=True))
    for number, saved in enumerate(starts):
        with empty_machine(tmp_path, settings):
            backups.restore(tmp_path / f"{number}.zip", quiet)
            kept = set(JudgmentEvent.objects.values_list("client_id", flat=True))
            assert saved <= kept and kept < set(writers.journal)
            assert set(judgments.lines(bench.collection, "jsonl", history=True)) < live
            for judgment in Judgment.objects.prefetch_related("events"):
                events = list(judgment.events.all())
                assert (judgment.event_count, judgment.grade) == (len(events), events[-1].grade)


def test_files_that_come_or_go_meanwhile_are_in_it(release: Release, data: Path, tmp_path: Path) -> None:
    """A score file that is replaced while the archive is written is still there for the row that names it."""
    gone = release.score_files.get(run__tag="alpha").path

    def meddle(done: int, total: int, words: str) -> None:
        if words == "Copying the database":
            (data / "files" / "new.txt").write_text("a moment ago")
            (data / "files" / ".half").write_text("nobody's yet")
        elif words.startswith("writing database"):
            (data / gone).unlink()

    backups.backup(tmp_path / "one.zip", meddle)
    names = set(backups.read(tmp_path / "one.zip", quiet).members)
    assert {gone, "files/new.txt"} <= names and "files/.half" not in names
    assert "files/.backup" not in {path for path in names if path.startswith("files/.")}


# Refused


def test_damaged_archive_is_refused_and_leaves_nothing(release: Release, settings: Settings, tmp_path: Path) -> None:
    whole = tmp_path / "whole.zip"
    backups.backup(whole, quiet)
    good, bad = whole.read_bytes(), tmp_path / "bad.zip"
    with empty_machine(tmp_path, settings) as there:
        untouched = shape(there)
        third = len(good) // 3
        for data in (good[:third], good[:-1], b"", b"no zip file", good[:third] + b"\0" * 64 + good[third + 64 :]):
            bad.write_bytes(data)
            with pytest.raises(Refusal, match=r"bad\.zip is no whole backup of Assize: "):
                backups.restore(bad, quiet)
        with pytest.raises(Refusal, match=r"nowhere\.zip: No such file or directory\."):
            backups.restore(tmp_path / "nowhere.zip", quiet)
        assert {name: held for name, held in shape(there).items() if "sqlite3" not in name} == untouched
        assert connection.introspection.table_names() == []


def test_flipped_byte_anywhere_is_noticed_or_without_effect(release: Release, tmp_path: Path) -> None:
    """A byte that no program needs (a time in the list of contents) may differ; then every member is still right."""
    whole, bad = tmp_path / "whole.zip", tmp_path / "bad.zip"
    backups.backup(whole, quiet)
    good, noticed = whole.read_bytes(), 0
    expected = backups.read(whole, quiet)
    for place in range(0, len(good), max(1, len(good) // 80)):
        bad.write_bytes(good[:place] + bytes([good[place] ^ 0x15]) + good[place + 1 :])
        try:
            assert backups.read(bad, quiet) == expected
        except Refusal:
            noticed += 1
    assert noticed > 60


def rewritten(source: Path, target: Path, change: Callable[[dict[str, bytes]], None]) -> Path:
    """A zip file that is whole in itself, with other contents."""
    with zipfile.ZipFile(source) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    change(members)
    with zipfile.ZipFile(target, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return target


def edit(contents: dict[str, bytes], **values: object) -> None:
    contents["manifest.json"] = json.dumps({**json.loads(contents["manifest.json"]), **values}).encode()


def test_archive_with_other_contents_is_refused(release: Release, settings: Settings, tmp_path: Path) -> None:
    whole = tmp_path / "whole.zip"
    backups.backup(whole, quiet)

    other = {"sqlite": "postgresql", "postgresql": "sqlite"}[connection.vendor]

    def exchanged(contents: dict[str, bytes]) -> None:
        contents["secret.key"] = b"other"

    def added(contents: dict[str, bytes]) -> None:
        contents["files/more"] = b"x"

    def unlisted(contents: dict[str, bytes]) -> None:
        del contents["manifest.json"]

    def outside(contents: dict[str, bytes]) -> None:
        contents["files/../../evil"] = b"x"
        edit(contents, members={**json.loads(contents["manifest.json"])["members"], "files/../../evil": [1, "?"]})

    def of_the_other_database(contents: dict[str, bytes]) -> None:
        edit(contents, database=other)

    def of_later(contents: dict[str, bytes]) -> None:
        edit(contents, version="9.9", migrations=[["assess", "0999_later"]])

    changes = {
        exchanged: r"secret\.key: expected 60 bytes of SHA-256 .*, found 5 of ",
        added: "the manifest lists other files than the archive holds",
        unlisted: r"There is no item named 'manifest\.json'",
        outside: r"files/\.\./\.\./evil does not belong into one",
        of_the_other_database: f"holds a database of {other}, and this site's is {connection.vendor}",
        of_later: r"of a newer Assize \(9\.9, with assess\.0999_later\) than this one",
    }
    with empty_machine(tmp_path, settings) as there:
        for change, words in changes.items():
            with pytest.raises(Refusal, match=words):
                backups.restore(rewritten(whole, tmp_path / "bad.zip", change), quiet)
        assert not (there / "files").exists() and not (there / ".restore").exists()
        assert (there / "secret.key").read_text() == "another"
        assert connection.introspection.table_names() == []


def test_restore_is_refused_where_something_could_be_lost(release: Release, settings: Settings, tmp_path: Path) -> None:
    backups.backup(tmp_path / "one.zip", quiet)
    with pytest.raises(
        Conflict, match=r"only onto an empty site, so that nothing is lost\. This one's database has \d+ tables"
    ):
        backups.restore(tmp_path / "one.zip", quiet)
    with empty_machine(tmp_path, settings) as there:
        (there / "files" / "uploads").mkdir(parents=True)
        (there / "files" / "uploads" / "mine").write_text("precious")
        with pytest.raises(Conflict, match="files has files; move it away"):
            backups.restore(tmp_path / "one.zip", quiet)
        assert (there / "files" / "uploads" / "mine").read_text() == "precious"


def test_backup_is_refused_in_words(cast: Cast, data: Path, settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "there.zip").write_text("something else")
    refused = {
        tmp_path / "there.zip": r"there\.zip is there already; name a file that is not\.",
        data / "one.zip": "lies in the data folder and would be lost with it",
        tmp_path / "no" / "one.zip": "No such file or directory",
    }
    for path, words in refused.items():
        with pytest.raises(Refusal, match=words):
            backups.backup(path, quiet)
    with (data / "backup.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(Conflict, match="is being made at this moment"):
            backups.backup(tmp_path / "one.zip", quiet)
    with empty_machine(tmp_path, settings), pytest.raises(Refusal, match="nothing to back up: the database is empty"):
        backups.backup(tmp_path / "one.zip", quiet)
    assert backups.last() is None and (tmp_path / "there.zip").read_text() == "something else"
    assert not list(tmp_path.glob(".assize-*"))


def test_missing_programs_of_postgresql_are_named(settings: Settings, tmp_path: Path) -> None:
    settings.PG_BIN = str(tmp_path)
    words = f"pg_dump was not found in {tmp_path}: install PostgreSQL's client programs, or name their folder in ASSIZE_PG_BIN."
    with pytest.raises(Refusal) as refused:
        backups._postgres("pg_dump")
    assert refused.value.message == words


def test_record_that_cannot_be_read_counts_as_none(data: Path) -> None:
    for text in ("", "{}", '{"made_at": 7}', "[1]"):
        (data / "last-backup.json").write_text(text)
        assert backups.last() is None


# Killed


def test_killed_backup_leaves_no_half_file(release: Release, data: Path, settings: Settings, tmp_path: Path) -> None:
    """kill -9 at three moments of the writing, and at random ones of the whole until there are as many as `make kills`
    says; the next clears away what was left, and holds the same bytes as one that nobody disturbed."""
    sizes, draw, kills, folder = [0, 1, 8_000_000], random.Random(7), 0, tmp_path / "elsewhere"
    (data / "files" / "large").write_bytes(os.urandom(15_000_000))
    backups.backup(tmp_path / "first.zip", quiet)
    with empty_machine(tmp_path, settings) as there:  # whose database another process finds by its data folder
        backups.restore(tmp_path / "first.zip", quiet)
        began = time.monotonic()
        backups.backup(tmp_path / "undisturbed.zip", quiet)
        lasts, whole = time.monotonic() - began, held(tmp_path / "undisturbed.zip")
        while kills < int(os.environ.get("KILLS", "3")):
            folder.mkdir()
            size, wait = (sizes.pop(0), 0.0) if sizes else (-1, draw.uniform(0, lasts))
            with processes.start("backup", str(folder / "one.zip")) as process:
                _wait(lambda size=size: any(folder.iterdir()) and _written(folder) >= size, process.poll)  # type: ignore[misc]
                time.sleep(wait)
                process.kill()
            if process.returncode == -signal.SIGKILL:
                kills += 1
            else:  # it was quicker, which is no kill
                assert process.returncode == 0 and size < 0
                lasts *= 0.9
            if size >= 0:
                assert _written(folder) >= size and not (folder / "one.zip").exists()
            if (folder / "one.zip").exists():
                assert held(folder / "one.zip") == whole
                (folder / "one.zip").unlink()
            backups.backup(folder / "one.zip", quiet)
            assert held(folder / "one.zip") == whole
            assert [path.name for path in folder.iterdir()] == ["one.zip"] and not list((there / "files").glob(".*"))
            shutil.rmtree(folder)


def held(archive: Path) -> dict[str, list[int | str]]:
    """Size and SHA-256 of all that is in it; of PostgreSQL's own file, which tells when it was made, of what it restores."""
    members, dump = backups.read(archive, quiet).members, backups.DATABASES["postgresql"]
    if dump in members:
        with zipfile.ZipFile(archive) as opened:
            members[dump] = ["", _statements(opened.read(dump))]
    return members


def _statements(dump: bytes) -> str:
    command = [str(shutil.which("pg_restore", path=django_settings.PG_BIN or None)), "--file=-"]
    told = subprocess.run(command, input=dump, capture_output=True, check=True).stdout.splitlines()
    kept = [
        line for line in told if not line.startswith((b"\\restrict ", b"\\unrestrict "))
    ]  # with a word drawn anew each time
    return hashlib.sha256(b"\n".join(kept)).hexdigest()


def _written(folder: Path) -> int:
    """Bytes of the archive that is being written there; -1 before it is begun."""
    return max((path.stat().st_size for path in folder.glob(".assize-*/archive.zip")), default=-1)


def test_killed_restore_leaves_the_site_empty(release: Release, data: Path, settings: Settings, tmp_path: Path) -> None:
    (data / "files" / "large").write_bytes(os.urandom(15_000_000))
    backups.backup(tmp_path / "one.zip", quiet)
    before = everything(release.collection.slug)
    with empty_machine(tmp_path, settings) as there:
        with processes.start("restore", str(tmp_path / "one.zip")) as process:
            _wait((there / ".restore").exists, process.poll)
            process.kill()
        assert process.returncode == -signal.SIGKILL and (there / ".restore").exists()
        assert connection.introspection.table_names() == []
        shutil.rmtree(there / "files", ignore_errors=True)  # as the refusal says, if it came that far
        backups.restore(tmp_path / "one.zip", quiet)
        assert everything(release.collection.slug) == before


def _wait(until: Callable[[], object], ended: Callable[[], object]) -> None:
    patience = time.monotonic() + 60
    while not until() and ended() is None and time.monotonic() < patience:
        time.sleep(0.005)
