"""`make load`: assessors who think, beside imports and organizers, on a real site; what it must hold, and whether it did.

On SQLite fifty with 3 s to think; on PostgreSQL two hundred with 4 s, two processes of the web server and two workers. For
a quarter of the time they are alone with three organizers; then three participants upload runs, each the next one when the
last is taken, and a pool is drawn. The twelve checks of checks.py must hold, and the ratios of `Found.measures`.
With --claims the crowd drains a pool with no time to think instead: 20,000 claims, every item with as many judgments as
are wanted, none from the same person twice.
"""

import argparse
import asyncio
import itertools
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4

from benchmarks import checks, crowd
from benchmarks.crowd import Connection, Judge
from benchmarks.databases import database
from tests.site import Site

T = TypeVar("T")
PEOPLE, THINK = 50, 3.0
HIGH_PEOPLE, HIGH_THINK = 200, 4.0
RATIO = 8.0  # p95 under load against the idle median
BESIDE = 3.0  # p95 beside imports against p95 without
LONGEST = 1.0  # seconds that a judgment may take
CREEP = 1.3  # the last minute against the first, by median and p95
ALONE, PAUSE = 60, 0.1  # acts, and seconds between them, of the one who judges before anybody else: what idle means
GROWTH = 50  # megabytes a process may grow by
IMPORT_LINES = 50_000
POOL_DEPTH = 20
ORGANIZERS = 3


@dataclass(frozen=True)
class Given:
    """What participants rank."""

    topics: int
    documents: list[str]
    lines: int

    def run(self, tag: str) -> str:
        """So many lines over all topics, each topic's documents another stretch of the collection's."""
        return self._rows.replace("@", tag)

    @cached_property
    def _rows(self) -> str:
        """Made once: those who judge share a processor with those who send, and would be timed with it."""
        each, count = self.lines // self.topics, len(self.documents)
        places = ((topic, n, (37 * topic + n) % count) for topic in range(self.topics) for n in range(min(each, count)))
        return "".join(f"{topic + 1} Q0 {self.documents[place]} {n} {each - n} @\n" for topic, n, place in places)


@dataclass
class Found:
    """What was seen; `faults` is empty when every promise was kept. `checks` are the twelve, each with what is wrong."""

    acknowledged: int
    errors: list[str]
    idle: float
    alone: list[tuple[float, float]]  # when, seconds: before imports
    loaded: list[tuple[float, float]]  # beside them
    tags: list[str]
    seconds: float
    checks: dict[str, str] = field(default_factory=dict)
    growth: float = 0.0
    locked: list[str] = field(default_factory=list)  # lines of the log
    pool: str = "no pool was drawn"  # what is wrong with it

    @property
    def ratio(self) -> float:
        return share(self.loaded, 0.95) / self.idle if self.idle else 0.0

    @property
    def beside(self) -> float:
        return share(self.loaded, 0.95) / (share(self.alone, 0.95) or 1.0)

    def creep(self, of: float) -> float | None:
        """From the first minute of imports to the last; None of less than two minutes."""
        begin, end = self.loaded[0][0], self.loaded[-1][0]
        if end - begin < 120:
            return None
        first = share([one for one in self.loaded if one[0] < begin + 60], of)
        return share([one for one in self.loaded if one[0] > end - 60], of) / first

    def measures(self) -> dict[str, str]:
        """What must hold besides the twelve, each with what is wrong, or nothing."""
        last = self.creep(0.5), self.creep(0.95)
        return {
            f"p95 beside imports is within {RATIO:g} idle medians": _over(self.ratio, RATIO),
            f"p95 beside imports is within {BESIDE:g} times the p95 without": _over(self.beside, BESIDE),
            f"no judgment takes longer than {LONGEST:g} s": _over(share(self.loaded, 1.0), LONGEST),
            f"the last minute's median is within {CREEP:g} of the first's": _over(last[0], CREEP),
            f"the last minute's p95 is within {CREEP:g} of the first's": _over(last[1], CREEP),
            f"no process grows by more than {GROWTH} MB": _over(self.growth, GROWTH),
            "no answer and no line of the log says “locked”": f"{len(self.locked)}, as {self.locked[0][:200]}"
            if self.locked
            else "",
            "a pool is drawn meanwhile": self.pool,
        }

    @property
    def faults(self) -> list[str]:
        return [f"{name}: {odd}" for name, odd in (self.checks | self.measures()).items() if odd]

    def report(self, name: str, people: int) -> str:
        """A table as it stands in docs/reliability.md."""
        all_checks = self.checks | self.measures()
        held, creeps = sum(not odd for odd in self.checks.values()), (self.creep(0.5), self.creep(0.95))
        row = (
            f"{name}, {people} assessors",
            f"{self.seconds:.0f} s",
            f"{self.acknowledged:,} ({self.acknowledged / self.seconds:.1f}/s)",
            f"{len(self.tags):,}",
            f"{1000 * self.idle:.1f} ms",
            ", ".join(f"{1000 * share(self.loaded, of):.1f}" for of in (0.5, 0.95, 0.99)) + " ms",
            f"{self.ratio:.1f}",
            f"{self.beside:.1f}",
            ", ".join("–" if creep is None else f"{creep:.2f}" for creep in creeps),
            f"{self.growth:.0f} MB",
            f"{held} of {len(self.checks)}",
        )
        head = (
            *("", "for", "judgments", "runs sent", "idle median", "p50, p95, p99 beside imports", "p95 ÷ idle"),
            *("with ÷ without imports", "last ÷ first minute, median and p95", "growth", "checks held"),
        )
        told = [f"| {' | '.join(cells)} |" for cells in (head, ("---",) * len(head), row)]
        checks = [f"{number}. {check}: {odd or 'held'}" for number, (check, odd) in enumerate(all_checks.items(), 1)]
        return "\n".join((machine(), "", *told, "", *checks, "", "kept" if not self.faults else "BROKEN"))


def share(times: list[tuple[float, float]], of: float) -> float:
    """The time that so large a share stays within."""
    ordered = sorted(spent for _, spent in times)
    return ordered[min(len(ordered) - 1, int(of * len(ordered)))] if ordered else 0.0


def _over(found: float | None, most: float) -> str:
    return f"{found:.2f}" if found is not None and found > most else ""


def machine() -> str:
    load = f"load {os.getloadavg()[0]:.1f}"
    return f"{platform.machine()}, {os.cpu_count()} cores, {load}, Python {platform.python_version()}"


def sizes(site: Site, *parts: str) -> dict[int, float]:
    """Megabytes in memory of each process of these parts of the site."""
    found = {}
    for pid in [pid for part in parts for pid in site.pids(part)]:
        with suppress(OSError, IndexError):
            found[pid] = int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    return found


@dataclass
class Load:
    """One site under load, and who does what."""

    site: Site
    crowd: crowd.Settled
    given: Given
    begin: float
    alone: float  # seconds without imports
    seconds: float
    done: list[str] = field(default_factory=list)  # tags that were acknowledged
    taken: list[str] = field(default_factory=list)  # those that are runs
    errors: list[str] = field(default_factory=list)
    pool: str = "no pool was drawn"

    @property
    def until(self) -> float:
        return self.begin + self.seconds

    def _with(self, secret: str, **headers: str) -> Connection:
        return Connection(self.site.port, Authorization=f"Bearer {secret}", **headers)

    async def imports(self, who: int) -> None:
        """A participant's runs: sent, checked, stored, and at once the next."""
        await asyncio.sleep(self.alone)
        reading = self._with(self.crowd.participants[who])
        for number in itertools.count():
            if time.perf_counter() > self.until:
                break
            tag, mark = f"load-{who}-{number}", uuid4().hex
            sending = self._with(self.crowd.participants[who], **{"Content-Type": f"multipart/form-data; boundary={mark}"})
            head = f'--{mark}\r\nContent-Disposition: form-data; name="file"; filename="{tag}.txt"\r\n\r\n'
            rows = await asyncio.to_thread(self.given.run, tag)  # or the clients would wait for it
            status, text = await sending.ask("POST", f"{checks.API}/runs", f"{head}{rows}\r\n--{mark}--\r\n".encode())
            sending.close()
            if status >= 400:
                self.errors.append(f"an import: {status} {text[:200]!r}")
                break
            self.done.append(tag)
            await self._until_taken(reading, json.loads(text)["id"], tag)
        reading.close()

    async def _until_taken(self, connection: Connection, upload: int, tag: str) -> None:
        while time.perf_counter() < self.until:
            status, text = await connection.ask("GET", f"{checks.API}/uploads/{upload}")
            if status != 200:
                self.errors.append(f"an upload: {status} {text[:200]!r}")
                return
            if (state := json.loads(text)["state"]) != "received":
                if state == "accepted":
                    self.taken.append(tag)
                return
            await asyncio.sleep(0.3)

    async def organize(self, number: int) -> None:
        """An organizer who looks every five seconds: at the page, and by the API."""
        api = self._with(self.crowd.organizer)
        page = Connection(self.site.port, Cookie=f"sessionid={self.crowd.session}", Accept="text/html")
        looks = ((api, f"{checks.API}/progress"), (page, f"/c/{crowd.COLLECTION}/progress/"))
        await asyncio.sleep(number)
        while time.perf_counter() < self.until:
            for connection, path in looks:
                status, text = await connection.ask("GET", path)
                if status != 200:
                    self.errors.append(f"{path}: {status} {text[:200]!r}")
            await asyncio.sleep(5)
        api.close()
        page.close()

    async def draw(self) -> None:
        """One pool of all runs that are there, half way through the imports; sooner or later where there is none yet."""
        await asyncio.sleep(self.alone + (self.seconds - self.alone) / 2)
        while not self.taken and time.perf_counter() < self.until + 30:
            await asyncio.sleep(0.2)
        if not self.taken:
            return
        connection = self._with(self.crowd.organizer)
        body = json.dumps({"strategy": "depth", "depth": POOL_DEPTH, "runs": self.taken}).encode()
        status, text = await connection.ask("POST", f"{checks.API}/pools", body)
        job = json.loads(text).get("id")
        while status < 400 and time.perf_counter() < self.until + 60:
            status, text = await connection.ask("GET", f"/api/v1/jobs/{job}")
            if json.loads(text)["state"] in ("done", "refused", "failed"):
                break
            await asyncio.sleep(0.3)
        self.pool = "" if json.loads(text).get("state") == "done" else text.decode()[:200]
        connection.close()


async def _work(site: Site, made: crowd.Settled, seconds: float, think: float, given: Given) -> Found:
    judges, weights = made.judges, dict[int, float]()
    for judge in judges:
        await judge.take()
    await crowd.judge_until(judges[:1], time.perf_counter() + 60, think=PAUSE, most=ALONE)
    idle = statistics.median(spent for _, spent in judges[0].times)
    for judge in judges:
        judge.times.clear()
    here = Load(site, made, given, time.perf_counter(), seconds / 4, seconds)

    async def weigh() -> None:
        """When all have begun."""
        await asyncio.sleep(here.alone + min(30, seconds / 4))
        weights.update(sizes(site, "web", "worker"))

    await asyncio.gather(
        crowd.judge_until(judges, here.until, think),
        weigh(),
        here.draw(),
        *(here.imports(who) for who in range(len(made.participants))),
        *(here.organize(number) for number in range(ORGANIZERS)),
    )
    now = sizes(site, "web", "worker")
    growth = max((size - weights[pid] for pid, size in now.items() if pid in weights), default=0.0)
    for judge in judges:
        judge.connection.close()
    times = sorted(one for judge in judges for one in judge.times)
    warm, imports = here.begin + here.alone / 4, here.begin + here.alone  # the first requests find everything cold
    alone, loaded = [one for one in times if warm < one[0] < imports], [one for one in times if one[0] >= imports]
    counted = sum(len(judge.acts) for judge in judges)
    return Found(counted, here.errors, idle, alone, loaded, here.done, seconds, growth=growth, pool=here.pool)


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
    made, before = crowd.settle(site, people, topics, items), len(site.log())
    found = in_a_loop(_work(site, made, seconds, think, Given(topics, made.documents, lines)))
    _settle(site, made.organizer, found.tags)
    found.checks = checks.twelve(site, made.organizer, made.judges, errors=found.errors, tags=found.tags)
    told = [*site.log()[before:].splitlines(), *found.errors, *(error for judge in made.judges for error in judge.errors)]
    found.locked = [line for line in told if "locked" in line]
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
    made = crowd.settle(site, people, topics, items, opinions)
    begin = time.perf_counter()
    in_a_loop(_drain(made.judges))
    taken = time.perf_counter() - begin
    found = checks.twelve(site, made.organizer, made.judges, opinions=opinions)
    acknowledged = sum(len(judge.acts) for judge in made.judges)
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
    parser.add_argument("--opinions", type=int, choices=(1, 2, 3), help="of --claims: with this k alone")
    parser.add_argument("--pg", action="store_true", help="on PostgreSQL instead of SQLite")
    options = parser.parse_args()
    people, think = (HIGH_PEOPLE, HIGH_THINK) if options.pg else (PEOPLE, THINK)
    with database(pg=options.pg) as name:
        return run(options, name, people, think)


def run(options: argparse.Namespace, name: str, people: int, think: float) -> int:
    seconds, wanted = options.seconds, options.claims
    faults: list[str] = []
    two = {"ASSIZE_WEB_PROCESSES": "2", "ASSIZE_WORKERS": "2"} if people == HIGH_PEOPLE and not wanted else {}
    if wanted:
        print(f"{name}: {machine()}\n\n| k | clients | documents | judgments | in | | checks held |\n{'| --- ' * 7}|")
    several = (options.opinions,) if options.opinions else (1, 2, 3)
    for opinions in several if wanted else (1,):
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
