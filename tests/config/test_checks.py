"""Our own start-up checks: each is silent when all is well, and fires with its id and a hint."""

from pathlib import Path

import pytest
from django.core.checks import CheckMessage, run_checks
from django.db import connection
from pytest_django import Settings
from redis import Redis

from config import checks
from tests import queue_server as servers


def told(found: list[CheckMessage]) -> list[tuple[str | None, str, str | None]]:
    return [(message.id, message.msg, message.hint) for message in found]


def test_checks_are_registered_for_every_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSIZE_PROT", "1")
    expected = [("assize.W001", "ASSIZE_PROT is set, but nothing reads it.", "Did you mean ASSIZE_PORT?")]
    assert told(run_checks(tags=["assize"])) == expected


def test_unknown_variable_without_a_likeness_points_to_the_list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSIZE_XYZZY_PLUGH_QUUX", "1")
    expected = "ASSIZE_XYZZY_PLUGH_QUUX is set, but nothing reads it."
    assert told(checks.known_variables()) == [("assize.W001", expected, "docs/settings.md lists all variables.")]


def test_pickle_serializer_is_an_error(settings: Settings) -> None:
    assert told(checks.safe_serializer()) == []
    settings.RQ_QUEUES = {"default": {"URL": "unix:///x"}}
    expected = ("assize.E001", "Queue default uses the serializer pickle.", "Use rq.serializers.JSONSerializer.")
    assert told(checks.safe_serializer()) == [expected]


@pytest.mark.parametrize("address", ["http://127.0.0.1:8000", "http://localhost", "http://[::1]:80", "http://[::1]"])
def test_plain_http_on_this_machine_is_fine(settings: Settings, address: str) -> None:
    settings.BASE_URL = address
    assert told(checks.plain_http()) == []


def test_plain_http_elsewhere_is_a_warning(settings: Settings) -> None:
    settings.BASE_URL = "http://assize.example.org"
    hint = "Put a proxy with a certificate in front and set ASSIZE_BASE_URL to its https:// address."
    expected = ("assize.W002", "People reach the site over plain http at assize.example.org.", hint)
    assert told(checks.plain_http()) == [expected]


@pytest.mark.django_db
def test_durable_database_passes() -> None:
    assert told(checks.durable_database()) == []


@pytest.mark.django_db(transaction=True)
def test_database_that_could_lose_a_commit_is_an_error() -> None:
    sqlite = connection.vendor == "sqlite"
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA synchronous=NORMAL" if sqlite else "SET synchronous_commit = off")
    try:
        found = told(checks.durable_database())
    finally:
        connection.close()
    words = "synchronous=1, not 2" if sqlite else "synchronous_commit=off, not on"
    assert found == [("assize.E003", f"The database runs with {words}.", "Judgments could be lost.")]


@pytest.mark.django_db(transaction=True)
def test_database_that_does_not_answer_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    connection.close()
    name = str(tmp_path / "gone" / "assize.sqlite3") if connection.vendor == "sqlite" else "no_such_database"
    monkeypatch.setitem(connection.settings_dict, "NAME", name)
    [(number, words, hint)] = told(checks.durable_database())
    assert (number, hint) == ("assize.E002", "Check ASSIZE_DATABASE_URL.")
    assert words.startswith("The database does not answer: ")


def test_embedded_queue_that_is_down_is_no_error(no_queue: None, settings: Settings) -> None:
    """`assize up` starts it after the checks."""
    settings.REDIS_EMBEDDED = True
    assert told(checks.keeping_queue()) == []


def test_queue_by_address_that_is_down_is_an_error(no_queue: None, settings: Settings) -> None:
    settings.REDIS_EMBEDDED = False
    [(number, words, hint)] = told(checks.keeping_queue())
    assert (number, hint) == ("assize.E004", "Check ASSIZE_REDIS_URL.")
    assert words.startswith("The job queue is not usable: ")


def test_queue_that_may_throw_jobs_away_is_an_error(queue_server: "Redis", settings: Settings) -> None:
    settings.REDIS_EMBEDDED = False
    assert told(checks.keeping_queue()) == []
    queue_server.config_set("maxmemory-policy", "allkeys-lru")
    try:
        servers.point_at(settings, settings.REDIS_URL)
        [(number, words, _)] = told(checks.keeping_queue())
    finally:
        queue_server.config_set("maxmemory-policy", "noeviction")
    why = "it may throw jobs away (maxmemory-policy allkeys-lru); set noeviction"
    assert (number, words) == ("assize.E004", f"The job queue is not usable: {why}.")
