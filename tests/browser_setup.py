"""Finds a Chromium for the browser tests, or installs one: Debian's package as root, else Playwright's download."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

# The first is Chromium without its windows: the same pages at half the cost.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
HELP = """\
The browser tests need Chromium, and it could not be installed by itself. Do one of these, then try again:
  - Debian or Ubuntu:  sudo apt-get install chromium-headless-shell
  - elsewhere:         .venv/bin/playwright install --with-deps chromium
  - or point ASSIZE_TEST_CHROMIUM at the executable of a Chromium or Chrome you have.
"""


def find() -> str | None:
    """The path of a browser: the one that is pointed at, one of the system's, or Playwright's own."""
    given = os.environ.get("ASSIZE_TEST_CHROMIUM")
    if given:
        return given if os.access(given, os.X_OK) else None
    for name in NAMES:
        if found := shutil.which(name):
            return found
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


def _run(*command: str) -> bool:
    sys.stderr.write(f"+ {' '.join(command)}\n")
    return subprocess.run(command, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"}, check=False).returncode == 0


def install() -> str | None:
    if os.geteuid() == 0 and shutil.which("apt-get"):
        _run("apt-get", "update", "-qq")
        for package in NAMES[:2]:  # older systems have the second alone
            if _run("apt-get", "install", "-y", "-qq", "--no-install-recommends", package) and (found := find()):
                return found
    _run(sys.executable, "-m", "playwright", "install", "chromium")
    return find()


if __name__ == "__main__":
    if find() is None and install() is None:
        sys.exit(HELP)
