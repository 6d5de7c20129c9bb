"""`jobs`, `work`, `sweep` and `status`, on a real queue server where one is needed."""

import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from datetime import timedelta

import pytest
import redis
from django.core import checks
from django.db import OperationalError
from django.utils import timezone

from config import health, housekeeping, jobs
from config.management.commands import sweep as sweep_command
from config.models import Job, JobState
from tests import factories
from tests import queue_server as servers
from tests.commands.conftest import Assize

pytestmark = pytest.mark.once

COLUMNS = ["id", "state", "title", "done_count", "total", "message", "started_by", "created_at", "finished_at"]


@pytest.fixture
def signals() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def make_job(state: JobState = JobState.WAITING, **values: object) -> Job:
    return Job.objects.create(name="trial", title="Trial", state=state, args={"steps": 1, "seconds": 0}, **values)


@pytest.mark.django_db
def test_jobs_are_listed_newest_first(assize: Assize) -> None:
    made = [make_job(), make_job(JobState.DONE, message="All done", started_by=factories.make_user("Ida"))]
    found = assize("jobs", "list", "--json").json
    assert [row["id"] for row in found] == [made[1].pk, made[0].pk]
    assert [list(row) for row in found] == [COLUMNS, COLUMNS]
    assert (found[0]["started_by"], found[1]["started_by"]) == ("ida", "")
    assert [row["state"] for row in assize("jobs", "list", "--state", "done", "--json").json] == ["done"]
    assert len(assize("jobs", "list", "--limit", 1, "--json").json) == 1
    assert "All done" in assize("jobs", "list").out
    assert assize("jobs", "list", "--limit", 0).status == assize("jobs", "list", "--state", "lost").status == 2


@pytest.mark.django_db
def test_stalled_jobs_can_be_listed(assize: Assize) -> None:
    make_job(JobState.RUNNING, heartbeat_at=timezone.now())
    stalled = make_job(JobState.RUNNING, heartbeat_at=timezone.now() - timedelta(minutes=1))
    assert [row["id"] for row in assize("jobs", "list", "--state", "stalled", "--json").json] == [stalled.pk]


@pytest.mark.django_db
def test_job_is_shown(assize: Assize) -> None:
    job = make_job(JobState.FAILED, message="It took too long.")
    facts = assize("jobs", "show", job.pk, "--json").json
    assert list(facts) == [
        *COLUMNS,
        *("name", "args", "attempt", "failures", "due_at", "started_at", "heartbeat_at", "output"),
    ]
    assert facts["args"] == {"steps": 1, "seconds": 0}
    assert "message       It took too long." in assize("jobs", "show", job.pk).out.splitlines()
    assert assize("jobs", "show", 4711).told == (1, "Error: There is no job 4711.")


@pytest.mark.django_db
def test_watching_an_ended_job_tells_how_it_ended(assize: Assize) -> None:
    done, failed = make_job(JobState.DONE, message="3 files"), make_job(JobState.FAILED, message="Line 3 is odd.")
    shown = assize("jobs", "watch", done.pk)
    assert (shown.status, shown.err.splitlines()[-1]) == (0, f"Trial (job {done.pk}) is done. 3 files")
    shown = assize("jobs", "watch", failed.pk)
    assert (shown.status, shown.err.splitlines()[-1]) == (1, f"Error: Trial (job {failed.pk}) failed: Line 3 is odd.")
    refused = make_job(JobState.REFUSED, message="2 faults. Nothing of the file was stored.")
    shown = assize("jobs", "watch", refused.pk)
    said = f"Error: Trial (job {refused.pk}): the file was refused. 2 faults. Nothing of the file was stored."
    assert (shown.status, shown.err.splitlines()[-1]) == (1, said)
    assert [row["state"] for row in assize("jobs", "list", "--state", "refused", "--json").json] == ["refused"]
    assert assize("jobs", "watch", 4711).told == (1, "Error: There is no job 4711.")


@pytest.mark.django_db(transaction=True)
def test_trial_is_watched_while_a_worker_does_it(assize: Assize, queue_server: "redis.Redis") -> None:
    worker = servers.start("work")
    try:
        shown = assize("jobs", "trial", "--steps", 3, "--seconds", 0.1, "--watch")
    finally:
        worker.terminate()
        worker.communicate(timeout=60)
    job = Job.objects.get()
    assert (shown.status, shown.out) == (0, f"{job.pk}\n")
    assert (
        shown.err.splitlines()[-1] == f"Trial of 3 steps (job {job.pk}) is done. All 3 steps done. {health.database().detail}"
    )
    assert worker.returncode == 0


@pytest.mark.django_db
def test_trial_waits_when_the_queue_is_down(assize: Assize, no_queue: None) -> None:
    assert assize("jobs", "trial").status == 0
    assert Job.objects.get().state == "waiting"
    assert assize("jobs", "trial", "--steps", 0).status == 2
    for seconds in (900, "soon"):
        refused = assize("jobs", "trial", "--seconds", seconds)
        assert refused.status == 2 and f"expected a number from 0 to 500, found “{seconds}”" in refused.err


@pytest.mark.django_db(transaction=True)
def test_work_in_burst_ends_when_nothing_is_left(assize: Assize, queue_server: "redis.Redis", signals: None) -> None:
    made = jobs.intend("trial", title="Trial", args={"steps": 1, "seconds": 0})
    assert assize("work", "--burst").status == 0
    made.refresh_from_db()
    assert made.state == "done"


def line_with(process: "subprocess.Popen[str]", words: str) -> str:
    """The next line on stderr that has the words; what was logged before it is passed over."""
    assert process.stderr
    lines = []
    for line in process.stderr:
        lines.append(line)
        if words in line:
            return line
    raise AssertionError(f"“{words}” was not logged, but:\n{''.join(lines)}")


@pytest.mark.django_db(transaction=True)
def test_work_waits_for_a_queue_that_is_not_there(no_queue: None) -> None:
    worker = servers.start("work")
    try:
        assert "next look in 5 s" in line_with(worker, "The queue is not reachable")
    finally:
        worker.terminate()
        worker.communicate(timeout=60)
    assert worker.returncode == 0


@pytest.mark.django_db(transaction=True)
def test_sweep_once_revives_and_enqueues(assize: Assize, queue_server: "redis.Redis", signals: None) -> None:
    forgotten = make_job()
    stalled = make_job(JobState.RUNNING, attempt=1, heartbeat_at=timezone.now() - timedelta(minutes=1))
    swept = assize("sweep", "--once")
    assert (swept.status, swept.out) == (0, "")
    assert "3 jobs moved." in swept.err.splitlines()
    assert set(jobs._queue().get_job_ids()) == {f"assize-{forgotten.pk}-0", f"assize-{stalled.pk}-1"}
    assert assize("work", "--burst").status == 0
    assert list(Job.objects.order_by("pk").values_list("state", "failures")) == [("done", 0), ("done", 1)]


@pytest.mark.django_db(transaction=True)
def test_sweep_goes_on_until_it_is_told_to_end(queue_server: "redis.Redis") -> None:
    job = make_job()
    sweeper = servers.start("sweep")
    try:
        until = time.monotonic() + 60
        while not jobs._queue().get_job_ids() and time.monotonic() < until:
            time.sleep(0.05)
        assert jobs._queue().get_job_ids() == [f"assize-{job.pk}-0"]
        assert sweeper.poll() is None
    finally:
        sweeper.terminate()
        sweeper.communicate(timeout=60)
    assert sweeper.returncode == 0


@pytest.mark.django_db
@pytest.mark.parametrize(
    "error", [OperationalError("the database is away"), redis.ConnectionError("the queue is away"), KeyError()]
)
def test_sweep_survives_errors(error: Exception, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    stop, rounds = threading.Event(), []

    def sweep() -> int:
        rounds.append(1)
        if len(rounds) == 3:
            stop.set()
        raise error

    monkeypatch.setattr(jobs, "sweep", sweep)
    monkeypatch.setattr(sweep_command, "SWEEP_EVERY", 0)
    monkeypatch.setattr(sweep_command, "close_old_connections", lambda: None)
    sweep_command.sweep_until(stop)
    assert len(rounds) == 3
    assert sum("This round of sweeping failed" in record.getMessage() for record in caplog.records) == 3


@pytest.mark.django_db
def test_sweep_tidies_once_an_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    stop, rounds, tidied = threading.Event(), [], []

    def sweep() -> int:
        rounds.append(1)
        if len(rounds) == 5:
            stop.set()
        return 0

    monkeypatch.setattr(jobs, "sweep", sweep)
    monkeypatch.setattr(housekeeping, "tidy", lambda: tidied.append(1))
    monkeypatch.setattr(sweep_command, "SWEEP_EVERY", 0)
    monkeypatch.setattr(sweep_command, "close_old_connections", lambda: None)
    sweep_command.sweep_until(stop)
    assert (len(rounds), len(tidied)) == (5, 1)


class Waits(threading.Event):
    """Waits for no time, counts how often, and sets the clock at the second."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
        super().__init__()
        self.count, self.true, self.monkeypatch, self.seconds = 0, time.time, monkeypatch, seconds

    def wait(self, timeout: float | None = None) -> bool:
        self.count += 1
        if self.count == 2:
            self.monkeypatch.setattr(time, "time", lambda: self.true() + self.seconds)
        return False


@pytest.mark.parametrize(("seconds", "waits"), [(0, 5), (-3600, 2), (3600, 12)])
def test_next_round_of_sweeping_comes_at_once_when_the_clock_is_set_back_and_later_when_it_is_set_ahead(
    monkeypatch: pytest.MonkeyPatch, seconds: int, waits: int
) -> None:
    """By then every job that runs has told of itself by the new time, twice."""
    stop = Waits(monkeypatch, seconds)
    sweep_command._rest(stop, time.time() - time.monotonic())
    assert stop.count == waits


@pytest.mark.django_db
def test_status_names_what_is_down(assize: Assize, no_queue: None) -> None:
    shown = assize("status")
    assert shown.status == 1
    assert [line.split()[:2] for line in shown.out.splitlines()[:3]] == [
        ["PART", "STATE"],
        ["database", "ok"],
        ["queue", "down"],
    ]
    assert shown.err == "Error: Not well: queue, workers.\n"
    found = assize("status", "--json")
    assert found.status == 1
    assert list(found.json) == ["ok", "parts", "checks"]
    assert found.json["ok"] is False
    assert [list(part) for part in found.json["parts"]] == [["name", "ok", "detail"]] * 4


@pytest.mark.django_db
def test_status_is_well_when_all_parts_are(assize: Assize, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "parts", lambda: [health.Part("database", True, "answers")])
    assert assize("status", "--json").json["ok"] is True
    ended = assize("status")
    assert (ended.status, ended.err) == (0, "")


@pytest.mark.django_db
def test_status_is_not_well_with_an_error_of_a_check(assize: Assize, monkeypatch: pytest.MonkeyPatch) -> None:
    bad = checks.Error("Judgments could be lost.", hint="Repair it.", id="assize.E999")
    monkeypatch.setattr(health, "parts", list)
    monkeypatch.setattr("config.management.commands.status.run_checks", lambda **kwargs: [bad])
    shown = assize("status", "--json")
    assert shown.json["checks"] == [
        {"id": "assize.E999", "level": "error", "message": "Judgments could be lost.", "hint": "Repair it."}
    ]
    assert (shown.status, shown.err) == (1, "Error: Not well: assize.E999.\n")
