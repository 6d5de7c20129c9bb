"""Developing topics as JSON: the same services as the pages. All of it for organizers."""

from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from ninja import Router

from assess import drafting, searching
from assess.models import TopicDraft
from assess.schemas.drafting import DecisionReasonIn, DraftGradeIn, DraftIn, DraftOut, TriedOut
from assess.services import drafting as acts
from assess.services import searching as searches
from config.api import MANAGE, ApiRequest
from config.errors import Conflict
from pooling import access, search
from pooling.models import Collection, Role

routes = Router(tags=["Topics and documents"])
C = "/collections/{slug:slug}"
D = f"{C}/drafts/{{int:id}}"


def _organized(request: ApiRequest, slug: str) -> Collection:
    return access.collection_for(request.user, slug, Role.ORGANIZER)


def _draft(request: ApiRequest, slug: str, id: int) -> TopicDraft:
    return get_object_or_404(TopicDraft.objects.select_related("collection"), collection=_organized(request, slug), pk=id)


@routes.get(f"{C}/drafts", response=list[DraftOut])
def list_drafts(request: ApiRequest, slug: str) -> "QuerySet[TopicDraft]":
    """Drafts of topics, open ones first

    For organizers.
    """
    return drafting.drafts(_organized(request, slug))


@routes.post(f"{C}/drafts", response={201: DraftOut}, auth=MANAGE)
def create_draft(request: ApiRequest, slug: str, body: DraftIn) -> TopicDraft:
    """Make a draft of a topic: nothing is pooled or judged for it until it is accepted

    For organizers.
    """
    given = {"number": body.number, "texts": body.texts, "words": body.words, "language": body.language}
    return acts.create_draft(_organized(request, slug), by=request.user, **given)  # type: ignore[arg-type]


@routes.get(D, response=TriedOut)
def read_draft(request: ApiRequest, slug: str, id: int) -> dict[str, Any]:
    """A draft with the hits to be judged, and about how many relevant documents there are; the search is kept

    For organizers. 409 before the index is made.
    """
    draft = _draft(request, slug, id)
    if not search.index_of(draft.collection).is_ready():
        raise Conflict("These documents are not indexed yet.")
    tried = drafting.tried(draft, request.user)
    results = searching.Results(draft.words, tried.total, 1, [hit for hit, _ in tried.hits])
    searches.log(draft.collection, searcher=request.user, topic=None, results=results)
    return TriedOut.of(draft, tried)


@routes.put(D, response=DraftOut, auth=MANAGE)
def edit_draft(request: ApiRequest, slug: str, id: int, body: DraftIn) -> TopicDraft:
    """Change a draft

    For organizers.
    """
    draft = _draft(request, slug, id)
    return acts.edit_draft(draft, number=body.number, texts=body.texts, words=body.words, language=body.language)


@routes.post(f"{D}/grades", response={204: None}, auth=MANAGE)
def grade_draft_hit(request: ApiRequest, slug: str, id: int, body: DraftGradeIn) -> None:
    """Grade a hit of a draft: it counts for the estimate, and nowhere else

    For organizers.
    """
    acts.grade_hit(_draft(request, slug, id), by=request.user, docno=body.docno.replace("\0", ""), grade=body.grade)


@routes.post(f"{D}/more", response=DraftOut, auth=MANAGE)
def draw_more(request: ApiRequest, slug: str, id: int) -> TopicDraft:
    """Draw more hits to be judged, for a narrower interval

    For organizers.
    """
    return acts.draw_more(_draft(request, slug, id))


@routes.post(f"{D}/accept", response=DraftOut, auth=MANAGE)
def accept_draft(request: ApiRequest, slug: str, id: int, body: DecisionReasonIn) -> TopicDraft:
    """Make a topic of a draft

    For organizers.
    """
    draft = _draft(request, slug, id)
    acts.accept_draft(draft, by=request.user, reason=body.reason)
    draft.refresh_from_db()
    return draft


@routes.post(f"{D}/drop", response=DraftOut, auth=MANAGE)
def drop_draft(request: ApiRequest, slug: str, id: int, body: DecisionReasonIn) -> TopicDraft:
    """Drop a draft; it stays in the list, with the reason

    For organizers.
    """
    return acts.drop_draft(_draft(request, slug, id), by=request.user, reason=body.reason)


@routes.post(f"{C}/topics-freeze", response={204: None}, auth=MANAGE)
def freeze_topics(request: ApiRequest, slug: str) -> None:
    """Close the list of topics: none comes or goes, and a change of one is a version

    For organizers. 409 while a draft is open.
    """
    acts.freeze_topics(_organized(request, slug))


@routes.delete(f"{C}/topics-freeze", response={204: None}, auth=MANAGE)
def open_topics(request: ApiRequest, slug: str) -> None:
    """Open the list of topics again, as long as nothing is judged

    For organizers.
    """
    acts.open_topics(_organized(request, slug))
