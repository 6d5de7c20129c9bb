"""All that is kept twice is counted again: files against their digests, what is derived against what it comes from."""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from django.db import connection
from django.utils.module_loading import autodiscover_modules

from config import store

Tell = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Fault:
    """`where` is a collection's address, or "site"."""

    where: str
    what: str
    expected: str
    found: str


Examination = Callable[[], Iterator[Fault]]
EXAMINATIONS: dict[str, Examination] = {}


def examines(what: str) -> Callable[[Examination], Examination]:
    """Register a function of an app's doctor.py, which yields what is off."""

    def register(examination: Examination) -> Examination:
        EXAMINATIONS[what] = examination
        return examination

    return register


def examine(tell: Tell) -> dict[str, list[Fault]]:
    """The faults by examination. It reads only; where people work meanwhile, look again before anything is done about one."""
    autodiscover_modules("doctor")
    found = {}
    for done, (what, examination) in enumerate(EXAMINATIONS.items()):
        tell(done, len(EXAMINATIONS), what)
        found[what] = list(examination())
    tell(len(EXAMINATIONS), len(EXAMINATIONS), "")
    return found


def file_faults(where: str, what: str, path: str, sha256: str = "", size: int | None = None) -> Iterator[Fault]:
    """Whether a file below the data folder is there, and what it was."""
    file = store.path(path)
    if not file.is_file():
        yield Fault(where, what, path, "no such file")
        return
    if size is not None and file.stat().st_size != size:
        yield Fault(where, what, f"{size:,} bytes", f"{file.stat().st_size:,} bytes in {path}")
    elif sha256:
        with file.open("rb") as opened:
            digest = hashlib.file_digest(opened, "sha256").hexdigest()
        if digest != sha256:
            yield Fault(where, what, f"SHA-256 {sha256[:16]}…", f"{digest[:16]}… of {path}")


def count_faults(where: str, what: str, expected: object, found: object) -> Iterator[Fault]:
    if expected != found:
        yield Fault(where, what, str(expected), str(found))


@examines("database")
def _database() -> Iterator[Fault]:
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            for (told,) in cursor.execute("PRAGMA integrity_check").fetchall():
                yield from count_faults("site", "integrity check", "ok", told)
            for table, row, parent, _ in cursor.execute("PRAGMA foreign_key_check").fetchall():
                yield Fault("site", f"row {row} of {table}", f"a row of {parent}", "none")
        else:
            cursor.execute("SELECT indexrelid::regclass::text FROM pg_index WHERE NOT indisvalid")
            for (name,) in cursor.fetchall():
                yield Fault("site", f"index {name}", "valid", "invalid")
