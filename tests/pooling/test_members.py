"""Invitations, memberships and machines: the services and what the database itself refuses."""

import re
from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.core.mail import EmailMessage
from django.core.signing import Signer
from django.db import IntegrityError, transaction
from django.http import Http404
from django.utils import timezone

from config import accounts, jobs
from config.errors import Conflict, Invalid, Refusal
from config.models import Job, User
from pooling import access
from pooling.models import Collection, Invitation, Membership, Role
from pooling.services import members
from tests import factories
from tests.conftest import Cast


def invite(cast: Cast, role: str = "assessor", **given: object) -> Invitation:
    return members.invite(cast.collection, by=cast.organizer, role=role, **given)[0]  # type: ignore[arg-type]


def signed(invitation: Invitation) -> str:
    return members.invitation_url(invitation).rstrip("/").rsplit("/", 1)[1]


def refused(act: object) -> str:
    assert callable(act)
    with pytest.raises((Conflict, Refusal)) as error:
        act()
    return error.value.message


# Invitations


@pytest.mark.parametrize("role", Role.values)
def test_invitation_makes_its_bearer_a_member(cast: Cast, role: str) -> None:
    opened = members.open_invitation(signed(invite(cast, role)))
    made = members.accept_invitation(opened, user=cast.stranger)
    assert (made.collection, made.user, made.role, made.ended_at) == (cast.collection, cast.stranger, role, None)
    assert access.roles_in(cast.stranger, cast.collection) == {role}


def test_invitation_used_again_by_the_same_costs_nothing(cast: Cast) -> None:
    invitation = invite(cast, max_uses=2)
    first = members.accept_invitation(invitation, user=cast.stranger)
    assert members.accept_invitation(invitation, user=cast.stranger) == first
    invitation.refresh_from_db()
    assert invitation.uses == 1


def test_invitation_is_used_up(cast: Cast) -> None:
    invitation = invite(cast, max_uses=2)
    people = [factories.make_user() for _ in range(3)]
    for person in people[:2]:
        members.accept_invitation(invitation, user=person)
    words = refused(lambda: members.accept_invitation(invitation, user=people[2]))
    assert words == "This invitation is used up. Ask Olga Organizer for a new one."
    assert access.roles_in(people[2], cast.collection) == set()


def test_invitation_expires(cast: Cast) -> None:
    invitation = invite(cast, days=1)
    assert timedelta(hours=23) < invitation.expires_at - timezone.now() <= timedelta(days=1)
    Invitation.objects.update(expires_at=timezone.now())
    words = refused(lambda: members.accept_invitation(invitation, user=cast.stranger))
    assert words == "This invitation is expired. Ask Olga Organizer for a new one."


def test_invitation_revoked_lets_nobody_in_and_keeps_who_joined(cast: Cast) -> None:
    invitation = invite(cast, max_uses=5)
    members.accept_invitation(invitation, user=cast.stranger)
    members.revoke_invitation(invitation)
    other = factories.make_user()
    words = refused(lambda: members.accept_invitation(invitation, user=other))
    assert words == "This invitation is revoked. Ask Olga Organizer for a new one."
    assert access.roles_in(cast.stranger, cast.collection) == {"assessor"}


def test_invitation_that_fails_costs_no_use(cast: Cast) -> None:
    invitation = invite(cast)
    refused(lambda: members.accept_invitation(invitation, user=cast.participant))
    invitation.refresh_from_db()
    assert invitation.uses == 0


@pytest.mark.parametrize("kind", ["changed", "other salt", "no number", "plain", "empty"])
def test_invitation_link_that_was_forged_is_nothing(cast: Cast, kind: str) -> None:
    number = invite(cast).pk
    forged = {
        "changed": re.sub(r"^\d+", str(number), signed(invite(cast))),
        "other salt": Signer(sep=".", salt="assize.other").sign(str(number)),
        "no number": Signer(sep=".", salt="assize.invitation").sign("x"),
        "plain": str(number),
        "empty": "",
    }
    with pytest.raises(Http404):
        members.open_invitation(forged[kind])


def test_invitation_of_another_site_is_nothing(cast: Cast) -> None:
    link = Signer(key="x" * 50, sep=".", salt="assize.invitation").sign(str(invite(cast).pk))
    with pytest.raises(Http404):
        members.open_invitation(link)


def test_invitation_link_is_signed_and_not_stored(cast: Cast) -> None:
    invitation = invite(cast)
    signature = signed(invitation).split(".", 1)[1]
    row = Invitation.objects.filter(pk=invitation.pk).values().get()
    assert len(signature) >= 43
    assert not any(signature in str(value) for value in row.values())


@pytest.mark.django_db(transaction=True)
def test_invitation_by_mail_is_one_link_and_one_job_an_address(cast: Cast, mailoutbox: list[EmailMessage]) -> None:
    addresses = ["a@example.org", " b@example.org ", "a@example.org"]
    made = members.invite(cast.collection, by=cast.organizer, role="assessor", max_uses=50, emails=addresses)
    assert [(i.email, i.max_uses) for i in made] == [("a@example.org", 1), ("b@example.org", 1)]
    for job in Job.objects.filter(name="send_invitation").order_by("pk"):
        jobs.run(job.pk)
    assert [mail.to for mail in mailoutbox] == [["a@example.org"], ["b@example.org"]]
    assert members.invitation_url(made[0]) in str(mailoutbox[0].body)
    assert mailoutbox[0].subject == "Invitation to Harbour trials"


@pytest.mark.parametrize("days", [0, -1, 366])
def test_invitation_refuses_odd_days(cast: Cast, days: int) -> None:
    assert (
        refused(lambda: invite(cast, days=days)) == f"days: Expected at {'most 365' if days > 0 else 'least 1'}; found {days}."
    )


@pytest.mark.parametrize(
    ("given", "field"), [({"role": "owner"}, "role"), ({"max_uses": 0}, "max_uses"), ({"emails": ["nonsense"]}, "emails")]
)
def test_invitation_refuses_bad_facts_and_stores_nothing(cast: Cast, given: dict[str, object], field: str) -> None:
    with pytest.raises((ValidationError, Invalid)) as error:
        invite(cast, **given)  # type: ignore[arg-type]
    assert getattr(error.value, "field", "") == field or list(getattr(error.value, "message_dict", ())) == [field]
    assert (Invitation.objects.count(), Job.objects.count()) == (0, 0)


def test_database_refuses_more_uses_than_allowed(cast: Cast) -> None:
    invitation = invite(cast)
    with pytest.raises(IntegrityError), transaction.atomic():
        Invitation.objects.filter(pk=invitation.pk).update(uses=2)


def test_new_account_and_membership_are_made_together_or_not(cast: Cast) -> None:
    invitation = invite(cast)
    given = {"username": "nia", "name": "Nia", "password": "four new words here"}
    nia = members.join_with_new_account(invitation, **given)
    assert access.roles_in(nia, cast.collection) == {"assessor"}
    refused(lambda: members.join_with_new_account(invitation, **{**given, "username": "noa"}))
    assert not User.objects.filter(username="noa").exists()


# Roles


@pytest.mark.parametrize(("held", "wanted"), [("assessor", "participant"), ("participant", "assessor")])
def test_nobody_is_assessor_and_participant(cast: Cast, held: str, wanted: str) -> None:
    user = getattr(cast, held)
    words = refused(lambda: members.accept_invitation(invite(cast, wanted), user=user))
    assert words == (
        f"Member {held} is {held} of this collection: nobody can be assessor and participant of the same one, "
        "since who competes may not judge."
    )
    with pytest.raises(IntegrityError), transaction.atomic():
        Membership.objects.create(collection=cast.collection, user=user, role=wanted)


def test_assessor_may_be_participant_after_the_role_has_ended(cast: Cast) -> None:
    members.end_membership(Membership.objects.get(user=cast.assessor))
    members.accept_invitation(invite(cast, "participant"), user=cast.assessor)
    assert access.roles_in(cast.assessor, cast.collection) == {"participant"}


def test_assessor_here_may_be_participant_elsewhere(cast: Cast) -> None:
    other = Collection.objects.get(slug="another-one")
    factories.join(other, cast.assessor, Role.PARTICIPANT)
    assert access.roles_in(cast.assessor, other) == {"participant"}


def test_member_may_hold_several_roles(cast: Cast) -> None:
    for role in ("adjudicator", "researcher", "organizer"):
        members.accept_invitation(invite(cast, role), user=cast.assessor)
    assert access.roles_in(cast.assessor, cast.collection) == {"assessor", "adjudicator", "researcher", "organizer"}


def test_database_refuses_a_role_twice(cast: Cast) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        factories.join(cast.collection, cast.researcher, Role.RESEARCHER)


def test_last_organizer_stays(cast: Cast) -> None:
    membership = Membership.objects.get(user=cast.organizer)
    assert refused(lambda: members.end_membership(membership)) == ("A collection needs an organizer: invite another one first.")
    second = members.accept_invitation(invite(cast, "organizer"), user=cast.researcher)
    accounts.set_standing(by=cast.staff, user=cast.researcher, is_active=False, is_staff=False)
    assert refused(lambda: members.end_membership(membership)).startswith("A collection needs an organizer")
    accounts.set_standing(by=cast.staff, user=cast.researcher, is_active=True, is_staff=False)
    assert members.end_membership(membership).ended_at is not None
    assert refused(lambda: members.end_membership(second)).startswith("A collection needs an organizer")


def test_ended_member_sees_nothing_and_stays_in_history(cast: Cast) -> None:
    membership = Membership.objects.get(user=cast.assessor)
    ended = members.end_membership(membership).ended_at
    assert not access.visible_to(cast.assessor).filter(pk=cast.collection.pk).exists()
    with pytest.raises(Http404):
        access.collection_for(cast.assessor, "harbour-trials")
    assert members.end_membership(membership).ended_at == ended
    assert Membership.objects.filter(pk=membership.pk).exists()


def test_ended_member_cannot_come_back_by_the_same_invitation(cast: Cast) -> None:
    invitation = invite(cast, max_uses=5)
    members.end_membership(members.accept_invitation(invitation, user=cast.stranger))
    words = refused(lambda: members.accept_invitation(invitation, user=cast.stranger))
    name = cast.organizer.name
    assert words == f"Your membership was ended after this invitation was made. Ask {name} for a new one."
    invitation.refresh_from_db()
    assert invitation.uses == 1
    assert members.accept_invitation(invite(cast), user=cast.stranger).ended_at is None


# Machines


@pytest.mark.parametrize("role", ["assessor", "participant"])
def test_machine_is_a_member_with_a_token_and_no_password(cast: Cast, role: str) -> None:
    membership, token, secret = members.add_machine(cast.collection, name=" llm ", role=role)
    machine = membership.user
    assert (machine.username, machine.name, machine.is_machine) == ("harbour-trials.llm", "llm", True)
    assert (membership.role, machine.has_usable_password()) == (role, False)
    assert accounts.find_token(secret) == token


@pytest.mark.parametrize("role", ["organizer", "adjudicator", "researcher", "nonsense"])
def test_machine_is_assessor_or_participant_only(cast: Cast, role: str) -> None:
    words = refused(lambda: members.add_machine(cast.collection, name="llm", role=role))
    assert words == f"role: Expected one of assessor, participant; found “{role}”."
    assert not User.objects.filter(is_machine=True).exists()


def test_machine_token_cannot_manage(cast: Cast) -> None:
    words = refused(lambda: members.add_machine(cast.collection, name="llm", scopes=["manage"]))
    assert words == "A machine reads, judges and submits; its token cannot have the scope manage."
    assert not User.objects.filter(is_machine=True).exists()


def test_machine_of_the_same_name_is_refused(cast: Cast) -> None:
    members.add_machine(cast.collection, name="llm")
    with pytest.raises(ValidationError) as error:
        members.add_machine(cast.collection, name="LLM")
    assert error.value.messages == ["This user name is taken."]


def test_machine_cannot_accept_an_invitation(cast: Cast) -> None:
    machine = members.add_machine(cast.collection, name="llm")[0].user
    words = refused(lambda: members.accept_invitation(invite(cast, "researcher"), user=machine))
    assert words == "A machine is made by an organizer, not invited."


def test_machine_token_renewed_ends_those_before(cast: Cast) -> None:
    membership, _, first = members.add_machine(cast.collection, name="llm")
    token, second = members.renew_machine_token(membership)
    assert accounts.find_token(first) is None
    assert accounts.find_token(second) == token
