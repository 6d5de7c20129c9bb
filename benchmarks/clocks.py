"""`python -m benchmarks.clocks [--pg]`: the clock of a real site is set back by an hour, and ahead again, while people judge.

All its processes go by that clock, on PostgreSQL those of the database too; the monotonic one goes on. A lease lasts 5 s. Each
time two people hold twenty documents and renew them, two take twenty and are never seen again, six judge on, one job runs and
another is asked for right afterwards. It ends with status 1 unless every act that was acknowledged is in the history once, each
person's in the order of their acts, what was abandoned is given out again within the lease and 5 s, both jobs are done at the
first try, and, where the clock was set back, nothing that somebody holds goes to another. Set ahead, leases end early, and what
comes late is kept.
"""

import asyncio
import json
import os
import sys
import tempfile
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks import chaos
from benchmarks.chaos_people import Journal, Stubborn, stubborn
from benchmarks.checks import API, assize
from benchmarks.crowd import QUEUE, Connection
from benchmarks.databases import on_either
from benchmarks.load import in_a_loop, machine
from tests.clock import Clock, own_clock
from tests.site import Site

HOUR, LEASE, AGAIN = 3600, 5, 10.0
PEOPLE, KEEPING, GONE, EACH = 10, 2, 2, 20
TOPICS, ITEMS, THINK = 4, 300, 0.2
SOON = 60.0  # seconds in which jobs are done, and every part is told to be well
TRIAL = {"steps": 6, "seconds": 3}  # longer than a worker takes to look after its job


@dataclass
class Round:
    """The clock is set once; moments are in seconds from then."""

    site: Site
    clock: Clock
    to: int
    judges: list[Stubborn]
    organizer: Connection
    admin: Connection
    abandoned: dict[str, float] = field(default_factory=dict)  # seat -> when it was asked for
    again: dict[str, float] = field(default_factory=dict)  # seat -> when somebody else had it
    kept: dict[int, set[str]] = field(default_factory=dict)  # person -> seats
    taken: set[str] = field(default_factory=set)  # of those, what went to another meanwhile
    set_at: float = 0.0
    acknowledged: int = 0
    jobs_done: float = 0.0
    tries: int = 0  # at most, of either job
    well: float = 0.0
    faults: list[str] = field(default_factory=list)

    @property
    def keeping(self) -> list[Stubborn]:
        return self.judges[:KEEPING]

    @property
    def gone(self) -> list[Stubborn]:
        return self.judges[KEEPING : KEEPING + GONE]

    @property
    def others(self) -> list[Stubborn]:
        return self.judges[KEEPING + GONE :]

    async def play(self) -> None:
        for judge in self.judges:
            await judge.act()
        jobs = [await self._ask_for_job()]
        while await self._state(jobs[0]) == "waiting":
            await asyncio.sleep(0.1)
        for judge in self.keeping:
            self.kept[judge.person] = await self._hold(judge)
            judge.waiting = sorted(self.kept[judge.person])
        for judge in self.gone:
            asked = time.monotonic()
            self.abandoned |= dict.fromkeys(await self._hold(judge), asked)
        self.set_at = time.monotonic()
        self.clock.set(self.to)
        over = asyncio.Event()
        await asyncio.gather(
            self._watch(jobs, over),
            *(self._keep(judge, over) for judge in self.keeping),
            *(self._judge_on(judge, over) for judge in self.others),
        )
        for judge in self.keeping:
            while judge.waiting and judge.waiting[0] in self.kept[judge.person] and not judge.errors:
                await judge.act()
        for connection in (self.organizer, self.admin, *(judge.connection for judge in self.judges)):
            connection.close()
        self._compare()

    async def _watch(self, jobs: list[int], over: asyncio.Event) -> None:
        """Until what was abandoned is given out again, and jobs and parts are well; or it takes too long."""
        await self._look_at_clock()
        jobs.append(await self._ask_for_job())
        while time.monotonic() - self.set_at < SOON:
            since = time.monotonic() - self.set_at
            states = [await self._state(job) for job in jobs]
            if not self.jobs_done and states == ["done", "done"]:
                self.jobs_done = since
            if not self.well and all((await asyncio.to_thread(self.site.ready)).values()):
                self.well = since
            if self.jobs_done and self.well and (len(self.again) == len(self.abandoned) or since > AGAIN):
                break
            await asyncio.sleep(0.2)
        if not self.jobs_done or not self.well:
            self.faults.append(f"after {SOON:.0f} s the jobs are {states}, and {self.site.ready()} is told")
        over.set()

    async def _look_at_clock(self) -> None:
        told = datetime.fromisoformat((await self._asked(self.organizer, "GET", f"{API}/progress"))["at"])
        ahead = (told - datetime.now(UTC)).total_seconds()
        if abs(ahead - self.to) > 60:
            self.faults.append(f"the site's clock is {ahead:.0f} s ahead, not {self.to}: nothing was tried")

    async def _ask_for_job(self) -> int:
        job: int = (await self._asked(self.admin, "POST", "/api/v1/jobs/trial", TRIAL))["id"]
        return job

    async def _state(self, job: int) -> str:
        found = await self._asked(self.admin, "GET", f"/api/v1/jobs/{job}")
        self.tries = max(self.tries, found["attempt"])
        return str(found["state"])

    async def _asked(self, connection: Connection, method: str, path: str, body: object = None) -> dict[str, Any]:
        status, text = await connection.ask(method, path, json.dumps(body).encode() if body else b"")
        if status >= 400:
            raise RuntimeError(f"{method} {path}: {status} {text[:200]!r}")
        found: dict[str, Any] = json.loads(text)
        return found

    async def _hold(self, judge: Stubborn) -> set[str]:
        """What they hold, renewed."""
        status, text = await judge.connection.ask("POST", f"{QUEUE}/hold", json.dumps({"count": EACH}).encode())
        if status != 200:
            self.faults.append(f"POST hold: {status} {text[:200]!r}")
            return set()
        return {card["seat"] for card in json.loads(text)}

    async def _keep(self, judge: Stubborn, over: asyncio.Event) -> None:
        while not over.is_set():
            there = await self._hold(judge)
            self.taken |= self.kept[judge.person] - there
            self._note(there)
            await asyncio.sleep(1)

    async def _judge_on(self, judge: Stubborn, over: asyncio.Event) -> None:
        held = set[str]().union(*self.kept.values())
        while not over.is_set() and not judge.errors:
            await judge.act()
            has = {*judge.waiting, *judge.judged}
            self._note(has)
            self.taken |= held & has
            await asyncio.sleep(THINK)

    def _note(self, seats: set[str]) -> None:
        now = time.monotonic()
        self.again |= dict.fromkeys(self.abandoned.keys() & seats - self.again.keys(), now)

    def _compare(self) -> None:
        self.faults += [error for judge in self.judges for error in judge.errors]
        if self.tries > 1:
            self.faults.append(f"a job was begun {self.tries} times")
        if self.to < 0:
            self.faults += [f"{seat} was lost by who holds it" for seat in sorted(self.taken)]
            early = [seat for seat, at in self.again.items() if at - self.abandoned[seat] < LEASE]
            self.faults += [f"{seat} was given out while it was held" for seat in early]
        if not len(self.abandoned) == len(self.again) == GONE * EACH or self.last > AGAIN:
            self.faults.append(f"{len(self.again)} of {len(self.abandoned)} given out again")

    @property
    def last(self) -> float:
        return max((at - self.set_at for at in self.again.values()), default=0.0)

    def told(self) -> str:
        abandoned = f"{len(self.again)} of {len(self.abandoned)} abandoned given out again after {self.last:.1f} s"
        held = sum(len(seats) for seats in self.kept.values())
        return (
            f"set {'back' if self.to < 0 else 'ahead'} by an hour: {abandoned} (at most {AGAIN:.0f}); {len(self.taken)} of {held}"
            f" that are held went to another; both jobs done after {self.jobs_done:.1f} s, every part well after {self.well:.1f}"
        )


def idle(site: Site, clock: Clock, to: int) -> float:
    """Seconds until every part of a site without work is told to be well."""
    begin = time.monotonic()
    clock.set(to)
    site.wait_for(lambda: all(site.ready().values()), SOON)
    return time.monotonic() - begin


def clocks(site: Site, clock: Clock, *, settings: tuple[int, ...] = (-HOUR, 0), items: int = ITEMS) -> list[Round]:
    """On a site that goes by this clock and is nobody else's, with leases of 5 s: a round for each setting."""
    secrets, rounds = chaos.world(site, PEOPLE, TOPICS, items), list[Round]()
    organizer, admin = (Connection(site.port, Authorization=f"Bearer {secrets[who]}") for who in ("organizer", "admin"))
    with tempfile.TemporaryDirectory(prefix="assize-journal-") as folder:
        journal = Journal(Path(folder) / "journal.txt")
        judges = stubborn(site, secrets["assessors"], journal)
        for to in settings:
            rounds.append(Round(site, clock, to, judges, organizer, admin))
            in_a_loop(rounds[-1].play())
            found = chaos.Found()
            chaos.compare(site, secrets["organizer"], journal, [], found)
            rounds[-1].acknowledged = found.acknowledged
            # Set ahead, leases end early, and who comes late is kept beside the next.
            rounds[-1].faults += [fault for fault in found.faults if to < 0 or not fault.startswith("given to two")]
        journal.close()
    examined = assize(site, "doctor")
    if examined.returncode:
        rounds[-1].faults.append(f"assize doctor: {examined.stdout[-500:]}{examined.stderr[-500:]}")
    return rounds


def bench(name: str, clock: Clock) -> bool:
    site = Site(ASSIZE_LOG_LEVEL="WARNING", ASSIZE_LEASE_SECONDS=str(LEASE))
    try:
        site.start()
        waits = [idle(site, clock, to) for to in (-HOUR, 0)]
        rounds = clocks(site, clock)
    finally:
        site.remove()
    faults = [fault for one in rounds for fault in one.faults]
    print(f"{name}, {machine()}, a lease of {LEASE} s; {rounds[-1].acknowledged:,} acts acknowledged in all:")
    print(f"set back and ahead while idle: every part well after {waits[0]:.1f} and {waits[1]:.1f} s")
    print("\n".join([*(one.told() for one in rounds), *faults[:10], "BROKEN" if faults else "kept"]))
    return not faults


def main() -> int:
    with own_clock() as clock:
        os.environ |= clock.env  # of what is started from now on, a database included
        return on_either("clocks", __doc__ or "", lambda name: bench(name, clock))


if __name__ == "__main__":
    sys.exit(main())
