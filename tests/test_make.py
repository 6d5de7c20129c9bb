"""`make` where something is missing or fails: small stand-ins on the PATH take the place of Python, apt and Playwright."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
OURS = "import os, runpy; os.geteuid = lambda: {user}; runpy.run_path({file!r}, run_name='__main__')"


def stand_in(path: Path, script: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def run(*command: str, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("ASSIZE_", "MAKE", "MFLAGS"))}
    return subprocess.run(command, cwd=cwd, env={**clean, **env}, capture_output=True, text=True, timeout=110, check=False)


# Set-up


@pytest.mark.parametrize(
    ("python", "told"),
    [
        (
            'case "$2" in *version_info*) exit 1;; esac; echo Python 3.9.2',
            "Assize needs Python 3.11 or newer; this is Python 3.9.2. Set PYTHON=python3.x.",
        ),
        (
            'case "$2" in *venv*) exit 1;; esac',
            "Python's venv module is missing. On Debian or Ubuntu: apt install python3-venv",
        ),
    ],
)
def test_a_python_that_will_not_do_is_told_with_the_remedy(tmp_path: Path, python: str, told: str) -> None:
    shutil.copy(ROOT / "Makefile", tmp_path)
    for name in ("pyproject.toml", "constraints.txt"):
        (tmp_path / name).touch()
    stand_in(tmp_path / "bin" / "python3", python)
    found = run("make", "install", cwd=tmp_path, PATH=f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    assert (found.returncode, found.stdout) == (2, f"{told}\n")
    assert not (tmp_path / ".venv").exists()


def test_where_uv_reaches_no_packages_pip_takes_over_in_one_line(tmp_path: Path) -> None:
    shutil.copy(ROOT / "Makefile", tmp_path)
    for name in ("pyproject.toml", "constraints.txt"):
        (tmp_path / name).touch()
    stand_in(tmp_path / ".venv/bin/python", f'echo "$@" >> {tmp_path / "calls"}')
    stand_in(tmp_path / ".venv/bin/uv", "echo 'error: Request failed after 3 retries' >&2; exit 2")
    found = run("make", "install", cwd=tmp_path)
    told = "Installing…\nuv does not reach the packages here: pip installs them, which takes a little longer.\n"
    assert (found.returncode, found.stdout, found.stderr) == (0, told, "")
    assert (tmp_path / "calls").read_text().endswith("--quiet --disable-pip-version-check -c constraints.txt -e .\n")


# The browser


def set_up_browser(folder: Path, *, root: bool, apt: str, playwright: str) -> tuple[int, str, list[str]]:
    """Status, what was told and what was called, on a machine with this apt-get and this Playwright, and no browser."""
    calls, module = folder / "calls", folder / "modules" / "playwright"
    if apt:
        stand_in(folder / "bin" / "apt-get", f'echo apt-get "$@" >> {calls}\nfor package; do :; done\n{apt}')
    module.mkdir(parents=True)
    (module / "__init__.py").touch()
    (module / "__main__.py").write_text(
        f"import pathlib, sys\nopen({str(calls)!r}, 'a').write('playwright ' + ' '.join(sys.argv[1:]) + '\\n')\n{playwright}\n"
    )
    (module / "sync_api.py").write_text(
        "import contextlib, types\n"
        f"browser = types.SimpleNamespace(chromium=types.SimpleNamespace(executable_path={str(folder / 'chrome')!r}))\n"
        "sync_playwright = lambda: contextlib.nullcontext(browser)\n"
    )
    ours = OURS.format(user=0 if root else 1000, file=str(ROOT / "tests" / "browser_setup.py"))
    # `chmod` and the like stay out of reach, and so does a browser of this machine.
    found = run(sys.executable, "-c", ours, cwd=ROOT, PATH=str(folder / "bin"), PYTHONPATH=str(module.parent))
    told = "".join(line for line in found.stderr.splitlines(keepends=True) if not line.startswith("+ "))
    return found.returncode, told, calls.read_text().splitlines() if calls.exists() else []


UPDATE, INSTALL = "apt-get update -qq", "apt-get install -y -qq --no-install-recommends"
TAKES = '[ "$1" = update ] || { echo "#!/bin/sh" > ${0%/*}/$package; /bin/chmod +x ${0%/*}/$package; }'
DOWNLOAD = "playwright install chromium"
DOWNLOADS, FAILS = "(pathlib.Path(__file__).parents[2] / 'chrome').touch()", "sys.exit(1)"


def test_browser_comes_by_apt_as_root(tmp_path: Path) -> None:
    expected = [UPDATE, f"{INSTALL} chromium-headless-shell"]
    assert set_up_browser(tmp_path, root=True, apt=TAKES, playwright=FAILS) == (0, "", expected)


def test_browser_comes_by_apt_of_an_older_system(tmp_path: Path) -> None:
    older = f'case "$package" in *headless*) exit 100;; esac\n{TAKES}'
    expected = [UPDATE, f"{INSTALL} chromium-headless-shell", f"{INSTALL} chromium"]
    assert set_up_browser(tmp_path, root=True, apt=older, playwright=FAILS) == (0, "", expected)


def test_browser_is_downloaded_elsewhere(tmp_path: Path) -> None:
    assert set_up_browser(tmp_path, root=False, apt=TAKES, playwright=DOWNLOADS) == (0, "", [DOWNLOAD])


def test_browser_is_asked_for_when_nothing_works(tmp_path: Path) -> None:
    status, told, calls = set_up_browser(tmp_path, root=True, apt="exit 100", playwright=FAILS)
    assert status == 1 and calls[-1] == DOWNLOAD
    assert told.startswith("The browser tests need Chromium, and it could not be installed by itself.")
    assert "sudo apt-get install chromium-headless-shell" in told and "ASSIZE_TEST_CHROMIUM" in told


# The last word of `make test`

PYTEST = """
case "$*" in *--pg*tests/live*) part=live-pg;; *tests/live\\ *|*tests/live) part=live;; esac
case "$*" in *--ignore*--pg*|*--pg*--ignore*) part=pg;; *"not pure"*) part=sqlite;; *"-m pure"*) part=pure;; *live*) ;; *) part=browser;; esac
[ "$part" = "$FAILS" ] && { echo "==== 1 failed, of $part ===="; exit 1; }
echo "==== 2 passed, of $part ===="
"""


@pytest.mark.parametrize(
    ("fails", "status", "last"),
    [
        ("", 0, "==== 2 passed, of pg ===="),
        ("sqlite", 2, "==== 1 failed, of sqlite ===="),
        ("live", 2, "==== 1 failed, of live ===="),
        ("live-pg", 2, "==== 1 failed, of live-pg ===="),
        ("browser", 2, "==== 1 failed, of browser ===="),
        ("pure", 2, "==== 1 failed, of pure ===="),
        ("pg", 2, "==== 1 failed, of pg ===="),
        ("types", 2, "==== 2 passed, of pg ===="),
    ],
)
def test_pytest_has_the_last_word_and_tells_of_what_failed(tmp_path: Path, fails: str, status: int, last: str) -> None:
    shutil.copy(ROOT / "Makefile", tmp_path)
    stand_in(tmp_path / ".venv" / "bin" / "python", PYTEST)
    stand_in(tmp_path / ".venv" / "bin" / "mypy", '[ "$FAILS" = types ] && { echo Found 1 error; exit 1; }; echo Success')
    found = run("make", "test", "-o", "test-deps", "-o", "style", cwd=tmp_path, FAILS=fails)
    lines = found.stdout.splitlines()
    parts = {name: words for name, _, words in (line.partition(" ") for line in lines[-8:-1])}
    assert (found.returncode, lines[-1]) == (status, last)
    assert sorted(parts) == ["browser", "live", "live-pg", "pg", "pure", "sqlite", "types"]
    assert [name for name, words in parts.items() if "1 failed" in words or "Found" in words] == ([fails] if fails else [])
    assert list(parts)[-1] == (fails or "pg")
