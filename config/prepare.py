"""What must be done before the site serves: checks, migrations, static files. And what the supervisor asks the database.

Apart from config/up.py because it loads Django, which takes a second: the supervisor starts the web server first
when nothing has changed since last time, and loads this beside it.
"""

import fcntl
import hashlib
import importlib.metadata
import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import django
from django.conf import settings


def _code() -> str:
    """Changes when the program does: migrations, static files, and the versions of what brings some too."""
    mark = hashlib.sha256(str(settings.DATABASES["default"]["ENGINE"]).encode())
    for name in ("assize", "django", "django-htmx", "django-rq", "whitenoise"):
        mark.update(f"{name} {importlib.metadata.version(name)}\n".encode())
    for pattern in ("*/migrations/*.py", "*/static/**/*"):
        for path in sorted(settings.BASE_DIR.glob(pattern)):
            stat = path.stat()
            mark.update(f"{path} {stat.st_size} {stat.st_mtime_ns}\n".encode())
    return mark.hexdigest()


def _stamp() -> Path:
    path: Path = settings.DATA / "prepared.json"
    return path


def _known() -> dict[str, object]:
    try:
        return dict(json.loads(_stamp().read_text()))
    except (OSError, ValueError):
        return {}


def is_prepared() -> bool:
    """Nothing has changed since the last time, neither program nor database (a restored backup may be older)."""
    return bool(_known() == {"code": _code(), "applied": _applied()})


MIGRATIONS = "SELECT app, name FROM django_migrations"


def _applied() -> list[list[str]] | None:
    """The migrations that the database has seen, sorted, asked for without Django; None when it does not tell."""
    if "sqlite" not in str(settings.DATABASES["default"]["ENGINE"]):
        return _applied_on_postgres()
    try:
        with closing(sqlite3.connect(f"file:{settings.DATABASES['default']['NAME']}?mode=ro", uri=True)) as connection:
            return sorted(list(row) for row in connection.execute(MIGRATIONS))
    except sqlite3.Error:
        return None


def _applied_on_postgres() -> list[list[str]] | None:
    import psycopg

    database: dict[str, Any] = dict(settings.DATABASES["default"])
    names = {"dbname": "NAME", "user": "USER", "password": "PASSWORD", "host": "HOST", "port": "PORT"}
    given: dict[str, Any] = {word: database[name] for word, name in names.items() if database[name]}
    try:
        with psycopg.connect(**{"connect_timeout": 5, **given, **database["OPTIONS"]}) as connection:
            return sorted(list(row) for row in connection.execute(MIGRATIONS))
    except psycopg.Error:
        return None


def prepare() -> None:
    """Migrate and collect static files. Raises CannotStart with the reason."""
    load_django()
    from django.core.management import call_command
    from django.db import DatabaseError
    from django.db.migrations.recorder import MigrationRecorder

    require_checks()
    try:
        call_command("migrate", interactive=False, verbosity=0)
    except DatabaseError as error:
        raise CannotStart(f"The database does not answer: {str(error).strip()}. Check ASSIZE_DATABASE_URL.") from None
    if not (_known().get("code") == _code() and settings.STATIC_ROOT.is_dir()):  # compressing takes longer than the rest
        call_command("collectstatic", interactive=False, verbosity=0, clear=True)
    applied = sorted(list(row) for row in MigrationRecorder.Migration.objects.values_list("app", "name"))
    aside = _stamp().with_suffix(".aside")
    aside.write_text(json.dumps({"code": _code(), "applied": applied}))
    aside.replace(_stamp())


def load_django() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()


class CannotStart(Exception):
    """Why the site does not start, in words for who typed the command."""


def require_checks() -> None:
    """Our own start-up checks; Django's are for developers, and loading every page for them costs another second."""
    from django.core.checks import run_checks

    for message in run_checks(tags=["assize"]):
        if message.is_serious():
            raise CannotStart(f"{message.msg} {message.hint or ''}")


def give_back_jobs(*, count_failure: bool) -> None:
    """Running jobs wait again: all workers of an embedded queue are the supervisor's own, and none is alive now."""
    load_django()
    from django.db import DatabaseError, connection

    from config import jobs

    if not settings.REDIS_EMBEDDED:
        return
    try:
        jobs.release_running(count_failure=count_failure)
    except DatabaseError:  # the sweeper revives them when they have been silent for long enough
        pass
    finally:
        connection.close()


def running_address() -> str:
    """The address of the site that runs on this data folder, as its supervisor wrote it; empty when none does."""
    try:
        with (settings.DATA / "up.lock").open() as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except OSError:  # held, so it runs
                return file.read().strip().rpartition(" ")[2].rstrip("/")
    except OSError:
        pass
    return ""


def first_link() -> str:
    """The address with which the first administrator makes the account; empty when there is one."""
    from django.db import connection

    from config import accounts

    try:
        return "" if accounts.has_administrator() else settings.BASE_URL + accounts.make_link(None)
    finally:
        connection.close()
