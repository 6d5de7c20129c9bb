"""`make chaos`: people judge and send files over HTTP while processes are killed; then what was acknowledged is compared
with what the site gives out.

Every acknowledged act is written to a journal and synced to the disk before the next is sent. What was not acknowledged is
sent again with the same key, as the page does. Meanwhile `assize backup` is run three times; in the end queue server
and workers stand still for a minute, and no judgment may fail. Afterwards: the history is the journal, act by act and in its
order, no document given to two, every file that was acknowledged is a run or was seen to fail after its third try, none that
was cut off is, the release of before is the same to the byte, `assize doctor` finds nothing, and each backup, restored on an
empty machine, holds what was acknowledged before its start and nothing that nobody sent.
"""

import argparse
import asyncio
import hashlib
import json
import os
import platform
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.chaos_backups import MOMENTS, Backups
from benchmarks.chaos_people import Journal, Sender, Stubborn, judge_on, keep_busy, stubborn
from benchmarks.chaos_ways import HANG, LONG_EVERY, LONG_HANG, Postgres, hang, ways
from benchmarks.checks import API, assize, get, lines, listed
from benchmarks.crowd import COLLECTION
from benchmarks.databases import forget_settings, postgres
from benchmarks.load import in_a_loop
from tests.site import ROOT, Site

PEOPLE, TOPICS, ITEMS = 20, 10, 700
THINK = 0.5
FULL = 100  # kills of each kind
LEAST_ACTS = 50  # acknowledged for each kill of a kind
# Seconds in which all jobs are done when everything is up; a job whose worker was killed is noticed after 45 of silence.
SETTLED, NOTICED = 90.0, 45.0
LULL = 15.0  # seconds without a judgment after which the next is killed all the same
STILL = 60.0  # seconds that queue server and workers hang for in the end
AWAY, BACK = 6.0, 10.0  # seconds that PostgreSQL is stopped for, and in which judging goes on afterwards


@dataclass
class Found:
    kills: Counter[str] = field(default_factory=Counter)
    wanted: dict[str, int] = field(default_factory=dict)
    acknowledged: int = 0
    changed: int = 0
    resent: int = 0
    files: int = 0
    cut: int = 0
    failed: int = 0  # jobs, after their third try
    seconds: float = 0.0
    settled: float = 0.0
    back: list[float] = field(default_factory=list)  # seconds from PostgreSQL's start to the next judgment
    still: str = ""  # what was judged without queue and workers
    backups: str = ""
    odd: dict[str, int] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    def missed(self) -> list[str]:
        """Kinds that were not killed as often as they should."""
        return [f"{kind}: {self.kills[kind]} of {n}" for kind, n in self.wanted.items() if self.kills[kind] < n]

    def report(self, name: str) -> str:
        """A row as it stands in docs/reliability.md, and what it is made of."""
        most = max(self.wanted.values(), default=0)
        few = [f"{n} × {kind}" for kind, n in self.kills.items() if self.wanted.get(kind, most) < most]
        each = f"{most} each of {sum(n == most for n in self.wanted.values())} ways"
        row = (
            name,
            f"{', '.join([each, *few])}, in {self.seconds:.0f} s",
            f"{self.acknowledged:,}, {self.changed:,} of them changed minds",
            f"{self.resent:,}",
            f"{self.files:,}, {self.cut:,}",
            f"{self.failed:,}",
            f"{self.settled:.0f} s",
            ", ".join(str(self.odd.get(what, 0)) for what in ("lost", "doubled", "given to two")),
        )
        stops = f"PostgreSQL stopped {len(self.back)} times; judging again after {max(self.back, default=0):.1f} s at most"
        return "\n".join(
            (
                f"{name}: {platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, {_kinds(self.kills)}",
                *([stops] if self.back else []),
                self.still,
                self.backups,
                "",
                f"| {' | '.join(row)} |",
                "",
                *self.faults,
                "kept" if not self.faults else "BROKEN",
            )
        )


def _kinds(kills: Counter[str]) -> str:
    return ", ".join(f"{count} × {kind}" for kind, count in sorted(kills.items()))


@dataclass
class Scene:
    """One site, its people, and what is to go wrong."""

    site: Site
    secrets: dict[str, Any]
    journal: Journal
    kills: int
    without: Collection[str]
    postgres: Postgres | None
    found: Found
    backups: Backups
    moments: Sequence[float]
    still: float

    async def play(self) -> list[str]:
        """Until each way was tried often enough; the tags of the runs that were acknowledged."""
        over = asyncio.Event()
        self.judges = judges = stubborn(self.site, self.secrets["assessors"], self.journal)
        sender = Sender(self.site, self.secrets["organizer"], TOPICS)
        await asyncio.gather(
            self._havoc(over),
            sender.send(over),
            keep_busy(self.site, self.secrets["admin"], over),
            *(judge_on(judge, over, THINK) for judge in judges),
        )
        self.found.resent, self.found.cut = sum(judge.resent for judge in judges), sender.cut
        self.found.faults += [*[error for judge in judges for error in judge.errors][:10], *sender.errors]
        for judge in judges:
            judge.connection.close()
        return sender.tags

    async def _havoc(self, over: asyncio.Event) -> None:
        try:
            killing = asyncio.gather(self._kill(), self._hang())
            await asyncio.gather(killing, self._back_up(killing))
            for _ in range(-(-self.kills // 20) if self.postgres else 0):
                await self._without_postgres()
            await self._without_queue()
        finally:
            over.set()

    async def _kill(self) -> None:
        """Each way so many times, in a random order, a moment apart and not before somebody could judge again."""
        acts = {kind: act for kind, act in ways(self.site, self.kills, self.postgres).items() if kind not in self.without}
        self.found.wanted |= {kind: count for kind, (_act, count) in acts.items()}
        left = [kind for kind, (_act, count) in acts.items() for _ in range(count)]
        random.shuffle(left)
        tries = Counter[str]()
        while left:
            kind = left.pop()
            if await asyncio.to_thread(acts[kind][0]):
                self.found.kills[kind] += 1
                await self._let_judge(random.uniform(0.5, 2))  # noqa: S311
            elif tries[kind] < 30 * self.kills:  # what was just killed is not there, a horse only while a job runs
                tries[kind] += 1
                left.insert(random.randrange(len(left) + 1), kind)  # noqa: S311
                await asyncio.sleep(0.1)

    async def _let_judge(self, seconds: float) -> None:
        """So long, and until something is acknowledged: what is killed while nothing happens shows little."""
        begin = time.monotonic()
        await asyncio.sleep(seconds)
        while self.journal.last < begin and time.monotonic() - begin < LULL:
            await asyncio.sleep(0.1)

    async def _hang(self) -> None:
        """Beside the others: a worker that hangs, in full form sometimes for so long that its job is given to another."""
        if "worker paused" in self.without:
            return
        self.found.wanted["worker paused"] = self.kills
        for number in range(1, 3 * self.kills + 1):
            long = self.kills >= LONG_EVERY and number % LONG_EVERY == 0
            if await asyncio.to_thread(hang, self.site, LONG_HANG if long else HANG):
                self.found.kills["worker paused"] += 1
            await asyncio.sleep(random.uniform(0.5, 2.5))  # noqa: S311
            if self.found.kills["worker paused"] == self.kills:
                return

    async def _back_up(self, killing: "asyncio.Future[Any]") -> None:
        for share in self.moments:
            while not killing.done() and self.found.kills.total() < share * sum(self.found.wanted.values()):
                await asyncio.sleep(0.1)
            await self.backups.make()

    async def _without_queue(self) -> None:
        """Queue server and workers hang, which is worse than to be gone: of who judges nobody notices."""
        await asyncio.to_thread(self.site.wait_for, lambda: self.site.get("/readyz")[0] == 200, 90)
        await asyncio.sleep(6 * THINK)  # so that connections that were cut before are open again
        before = self.journal.seen.total(), sum(judge.resent for judge in self.judges)
        with self.site.hanging():
            await asyncio.sleep(self.still)
            told = (await asyncio.to_thread(self.site.get, "/readyz"))[1]
            if '"queue": {"ok": false' not in told:
                self.found.faults.append(f"/readyz did not name the queue while it hung: {told[:300]}")
            judged, failed = self.journal.seen.total() - before[0], sum(judge.resent for judge in self.judges) - before[1]
        self.found.still = f"{judged:,} judged in {self.still:.0f} s without queue and workers, {failed:,} failed"
        if failed or not judged:
            self.found.faults.append(self.found.still)

    async def _without_postgres(self) -> None:
        """Stopped for a while: nothing can be saved, so nothing may be called so; then all goes on by itself."""
        assert self.postgres is not None  # noqa: S101
        await asyncio.to_thread(self.site.wait_for, lambda: self.site.get("/readyz")[0] == 200, 90)
        await asyncio.to_thread(self.postgres.stop)
        await asyncio.sleep(1)  # answers that were on their way
        stopped = time.monotonic()
        await asyncio.sleep(AWAY)
        if self.journal.last > stopped:
            self.found.faults.append("a judgment was acknowledged while PostgreSQL was stopped")
        if '"database": {"ok": false' not in (await asyncio.to_thread(self.site.get, "/readyz"))[1]:
            self.found.faults.append("/readyz did not name the database while PostgreSQL was stopped")
        await asyncio.to_thread(self.postgres.start)
        started = time.monotonic()
        while self.journal.last < started and time.monotonic() - started < 3 * BACK:
            await asyncio.sleep(0.1)
        self.found.back.append(time.monotonic() - started)
        if self.found.back[-1] > BACK:
            self.found.faults.append(f"judging went on {self.found.back[-1]:.0f} s after PostgreSQL, more than {BACK:.0f}")


# What must hold afterwards


def _settle(site: Site, secrets: dict[str, Any], tags: list[str], found: Found) -> None:
    """Until every part is well; from then on, until every job is done or was seen to fail, and each file with its job."""
    secret, cut_off = secrets["organizer"], {"worker killed", "horse killed", "worker paused"} & {*found.kills}
    most = SETTLED + (NOTICED if cut_off else 0)
    try:
        site.wait_for(lambda: site.get("/readyz")[0] == 200, 60)
    except AssertionError:
        found.faults.append(f"not well 60 s after the last kill: {site.get('/readyz')[1]}")
    begin, waiting, missing = time.monotonic(), ["?"], set(tags)
    while time.monotonic() - begin < most:
        with suppress(OSError):
            jobs = listed(site, secrets["admin"], "jobs", "/api/v1")
            waiting = [row["title"] for row in jobs if row["state"] not in ("done", "refused", "failed")]
            failed = [row for row in jobs if row["state"] == "failed"]
            states = {row["name"].removesuffix(".txt"): row["state"] for row in listed(site, secret, "uploads")}
            missing = {tag for tag in tags if states.get(tag) not in ("accepted", "failed")}
            if not waiting and not missing:
                found.settled, found.failed = time.monotonic() - begin, len(failed)
                found.faults += [f"{row['title']}: {row['message']}" for row in failed if "Tried 3 times" not in row["message"]]
                return
        time.sleep(0.5)
    found.faults.append(f"{most:.0f} s after all was up there wait {waiting[:5]}, missing are {sorted(missing)[:5]}")


def compare(site: Site, secret: str, journal: Journal, tags: list[str], found: Found) -> None:
    sent, stored = journal.by_person(), dict[str, list[tuple[str, int]]]()
    people = dict[tuple[str, str], set[str]]()
    for row in lines(site, secret, "history=true&"):
        stored.setdefault(row["assessor"], []).append((row["note"], row["grade"]))
        people.setdefault((row["topic"], row["docno"]), set()).add(row["assessor"])
    acts, told = ([act for rows in each.values() for act, _grade in rows] for each in (sent, stored))
    order = [rows for rows in sent.values() if rows not in stored.values()]
    there = Counter(row["tag"] for row in listed(site, secret, "runs"))
    checks: dict[str, Any] = {
        "lost": sorted(set(acts) - set(told)),
        "stored, but never acknowledged": sorted(set(told) - set(acts)),
        "doubled": [act for act, count in Counter(told).items() if count > 1],
        "given to two": [pair for pair, names in people.items() if len(names) > 1],
        "histories that are not the journal": order,
        "runs that nobody sent, or twice": [tag for tag, n in there.items() if tag not in {*tags, "first"} or n > 1],
    }
    found.acknowledged, found.changed = len(acts), sum(journal.seen.values()) - len(journal.seen)
    found.odd = {what: len(odd) for what, odd in checks.items()}
    found.faults += [f"{what}: {len(odd):,}, as {str(odd[0])[:200]}" for what, odd in checks.items() if odd]


def _unharmed(site: Site, secret: str, released: bytes) -> list[str]:
    faults = []
    again = get(site, secret, f"{API}/releases/1/qrels")
    if hashlib.sha256(again).digest() != hashlib.sha256(released).digest():
        faults.append("release 1 is not what it was")
    examined = assize(site, "doctor")
    if examined.returncode:
        faults.append(f"assize doctor: {examined.stdout[-800:]} {examined.stderr[-300:]}")
    return faults


def world(site: Site, people: int, topics: int, items: int) -> dict[str, Any]:
    """The secrets of assessors, organizer and administrator."""
    command = [sys.executable, "-m", "benchmarks.chaos_world", *map(str, (people, topics, items))]
    made = subprocess.run(command, cwd=ROOT, env=site.env, capture_output=True, text=True, check=False)
    if made.returncode:
        raise RuntimeError(made.stderr[-2000:])
    found: dict[str, Any] = json.loads(made.stdout)
    return found


def chaos(
    site: Site,
    *,
    kills: int,
    people: int = PEOPLE,
    items: int = ITEMS,
    without: Collection[str] = (),
    postgres: Postgres | None = None,
    moments: Sequence[float] = MOMENTS,
    still: float = STILL,
) -> Found:
    """On a site that runs and is nobody else's; `without` some of the ways. A backup at each of the `moments`, which are
    shares of all kills; without queue and workers for `still` seconds."""
    secrets, found = world(site, people, TOPICS, items), Found()
    secret = secrets["organizer"]
    with tempfile.TemporaryDirectory(prefix="assize-journal-") as folder:
        journal = Journal(Path(folder) / "journal.txt")
        backups = Backups(site, journal, Path(folder))
        in_a_loop(_judge_few(stubborn(site, secrets["assessors"], journal)[0]))
        frozen = assize(site, "release", COLLECTION, "--by", secrets["by"])
        if frozen.returncode:
            raise RuntimeError(frozen.stderr[-2000:])
        released = get(site, secret, f"{API}/releases/1/qrels")
        begin = time.perf_counter()
        scene = Scene(site, secrets, journal, kills, without, postgres, found, backups, moments, still)
        tags = in_a_loop(scene.play())
        found.seconds, found.files = time.perf_counter() - begin, len(tags)
        journal.close()
        _settle(site, secrets, tags, found)
        compare(site, secret, journal, tags, found)
        backups.compare()
    found.backups = f"{len(backups.made)} backups made meanwhile and restored; {len(backups.words)} failed with their database"
    found.faults += [*backups.faults, *found.missed(), *_unharmed(site, secret, released)]
    return found


async def _judge_few(judge: Stubborn) -> None:
    for _ in range(5):
        await judge.act()
    judge.connection.close()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.chaos", description=__doc__)
    parser.add_argument("--kills", type=int, default=FULL, help=f"of each kind; {FULL} unless given")
    parser.add_argument("--pg", action="store_true", help="on PostgreSQL instead of SQLite")
    options = parser.parse_args()
    forget_settings()
    if options.pg:
        with postgres() as server:
            if server:
                os.environ["ASSIZE_PG_BIN"] = str(server.bin_path)
            return run(options.kills, "PostgreSQL", Postgres(server) if server else None)
    return run(options.kills, "SQLite")


def run(kills: int, name: str, postgres: Postgres | None = None) -> int:
    site = Site(ASSIZE_LOG_LEVEL="WARNING", ASSIZE_WORKERS="3")  # some work while others are dead or hang
    try:
        found = chaos(site.start(), kills=kills, postgres=postgres)
        if found.acknowledged < LEAST_ACTS * kills:
            found.faults.append(f"only {found.acknowledged:,} judgments were acknowledged, not {LEAST_ACTS * kills:,}")
        print(found.report(name), flush=True)
    finally:
        site.remove()
    disk = [sys.executable, "-m", "benchmarks.full_disk", *(["--pg"] if name == "PostgreSQL" else [])]
    broken = subprocess.run(disk, cwd=ROOT, check=False).returncode  # a process of its own: it has a server of its own
    return 1 if found.faults or broken else 0


if __name__ == "__main__":
    sys.exit(main())
