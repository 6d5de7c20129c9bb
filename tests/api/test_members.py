"""Members, machines and invitations over the API."""

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from config.models import Job
from pooling.models import Invitation, Membership, Role
from pooling.services import collections, members
from tests import factories
from tests.api.conftest import NO_TOKEN, NOT_FOUND, Caller, CallerFor, at, error
from tests.conftest import Cast
from tests.pooling import files

pytestmark = pytest.mark.once

HARBOUR = "/collections/harbour-trials"
MEMBERS, MACHINES, INVITATIONS = f"{HARBOUR}/members", f"{HARBOUR}/machines", f"{HARBOUR}/invitations"
TOKEN = {"name": "second", "scopes": ["read"]}
ORGANIZERS_ONLY = [
    ("GET", MEMBERS, None),
    ("DELETE", f"{MEMBERS}/1", None),
    ("POST", MACHINES, {"name": "bot"}),
    ("POST", f"{MACHINES}/1/tokens", TOKEN),
    ("GET", INVITATIONS, None),
    ("POST", INVITATIONS, {"role": "assessor"}),
    ("DELETE", f"{INVITATIONS}/1", None),
]


def signed(link: str) -> str:
    return link.rstrip("/").rsplit("/", 1)[1]


@pytest.mark.parametrize(("method", "path", "body"), ORGANIZERS_ONLY)
def test_organizers_only(cast: Cast, caller_for: CallerFor, method: str, path: str, body: object) -> None:
    nobody, stranger, member = caller_for(), caller_for(cast.other_organizer), caller_for(cast.participant)
    assert (nobody(method, path, body), nobody.status) == (NO_TOKEN, 401)
    assert (stranger(method, path, body), stranger.status) == (NOT_FOUND, 404)
    told = error("forbidden", "This is for the collection's organizers; you are a participant.")
    assert (member(method, path, body), member.status) == (told, 403)


def test_public_collection_keeps_its_members_to_itself(cast: Cast, caller_for: CallerFor) -> None:
    caller_for(cast.organizer)("PATCH", HARBOUR, {"visibility": "public"})
    assert caller_for(cast.stranger)("GET", MEMBERS) == NOT_FOUND


def test_list_members(cast: Cast, caller_for: CallerFor) -> None:
    call = caller_for(cast.organizer)
    found = list(call.walk(f"{MEMBERS}?page_size=2"))
    assert [m["role"] for m in found] == ["researcher", "participant", "adjudicator", "assessor", "organizer"]
    held = cast.collection.memberships.get(user=cast.organizer)
    assert found[-1] == {
        "id": held.pk,
        "user": {"id": cast.organizer.pk, "username": "olga-organizer", "name": "Olga Organizer", "is_machine": False},
        "role": "organizer",
        "since": found[-1]["since"],
    }


def test_list_members_query_count(cast: Cast, caller_for: CallerFor, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    call = caller_for(cast.other_organizer)
    call("GET", "/me")
    for count in (1, 3):
        with django_assert_num_queries(3):  # token, collection with own roles, members with their names
            assert len(call("GET", "/collections/another-one/members")["results"]) == count
        for user in (cast.stranger, cast.staff):
            another = cast.other_organizer.memberships.get().collection
            Membership.objects.get_or_create(collection=another, user=user, role=Role.RESEARCHER)


def test_end_membership(cast: Cast, caller_for: CallerFor) -> None:
    held = cast.collection.memberships.get(user=cast.assessor)
    call = caller_for(cast.organizer)
    assert call("DELETE", f"{MEMBERS}/{held.pk}") is None
    assert call.status == 204
    assert call("DELETE", f"{MEMBERS}/{held.pk}") == NOT_FOUND
    assert cast.collection.memberships.get(pk=held.pk).ended_at


def test_last_organizer_stays(cast: Cast, caller_for: CallerFor) -> None:
    held = cast.collection.memberships.get(user=cast.organizer)
    call = caller_for(cast.organizer)
    told = error("conflict", "A collection needs an organizer: invite another one first.")
    assert (call("DELETE", f"{MEMBERS}/{held.pk}"), call.status) == (told, 409)


def test_membership_of_another_collection_is_missing(cast: Cast, caller_for: CallerFor) -> None:
    foreign = cast.other_organizer.memberships.get()
    assert caller_for(cast.organizer)("DELETE", f"{MEMBERS}/{foreign.pk}") == NOT_FOUND
    assert Membership.objects.get(pk=foreign.pk).ended_at is None


def test_a_member_reads_topics_in_a_language(cast: Cast, caller_for: CallerFor) -> None:
    for data, options in ((b"1\ttidal power\n", {}), (b"1\tles mar\xc3\xa9es\n", {"language": "fr", "parallel": "yes"})):
        files.take(cast.collection, cast.organizer, "topics", data, **options)
    call, here = caller_for(cast.assessor), "/collections/harbour-trials/topic-language"
    assert call("GET", here) == {"language": "", "languages": ["fr"]}
    assert call("PUT", here, {"language": "fr"}) == {"language": "fr", "languages": ["fr"]}
    assert Membership.objects.get(user=cast.assessor).topic_language == "fr"
    assert call("PUT", here, {"language": "xx"})["error"]["message"] == "language: Expected one of fr; found “xx”."
    assert caller_for(cast.organizer)("GET", here)["language"] == ""
    assert call("PUT", here, {"language": ""})["language"] == ""


def test_machine_gets_a_secret_that_works(cast: Cast, caller_for: CallerFor) -> None:
    call = caller_for(cast.organizer)
    made = call("POST", MACHINES, {"name": "bot"})
    assert call.status == 201
    assert made["member"]["user"]["username"] == made["token"]["owner"] == "harbour-trials.bot"
    assert (made["member"]["role"], made["token"]["scopes"]) == ("assessor", ["judge", "read"])
    machine = Caller(made["secret"])
    assert machine("GET", HARBOUR)["roles"] == ["assessor"]
    second = call("POST", f"{MACHINES}/{made['member']['id']}/tokens", TOKEN)
    assert (call.status, second["owner"], second["scopes"]) == (201, "harbour-trials.bot", ["read"])
    assert Caller(second["secret"])("GET", "/me")["is_machine"] is True


def test_machine_cannot_manage(cast: Cast, caller_for: CallerFor) -> None:
    call = caller_for(cast.organizer)
    told = error("invalid", "A machine reads, judges and submits; its token cannot have the scope manage.")
    assert (call("POST", MACHINES, {"name": "bot", "scopes": ["read", "manage"]}), call.status) == (told, 422)
    assert call("POST", MACHINES, {"name": "bot", "role": "organizer"}) == at(
        "role", "Expected one of assessor, participant; found “organizer”."
    )


def test_person_gets_no_machine_token(cast: Cast, caller_for: CallerFor) -> None:
    held = cast.collection.memberships.get(user=cast.assessor)
    assert caller_for(cast.organizer)("POST", f"{MACHINES}/{held.pk}/tokens", TOKEN) == NOT_FOUND


def test_machine_name_taken_has_a_list_of_fields_too(cast: Cast, caller_for: CallerFor) -> None:
    call = caller_for(cast.organizer)
    call("POST", MACHINES, {"name": "llm"})
    told = call("POST", MACHINES, {"name": "LLM"})["error"]
    assert (call.status, told["message"]) == (422, "This user name is taken.")
    assert told["details"]["fields"] == [{"where": "", "message": "This user name is taken."}]


def test_machine_token_of_an_archived_collection_is_a_conflict(cast: Cast, caller_for: CallerFor) -> None:
    machine = members.add_machine(cast.collection, name="llm")[0]
    collections.archive_collection(cast.collection)
    call = caller_for(cast.organizer)
    answer = call("POST", f"{MACHINES}/{machine.pk}/tokens", TOKEN)
    assert (call.status, answer) == (409, error("conflict", "This collection is archived; restore it first."))


def test_machine_name_is_told_why_not(cast: Cast, caller_for: CallerFor) -> None:
    answer = caller_for(cast.organizer)("POST", MACHINES, {"name": "two words"})
    why = "Expected letters, digits and @ . + - _ only; found “harbour-trials.two words”."
    assert answer == error("invalid", f"username: {why}", fields=[{"where": "username", "message": why}])


def test_invite_by_link(cast: Cast, caller_for: CallerFor) -> None:
    call = caller_for(cast.organizer)
    [made] = call("POST", INVITATIONS, {"role": "assessor", "max_uses": 3})
    invitation = Invitation.objects.get()
    assert call.status == 201
    assert made == {
        "id": invitation.pk,
        "role": "assessor",
        "email": "",
        "state": "open",
        "uses": 0,
        "max_uses": 3,
        "created_by": "Olga Organizer",
        "created_at": made["created_at"],
        "expires_at": made["expires_at"],
        "link": members.invitation_url(invitation),
    }
    assert call("GET", INVITATIONS)["results"] == [made]


def test_invite_by_mail(cast: Cast, caller_for: CallerFor) -> None:
    made = caller_for(cast.organizer)("POST", INVITATIONS, {"role": "researcher", "emails": ["a@example.org", "b@example.org"]})
    assert [invitation["email"] for invitation in made] == ["a@example.org", "b@example.org"]
    assert Job.objects.filter(name="send_invitation").count() == 2


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({"role": "assessor", "days": 0}, at("days", "Expected at least 1; found 0.")),
        (
            {"role": "assessor", "emails": ["a@example.org", "nonsense"]},
            at("emails", "Expected an e-mail address, such as ada@example.org; found “nonsense”."),
        ),
        (
            {"role": "king"},
            at("role", "Expected one of organizer, assessor, adjudicator, participant, researcher; found “king”."),
        ),
    ],
    ids=["days", "email", "role"],
)
def test_invite_tells_why_not(cast: Cast, caller_for: CallerFor, body: object, told: object) -> None:
    call = caller_for(cast.organizer)
    assert (call("POST", INVITATIONS, body), call.status) == (told, 422)
    assert (Invitation.objects.count(), Job.objects.count()) == (0, 0)


def test_reading_invitations_needs_manage(cast: Cast, caller_for: CallerFor) -> None:
    told = error("forbidden", "This token lacks the scope “manage”; it has read.")
    assert caller_for(cast.organizer, "read")("GET", INVITATIONS) == told


def test_invitations_query_count(cast: Cast, caller_for: CallerFor, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    call = caller_for(cast.organizer)
    for count in (1, 3):
        while Invitation.objects.count() < count:
            call("POST", INVITATIONS, {"role": "assessor"})
        with django_assert_num_queries(3):  # token, collection with own roles, invitations with their makers
            assert len(call("GET", INVITATIONS)["results"]) == count


def test_revoked_invitation_lets_nobody_in(cast: Cast, caller_for: CallerFor) -> None:
    call, stranger = caller_for(cast.organizer), caller_for(cast.stranger)
    [made] = call("POST", INVITATIONS, {"role": "assessor"})
    assert call("DELETE", f"{INVITATIONS}/{made['id']}") is None
    assert call.status == 204
    told = error("conflict", "This invitation is revoked. Ask Olga Organizer for a new one.")
    assert (stranger("POST", f"/join/{signed(made['link'])}"), stranger.status) == (told, 409)
    assert call("DELETE", f"{INVITATIONS}/{made['id'] + 1}") == NOT_FOUND


def test_join(cast: Cast, caller_for: CallerFor) -> None:
    [made] = caller_for(cast.organizer)("POST", INVITATIONS, {"role": "assessor"})
    path = f"/join/{signed(made['link'])}"
    call = caller_for(cast.stranger)
    assert call("GET", path) == {
        "collection": "harbour-trials",
        "name": "Harbour trials",
        "role": "assessor",
        "invited_by": "Olga Organizer",
        "state": "open",
        "expires_at": made["expires_at"],
    }
    joined = call("POST", path)
    assert joined == {"collection": "harbour-trials", "role": "assessor", "since": joined["since"]}
    assert (call("POST", path), call.status) == (joined, 200)
    assert Invitation.objects.get().uses == 1
    assert call("GET", HARBOUR)["roles"] == ["assessor"]


def test_join_with_a_forged_link(cast: Cast, caller_for: CallerFor) -> None:
    call, nobody = caller_for(cast.stranger), caller_for()
    assert call("GET", "/join/1.forged") == call("POST", "/join/1.forged") == NOT_FOUND
    assert nobody("GET", "/join/1.forged") == nobody("POST", "/join/1.forged") == NO_TOKEN


def test_participant_cannot_join_as_assessor(cast: Cast, caller_for: CallerFor) -> None:
    [made] = caller_for(cast.organizer)("POST", INVITATIONS, {"role": "assessor"})
    call = caller_for(cast.participant)
    assert call("POST", f"/join/{signed(made['link'])}") == error(
        "conflict",
        "Member participant is participant of this collection: nobody can be assessor and participant of the same one, "
        "since who competes may not judge.",
    )
    assert Invitation.objects.get().uses == 0


def test_used_up_invitation(cast: Cast, caller_for: CallerFor) -> None:
    [made] = caller_for(cast.organizer)("POST", INVITATIONS, {"role": "researcher"})
    path = f"/join/{signed(made['link'])}"
    caller_for(cast.stranger)("POST", path)
    late = caller_for(factories.make_user("Late"))
    told = error("conflict", "This invitation is used up. Ask Olga Organizer for a new one.")
    assert (late("POST", path), late.status) == (told, 409)


def test_expired_invitation(cast: Cast, caller_for: CallerFor) -> None:
    [made] = caller_for(cast.organizer)("POST", INVITATIONS, {"role": "researcher"})
    Invitation.objects.update(expires_at=timezone.now())
    call = caller_for(cast.stranger)
    assert call("GET", f"/join/{signed(made['link'])}")["state"] == "expired"
    assert call("POST", f"/join/{signed(made['link'])}") == error(
        "conflict", "This invitation is expired. Ask Olga Organizer for a new one."
    )
