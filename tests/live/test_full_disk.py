"""The disk of a real site is full while somebody judges: `python -m benchmarks.full_disk` in a short form, on SQLite."""

import resource
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from benchmarks.chaos import world
from benchmarks.full_disk import REFUSED, fill, judge_through, make_room
from benchmarks.load import in_a_loop
from tests.site import Site

pytestmark = [pytest.mark.once, pytest.mark.timeout(240)]
APART = ["unshare", "--user", "--map-root-user", "--mount"]
MOUNT = ["mount", "-t", "tmpfs", "-o", "size=32m", "tmpfs"]
GO_THERE = f"""
    aside=$(mktemp -d)
    cp -a "$ASSIZE_DATA/." "$aside"
    {" ".join(MOUNT)} "$ASSIZE_DATA"
    cp -a "$aside/." "$ASSIZE_DATA"
    rm -r "$aside"
    exec "$@"
"""


class SmallDisk(Site):
    """Its data folder is a disk of its own, mounted in sight of its processes alone, which needs no rights on most systems."""

    def command(self) -> list[str]:
        return [*APART, "sh", "-ec", GO_THERE, "sh", *super().command()]

    @property
    def inside(self) -> Path:
        assert self.process
        return Path(f"/proc/{self.process.pid}/root{self.data}")

    def fill(self) -> None:
        fill(self.inside)

    def make_room(self) -> None:
        make_room(self.inside)


class NoWrites(Site):
    """Where nothing may be mounted: the system itself lets its web server write no byte to any file."""

    @property
    def inside(self) -> Path:
        return self.data

    def fill(self) -> None:
        self._most(0)

    def make_room(self) -> None:
        self._most(resource.RLIM_INFINITY)

    def _most(self, size: int) -> None:
        for pid in self.pids("web"):
            _, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, hard))


def _may_mount(at: Path) -> bool:
    return subprocess.run([*APART, *MOUNT, str(at)], check=False, capture_output=True).returncode == 0


@pytest.fixture
def small(site: Site, tmp_path: Path) -> Iterator[SmallDisk | NoWrites]:
    """Made after another, whose fresh state it begins with."""
    made = (SmallDisk if _may_mount(tmp_path) else NoWrites)(ASSIZE_WEB_PROCESSES="1", ASSIZE_LOG_LEVEL="WARNING")
    yield made
    made.remove()


def test_on_a_full_disk_nothing_is_called_saved_and_judging_goes_on_when_there_is_room(
    small: SmallDisk | NoWrites, tmp_path: Path
) -> None:
    secrets = world(small, 1, 1, 30)
    small.start(ready=False)  # such a disk has never as much room as it should
    found = in_a_loop(judge_through(small, secrets, small.fill, small.make_room))
    assert (found.refused, found.faults) == (REFUSED, [])
    for part in ("assize.sqlite3", "assize.sqlite3-wal"):
        (tmp_path / part).write_bytes((small.inside / part).read_bytes())
    with closing(sqlite3.connect(tmp_path / "assize.sqlite3")) as copy:
        assert copy.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert copy.execute("SELECT count(*) FROM assess_judgmentevent").fetchone() == (len(found.saved) + 1,)
