"""Oneself and one's tokens over the API: scopes, expiry, revocation."""

from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from config import accounts
from config.models import ApiToken
from pooling.services import members
from tests.api.conftest import NO_TOKEN, NOT_FOUND, Caller, CallerFor, at, error
from tests.conftest import Cast

pytestmark = pytest.mark.once

UNKNOWN = error("not_signed_in", "The token is unknown, revoked or expired.")
TOKEN = {"name": "laptop", "scopes": ["read"]}


def test_name_and_email_are_changed_by_the_rules_of_the_page(cast: Cast, caller_for: CallerFor) -> None:
    call = caller_for(cast.assessor)
    assert call("PATCH", "/me", {"name": " Mirja "})["name"] == "Mirja"
    assert call("PATCH", "/me", {"email": "mirja@example.org"})["email"] == "mirja@example.org"
    for bad in ({"name": ""}, {"email": "x"}, {"email": cast.organizer.email}, {"name": None}, {"is_staff": True}):
        assert call("PATCH", "/me", bad)["error"]["code"] == "invalid" and call.status == 422
    known = call("GET", "/me")
    assert (known["name"], known["email"], known["is_staff"]) == ("Mirja", "mirja@example.org", False)
    caller_for(cast.assessor, "read", "judge")("PATCH", "/me", {"name": "Jo"})
    assert call("GET", "/me")["name"] == "Mirja"


def test_me(cast: Cast, caller_for: CallerFor) -> None:
    call = caller_for(cast.assessor, "read", "judge")
    answer = call("GET", "/me")
    token = ApiToken.objects.get(user=cast.assessor)
    since = answer["roles"][0]["since"]
    assert call.status == 200
    assert answer == {
        "id": cast.assessor.pk,
        "username": "member-assessor",
        "name": "Member assessor",
        "is_machine": False,
        "email": "member-assessor@example.org",
        "is_staff": False,
        "roles": [{"collection": "harbour-trials", "role": "assessor", "since": since}],
        "token": {
            "id": token.pk,
            "name": "test",
            "owner": "member-assessor",
            "prefix": token.prefix,
            "scopes": ["judge", "read"],
            "state": "active",
            "created_at": answer["token"]["created_at"],
            "expires_at": None,
            "last_used_at": None,
        },
    }


def test_me_needs_a_token(db: None, caller_for: CallerFor) -> None:
    call = caller_for()
    assert (call("GET", "/me"), call.status) == (NO_TOKEN, 401)
    assert call.headers["WWW-Authenticate"] == "Bearer"


def test_made_token_works_and_its_secret_is_kept_nowhere(cast: Cast, caller_for: CallerFor) -> None:
    call = caller_for(cast.stranger)
    made = call("POST", "/tokens", TOKEN)
    assert call.status == 201
    assert (made["name"], made["owner"], made["scopes"], made["state"]) == ("laptop", "stranger", ["read"], "active")
    assert Caller(made["secret"])("GET", "/me")["token"]["id"] == made["id"]
    listed = call("GET", "/tokens")["results"]
    assert [token["name"] for token in listed] == ["laptop", "test"]
    assert made["secret"] not in str(listed) + str(ApiToken.objects.values_list())


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({"name": "x", "scopes": []}, at("scopes", "Expected at least one choice; found none.")),
        (
            {"name": "x", "scopes": ["read", "fly"]},
            at("scopes", "Expected one of read, judge, submit, manage; found “fly”."),
        ),
        (
            {"name": "x", "scopes": ["read"], "expires_at": "2020-01-01T00:00:00Z"},
            error("invalid", "The expiry lies in the past."),
        ),
        (
            {"name": " ", "scopes": ["read"]},
            error(
                "invalid",
                "name: Expected an entry; found nothing.",
                fields=[{"where": "name", "message": "Expected an entry; found nothing."}],
            ),
        ),
        (
            {"name": "x", "scopes": ["read"], "expires_at": "2030-01-01T00:00:00"},
            at("expires_at", "Expected a day and a time with its zone; found “2030-01-01T00:00:00”."),
        ),
        (
            {"name": "x", "scopes": ["read"], "expires_at": "9999-12-31T23:59:59-20:00"},
            error(
                "invalid",
                "expires_at: Expected a year before 3000, or nothing: until revoked.",
                fields=[{"where": "expires_at", "message": "Expected a year before 3000, or nothing: until revoked."}],
            ),
        ),
    ],
    ids=["none", "unknown", "past", "nameless", "naive", "far"],
)
def test_make_tells_why_not(cast: Cast, caller_for: CallerFor, body: object, told: object) -> None:
    call = caller_for(cast.stranger)
    assert (call("POST", "/tokens", body), call.status) == (told, 422)
    assert ApiToken.objects.count() == 1


def test_token_cannot_make_a_stronger_one(cast: Cast) -> None:
    soon = timezone.now() + timedelta(hours=1)
    call = Caller(accounts.make_token(user=cast.stranger, name="weak", scopes=["read", "manage"], expires_at=soon)[1])
    assert call("POST", "/tokens", {"name": "x", "scopes": ["judge"]}) == error(
        "forbidden", "A token cannot make one with scopes that it does not have itself."
    )
    assert call("POST", "/tokens", TOKEN) == error("forbidden", "A token cannot make one that outlives it.")
    assert call.status == 403
    assert call("POST", "/tokens", {**TOKEN, "expires_at": soon.isoformat()})["scopes"] == ["read"]


def test_scopes(cast: Cast, caller_for: CallerFor) -> None:
    reader, judge = caller_for(cast.organizer, "read"), caller_for(cast.organizer, "judge")
    assert reader("GET", "/tokens")["next"] is None
    assert reader("POST", "/tokens", TOKEN) == error("forbidden", "This token lacks the scope “manage”; it has read.")
    assert reader.status == 403
    told = error("forbidden", "This token lacks the scope “read”; it has judge.")
    assert judge("GET", "/me") == told
    assert (judge("GET", "/presets"), judge.status) == (told, 403)  # open to all, but a token that is sent must do


@pytest.mark.parametrize("change", [{"revoked_at": timezone.now()}, {"expires_at": timezone.now()}], ids=["revoked", "expired"])
def test_ended_token(cast: Cast, caller_for: CallerFor, change: dict[str, object]) -> None:
    call = caller_for(cast.organizer)
    ApiToken.objects.update(**change)
    assert (call("GET", "/me"), call.status) == (UNKNOWN, 401)
    assert (call("GET", "/presets"), call.status) == (UNKNOWN, 401)
    assert call.headers["WWW-Authenticate"] == "Bearer"


def test_token_of_a_closed_account(cast: Cast, caller_for: CallerFor) -> None:
    call = caller_for(cast.organizer)
    cast.organizer.is_active = False
    cast.organizer.save(update_fields=["is_active"])
    assert (call("GET", "/me"), call.status) == (UNKNOWN, 401)


def test_unknown_token(db: None) -> None:
    call = Caller("asz_made-up")
    assert (call("GET", "/me"), call.status) == (UNKNOWN, 401)


def test_revoke(cast: Cast, caller_for: CallerFor) -> None:
    call = caller_for(cast.stranger)
    made = call("POST", "/tokens", TOKEN)
    assert call("DELETE", f"/tokens/{made['id']}") is None
    assert call.status == 204
    assert Caller(made["secret"])("GET", "/me") == UNKNOWN
    assert call("GET", "/tokens")["results"][0]["state"] == "revoked"
    call("DELETE", f"/tokens/{made['id']}")
    assert call.status == 204


def test_anothers_token_is_missing(cast: Cast, caller_for: CallerFor) -> None:
    caller_for(cast.assessor)
    token = ApiToken.objects.get(user=cast.assessor)
    for user in (cast.stranger, cast.organizer):
        call = caller_for(user)
        assert (call("DELETE", f"/tokens/{token.pk}"), call.status) == (NOT_FOUND, 404)
        assert token.pk not in [found["id"] for found in call.walk("/tokens")]
    token.refresh_from_db()
    assert token.revoked_at is None


def test_organizer_revokes_a_machines_token(cast: Cast, caller_for: CallerFor) -> None:
    _, token, secret = members.add_machine(cast.collection, name="bot")
    call = caller_for(cast.organizer)
    assert [found["owner"] for found in call.walk("/tokens")] == ["olga-organizer", "harbour-trials.bot"]
    call("DELETE", f"/tokens/{token.pk}")
    assert Caller(secret)("GET", "/me") == UNKNOWN
    assert caller_for(cast.other_organizer)("DELETE", f"/tokens/{token.pk}") == NOT_FOUND


def test_list_query_count(cast: Cast, caller_for: CallerFor, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    call = caller_for(cast.stranger)
    call("GET", "/me")
    for count in (1, 3):
        while ApiToken.objects.count() < count:
            call("POST", "/tokens", TOKEN)
        with django_assert_num_queries(2):  # the token of the request, all tokens
            assert len(call("GET", "/tokens")["results"]) == count
