"""Does the disk have a judgment before its answer comes? `python -m benchmarks.fsyncs` looks at the web processes by strace.

One assessor judges over the API, one document after the other, while every fsync and fdatasync of the web processes is
noted with its time: between a request and its answer there must be one at least. On PostgreSQL (--pg) its server writes,
so the settings that decide are read back instead. Ends with status 1 if a judgment went without.
"""

import argparse
import json
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks import crowd
from benchmarks.checks import assize
from benchmarks.databases import postgres
from benchmarks.load import in_a_loop
from tests.packages import program
from tests.site import Site


@contextmanager
def traced(pids: list[int], tracer: str) -> Iterator[list[float]]:
    """The times at which any of these processes had something synced, known when the block is over."""
    times: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "calls"
        command = [tracer, "-f", "-ttt", "-e", "trace=fsync,fdatasync", "-o", str(file)]
        watcher = subprocess.Popen([*command, *(f"--attach={pid}" for pid in pids)], stderr=subprocess.PIPE, text=True)
        try:
            for _ in pids:  # it says of each that it is attached
                told = watcher.stderr.readline() if watcher.stderr else ""
                if "attached" not in told:
                    sys.exit(f"strace cannot look at the web processes: {told.strip()}")
            yield times
        finally:
            watcher.send_signal(signal.SIGINT)
            watcher.communicate(timeout=30)
        # A call that another thread's line interrupts has a second line, “resumed”.
        times += [float(line.split()[1]) for line in file.read_text().splitlines() if "sync(" in line]


async def _judge(judge: crowd.Judge, count: int) -> list[tuple[float, float]]:
    spans = []
    for _ in range(count):
        begin = time.time()
        await judge.act()
        spans.append((begin, time.time()))
    judge.connection.close()
    return spans


def on_sqlite(count: int) -> bool:
    tracer = program("strace")
    site = Site(ASSIZE_LOG_LEVEL="WARNING")
    try:
        site.start()
        judges = crowd.settle(site, 1, 2, count).judges
        with traced(site.pids("web"), tracer) as times:
            spans = in_a_loop(_judge(judges[0], count))
    finally:
        site.remove()
    acknowledged = len(judges[0].judged)
    durable = sum(any(begin <= at <= end for at in times) for begin, end in spans)
    print(
        f"SQLite: {acknowledged} judgments acknowledged, {len(times)} syncs, {durable} of {count} answers after one of their own"
    )
    return acknowledged == durable == count


def on_postgres() -> bool:
    with postgres():
        site = Site(ASSIZE_LOG_LEVEL="WARNING")
        try:
            site.start()
            detail = json.loads(assize(site, "status", "--json").stdout)["parts"][0]["detail"]
        finally:
            site.remove()
    print(detail)
    return bool(detail.endswith("synchronous_commit=on, fsync=on, full_page_writes=on"))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fsyncs", description=__doc__)
    parser.add_argument("--pg", action="store_true", help="on PostgreSQL instead")
    parser.add_argument("--judgments", type=int, default=100, help="how many; 100 unless given")
    options = parser.parse_args()
    sys.exit(0 if (on_postgres() if options.pg else on_sqlite(options.judgments)) else 1)


if __name__ == "__main__":
    main()
