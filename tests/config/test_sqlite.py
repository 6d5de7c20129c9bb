"""SQLite between processes: who wants to write waits for the others, and not for ever."""

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest
from django.db import OperationalError
from django.db.utils import ConnectionHandler
from pytest_django import DjangoDbBlocker


def test_a_writer_waits_for_another_process_and_not_for_ever(tmp_path: Path, django_db_blocker: DjangoDbBlocker) -> None:
    """Another process is another connection to the file. Told in the end that it is locked, and no more impatient then."""
    path, options = tmp_path / "site.sqlite3", {"transaction_mode": "IMMEDIATE", "timeout": 0.3}
    mine = ConnectionHandler({"default": {"ENGINE": "config.sqlite", "NAME": path, "OPTIONS": options}})["default"]
    other = sqlite3.connect(path, check_same_thread=False)
    with django_db_blocker.unblock(), closing(other), closing(mine):
        mine.ensure_connection()
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(OperationalError, match="locked"):
            mine.set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)
        assert mine.connection.execute("PRAGMA busy_timeout").fetchone() == (300,)
        ends = threading.Timer(0.05, other.rollback)
        ends.start()
        mine.set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)
        ends.join()
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            other.execute("PRAGMA busy_timeout = 0").connection.execute("BEGIN IMMEDIATE")
        mine.rollback()
        other.execute("BEGIN IMMEDIATE")  # nobody holds it any more
