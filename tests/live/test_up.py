"""`assize up` from outside: starts by itself, keeps its parts alive, stops cleanly, and loses nothing."""

import json
import os
import signal
import stat
import subprocess
import sys
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import redis
from django.db import connection
from django.test import Client
from django.utils import timezone

from config import accounts, jobs
from config.models import Job
from tests import factories
from tests.site import ROOT, Site, send, standing_still

pytestmark = pytest.mark.timeout(240)


@pytest.mark.once
def test_up_tells_address_and_first_link_and_keeps_a_secret(site: Site) -> None:
    assert site.first_link()
    lines = site.terminal().strip().splitlines()
    assert lines[0].startswith(f"Assize is ready at {site.url}/")
    assert lines[1].startswith("First start: ") and f"{site.url}/welcome/" in lines[1]
    assert len(lines) == 2
    assert stat.S_IMODE((site.data / "secret.key").stat().st_mode) == 0o600
    assert stat.S_IMODE((site.data / "queue" / "valkey.sock").stat().st_mode) == 0o600
    assert (site.data / "queue" / "appendonlydir").is_dir()


@pytest.mark.once
def test_second_up_on_the_same_folder_says_so_and_stops(site: Site) -> None:
    command = [str(Path(sys.executable).parent / "assize"), "up"]
    second = subprocess.run(command, env=site.env, cwd=ROOT, capture_output=True, text=True, timeout=110, check=False)
    assert second.returncode == 1
    assert f"already running on {site.data}" in second.stderr and site.url in second.stderr
    assert site.get("/healthz")[0] == 200


@pytest.mark.once
def test_port_in_use_is_told(site: Site, tmp_path: Path) -> None:
    command = [str(Path(sys.executable).parent / "assize"), "up"]
    env = {**site.env, "ASSIZE_DATA": str(tmp_path / "other")}
    second = subprocess.run(command, env=env, cwd=ROOT, capture_output=True, text=True, timeout=110, check=False)
    assert second.returncode == 1
    assert f"127.0.0.1:{site.port} cannot be used" in second.stderr and "ASSIZE_PORT" in second.stderr


@pytest.mark.once  # tests/live/test_chaos.py kills them on PostgreSQL, and its server too
def test_killed_parts_come_back_and_nothing_is_lost(own_site: Site) -> None:
    """Each process is killed with -9 in turn while jobs run and others wait, then the queue is emptied; all jobs are done."""
    staff = factories.make_user("Killer", staff=True)
    site = own_site
    made = [
        jobs.intend("trial", title=f"Trial {n}", args={"steps": 10, "seconds": "1"}, started_by=staff, dedupe=f"t{n}").pk
        for n in range(5)
    ]
    for part in ("web", "queue", "sweeper", "worker"):
        before = set(site.pids(part))
        assert before, part
        site.kill(part)
        site.wait_for(lambda part=part, before=before: set(site.pids(part)) - before, 90)
    site.wait_for(lambda: site.get("/readyz")[0] == 200, 90)
    made += [jobs.intend("trial", title="Trial", args={"steps": 1, "seconds": "0.3"}, dedupe=f"f{n}").pk for n in range(8)]
    server = redis.Redis(unix_socket_path=str(site.data / "queue" / "valkey.sock"))
    server.flushall()
    server.close()
    site.wait_for(lambda: site.get("/readyz")[0] == 200, 90)  # emptied, the queue has forgotten the workers: they tell it again
    # A job cut off with its worker would be revived after 45 s of silence; the test does not wait that long.
    until = time.monotonic() + 150
    while Job.objects.filter(pk__in=made).exclude(state="done").exists():
        assert time.monotonic() < until, list(Job.objects.values_list("pk", "state", "message", "attempt"))
        Job.objects.filter(state="running", heartbeat_at__lt=_ago(12)).update(heartbeat_at=_ago(100))
        time.sleep(0.5)


def test_killed_between_commit_and_queue_a_job_is_done_by_itself(own_site: Site) -> None:
    """The queue hangs, so that whoever asks for a job has committed it and waits: killed there, its row is all there is. Killed
    too, the queue has nothing that was still on the way to it. And emptied with twenty jobs on it, all twenty are done."""
    site, staff = own_site, factories.make_user("Killer", staff=True)
    secret = accounts.make_token(user=staff, name="all", scopes=["read", "manage"])[1]
    head = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}
    request = urllib.request.Request(f"{site.url}/api/v1/jobs/trial", b'{"steps": 1, "seconds": 0}', head)
    hung, web = site.pids("queue"), set(site.pids("web"))
    send(signal.SIGSTOP, hung)
    with ThreadPoolExecutor(1) as asked:
        answer = asked.submit(urllib.request.urlopen, request, timeout=60)
        site.wait_for(Job.objects.exists, 60)
        site.kill("web")
        site.kill("queue")
        assert answer.exception() or answer.result().status == 202  # it may have come before the kill
    site.wait_for(lambda: not web & set(site.pids("web")) and not set(hung) & set(site.pids("queue")), 90)
    site.wait_for(lambda: Job.objects.get().state == "done", 90)
    _emptied_with_twenty_on_it_all_are_done(site)


def _emptied_with_twenty_on_it_all_are_done(site: Site) -> None:
    with standing_still(site.pids("worker")):
        made = [jobs.intend("trial", title="Trial", args={"steps": 1, "seconds": "0"}).pk for _ in range(20)]
        with redis.Redis(unix_socket_path=str(site.data / "queue" / "valkey.sock")) as server:
            site.wait_for(lambda: server.llen("rq:queue:default") == 20, 90)
            server.flushall()
    site.wait_for(lambda: Job.objects.filter(pk__in=made, state="done").count() == 20, 120)


@pytest.mark.larger
def test_dead_connections_are_nobodys_business(site: Site) -> None:
    """All connections of the site are cut, as when a process of PostgreSQL is killed: the next requests get new ones."""
    with ThreadPoolExecutor(8) as people:
        list(people.map(site.get, ["/"] * 32))
        with connection.cursor() as cursor:
            others = "FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
            # Each is told to end, and is waited for: who asks over one that is about to end is cut off, as anybody would be.
            cursor.execute(f"SELECT array_agg(pg_terminate_backend(pid, 60000)) {others}")
            ended = cursor.fetchone()[0]
            assert len(ended) >= 2 and all(ended)
        assert {status for status, _page in people.map(site.get, ["/"] * 32)} == {200}


def _ago(seconds: int) -> datetime:
    return timezone.now() - timedelta(seconds=seconds)


@pytest.mark.once
def test_renewed_stopped_or_killed_the_site_goes_on(own_site: Site) -> None:
    """Stopped in the middle of a job: every process ends, and the job starts again with the site, its try not counted. So by
    Ctrl-C; and with a killed supervisor its children end too."""
    site = own_site
    _renewed_every_part_is_new_and_somebody_always_answers(site)
    job = jobs.intend("trial", title="Long trial", args={"steps": 60, "seconds": "60"})
    _stopped_it_ends_and_the_job_waits(site, job, signal.SIGTERM, failures=0)
    connection.close()
    site.start()
    assert site.first_link()  # still nobody has used it
    site.wait_for(lambda: Job.objects.filter(pk=job.pk, state="running").exists(), 90)
    _killed_all_end_with_it(site)
    site.start()
    assert all(site.ready().values())
    _stopped_it_ends_and_the_job_waits(site, job, signal.SIGINT, failures=1)  # to be killed counts


def _killed_all_end_with_it(site: Site) -> None:
    everything = _everything(site)
    assert site.process
    site.process.kill()
    site.process.wait()
    until = time.monotonic() + 120
    while any(_alive(pid) for pid in everything):
        assert time.monotonic() < until, [Path(f"/proc/{pid}/cmdline").read_text() for pid in everything if _alive(pid)]
        time.sleep(0.2)


def _stopped_it_ends_and_the_job_waits(site: Site, job: Job, number: signal.Signals, *, failures: int) -> None:
    site.wait_for(lambda: Job.objects.filter(pk=job.pk, state="running").exists(), 90)
    everything = _everything(site)
    site.stop(number)  # `make bench` counts the seconds
    assert site.process and site.process.returncode == 0
    assert [pid for pid in everything if _alive(pid)] == []
    job.refresh_from_db()
    assert (job.state, job.failures) == ("waiting", failures)
    assert job.message == "The site was stopped meanwhile; it starts again."


def _renewed_every_part_is_new_and_somebody_always_answers(site: Site) -> None:
    """SIGUSR1: a new web process answers before the old one ends, a worker first ends its job, the queue stays."""
    job = jobs.intend("trial", title="Trial", args={"steps": 20, "seconds": "4"})
    site.wait_for(lambda: Job.objects.filter(pk=job.pk, state="running").exists(), 90)
    before = {part: set(site.pids(part)) for part in ("worker", "sweeper", "queue")}
    web = set(_web_processes(site))
    assert site.process
    site.process.send_signal(signal.SIGUSR1)
    answers = []
    until = time.monotonic() + 120
    while web & (now := set(_web_processes(site))) or len(now) < len(web):
        assert time.monotonic() < until, site.log()[-3000:]
        for _ in range(20):  # looking for processes takes longer than asking
            # Who is in the queue of a process that ends is cut off, and asks again. Judgments: test_down.py.
            answers.append(site.get("/healthz")[0] or site.get("/healthz")[0])
            time.sleep(0.02)
    assert set(answers) == {200}
    for part in ("worker", "sweeper"):
        site.wait_for(lambda part=part: site.pids(part) and not before[part] & set(site.pids(part)), 90)
    assert set(site.pids("queue")) == before["queue"]
    site.wait_for(lambda: Job.objects.filter(pk=job.pk, state="done").exists(), 90)
    assert Job.objects.get(pk=job.pk).attempt == 1


def _web_processes(site: Site) -> list[int]:
    """Those that answer: the children of the web server's first process, or of two of them while one takes over."""
    parents = {}
    for pid in site.pids("web"):
        with suppress(OSError):  # it ended meanwhile
            parents[pid] = int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
    return [pid for pid, parent in parents.items() if parent in parents]


def _everything(site: Site) -> list[int]:
    return [pid for part in ("web", "worker", "sweeper", "queue") for pid in site.pids(part)]


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.once
def test_jobs_give_way_to_who_judges(site: Site) -> None:
    """Priorities count within a session alone where the kernel shares processors between sessions first."""
    assert site.process
    here, staff = site.process.pid, factories.make_user("Patient", staff=True)
    jobs.intend("trial", title="Trial", args={"steps": 1, "seconds": "20"}, started_by=staff)

    def priorities() -> list[int]:
        return sorted({os.getpriority(os.PRIO_PROCESS, pid) for pid in site.pids("worker")})

    site.wait_for(lambda: priorities() == [0, 15], 90)  # the worker and its job
    parts = [pid for part in ("web", "worker", "sweeper", "queue") for pid in site.pids(part)]
    assert {os.getsid(pid) for pid in parts} == {os.getsid(here)}
    assert os.getpgid(here) not in {os.getpgid(pid) for pid in parts}


def test_every_process_commits_durably(site: Site) -> None:
    """Each web process, a job's own process and a command tell it of the connection that they have."""
    durable = {
        "sqlite": "SQLite answers: journal_mode=wal, synchronous=2, foreign_keys=1",
        "postgresql": "PostgreSQL answers: synchronous_commit=on, fsync=on, full_page_writes=on",
    }[connection.vendor]
    staff = factories.make_user("Durable", staff=True)
    job = jobs.intend("trial", title="Trial", args={"steps": 1, "seconds": "0"}, started_by=staff)
    command = [str(Path(sys.executable).parent / "assize"), "status", "--json"]
    told = subprocess.run(command, env=site.env, cwd=ROOT, capture_output=True, text=True, timeout=110, check=False)
    assert told.returncode == 0, told.stdout + told.stderr
    assert json.loads(told.stdout)["parts"][0] == {"name": "database", "ok": True, "detail": durable}
    client = Client()
    client.force_login(staff)
    web: dict[int, set[str]] = {}
    site.wait_for(lambda: _asked(site, client, web) and set(web) == set(_web_processes(site)), 90)
    assert list(web.values()) == [{durable}] * 2
    site.wait_for(lambda: Job.objects.filter(pk=job.pk, state="done").exists(), 90)
    assert Job.objects.get(pk=job.pk).message == f"All 1 steps done. {durable}"


def _asked(site: Site, client: Client, web: dict[int, set[str]]) -> bool:
    """Some requests at once, so that no process answers them all; what each told is added to `web`."""
    cookie = "; ".join(f"{name}={morsel.value}" for name, morsel in client.cookies.items())
    request = urllib.request.Request(f"{site.url}/readyz", headers={"Cookie": cookie})

    def ask(_number: int) -> dict[str, Any]:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return dict(json.load(answer))

    with ThreadPoolExecutor(8) as people:
        for told in people.map(ask, range(16)):
            web.setdefault(told["process"], set()).add(told["parts"]["database"]["detail"])
    return True
