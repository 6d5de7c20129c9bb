"""`python -m benchmarks.leases [--pg]`: people vanish with what they hold of a shared pool, on a real site.

Of twenty who share a pool of 600 documents, five take twenty each and are never seen again; a lease lasts 5 s. The others
judge on until nothing is left. It ends with status 1 unless all hundred were given out again, none while it was held and all
within the lease and 5 s, and the pool is judged to the last document within the lease and a minute, each document once.
"""

import asyncio
import json
import sys
import time
from dataclasses import dataclass, field

from benchmarks.checks import API, get
from benchmarks.crowd import QUEUE, Judge, settle
from benchmarks.databases import on_either
from benchmarks.load import in_a_loop, machine
from tests.site import Site

LEASE, PEOPLE, GONE, EACH = 5, 20, 5, 20
TOPICS, ITEMS = 4, 150
AGAIN, ALL = LEASE + 5.0, LEASE + 60.0


@dataclass
class Found:
    """Moments, in seconds from the last that was taken by who vanished."""

    abandoned: dict[str, float] = field(default_factory=dict)  # seat -> when it was asked for
    again: dict[str, float] = field(default_factory=dict)  # seat -> when somebody else had it
    done: float = 0.0
    faults: list[str] = field(default_factory=list)


async def _vanish(judges: list[Judge], found: Found) -> None:
    for judge in judges:
        asked = time.monotonic()
        status, text = await judge.connection.ask("POST", f"{QUEUE}/hold", json.dumps({"count": EACH}).encode())
        if status != 200:
            found.faults.append(f"POST hold: {status} {text[:200]!r}")
            continue
        found.abandoned |= {card["seat"]: asked for card in json.loads(text)}
        judge.connection.close()


async def _judge_on(judge: Judge, found: Found, until: float) -> None:
    """As long as anything is left anywhere: what somebody holds may come back."""
    while time.monotonic() < until and not judge.errors:
        busy = await judge.act()
        now = time.monotonic()
        for seat in (*judge.waiting, *judge.judged):
            if seat in found.abandoned:
                found.again.setdefault(seat, now)
        if not busy:
            if len(found.again) == len(found.abandoned):
                return
            await asyncio.sleep(0.2)


async def _play(judges: list[Judge], found: Found) -> None:
    await _vanish(judges[:GONE], found)
    begin = time.monotonic()
    await asyncio.gather(*(_judge_on(judge, found, begin + ALL) for judge in judges[GONE:]))
    found.done = time.monotonic() - begin
    found.faults += [
        f"{seat} was given out while it was held" for seat, at in found.again.items() if at - found.abandoned[seat] < LEASE
    ]
    found.again = {seat: at - begin for seat, at in found.again.items()}


def bench(name: str) -> bool:
    site, found = Site(ASSIZE_LOG_LEVEL="WARNING", ASSIZE_LEASE_SECONDS=str(LEASE)), Found()
    try:
        settled = settle(site.start(), PEOPLE, TOPICS, ITEMS)
        in_a_loop(_play(settled.judges, found))
        total = json.loads(get(site, settled.organizer, f"{API}/progress"))["total"]
        found.faults += [error for judge in settled.judges for error in judge.errors]
    finally:
        site.remove()
    judged = [seat for judge in settled.judges for seat in judge.judged]
    last = max(found.again.values(), default=0.0)
    if len(found.abandoned) != GONE * EACH or found.again.keys() != found.abandoned.keys() or last > AGAIN:
        found.faults.append(f"{len(found.again)} of {len(found.abandoned)} given out again")
    if not len(judged) == len({*judged}) == total["done"] == TOPICS * ITEMS or total["left"]:
        found.faults.append(f"{len(judged)} judged, {len({*judged})} of them once; the site counts {total}")
    print(f"{name}, {machine()}, a lease of {LEASE} s:")
    print(f"{len(found.again)} of {len(found.abandoned)} abandoned given out again after {last:.1f} s (at most {AGAIN:.0f})")
    print(f"{len(judged)} of {TOPICS * ITEMS} judged after {found.done:.1f} s (at most {ALL:.0f})")
    print("\n".join([*found.faults[:10], "BROKEN" if found.faults else "kept"]))
    return not found.faults


if __name__ == "__main__":
    sys.exit(on_either("leases", __doc__ or "", bench))
