"""Collections, members and invitations as JSON: the same services as the pages."""

from collections.abc import Iterable
from typing import Any

from django.db.models import Prefetch, QuerySet, prefetch_related_objects
from django.shortcuts import get_object_or_404
from ninja import Query, Router

from config import accounts
from config.api import MANAGE, PUBLIC, ApiRequest, newest_first
from config.models import Job
from config.schemas import JobOut, RoleOut, TokenIn, TokenMade
from pooling import access, selectors
from pooling.core.presets import PRESETS, Preset
from pooling.models import (
    Collection,
    Guideline,
    Invitation,
    Membership,
    Role,
    Visibility,
)
from pooling.schemas.collections import (
    CollectionChange,
    CollectionFilter,
    CollectionIn,
    CollectionOut,
    GuidelineIn,
    GuidelineOut,
    GuidelineVersion,
    InvitationIn,
    InvitationOut,
    JoinOut,
    MachineIn,
    MachineMade,
    MemberOut,
    PresetOut,
    ScaleIn,
    TopicLanguageIn,
    TopicLanguageOut,
)
from pooling.services import collections, members

collection_routes = Router(tags=["Collections"])
member_routes = Router(tags=["Members"])
invitation_routes = Router(tags=["Invitations"])


def _needed(request: ApiRequest) -> tuple["str | Prefetch[Any]", ...]:
    """What an answer shows of a collection, by two queries for any number of them."""
    mine = Membership.objects.filter(user_id=request.user.pk, ended_at=None)
    return "grades", Prefetch("memberships", queryset=mine, to_attr="my_memberships")


def _shown(request: ApiRequest, collection: Collection) -> Collection:
    prefetch_related_objects([collection], *_needed(request))
    return collection


def _organized(request: ApiRequest, slug: str) -> Collection:
    return access.collection_for(request.user, slug, Role.ORGANIZER)


@collection_routes.get("/presets", response=list[PresetOut], auth=PUBLIC)
def list_presets(request: ApiRequest) -> Iterable[Preset]:
    """List tasks, with the scale and measures that each starts from"""
    return list(PRESETS.values())


@collection_routes.get("/collections", response=list[CollectionOut], auth=PUBLIC)
@newest_first
def list_collections(request: ApiRequest, filters: Query[CollectionFilter]) -> QuerySet[Collection]:
    """List collections: your own, and the public ones"""
    found = access.listed_for(request.user).prefetch_related(*_needed(request))
    if filters.scope == "mine":
        user = access.require_sign_in(request.user)
        return found.filter(pk__in=selectors.memberships_of(user).values("collection_id"))
    if filters.scope == "public":
        return found.filter(visibility=Visibility.PUBLIC, archived_at=None)
    return found


@collection_routes.post("/collections", response={201: CollectionOut}, auth=MANAGE)
def create_collection(request: ApiRequest, body: CollectionIn) -> Collection:
    """Make a collection; you become its first organizer"""
    return _shown(request, collections.create_collection(by=request.user, **body.dict()))


@collection_routes.get("/collections/{slug:slug}", response=CollectionOut, auth=PUBLIC)
def read_collection(request: ApiRequest, slug: str) -> Collection:
    """Read a collection"""
    return _shown(request, access.collection_for(request.user, slug))


@collection_routes.patch("/collections/{slug:slug}", response=CollectionOut, auth=MANAGE)
def edit_collection(request: ApiRequest, slug: str, body: CollectionChange) -> Collection:
    """Change name, description, visibility, measures, or what is told of the documents

    For organizers. What is left out stays as it is.
    """
    collection = _organized(request, slug)
    now = {name: getattr(collection, name) for name in CollectionChange.model_fields}
    return _shown(request, collections.edit_collection(collection, **{**now, **body.dict(exclude_unset=True)}))


@collection_routes.put("/collections/{slug:slug}/scale", response=CollectionOut, auth=MANAGE)
def set_scale(request: ApiRequest, slug: str, body: ScaleIn) -> Collection:
    """Replace the relevance scale and its thresholds

    For organizers, until the first judgment.
    """
    collection, lenient, strict = _organized(request, slug), body.lenient_from, body.strict_from
    collections.set_scale(collection, grades=body.specs(), lenient_from=lenient, strict_from=strict)
    return _shown(request, collection)


@collection_routes.get("/collections/{slug:slug}/guidelines", response=list[GuidelineVersion], auth=PUBLIC)
@newest_first
def list_guidelines(request: ApiRequest, slug: str) -> QuerySet[Guideline]:
    """List the versions of the guidelines, newest first"""
    return access.collection_for(request.user, slug).guidelines.select_related("written_by").defer("text")


@collection_routes.post("/collections/{slug:slug}/guidelines", response={201: GuidelineOut}, auth=MANAGE)
def write_guideline(request: ApiRequest, slug: str, body: GuidelineIn) -> Guideline:
    """Write a new version of the guidelines

    For organizers. The same text again makes no new version.
    """
    return collections.write_guideline(_organized(request, slug), by=request.user, **body.dict())


@collection_routes.get("/collections/{slug:slug}/guidelines/{int:version}", response=GuidelineOut, auth=PUBLIC)
def read_guideline(request: ApiRequest, slug: str, version: int) -> Guideline:
    """Read one version of the guidelines"""
    found = access.collection_for(request.user, slug).guidelines.select_related("written_by")
    return get_object_or_404(found, version=version)


@collection_routes.post("/collections/{slug:slug}/archive", response=CollectionOut, auth=MANAGE)
def archive_collection(request: ApiRequest, slug: str) -> Collection:
    """Close a collection: it can be read, and nothing in it changes

    For organizers.
    """
    return _shown(request, collections.archive_collection(_organized(request, slug)))


@collection_routes.post("/collections/{slug:slug}/restore", response=CollectionOut, auth=MANAGE)
def restore_collection(request: ApiRequest, slug: str) -> Collection:
    """Open an archived collection again

    For organizers.
    """
    return _shown(request, collections.restore_collection(_organized(request, slug)))


@collection_routes.post("/collections/{slug:slug}/export", response={202: JobOut}, auth=MANAGE)
def export_collection(request: ApiRequest, slug: str) -> Job:
    """Ask for the collection as one archive

    For organizers. The answer is a job; its output is the archive. Asked twice while it is being made, it is made once.
    """
    return collections.request_export(_organized(request, slug), by=request.user)


@member_routes.get("/collections/{slug:slug}/members", response=list[MemberOut])
@newest_first
def list_members(request: ApiRequest, slug: str) -> QuerySet[Membership]:
    """List members, one line for each role

    For organizers.
    """
    return _organized(request, slug).memberships.filter(ended_at=None).select_related("user")


@member_routes.delete("/collections/{slug:slug}/members/{int:id}", response={204: None}, auth=MANAGE)
def end_membership(request: ApiRequest, slug: str, id: int) -> None:
    """Take a role away from a member

    For organizers. What the member did stays. The last organizer stays too.
    """
    members.end_membership(get_object_or_404(_organized(request, slug).memberships, pk=id, ended_at=None))


@member_routes.get("/collections/{slug:slug}/topic-language", response=TopicLanguageOut)
def read_topic_language(request: ApiRequest, slug: str) -> dict[str, Any]:
    """The language in which you read topics, and those there are

    For members.
    """
    collection = access.collection_for(request.user, slug, *Role)
    chosen = selectors.chosen_language(request.user, collection)
    return {"language": chosen, "languages": selectors.topic_languages(collection)}


@member_routes.put("/collections/{slug:slug}/topic-language", response=TopicLanguageOut, auth=MANAGE)
def set_topic_language(request: ApiRequest, slug: str, body: TopicLanguageIn) -> dict[str, Any]:
    """Set the language in which you read topics, while judging too

    For members.
    """
    collection = access.collection_for(request.user, slug, *Role)
    members.set_topic_language(collection, user=request.user, language=body.language)
    return read_topic_language(request, slug)


@member_routes.post("/collections/{slug:slug}/machines", response={201: MachineMade}, auth=MANAGE)
def add_machine(request: ApiRequest, slug: str, body: MachineIn) -> dict[str, Any]:
    """Add a machine: a program that judges or submits by API

    For organizers. The secret of its first token is in this answer and nowhere else.
    """
    member, token, secret = members.add_machine(_organized(request, slug), **body.dict())
    return {"member": member, "token": token, "secret": secret}


@member_routes.post("/collections/{slug:slug}/machines/{int:id}/tokens", response={201: TokenMade}, auth=MANAGE)
def make_machine_token(request: ApiRequest, slug: str, id: int, body: TokenIn) -> TokenMade:
    """Make a further token for a machine

    For organizers. The id is that of its membership. The secret is in this answer and nowhere else.
    """
    collection = _organized(request, slug)
    machines = collection.memberships.filter(user__is_machine=True, ended_at=None)
    machine = get_object_or_404(machines.select_related("user"), pk=id)
    collections.require_not_archived(collection)
    return TokenMade.of(*accounts.make_token(user=machine.user, **body.dict()))


@invitation_routes.get("/collections/{slug:slug}/invitations", response=list[InvitationOut], auth=MANAGE)
@newest_first
def list_invitations(request: ApiRequest, slug: str) -> QuerySet[Invitation]:
    """List invitations with their links

    For organizers. Needs the scope manage, since whoever has a link can join.
    """
    return selectors.invitations(_organized(request, slug))


@invitation_routes.post("/collections/{slug:slug}/invitations", response={201: list[InvitationOut]}, auth=MANAGE)
def invite(request: ApiRequest, slug: str, body: InvitationIn) -> list[Invitation]:
    """Invite people: one link to pass on, or one mailed to each address

    For organizers.
    """
    return members.invite(_organized(request, slug), by=request.user, **body.dict())


@invitation_routes.delete("/collections/{slug:slug}/invitations/{int:id}", response={204: None}, auth=MANAGE)
def revoke_invitation(request: ApiRequest, slug: str, id: int) -> None:
    """Revoke an invitation; who has joined by it stays

    For organizers.
    """
    members.revoke_invitation(get_object_or_404(_organized(request, slug).invitations, pk=id))


@invitation_routes.get("/join/{signed}", response=JoinOut)
def read_invitation(request: ApiRequest, signed: str) -> Invitation:
    """Read what an invitation offers

    The part “signed” of the address is the last part of the invitation's link.
    """
    return members.open_invitation(signed)


@invitation_routes.post("/join/{signed}", response=RoleOut, auth=MANAGE)
def accept_invitation(request: ApiRequest, signed: str) -> Membership:
    """Accept an invitation

    Using one's link a second time changes nothing and costs no use.
    """
    return members.accept_invitation(members.open_invitation(signed), user=request.user)
