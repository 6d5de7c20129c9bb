"""Start-up checks of our own, each with an id and a hint. `check --deploy` runs the ones that ask the servers too."""

from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.db import DatabaseError, connection

from config import env, health


@register("assize")
def known_variables(**kwargs: object) -> list[CheckMessage]:
    return [
        Warning(
            f"{name} is set, but nothing reads it.",
            hint=f"Did you mean {near}?" if near else "docs/settings.md lists all variables.",
            id="assize.W001",
        )
        for name, near in env.unknown()
    ]


@register("assize")
def safe_serializer(**kwargs: object) -> list[CheckMessage]:
    used = {name: queue.get("SERIALIZER", "pickle") for name, queue in settings.RQ_QUEUES.items()}
    return [
        Error(f"Queue {name} uses the serializer {given}.", hint="Use rq.serializers.JSONSerializer.", id="assize.E001")
        for name, given in used.items()
        if given != "rq.serializers.JSONSerializer"
    ]


@register(Tags.security, deploy=True)
def plain_http(**kwargs: object) -> list[CheckMessage]:
    host = urlsplit(settings.BASE_URL).hostname or ""
    if settings.HTTPS or host in settings.LOOPBACK:
        return []
    hint = "Put a proxy with a certificate in front and set ASSIZE_BASE_URL to its https:// address."
    return [Warning(f"People reach the site over plain http at {host}.", hint=hint, id="assize.W002")]


@register("assize", deploy=True)
def durable_database(**kwargs: object) -> list[CheckMessage]:
    """A judgment shown as saved must survive a power cut: read the settings from the connection itself."""
    if connection.vendor == "sqlite":
        wanted = {"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1"}
    else:
        wanted = {"synchronous_commit": "on", "fsync": "on", "full_page_writes": "on"}
    try:
        found = health.durability()
    except DatabaseError as error:
        return [Error(f"The database does not answer: {error}", hint="Check ASSIZE_DATABASE_URL.", id="assize.E002")]
    return [
        Error(f"The database runs with {name}={found[name]}, not {value}.", hint="Judgments could be lost.", id="assize.E003")
        for name, value in wanted.items()
        if found[name] != value
    ]


@register("assize", deploy=True)
def keeping_queue(**kwargs: object) -> list[CheckMessage]:
    part = health.queue()
    if part.ok or settings.REDIS_EMBEDDED:
        return []
    return [Error(f"The job queue is not usable: {part.detail}.", hint="Check ASSIZE_REDIS_URL.", id="assize.E004")]
