"""What the settings make of a start: the secret key, a clean `check --deploy`, and durable connections."""

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection, connections

MANAGE = str(settings.BASE_DIR / "manage.py")


def environment(data: Path, **variables: str) -> dict[str, str]:
    """This one without what is ours, or the tests' own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ASSIZE_", "DJANGO_"))}
    return {**kept, "ASSIZE_DATA": str(data), **variables}


def tell(data: Path, expression: str, **variables: str) -> str:
    """What a process of its own says of its settings."""
    code = f"from config import settings; print(({expression}))"
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=settings.BASE_DIR,
        env=environment(data, **variables),
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()


# The secret key


def test_secret_key_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    first, second = tell(tmp_path, "settings.SECRET_KEY"), tell(tmp_path, "settings.SECRET_KEY")
    assert first == second == (tmp_path / "secret.key").read_text()
    assert len(first) >= 50
    assert stat.S_IMODE((tmp_path / "secret.key").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["secret.key"]


def test_secret_key_is_the_same_for_processes_that_start_at_once(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "from config import settings; print(settings.SECRET_KEY)"]
    crowd = [
        subprocess.Popen(command, cwd=settings.BASE_DIR, env=environment(tmp_path), stdout=subprocess.PIPE, text=True)
        for _ in range(6)
    ]
    keys = {process.communicate(timeout=60)[0].strip() for process in crowd}
    assert keys == {(tmp_path / "secret.key").read_text()}


def test_secret_key_given_is_not_written_down(tmp_path: Path) -> None:
    key = "k" * 50
    assert tell(tmp_path, "settings.SECRET_KEY", ASSIZE_SECRET_KEY=key) == key
    assert list(tmp_path.iterdir()) == []


# What follows from a variable


def test_https_address_turns_on_secure_cookies_and_hsts(tmp_path: Path) -> None:
    names = ("SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE", "SECURE_SSL_REDIRECT", "SECURE_HSTS_SECONDS", "BASE_URL")
    expression = "[" + ", ".join(f"settings.{name}" for name in names) + ", settings.ALLOWED_HOSTS]"
    told = tell(tmp_path, expression, ASSIZE_BASE_URL="https://assize.example.org/")
    hosts = ["127.0.0.1", "[::1]", "assize.example.org", "localhost"]
    assert told == str([True, True, True, 31_536_000, "https://assize.example.org", hosts])


def test_proxy_header_is_believed_only_behind_a_trusted_proxy(tmp_path: Path) -> None:
    expression = "getattr(settings, 'SECURE_PROXY_SSL_HEADER', None)"
    address = "https://assize.example.org"
    assert tell(tmp_path, expression, ASSIZE_BASE_URL=address) == "None"
    believed = tell(tmp_path, expression, ASSIZE_BASE_URL=address, ASSIZE_TRUSTED_PROXIES="1")
    assert believed == str(("HTTP_X_FORWARDED_PROTO", "https"))


@pytest.mark.parametrize("host", ["::1", "127.0.0.1", "localhost"])
def test_address_without_a_base_url_is_the_host_and_port(tmp_path: Path, host: str) -> None:
    shown = f"[{host}]" if ":" in host else host
    assert tell(tmp_path, "settings.BASE_URL", ASSIZE_HOST=host, ASSIZE_PORT="8080") == f"http://{shown}:8080"


def test_queue_socket_by_address_is_kept_as_given(tmp_path: Path) -> None:
    told = tell(tmp_path, "settings.REDIS_URL, settings.REDIS_EMBEDDED", ASSIZE_REDIS_URL="unix:///run/valkey.sock?db=2")
    assert told == str(("unix:///run/valkey.sock?db=2", False))


def test_an_index_in_the_database_needs_postgresql(tmp_path: Path) -> None:
    with pytest.raises(subprocess.CalledProcessError) as refused:
        tell(tmp_path, "settings.SEARCH", ASSIZE_SEARCH="database")
    words = "ASSIZE_SEARCH='database' cannot be used: that needs PostgreSQL; unset it, or set ASSIZE_DATABASE_URL\n"
    assert refused.value.stderr == words
    given = {"ASSIZE_SEARCH": "database", "ASSIZE_DATABASE_URL": "postgres://a:b@127.0.0.1/c"}
    assert tell(tmp_path, "settings.SEARCH", **given) == "database"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("smtp://mail.example.org", ("mail.example.org", 25, "", "", False, False)),
        ("smtp+tls://us%40er:p%3Ass@mail.example.org", ("mail.example.org", 587, "us@er", "p:ss", True, False)),
        ("smtps://mail.example.org:466", ("mail.example.org", 466, "", "", False, True)),
    ],
)
def test_mail_address_sets_port_and_encryption(tmp_path: Path, url: str, expected: tuple[object, ...]) -> None:
    names = ("HOST", "PORT", "HOST_USER", "HOST_PASSWORD", "USE_TLS", "USE_SSL")
    expression = ", ".join(f"settings.EMAIL_{name}" for name in names)
    assert tell(tmp_path, expression, ASSIZE_EMAIL_URL=url) == str(expected)


# check --deploy


def check_deploy(data: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    if connection.vendor == "postgresql":
        variables["ASSIZE_DATABASE_URL"] = os.environ["ASSIZE_DATABASE_URL"]
    return subprocess.run(
        [sys.executable, MANAGE, "check", "--deploy", "--fail-level", "WARNING"],
        env=environment(data, **variables),
        capture_output=True,
        text=True,
        check=False,
    )


def test_deploy_check_is_clean_behind_a_proxy_with_https(tmp_path: Path) -> None:
    ended = check_deploy(tmp_path, ASSIZE_BASE_URL="https://assize.example.org", ASSIZE_TRUSTED_PROXIES="1")
    assert (ended.returncode, ended.stdout) == (0, "System check identified no issues (0 silenced).\n"), ended.stderr


def test_deploy_check_is_clean_on_this_machine_alone(tmp_path: Path) -> None:
    ended = check_deploy(tmp_path)
    assert ended.returncode == 0, ended.stderr


def test_deploy_check_warns_of_plain_http_elsewhere(tmp_path: Path) -> None:
    ended = check_deploy(tmp_path, ASSIZE_BASE_URL="http://assize.example.org")
    assert ended.returncode == 1
    assert "(assize.W002) People reach the site over plain http at assize.example.org." in ended.stderr


# Connections


def sqlite_facts() -> dict[str, object]:
    found = {}
    with connection.cursor() as cursor:
        for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout"):
            cursor.execute(f"PRAGMA {name}")
            found[name] = cursor.fetchone()[0]
    return found


def postgres_facts() -> dict[str, object]:
    found = {}
    with connection.cursor() as cursor:
        for name in ("synchronous_commit", "fsync", "full_page_writes"):
            cursor.execute(f"SHOW {name}")
            found[name] = cursor.fetchone()[0]
    return found


DURABLE: dict[str, dict[str, object]] = {
    "sqlite": {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "busy_timeout": 20_000},
    "postgresql": {"synchronous_commit": "on", "fsync": "on", "full_page_writes": "on"},
}


def facts() -> dict[str, object]:
    return sqlite_facts() if connection.vendor == "sqlite" else postgres_facts()


@pytest.mark.django_db(transaction=True)
def test_connection_is_durable_in_every_thread() -> None:
    found = [facts()]

    def ask() -> None:
        found.append(facts())
        connections.close_all()

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    assert found == [DURABLE[connection.vendor]] * 2


@pytest.mark.django_db(transaction=True)
def test_connection_is_durable_after_it_was_lost() -> None:
    connection.close()
    assert facts() == DURABLE[connection.vendor]


@pytest.mark.django_db
def test_transactions_begin_immediate_on_sqlite() -> None:
    if connection.vendor == "sqlite":
        assert connection.settings_dict["OPTIONS"]["transaction_mode"] == "IMMEDIATE"
        assert getattr(connection, "transaction_mode") == "IMMEDIATE"  # noqa: B009  (SQLite's wrapper alone has it)


def test_web_server_waits_five_seconds_and_keeps_its_connections(tmp_path: Path) -> None:
    """config.wsgi changes what only the web server needs; asked in a process of its own."""
    code = (
        "import config.wsgi; from django.db import connections; d = connections['default'].settings_dict;"
        "o = d['OPTIONS']; print(o.get('timeout'), o.get('connect_timeout'), d['CONN_MAX_AGE'], d['CONN_HEALTH_CHECKS'])"
    )
    variables = {"ASSIZE_DATABASE_URL": os.environ["ASSIZE_DATABASE_URL"]} if connection.vendor == "postgresql" else {}
    told = subprocess.run(
        [sys.executable, "-c", code],
        cwd=settings.BASE_DIR,
        env=environment(tmp_path, **variables),
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    *_, last = told.splitlines()  # before it: that it has loaded
    assert last == ("5 None None False" if connection.vendor == "sqlite" else "None 5 None True")


def test_matrices_are_multiplied_on_one_processor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    threads = '__import__("numpy") and [one["num_threads"] for one in __import__("threadpoolctl").threadpool_info()]'
    assert tell(tmp_path, threads) == "[1]"
