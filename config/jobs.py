"""Jobs: the row is the intention, written with the data; the queue only carries its number to a worker.

`intend` writes the row, `nudge` tells the queue after the commit, `run` is what a worker executes, and `sweep`
repairs whatever was lost on the way: what Redis forgot is enqueued again, what stalled is started again.
"""

import logging
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import django_rq
from django.conf import settings
from django.db import IntegrityError, close_old_connections, connection, transaction
from django.db.models import F
from django.utils import timezone
from redis.exceptions import RedisError
from rq.queue import Queue
from rq.timeouts import JobTimeoutException

from config import health, logs
from config.errors import Refusal
from config.models import Job, JobState, User

log = logging.getLogger(__name__)

BEAT = 5  # seconds between heartbeats
REVIVE_AFTER = timedelta(seconds=45)  # of silence; shown as stalled after 30
TRIES = 3
LONGEST_WAIT = timedelta(seconds=30)  # before a job that failed is tried again


@dataclass(frozen=True)
class Kind:
    name: str
    function: Callable[["Running"], str | None]
    minutes: float


REGISTRY: dict[str, Kind] = {}


class Superseded(Exception):
    """This attempt was given up and another one has the job: whatever it still does must not count."""


def job(name: str, *, minutes: float = 30) -> Callable[[Callable[["Running"], str | None]], Callable[["Running"], str | None]]:
    """Register a function of an app's tasks.py under a name. It may be run twice, so it must do no harm then."""

    def register(function: Callable[["Running"], str | None]) -> Callable[["Running"], str | None]:
        REGISTRY[name] = Kind(name, function, minutes)
        return function

    return register


def intend(
    name: str,
    *,
    title: str,
    args: dict[str, int | str] | None = None,
    started_by: User | None = None,
    collection_id: int | None = None,
    dedupe: str = "",
    message: str = "",
) -> Job:
    """Write the intention into the caller's transaction. While an equal one (same `dedupe`) lives, that is returned.
    `message`: what is to be said of it already."""
    if name not in REGISTRY:
        raise LookupError(f"no job is registered as {name!r}")
    with transaction.atomic():
        same = Job.objects.filter(dedupe=dedupe, state__in=[JobState.WAITING, JobState.RUNNING])
        if dedupe and (found := same.first()):
            return found
        new = Job(name=name, title=title[:200], args=args or {}, started_by=started_by, collection_id=collection_id)
        new.dedupe, new.message = dedupe, message
        try:
            with transaction.atomic():
                new.save()
        except IntegrityError:  # an equal one came in between
            return same.get()
        transaction.on_commit(lambda: nudge(new), robust=True)
    return new


def nudge(job: Job) -> bool:
    """Put the job's number on the queue. Failing is no loss: the sweeper does it when the queue is back."""
    try:
        _enqueue(job)
    except RedisError as error:
        log.warning("job %s waits for the queue: %s", job.pk, error)
        return False
    return True


def _enqueue(job: Job) -> None:
    minutes = REGISTRY[job.name].minutes if job.name in REGISTRY else 1
    _queue().enqueue_call(
        "config.jobs.run",
        args=(job.pk,),
        job_id=_queue_id(job),
        timeout=round(minutes * 60),
        result_ttl=0,
        failure_ttl=3600,
        description=job.name,
    )


def _queue() -> Queue:
    """Over the connection with short timeouts: a queue that hangs must not hang the page that asks for a job."""
    return django_rq.get_queue(connection=health._queue())


def _queue_id(job: Job) -> str:
    return f"assize-{job.pk}-{job.attempt}"


class Running:
    """What a job's function is given: its arguments, a way to tell progress, a folder aside, and the switch."""

    def __init__(self, job: Job) -> None:
        self.job, self.args, self.started_by = job, job.args, job.started_by
        self._mine = Job.objects.filter(pk=job.pk, state=JobState.RUNNING, attempt=job.attempt)
        self._told = 0.0

    def progress(self, done: int, total: int | None = None, message: str | None = None) -> None:
        """Tell how far the work is. Written at most twice a second; raises Superseded when the job is ours no more."""
        now = time.monotonic()
        last = total is not None and done >= total
        if not last and now - self._told < 0.5:
            return
        self._told = now
        values: dict[str, object] = {"done_count": done, "heartbeat_at": timezone.now()}
        if total is not None:
            values["total"] = total
        if message is not None:
            values["message"] = message
        self._update(**values)

    def folder(self) -> Path:
        """A folder of this attempt alone, for output that is not yet anybody's."""
        path: Path = settings.DATA / "aside" / _queue_id(self.job)
        path.mkdir(parents=True, exist_ok=True)
        return path

    @contextmanager
    def finish(self, message: str = "", output: str = "", *, refused: bool = False) -> Iterator[None]:
        """One transaction that switches the new state in (the body) and marks the job done or refused, or does neither."""
        state = JobState.REFUSED if refused else JobState.DONE
        with transaction.atomic():
            self._update(state=state, message=message, output=output, done_count=F("total"), finished_at=timezone.now())
            yield

    def end(self, state: JobState, message: str) -> None:
        self._update(state=state, message=message, finished_at=timezone.now())

    def _update(self, **values: object) -> None:
        if not self._mine.update(**values):
            raise Superseded(f"job {self.job.pk} attempt {self.job.attempt}")

    def beat_forever(self, stop: threading.Event) -> None:
        while not stop.wait(BEAT):
            try:
                self._mine.update(heartbeat_at=timezone.now())
            except Exception:
                log.exception("job %s: a heartbeat was not written", self.job.pk)
        connection.close()


def run(pk: int) -> None:
    """What a worker executes. Claims the row in one statement, so that of two equal messages one does nothing."""
    close_old_connections()
    now = timezone.now()
    waiting = Job.objects.filter(pk=pk, state=JobState.WAITING, due_at__lte=now)
    if not waiting.update(
        state=JobState.RUNNING, attempt=F("attempt") + 1, started_at=now, heartbeat_at=now, message="", done_count=0, total=0
    ):
        return
    job = Job.objects.select_related("started_by").get(pk=pk)
    logs.request_id.set(_queue_id(job))
    running, stop = Running(job), threading.Event()
    threading.Thread(target=running.beat_forever, args=(stop,), daemon=True).start()
    try:
        _perform(running)
    except Superseded:
        log.warning("%s was given up while it ran; its result is dropped", job)
    finally:
        stop.set()
        shutil.rmtree(settings.DATA / "aside" / _queue_id(job), ignore_errors=True)


def _perform(running: Running) -> None:
    job, kind = running.job, REGISTRY.get(running.job.name)
    if kind is None:
        return running.end(JobState.FAILED, f"This version of the site does not know the job “{job.name}”.")
    try:
        message = kind.function(running)
    except Superseded:
        raise
    except Refusal as refusal:
        running.end(JobState.FAILED, refusal.message)
    except JobTimeoutException:
        running.end(JobState.FAILED, f"It took longer than {kind.minutes:g} minutes and was stopped.")
    except MemoryError:
        running.end(JobState.FAILED, f"It needed more than the {settings.JOB_MEMORY_MB} MB of memory a job may use.")
    except Exception as error:
        log.exception("%s failed", job)
        why = f"It failed unexpectedly ({type(error).__name__}). An administrator finds the details in the log."
        _try_again(job, why, wait=5 * 6**job.failures)
    else:
        if running._mine.exists():
            with running.finish(message or ""):
                pass


def _try_again(job: Job, why: str, wait: int = 0) -> None:
    """Back to waiting, or failed after the last try. Bound to this attempt: a newer one is left alone."""
    mine = Job.objects.filter(pk=job.pk, state=JobState.RUNNING, attempt=job.attempt)
    failures = job.failures + 1
    if failures >= TRIES:
        mine.update(state=JobState.FAILED, failures=failures, message=f"{why} Tried {TRIES} times.", finished_at=timezone.now())
    else:
        due = timezone.now() + timedelta(seconds=wait)
        mine.update(state=JobState.WAITING, failures=failures, message=f"{why} Trying again.", due_at=due)


def sweep() -> int:
    """Revive what stalled, enqueue what is due and not on the queue. Returns how many were moved."""
    now, moved = timezone.now(), 0
    for job in Job.objects.filter(state=JobState.RUNNING, heartbeat_at__lt=now - REVIVE_AFTER):
        log.warning("%s stalled in attempt %s", job, job.attempt)
        _try_again(job, "The worker stopped without a word, perhaps out of memory.")
        moved += 1
    due = list(Job.objects.filter(state=JobState.WAITING, due_at__lte=timezone.now()).order_by("due_at")[:1000])
    if not due:
        return moved
    try:
        queued = set(_queue().get_job_ids())
        for job in due:
            if _queue_id(job) not in queued:
                _enqueue(job)
                moved += 1
    except RedisError as error:
        log.warning("%s jobs wait for the queue: %s", len(due), error)
    return moved


def mend_times(now: datetime) -> None:
    """The clock was set back: a beat that lies ahead counts from now, and what waits until then is due."""
    beats = Job.objects.filter(state=JobState.RUNNING, heartbeat_at__gt=now)
    if beats.exists():
        beats.update(heartbeat_at=now)
    waits = Job.objects.filter(state=JobState.WAITING, due_at__gt=now + LONGEST_WAIT)
    if waits.exists():
        waits.update(due_at=now)


def release_running(*, count_failure: bool) -> int:
    """Give up every running job at once. Only for a supervisor that knows all workers to be its own, and dead."""
    jobs = Job.objects.filter(state=JobState.RUNNING)
    if not count_failure:
        return jobs.update(state=JobState.WAITING, message="The site was stopped meanwhile; it starts again.")
    found = list(jobs)
    for job in found:
        _try_again(job, "The site stopped while it ran.")
    return len(found)
