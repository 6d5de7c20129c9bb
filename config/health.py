"""Is each part alive? For probes, the status page, and the banner that says when jobs wait."""

import functools
import shutil
import time
from dataclasses import dataclass

import redis
from django.conf import settings
from django.db import connection, connections
from django.http import HttpRequest
from django.utils import timezone
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry
from rq import Worker
from rq.utils import as_text, utcparse

from config.sqlite.base import DatabaseWrapper as Sqlite

WORKER_SILENT_AFTER = 8  # seconds; a worker reports every 2, and 10 after its death everybody is to know
DISK_LEAST = 500 * 1024 * 1024
# redis-py's own default tries ten times, for seconds: whoever asks here tries again later, and has something to tell meanwhile.
ONCE = Retry(NoBackoff(), 1)


@dataclass(frozen=True)
class Part:
    name: str
    ok: bool
    detail: str


@functools.cache
def _queue() -> "redis.Redis":
    # Short timeouts: a queue that hangs must not hang a page.
    return redis.Redis.from_url(settings.REDIS_URL, socket_connect_timeout=1, socket_timeout=1, retry=ONCE)


def durability() -> dict[str, str]:
    """What decides whether a commit survives a power cut, as this process's own connection tells it."""
    own = connections["default"]
    if isinstance(own, Sqlite):
        own.ensure_connection()
        own.require_file()
        names, ask = ["journal_mode", "synchronous", "foreign_keys"], "PRAGMA {}"
    else:
        names, ask = ["synchronous_commit", "fsync", "full_page_writes"], "SHOW {}"
    found = {}
    with connection.cursor() as cursor:
        for name in names:
            cursor.execute(ask.format(name))
            found[name] = str(cursor.fetchone()[0]).lower()
    return found


def database() -> Part:
    try:
        told = ", ".join(f"{name}={value}" for name, value in durability().items())
        return Part("database", True, f"{connection.display_name} answers: {told}")
    except Exception as error:
        return Part("database", False, str(error))


def queue() -> Part:
    try:
        info = _queue().info()
    except (RedisError, OSError) as error:
        return Part("queue", False, str(error).rstrip("."))
    policy = info.get("maxmemory_policy", "noeviction")
    if policy != "noeviction":
        return Part("queue", False, f"it may throw jobs away (maxmemory-policy {policy}); set noeviction")
    return Part("queue", True, f"{info.get('server_name', 'redis')} {info.get('valkey_version', info.get('redis_version'))}")


def workers() -> Part:
    try:
        asked = _queue().pipeline(transaction=False)
        for key in Worker.all_keys(connection=_queue()):  # no more of RQ: its workers set the connection's timeout to minutes
            asked.hget(key, "last_heartbeat")
        told = asked.execute()
    except (RedisError, OSError):
        return Part("workers", False, "unknown while the queue is down")
    now = timezone.now()
    beats = [(now - utcparse(as_text(beat))).total_seconds() for beat in told if beat]
    alive = sum(abs(beat) < WORKER_SILENT_AFTER for beat in beats)  # ahead: the clock was set back
    return Part("workers", alive > 0, f"{alive} alive" if alive else "none is alive")


def disk() -> Part:
    try:
        free = shutil.disk_usage(settings.DATA).free
    except OSError as error:
        return Part("disk", False, str(error))
    return Part("disk", free > DISK_LEAST, f"{free / 1e9:,.1f} GB free")


def parts() -> list[Part]:
    return [database(), queue(), workers(), disk()]


_known: tuple[float, str] = (0.0, "")
_began = time.monotonic()
WORKERS_WITHIN = 60  # seconds from the start: until then the first of them may still be loading, and nobody is alarmed


def jobs_wait() -> str:
    """The sentence of the banner, or nothing. Asked at most every 3 seconds by each process."""
    global _known
    if time.monotonic() - _known[0] > 3 or _known[0] == 0:
        sentence = ""
        if not queue().ok:
            sentence = "The job queue is not reachable: judging and reading go on, jobs wait and start by themselves."
        elif time.monotonic() - _began > WORKERS_WITHIN and not workers().ok:
            sentence = "No worker is running: judging and reading go on, jobs wait and start by themselves."
        _known = (time.monotonic(), sentence)
    return _known[1]


def banner(request: HttpRequest) -> dict[str, object]:
    """Context processor: nothing is asked for strangers, nor for error pages."""
    signed_in = hasattr(request, "user") and request.user.is_authenticated
    return {"jobs_wait": jobs_wait() if signed_in else "", "site_name": settings.SITE_NAME}
