"""assize backup, restore."""

import json
from pathlib import Path

import pytest
from pytest_django import Settings

from config import backups
from tests.commands.conftest import Assize
from tests.config.test_prepare import site_on
from tests.conftest import Cast

pytestmark = pytest.mark.usefixtures("committed")


@pytest.fixture(autouse=True)
def _own_data(settings: Settings, tmp_path: Path) -> None:
    settings.DATA = tmp_path / "data"
    settings.DATA.mkdir()


def test_backup_prints_what_it_made(cast: Cast, assize: Assize, tmp_path: Path) -> None:
    done = assize("backup", tmp_path / "one.zip")
    made = backups.last()
    assert made and (done.status, done.out.splitlines()[1:]) == (
        0,
        [f"file     {tmp_path / 'one.zip'}", f"size     {made.size}", f"sha256   {made.sha256}"],
    )
    assert "Backup: " in done.err
    told = assize("backup", tmp_path / "two.zip", "--json").json
    assert (set(told), told["file"]) == ({"made_at", "file", "size", "sha256"}, str(tmp_path / "two.zip"))


def test_refusals_are_one_line(cast: Cast, assize: Assize, settings: Settings, tmp_path: Path) -> None:
    file = tmp_path / "one.zip"
    assert assize("backup", file).status == 0
    again = assize("backup", file)
    assert (again.status, again.err.splitlines()[-1]) == (1, f"Error: {file} is there already; name a file that is not.")
    long = assize("backup", tmp_path / ("x" * 300))
    assert (long.status, long.err.splitlines()[-1].endswith("x: File name too long.")) == (1, True)
    here = assize("restore", file)
    assert here.status == 1 and here.err.startswith("Error: A backup is restored only onto an empty site")
    with site_on(settings.DATA):
        words = f"Error: Assize is already running on {settings.DATA}: process 7, http://127.0.0.1:8123/."
        assert assize("restore", file).told == (1, words)
    assert assize("backup").status == 2 and json.loads((settings.DATA / "last-backup.json").read_text())["file"] == str(file)
