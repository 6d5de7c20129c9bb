"""kill -9 of real processes in mid-work, at random moments; and a job that is put back until enough of them were killed.

Few kills by default; `make kills` tries the number that was promised.
"""

import hashlib
import os
import random
import signal
import time
from collections.abc import Callable

from django.db import connection, connections
from django.urls import get_resolver

from config import jobs
from config.models import Job, JobState

KILLS = int(os.environ.get("KILLS", "3"))


def run_in_a_process(job: Job, seconds: float | None = None) -> bool:
    """Run the job in a process of its own, killed with -9 after so many seconds; whether it ended by itself."""
    connections.close_all()
    pid = os.fork()
    if not pid:
        try:
            jobs.run(job.pk)
        finally:
            os._exit(0)
    if seconds is not None:
        time.sleep(seconds)
        os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    assert os.WIFEXITED(status) or os.WTERMSIG(status) == signal.SIGKILL
    return os.WIFEXITED(status)


def digest(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def kill_often(again: Callable[[], Job], seen: Callable[[], str]) -> None:
    """KILLS processes that had begun the job die by our signal: what is seen is the old or the new after each, and in the
    end what a run that nobody disturbed gave. `again` puts the old back and asks for the job, `seen` is a digest of all
    that others see. A process that ended by itself counts for nothing."""
    assert get_resolver().url_patterns  # with all they import: else many a kill would hit nothing but imports
    job, old, began = again(), seen(), time.monotonic()
    assert run_in_a_process(job)
    lasts, new = time.monotonic() - began, seen()
    assert new != old
    draw, kills, cut, job = random.Random(7), 0, 0, again()
    assert seen() == old
    while kills < KILLS:
        ended = run_in_a_process(job, draw.uniform(0, lasts))
        assert seen() in (old, new)
        _wait_for_the_server()
        state, at = seen(), Job.objects.get(pk=job.pk).state
        assert state == (new if at == JobState.DONE else old)
        lasts *= 0.9 if ended else 1.02  # so that some end by themselves: the kills reach to the end, and not beyond it
        if not ended and at != JobState.WAITING:
            kills, cut = kills + 1, cut + (state == old)
        jobs.release_running(count_failure=False)
        if at != JobState.DONE and kills % 2:  # the next kill finds what this one left
            continue
        if at != JobState.DONE:
            assert run_in_a_process(job)
        assert (seen(), Job.objects.get(pk=job.pk).state) == (new, JobState.DONE)
        job = again()
        assert seen() == old
    assert cut, "some kills came before the end"
    assert run_in_a_process(job) and seen() == new


def _wait_for_the_server() -> None:
    """PostgreSQL ends what a client that died had begun: a commit may come a moment after the kill."""
    others = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    until = time.monotonic() + 60
    with connection.cursor() as cursor:
        while connection.vendor == "postgresql" and cursor.execute(others).fetchone():
            assert time.monotonic() < until, "the server still serves a process that was killed"
            time.sleep(0.01)
