"""The RQ worker: short heartbeats, a memory limit per job, and job processes that die with their worker."""

import os
import resource
import time
from collections.abc import Callable
from typing import Any

from django.conf import settings
from redis.client import Pipeline
from rq import Worker as RQWorker
from rq import worker_registration
from rq.exceptions import StopRequested
from rq.job import Job as RQJob
from rq.queue import Queue
from rq.utils import import_attribute

from config.process import die_with_parent

# Seconds between a worker's reports, idle or beside its job (RQ's defaults are 405 and 30). See health.WORKER_SILENT_AFTER.
BEAT = 2
WORKER_TTL = BEAT + 15  # RQ takes off 15 of it for the wait of an idle one
JOB_NICE = 15  # whoever judges comes first: a busy web server leaves jobs a thirtieth of a processor


# The one function that the queue may call; config.jobs enqueues nothing else.
FUNCTION = "config.jobs.run"


class Forged(Exception):
    """Something on the queue that this site did not put there."""


class QueuedJob(RQJob):
    """RQ calls whatever function a message names, by import; whoever reaches the queue server could run anything.

    Ours calls one function with a number, and knows no callbacks. A message in pickle cannot be read at all: see RQ_QUEUES.
    """

    success_callback = failure_callback = stopped_callback = None

    @property
    def func(self) -> Callable[..., object]:
        given = (self.func_name, self.instance, len(self.args), bool(self.kwargs))
        if given != (FUNCTION, None, 1, False) or type(self.args[0]) is not int:
            raise Forged(f"the queue asks for {str(self.func_name)[:80]}, which is not a job of this site")
        function: Callable[..., object] = import_attribute(FUNCTION)
        return function


class Worker(RQWorker):
    connection_timeout = BEAT + 3  # a queue whose clock is set back keeps who waits for jobs waiting; RQ's own is 7 s longer
    max_connection_wait_time = 5.0  # when the queue is back, jobs go on soon; RQ's own 60 s would pause them a minute

    def bootstrap(self, *args: Any, **options: Any) -> None:
        """RQ hears signals only after it has told of itself: stopped in between, it would be shown as alive."""
        self._install_signal_handlers()
        super().bootstrap(*args, **options)

    def work(self, *args: Any, **options: Any) -> bool:
        try:
            return bool(super().work(*args, **options))
        except StopRequested:  # before it began to wait for jobs
            self.teardown()
            return False

    def heartbeat(self, timeout: int | None = None, pipeline: Pipeline | None = None) -> None:
        """A queue that was emptied has forgotten its workers: each tells of itself again, or health would call it dead."""
        if not self.connection.sismember(worker_registration.REDIS_WORKER_KEYS, self.key):
            self.connection.hset(self.key, mapping=self.serialize())
            worker_registration.register(self)
        super().heartbeat(timeout, pipeline)

    def monitor_work_horse(self, job: RQJob, queue: Queue) -> None:
        self._job_began = time.monotonic()
        super().monitor_work_horse(job, queue)

    def set_current_job_working_time(self, current_job_working_time: float, pipeline: Pipeline | None = None) -> None:
        """RQ goes by the clock of day: a job would be killed when that is set ahead by more than its limit."""
        spent = time.monotonic() - self._job_began if current_job_working_time else 0.0
        super().set_current_job_working_time(spent, pipeline)

    def main_work_horse(self, job: RQJob, queue: Queue) -> None:
        os.nice(JOB_NICE)
        die_with_parent()  # or a killed worker's job would run on unseen, beside its own second attempt
        limit = settings.JOB_MEMORY_MB * 1024 * 1024
        _, most = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (limit if most < 0 else min(limit, most), most))
        super().main_work_horse(job, queue)
