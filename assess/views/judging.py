"""The judging page and one's own topics, for assessors."""

import uuid
from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from assess import blind
from assess.forms import HoldForm, JudgmentForm, WordsForm
from assess.services import judging, practice
from config import http
from config.errors import Refusal
from pooling import access, selectors
from pooling.models import Collection, Role
from pooling.views.collections import page


@never_cache
@require_safe
def judge(request: HttpRequest, slug: str) -> HttpResponse:
    """The next document to judge, and those after it."""
    collection = access.collection_as(request.user, slug, Role.ASSESSOR)
    user = access.require_sign_in(request.user)
    if practice.is_waiting(collection, user):
        return redirect("practice", slug)
    return _page(request, collection, judging.next_items(collection, assessor=user, count=judging.PAGE))


@never_cache
@require_http_methods(["GET", "POST"])
def one(request: HttpRequest, slug: str, seat: uuid.UUID) -> HttpResponse:
    """A certain document, to judge or to change; a POST judges it, one request for each judgment."""
    collection = access.collection_as(request.user, slug, Role.ASSESSOR)
    user = access.require_sign_in(request.user)
    if request.method == "POST":
        return _record(request, collection, seat)
    if practice.is_waiting(collection, user):
        return redirect("practice", slug)
    card = judging.item(collection, assessor=user, seat=seat)
    following = judging.next_items(collection, assessor=user, count=judging.PAGE, held=[seat])
    return _page(request, collection, [card, *following], before=seat)


def _record(request: HttpRequest, collection: Collection, seat: uuid.UUID) -> HttpResponse:
    user = access.require_sign_in(request.user)
    form = JudgmentForm(request.POST)
    if not form.is_valid():
        raise Refusal(form.faults)
    held = form.cleaned_data["held"]
    ahead = max(0, min(3, judging.AHEAD - len(held))) if http.wants_json(request) else 0
    done = judging.record_judgment(collection, assessor=user, seat=seat, ahead=ahead, **form.cleaned_data)
    if not http.wants_json(request):
        said = form.cleaned_data["grade"] is not None or form.cleaned_data["answer"]
        return redirect("judge", collection.slug) if said else redirect("seat", collection.slug, seat)
    saved = {name: getattr(done.saved, name) for name in ("seat", "client_id", "answer", "grade", "seen")}
    progress = {"done": done.done, "left": done.left}
    return JsonResponse({"saved": saved, "progress": progress, "cards": _sent(collection, done.cards)})


@require_POST
def hold(request: HttpRequest, slug: str) -> HttpResponse:
    """While the page is looked at its leases are renewed, and it gets more to keep ready; who leaves gives them back."""
    collection = access.collection_as(request.user, slug, Role.ASSESSOR)
    user = access.require_sign_in(request.user)
    form = HoldForm(request.POST)
    if not form.is_valid():
        raise Refusal(form.faults)
    if form.cleaned_data["leave"]:
        judging.free_leases(collection, assessor=user)
        return JsonResponse({"cards": []})
    cards = judging.hold_items(collection, assessor=user, held=form.cleaned_data["held"])
    return JsonResponse({"cards": _sent(collection, cards)})


@require_POST
def words(request: HttpRequest, slug: str) -> HttpResponse:
    """One's own words of a topic, marked from now on in its documents."""
    collection = access.collection_as(request.user, slug, Role.ASSESSOR)
    user = access.require_sign_in(request.user)
    form = WordsForm(request.POST)
    if not form.is_valid():
        raise Refusal(form.faults)
    sent = form.cleaned_data
    judging.set_words(collection, assessor=user, topic=sent["topic"], words=sent["words"])
    return redirect("seat", collection.slug, sent["seat"]) if sent["seat"] else redirect("judge", collection.slug)


def _sent(collection: Collection, cards: Sequence[blind.Card]) -> list[dict[str, Any]]:
    """As the page's script takes them: rendered by the same templates as the page."""
    return [
        {
            "seat": str(card.token),
            "url": reverse("seat", args=[collection.slug, card.token]),
            "name": card.docno,
            "topic": card.topic,
            "topic_html": render_to_string("assess/_topic.html", {"card": card, "collection": collection}),
            "document_html": render_to_string("assess/_document.html", {"card": card}),
            **{name: getattr(card, name) for name in ("waits", "seen", "answer", "grade", "reason", "note", "known")},
        }
        for card in cards
    ]


def _page(
    request: HttpRequest, collection: Collection, cards: Sequence[blind.Card], before: uuid.UUID | None = None
) -> HttpResponse:
    user = access.require_sign_in(request.user)
    context = {
        "collection": collection,
        "card": cards[0] if cards else None,
        "cards": _sent(collection, cards),
        "grades": selectors.grades(collection),
        "progress": blind.own_progress(collection, user),
        "previous": blind.previous_token(collection, user, before),
        "client_id": uuid.uuid4(),
    }
    return render(request, "assess/judge.html", context)


@require_safe
def own(request: HttpRequest, slug: str) -> HttpResponse:
    """One's own topics with what is left of each, and what one has judged."""
    collection = access.collection_as(request.user, slug, Role.ASSESSOR)
    user = access.require_sign_in(request.user)
    topic = request.GET.get("topic", "").replace("\0", "")
    grades = {grade.value: grade for grade in selectors.grades(collection)}
    found = blind.judged(collection, user, topic=topic)
    context: dict[str, Any] = {
        "topic": topic,
        "topics": blind.own_topics(collection, user),
        "progress": blind.own_progress(collection, user),
        "judged": [(row, None if row.grade is None else grades.get(row.grade)) for row in found],
    }
    return page(request, "assess/own.html", collection, **context)
