"""Long work, done by a job or at once by a command: both tell progress, write aside, and switch the new state in."""

import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Protocol

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Model, QuerySet

ROWS = 2000  # of a chunk; with the pause between chunks, whoever judges meanwhile waits some 20 ms at most
PAUSE = 0.02


class Work(Protocol):
    """What `config.jobs.Running` gives a job, as far as a service needs it."""

    def progress(self, done: int, total: int | None = None, message: str | None = None) -> None: ...

    def folder(self) -> Path: ...

    def finish(self, message: str = "", output: str = "", *, refused: bool = False) -> AbstractContextManager[None]: ...


class Direct:
    """The same without a job, for commands: `tell` draws the bar."""

    def __init__(self, tell: Callable[[int, int, str], None]) -> None:
        self._tell = tell
        self._folder: Path | None = None
        self._total, self._message = 0, ""

    def __enter__(self) -> "Direct":
        return self

    def __exit__(self, *error: object) -> None:
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)

    def progress(self, done: int, total: int | None = None, message: str | None = None) -> None:
        self._total = self._total if total is None else total
        self._message = self._message if message is None else message
        self._tell(done, self._total, self._message)

    def folder(self) -> Path:
        """Not among the folders of jobs: of those the sweeper removes what belongs to no running one."""
        if self._folder is None:
            parent: Path = settings.DATA / "files"
            parent.mkdir(parents=True, exist_ok=True)
            self._folder = Path(tempfile.mkdtemp(prefix=".command-", dir=parent))
        return self._folder

    @contextmanager
    def finish(self, message: str = "", output: str = "", *, refused: bool = False) -> Iterator[None]:
        with transaction.atomic():
            yield
        self._tell(self._total, self._total, message)


def pause() -> None:
    """Let others write: without it the next chunk takes the lock straight back."""
    time.sleep(PAUSE)


def tell_planner(*models: type[Model]) -> None:
    """After many new rows: PostgreSQL would else plan by what it knew of the tables before, for a minute, and badly."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            for model in models:
                cursor.execute(f'ANALYZE "{model._meta.db_table}"')


def remove_in_chunks(rows: "QuerySet[Any]") -> int:
    """Delete any number of rows without keeping anybody waiting."""
    count = 0
    while found := list(rows.order_by().values_list("pk", flat=True)[:ROWS]):
        rows.model._default_manager.filter(pk__in=found).delete()
        count += len(found)
        pause()
    return count
