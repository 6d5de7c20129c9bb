"""The page behind an invitation: joining with an account or a new one."""

import pytest
from django.test import Client

from config.models import User
from pooling.models import Invitation, Membership
from pooling.services import members
from pooling.services.collections import archive_collection
from tests.conftest import Cast, ClientFor
from tests.pooling.test_pages import HERE, NEW, errors, olga

__all__ = ["olga"]

pytestmark = pytest.mark.once  # as in test_pages.py


def link(cast: Cast, role: str = "assessor") -> str:
    [invitation] = members.invite(cast.collection, by=cast.organizer, role=role)
    return members.invitation_url(invitation).removeprefix("http://127.0.0.1:8000")


def account(**change: str) -> dict[str, str]:
    return {"name": "Nia", "username": "nia", "email": "", "password": NEW, "again": NEW, **change}


def test_join_with_an_account(cast: Cast, client_for: ClientFor) -> None:
    client, path = client_for(cast.stranger), link(cast)
    assert "Join as Stranger" in client.get(path).content.decode()
    assert client.post(path)["Location"] == HERE
    assert client.get(HERE).status_code == 200


def test_join_makes_an_account_and_signs_in(cast: Cast, client: Client) -> None:
    path = link(cast)
    assert "Make an account" in client.get(path).content.decode()
    assert client.post(path, account())["Location"] == HERE
    assert client.get(HERE).context["user"].username == "nia"
    assert client.get(path)["Location"] == HERE


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"again": "other"}, "again"),
        ({"username": "olga-organizer"}, "username"),
        ({"username": "OLGA-organizer"}, "__all__"),
        ({"name": ""}, "name"),
    ],
)
def test_join_refuses_a_bad_account_and_costs_no_use(cast: Cast, client: Client, change: dict[str, str], field: str) -> None:
    answer = client.post(link(cast), account(**change))
    assert (answer.status_code, list(errors(answer))) == (422, [field])
    assert (Invitation.objects.get().uses, User.objects.filter(username="nia").count()) == (0, 0)


def test_an_archived_collection_says_so_before_anything_is_typed(cast: Cast, client: Client) -> None:
    path = link(cast)
    archive_collection(cast.collection)
    answer = client.get(path)
    assert (answer.status_code, "This collection is archived" in answer.content.decode()) == (409, True)
    assert "Make an account" not in answer.content.decode()


def test_join_by_a_link_that_is_over_says_so(cast: Cast, client: Client) -> None:
    path = link(cast)
    members.revoke_invitation(Invitation.objects.get())
    for answer in (client.get(path), client.post(path, account())):
        assert answer.status_code == 410
        assert "This invitation is revoked." in answer.content.decode()
    assert not User.objects.filter(username="nia").exists()


def test_join_as_participant_is_refused_to_an_assessor(cast: Cast, client_for: ClientFor) -> None:
    answer = client_for(cast.assessor).post(link(cast, "participant"))
    assert answer.status_code == 409
    assert next(t.name for t in answer.templates) == "pooling/join.html"
    page = answer.content.decode()
    assert "<strong>You cannot join.</strong>" in page
    assert "nobody can be assessor and participant of the same one" in page


def test_join_again_after_the_membership_ended_is_409(cast: Cast, client_for: ClientFor) -> None:
    [invitation] = members.invite(cast.collection, by=cast.organizer, role="assessor", max_uses=5)
    path = members.invitation_url(invitation).removeprefix("http://127.0.0.1:8000")
    client = client_for(cast.stranger)
    client.post(path)
    members.end_membership(Membership.objects.get(user=cast.stranger))
    answer = client.post(path)
    assert answer.status_code == 409
    assert "Your membership was ended after this invitation was made." in answer.content.decode()
    assert client.get(HERE).status_code == 404


def test_join_by_a_forged_link_is_404(db: None, client: Client) -> None:
    forged = client.get("/join/1.forged/")
    assert forged.status_code == 404 and "Copy the whole link out of the message" in forged.content.decode()
