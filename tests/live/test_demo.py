"""`assize demo` from outside: from nothing to a leaderboard, with a button for each role; for this machine alone."""

import os
import re
import shutil
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from http.cookiejar import CookieJar
from pathlib import Path

import pytest

from config import demo
from tests.site import ROOT, free_port

pytestmark = [pytest.mark.once, pytest.mark.timeout(400)]
COMMAND = [str(Path(sys.executable).parent / "assize"), "demo", "--port"]


def test_demo_is_refused_for_other_machines(tmp_path: Path) -> None:
    env = {**os.environ, "ASSIZE_DATA": str(tmp_path / "data"), "ASSIZE_HOST": "0.0.0.0"}
    done = subprocess.run([*COMMAND, str(free_port())], cwd=ROOT, env=env, capture_output=True, text=True, timeout=100)
    assert done.returncode == 1 and "serves this machine alone" in done.stderr
    assert not (tmp_path / "data-demo" / "assize.sqlite3").exists()


def test_demo_leads_from_a_button_to_the_leaderboard(tmp_path: Path) -> None:
    port = free_port()
    url, env, terminal = f"http://127.0.0.1:{port}", {**os.environ, "ASSIZE_DATA": str(tmp_path / "data")}, tmp_path / "said"
    with terminal.open("w") as output:
        process = subprocess.Popen([*COMMAND, str(port)], cwd=ROOT, env=env, stdout=output, stderr=subprocess.STDOUT)
    try:
        until = time.monotonic() + 300
        while "ready at" not in terminal.read_text():
            assert process.poll() is None and time.monotonic() < until, terminal.read_text()
            time.sleep(0.2)
        visitor = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        front = visitor.open(f"{url}/", timeout=60).read().decode()
        assert re.findall(r'action="/demo/(\w+)/"', front) == list(demo.CAST)
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', front)
        assert token
        form = urllib.parse.urlencode({"csrfmiddlewaretoken": token[1]}).encode()
        with visitor.open(urllib.request.Request(f"{url}/demo/percy/", form, {"Referer": f"{url}/"}), timeout=60) as answer:
            page = answer.read().decode()
        assert answer.url == f"{url}/c/{demo.SLUG}/leaderboard/"
        assert "Percy Lowe" in page and "quay-feedback" in page
    finally:
        process.terminate()
        process.wait(60)
        shutil.rmtree(tmp_path / "data-demo", ignore_errors=True)
