"""`make load`: assessors who think, beside imports and organizers, on a real site; what it must hold, and whether it did.

On SQLite fifty with 3 s to think; on PostgreSQL two hundred with 4 s, two processes of the web server and two workers. The
twelve checks of checks.py must hold, and the p95 of a judgment stays within eight idle medians.
With --claims the crowd drains a pool with no time to think instead: 20,000 claims, every item with as many judgments as
are wanted, none from the same person twice.
"""

import argparse
import asyncio
import os
import platform
import statistics
import sys
import time
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4

from benchmarks import checks, crowd
from benchmarks.crowd import Connection, Judge
from tests.site import Site

T = TypeVar("T")
PEOPLE, THINK = 50, 3.0
HIGH_PEOPLE, HIGH_THINK = 200, 4.0
RATIO = 8.0  # p95 under load against the idle median
CREEP = 1.3  # median of the last minute against the first
GROWTH = 50  # megabytes a process may grow by
IMPORT_LINES = 50_000
PARTICIPANTS = 3


@dataclass(frozen=True)
class Given:
    """What participants rank."""

    topics: int
    documents: list[str]
    lines: int

    def run(self, tag: str) -> str:
        """So many lines over all topics, each topic's documents another stretch of the collection's."""
        each, count = self.lines // self.topics, len(self.documents)
        places = ((topic, n, (37 * topic + n) % count) for topic in range(self.topics) for n in range(min(each, count)))
        return "".join(f"{topic + 1} Q0 {self.documents[place]} {n} {each - n} {tag}\n" for topic, n, place in places)


@dataclass
class Found:
    """What was seen; `faults` is empty when every promise was kept. `checks` are the twelve, each with what is wrong."""

    acknowledged: int
    errors: list[str]
    idle: float
    loaded: list[tuple[float, float]]  # when, seconds
    tags: list[str]
    seconds: float
    checks: dict[str, str] = field(default_factory=dict)
    growth: float = 0.0

    def share(self, of: float, part: slice = slice(None)) -> float:
        ordered = sorted(spent for _, spent in self.loaded[part])
        return ordered[min(len(ordered) - 1, int(of * len(ordered)))] if ordered else 0.0

    @property
    def ratio(self) -> float:
        return self.share(0.95) / self.idle if self.idle else 0.0

    @property
    def creep(self) -> float | None:
        """Of the median, from the first minute to the last; None of less than two minutes."""
        if self.seconds < 120:
            return None
        begin, end = self.loaded[0][0], self.loaded[-1][0]
        first = statistics.median(spent for at, spent in self.loaded if at < begin + 60)
        return statistics.median(spent for at, spent in self.loaded if at > end - 60) / first

    @property
    def faults(self) -> list[str]:
        found = [f"{name}: {odd}" for name, odd in self.checks.items() if odd]
        if self.ratio > RATIO:
            found.append(f"p95 is {self.ratio:.1f} × the idle median, more than {RATIO:g}")
        if self.creep is not None and self.creep > CREEP:
            found.append(f"the last minute's median is {self.creep:.2f} × the first's, more than {CREEP:g}")
        if self.growth > GROWTH:
            found.append(f"a process grew by {self.growth:.0f} MB, more than {GROWTH}")
        return found

    def report(self, name: str, people: int) -> str:
        """A table as it stands in docs/reliability.md."""
        held = sum(not odd for odd in self.checks.values())
        row = (
            f"{name}, {people} assessors",
            f"{self.seconds:.0f} s",
            f"{self.acknowledged:,} ({self.acknowledged / self.seconds:.1f}/s)",
            f"{len(self.tags):,}",
            f"{1000 * self.idle:.1f} ms",
            f"{1000 * self.share(0.5):.1f}, {1000 * self.share(0.95):.1f}, {1000 * self.share(0.99):.1f} ms",
            f"{self.ratio:.1f}",
            "–" if self.creep is None else f"{self.creep:.2f}",
            f"{self.growth:.0f} MB",
            f"{held} of {len(self.checks)}",
        )
        head = (
            *("", "for", "judgments", "runs sent", "idle median", "p50, p95, p99", "p95 ÷ idle", "last ÷ first minute"),
            *("growth", "checks held"),
        )
        told = [f"| {' | '.join(cells)} |" for cells in (head, ("---",) * len(head), row)]
        checks = [f"- {number}. {check}: {odd or 'held'}" for number, (check, odd) in enumerate(self.checks.items(), 1)]
        return "\n".join((machine(), "", *told, "", *checks, "", *self.faults, "kept" if not self.faults else "BROKEN"))


def machine() -> str:
    load = f"load {os.getloadavg()[0]:.1f}"
    return f"{platform.machine()}, {os.cpu_count()} cores, {load}, Python {platform.python_version()}"


def _sizes(site: Site) -> dict[int, float]:
    """Megabytes in memory of each process of the site's web server and workers."""
    found = {}
    for pid in [*site.pids("web"), *site.pids("worker")]:
        with suppress(OSError, IndexError):
            found[pid] = int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    return found


async def _imports(
    site: Site, organizer: str, until: float, done: list[str], errors: list[str], who: int, given: Given
) -> None:
    """A participant's runs, one after the other: sent, checked, stored."""
    connection = Connection(site.port, Authorization=f"Bearer {organizer}")
    while time.perf_counter() < until:
        tag = f"load-{who}-{len(done)}"
        rows = given.run(tag)
        mark = uuid4().hex
        part = f'--{mark}\r\nContent-Disposition: form-data; name="file"; filename="{tag}.txt"\r\n\r\n{rows}\r\n--{mark}--\r\n'
        connection.head = "".join(
            f"{line}\r\n" for line in connection.head.split("\r\n") if line and not line.startswith("Content-Type")
        )
        connection.head += f"Content-Type: multipart/form-data; boundary={mark}\r\n"
        status, text = await connection.ask("POST", f"/api/v1/collections/{crowd.COLLECTION}/runs", part.encode())
        if status >= 400:
            errors.append(f"an import: {status} {text[:200]!r}")
            return
        done.append(tag)
        await asyncio.sleep(2 * PARTICIPANTS)
    connection.close()


async def _organizers(site: Site, organizer: str, until: float, errors: list[str]) -> None:
    connection = Connection(site.port, Authorization=f"Bearer {organizer}")
    while time.perf_counter() < until:
        status, text = await connection.ask("GET", f"/api/v1/collections/{crowd.COLLECTION}/progress")
        if status != 200:
            errors.append(f"progress: {status} {text[:200]!r}")
        await asyncio.sleep(5)
    connection.close()


async def _work(site: Site, organizer: str, judges: list[Judge], seconds: float, think: float, given: Given) -> Found:
    for judge in judges:
        await judge.take()
    for _ in range(20):
        await judges[0].act()
    idle = statistics.median(spent for _, spent in judges[0].times)
    begin, sizes = time.perf_counter(), dict[int, float]()
    until, done, errors = begin + seconds, list[str](), list[str]()
    for judge in judges:
        judge.times.clear()

    async def weigh() -> None:
        """When all have begun."""
        await asyncio.sleep(min(30, seconds / 2))
        sizes.update(_sizes(site))

    await asyncio.gather(
        crowd.judge_until(judges, until, think),
        weigh(),
        *(_imports(site, organizer, until, done, errors, who, given) for who in range(PARTICIPANTS)),
        *(_organizers(site, organizer, until, errors) for _ in range(3)),
    )
    taken = time.perf_counter() - begin
    growth = max((size - sizes[pid] for pid, size in _sizes(site).items() if pid in sizes), default=0.0)
    for judge in judges:
        judge.connection.close()
    times = sorted(one for judge in judges for one in judge.times)
    return Found(sum(len(judge.acts) for judge in judges), errors, idle, times, done, taken, growth=growth)


def load(
    site: Site,
    *,
    seconds: float,
    people: int = PEOPLE,
    think: float = THINK,
    topics: int = 50,
    items: int = 400,
    lines: int = IMPORT_LINES,
) -> Found:
    """The standard load on a site that runs."""
    judges, organizer, documents = crowd.settle(site, people, topics, items)
    found = in_a_loop(_work(site, organizer, judges, seconds, think, Given(topics, documents, lines)))
    _settle(site, organizer, found.tags)
    found.checks = checks.twelve(site, organizer, judges, errors=found.errors, tags=found.tags)
    return found


def _settle(site: Site, organizer: str, tags: list[str]) -> None:
    """Until the files that were taken are runs or refused, or a minute has passed, which the checks then tell."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        if len(tags) <= sum(row["state"] in ("accepted", "refused") for row in checks.listed(site, organizer, "uploads")):
            return
        time.sleep(0.5)


def in_a_loop(work: Coroutine[Any, Any, T]) -> T:
    """In a thread of its own: the caller's may have a loop already, as where a browser is driven."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


def claims(site: Site, *, opinions: int, wanted: int, people: int = PEOPLE) -> list[str]:
    """A crowd drains a pool item by item, with `opinions` of each; a row of the table, and what went wrong."""
    topics = 10
    items = -(-wanted // (opinions * topics))
    judges, organizer, _documents = crowd.settle(site, people, topics, items, opinions)
    begin = time.perf_counter()
    in_a_loop(_drain(judges))
    taken = time.perf_counter() - begin
    found = checks.twelve(site, organizer, judges, opinions=opinions)
    acknowledged = sum(len(judge.acts) for judge in judges)
    faults = [f"k = {opinions}, {name}: {odd}" for name, odd in found.items() if odd]
    if acknowledged != topics * items * opinions:
        faults.append(f"k = {opinions}: expected {topics * items * opinions:,} judgments; found {acknowledged:,}")
    held = sum(not odd for odd in found.values())
    row = (
        f"{opinions}",
        f"{people}",
        f"{topics * items:,}",
        f"{acknowledged:,}",
        f"{taken:.0f} s",
        f"{acknowledged / taken:.0f}/s",
    )
    print(f"| {' | '.join(row)} | {held} of {len(found)} |", flush=True)
    return faults


async def _drain(judges: list[Judge]) -> None:
    await crowd.judge_until(judges, time.perf_counter() + 3600)
    for judge in judges:
        judge.connection.close()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="how long; 60 unless given, 280 in full")
    parser.add_argument("--claims", type=int, metavar="N", help="instead: so many claims with k = 1, 2 and 3")
    parser.add_argument("--pg", action="store_true", help="on PostgreSQL instead of SQLite")
    options = parser.parse_args()
    for name in [name for name in os.environ if name.startswith("ASSIZE_") and not name.startswith("ASSIZE_TEST_")]:
        del os.environ[name]
    if options.pg:
        from benchmarks.__main__ import postgres

        with postgres():
            return run(options.seconds, options.claims, "PostgreSQL", HIGH_PEOPLE, HIGH_THINK)
    return run(options.seconds, options.claims, "SQLite", PEOPLE, THINK)


def run(seconds: float, wanted: int | None, name: str, people: int, think: float) -> int:
    faults: list[str] = []
    two = {"ASSIZE_WEB_PROCESSES": "2", "ASSIZE_WORKERS": "2"} if people == HIGH_PEOPLE and not wanted else {}
    if wanted:
        print(f"{name}: {machine()}\n\n| k | clients | documents | judgments | in | | checks held |\n{'| --- ' * 7}|")
    for opinions in (1, 2, 3) if wanted else (1,):
        site = Site(ASSIZE_LOG_LEVEL="WARNING", **two)
        try:
            site.start()
            if wanted:
                faults += claims(site, opinions=opinions, wanted=wanted)
            else:
                found = load(site, seconds=seconds, people=people, think=think)
                faults += found.faults
                print(found.report(name, people))
        finally:
            site.remove()
    if wanted:
        print("\n".join(["", *faults, "kept" if not faults else "BROKEN"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
