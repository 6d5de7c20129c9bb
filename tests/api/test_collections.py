"""Collections over the API: make, read, list, edit, scale, guidelines, archive, export."""

from typing import Any

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from config.models import Job
from pooling.core.presets import PRESETS
from pooling.models import Collection, Role
from tests import factories
from tests.api.conftest import NO_TOKEN, NOT_FOUND, CallerFor, at, error
from tests.conftest import Cast

pytestmark = pytest.mark.once

HARBOUR = "/collections/harbour-trials"
YES_NO = [
    {"value": 0, "label": "No", "definition": "", "example": "", "key": "0"},
    {"value": 1, "label": "Yes", "definition": "Says so", "example": "", "key": "1"},
]
ORGANIZERS_ONLY = [
    ("PATCH", HARBOUR, {"name": "Mine now"}),
    ("PUT", f"{HARBOUR}/scale", {"grades": YES_NO, "lenient_from": 1, "strict_from": 1}),
    ("POST", f"{HARBOUR}/guidelines", {"text": "Be kind."}),
    ("POST", f"{HARBOUR}/archive", None),
    ("POST", f"{HARBOUR}/restore", None),
    ("POST", f"{HARBOUR}/export", None),
]


def facts(collection: Collection) -> dict[str, Any]:
    preset = PRESETS["ad-hoc"]
    return {
        "slug": collection.slug,
        "name": collection.name,
        "description": "",
        "visibility": collection.visibility,
        "task": "ad-hoc",
        "authors": "",
        "genre": "",
        "languages": "",
        "licence": "",
        "source": "",
        "crawl": "",
        "grades": [
            {"value": g.value, "label": g.label, "definition": g.definition, "example": "", "key": g.key} for g in preset.grades
        ],
        "lenient_from": 1,
        "strict_from": 2,
        "measures": ["AP", "nDCG"],
        "roles": ["organizer"],
        "archived_at": None,
        "judging_started_at": None,
        "page": f"http://127.0.0.1:8000/c/{collection.slug}/",
    }


def test_create_answers_with_the_collection(cast: Cast, caller_for: CallerFor) -> None:
    call = caller_for(cast.stranger)
    answer = call("POST", "/collections", {"name": "Tide pools", "slug": "tide-pools", "task": "ad-hoc"})
    made = Collection.objects.get(slug="tide-pools")
    assert call.status == 201
    assert answer.pop("created_at")
    assert answer == facts(made)
    assert made.created_by == cast.stranger


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (
            {"name": "A", "slug": "a", "task": "karaoke"},
            at("task", f"Expected one of {', '.join(PRESETS)}; found “karaoke”."),
        ),
        (
            {"name": "A", "slug": "Harbour", "task": "web"},
            error(
                "invalid",
                "slug: Small letters, digits and hyphens, such as harbour-2026.",
                fields=[{"where": "slug", "message": "Small letters, digits and hyphens, such as harbour-2026."}],
            ),
        ),
        (
            {"name": "A", "slug": "harbour-trials", "task": "web"},
            error(
                "invalid",
                "slug: There is a collection with this address already.",
                fields=[{"where": "slug", "message": "There is a collection with this address already."}],
            ),
        ),
        (
            {"name": "A", "slug": "a", "task": "web", "visibility": "hidden", "colour": "red"},
            error(
                "invalid",
                "visibility: Expected one of private, unlisted, public; found “hidden”. "
                "colour: Expected nothing under this name; found “red”.",
                fields=[
                    {"where": "visibility", "message": "Expected one of private, unlisted, public; found “hidden”."},
                    {"where": "colour", "message": "Expected nothing under this name; found “red”."},
                ],
            ),
        ),
        (
            {"name": "A\0", "slug": "a", "task": "web"},
            at("body", "Expected text; found a null character in it."),
        ),
    ],
    ids=["task", "slug", "taken", "fields", "nul"],
)
def test_create_tells_why_not(cast: Cast, caller_for: CallerFor, body: object, told: object) -> None:
    call = caller_for(cast.organizer)
    assert call("POST", "/collections", body) == told
    assert call.status == 422
    assert Collection.objects.count() == 2


def test_create_needs_sign_in(cast: Cast, caller_for: CallerFor) -> None:
    call = caller_for()
    assert call("POST", "/collections", {"name": "A", "slug": "a", "task": "web"}) == NO_TOKEN
    assert call.status == 401


def test_read_as_each(cast: Cast, caller_for: CallerFor) -> None:
    call = caller_for(cast.organizer)
    answer = call("GET", HARBOUR)
    assert answer.pop("created_at")
    assert (call.status, answer) == (200, facts(cast.collection))
    assert caller_for(cast.assessor)("GET", HARBOUR)["roles"] == ["assessor"]
    assert caller_for(cast.staff)("GET", HARBOUR)["roles"] == ["organizer"]


def test_read_private_is_hidden(cast: Cast, caller_for: CallerFor) -> None:
    stranger, nobody = caller_for(cast.stranger), caller_for()
    assert stranger("GET", HARBOUR) == stranger("GET", "/collections/missing") == NOT_FOUND
    assert nobody("GET", HARBOUR) == nobody("GET", "/collections/missing") == error("not_signed_in", "Sign in first.")
    assert nobody.status == 401


@pytest.mark.parametrize("visibility", ["public", "unlisted"])
def test_read_open_collection_without_token(cast: Cast, caller_for: CallerFor, visibility: str) -> None:
    caller_for(cast.organizer)("PATCH", HARBOUR, {"visibility": visibility})
    caller_for(cast.organizer)("POST", f"{HARBOUR}/guidelines", {"text": "Read first."})
    nobody = caller_for()
    assert nobody("GET", HARBOUR)["roles"] == []
    assert nobody("GET", f"{HARBOUR}/guidelines/1")["text"] == "Read first."
    assert len(nobody("GET", "/collections")["results"]) == (1 if visibility == "public" else 0)


def test_list_by_scope(cast: Cast, caller_for: CallerFor) -> None:
    factories.make_collection(cast.other_organizer, "Open one", visibility="public")
    call = caller_for(cast.assessor)
    found = {
        scope: [c["slug"] for c in call("GET", f"/collections{scope}")["results"]]
        for scope in ("", "?scope=mine", "?scope=public")
    }
    assert found == {"": ["open-one", "harbour-trials"], "?scope=mine": ["harbour-trials"], "?scope=public": ["open-one"]}


def test_list_mine_needs_sign_in(cast: Cast, caller_for: CallerFor) -> None:
    call = caller_for()
    assert call("GET", "/collections?scope=mine") == error("not_signed_in", "Sign in first.")
    assert call.status == 401


def test_list_walks_all_pages_once(cast: Cast, caller_for: CallerFor) -> None:
    slugs = [factories.make_collection(cast.stranger).slug for _ in range(7)]
    call = caller_for(cast.stranger)
    walked = []
    for item in call.walk("/collections?page_size=3"):
        walked.append(item["slug"])
        if len(walked) == 2:  # what is added meanwhile shifts nothing
            factories.make_collection(cast.stranger)
    assert walked == slugs[::-1]


def test_list_pages_lead_back(cast: Cast, caller_for: CallerFor) -> None:
    for _ in range(4):
        factories.make_collection(cast.stranger)
    call = caller_for(cast.stranger)
    first = call("GET", "/collections?page_size=2")
    second = call("GET", first["next"])
    assert call("GET", second["previous"])["results"] == first["results"]
    assert (first["previous"], second["next"]) == (None, None)


@pytest.mark.parametrize("cursor", ["zzz", "cD1hYmM=", "bz14", "%ff"])
def test_list_refuses_a_made_up_cursor(cast: Cast, caller_for: CallerFor, cursor: str) -> None:
    call = caller_for(cast.organizer)
    told = error("invalid", "This cursor was not given out here; begin again without one.")
    assert call("GET", f"/collections?cursor={cursor}") == told
    assert call.status == 422


def test_list_query_count(cast: Cast, caller_for: CallerFor, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    call = caller_for(cast.stranger)
    call("GET", "/me")  # the token's first use of the minute is noted
    factories.make_collection(cast.stranger)
    with django_assert_num_queries(4):  # token, collections, grades, roles
        assert len(call("GET", "/collections")["results"]) == 1
    factories.make_collection(cast.stranger)
    factories.make_collection(cast.stranger)
    with django_assert_num_queries(4):
        assert len(call("GET", "/collections")["results"]) == 3


def test_edit_changes_only_what_is_given(cast: Cast, caller_for: CallerFor) -> None:
    call = caller_for(cast.organizer)
    before = call("GET", HARBOUR)
    answer = call("PATCH", HARBOUR, {"measures": ["nDCG@10", "AP"], "visibility": "unlisted"})
    assert call.status == 200
    assert answer == {**before, "measures": ["nDCG@10", "AP"], "visibility": "unlisted"}


def test_edit_tells_why_not(cast: Cast, caller_for: CallerFor) -> None:
    call = caller_for(cast.organizer)
    assert call("PATCH", HARBOUR, {"measures": ["P"]}) == at("measures", '"P": P needs a cutoff, as in P@10.')
    assert call("PATCH", HARBOUR, {"name": None}) == at("name", "Expected text; found “null”.")
    words = "Expected tags of languages, such as en, hi or pt-BR; found “klingon!!”."
    assert call("PATCH", HARBOUR, {"languages": "klingon!!"}) == error(
        "invalid", f"languages: {words}", fields=[{"where": "languages", "message": words}]
    )


@pytest.mark.parametrize(("method", "path", "body"), ORGANIZERS_ONLY, ids=lambda v: str(v).rsplit("/", 1)[-1][:12])
def test_organizers_only(cast: Cast, caller_for: CallerFor, method: str, path: str, body: object) -> None:
    nobody, stranger, member = caller_for(), caller_for(cast.other_organizer), caller_for(cast.adjudicator)
    assert (nobody(method, path, body), nobody.status) == (NO_TOKEN, 401)
    assert (stranger(method, path, body), stranger.status) == (NOT_FOUND, 404)
    assert member(method, path, body) == error("forbidden", "This is for the collection's organizers; you are an adjudicator.")
    assert member.status == 403
    reader = caller_for(cast.organizer, "read")
    assert reader(method, path, body) == error("forbidden", "This token lacks the scope “manage”; it has read.")
    administrator = caller_for(cast.staff)
    administrator(method, path, body)
    assert administrator.status in {200, 201, 202}


def test_scale_is_replaced(cast: Cast, caller_for: CallerFor) -> None:
    call = caller_for(cast.organizer)
    answer = call("PUT", f"{HARBOUR}/scale", {"grades": YES_NO, "lenient_from": 1, "strict_from": 1})
    assert call.status == 200
    assert (answer["grades"], answer["lenient_from"], answer["strict_from"]) == (YES_NO, 1, 1)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (
            {"grades": YES_NO, "lenient_from": 0, "strict_from": 1},
            error("invalid", "The lenient threshold must lie above the lowest grade, or every document would be relevant."),
        ),
        (
            {"grades": [YES_NO[0], {**YES_NO[1], "value": 300}], "lenient_from": 1, "strict_from": 1},
            at("grades.1.value", "Expected at most 127; found 300."),
        ),
        (
            {"grades": [YES_NO[0], {**YES_NO[1], "key": "y"}], "lenient_from": 1, "strict_from": 1},
            error("invalid", "key: One digit, 0 to 9.", fields=[{"where": "key", "message": "One digit, 0 to 9."}]),
        ),
    ],
    ids=["threshold", "range", "key"],
)
def test_scale_tells_why_not(cast: Cast, caller_for: CallerFor, body: object, told: object) -> None:
    call = caller_for(cast.organizer)
    assert call("PUT", f"{HARBOUR}/scale", body) == told
    assert call.status == 422
    assert cast.collection.grades.count() == 4


def test_scale_is_frozen_by_the_first_judgment(cast: Cast, caller_for: CallerFor) -> None:
    Collection.objects.update(judging_started_at=timezone.now())
    call = caller_for(cast.organizer)
    answer = call("PUT", f"{HARBOUR}/scale", {"grades": YES_NO, "lenient_from": 1, "strict_from": 1})
    assert (call.status, answer) == (409, error("conflict", "The scale is frozen: judging has begun."))


def test_guidelines_are_versions(cast: Cast, caller_for: CallerFor) -> None:
    call = caller_for(cast.organizer)
    first = call("POST", f"{HARBOUR}/guidelines", {"text": "One.", "base_version": 0})
    assert call.status == 201
    second = call("POST", f"{HARBOUR}/guidelines", {"text": "Two.", "base_version": 1})
    assert second == {"version": 2, "written_by": "Olga Organizer", "written_at": second["written_at"], "text": "Two."}
    assert call("POST", f"{HARBOUR}/guidelines", {"text": "Three.", "base_version": 1}) == error(
        "conflict",
        "Version 2 was written meanwhile; yours began from version 1. Compare, then save again to replace it.",
    )
    assert call.status == 409
    member = caller_for(cast.assessor)
    listed = [{name: v[name] for name in ("version", "written_by", "written_at")} for v in (second, first)]
    assert list(member.walk(f"{HARBOUR}/guidelines")) == listed
    assert member("GET", f"{HARBOUR}/guidelines/1") == first
    assert member("GET", f"{HARBOUR}/guidelines/3") == NOT_FOUND


def test_guidelines_of_a_private_collection_are_hidden(cast: Cast, caller_for: CallerFor) -> None:
    call = caller_for(cast.stranger)
    assert call("GET", f"{HARBOUR}/guidelines") == call("GET", f"{HARBOUR}/guidelines/1") == NOT_FOUND


def test_guidelines_query_count(cast: Cast, caller_for: CallerFor, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    call = caller_for(cast.organizer)
    call("POST", f"{HARBOUR}/guidelines", {"text": "1"})
    with django_assert_num_queries(3):  # token, collection, versions with their writers
        assert len(call("GET", f"{HARBOUR}/guidelines")["results"]) == 1
    call("POST", f"{HARBOUR}/guidelines", {"text": "2"})
    call("POST", f"{HARBOUR}/guidelines", {"text": "3"})
    with django_assert_num_queries(3):
        assert len(call("GET", f"{HARBOUR}/guidelines")["results"]) == 3


def test_archived_collection_refuses_changes_until_restored(cast: Cast, caller_for: CallerFor) -> None:
    call = caller_for(cast.organizer)
    assert call("POST", f"{HARBOUR}/archive")["archived_at"]
    archived = error("conflict", "This collection is archived; restore it first.")
    assert call("PATCH", HARBOUR, {"name": "New"}) == archived
    assert call("POST", f"{HARBOUR}/guidelines", {"text": "New"}) == archived
    assert call("GET", HARBOUR)["name"] == "Harbour trials"
    assert call("POST", f"{HARBOUR}/restore")["archived_at"] is None
    assert call("PATCH", HARBOUR, {"name": "New"})["name"] == "New"


def test_export_is_one_job_while_it_lives(cast: Cast, caller_for: CallerFor) -> None:
    call = caller_for(cast.organizer)
    first = call("POST", f"{HARBOUR}/export")
    assert call.status == 202
    assert (first["name"], first["state"], first["started_by"]) == ("export_collection", "waiting", "olga-organizer")
    assert call("POST", f"{HARBOUR}/export") == first
    assert Job.objects.get().collection_id == cast.collection.pk


def test_presets_are_open(cast: Cast, caller_for: CallerFor) -> None:
    call = caller_for()
    found = call("GET", "/presets")
    assert [preset["task"] for preset in found] == list(PRESETS)
    assert (found[0]["lenient_from"], found[0]["strict_from"], found[0]["measures"]) == (1, 2, ["AP", "nDCG"])


def test_former_member_is_a_stranger(cast: Cast, caller_for: CallerFor) -> None:
    cast.collection.memberships.filter(user=cast.assessor, role=Role.ASSESSOR).update(ended_at=timezone.now())
    call = caller_for(cast.assessor)
    assert call("GET", HARBOUR) == NOT_FOUND
    assert call("GET", "/collections?scope=mine")["results"] == []
