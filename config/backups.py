"""The whole site in one archive, made while people judge and put back on an empty machine: all of it, or nothing.

A zip file that any program opens: the database, the files that rows name, the secret key, and a manifest with the
SHA-256 of each. Files are held by a second name before the database is copied and once more after it: whatever a row
of the copy names is in the archive, also what was added or removed meanwhile.
"""

import fcntl
import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from importlib import metadata
from pathlib import Path, PurePosixPath
from typing import IO

from django.conf import settings
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from config import store
from config.errors import Conflict, Refusal
from config.process import die_with_parent

Tell = Callable[[int, int, str], None]
MANIFEST, KEY, FILES = "manifest.json", "secret.key", "files"
DATABASES = {"sqlite": "database.sqlite3", "postgresql": "database.pgdump"}
CHUNK = 1 << 20


@dataclass(frozen=True)
class Backup:
    """The last good backup: when it was begun, and the file as it was written and verified."""

    made_at: datetime
    file: str
    size: int
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """What an archive says of itself. `members` are [size, SHA-256] by name."""

    version: str
    made_at: str
    database: str
    migrations: list[list[str]]
    members: dict[str, list[int | str]]


def last() -> Backup | None:
    try:
        told = json.loads(_record().read_text())
        return Backup(**{**told, "made_at": datetime.fromisoformat(told["made_at"])})
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _record() -> Path:
    path: Path = settings.DATA / "last-backup.json"
    return path


def _remember(file: Path, made_at: datetime) -> Backup:
    with file.open("rb") as archive:
        digest = hashlib.file_digest(archive, "sha256").hexdigest()
    found = Backup(made_at, str(file), file.stat().st_size, digest)
    aside = _record().with_suffix(".aside")
    aside.write_text(json.dumps({**asdict(found), "made_at": made_at.isoformat()}))
    aside.replace(_record())
    return found


# Making one


def backup(file: Path, tell: Tell) -> Backup:
    """Write the archive aside, read it back, and only then give it its name: there is a good one or none."""
    target, made_at = file.absolute(), timezone.now()
    try:
        if target.exists():
            raise Conflict(f"{file} is there already; name a file that is not.")
        if target.resolve().is_relative_to(settings.DATA.resolve()):
            raise Refusal(f"{file} lies in the data folder and would be lost with it; name a file elsewhere.")
        with _alone(), _aside(target.parent) as folder:
            archive = _write(folder, made_at, tell)
            read(archive, tell)
            archive.replace(target)
            store.sync_folder(target.parent)
            return _remember(target, made_at)
    except sqlite3.Error as error:
        raise Refusal(f"The database cannot be copied: {error}.") from error
    except OSError as error:
        raise Refusal(f"{error.filename or file}: {error.strerror}.") from error


@contextmanager
def _alone() -> Iterator[None]:
    """One at a time on a data folder, so that whatever else lies aside was left by one that was killed."""
    with (settings.DATA / "backup.lock").open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Conflict("A backup of this site is being made at this moment; wait until it is done.") from None
        yield


@contextmanager
def _aside(parent: Path) -> Iterator[Path]:
    """Beside the target, since a rename does not cross disks; by this site's own name, since others may write there too."""
    with _folder(parent / f".assize-{hashlib.sha256(os.fsencode(settings.DATA)).hexdigest()[:12]}") as folder:
        yield folder


@contextmanager
def _folder(path: Path) -> Iterator[Path]:
    """A new, empty folder for its owner alone, gone afterwards."""
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(mode=0o700)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def _write(folder: Path, made_at: datetime, tell: Tell) -> Path:
    archive, database = folder / "archive.zip", folder / DATABASES[connection.vendor]
    migrations = sorted(map(list, MigrationRecorder(connection).applied_migrations()))
    if not migrations:
        raise Refusal("There is nothing to back up: the database is empty.")
    tell(0, 0, "Copying the database")
    (settings.DATA / FILES).mkdir(exist_ok=True)
    with _folder(settings.DATA / FILES / ".backup") as held:
        _hold(held)
        _copy_database(database)
        store.fetch_all()
        _hold(held)
        members = {database.name: database, **{f"{FILES}/{name}": path for name, path in sorted(_files(held))}}
        if (key := settings.DATA / KEY).exists():
            members[KEY] = key
        # For its owner alone, whatever the umask: it holds the secret key.
        with os.fdopen(os.open(archive, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "w+b") as file:
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as zipped:
                found = {}
                for done, (name, path) in enumerate(members.items()):
                    tell(done, len(members), f"writing {name}")
                    with path.open("rb") as source, zipped.open(_entry(name, made_at), "w", force_zip64=True) as member:
                        found[name] = _copy(source, member)
                manifest = Manifest(metadata.version("assize"), made_at.isoformat(), connection.vendor, migrations, found)
                zipped.writestr(_entry(MANIFEST, made_at), json.dumps(asdict(manifest), indent=1))
            file.flush()
            os.fsync(file.fileno())
    return archive


def _entry(name: str, made_at: datetime) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, made_at.timetuple()[:6])
    entry.compress_type = zipfile.ZIP_STORED if name == DATABASES["postgresql"] else zipfile.ZIP_DEFLATED  # packed already
    entry.external_attr = 0o600 << 16
    return entry


def _files(folder: Path) -> Iterator[tuple[str, Path]]:
    """The files below a folder, with their names from there. Those that begin with a dot are nobody's yet."""
    for parent, folders, names in os.walk(folder, followlinks=True):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for path in (Path(parent) / name for name in names if not name.startswith(".")):
            yield path.relative_to(folder).as_posix(), path


def _hold(held: Path) -> None:
    for name, path in _files(settings.DATA / FILES):
        second = held / name
        second.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(path, second)
        except (FileExistsError, FileNotFoundError):  # held before; removed a moment ago
            continue
        except OSError:  # a file system that has no second names, or another one
            shutil.copyfile(path, second)


def _copy(source: IO[bytes], target: IO[bytes] | None) -> list[int | str]:
    """Copy to the end; the size and the SHA-256 of what was copied."""
    size, digest = 0, hashlib.sha256()
    while chunk := source.read(CHUNK):
        size += len(chunk)
        digest.update(chunk)
        if target:
            target.write(chunk)
    return [size, digest.hexdigest()]


def _copy_database(to: Path) -> None:
    """As it is at one moment. Nobody who judges has to wait for it."""
    if connection.vendor == "postgresql":
        return _postgres("pg_dump", "--format=custom", "--no-owner", "--no-acl", f"--file={to}")
    live = Path(connection.settings_dict["NAME"]).absolute().as_uri() + "?mode=ro"
    with closing(sqlite3.connect(live, uri=True)) as source, closing(sqlite3.connect(to)) as copy:
        source.backup(copy)  # in one step: in several it would begin again with each judgment that comes
        copy.execute("PRAGMA journal_mode=DELETE")  # one file, without a log beside it
        [(state,)] = copy.execute("PRAGMA quick_check(1)").fetchall()
    if state != "ok":
        raise Refusal(f"The database is damaged: {state}")
    return None


def _postgres(program: str, *arguments: str) -> None:
    """Run one of PostgreSQL's own programs on the site's database. The password goes where `ps` does not show it."""
    found = shutil.which(program, path=settings.PG_BIN or None)
    if not found:
        where = f"in {settings.PG_BIN}" if settings.PG_BIN else "on the PATH"
        words = "install PostgreSQL's client programs, or name their folder in ASSIZE_PG_BIN"
        raise Refusal(f"{program} was not found {where}: {words}.")
    from psycopg.conninfo import make_conninfo

    given = connection.settings_dict
    to = {"dbname": given["NAME"], "user": given["USER"], "host": given["HOST"], "port": given["PORT"], **given["OPTIONS"]}
    address = make_conninfo(**{name: value for name, value in to.items() if value and name != "password"})
    env = {**os.environ, **({"PGPASSWORD": given["PASSWORD"]} if given["PASSWORD"] else {})}
    command = [found, f"--dbname={address}", "--no-password", *arguments]
    done = subprocess.run(command, env=env, capture_output=True, text=True, preexec_fn=die_with_parent, check=False)  # noqa: S603
    if done.returncode:
        told = done.stderr.strip().splitlines() or [f"{program} ended with {done.returncode}"]
        raise Refusal(f"{told[0]}. Is {found} as new as the server? ASSIZE_PG_BIN names the folder of another.")


# Reading one


@contextmanager
def _opened(file: Path) -> Iterator[tuple[zipfile.ZipFile, Manifest]]:
    try:
        with zipfile.ZipFile(file) as archive:
            yield archive, Manifest(**json.loads(archive.read(MANIFEST)))
    except Refusal:
        raise
    except Exception as error:  # a damaged zip file may raise almost anything
        if isinstance(error, OSError) and error.strerror:
            raise Refusal(f"{error.filename or file}: {error.strerror}.") from error
        raise Refusal(f"{file} is no whole backup of Assize: {error}.") from error


def read(file: Path, tell: Tell, into: Path | None = None) -> Manifest:
    """Compare every member with its SHA-256, and write it below `into` on the way. Refused if a byte differs."""
    with _opened(file) as (archive, manifest):
        if sorted(archive.namelist()) != sorted([MANIFEST, *manifest.members]):
            raise ValueError("the manifest lists other files than the archive holds")
        for done, (name, expected) in enumerate(manifest.members.items(), 1):
            tell(done, len(manifest.members), f"checking {name}")
            parts = PurePosixPath(name).parts
            if parts not in {(KEY,), (DATABASES[manifest.database],)} and (parts[0] != FILES or ".." in parts):
                raise ValueError(f"{name} does not belong into one")
            with archive.open(name) as source, _target(into, name) as target:
                found = _copy(source, target)
            if found != expected:
                raise ValueError(
                    f"{name}: expected {expected[0]} bytes of SHA-256 {expected[1]}, found {found[0]} of {found[1]}"
                )
    return manifest


@contextmanager
def _target(into: Path | None, name: str) -> Iterator[IO[bytes] | None]:
    if into is None:
        yield None
        return
    path = into / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("xb") as file:
        if name == KEY:
            path.chmod(0o600)
        yield file
        file.flush()
        os.fsync(file.fileno())


# Putting one back


def restore(file: Path, tell: Tell) -> Manifest:
    """Onto an empty site alone. Everything is verified before anything is put in place, and the database comes last."""
    _require_empty()
    with _opened(file) as (_, manifest):
        _require_ours(manifest)
    try:
        with _folder(settings.DATA / ".restore") as aside:
            read(file, tell, into=aside)
            tell(0, 0, "Putting it in place")
            _put_in_place(aside)
    except OSError as error:
        raise Refusal(f"{error.filename or file}: {error.strerror}.") from error
    _remember(file.absolute(), datetime.fromisoformat(manifest.made_at))
    return manifest


def _require_empty() -> None:
    tables = len(connection.introspection.table_names())
    connection.close()
    only = "A backup is restored only onto an empty site, so that nothing is lost."
    if tables:
        raise Conflict(f"{only} This one's database has {tables} tables; set ASSIZE_DATA or ASSIZE_DATABASE_URL to a new one.")
    if next(_files(settings.DATA / FILES), None):
        words = "move it away, or remove it if a restore was cut off here before"
        raise Conflict(f"{only} {settings.DATA / FILES} has files; {words}.")


def _require_ours(manifest: Manifest) -> None:
    if manifest.database != connection.vendor:
        raise Refusal(
            f"The backup holds a database of {manifest.database}, and this site's is {connection.vendor}: set or unset ASSIZE_DATABASE_URL."
        )
    known = MigrationLoader(None).disk_migrations or {}
    if newer := [".".join(one) for one in manifest.migrations if tuple(one) not in known]:
        mine = metadata.version("assize")
        raise Refusal(
            f"The backup is of a newer Assize ({manifest.version}, with {newer[0]}) than this one ({mine}): upgrade first."
        )


def _put_in_place(aside: Path) -> None:
    """Until the database is there the site is as empty as before; if that fails, the files go again."""
    database, files = aside / DATABASES[connection.vendor], settings.DATA / FILES
    shutil.rmtree(files, ignore_errors=True)  # empty folders, or what lay aside in it
    try:
        if (aside / FILES).exists():
            (aside / FILES).rename(files)
            store.keep_all()
        if (aside / KEY).exists():
            (aside / KEY).replace(settings.DATA / KEY)
        if connection.vendor == "postgresql":
            _postgres("pg_restore", "--single-transaction", "--exit-on-error", "--no-owner", "--no-acl", str(database))
        else:
            name = Path(connection.settings_dict["NAME"])
            for log in ("-wal", "-shm"):
                name.with_name(name.name + log).unlink(missing_ok=True)
            database.replace(name)
    except BaseException:
        shutil.rmtree(files, ignore_errors=True)
        raise
    store.sync_folder(settings.DATA)
