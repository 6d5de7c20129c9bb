"""What has had its time is removed, and what apps want hourly is done: by the sweeper. Every step may be repeated, or cut off anywhere."""

import shutil
from collections.abc import Callable
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.sessions.models import Session
from django.db.models import Q
from django.utils import timezone

from config import jobs, store
from config.models import Job, JobState, OneTimeLink, RememberedAnswer, Throttle

KEEP_ANSWERS = timedelta(days=1)
KEEP_LINKS = timedelta(days=30)
KEEP_OUTPUTS = timedelta(days=30)
Task = Callable[[], int]
TASKS: dict[str, Task] = {}
Mend = Callable[[datetime], None]
TIMES: list[Mend] = [jobs.mend_times]


def hourly(what: str) -> Callable[[Task], Task]:
    """Register a function of an app's tasks.py; it returns how many of `what` it changed."""

    def register(task: Task) -> Task:
        TASKS[what] = task
        return task

    return register


def stamped(mend: Mend) -> Mend:
    """Register a function of an app's tasks.py that brings what it stamps back to the time it is given, if it lies ahead."""
    TIMES.append(mend)
    return mend


def mend_times() -> None:
    """Times that lie ahead, though they were stamped when something happened, are of a clock that was set back since.

    Left alone, what ends some time after them would last so much longer. Asked for by each round of the sweeper."""
    for mend in TIMES:
        mend(timezone.now())


def tidy() -> dict[str, int]:
    """How many of each were removed or changed."""
    now = timezone.now()
    old_links = Q(used_at__lt=now - KEEP_LINKS) | Q(expires_at__lt=now - KEEP_LINKS)
    return {
        "expired sessions": Session.objects.filter(expire_date__lt=now).delete()[0],
        "ended throttles": Throttle.objects.filter(window_ends__lt=now).delete()[0],
        "remembered answers": RememberedAnswer.objects.filter(created_at__lt=now - KEEP_ANSWERS).delete()[0],
        "one-time links": OneTimeLink.objects.filter(old_links).delete()[0],
        "job outputs": _remove_outputs(now - KEEP_OUTPUTS),
        "leftover folders": _remove_asides(),
        **{what: task() for what, task in TASKS.items()},
    }


def _remove_outputs(before: datetime) -> int:
    """The file goes first: cut off in between, the next round finds the row again, while a file alone is found by nobody."""
    count = 0
    for job in Job.objects.filter(finished_at__lt=before).exclude(output="").iterator():
        path = settings.DATA / job.output
        if path.resolve().is_relative_to(settings.DATA.resolve()):
            store.remove(job.output)
            if path.parent.name == str(job.pk) and path.parent.is_dir() and not any(path.parent.iterdir()):
                path.parent.rmdir()
        Job.objects.filter(pk=job.pk).update(output="")
        count += 1
    return count


def _remove_asides() -> int:
    """Folders of attempts that run no more. Listed before the jobs are asked for: one begun in between is not touched."""
    aside = settings.DATA / "aside"
    folders = list(aside.iterdir()) if aside.is_dir() else []
    running = {jobs._queue_id(job) for job in Job.objects.filter(state=JobState.RUNNING).only("pk", "attempt")}
    leftover = [folder for folder in folders if folder.name not in running]
    for folder in leftover:
        shutil.rmtree(folder, ignore_errors=True)
    return len(leftover)
