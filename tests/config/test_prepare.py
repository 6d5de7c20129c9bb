"""What a start has to prepare, and what a command finds out about the site that runs beside it."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from pytest_django import Settings

from config import prepare
from config.prepare import running_address

HOLD = """
import fcntl, sys
file = open(sys.argv[1], "a+")
fcntl.flock(file, fcntl.LOCK_EX)
file.truncate(0)
file.write("process 7, http://127.0.0.1:8123/")
file.flush()
print("held", flush=True)
sys.stdin.read()
"""


@contextmanager
def site_on(data: Path) -> Iterator[None]:
    """Another process holds the lock as the supervisor does, until the block ends."""
    command = [sys.executable, "-c", HOLD, str(data / "up.lock")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout and holder.stdout.readline() == "held\n"
        yield
        holder.communicate(timeout=60)


def test_running_address_is_that_of_the_lock_while_it_is_held(settings: Settings, tmp_path: Path) -> None:
    settings.DATA = tmp_path
    assert running_address() == ""
    with site_on(tmp_path):
        assert [running_address(), running_address()] == ["http://127.0.0.1:8123"] * 2
    assert (tmp_path / "up.lock").read_text()
    assert running_address() == ""


@pytest.mark.django_db(transaction=True)
def test_second_start_has_nothing_to_prepare_until_the_database_changes(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On either database, asked without Django: what was made of an older backup is prepared again."""
    settings.DATA, settings.STATIC_ROOT = tmp_path, tmp_path / "static"
    monkeypatch.setitem(settings.DATABASES["default"], "NAME", connection.settings_dict["NAME"])
    assert not prepare.is_prepared()
    prepare.prepare()
    assert prepare.is_prepared()
    last = MigrationRecorder.Migration.objects.latest("pk")
    last.delete()
    try:
        assert not prepare.is_prepared()
    finally:
        last.save()
    assert prepare.is_prepared()
    monkeypatch.setitem(settings.DATABASES["default"], "NAME", "no_such_database")
    assert not prepare.is_prepared()
