"""The page of members: roles, invitations, machines and their tokens."""

import re

import pytest
from django.test import Client
from pytest_django import Settings

from config import accounts
from config.models import Job, User
from pooling.models import Invitation, Membership, Role
from pooling.services import collections, members
from tests.conftest import Cast, ClientFor
from tests.pooling.test_pages import HERE, errors, olga, toast

__all__ = ["olga"]

pytestmark = pytest.mark.once  # as in test_pages.py


def test_members_page_lists_roles_and_open_links(cast: Cast, olga: Client) -> None:
    [invitation] = members.invite(cast.collection, by=cast.organizer, role="assessor")
    answer = olga.get(f"{HERE}members/")
    found = [(m.user.name, m.role) for m in answer.context["page_obj"]]
    assert found == [(getattr(cast, role.value).name, role.value) for role in Role]  # organizers first
    assert members.invitation_url(invitation) in answer.content.decode()


def test_invite_makes_a_link(cast: Cast, olga: Client) -> None:
    form = {"role": "adjudicator", "days": "3", "max_uses": "4", "emails": ""}
    assert olga.post(f"{HERE}invitations/", form)["Location"] == f"{HERE}members/"
    made = Invitation.objects.get()
    assert (made.role, made.max_uses, made.created_by, made.email) == ("adjudicator", 4, cast.organizer, "")


@pytest.mark.parametrize(
    ("change", "field", "words"),
    [
        (
            {"role": "owner"},
            "role",
            "Expected one of organizer, assessor, adjudicator, participant, researcher; found “owner”.",
        ),
        ({"days": "366"}, "days", "Expected at most 365; found 366."),
        ({"max_uses": "0"}, "max_uses", "Expected at least 1; found 0."),
        (
            {"emails": "a@example.org nonsense"},
            "emails",
            "Expected an e-mail address, such as ada@example.org; found “nonsense”.",
        ),
    ],
)
def test_invite_refuses_at_the_field(olga: Client, change: dict[str, str], field: str, words: str) -> None:
    form = {"role": "assessor", "days": "3", "max_uses": "1", "emails": "", **change}
    answer = olga.post(f"{HERE}invitations/", form)
    assert (answer.status_code, errors(answer, "invite_form")) == (422, {field: [words]})
    assert (Invitation.objects.count(), Job.objects.count()) == (0, 0)


@pytest.mark.parametrize(
    ("backend", "words"),
    [
        ("locmem", "Links are on their way to a@example.org, b@example.org."),
        (
            "console",
            "This site has no mail server: copy the links below and pass them on to a@example.org, b@example.org.",
        ),
    ],
)
def test_invite_by_mail_says_whether_it_is_sent(olga: Client, settings: Settings, backend: str, words: str) -> None:
    settings.EMAIL_BACKEND = f"django.core.mail.backends.{backend}.EmailBackend"
    form = {"role": "assessor", "days": "3", "max_uses": "1", "emails": "a@example.org b@example.org"}
    assert olga.post(f"{HERE}invitations/", form)["Location"] == f"{HERE}members/"
    assert toast(olga) == words


def test_invitation_is_revoked_and_its_link_gone(cast: Cast, olga: Client) -> None:
    [invitation] = members.invite(cast.collection, by=cast.organizer, role="assessor")
    assert olga.post(f"{HERE}invitations/{invitation.pk}/revoke/")["Location"] == f"{HERE}members/"
    assert members.invitation_url(invitation) not in olga.get(f"{HERE}members/").content.decode()


def test_member_is_removed_and_the_last_organizer_is_not(cast: Cast, olga: Client, client_for: ClientFor) -> None:
    row = Membership.objects.get(user=cast.assessor)
    assert olga.post(f"{HERE}members/{row.pk}/remove/")["Location"] == f"{HERE}members/"
    assert client_for(cast.assessor).get(HERE).status_code == 404
    assert toast(olga) == "Member assessor is no longer assessor."
    last = Membership.objects.get(user=cast.organizer)
    assert olga.post(f"{HERE}members/{last.pk}/remove/")["Location"] == f"{HERE}members/"
    assert toast(olga) == "A collection needs an organizer: invite another one first."
    last.refresh_from_db()
    assert last.ended_at is None


def test_member_of_another_collection_is_out_of_reach(cast: Cast, olga: Client) -> None:
    other = Membership.objects.get(user=cast.other_organizer)
    assert olga.post(f"{HERE}members/{other.pk}/remove/").status_code == 404


@pytest.mark.parametrize(("role", "scopes"), [("assessor", ["judge", "read"]), ("participant", ["read", "submit"])])
def test_machine_gets_a_token_for_its_role_shown_once(olga: Client, role: str, scopes: list[str]) -> None:
    page = olga.post(f"{HERE}machines/", {"name": "llm", "role": role}).content.decode()
    secret = re.search(r"asz_[\w-]{43}", page)
    assert secret
    token = accounts.find_token(secret[0])
    assert token and (token.user.username, token.scopes) == ("harbour-trials.llm", scopes)
    assert secret[0] not in olga.get(f"{HERE}members/").content.decode()


def test_machine_token_is_renewed_for_its_role(cast: Cast, olga: Client) -> None:
    membership, _, first = members.add_machine(cast.collection, name="llm", role="participant")
    page = olga.post(f"{HERE}members/{membership.pk}/token/").content.decode()
    secret = re.search(r"asz_[\w-]{43}", page)
    assert secret
    token = accounts.find_token(secret[0])
    assert token and token.scopes == ["read", "submit"]
    assert accounts.find_token(first) is None


def once(client: Client) -> str:
    return str(client.get(f"{HERE}members/").context["once"])


AGAIN = "That was done already, and its secret was shown once. Make a new token if you have lost it."


def test_machine_form_sent_again_makes_nothing(olga: Client) -> None:
    form = {"name": "llm", "role": "assessor", "once": once(olga)}
    assert f'name="once" value="{once(olga)}"' not in olga.get(f"{HERE}members/").content.decode()  # each page its own
    assert "asz_" in olga.post(f"{HERE}machines/", form).content.decode()
    assert olga.post(f"{HERE}machines/", form)["Location"] == f"{HERE}members/"
    assert toast(olga) == AGAIN
    assert User.objects.filter(is_machine=True).count() == 1


def test_machine_token_sent_again_keeps_the_first(cast: Cast, olga: Client) -> None:
    membership, _, _ = members.add_machine(cast.collection, name="llm")
    address, form = f"{HERE}members/{membership.pk}/token/", {"once": once(olga)}
    secret = re.search(r"asz_[\w-]{43}", olga.post(address, form).content.decode())
    assert olga.post(address, form)["Location"] == f"{HERE}members/"
    assert toast(olga) == AGAIN
    assert secret and accounts.find_token(secret[0])


def test_machine_token_of_an_archived_collection_is_409(cast: Cast, olga: Client) -> None:
    membership, _, secret = members.add_machine(cast.collection, name="llm")
    collections.archive_collection(cast.collection)
    answer = olga.post(f"{HERE}members/{membership.pk}/token/")
    assert answer.status_code == 409
    assert "This collection is archived; restore it first." in answer.content.decode()
    assert accounts.find_token(secret)


def test_machine_with_a_bad_name_is_refused(olga: Client) -> None:
    answer = olga.post(f"{HERE}machines/", {"name": "a b", "role": "assessor"})
    assert answer.status_code == 422
    assert "Expected letters, digits and @ . + - _ only; found “harbour-trials.a b”." in answer.content.decode()
    assert 'aria-describedby="id_machine_name_helptext id_machine_name_error"' in answer.content.decode()
    assert not User.objects.filter(is_machine=True).exists()
