"""`make bench`: starts a real site with a data folder of its own, and measures it from outside."""

import argparse
import os
import platform
import shutil
import sys
import time
from typing import TYPE_CHECKING

from benchmarks import bench_judging, bench_requests
from benchmarks.databases import forget_settings, postgres
from tests.site import Site

if TYPE_CHECKING:
    pass


SECOND_START, STOPPED = 5.0, 10.0  # seconds


def bench(name: str, seconds: float) -> bool:
    """Whether the second start and the stop were as quick as promised."""
    print(f"\n{name}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, Python {platform.python_version()}")
    site = Site(ASSIZE_LOG_LEVEL="WARNING")
    try:
        starts = []
        for _ in range(2):
            begin = time.perf_counter()
            site.start()
            starts.append((site.said_after, time.perf_counter() - begin))
            if len(starts) == 1:
                link = site.first_link()
                stopped = site.stop()
        told = [f"{said:.1f} s, every part after {whole:.1f} s" for said, whole in starts]
        quick = starts[1][0] < SECOND_START and stopped < STOPPED
        print(f"ready after: first start {told[0]}; second {told[1]}; stopped after {stopped:.1f} s")
        if not quick:
            print(f"NOT a second start within {SECOND_START:g} s and a stop within {STOPPED:g} s")
        assert link != site.first_link()  # noqa: S101  (a second start makes a new link, and ends the old one)
        results = []
        for result in bench_requests.requests(site, seconds=seconds):
            results.append(result)
        results += bench_judging.judgments(site, seconds=seconds)
        print(bench_requests.table(results))
        print(bench_requests.ratios(results))
        return quick
    finally:
        if site.process and site.process.poll() is None:
            site.stop()
        shutil.rmtree(site.data, ignore_errors=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--pg", action="store_true", help="on PostgreSQL too")
    parser.add_argument("--seconds", type=float, default=4, help="most for each line of the table; 4 unless given")
    options = parser.parse_args()
    forget_settings()
    quick = [bench("SQLite", options.seconds)]
    if options.pg:
        with postgres():
            quick.append(bench("PostgreSQL", options.seconds))
    sys.exit(0 if all(quick) else 1)


if __name__ == "__main__":
    main()
