"""The RQ worker: short heartbeats, a memory limit per job, and job processes that die with their worker."""

import resource

from django.conf import settings
from rq import Worker as RQWorker
from rq.job import Job as QueuedJob
from rq.queue import Queue

from config.process import die_with_parent

# Idle workers report every TTL - 15 s, and a killed one is missed that soon (RQ's default is 420).
WORKER_TTL = 20


class Worker(RQWorker):
    max_connection_wait_time = 5.0  # when the queue is back, jobs go on soon; RQ's own 60 s would pause them a minute

    def main_work_horse(self, job: QueuedJob, queue: Queue) -> None:
        die_with_parent()  # or a killed worker's job would run on unseen, beside its own second attempt
        limit = settings.JOB_MEMORY_MB * 1024 * 1024
        _, most = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (limit if most < 0 else min(limit, most), most))
        super().main_work_horse(job, queue)
