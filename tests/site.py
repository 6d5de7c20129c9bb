"""A whole site, started as people start it: `assize up` with a data folder of its own."""

import atexit
import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import psycopg
from django.conf import settings
from django.db import connections
from psycopg import sql

ROOT = Path(__file__).resolve().parent.parent


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def send(number: int, pids: list[int]) -> None:
    """To each of them that is still there."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)


@contextmanager
def standing_still(pids: list[int]) -> Iterator[None]:
    send(signal.SIGSTOP, pids)
    try:
        yield
    finally:
        send(signal.SIGCONT, pids)


def _new_database(name: str, template: str = "template1") -> str:
    """Another database on the PostgreSQL server of these tests, and its address."""
    url = os.environ["ASSIZE_DATABASE_URL"]
    statement = sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(sql.Identifier(name), sql.Identifier(template))
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(statement)
    return re.sub(r"^(postgres(?:ql)?://[^/]*/)[^?]*", rf"\g<1>{name}", url)


# The first site starts from nothing, as on a new machine; the others from a copy of its fresh state, which is quicker.
_fresh = Path(tempfile.gettempdir()) / f"assize-fresh-{os.getpid()}"
_kept = ("assize.sqlite3", "prepared.json")


def _keep_fresh(site: "Site") -> None:
    _fresh.mkdir()
    atexit.register(shutil.rmtree, _fresh, ignore_errors=True)
    if "ASSIZE_DATABASE_URL" in os.environ:
        env = {**site.env, "ASSIZE_DATABASE_URL": _new_database("site_fresh")}
        subprocess.run([sys.executable, "manage.py", "migrate", "-v0", "--skip-checks"], cwd=ROOT, env=env, check=True)
    else:
        with closing(sqlite3.connect(site.data / _kept[0])) as source, closing(sqlite3.connect(_fresh / _kept[0])) as copy:
            source.backup(copy)
    shutil.copy(site.data / _kept[1], _fresh)
    shutil.copytree(site.data / "static", _fresh / "static")


class Site:
    """`ASSIZE_DATA` in `env` names a folder to be used, made before or not, and its database where there is one."""

    def __init__(self, **env: str) -> None:
        self.data = Path(env.get("ASSIZE_DATA") or tempfile.mkdtemp(prefix="assize-site-"))
        self.is_named = "ASSIZE_DATA" in env
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.env = {**os.environ, "ASSIZE_DATA": str(self.data), "ASSIZE_PORT": str(self.port), **env}
        for name in ("ASSIZE_TEST_DATABASE_URL", "DJANGO_ALLOW_ASYNC_UNSAFE"):  # of the tests, not of the site
            self.env.pop(name, None)
        known = _fresh.is_dir() and not self.is_named
        if known:
            shutil.copytree(_fresh, self.data, dirs_exist_ok=True)
        if "ASSIZE_DATABASE_URL" in os.environ and "ASSIZE_DATABASE_URL" not in env:
            self.env["ASSIZE_DATABASE_URL"] = _new_database(f"site_{self.port}", "site_fresh" if known else "template1")
        self.process: subprocess.Popen[str] | None = None
        self.said_after = 0.0  # seconds from the last start until the terminal said that it is ready

    def start(self, *, ready: bool = True) -> "Site":
        """Start, and wait until every part is ready, or (where a part is away on purpose) until pages are answered."""
        begin = time.monotonic()
        with (self.data / "terminal.txt").open("w") as output:
            self.process = subprocess.Popen(
                self.command(),
                cwd=ROOT,
                env=self.env,
                stdout=output,
                stderr=subprocess.STDOUT,
                text=True,
                start_new_session=True,  # as on a terminal of its own: its jobs give way to its own web server, not to the tests
            )
        self.wait_for(lambda: "ready at" in self.terminal(), 240)
        self.said_after = time.monotonic() - begin
        if ready:
            self.wait_for(lambda: self.get("/readyz")[0] == 200, 240)
        if not self.is_named and not _fresh.is_dir():
            _keep_fresh(self)
        return self

    def command(self) -> list[str]:
        return [str(Path(sys.executable).parent / "assize"), "up"]

    def terminal(self) -> str:
        return (self.data / "terminal.txt").read_text()

    def log(self) -> str:
        return (self.data / "logs" / "assize.log").read_text()

    def first_link(self) -> str:
        self.wait_for(lambda: "/welcome/" in self.terminal(), 60)
        found = re.search(r"http\S+/welcome/\S+", self.terminal())
        assert found, self.terminal()
        return found[0]

    def wait_for(self, done: "object", seconds: float) -> None:
        assert callable(done)
        until = time.monotonic() + seconds
        while not done():
            assert self.process and self.process.poll() is None, f"the site ended: {self.terminal()}"
            assert time.monotonic() < until, f"not within {seconds} s: {self.terminal()}\n{self.log()[-3000:]}"
            time.sleep(0.1)

    def get(self, path: str) -> tuple[int, str]:
        try:
            with urllib.request.urlopen(self.url + path, timeout=20) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
        except OSError as error:
            return 0, str(error)

    def ready(self) -> dict[str, bool]:
        parts = json.loads(self.get("/readyz")[1])["parts"]
        return {name: part["ok"] for name, part in parts.items()}

    def pids(self, part: str) -> list[int]:
        """The processes of a part of this site: descendants of the supervisor, by their command line."""
        words = {"web": "granian", "worker": "manage.py work", "sweeper": "manage.py sweep", "queue": "valkey-server"}
        parents, lines = {}, {}
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                parents[int(folder.name)] = int((folder / "stat").read_text(errors="replace").rsplit(")", 1)[1].split()[1])
                lines[int(folder.name)] = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except OSError:  # it ended meanwhile
                continue
        mine, fresh = set(), {self.process.pid if self.process else 0}
        while fresh:
            mine |= fresh
            fresh = {pid for pid, parent in parents.items() if parent in fresh} - mine
        return [pid for pid in mine if words[part] in lines.get(pid, "")]

    def kill(self, part: str) -> None:
        send(signal.SIGKILL, self.pids(part))

    @contextmanager
    def hanging(self) -> Iterator[None]:
        """Queue server and workers stand still, but not in the middle of a write: SQLite's lock would stand still with them."""
        while True:
            with standing_still([*self.pids("queue"), *self.pids("worker")]):
                if self._takes_writes():
                    yield
                    return
            time.sleep(0.1)

    def _takes_writes(self) -> bool:
        if "ASSIZE_DATABASE_URL" in self.env:
            return True
        with closing(sqlite3.connect(self.data / "assize.sqlite3", timeout=2, isolation_level=None)) as database:
            try:
                database.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError:
                return False
        return True

    def stop(self, number: int = signal.SIGTERM) -> float:
        """Stop the site; how many seconds it took."""
        assert self.process
        start = time.monotonic()
        self.process.send_signal(number)
        self.process.wait(60)
        return time.monotonic() - start

    def remove(self) -> None:
        """Stop, if it runs, and take its folder away."""
        if self.process and self.process.poll() is None:
            self.stop()
        shutil.rmtree(self.data, ignore_errors=True)

    @contextmanager
    def database(self) -> Iterator[None]:
        """Point this process at the site's database, to look into it or to make things through the services."""
        connection, key = connections["default"], settings.SECRET_KEY
        before = connection.settings_dict["NAME"]
        connection.close()
        postgres = connection.vendor == "postgresql"
        connection.settings_dict["NAME"] = f"site_{self.port}" if postgres else str(self.data / "assize.sqlite3")
        settings.SECRET_KEY = (self.data / "secret.key").read_text().strip()
        try:
            yield
        finally:
            settings.SECRET_KEY = key
            connection.close()
            connection.settings_dict["NAME"] = before
