"""Every answer: its headers; every error: its own page, or JSON below /api/; static files that are kept for ever."""

import gzip
import json
import logging
import re

import pytest
from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.db import OperationalError, connection
from django.http import Http404, HttpRequest, HttpResponse
from django.templatetags.static import static
from django.test import Client, RequestFactory
from django.urls import path
from pytest_django import Settings

from config import http, urls
from config.errors import Conflict, Refusal, TooMany
from tests.conftest import Cast, ClientFor

ERRORS: dict[str, Exception] = {
    "400": SuspiciousOperation("x"),
    "403": PermissionDenied(),
    "404": Http404(),
    "409": Conflict("It is frozen."),
    "422": Refusal("Expected 6 columns, found 5."),
    "429": TooMany("Too many attempts.", retry_after=60),
    "500": RuntimeError("the password is hunter2"),
    "503": OperationalError("could not connect to hunter2@db"),
}


def fail(request: HttpRequest, how: str) -> HttpResponse:
    raise ERRORS[how]


# The site's own addresses, and ones that fail as they are told.
urlpatterns = [*urls.urlpatterns, path("fail/<str:how>/", fail), path("api/fail/<str:how>/", fail)]
handler400, handler403 = urls.handler400, urls.handler403
handler404, handler500 = urls.handler404, urls.handler500

pytestmark = [pytest.mark.urls(__name__), pytest.mark.once]


@pytest.fixture
def outside() -> Client:
    """Sees what people see: an error is an answer, not an exception of the test."""
    return Client(raise_request_exception=False)


# Error pages


@pytest.mark.parametrize("status", [400, 403, 404, 429, 500, 503])
def test_error_has_our_page_and_words(db: None, outside: Client, status: int) -> None:
    answer = outside.get(f"/fail/{status}/")
    title, happened, remedy = http.WORDS[status]
    page = answer.content.decode()
    assert answer.status_code == status
    assert f"<h1>{title}</h1>" in page
    assert (remedy in page) == (status != 429)  # there the message itself says how long to wait
    assert ("Too many attempts." if status == 429 else happened) in page
    assert "hunter2" not in page


@pytest.mark.parametrize("status", [400, 403, 404, 409, 422, 429, 500, 503])
def test_error_below_the_api_is_json(db: None, outside: Client, status: int) -> None:
    answer = outside.get(f"/api/fail/{status}/")
    assert (answer.status_code, answer["Content-Type"]) == (status, "application/json")
    error = answer.json()["error"]
    assert sorted(error) == ["code", "details", "message"]
    assert "hunter2" not in answer.content.decode()


def test_405_has_our_page_and_says_what_is_allowed(db: None, outside: Client) -> None:
    answer = outside.post("/")
    assert (answer.status_code, answer["Allow"]) == (405, "GET, HEAD")
    assert "<h1>Not that way</h1>" in answer.content.decode()


def test_413_has_our_page(db: None, outside: Client) -> None:
    answer = outside.post("/sign-in/", {"username": "x" * 3_000_000, "password": "x"})
    assert answer.status_code == 413
    assert "<h1>Too large</h1>" in answer.content.decode()


def test_foreign_host_name_is_400_with_our_page(db: None, outside: Client) -> None:
    answer = outside.get("/", headers={"host": "evil.example"})
    assert answer.status_code == 400
    assert "<h1>That request could not be read</h1>" in answer.content.decode()


def test_form_without_its_csrf_token_is_403_with_our_words(cast: Cast, client_for: ClientFor) -> None:
    answer = client_for(cast.organizer, csrf=True).post("/c/harbour-trials/archive/")
    assert answer.status_code == 403
    page = answer.content.decode()
    assert "<h1>This page was too old</h1>" in page
    assert "You signed in or out meanwhile, or your browser sends no cookies. Nothing was changed." in page
    assert "Go back: your browser still has what you typed. Copy it, reload the page, and send it again." in page


def test_429_says_when_to_come_again(db: None, outside: Client) -> None:
    assert outside.get("/fail/429/")["Retry-After"] == "60"


def test_500_shows_a_reference_that_stands_in_the_log(db: None, outside: Client, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        page = outside.get("/fail/500/").content.decode()
    shown = re.search(r"quote <code>([0-9a-f]{12})</code>", page)
    assert shown
    assert f"answered 500 to GET /fail/500/, reference {shown[1]}" in caplog.messages


def test_500_of_the_api_has_the_reference_in_its_details(db: None, outside: Client) -> None:
    error = outside.get("/api/fail/500/").json()["error"]
    assert (error["code"], error["message"]) == ("server_error", http.WORDS[500][1])
    assert re.fullmatch(r"[0-9a-f]{12}", error["details"]["reference"])


def test_refusal_of_the_api_has_code_and_words(db: None, outside: Client) -> None:
    expected = {"error": {"code": "conflict", "message": "It is frozen.", "details": {}}}
    assert outside.get("/api/fail/409/").json() == expected


# A database that does not answer


def unreachable(execute: object, sql: object, params: object, many: object, context: object) -> object:
    raise OperationalError("could not connect to hunter2@db")


@pytest.mark.parametrize("where", ["/", "/c/harbour-trials/", "/profile/", "/sign-in/"])
def test_database_down_is_503_for_somebody_signed_in(cast: Cast, where: str) -> None:
    client = Client(raise_request_exception=False)
    client.force_login(cast.organizer)
    with connection.execute_wrapper(unreachable):
        answer = client.get(where)
    page = answer.content.decode()
    assert (answer.status_code, answer["Retry-After"]) == (503, "5")
    assert "<h1>Not available for a moment</h1>" in page
    assert "hunter2" not in page


@pytest.mark.parametrize(
    "sent", [{}, {"Authorization": "Bearer asz_x"}, {"Idempotency-Key": "1", "Authorization": "Bearer asz_x"}]
)
def test_database_down_is_503_for_programs(db: None, outside: Client, sent: dict[str, str]) -> None:
    with connection.execute_wrapper(unreachable):
        answer = outside.get("/api/v1/collections", headers=sent)
    assert (answer.status_code, answer["Retry-After"]) == (503, "5")
    assert answer.json()["error"]["code"] == "unavailable"


def test_database_down_leaves_the_probe_alive(db: None, outside: Client) -> None:
    with connection.execute_wrapper(unreachable):
        assert outside.get("/healthz").json() == {"status": "alive"}


# Headers

ALWAYS = {
    **http.HEADERS,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


@pytest.mark.parametrize(
    "where",
    [
        "/",
        "/sign-in/",
        "/profile/",
        "/nothing/",
        "/healthz",
        "/api/v1/presets",
        "/api/v1/nothing",
        "/api/fail/500/",
        "/fail/400/",
        "/fail/503/",
    ],
)
def test_headers_are_on_every_answer(db: None, outside: Client, where: str) -> None:
    answer = outside.get(where)
    assert {name: answer.headers.get(name) for name in ALWAYS} == ALWAYS


def test_policy_lets_nothing_in_from_elsewhere_and_nothing_inline() -> None:
    rules = dict(rule.strip().split(" ", 1) for rule in http.CSP.split(";"))
    assert rules == {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "img-src": "'self' data:",
        "font-src": "'self'",
        "connect-src": "'self'",
        "manifest-src": "'self'",
        "form-action": "'self'",
        "base-uri": "'none'",
        "frame-ancestors": "'none'",
    }


def test_pages_are_asked_for_anew(cast: Cast, client_for: ClientFor) -> None:
    assert client_for(cast.organizer).get("/")["Cache-Control"] == "private, no-cache"


def test_pages_are_compressed(cast: Cast, client_for: ClientFor) -> None:
    answer = client_for(cast.organizer).get("/", headers={"Accept-Encoding": "gzip"})
    assert answer["Content-Encoding"] == "gzip"
    assert b"Harbour trials" in gzip.decompress(answer.content)


def test_long_pages_are_compressed_quickly(rf: RequestFactory) -> None:
    long = b"tidal energy " * 20_000
    told = http.Gzip(lambda request: HttpResponse(long))
    answer = told(rf.get("/", headers={"Accept-Encoding": "gzip"}))
    assert isinstance(answer, HttpResponse)
    assert (answer["Content-Encoding"], answer["Content-Length"]) == ("gzip", str(len(answer.content)))
    assert gzip.decompress(answer.content) == long and len(answer.content) < len(long) / 10
    plain = told(rf.get("/"))
    assert isinstance(plain, HttpResponse)
    assert (plain.content == long, plain["Vary"], plain.has_header("Content-Encoding")) == (True, "Accept-Encoding", False)


# Static files


def fetch(client: Client, where: str, encoding: str) -> tuple[dict[str, str], bytes]:
    answer = client.get(where, headers={"Accept-Encoding": encoding})
    body = b"".join(answer.streaming_content)  # type: ignore[attr-defined]
    answer.close()
    return dict(answer.headers), body


@pytest.mark.parametrize("name", ["assize/assize.css", "assize/assize.js"])
def test_hashed_static_files_are_immutable_and_compressed(db: None, client: Client, name: str) -> None:
    where = static(name)
    assert re.fullmatch(r"/static/assize/assize\.[0-9a-f]{12}\.(css|js)", where)
    plain, body = fetch(client, where, "identity")
    assert plain["Cache-Control"] == "max-age=315360000, public, immutable"
    for encoding in ("gzip", "br"):
        headers, packed = fetch(client, where, encoding)
        assert headers["Content-Encoding"] == encoding
        assert len(packed) < len(body)
    assert gzip.decompress(fetch(client, where, "gzip")[1]) == body


def test_static_files_carry_the_headers_too(db: None, client: Client) -> None:
    headers, _ = fetch(client, static("assize/assize.css"), "identity")
    assert {name: headers.get(name) for name in ALWAYS} == ALWAYS


def test_error_words_cover_every_status_they_are_used_for() -> None:
    assert sorted(http.WORDS) == [400, 403, 404, 405, 409, 410, 413, 422, 429, 500, 503]
    assert all(len(words) == 3 and all(word[-1] in ".?" for word in words[1:]) for words in http.WORDS.values())


def test_json_error_has_a_code_even_without_one() -> None:
    answer = http.error(RequestFactory().get("/api/x"), 405)
    assert json.loads(answer.content)["error"]["code"] == "not_that_way"


@pytest.mark.parametrize(
    ("given", "status"),
    [
        ({"CONTENT_LENGTH": "70000"}, 503),
        ({"HTTP_TRANSFER_ENCODING": "chunked"}, 503),
        ({"CONTENT_LENGTH": "60000"}, 200),
        ({}, 200),
    ],
    ids=["large", "of unknown length", "small", "none"],
)
def test_large_bodies_take_half_of_the_threads(settings: Settings, given: dict[str, str], status: int) -> None:
    settings.WEB_THREADS = 3
    large = RequestFactory().post("/api/x", CONTENT_LENGTH="70000")
    answers: list[HttpResponse] = []

    def meanwhile(request: HttpRequest) -> HttpResponse:
        if request is large:
            another = RequestFactory().get("/api/y")
            another.META |= given
            answers.append(bodies(another))
        return HttpResponse()

    bodies = http.Bodies(meanwhile)
    for _ in range(2):  # what was taken in is given back
        assert bodies(large).status_code == 200
    assert [answer.status_code for answer in answers] == [status, status]
    assert [answer.get("Retry-After") for answer in answers] == 2 * ["5" if status == 503 else None]


@pytest.mark.parametrize(
    ("came", "link"),
    [
        ("http://testserver/c/x/pool/?strategy=rrf", "/c/x/pool/?strategy=rrf"),
        ("http://evil.example/c/x/", ""),
        ("http://testserver//evil.example/", ""),
        ("http://[", ""),
    ],
)
def test_an_error_leads_back_to_the_page_before(client: Client, came: str, link: str) -> None:
    page = client.get("/nowhere/", headers={"referer": came, "host": "testserver"}).content.decode()
    assert re.findall(r'href="([^"]*)">Back to the page before', page) == ([link] if link else [])
