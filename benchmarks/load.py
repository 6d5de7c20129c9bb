"""`make load`: fifty assessors who think, beside imports and organizers, on a real site; what it must hold, and whether it did.

Nothing may fail, nothing may be lost or given out twice, and the p95 of a judgment stays within eight idle medians.
With --claims the crowd drains a pool with no time to think instead: 20,000 claims, every item with as many judgments as
are wanted, none from the same person twice.
"""

import argparse
import asyncio
import json
import os
import platform
import statistics
import sys
import time
import urllib.request
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeVar
from uuid import uuid4

from benchmarks import crowd
from benchmarks.crowd import Connection, Judge
from tests.site import Site

T = TypeVar("T")
PEOPLE, THINK = 50, 3.0
RATIO = 8.0  # p95 under load against the idle median
IMPORT_LINES = 50_000


@dataclass
class Found:
    """What was seen; `faults` is empty when every promise was kept."""

    acknowledged: int
    stored: int
    errors: list[str]
    idle: float
    loaded: list[float]
    imports: int
    seconds: float
    faults: list[str] = field(default_factory=list)

    @property
    def p95(self) -> float:
        ordered = sorted(self.loaded)
        return ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))] if ordered else 0.0

    @property
    def ratio(self) -> float:
        return self.p95 / self.idle if self.idle else 0.0

    def report(self, name: str) -> str:
        machine = (
            f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, Python {platform.python_version()}"
        )
        median = statistics.median(self.loaded) if self.loaded else 0.0
        return "\n".join(
            (
                f"{name}: {machine}",
                f"judgments acknowledged {self.acknowledged:,}, stored {self.stored:,}, errors {len(self.errors):,},"
                f" imports {self.imports:,}, in {self.seconds:.0f} s ({self.acknowledged / self.seconds:.1f}/s)",
                f"POST of a judgment: idle median {1000 * self.idle:.1f} ms; under load median {1000 * median:.1f} ms,"
                f" p95 {1000 * self.p95:.1f} ms: {self.ratio:.1f} × the idle median (at most {RATIO:g})",
                *self.faults,
                "kept" if not self.faults else "BROKEN",
            )
        )


def _stored(site: Site, organizer: str) -> list[tuple[str, str, str]]:
    """(topic, docno, assessor) of every judgment, as the site exports them."""
    address = f"{site.url}/api/v1/collections/{crowd.COLLECTION}/judgments?format=jsonl"
    request = urllib.request.Request(address, headers={"Authorization": f"Bearer {organizer}"})  # noqa: S310
    with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310  (our own address)
        rows = [json.loads(line) for line in answer.read().decode().splitlines()]
    return [(row["topic"], row["docno"], row["assessor"]) for row in rows]


async def _imports(site: Site, organizer: str, until: float, done: list[str], errors: list[str], lines: int) -> None:
    """A participant's runs, one after the other: sent, checked, stored."""
    connection = Connection(site.port, Authorization=f"Bearer {organizer}")
    while time.perf_counter() < until:
        tag = f"load-{len(done)}"
        rows = "".join(f"{n % 50 + 1} Q0 L{n:07} {n} {lines - n} {tag}\n" for n in range(lines))
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
        await asyncio.sleep(2)
    connection.close()


async def _organizers(site: Site, organizer: str, until: float, errors: list[str]) -> None:
    connection = Connection(site.port, Authorization=f"Bearer {organizer}")
    while time.perf_counter() < until:
        status, text = await connection.ask("GET", f"/api/v1/collections/{crowd.COLLECTION}/progress")
        if status != 200:
            errors.append(f"progress: {status} {text[:200]!r}")
        await asyncio.sleep(5)
    connection.close()


async def _work(site: Site, organizer: str, judges: list[Judge], seconds: float, think: float, lines: int) -> Found:
    for judge in judges:
        await judge.take()
    for _ in range(20):
        await judges[0].act()
    idle = statistics.median(spent for _, spent in judges[0].times)
    begin = time.perf_counter()
    until, done, errors = begin + seconds, list[str](), list[str]()
    for judge in judges:
        judge.times.clear()
    await asyncio.gather(
        crowd.judge_until(judges, until, think),
        _imports(site, organizer, until, done, errors, lines),
        *(_organizers(site, organizer, until, errors) for _ in range(3)),
    )
    taken = time.perf_counter() - begin
    errors += [error for judge in judges for error in judge.errors]
    for judge in judges:
        judge.connection.close()
    times = [spent for judge in judges for _, spent in judge.times]
    return Found(sum(len(judge.judged) for judge in judges), 0, errors, idle, times, len(done), taken)


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
    judges, organizer = crowd.settle(site, people, topics, items)
    found = in_a_loop(_work(site, organizer, judges, seconds, think, lines))
    stored = _stored(site, organizer)
    found.stored = len(stored)
    found.faults += [f"error: {error}" for error in found.errors[:10]]
    if len(stored) != found.acknowledged:
        found.faults.append(f"acknowledged {found.acknowledged:,}, but stored {len(stored):,}")
    if len({(topic, docno) for topic, docno, _ in stored}) != len(stored):
        found.faults.append("a document that one should judge was given to two")
    if found.ratio > RATIO:
        found.faults.append(f"p95 is {found.ratio:.1f} × the idle median, more than {RATIO:g}")
    return found


def in_a_loop(work: Coroutine[Any, Any, T]) -> T:
    """In a thread of its own: the caller's may have a loop already, as where a browser is driven."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


def claims(site: Site, *, opinions: int, wanted: int, people: int = PEOPLE) -> list[str]:
    """A crowd drains a pool item by item, with `opinions` of each; what went wrong."""
    topics = 10
    items = -(-wanted // (opinions * topics))
    judges, organizer = crowd.settle(site, people, topics, items, opinions)
    begin = time.perf_counter()
    in_a_loop(_drain(judges))
    taken = time.perf_counter() - begin
    stored = _stored(site, organizer)
    counts: dict[tuple[str, str], int] = {}
    for topic, docno, _ in stored:
        counts[topic, docno] = counts.get((topic, docno), 0) + 1
    acknowledged = sum(len(judge.judged) for judge in judges)
    faults = [error for judge in judges for error in judge.errors][:10]
    if len(set(stored)) != len(stored):
        faults.append("somebody judged a document twice")
    if acknowledged != len(stored):
        faults.append(f"acknowledged {acknowledged:,}, but stored {len(stored):,}")
    if len(counts) != topics * items or set(counts.values()) != {opinions}:
        faults.append(
            f"expected {topics * items:,} documents with {opinions} judgments each; found {len(counts):,}, {set(counts.values())}"
        )
    print(
        f"k = {opinions}: {acknowledged:,} claims of {people} clients in {taken:.0f} s, {acknowledged / taken:.0f}/s: {'kept' if not faults else 'BROKEN'}"
    )
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
            return run(options.seconds, options.claims, "PostgreSQL")
    return run(options.seconds, options.claims, "SQLite")


def run(seconds: float, wanted: int | None, name: str) -> int:
    faults: list[str] = []
    for opinions in (1, 2, 3) if wanted else (1,):
        site = Site(ASSIZE_LOG_LEVEL="WARNING")
        try:
            site.start()
            if wanted:
                faults += claims(site, opinions=opinions, wanted=wanted)
            else:
                found = load(site, seconds=seconds)
                faults += found.faults
                print(found.report(name))
        finally:
            site.remove()
    for fault in faults if wanted else ():
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
