"""What holds for every endpoint: sessions and CSRF, JSON errors; and the site's own endpoints for administrators."""

import re
import uuid

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from config import accounts
from config.endpoints import api
from config.models import User
from pooling.models import Collection
from pooling.services import collections
from tests import factories
from tests.api.conftest import NO_TOKEN, NOT_FOUND, CallerFor, at, error
from tests.conftest import Cast, ClientFor

pytestmark = pytest.mark.once

TIDE = {"name": "Tide pools", "slug": "tide-pools", "task": "web"}
FORGED = error("forbidden", "The CSRF token is missing or wrong; send X-CSRFToken, or use an API token.")


def post(client: Client, path: str, body: object, **headers: str) -> tuple[int, object]:
    answer = client.post(f"/api/v1{path}", body, content_type="application/json", headers=headers)
    return answer.status_code, answer.json()


def test_session_reads(cast: Cast, client_for: ClientFor) -> None:
    answer = client_for(cast.organizer, csrf=True).get("/api/v1/me").json()
    assert (answer["username"], answer["token"]) == ("olga-organizer", None)


def test_session_writes_need_the_csrf_token(cast: Cast, client_for: ClientFor) -> None:
    client = client_for(cast.organizer, csrf=True)
    client.get("/sign-in/")
    assert post(client, "/collections", TIDE) == (403, FORGED)
    assert post(client, "/collections", TIDE, **{"X-CSRFToken": "wrong"}) == (403, FORGED)
    client.cookies["csrftoken"] = "a" * 32
    assert post(client, "/collections", TIDE, **{"X-CSRFToken": "a" * 32})[0] == 201


def test_token_beats_session_and_needs_no_csrf_token(cast: Cast, client_for: ClientFor) -> None:
    _, secret = accounts.make_token(user=cast.stranger, name="t", scopes=["manage"])
    client = client_for(cast.organizer, csrf=True)
    assert post(client, "/collections", TIDE, Authorization=f"Bearer {secret}")[0] == 201
    assert Collection.objects.get(slug="tide-pools").created_by == cast.stranger


def test_other_kinds_of_authorization(cast: Cast, client_for: ClientFor) -> None:
    answer = client_for(cast.organizer).get("/api/v1/me", headers={"Authorization": "Basic b2xnYTpwdw=="})
    assert (answer.status_code, answer.json()) == (401, error("not_signed_in", "The token is unknown, revoked or expired."))


GIVEN = {"id": "1", "version": "1", "number": "1", "round": "1", "item": "1", "question": "1", "seat": str(uuid.UUID(int=1))}
OPEN = {
    *(
        "list_presets",
        "list_strategies",
        "list_collections",
        "read_collection",
        "list_guidelines",
        "read_guideline",
        "list_topics",
        "download_topics",
        "read_topic",
    ),
    *("list_releases", "read_release", "download_qrels", "read_scores", "download_scores", "download_topic_scores"),
    *(
        "read_leaderboard",
        "compare_runs",
        "read_pool_report",
        "list_measures",
        "read_run_report",
        "read_topic_scores",
        "read_run_scores",
        "download_trec_eval",
    ),
    *("compare_releases", "download_archive", "download_score_archive"),
}


def test_every_operation_but_the_open_ones_needs_sign_in(db: None, caller_for: CallerFor) -> None:
    call = caller_for()
    found = set()
    for path, methods in api.get_openapi_schema()["paths"].items():
        for method, told in methods.items():
            answer = call(method.upper(), re.sub(r"\{(\w+)\}", lambda m: GIVEN.get(m[1], "x"), path.removeprefix("/api/v1")))
            if {} in told["security"]:
                found.add(told["operationId"])
            else:
                assert (answer, call.status) == (NO_TOKEN, 401), (method, path)
    assert found == OPEN


def test_unknown_path(cast: Cast, caller_for: CallerFor) -> None:
    call = caller_for(cast.organizer)
    for path in ("/nothing", "/collections/", "/collections/a%00b", "/jobs/abc", f"/jobs/{10**30}"):
        assert (call("GET", path), call.status) == (NOT_FOUND, 404), path


@pytest.mark.parametrize("key", ["", "k1"])
def test_wrong_method(cast: Cast, caller_for: CallerFor, key: str) -> None:
    call = caller_for(cast.organizer)
    told = error("method_not_allowed", "Expected GET, PATCH; found DELETE.")
    assert (call("DELETE", "/collections/harbour-trials", key=key), call.status) == (told, 405)
    assert call.headers["Allow"] == "GET, PATCH"
    assert call.headers["Content-Type"] == "application/json"


def test_wrong_method_of_the_document(cast: Cast, caller_for: CallerFor) -> None:
    call = caller_for(cast.organizer)
    told = error("method_not_allowed", "Expected GET, HEAD; found POST.")
    assert (call("POST", "/openapi.json"), call.status) == (told, 405)


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b"{nope", "key must be a string at line 1 column 2"),
        (b'{"name": "\\ud800"}', "unexpected end of hex escape at line 1 column 17"),
        (b'{"name": NaN}', "expected value at line 1 column 10"),
        (b"[" * 100_000, "recursion limit exceeded at line 1 column 202"),
        (b'"\xff"', "invalid unicode code point at line 1 column 2"),
    ],
    ids=["syntax", "surrogate", "nan", "deep", "bytes"],
)
def test_unreadable_body(cast: Cast, caller_for: CallerFor, raw: bytes, why: str) -> None:
    call = caller_for(cast.organizer)
    answer = call("POST", "/collections", raw=raw)
    assert (answer, call.status) == (error("bad_request", f"Cannot parse request body: {why}"), 400)


def test_missing_body(cast: Cast, caller_for: CallerFor) -> None:
    call = caller_for(cast.organizer)
    told = at("body", "Expected an entry; found nothing.")
    assert (call("POST", "/collections"), call.status) == (told, 422)


@pytest.mark.parametrize("key", ["", "k1"])
def test_body_that_is_too_large(cast: Cast, caller_for: CallerFor, key: str) -> None:
    call = caller_for(cast.organizer)
    answer = call("POST", "/collections", raw=b'"' + b"a" * 3_000_000 + b'"', key=key)
    assert (answer, call.status) == (error("too_large", "What was sent is larger than this page takes."), 413)


@pytest.mark.parametrize("key", ["", "k1"])
def test_clash_of_two_writers(cast: Cast, caller_for: CallerFor, monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    """Both passed the check for a free slug; the database refuses the second."""
    monkeypatch.setattr(Collection, "full_clean", lambda self: None)
    call = caller_for(cast.organizer)
    answer = call("POST", "/collections", {**TIDE, "slug": "harbour-trials"}, key=key)
    told = "Somebody else changed the same thing at this moment. Read it again, then repeat."
    assert (answer, call.status) == (error("conflict", told), 409)


def test_bug_has_a_reference(cast: Cast, caller_for: CallerFor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collections, "create_collection", lambda **_: 1 / 0)
    call = caller_for(cast.organizer)
    answer = call("POST", "/collections", TIDE)
    reference = answer["error"]["details"]["reference"]
    assert answer == error("server_error", "Nothing that was shown as saved is lost.", reference=reference)
    assert (call.status, len(reference)) == (500, 12)


# The site


SITE: list[tuple[str, str, object]] = [
    ("GET", "/people", None),
    ("PATCH", "/people/1", {}),
    ("DELETE", "/people/1", None),
    ("POST", "/people/1/link", None),
    ("GET", "/status", None),
]


@pytest.mark.parametrize(("method", "path", "body"), SITE)
def test_site_is_for_administrators(cast: Cast, caller_for: CallerFor, method: str, path: str, body: object) -> None:
    call = caller_for(cast.organizer)
    assert (call(method, path, body), call.status) == (NOT_FOUND, 404)


def test_people(cast: Cast, caller_for: CallerFor) -> None:
    call = caller_for(cast.staff)
    assert [person["id"] for person in call.walk("/people?page_size=3")] == list(
        User.objects.order_by("-pk").values_list("pk", flat=True)
    )
    [olga] = call("GET", "/people?q=OLGA")["results"]
    assert olga == {
        "id": cast.organizer.pk,
        "username": "olga-organizer",
        "name": "Olga Organizer",
        "is_machine": False,
        "email": "olga-organizer@example.org",
        "is_active": True,
        "is_staff": False,
        "date_joined": olga["date_joined"],
        "last_login": None,
    }
    told = at("query", "Expected text; found a null character in it.")
    assert call("GET", "/people?q=a%00b") == told


def test_people_query_count(cast: Cast, caller_for: CallerFor, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    call = caller_for(cast.staff)
    call("GET", "/me")
    for count in (1, 3):
        while User.objects.filter(name__contains="Zed").count() < count:
            factories.make_user(f"Zed {User.objects.count()}")
        with django_assert_num_queries(2):  # token, people
            assert len(call("GET", "/people?q=zed")["results"]) == count


def test_edit_person(cast: Cast, caller_for: CallerFor) -> None:
    call, path = caller_for(cast.staff), f"/people/{cast.stranger.pk}"
    answer = call("PATCH", path, {"is_staff": True})
    assert (call.status, answer["is_active"], answer["is_staff"]) == (200, True, True)
    answer = call("PATCH", path, {"is_active": False, "is_staff": False})
    assert (answer["is_active"], answer["is_staff"]) == (False, False)
    assert call("PATCH", "/people/999999", {"is_staff": True}) == NOT_FOUND


def test_delete_person(cast: Cast, caller_for: CallerFor) -> None:
    call, path = caller_for(cast.staff), f"/people/{cast.stranger.pk}"
    answer = call("DELETE", path)
    assert (call.status, answer["name"], answer["email"]) == (200, f"Former member {cast.stranger.pk}", "")
    assert (call("DELETE", path), call.status) == (error("conflict", "This account was deleted already."), 409)
    told = "You cannot delete your own account; ask another administrator."
    assert (call("DELETE", f"/people/{cast.staff.pk}"), call.status) == (error("conflict", told), 409)


def test_edit_oneself_is_refused(cast: Cast, caller_for: CallerFor) -> None:
    call = caller_for(cast.staff)
    told = "You cannot close your own account or give up your own administration; ask another administrator."
    assert (call("PATCH", f"/people/{cast.staff.pk}", {"is_staff": False}), call.status) == (error("conflict", told), 409)


def test_one_time_link(cast: Cast, caller_for: CallerFor) -> None:
    call = caller_for(cast.staff)
    link = call("POST", f"/people/{cast.stranger.pk}/link")["one_time_link"]
    assert call.status == 201
    secret = link.removeprefix("http://127.0.0.1:8000/welcome/").rstrip("/")
    assert accounts.open_link(secret).user == cast.stranger
    cast.stranger.is_active = False
    cast.stranger.save(update_fields=["is_active"])
    assert call("POST", f"/people/{cast.stranger.pk}/link") == NOT_FOUND


def test_status(cast: Cast, caller_for: CallerFor) -> None:
    call = caller_for(cast.staff)
    answer = call("GET", "/status")
    assert call.status == 200
    assert [part["name"] for part in answer["parts"]] == ["database", "queue", "workers", "disk"]
    assert answer["parts"][0]["ok"] is True
    assert answer["ok"] is all(part["ok"] for part in answer["parts"])
