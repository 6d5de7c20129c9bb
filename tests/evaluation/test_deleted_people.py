"""Deleting a person keeps the science: name and keys go, judgments, pseudonyms and releases are as they were."""

import uuid

import pytest
from django.contrib.sessions.models import Session

from assess import exports, opinions
from assess.models import JudgmentEvent
from assess.services import adjudicating
from config import accounts
from config.errors import Conflict, Refusal
from config.models import ApiToken, OneTimeLink, RememberedAnswer, Throttle, User
from evaluation import bundles
from pooling.models import Invitation, Membership
from pooling.services import members, people
from tests import factories as made
from tests.conftest import Cast, ClientFor
from tests.evaluation.factories import freeze
from tests.evaluation.test_bundles import files


def science(cast: Cast) -> list[object]:
    """All that goes out of a collection about its judging: qrels and files of a release made now, and the exports."""
    reading = bundles.read(cast.collection, opinions.plan(cast.collection))
    lines = [list(exports.lines(cast.collection, "csv", history=history)) for history in (False, True)]
    return [reading.qrels, reading.files, *lines]


def test_judgments_pseudonyms_and_releases_stay(judged: Cast, second: User) -> None:
    decided = {"client_id": uuid.uuid4(), "topic": "2", "docno": "d", "grade": 2, "reason": "", "comment": ""}
    adjudicating.decide(judged.collection, by=judged.adjudicator, **decided)  # type: ignore[arg-type]
    first = freeze(judged.collection, judged.organizer)
    archived, before, acts = files(first), science(judged), JudgmentEvent.objects.count()
    for person in (judged.assessor, judged.adjudicator, judged.participant):
        people.delete_person(by=judged.staff, user=person)
    assert science(judged) == before
    assert (files(first), JudgmentEvent.objects.count()) == (archived, acts)
    assert any(line.startswith("1,a,A1,") for line in before[-2])  # type: ignore[attr-defined]


def test_nothing_of_a_person_is_left_but_the_row(cast: Cast, client_for: ClientFor) -> None:
    person, client = cast.assessor, client_for(cast.assessor)
    name, mail = person.username, person.email
    accounts.make_link(person)
    _token, secret = accounts.make_token(user=person, name="laptop", scopes=["read"])
    accounts.first_time(person, "a form")
    accounts.hit(f"account:{name}", 9)
    members.invite(cast.collection, by=cast.organizer, role="researcher", emails=[mail.upper()])
    left = people.delete_person(by=cast.staff, user=person)
    husk = (f"former~{person.pk}", f"Former member {person.pk}", "", False, False, None)
    assert (left.username, left.name, left.email, left.is_active, left.has_usable_password(), left.last_login) == husk
    assert [model.objects.filter(user=person).exists() for model in (ApiToken, OneTimeLink, RememberedAnswer)] == [False] * 3
    assert not Throttle.objects.filter(key__contains=name).exists()
    assert list(Invitation.objects.values_list("email", flat=True)) == [""]
    assert not Session.objects.exists() and client.get("/profile/").status_code == 302
    assert accounts.find_token(secret) is None
    assert [(row.role, bool(row.ended_at)) for row in Membership.objects.filter(user=person)] == [("assessor", True)]
    assert made.make_user("Member assessor").username == name  # free for somebody else, mail included


def test_who_cannot_be_deleted(cast: Cast) -> None:
    for person, why in (
        (cast.staff, "You cannot delete your own account"),
        (cast.organizer, "Olga Organizer is the only organizer of Harbour trials: invite another one there first."),
    ):
        with pytest.raises(Conflict, match=why):
            people.delete_person(by=cast.staff, user=person)
    User.objects.filter(pk=cast.organizer.pk).update(is_active=False)  # closed first, as the page has it
    with pytest.raises(Conflict, match="Olga Organizer is the only organizer of Harbour trials"):
        people.delete_person(by=cast.staff, user=cast.organizer)
    with pytest.raises(Conflict, match="The last administrator cannot be deleted"):
        people.delete_person(by=cast.organizer, user=cast.staff)
    with pytest.raises(Refusal, match="A machine is no person"):
        people.delete_person(by=cast.staff, user=members.add_machine(cast.collection, name="bot")[0].user)
    gone = people.delete_person(by=cast.staff, user=cast.stranger)
    with pytest.raises(Conflict, match="deleted already"):
        people.delete_person(by=cast.staff, user=gone)
    with pytest.raises(Conflict, match="nobody can open it again"):
        accounts.set_standing(by=cast.staff, user=gone, is_active=True, is_staff=False)


def test_people_page_deletes_a_closed_account(cast: Cast, client_for: ClientFor) -> None:
    client, path = client_for(cast.staff), f"/people/{cast.stranger.pk}/delete/"
    assert path not in client.get("/people/").content.decode()  # closed first, so that no slip of the hand deletes
    client.post(f"/people/{cast.stranger.pk}/standing/", {"act": "close"})
    assert f'action="{path}"' in client.get("/people/").content.decode()
    answer = client.post(path, follow=True)
    words = f"The account of Stranger is deleted. What they did stays, as of “Former member {cast.stranger.pk}”."
    page = answer.content.decode()
    assert words in page and path not in page and f"former~{cast.stranger.pk}" in page
