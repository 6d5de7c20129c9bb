"""Figures for Prometheus, in its text format: what each web process of this machine answered, and how the site stands.

A scrape reaches any one of the web processes, so each writes its own counters to a file, and the one that is asked reads
all. The client library does the same by files of its own; for one histogram and a dozen gauges it would be the larger part.
"""

import os
import threading
import time
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from django.conf import settings
from django.db.models import Count, Min
from django.utils import timezone

from config import backups, health
from config.models import Job, JobState, User

BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
WRITE_EVERY = 1.0  # seconds
TYPE = "text/plain; version=0.0.4; charset=utf-8"

Figure = tuple[str, str, str, float]  # name, kind, about, value


class Answers:
    """How many requests of each kind and status were answered by this process, and how long they took."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._buckets: dict[str, list[int]] = defaultdict(lambda: [0] * (len(BUCKETS) + 1))
        self._seconds: dict[str, float] = defaultdict(float)
        self._statuses: dict[tuple[str, str], int] = defaultdict(int)
        self._written = 0.0

    def count(self, kind: str, status: int, seconds: float) -> None:
        with self._lock:
            self._buckets[kind][bisect_left(BUCKETS, seconds)] += 1
            self._seconds[kind] += seconds
            self._statuses[kind, f"{status // 100}xx"] += 1
            if (now := time.monotonic()) - self._written < WRITE_EVERY:
                return
            self._written = now
            text = "".join(self.lines())
        write(text)

    def lines(self) -> Iterator[str]:
        process = ("process", str(os.getpid()))
        for (kind, status), count in self._statuses.items():
            yield line("assize_requests_total", count, ("kind", kind), ("status", status), process)
        for kind, buckets in self._buckets.items():
            total = 0
            for most, count in zip((*map(str, BUCKETS), "+Inf"), buckets, strict=True):
                total += count
                yield line("assize_request_seconds_bucket", total, ("kind", kind), ("le", most), process)
            yield line("assize_request_seconds_sum", round(self._seconds[kind], 6), ("kind", kind), process)
            yield line("assize_request_seconds_count", total, ("kind", kind), process)


answers = Answers()


def line(name: str, value: float, *labels: tuple[str, str]) -> str:
    within = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels)
    return f"{name}{{{within}}} {value}\n" if within else f"{name} {value}\n"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _folder() -> Path:
    path: Path = settings.DATA / "metrics"
    return path


def write(text: str) -> None:
    """This process's own file. On a full disk the figures are old, and pages go on."""
    try:
        _folder().mkdir(parents=True, exist_ok=True)
        aside = _folder() / f".{os.getpid()}.{threading.get_ident()}"
        aside.write_text(text)
        aside.replace(_folder() / str(os.getpid()))
    except OSError:
        pass


def _written() -> Iterator[str]:
    """The lines of all processes that live; the files of others go."""
    for file in sorted(_folder().glob("[0-9]*")):
        if Path(f"/proc/{file.name}").exists() or not Path("/proc/self").exists():
            yield from file.read_text().splitlines(keepends=True)
        else:
            file.unlink(missing_ok=True)


def _described(name: str, kind: str, about: str, lines: Iterable[str]) -> Iterator[str]:
    yield f"# HELP {name} {about}\n# TYPE {name} {kind}\n"
    yield from lines


def page(apps: Iterable[Figure]) -> str:
    """Everything at once. The site's own counts are read from the database, and are the same whichever machine is asked."""
    write("".join(answers.lines()))
    asked = list(_written())
    totals = [one for one in asked if one.startswith("assize_requests_total")]
    seconds = [one for one in asked if one.startswith("assize_request_seconds")]
    up = [line("assize_part_up", int(part.ok), ("part", part.name)) for part in health.parts()]
    jobs = dict(Job.objects.values_list("state").annotate(count=Count("pk")))
    by_state = [line("assize_jobs", jobs.get(state, 0), ("state", state)) for state in JobState.values]
    return "".join(
        [
            *_described("assize_requests_total", "counter", "Requests answered, by kind and class of status.", totals),
            *_described("assize_request_seconds", "histogram", "Seconds until the answer, by kind.", seconds),
            *_described("assize_part_up", "gauge", "1 while a part of the site is well.", up),
            *_described("assize_jobs", "gauge", "Jobs by state.", by_state),
            *(
                text
                for name, kind, about, value in (*_own(), *apps)
                for text in _described(name, kind, about, [line(name, value)])
            ),
        ]
    )


def _own() -> Iterator[Figure]:
    now = timezone.now()
    oldest = Job.objects.filter(state=JobState.WAITING, due_at__lte=now).aggregate(at=Min("due_at"))["at"]
    waited = round((now - oldest).total_seconds(), 1) if oldest else 0
    yield "assize_job_oldest_waiting_seconds", "gauge", "Age of the job that has waited longest.", waited
    yield "assize_accounts", "gauge", "Accounts that are open.", User.objects.filter(is_active=True).count()
    backup = backups.last()
    made = int(backup.made_at.timestamp()) if backup else 0
    yield "assize_last_backup_timestamp_seconds", "gauge", "When the last backup was made; 0 without one.", made
