import logging
import signal
import threading
import time
from types import FrameType
from typing import Any

from django.core.management.base import CommandParser
from django.db import DatabaseError, close_old_connections
from redis.exceptions import RedisError

from config import housekeeping, jobs
from config.commands import SiteCommand
from config.process import is_orphan

log = logging.getLogger(__name__)
SWEEP_EVERY = 5  # seconds
MOVED = 1.0  # seconds by which a clock that was set differs at least
TIDY_EVERY = 3600


class Command(SiteCommand):
    help = "Start again what stalled, enqueue what the queue forgot, and tidy up, for ever."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--once", action="store_true", help="one round, then end")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["once"]:
            housekeeping.mend_times()
            self.say(f"{jobs.sweep()} jobs moved.")
            for what, count in housekeeping.tidy().items():
                self.say(f"{count} {what} removed.")
            return
        stop = threading.Event()

        def end(signum: int, frame: FrameType | None) -> None:
            stop.set()

        signal.signal(signal.SIGTERM, end)
        signal.signal(signal.SIGINT, end)
        log.info("Sweeping every %s s", SWEEP_EVERY)
        sweep_until(stop)


def sweep_until(stop: threading.Event) -> None:
    tidied = -float(TIDY_EVERY)
    while not stop.is_set() and not is_orphan():
        ahead = _ahead()
        try:
            close_old_connections()  # a database that was away gets a new connection
            housekeeping.mend_times()
            jobs.sweep()
            if time.monotonic() - tidied >= TIDY_EVERY:
                tidied = time.monotonic()
                housekeeping.tidy()
        except (DatabaseError, RedisError, OSError) as error:
            log.error("This round of sweeping failed, the next comes in %s s: %s", SWEEP_EVERY, error)
        except Exception:  # whatever it is, jobs must not wait for somebody to notice a dead sweeper
            log.exception("This round of sweeping failed, the next comes in %s s", SWEEP_EVERY)
        _rest(stop, ahead)


def _ahead() -> float:
    """The clock of day before the one that nobody sets; it changes when somebody sets the clock."""
    return time.time() - time.monotonic()


def _rest(stop: threading.Event, ahead: float) -> None:
    """Until the next round. Where the clock is set back it comes at once, for what is held would be held longer; where it is set
    ahead, when each job that runs has told of itself by the new time, for it would seem to have stalled."""
    left = SWEEP_EVERY
    while left > 0 and not stop.wait(1):
        left, before, ahead = left - 1, ahead, _ahead()
        if ahead < before - MOVED:
            return
        if ahead > before + MOVED:
            left = 2 * jobs.BEAT
