"""A crowd that judges with no time to think: one request for each judgment, every one of them durable."""

import asyncio
import time
from collections.abc import Iterator

from benchmarks import crowd
from benchmarks.bench_requests import Result
from tests.site import Site

CROWDS = (1, 8, 50)
TOPICS, ITEMS = 20, 500


def judgments(site: Site, *, seconds: float) -> Iterator[Result]:
    """Judgments per second of one, eight and fifty; and that nobody was given what another has."""
    judges = crowd.settle(site, max(CROWDS), TOPICS, ITEMS).judges
    loop = asyncio.new_event_loop()
    try:
        for judge in judges:
            loop.run_until_complete(judge.take())
        for size in CROWDS:
            for judge in judges:
                judge.times.clear()
            begin = time.perf_counter()
            loop.run_until_complete(crowd.judge_until(judges[:size], begin + seconds))
            taken = time.perf_counter() - begin
            times = [spent for judge in judges for _, spent in judge.times]
            refused = sum(len(judge.errors) for judge in judges)
            yield Result("POST a judgment (durable)", size, times, taken, refused)
        for judge in judges:
            judge.connection.close()
        loop.run_until_complete(asyncio.sleep(0))
    finally:
        loop.close()
    seats = [seat for judge in judges for seat in judge.judged]
    if len(seats) != len(set(seats)):
        raise RuntimeError(f"{len(seats) - len(set(seats))} judgments were of documents that another had judged")
