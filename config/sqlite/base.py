"""Django's SQLite, with a queue: the threads of a process that want to write wait for each other, not for SQLite.

SQLite lets whoever is refused sleep ever longer, up to a tenth of a second, and then try again: under load some wait
for long while others pass. Here one thread of a process asks at a time, and the next is woken at the commit; and what
another process writes is asked for again every other millisecond.

And with an eye on its file: what is written to one that was taken away or replaced would be lost with the last connection.
"""

import os
import threading
import time
from pathlib import Path
from typing import Any

from django.db import OperationalError
from django.db.backends.sqlite3 import base

GONE = "the file of the database was taken away or replaced: put it back, or stop the site, put the right one there, and start"

PATIENCE = 3  # milliseconds: SQLite sleeps for one, then for two, without the interpreter's lock, and is asked anew


def _new_turn() -> None:
    global _turn
    _turn = threading.Lock()


_turn = threading.Lock()
os.register_at_fork(after_in_child=_new_turn)  # a job's process must not inherit that another thread writes


class DatabaseWrapper(base.DatabaseWrapper):
    _held: "threading.Lock | None" = None

    _opened: tuple[int, int] | None = None

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        name = self.settings_dict["NAME"]
        if not self._file() and Path(f"{name}-wal").exists():
            raise OperationalError(GONE)  # a new file would take the log that others still write, and spoil both
        connection = super().get_new_connection(conn_params)
        self._opened = self._file()
        return connection

    def _file(self) -> tuple[int, int] | None:
        """What SQLite itself tells files apart by; None where there is none, as of a database in memory."""
        try:
            found = Path(self.settings_dict["NAME"]).stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def require_file(self) -> None:
        if self._opened and self._file() != self._opened:
            raise OperationalError(GONE)

    def _start_transaction_under_autocommit(self) -> None:
        self.require_file()
        turn, timeout = _turn, self.settings_dict["OPTIONS"].get("timeout", 5)
        until = time.monotonic() + timeout
        if not turn.acquire(timeout=timeout):
            raise OperationalError("database is locked")  # as SQLite itself says
        self._held = turn
        try:
            self._begin(until)
        except BaseException:
            self._next()
            raise

    def _begin(self, until: float) -> None:
        """Before then, or as SQLite says it: locked."""
        self.connection.execute(f"PRAGMA busy_timeout = {PATIENCE}")
        try:
            while True:
                try:
                    return super()._start_transaction_under_autocommit()  # type: ignore[misc, no-any-return]
                except OperationalError as error:
                    if "locked" not in str(error) or time.monotonic() > until:
                        raise
        finally:
            usual = round(1000 * self.settings_dict["OPTIONS"].get("timeout", 5))
            self.connection.execute(f"PRAGMA busy_timeout = {usual}")

    def _next(self) -> None:
        turn, self._held = self._held, None
        if turn is not None:
            turn.release()

    def _commit(self) -> None:
        super()._commit()  # type: ignore[misc]
        self._next()  # where a commit fails, a rollback follows

    def _rollback(self) -> None:
        try:
            super()._rollback()  # type: ignore[misc]
        finally:
            self._next()

    def _close(self) -> None:
        try:
            super()._close()  # type: ignore[misc]
        finally:
            self._next()
