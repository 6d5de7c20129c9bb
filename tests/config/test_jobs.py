"""Jobs with a real queue server and a real worker, which forks for each job as in production."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import django_rq
import pytest
import redis
from django.conf import settings
from django.db import connections, transaction
from django.utils import timezone
from rq.serializers import JSONSerializer

from config import health, housekeeping, jobs
from config.errors import Refusal
from config.models import Job, JobState, User
from config.worker import WORKER_TTL
from tests import factories
from tests import queue_server as servers
from tests.clock import own_clock

pytestmark = pytest.mark.django_db(transaction=True)
Function = Callable[[jobs.Running], str | None]


@pytest.fixture
def register(monkeypatch: pytest.MonkeyPatch) -> Callable[[Function], None]:
    def as_probe(function: Function) -> None:
        monkeypatch.setitem(jobs.REGISTRY, "probe", jobs.Kind("probe", function, 1))

    as_probe(lambda running: None)
    return as_probe


@pytest.fixture
def signals() -> Iterator[None]:
    """A worker in this process takes the signals; they are given back."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture
def work(queue_server: "redis.Redis", signals: None) -> Callable[[], bool]:
    def burst() -> bool:
        connections.close_all()
        worker = django_rq.get_worker("default", worker_ttl=WORKER_TTL, serializer=JSONSerializer)
        return bool(worker.work(burst=True))

    return burst


def probe(**values: object) -> Job:
    return jobs.intend("probe", title="Probe", **values)  # type: ignore[arg-type]


def silent_for(job: Job, seconds: int) -> None:
    Job.objects.filter(pk=job.pk).update(heartbeat_at=timezone.now() - timedelta(seconds=seconds))


def claim(job: Job) -> jobs.Running:
    """What `run` does first, so that a test can stand in for a worker that goes on after it was given up."""
    Job.objects.filter(pk=job.pk).update(state=JobState.RUNNING, attempt=job.attempt + 1, heartbeat_at=timezone.now())
    return jobs.Running(Job.objects.get(pk=job.pk))


def wait_for(pk: int, state: JobState, seconds: float = 60) -> Job:
    until = time.monotonic() + seconds
    while (job := Job.objects.get(pk=pk)).state != state and time.monotonic() < until:
        time.sleep(0.05)
    assert job.state == state
    return job


def test_job_runs_and_is_done_with_its_progress(work: Callable[[], bool]) -> None:
    job = jobs.intend("trial", title="Trial", args={"steps": 4, "seconds": 0})
    assert work()
    job.refresh_from_db()
    assert (job.state, job.message, job.attempt, job.failures) == (
        "done",
        f"All 4 steps done. {health.database().detail}",
        1,
        0,
    )
    assert (job.done_count, job.total) == (4, 4)
    assert job.started_at and job.finished_at and job.created_at <= job.started_at <= job.finished_at


def test_job_is_run_in_a_process_of_its_own(register: Callable[[Function], None], work: Callable[[], bool]) -> None:
    register(lambda running: f"process {os.getpid()}")
    job = probe()
    work()
    job.refresh_from_db()
    assert job.message.startswith("process ") and job.message != f"process {os.getpid()}"


def test_equal_jobs_are_one(register: Callable[[Function], None], work: Callable[[], bool]) -> None:
    pks = {probe(dedupe="same").pk for _ in range(5)}
    assert len(pks) == 1
    work()
    assert probe(dedupe="same").pk not in pks, "a job that ended no longer stands in the way"
    assert probe(dedupe="").pk != probe(dedupe="").pk


def test_five_equal_jobs_on_two_workers_are_done_once(queue_server: "redis.Redis") -> None:
    """Asked for five times, with five messages on the queue: both workers look, one acts."""
    workers = [servers.start("work") for _ in range(2)]
    try:
        trial = {"title": "Trial", "args": {"steps": 2, "seconds": 1}, "dedupe": "same"}
        (pk,) = {jobs.intend("trial", **trial).pk for _ in range(5)}  # type: ignore[arg-type]
        for number in range(5):
            django_rq.get_queue().enqueue_call("config.jobs.run", args=(pk,), job_id=f"again-{number}")
        wait_for(pk, JobState.DONE, 60)
        until = time.monotonic() + 60
        while django_rq.get_queue().count and time.monotonic() < until:
            time.sleep(0.1)
    finally:
        for worker in workers:
            worker.terminate()
        for worker in workers:
            worker.communicate(timeout=60)
    assert list(Job.objects.values_list("pk", "state", "attempt", "failures")) == [(pk, "done", 1, 0)]


def test_job_of_a_transaction_that_fails_does_not_exist(
    register: Callable[[Function], None], queue_server: "redis.Redis"
) -> None:
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        probe()
        _ = 1 / 0
    assert not Job.objects.exists()
    assert django_rq.get_queue().count == 0


def test_message_twice_on_the_queue_runs_the_job_once(register: Callable[[Function], None], work: Callable[[], bool]) -> None:
    job = probe()
    for name in ("a", "b"):
        django_rq.get_queue().enqueue_call("config.jobs.run", args=(job.pk,), job_id=name)
    work()
    job.refresh_from_db()
    assert (job.state, job.attempt) == ("done", 1)


def test_flushed_queue_loses_nothing(
    register: Callable[[Function], None], work: Callable[[], bool], queue_server: "redis.Redis"
) -> None:
    made = [probe().pk for _ in range(20)]
    queue_server.flushall()
    assert not work()
    assert jobs.sweep() == 20
    assert jobs.sweep() == 0, "what is on the queue is not put there again"
    assert work()
    assert list(Job.objects.filter(state="done").order_by("pk").values_list("pk", flat=True)) == made


def test_queue_that_is_down_keeps_nobody_from_intending(register: Callable[[Function], None], no_queue: None) -> None:
    job = probe()
    assert Job.objects.get().state == "waiting"
    assert jobs.nudge(job) is False
    assert jobs.sweep() == 0


def test_jobs_start_when_the_queue_is_back(
    register: Callable[[Function], None],
    no_queue: None,
    request: pytest.FixtureRequest,
) -> None:
    job = probe()
    request.getfixturevalue("queue_server")
    assert jobs.sweep() == 1
    request.getfixturevalue("work")()
    job.refresh_from_db()
    assert job.state == "done"


def test_killed_worker_shows_as_stalled_and_its_job_is_done_by_another(
    work: Callable[[], bool], queue_server: "redis.Redis"
) -> None:
    job = jobs.intend("trial", title="Trial", args={"steps": 100, "seconds": 60})
    worker = servers.start("work")
    try:
        wait_for(job.pk, JobState.RUNNING)
    finally:
        worker.kill()
        worker.communicate(timeout=60)
    silent_for(job, 31)
    assert Job.objects.get().shown_state == "stalled"
    assert jobs.sweep() == 0, "it is shown before it is given up"
    silent_for(job, 46)
    Job.objects.update(args={"steps": 2, "seconds": 0})
    assert jobs.sweep() == 2  # revived, and put on the queue
    assert work()
    job.refresh_from_db()
    assert (job.state, job.attempt, job.failures, job.message) == (
        "done",
        2,
        1,
        f"All 2 steps done. {health.database().detail}",
    )


def test_clock_set_back_keeps_no_job_waiting(
    register: Callable[[Function], None], queue_server: "redis.Redis", monkeypatch: pytest.MonkeyPatch
) -> None:
    """An hour back, a dead worker is known after as long a silence as ever, and what waits to be tried again is due."""
    dead, waits, true = probe(), probe(), timezone.now
    claim(dead)
    monkeypatch.setattr(timezone, "now", lambda: true() - timedelta(hours=1))
    housekeeping.mend_times()
    assert Job.objects.get(pk=waits.pk).due_at <= timezone.now()
    monkeypatch.setattr(timezone, "now", lambda: true() - timedelta(hours=1) + jobs.REVIVE_AFTER + timedelta(seconds=1))
    housekeeping.mend_times()
    jobs.sweep()
    assert Job.objects.get(pk=dead.pk).failures == 1


def test_clock_set_ahead_kills_no_job(queue_server: "redis.Redis", monkeypatch: pytest.MonkeyPatch) -> None:
    """By an hour, which is longer than the job may take: the worker looks after it every 2 s, and knows how long it runs."""
    job = jobs.intend("trial", title="Trial", args={"steps": 6, "seconds": 3})
    with own_clock() as clock:
        for name, value in clock.env.items():
            monkeypatch.setenv(name, value)
        worker = servers.start("work")
        try:
            wait_for(job.pk, JobState.RUNNING)
            clock.set(3600)
            done = wait_for(job.pk, JobState.DONE)
        finally:
            worker.terminate()
            worker.communicate(timeout=60)
    assert (done.attempt, done.failures) == (1, 0)
    assert done.finished_at and done.finished_at > timezone.now() + timedelta(minutes=50)


def test_killed_worker_takes_the_job_process_with_it(register: Callable[[Function], None], queue_server: "redis.Redis") -> None:
    job = jobs.intend("trial", title="Trial", args={"steps": 1000, "seconds": 60})
    worker = servers.start("work")
    try:
        wait_for(job.pk, JobState.RUNNING)
    finally:
        worker.kill()
        worker.communicate(timeout=60)  # ends only when nobody holds the pipe any more, the job's process included


def test_three_silent_deaths_fail_the_job_in_plain_words(
    register: Callable[[Function], None], queue_server: "redis.Redis"
) -> None:
    job = probe()
    for _ in range(jobs.TRIES):
        claim(Job.objects.get(pk=job.pk))
        silent_for(job, 46)
        jobs.sweep()
    job.refresh_from_db()
    assert (job.state, job.failures, job.attempt) == ("failed", 3, 3)
    assert job.message == "The worker stopped without a word, perhaps out of memory. Tried 3 times."
    assert jobs.sweep() == 0


def test_older_attempt_writes_nothing(register: Callable[[Function], None], queue_server: "redis.Redis") -> None:
    job = probe()
    old = claim(job)
    silent_for(job, 46)
    jobs.sweep()
    new = claim(Job.objects.get(pk=job.pk))
    factories.make_user("Before")
    with pytest.raises(jobs.Superseded), old.finish("old"):
        factories.make_user("After")
    with pytest.raises(jobs.Superseded):
        old.progress(1, 2)
    with pytest.raises(jobs.Superseded):
        old.end(JobState.FAILED, "old")
    assert [user.name for user in User.objects.all()] == ["Before"]
    with new.finish("new"):
        pass
    job.refresh_from_db()
    assert (job.state, job.message) == ("done", "new")


def test_attempt_given_up_while_it_ran_is_dropped(register: Callable[[Function], None], work: Callable[[], bool]) -> None:
    def given_up_meanwhile(running: jobs.Running) -> str:
        if running.job.attempt == 1:
            Job.objects.filter(pk=running.job.pk).update(state=JobState.WAITING)
        return f"by attempt {running.job.attempt}"

    register(given_up_meanwhile)
    job = probe()
    work()
    job.refresh_from_db()
    assert (job.state, job.message) == ("waiting", "")
    jobs.sweep()
    work()
    job.refresh_from_db()
    assert (job.state, job.message) == ("done", "by attempt 2")


def test_finish_with_an_error_in_its_body_leaves_the_job_undone(
    register: Callable[[Function], None], queue_server: "redis.Redis"
) -> None:
    running = claim(probe())
    with pytest.raises(ZeroDivisionError), running.finish("done"):
        factories.make_user("Half")
        _ = 1 / 0
    job = Job.objects.get()
    assert (job.state, job.message, job.finished_at) == ("running", "", None)
    assert not User.objects.exists()


def test_refusal_fails_at_once_with_its_words(register: Callable[[Function], None], work: Callable[[], bool]) -> None:
    def refuse(running: jobs.Running) -> None:
        raise Refusal("Line 17: expected 6 columns, found 5.")

    register(refuse)
    job = probe()
    work()
    job.refresh_from_db()
    assert (job.state, job.message, job.failures) == ("failed", "Line 17: expected 6 columns, found 5.", 0)


def test_unexpected_error_is_tried_again_after_a_while(register: Callable[[Function], None], work: Callable[[], bool]) -> None:
    def break_down(running: jobs.Running) -> None:
        raise KeyError("secret")

    register(break_down)
    job = probe()
    for wait in (5, 30):
        work()
        job.refresh_from_db()
        assert job.state == "waiting"
        assert "secret" not in job.message and job.message.endswith("in the log. Trying again.")
        assert job.started_at and job.started_at + timedelta(seconds=wait) <= job.due_at
        assert job.due_at <= timezone.now() + timedelta(seconds=wait)
        Job.objects.update(due_at=timezone.now() + timedelta(seconds=30))
        assert jobs.sweep() == 0, "not before its time"
        Job.objects.update(due_at=timezone.now())
        assert jobs.sweep() == 1
    work()
    job.refresh_from_db()
    assert (job.state, job.failures) == ("failed", 3)
    assert job.message == ("It failed unexpectedly (KeyError). An administrator finds the details in the log. Tried 3 times.")


def test_job_that_takes_too_long_is_stopped(register: Callable[[Function], None], work: Callable[[], bool]) -> None:
    register(lambda running: time.sleep(60))
    job = probe()
    queued = django_rq.get_queue().fetch_job(f"assize-{job.pk}-0")
    assert queued.timeout == 60
    queued.timeout = 2
    queued.save()
    work()
    job.refresh_from_db()
    assert (job.state, job.message) == ("failed", "It took longer than 1 minutes and was stopped.")


def test_job_that_eats_memory_is_stopped_in_plain_words(register: Callable[[Function], None], work: Callable[[], bool]) -> None:
    register(lambda running: str(len(bytearray(8 * 1024**3))))
    job = probe()
    work()
    job.refresh_from_db()
    assert (job.state, job.message) == ("failed", "It needed more than the 4096 MB of memory a job may use.")


def test_job_nobody_knows_any_more_fails_in_plain_words(work: Callable[[], bool]) -> None:
    job = Job.objects.create(name="gone", title="Gone")
    jobs.sweep()
    work()
    job.refresh_from_db()
    assert (job.state, job.message) == ("failed", "This version of the site does not know the job “gone”.")


def test_folder_aside_is_gone_when_the_job_has_ended(register: Callable[[Function], None], work: Callable[[], bool]) -> None:
    def write_aside(running: jobs.Running) -> str:
        (running.folder() / "half").write_text("half")
        return str(running.folder())

    register(write_aside)
    job = probe()
    work()
    job.refresh_from_db()
    assert Path(job.message).name == f"assize-{job.pk}-1"
    assert Path(job.message).parent == settings.DATA / "aside"
    assert not Path(job.message).exists()


def test_released_jobs_start_again(register: Callable[[Function], None], work: Callable[[], bool]) -> None:
    job = probe()
    claim(job)
    assert jobs.release_running(count_failure=False) == 1
    job.refresh_from_db()
    assert (job.state, job.failures) == ("waiting", 0)
    jobs.sweep()
    work()
    job.refresh_from_db()
    assert (job.state, job.attempt) == ("done", 2)


def test_health_tells_of_queue_and_worker(queue_server: "redis.Redis") -> None:
    assert (health.queue().ok, health.workers().ok) == (True, False)
    worker = servers.start("work")
    try:
        until = time.monotonic() + 60
        while not health.workers().ok and time.monotonic() < until:
            time.sleep(0.05)
        assert health.workers() == health.Part("workers", True, "1 alive")
        assert health._queue().connection_pool.connection_kwargs["socket_timeout"] == 1  # a queue that hangs hangs no page
    finally:
        worker.send_signal(signal.SIGTERM)
        _, logged = worker.communicate(timeout=60)
    assert worker.returncode == 0, logged
