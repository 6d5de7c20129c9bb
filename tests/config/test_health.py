"""/healthz, /readyz and the banner: each part by name, what is wrong with it for administrators only."""

import os
import signal
import time
from pathlib import Path

import pytest
from django.db import OperationalError, connection
from django.test import Client
from pytest_django import Settings
from redis import Redis

from config import health
from config.worker import Worker
from tests import queue_server as servers
from tests.conftest import Cast, ClientFor

NO_QUEUE = "The job queue is not reachable: judging and reading go on, jobs wait and start by themselves."
NO_WORKER = "No worker is running: judging and reading go on, jobs wait and start by themselves."


def ready(client: Client) -> tuple[int, str, dict[str, bool]]:
    answer = client.get("/readyz")
    told = answer.json()
    return answer.status_code, told["status"], {name: part["ok"] for name, part in told["parts"].items()}


def test_healthz_asks_nothing_and_is_not_kept(client: Client) -> None:
    answer = client.get("/healthz")
    assert (answer.status_code, answer.json()) == (200, {"status": "alive"})
    assert "no-store" in answer["Cache-Control"]


def test_readyz_names_a_queue_that_is_down(db: None, client: Client, no_queue: None) -> None:
    parts = {"database": True, "queue": False, "workers": False, "disk": True}
    assert ready(client) == (503, "not ready", parts)


def test_readyz_names_missing_workers(db: None, client: Client, queue_server: "Redis") -> None:
    parts = {"database": True, "queue": True, "workers": False, "disk": True}
    assert ready(client) == (503, "not ready", parts)


@pytest.mark.django_db(transaction=True)
def test_readyz_is_ready_with_a_worker_and_misses_it_when_it_is_gone(client: Client, queue_server: "Redis") -> None:
    worker = servers.start("work")
    try:
        until = time.monotonic() + 90
        while ready(client)[0] != 200 and time.monotonic() < until:
            time.sleep(0.2)
        assert ready(client) == (200, "ready", {"database": True, "queue": True, "workers": True, "disk": True})
    finally:
        worker.terminate()
        worker.communicate(timeout=60)
    assert ready(client)[2]["workers"] is False


class StoppedAtOnce(Worker):
    """Told to stop when it has just told of itself, and does not wait for jobs yet."""

    def subscribe(self) -> None:
        os.kill(os.getpid(), signal.SIGTERM)


@pytest.mark.once
def test_worker_that_is_stopped_at_once_is_not_called_alive(queue_server: "Redis") -> None:
    before = {name: signal.getsignal(name) for name in (signal.SIGINT, signal.SIGTERM)}
    try:
        assert not StoppedAtOnce(["default"], connection=queue_server).work()
    finally:
        for name, handler in before.items():
            signal.signal(name, handler)
    assert not health.workers().ok


def test_readyz_names_a_disk_that_is_gone_or_full(
    db: None, client: Client, queue_server: "Redis", settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(health, "DISK_LEAST", 10**18)
    assert ready(client)[2]["disk"] is False
    monkeypatch.undo()
    settings.DATA = tmp_path / "gone"
    assert ready(client)[2]["disk"] is False


def test_readyz_names_a_database_that_is_down(cast: Cast, client_for: ClientFor, queue_server: "Redis") -> None:
    def unreachable(*args: object) -> object:
        raise OperationalError("no route to the database")

    client = client_for(cast.staff)
    with connection.execute_wrapper(unreachable):
        status, words, parts = ready(client)
    assert (status, words, parts["database"]) == (503, "not ready", False)


def test_readyz_tells_details_to_administrators_only(cast: Cast, client_for: ClientFor, no_queue: None) -> None:
    shown = {}
    for user in (None, cast.organizer, cast.staff):
        parts = client_for(user).get("/readyz").json()["parts"]
        shown[user] = [sorted(part) for part in parts.values()]
    assert shown == {None: [["ok"]] * 4, cast.organizer: [["ok"]] * 4, cast.staff: [["detail", "ok"]] * 4}


def test_queue_that_evicts_is_not_ok(queue_server: "Redis") -> None:
    queue_server.config_set("maxmemory-policy", "volatile-ttl")
    try:
        part = health.queue()
    finally:
        queue_server.config_set("maxmemory-policy", "noeviction")
    why = "it may throw jobs away (maxmemory-policy volatile-ttl); set noeviction"
    assert part == health.Part("queue", False, why)


@pytest.mark.parametrize(("fixture", "sentence"), [("no_queue", NO_QUEUE), ("queue_server", NO_WORKER)])
def test_banner_says_that_jobs_wait_to_people_signed_in(
    cast: Cast, client_for: ClientFor, request: pytest.FixtureRequest, fixture: str, sentence: str
) -> None:
    request.getfixturevalue(fixture)
    assert sentence in client_for(cast.assessor).get("/").content.decode()
    assert "jobs wait" not in client_for(None).get("/").content.decode()


def test_banner_waits_for_the_first_worker_of_a_site_that_just_started(
    cast: Cast, client_for: ClientFor, queue_server: "Redis", monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "_began", time.monotonic())
    assert NO_WORKER not in client_for(cast.assessor).get("/").content.decode()


def test_status_page_names_each_part_for_administrators(cast: Cast, client_for: ClientFor, no_queue: None) -> None:
    answer = client_for(cast.staff).get("/status/")
    found = {part.name: part.ok for part in answer.context["parts"]}
    assert (answer.status_code, found) == (200, {"database": True, "queue": False, "workers": False, "disk": True})
    assert client_for(cast.organizer).get("/status/").status_code == 404
