import logging
import signal
import sys
import time
from importlib import import_module
from types import FrameType
from typing import Any

import django_rq
from django.core.management.base import CommandParser
from django.db import connections
from redis.exceptions import RedisError
from rq.exceptions import StopRequested
from rq.serializers import JSONSerializer

from config import health
from config.commands import SiteCommand
from config.process import is_orphan
from config.worker import BEAT, WORKER_TTL

log = logging.getLogger(__name__)
WAIT = 5  # seconds between looks at a queue that is not there


class Command(SiteCommand):
    help = "Run a worker, which does jobs one after the other."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--burst", action="store_true", help="end when no job is left")

    def handle(self, *args: Any, **options: Any) -> None:
        signal.signal(signal.SIGTERM, _end)  # until RQ takes it over
        try:
            while not _work(burst=options["burst"]) and not is_orphan():
                time.sleep(WAIT)
        except StopRequested:  # told to end just as it lost the queue
            pass


def _load() -> None:
    """What every job would else import in a process of its own, which takes a fifth of a short one's time."""
    import_module("numpy.strings")
    connections["default"].ops.compiler("SQLCompiler")


def _end(signum: int, frame: FrameType | None) -> None:
    sys.exit(0)


def _work(*, burst: bool) -> bool:
    """Work until told to stop (or until nothing is left); False when the queue was lost, or was never there."""
    worker = None
    try:
        worker = django_rq.get_worker("default", worker_ttl=WORKER_TTL, job_monitoring_interval=BEAT, serializer=JSONSerializer)
        worker.connection.set_retry(health.ONCE)  # the loops here and in RQ try again; told to end, it ends soon
        _load()
        for connection in connections.all(initialized_only=True):
            connection.close()  # or the job's process would share it with this one
        worker.work(burst=burst)
        lost = "" if burst else "The worker lost the queue and starts again"  # RQ's loop ends without a word after an error
    except RedisError as error:
        lost = f"The queue is not reachable ({error}), next look"
    signal.signal(signal.SIGTERM, _end)  # ours again, and before a word is logged: logging swallows what RQ's would raise
    if not lost or (worker and worker._shutdown_requested_date):
        return True
    log.warning("%s in %s s.", lost, WAIT)
    return False
