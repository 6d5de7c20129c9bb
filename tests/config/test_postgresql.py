"""PostgreSQL as this site speaks to it: connections that were ended are noticed, and what belongs together goes together."""

from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction
from django.utils import timezone
from psycopg import Connection

from config.models import Throttle
from config.statements import at_once, often

pytestmark = [pytest.mark.larger, pytest.mark.django_db(transaction=True)]


def _ask(sql: str) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetchone()


def test_a_connection_that_is_there_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    _ask("SELECT 1")
    with monkeypatch.context() as patch:
        patch.setattr(Connection, "wait", None)  # it would fail if it waited for an answer
        assert connection.is_usable()


def test_a_connection_that_the_server_ended_is_made_anew() -> None:
    (number,) = _ask("SELECT pg_backend_pid()")
    other = connection.copy()
    with other.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s, 5000)", [number])
    other.close()
    assert not connection.is_usable()
    connection.close_if_unusable_or_obsolete()  # as when a request begins
    assert _ask("SELECT pg_backend_pid()") != (number,)


def test_what_is_asked_at_once_is_answered_together() -> None:
    Throttle.objects.create(key="one", window_ends=timezone.now())
    with transaction.atomic(), often() as changing, often() as reading, at_once():
        changing.execute("UPDATE config_throttle SET count = 7 WHERE key = %s", ["one"])
        reading.execute("SELECT count FROM config_throttle")
        assert changing.rowcount == -1  # nobody has waited for it yet
        assert (reading.fetchall(), changing.rowcount) == ([(7,)], 1)
    assert Throttle.objects.get().count == 7


def test_a_fault_in_what_is_asked_at_once_is_one_of_the_database() -> None:
    with pytest.raises(DatabaseError, match="division by zero"), transaction.atomic(), often() as cursor, at_once():
        cursor.execute("SELECT 1 / 0")
        cursor.execute("SELECT 1")
    assert _ask("SELECT 1") == (1,)
