"""Who may see what: visible_to, listed_for, collection_for, jobs and tokens, for every role and visibility."""

import pytest
from django.contrib.auth.models import AnonymousUser
from django.http import Http404
from django.utils import timezone

from config import accounts, jobs
from config.errors import Forbidden, NotSignedIn
from config.models import User
from pooling import access
from pooling.models import Collection, Membership, Role, Visibility
from pooling.services import members
from tests.conftest import Cast
from tests.evaluation.factories import ALPHA, make_run

pytestmark = pytest.mark.once

MEMBERS = ("organizer", "assessor", "adjudicator", "participant", "researcher")
EVERYBODY = (*MEMBERS, "staff", "stranger", "other_organizer", "anonymous")


def person(cast: Cast, who: str) -> access.Anyone:
    user: User | AnonymousUser = AnonymousUser() if who == "anonymous" else getattr(cast, who)
    return user


def who_finds(cast: Cast, find: "object") -> set[str]:
    """Of everybody, those whose queryset holds the collection."""
    assert callable(find)
    return {who for who in EVERYBODY if find(person(cast, who)).filter(pk=cast.collection.pk).exists()}


def show_as(cast: Cast, visibility: str, *, archived: bool = False) -> None:
    Collection.objects.filter(pk=cast.collection.pk).update(
        visibility=visibility, archived_at=timezone.now() if archived else None
    )


@pytest.mark.parametrize("archived", [False, True])
@pytest.mark.parametrize("visibility", Visibility.values)
def test_visible_to_members_and_administrators_or_all(cast: Cast, visibility: str, archived: bool) -> None:
    show_as(cast, visibility, archived=archived)
    inside = {*MEMBERS, "staff"}
    assert who_finds(cast, access.visible_to) == (inside if visibility == "private" else set(EVERYBODY))


@pytest.mark.parametrize("visibility", Visibility.values)
def test_listed_for_members_and_public_ones_for_all(cast: Cast, visibility: str) -> None:
    show_as(cast, visibility)
    assert who_finds(cast, access.listed_for) == (set(EVERYBODY) if visibility == "public" else set(MEMBERS))
    show_as(cast, visibility, archived=True)
    assert who_finds(cast, access.listed_for) == set(MEMBERS)


@pytest.mark.parametrize("who", EVERYBODY)
def test_roles_are_those_held_now(cast: Cast, who: str) -> None:
    expected = {who} if who in MEMBERS else {"organizer"} if who == "staff" else set()
    assert access.roles_in(person(cast, who), cast.collection) == expected
    Membership.objects.update(ended_at=timezone.now())
    assert access.roles_in(person(cast, who), cast.collection) == ({"organizer"} if who == "staff" else set())


@pytest.mark.parametrize("who", EVERYBODY)
def test_runs_and_files_are_seen_by_organizers_and_by_who_sent_them(cast: Cast, who: str) -> None:
    """Whatever page asks: who judges is blind for them."""
    for by in (cast.organizer, cast.participant):
        make_run(cast.collection, by.username, ALPHA, by=by)
    sent = {cast.organizer.username, cast.participant.username}
    seen = {"organizer": sent, "staff": sent, "participant": {cast.participant.username}}.get(who, set())
    user = person(cast, who)
    assert {run.tag for run in access.runs_visible_to(user, cast.collection)} == seen
    assert {upload.name.removesuffix(".txt") for upload in access.uploads_visible_to(user, cast.collection)} == seen


def answer(user: access.Anyone, slug: str, *roles: Role) -> str:
    try:
        return access.collection_for(user, slug, *roles).slug
    except Http404:
        return "404"
    except Forbidden:
        return "403"
    except NotSignedIn:
        return "401"


@pytest.mark.parametrize("visibility", Visibility.values)
def test_collection_for_hides_and_missing_ones_look_alike(cast: Cast, visibility: str) -> None:
    show_as(cast, visibility)
    found = {who: answer(person(cast, who), "harbour-trials") for who in EVERYBODY}
    if visibility == "private":
        hidden = {"stranger": "404", "other_organizer": "404", "anonymous": "401"}
    else:
        hidden = {}
    assert found == {**dict.fromkeys(EVERYBODY, "harbour-trials"), **hidden}
    missing = {who: answer(person(cast, who), "no-such-one") for who in ("stranger", "other_organizer", "anonymous")}
    assert missing == {"stranger": "404", "other_organizer": "404", "anonymous": "401"}


@pytest.mark.parametrize("visibility", Visibility.values)
def test_collection_for_organizers_is_403_to_members_and_404_to_strangers(cast: Cast, visibility: str) -> None:
    show_as(cast, visibility)
    found = {who: answer(person(cast, who), "harbour-trials", Role.ORGANIZER) for who in EVERYBODY}
    expected = dict.fromkeys(MEMBERS, "403") | {"organizer": "harbour-trials", "staff": "harbour-trials"}
    assert found == expected | {"stranger": "404", "other_organizer": "404", "anonymous": "401"}


def test_collection_for_one_of_several_roles(cast: Cast) -> None:
    roles = (Role.ASSESSOR, Role.ADJUDICATOR)
    found = {who: answer(person(cast, who), "harbour-trials", *roles) for who in MEMBERS}
    assert found == {who: "harbour-trials" if who in {"assessor", "adjudicator"} else "403" for who in MEMBERS}


def test_forbidden_names_the_role_that_is_needed(cast: Cast) -> None:
    with pytest.raises(Forbidden) as error:
        access.collection_for(cast.assessor, "harbour-trials", Role.ORGANIZER, Role.ADJUDICATOR)
    expected = "This is for the collection's organizer or adjudicators; you are an assessor."
    assert error.value.message.replace("organizers", "organizer") == expected


def test_jobs_are_seen_by_starter_organizers_and_administrators(cast: Cast) -> None:
    job = jobs.intend("trial", title="x", args={}, started_by=cast.assessor, collection_id=cast.collection.pk)
    seen = {who for who in EVERYBODY if access.jobs_visible_to(person(cast, who)).filter(pk=job.pk).exists()}
    assert seen == {"assessor", "organizer", "staff"}
    with pytest.raises(Http404):
        access.job_for(cast.stranger, job.pk)
    with pytest.raises(NotSignedIn):
        access.job_for(AnonymousUser(), job.pk)


def test_job_of_no_collection_is_its_starters_alone(cast: Cast) -> None:
    job = jobs.intend("trial", title="x", args={}, started_by=None)
    seen = {who for who in EVERYBODY if access.jobs_visible_to(person(cast, who)).filter(pk=job.pk).exists()}
    assert seen == {"staff"}


def test_tokens_are_seen_by_owner_and_those_of_machines_by_organizers(cast: Cast) -> None:
    own, _ = accounts.make_token(user=cast.assessor, name="x", scopes=["read"])
    _, machine, _ = members.add_machine(cast.collection, name="llm")
    people = [who for who in EVERYBODY if who != "anonymous"]
    users = {who: getattr(cast, who) for who in people}
    assert {who for who in people if access.tokens_visible_to(users[who]).filter(pk=own.pk)} == {"assessor"}
    assert {who for who in people if access.tokens_visible_to(users[who]).filter(pk=machine.pk)} == {"organizer"}


def test_staff_pages_do_not_exist_for_others(cast: Cast) -> None:
    assert access.require_staff(cast.staff) == cast.staff
    with pytest.raises(Http404):
        access.require_staff(cast.organizer)
    with pytest.raises(NotSignedIn):
        access.require_staff(AnonymousUser())
