"""/metrics: who may read it, that it is Prometheus' text, and that its counters count every process."""

import os
import re
import subprocess
import sys

import pytest
from django.test import Client
from pytest_django import Settings

from config import accounts, metrics
from tests.conftest import Cast, ClientFor

LINE = re.compile(r'[a-z_]+(\{([a-z]+="[^"\n]*",?)+\})? (\d+(\.\d+)?(e-\d+)?)')


def bearer(cast: Cast, user: str, *scopes: str) -> dict[str, str]:
    _token, secret = accounts.make_token(user=getattr(cast, user), name="prometheus", scopes=list(scopes))
    return {"Authorization": f"Bearer {secret}"}


def test_who_may(cast: Cast, client: Client, client_for: ClientFor) -> None:
    assert client.get("/metrics", headers=bearer(cast, "staff", "read")).status_code == 200
    assert client.get("/metrics", headers=bearer(cast, "staff", "judge")).status_code == 403
    assert client.get("/metrics", headers=bearer(cast, "organizer", "read")).status_code == 404
    assert client.get("/metrics", headers={"Authorization": "Bearer asz_unknown"}).status_code in {302, 401}


def test_the_text_is_as_prometheus_reads_it(cast: Cast, client_for: ClientFor) -> None:
    client = client_for(cast.staff)
    client.get("/")
    answer = client.get("/metrics")
    assert answer["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    text = answer.content.decode()
    lines = text.splitlines()
    assert [line for line in lines if not line.startswith("# ") and not LINE.fullmatch(line)] == []
    told = [line.split()[2] for line in lines if line.startswith("# TYPE ")]
    assert len(told) == len(set(told))
    assert f'assize_requests_total{{kind="page",status="2xx",process="{os.getpid()}"}}' in text
    assert 'assize_part_up{part="database"} 1\n' in text and 'assize_part_up{part="queue"} 0\n' in text
    assert 'assize_jobs{state="waiting"} 0\n' in text and "assize_collections 2\n" in text
    assert "assize_judgment_acts_total " in text


def test_a_histogram_is_cumulative() -> None:
    answers = metrics.Answers()
    answers._written = float("inf")
    for seconds in (0.003, 0.01, 0.3, 9.0):
        answers.count("judging", 200, seconds)
    buckets = [int(line.rsplit(" ", 1)[1]) for line in answers.lines() if "_bucket" in line]
    assert buckets == [2, 2, 2, 2, 2, 3, 3, 3, 3, 4]
    assert next(line for line in answers.lines() if "_count" in line).endswith(" 4\n")


@pytest.mark.once
def test_processes_that_live_are_read_and_others_forgotten(settings: Settings, tmp_path: "os.PathLike[str]") -> None:
    settings.DATA = tmp_path
    done = subprocess.Popen([sys.executable, "-c", ""])
    done.wait()
    metrics.write("assize_requests_total 1\n")
    dead = metrics._folder() / str(done.pid)
    dead.write_text("assize_requests_total 2\n")
    assert list(metrics._written()) == ["assize_requests_total 1\n"]
    assert not dead.exists()
