"""A write with an Idempotency-Key is done once, however often it is sent."""

import pytest

from config.models import ApiToken, OneTimeLink, RememberedAnswer
from pooling.models import Collection, Guideline, Invitation
from tests.api.conftest import CallerFor, error
from tests.conftest import Cast

HARBOUR = "/collections/harbour-trials"
TIDE = {"name": "Tide pools", "slug": "tide-pools", "task": "web"}


def test_same_key_same_answer(cast: Cast, caller_for: CallerFor) -> None:
    call = caller_for(cast.organizer)
    first = call("POST", "/collections", TIDE, key="k1")
    assert (call.status, "Idempotency-Replayed" in call.headers) == (201, False)
    again = call("POST", "/collections", TIDE, key="k1")
    assert (call.status, call.headers["Idempotency-Replayed"]) == (201, "true")
    assert again == first
    assert Collection.objects.filter(slug="tide-pools").count() == 1


def test_lists_and_empty_answers_are_repeated_too(cast: Cast, caller_for: CallerFor) -> None:
    call = caller_for(cast.organizer)
    made = call("POST", f"{HARBOUR}/invitations", {"role": "assessor"}, key="k1")
    assert call("POST", f"{HARBOUR}/invitations", {"role": "assessor"}, key="k1") == made
    assert Invitation.objects.count() == 1
    member = cast.collection.memberships.get(user=cast.assessor)
    for _ in range(2):
        assert call("DELETE", f"{HARBOUR}/members/{member.pk}", key="k2") is None
        assert call.status == 204


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [("POST", "/collections", {**TIDE, "name": "Other"}), ("POST", f"{HARBOUR}/guidelines", TIDE), ("PATCH", HARBOUR, TIDE)],
    ids=["body", "path", "method"],
)
def test_key_of_another_request(cast: Cast, caller_for: CallerFor, method: str, path: str, body: object) -> None:
    call = caller_for(cast.organizer)
    call("POST", "/collections", TIDE, key="k1")
    told = error("conflict", "This Idempotency-Key was used for another request.")
    assert (call(method, path, body, key="k1"), call.status) == (told, 409)
    assert Guideline.objects.count() == 0


def test_failed_request_leaves_its_key_unused(cast: Cast, caller_for: CallerFor) -> None:
    call = caller_for(cast.organizer)
    for body in ({**TIDE, "slug": "Bad slug"}, {**TIDE, "task": "karaoke"}, {}):
        call("POST", "/collections", body, key="k1")
        assert call.status == 422
    assert call("POST", "/collections", TIDE, key="k1")["slug"] == "tide-pools"
    assert call.status == 201


def test_keys_belong_to_their_user(cast: Cast, caller_for: CallerFor) -> None:
    one, other = caller_for(cast.organizer), caller_for(cast.stranger)
    one("POST", "/collections", TIDE, key="k1")
    other("POST", "/collections", {**TIDE, "slug": "tide-pools-2"}, key="k1")
    assert (one.status, other.status) == (201, 201)


def test_secret_is_neither_kept_nor_repeated(cast: Cast, caller_for: CallerFor) -> None:
    call = caller_for(cast.stranger)
    body = {"name": "laptop", "scopes": ["read"]}
    first = call("POST", "/tokens", body, key="k1")
    assert first["secret"].startswith("asz_")
    assert call("POST", "/tokens", body, key="k1") == {**first, "secret": None}
    assert first["secret"] not in RememberedAnswer.objects.get().body
    assert ApiToken.objects.filter(name="laptop").count() == 1


def test_machines_secret_and_one_time_link_neither(cast: Cast, caller_for: CallerFor) -> None:
    call = caller_for(cast.staff)
    path, body = f"{HARBOUR}/machines", {"name": "bot"}
    first = call("POST", path, body, key="k1")
    assert call("POST", path, body, key="k1") == {**first, "secret": None}
    link = f"/people/{cast.stranger.pk}/link"
    assert call("POST", link, key="k2")["one_time_link"].startswith("http://127.0.0.1:8000/welcome/")
    assert call("POST", link, key="k2") == {"one_time_link": None}
    assert OneTimeLink.objects.count() == 1
    assert [answer.body.count("asz_") for answer in RememberedAnswer.objects.all()] == [1, 0]  # the token's prefix alone


def test_word_secret_in_an_answer_is_no_secret(cast: Cast, caller_for: CallerFor) -> None:
    call = caller_for(cast.organizer)
    first = call("PATCH", HARBOUR, {"name": "secret", "measures": ["secret"]}, key="k1")
    assert call("PATCH", HARBOUR, {"name": "secret", "measures": ["secret"]}, key="k1") == first


def test_key_on_a_read_is_ignored(cast: Cast, caller_for: CallerFor) -> None:
    call = caller_for(cast.organizer)
    call("GET", "/me", key="k1")
    assert (call.status, RememberedAnswer.objects.count()) == (200, 0)


def test_long_key(cast: Cast, caller_for: CallerFor) -> None:
    call = caller_for(cast.organizer)
    told = error("invalid", "An Idempotency-Key has at most 200 characters.")
    assert (call("POST", "/collections", TIDE, key="k" * 201), call.status) == (told, 422)
    call("POST", "/collections", TIDE, key="k" * 200)
    assert call.status == 201
