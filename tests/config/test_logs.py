"""Log lines: each with its request, none with a secret, as JSON where that is wanted."""

import json
import logging
import sys

import pytest
from django.test import Client
from pytest_django import Settings

from config import logs
from config.up import Passed, Prefixed


def record(message: str, *args: object, **extra: object) -> logging.LogRecord:
    made = logging.LogRecord("assize.trial", logging.WARNING, __file__, 1, message, args, None)
    made.__dict__.update(extra)
    return made


@pytest.mark.parametrize(
    "secret",
    [
        "/welcome/Zm9vYmFyYmF6cXV4/",
        "/join/MTI:1tQ:abcdefghijkl/",
        "/password/reset/MQ/cxyz12-abcdef0123456789/",
        "asz_abcdefghijklmnopqrstuvwxyz",
    ],
)
def test_no_secret_is_written(secret: str) -> None:
    text = logs.Lines("%(message)s").format(record("Not Found: %s", secret))
    told = logs.Json().format(record("Not Found: %s", secret, facts={"path": secret}))
    kept = secret.rstrip("/").rsplit("/", 1)[-1].removeprefix("asz_")
    assert kept not in text and kept not in told
    assert "…" in text


def test_json_is_one_object_a_line_with_request_and_traceback() -> None:
    token = logs.request_id.set("abc123abc123")
    try:
        raise ValueError("two\nlines")
    except ValueError:
        made = record("it %s", "broke", exc_info=sys.exc_info(), facts={"status": 500})
        told = logs.Json().format(made)
    finally:
        logs.request_id.reset(token)
    assert "\n" not in told
    found = json.loads(told)
    assert {name: found[name] for name in ("level", "logger", "request", "message", "status")} == {
        "level": "WARNING",
        "logger": "assize.trial",
        "request": "abc123abc123",
        "message": "it broke",
        "status": 500,
    }
    assert "ValueError: two" in found["traceback"]


def test_every_answer_names_its_request_and_only_our_proxy_may_choose_the_name(client: Client, settings: Settings) -> None:
    assert len(client.get("/healthz")["X-Request-ID"]) == 12
    given = {"X-Request-ID": "from-the-proxy-1"}
    assert client.get("/healthz", headers=given)["X-Request-ID"] != "from-the-proxy-1"
    settings.TRUSTED_PROXIES = 1
    assert client.get("/healthz", headers=given)["X-Request-ID"] == "from-the-proxy-1"
    assert len(client.get("/healthz", headers={"X-Request-ID": "a b\tc{}" * 3})["X-Request-ID"]) == 12


def test_requests_are_logged_where_it_is_wanted(client: Client, settings: Settings, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "assize.requests"):
        client.get("/healthz")
        assert caplog.messages == []
        settings.LOG_REQUESTS = True
        client.get("/healthz")
    assert caplog.messages[0].startswith("GET /healthz 200, ")


def test_the_supervisor_passes_objects_on_and_makes_one_of_other_lines() -> None:
    made = '{"message": "of a worker"}'
    assert Passed().format(record("%s", made, part="worker-1")) == made
    told = json.loads(Passed().format(record("%s", "of the queue server", part="queue")))
    assert (told["part"], told["message"]) == ("queue", "of the queue server")
    assert Prefixed("%(asctime)s %(message)s").format(record("%s", "hello", part="web")).endswith(" web: hello")


@pytest.mark.django_db
def test_a_request_for_another_host_is_told_in_one_line(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    assert client.get("/", headers={"host": "evil.example"}).status_code == 400
    (told,) = [one for one in caplog.records if one.name == "django.security.DisallowedHost"]
    assert "evil.example" in told.getMessage() and told.exc_info is None
