"""`make chaos`: people judge and send files over HTTP while processes are killed; then what was acknowledged is compared
with what the site gives out.

Every acknowledged act is written to a journal and synced to the disk before the next is sent. What was not acknowledged is
sent again with the same key, as the page does. Afterwards: nothing lost, nothing doubled, no document given to two, every
file that was acknowledged is a run, none that was cut off is, the release of before is the same to the byte, and
`assize doctor` finds nothing.
"""

import argparse
import asyncio
import hashlib
import json
import os
import platform
import random
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.checks import API, assize, get, listed
from benchmarks.crowd import COLLECTION, QUEUE, Connection, Judge
from benchmarks.load import in_a_loop
from tests.site import ROOT, Site

PEOPLE, TOPICS, ITEMS = 20, 10, 700
THINK = 0.1
AGAIN = 0.2  # seconds before what failed is sent again
SETTLED = 180.0  # seconds in which everything must be well again


class Journal:
    """The clients' own list of what was acknowledged: on the disk before anything else happens."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("a")
        self.acts: dict[str, tuple[str, int]] = {}  # act → (seat, grade)

    def note(self, act: str, seat: str, grade: int) -> None:
        self._file.write(f"{act} {seat} {grade}\n")
        self._file.flush()
        os.fsync(self._file.fileno())
        self.acts[act] = seat, grade

    def close(self) -> None:
        self._file.close()


@dataclass
class Stubborn(Judge):
    """A judge who sends an act again until it is acknowledged; its name goes with it as the note."""

    journal: Journal | None = None
    resent: int = 0

    async def act(self) -> bool:
        if not self.waiting and not await self._refill():
            return False
        seat, act = self.waiting.pop(0), str(uuid.uuid4())
        grade = random.randrange(4)  # noqa: S311
        body = json.dumps({"grade": grade, "client_id": act, "seconds": 1, "note": act}).encode()
        while True:
            status, text = await answered(self.connection, "POST", f"{QUEUE}/{seat}", body)
            if status == 200:
                break
            if 400 <= status < 500 and status != 429:
                self.errors.append(f"POST a judgment: {status} {text[:200]!r}")
                return True
            self.resent += 1
            await asyncio.sleep(AGAIN)
        if self.journal:
            self.journal.note(act, seat, grade)
        self.judged[seat] = act
        self._add(json.loads(text)["next"])
        return True

    async def _refill(self) -> bool:
        while True:
            status, text = await answered(self.connection, "GET", f"{QUEUE}?count=5")
            if status == 200:
                self._add(json.loads(text))
                return bool(self.waiting)
            await asyncio.sleep(AGAIN)


async def answered(connection: Connection, method: str, path: str, body: bytes = b"") -> tuple[int, bytes]:
    """The answer, status 0 where there was none within ten seconds."""
    try:
        return await asyncio.wait_for(connection.ask(method, path, body), 10)
    except (OSError, TimeoutError, ValueError):
        connection.close()
        return 0, b""


@dataclass
class Found:
    kills: Counter[str] = field(default_factory=Counter)
    acknowledged: int = 0
    resent: int = 0
    files: int = 0
    cut: int = 0
    seconds: float = 0.0
    settled: float = 0.0
    faults: list[str] = field(default_factory=list)

    def report(self, name: str) -> str:
        kinds = ", ".join(f"{count} × {kind}" for kind, count in sorted(self.kills.items()))
        return "\n".join(
            (
                f"{name}: {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
                f"{kinds} in {self.seconds:.0f} s",
                f"judgments acknowledged {self.acknowledged:,}, sent again {self.resent:,}; files taken {self.files:,},"
                f" cut off in the middle {self.cut:,}; all well {self.settled:.0f} s after the last kill",
                *self.faults,
                "kept" if not self.faults else "BROKEN",
            )
        )


# What goes wrong


def _kill(pids: list[int]) -> bool:
    """One of them, with -9; whether there was one."""
    if not pids:
        return False
    with suppress(ProcessLookupError):
        os.kill(random.choice(pids), signal.SIGKILL)  # noqa: S311
    return True


def _children(pids: list[int]) -> list[int]:
    found = []
    for pid in pids:
        with suppress(OSError):
            found += [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return found


def _backends(site: Site) -> list[int]:
    """Processes of PostgreSQL that serve this site's database; one that is killed takes all connections of the server along."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            if line.startswith("postgres:") and f"site_{site.port}" in line:
                found.append(int(folder.name))
    return found


def _flush(site: Site) -> bool:
    import redis

    with suppress(redis.RedisError, OSError):
        server = redis.Redis(unix_socket_path=str(site.data / "queue" / "valkey.sock"), socket_timeout=2)
        server.flushall()
        server.close()
        return True
    return False


def _pause(site: Site) -> bool:
    """A worker hangs for three seconds."""
    workers = site.pids("worker")
    for pid in workers[:1]:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGSTOP)
            time.sleep(3)
            os.kill(pid, signal.SIGCONT)
    return bool(workers)


def ways(site: Site) -> dict[str, Callable[[], bool]]:
    found: dict[str, Callable[[], bool]] = {
        "web killed": lambda: _kill(site.pids("web")),
        "worker killed": lambda: _kill(site.pids("worker")),
        "horse killed": lambda: _kill(_children(site.pids("worker"))),
        "sweeper killed": lambda: _kill(site.pids("sweeper")),
        "queue killed": lambda: _kill(site.pids("queue")),
        "queue flushed": lambda: _flush(site),
        "worker paused": lambda: _pause(site),
    }
    if "ASSIZE_DATABASE_URL" in site.env:
        found["PostgreSQL killed"] = lambda: _kill(_backends(site))
    return found


async def _havoc(site: Site, kills: int, without: Collection[str], found: Found, over: asyncio.Event) -> None:
    """Each way so many times, in a random order, a moment apart."""
    acts = {kind: act for kind, act in ways(site).items() if kind not in without}
    left = [kind for kind in acts for _ in range(kills)]
    random.shuffle(left)
    tries = Counter[str]()
    while left:
        kind = left.pop()
        if await asyncio.to_thread(acts[kind]):
            found.kills[kind] += 1
        elif tries[kind] < 20 * kills:  # a horse is there only while a job runs
            tries[kind] += 1
            left.insert(random.randrange(len(left) + 1), kind)  # noqa: S311
            await asyncio.sleep(0.1)
            continue
        await asyncio.sleep(random.uniform(0.5, 2.5))  # noqa: S311
    over.set()


# What people do meanwhile


def _form(tag: str, mark: str) -> bytes:
    rows = "".join(f"{n % TOPICS + 1} Q0 L{n // TOPICS:05} {n} {5000 - n} {tag}\n" for n in range(3000))
    return (
        f'--{mark}\r\nContent-Disposition: form-data; name="file"; filename="{tag}.txt"\r\n\r\n{rows}\r\n--{mark}--\r\n'
    ).encode()


async def _send_files(site: Site, secret: str, tags: list[str], found: Found, over: asyncio.Event) -> None:
    """Runs, one after the other; every fourth is cut off half way."""
    number = 0
    while not over.is_set():
        number += 1
        tag, mark = f"chaos-{number}", uuid.uuid4().hex
        headers = {"Authorization": f"Bearer {secret}", "Content-Type": f"multipart/form-data; boundary={mark}"}
        connection = Connection(site.port, **headers, **{"Idempotency-Key": tag})
        body = _form(tag, mark)
        if number % 4 == 0:
            with suppress(OSError):
                _reader, writer = await asyncio.open_connection("127.0.0.1", site.port)
                head = f"POST {API}/runs HTTP/1.1\r\n{connection.head}Content-Length: {len(body)}\r\n\r\n"
                writer.write(head.encode() + body[: len(body) // 2])
                await writer.drain()
                writer.close()
                found.cut += 1
        else:
            status = 0
            while status not in (200, 201, 202):
                status, text = await answered(connection, "POST", f"{API}/runs", body)
                if 400 <= status < 500 and status not in (409, 429):
                    found.faults.append(f"a run: {status} {text[:200]!r}")
                    return
                await asyncio.sleep(AGAIN)
            tags.append(tag)
            connection.close()
        await asyncio.sleep(0.5)


async def _judge(judge: Stubborn, over: asyncio.Event) -> None:
    while not over.is_set() and await judge.act():
        await asyncio.sleep(THINK)


async def _work(
    site: Site, secrets: dict[str, Any], journal: Journal, kills: int, without: Collection[str], found: Found
) -> list[str]:
    """The tags of the runs that were acknowledged."""
    over, tags = asyncio.Event(), list[str]()
    judges = [
        Stubborn(Connection(site.port, Authorization=f"Bearer {secret}"), journal=journal) for secret in secrets["assessors"]
    ]
    await asyncio.gather(
        _havoc(site, kills, without, found, over),
        _send_files(site, secrets["organizer"], tags, found, over),
        *(_judge(judge, over) for judge in judges),
    )
    found.resent = sum(judge.resent for judge in judges)
    found.faults += [error for judge in judges for error in judge.errors][:10]
    for judge in judges:
        judge.connection.close()
    return tags


# What must hold afterwards


def _settle(site: Site, secret: str, tags: list[str], found: Found) -> None:
    """Until every part is well and every file that was acknowledged is a run."""
    begin = time.monotonic()
    missing = set(tags)
    while time.monotonic() - begin < SETTLED:
        with suppress(OSError):
            rows = listed(site, secret, "uploads")
            states = Counter(row["state"] for row in rows)
            missing = set(tags) - {row["name"].removesuffix(".txt") for row in rows if row["state"] == "accepted"}
            if site.get("/readyz")[0] == 200 and not missing and not states["received"]:
                found.settled = time.monotonic() - begin
                return
        time.sleep(0.5)
    found.faults.append(
        f"not well {SETTLED:.0f} s after the last kill: {site.get('/readyz')[1]}, missing {sorted(missing)[:5]}"
    )


def _compare(site: Site, secret: str, journal: Journal, tags: list[str], released: bytes, found: Found) -> None:
    rows = [json.loads(line) for line in get(site, secret, f"{API}/judgments?history=true&format=jsonl").splitlines()]
    told = Counter(row["note"] for row in rows)
    checks = {
        "acknowledged, but lost": set(journal.acts) - set(told),
        "stored, but never acknowledged": set(told) - set(journal.acts),
        "stored twice": {note for note, count in told.items() if count > 1},
        "stored with another grade": {
            row["note"] for row in rows if journal.acts.get(row["note"], (0, None))[1] != row["grade"]
        },
    }
    pairs = Counter((row["topic"], row["docno"]) for row in rows)
    checks["given to two"] = {f"{topic} {docno}" for (topic, docno), count in pairs.items() if count > 1}
    there = Counter(row["tag"] for row in listed(site, secret, "runs"))
    checks["runs that nobody sent, or twice"] = {tag for tag, n in there.items() if tag not in {*tags, "first"} or n > 1}
    found.faults += [f"{what}: {len(odd):,}, as {sorted(odd)[0]}" for what, odd in checks.items() if odd]
    again = get(site, secret, f"{API}/releases/1/qrels")
    if hashlib.sha256(again).digest() != hashlib.sha256(released).digest():
        found.faults.append("release 1 is not what it was")
    examined = assize(site, "doctor")
    if examined.returncode:
        found.faults.append(f"assize doctor: {examined.stdout[-800:]} {examined.stderr[-300:]}")


def world(site: Site, people: int, topics: int, items: int) -> dict[str, Any]:
    """The secrets of assessors and organizer."""
    command = [sys.executable, "-m", "benchmarks.chaos_world", *map(str, (people, topics, items))]
    made = subprocess.run(command, cwd=ROOT, env=site.env, capture_output=True, text=True, check=False)
    if made.returncode:
        raise RuntimeError(made.stderr[-2000:])
    found: dict[str, Any] = json.loads(made.stdout)
    return found


def chaos(site: Site, *, kills: int, people: int = PEOPLE, items: int = ITEMS, without: Collection[str] = ()) -> Found:
    """On a site that runs and is nobody else's; `without` some of the ways."""
    secrets, found = world(site, people, TOPICS, items), Found()
    secret = secrets["organizer"]
    with tempfile.TemporaryDirectory(prefix="assize-journal-") as folder:
        journal = Journal(Path(folder) / "journal.txt")
        judge = Stubborn(Connection(site.port, Authorization=f"Bearer {secrets['assessors'][0]}"), journal=journal)
        in_a_loop(_judge_few(judge))
        frozen = assize(site, "release", COLLECTION, "--by", secrets["by"])
        if frozen.returncode:
            raise RuntimeError(frozen.stderr[-2000:])
        released = get(site, secret, f"{API}/releases/1/qrels")
        begin = time.perf_counter()
        tags = in_a_loop(_work(site, secrets, journal, kills, without, found))
        found.seconds = time.perf_counter() - begin
        journal.close()
    found.acknowledged, found.files = len(journal.acts), len(tags)
    _settle(site, secret, tags, found)
    _compare(site, secret, journal, tags, released, found)
    return found


async def _judge_few(judge: Stubborn) -> None:
    for _ in range(5):
        await judge.act()
    judge.connection.close()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.chaos", description=__doc__)
    parser.add_argument("--kills", type=int, default=100, help="of each kind; 100 unless given")
    parser.add_argument("--pg", action="store_true", help="on PostgreSQL instead of SQLite")
    options = parser.parse_args()
    for name in [name for name in os.environ if name.startswith("ASSIZE_") and not name.startswith("ASSIZE_TEST_")]:
        del os.environ[name]
    if options.pg:
        from benchmarks.__main__ import postgres

        with postgres():
            return run(options.kills, "PostgreSQL")
    return run(options.kills, "SQLite")


def run(kills: int, name: str) -> int:
    site = Site(ASSIZE_LOG_LEVEL="WARNING")
    try:
        found = chaos(site.start(), kills=kills)
        print(found.report(name), flush=True)
    finally:
        site.remove()
    faults = found.faults
    if name == "SQLite":
        from benchmarks import full_disk

        faults = [*faults, *full_disk.disk_full()]
    for fault in faults[len(found.faults) :]:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
