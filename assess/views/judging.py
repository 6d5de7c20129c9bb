"""The judging page and one's own topics, for assessors."""

import uuid
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from assess import blind, likeness
from assess import own as ours
from assess.forms import HistoryForm, HoldForm, JudgmentForm, SeatsForm, WordsForm
from assess.own import Filters
from assess.services import judging, leases, practice
from config import http
from config.errors import Refusal
from pooling import access, selectors
from pooling.models import Collection, Role
from pooling.views.collections import page

SAID = ("waits", "seen", "answer", "grade", "reason", "note", "known", "evidence")
# Of the judging page: act, key, a second key, name, explanation. The script knows the same acts by these names.
KEYS = (
    ("back", "b", "←", "Back", "to the document before, to change its grade"),
    ("on", "→", "", "Next", "without a change"),
    ("undo", "u", "", "Undo", "what was done last"),
    ("cannot", "c", "", "Can’t judge", "type the reason, then Enter"),
    ("later", "l", "", "Later", "the document comes back at the end"),
    ("note", "n", "", "Note", "Ctrl and Enter saves it, a grade too"),
    ("known", "k", "", "Already known to me, or not", ""),
    ("evidence", "e", "", "Relevant passage", "marks what is selected, or the sentence of the marked or found word one is at"),
    ("marks", "h", "", "Mark words of the topic, or not", ""),
    ("next", ".", "", "Next marked word", ""),
    ("previous", ",", "", "Previous marked word", ""),
    ("find", "/", "", "Find in the document", "Enter for the next, Shift and Enter for the one before"),
    ("outline", "o", "", "Outline", "where the document has headings"),
    ("view", "v", "", "As a page, or as text", ""),
    ("larger", "+", "", "Larger text", ""),
    ("smaller", "-", "", "Smaller text", ""),
    ("width", "w", "", "Width of the text", ""),
    ("topic", "t", "", "Fold or unfold the topic", ""),
    ("guidelines", "g", "", "Guidelines", "beside the document; Escape closes them"),
    ("history", "j", "", "Jump to what I judged", ""),
    ("keys", "?", "", "This list", ""),
)


@never_cache
@require_safe
def judge(request: HttpRequest, slug: str) -> HttpResponse:
    """The next document to judge, and those after it."""
    collection = access.collection_for(request.user, slug, Role.ASSESSOR)
    user = access.require_sign_in(request.user)
    if practice.is_waiting(collection, user):
        return redirect("practice", slug)
    return _page(request, collection, judging.next_items(collection, assessor=user, count=judging.PAGE))


@never_cache
@require_safe
def many(request: HttpRequest, slug: str) -> HttpResponse:
    """The next documents one below the other, for a quick pass over short ones."""
    collection = access.collection_for(request.user, slug, Role.ASSESSOR)
    user = access.require_sign_in(request.user)
    return _page(request, collection, judging.next_items(collection, assessor=user, count=judging.PAGE), many=True)


@never_cache
@require_http_methods(["GET", "POST"])
def one(request: HttpRequest, slug: str, seat: uuid.UUID) -> HttpResponse:
    """A certain document, to judge or to change; a POST judges it, one request for each judgment."""
    collection = access.collection_for(request.user, slug, Role.ASSESSOR)
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
    ahead = max(0, min(3, leases.AHEAD - len(held))) if http.wants_json(request) else 0
    done = judging.record_judgment(collection, assessor=user, seat=seat, ahead=ahead, **form.cleaned_data)
    if not http.wants_json(request):
        said = form.cleaned_data["grade"] is not None or form.cleaned_data["answer"]
        if said and request.POST.get("then") == "many":
            return redirect("judge_many", collection.slug)
        return redirect("judge", collection.slug) if said else redirect("seat", collection.slug, seat)
    saved = {name: getattr(done.saved, name) for name in ("seat", "client_id", "answer", "grade", "seen")}
    progress = {"done": done.done, "left": done.left}
    return JsonResponse({"saved": saved, "progress": progress, "cards": _sent(collection, done.cards)})


@require_POST
def hold(request: HttpRequest, slug: str) -> HttpResponse:
    """While the page is looked at its leases are renewed, and it gets more to keep ready; who leaves gives them back."""
    collection = access.collection_for(request.user, slug, Role.ASSESSOR)
    user = access.require_sign_in(request.user)
    form = HoldForm(request.POST)
    if not form.is_valid():
        raise Refusal(form.faults)
    if form.cleaned_data["leave"]:
        leases.free_leases(collection, assessor=user)
        return JsonResponse({"cards": []})
    cards = leases.hold_items(collection, assessor=user, held=form.cleaned_data["held"])
    return JsonResponse({"cards": _sent(collection, cards)})


@require_safe
def source(request: HttpRequest, slug: str, seat: uuid.UUID) -> HttpResponse:
    """A document as it came, as text: nothing of it is taken for a page."""
    collection = access.collection_for(request.user, slug, Role.ASSESSOR)
    found = judging.source(collection, assessor=access.require_sign_in(request.user), seat=seat)
    return HttpResponse(found, content_type="text/plain; charset=utf-8")


@never_cache
@require_safe
def text(request: HttpRequest, slug: str, seat: uuid.UUID) -> HttpResponse:
    """A document as text alone. The judging page asks for it behind a long page of HTML, which is there the sooner."""
    collection = access.collection_for(request.user, slug, Role.ASSESSOR)
    card = judging.item(collection, assessor=access.require_sign_in(request.user), seat=seat)
    return page(request, "assess/text.html", collection, card=card)


@require_safe
def alike(request: HttpRequest, slug: str) -> HttpResponse:
    """Which of one's other documents of the same topics read as those that the page holds."""
    collection = access.collection_for(request.user, slug, Role.ASSESSOR)
    form = SeatsForm(request.GET)
    if not form.is_valid():
        raise Refusal(form.faults)
    found = likeness.alike(collection, access.require_sign_in(request.user), form.cleaned_data["seats"])
    return JsonResponse({"alike": [asdict(one) for one in found]})


@require_POST
def words(request: HttpRequest, slug: str) -> HttpResponse:
    """One's own words of a topic, marked from now on in its documents."""
    collection = access.collection_for(request.user, slug, Role.ASSESSOR)
    user = access.require_sign_in(request.user)
    form = WordsForm(request.POST)
    if not form.is_valid():
        raise Refusal(form.faults)
    sent = form.cleaned_data
    judging.set_words(collection, assessor=user, topic=sent["topic"], words=sent["words"])
    return redirect("seat", collection.slug, sent["seat"]) if sent["seat"] else redirect("judge", collection.slug)


def _sent(collection: Collection, cards: Sequence[blind.Card], shown: int = 0) -> list[dict[str, Any]]:
    """As the page's script takes them: rendered by the same templates as the page, but for the first, which it has already."""
    return [
        {
            "seat": str(card.token),
            "url": reverse("seat", args=[collection.slug, card.token]),
            "name": card.docno,
            "topic": card.topic,
            "topic_html": render_to_string("assess/_topic.html", {"card": card, "collection": collection}),
            "document_html": render_to_string("assess/_document.html", {"card": card, "slug": collection.slug})
            if place >= shown
            else "",
            **_said(card),
        }
        for place, card in enumerate(cards)
    ]


def _said(card: blind.Card) -> dict[str, Any]:
    return {name: getattr(card, name) for name in SAID}


def _page(
    request: HttpRequest,
    collection: Collection,
    cards: Sequence[blind.Card],
    before: uuid.UUID | None = None,
    many: bool = False,
) -> HttpResponse:
    user = access.require_sign_in(request.user)
    context = {
        "many": many,
        "entries": [(card, uuid.uuid4()) for card in cards] if many else [],
        "keys": KEYS,
        "collection": collection,
        "card": cards[0] if cards else None,
        "cards": _sent(collection, cards, len(cards) if many else 1),
        "grades": selectors.grades(collection),
        "progress": blind.own_progress(collection, user),
        "previous": blind.previous_token(collection, user, before),
        "client_id": uuid.uuid4(),
    }
    return render(request, "assess/judge.html", context)


@require_safe
def own(request: HttpRequest, slug: str) -> HttpResponse:
    """An assessor's home: one's topics with what is left of each, today's pace, what was judged last."""
    collection = access.collection_for(request.user, slug, Role.ASSESSOR)
    user = access.require_sign_in(request.user)
    progress = blind.own_progress(collection, user)
    context: dict[str, Any] = {
        "topics": blind.own_topics(collection, user),
        "progress": progress,
        "pace": ours.pace(collection, user, progress),
        "rows": _graded(collection, ours.told(ours.history(collection, user, Filters())[:10])),
    }
    context["letters"] = {"slug": slug, "answers": blind.unseen_answers(collection, user)}
    pace = context["pace"]
    context["shares"] = [(grade, pace.grades.get(grade.value, 0)) for grade in selectors.grades(collection)]
    return page(request, "assess/own.html", collection, **context)


@require_safe
def history(request: HttpRequest, slug: str) -> HttpResponse:
    """All that one has said, to look for and to change."""
    collection = access.collection_for(request.user, slug, Role.ASSESSOR)
    user = access.require_sign_in(request.user)
    form = HistoryForm(request.GET, grades=selectors.grades(collection), topics=blind.own_topics(collection, user))
    filters = form.filters() if form.is_valid() else Filters()
    lines = Paginator(ours.history(collection, user, filters), 50).get_page(request.GET.get("page"))
    rows = _graded(collection, ours.told(lines))
    context = {"form": form, "filters": filters, "page_obj": lines, "rows": rows}
    return page(request, "assess/history.html", collection, 200 if form.is_valid() else 422, **context)


def _graded(collection: Collection, rows: Sequence[ours.Told]) -> list[tuple[ours.Told, Any]]:
    grades = {grade.value: grade for grade in selectors.grades(collection)}
    return [(row, None if row.grade is None else grades.get(row.grade)) for row in rows]
