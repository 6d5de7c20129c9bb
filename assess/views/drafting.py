"""Developing topics, for organizers: drafts, the search that tries each out, and closing the list."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from assess import drafting, searching
from assess.forms import DraftActForm, DraftForm
from assess.models import DraftState, TopicDraft
from assess.services import drafting as acts
from assess.services import searching as searches
from config.forms import attempt
from pooling import access, search
from pooling.core.topics import TEXTS
from pooling.models import Collection, Role
from pooling.selectors import grades
from pooling.views.collections import page


def _given(form: DraftForm) -> dict[str, Any]:
    data = form.cleaned_data
    return {
        "texts": {name: data[name] for name in TEXTS},
        **{name: data[name] for name in ("number", "words", "language")},
    }


@require_http_methods(["GET", "POST"])
def drafts(request: HttpRequest, slug: str) -> HttpResponse:
    """All drafts; a POST makes one, or closes the list of topics and opens it again."""
    collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    user, act = access.require_sign_in(request.user), request.POST.get("act", "")
    if act in ("freeze", "open"):
        (acts.freeze_topics if act == "freeze" else acts.open_topics)(collection)
        messages.success(request, "The topics are frozen." if act == "freeze" else "Topics may come and go again.")
        return redirect("drafts", slug)
    form = DraftForm(request.POST if request.method == "POST" else None, initial={"number": drafting.next_number(collection)})
    if request.method == "POST" and form.is_valid():
        made = attempt(form, lambda: acts.create_draft(collection, by=user, **_given(form)))
        if made:
            return redirect(made)
    context = {"form": form, "drafts": drafting.drafts(collection), "topic_count": collection.topics.count()}
    context["open_count"] = collection.drafts.filter(state=DraftState.OPEN).count()
    return page(request, "assess/drafts.html", collection, status=422 if form.errors else 200, **context)


@never_cache
@require_http_methods(["GET", "POST"])
def draft(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One draft with the hits to be judged, and what they tell; a POST changes it, grades a hit, or decides."""
    collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    found = get_object_or_404(collection.drafts.select_related("topic", "decided_by"), pk=pk)
    found.collection = collection
    initial = {name: getattr(found, name) for name in (*TEXTS, "number", "words", "language")}
    form = DraftForm(request.POST if request.POST.get("act") == "edit" else None, initial=initial)
    act = DraftActForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and act.is_valid():
        chosen = act.cleaned_data["act"]
        if chosen != "edit" and attempt(act, lambda: _act(request, found, act.cleaned_data)):
            return redirect("drafts", slug) if chosen in ("accept", "drop") else redirect(found)
        if chosen == "edit" and form.is_valid() and attempt(form, lambda: bool(acts.edit_draft(found, **_given(form)))):
            messages.success(request, "Saved.")
            return redirect(found)
    refused = bool(act.errors or form.errors)
    context = {"draft": found, "form": form, "act": act, "grades": grades(collection), **_tried(collection, found, request)}
    return page(request, "assess/draft.html", collection, status=422 if refused else 200, **context)


def _act(request: HttpRequest, found: TopicDraft, data: dict[str, Any]) -> bool:
    """Done; what is refused is raised."""
    user = access.require_sign_in(request.user)
    if data["act"] == "grade":
        acts.grade_hit(found, by=user, docno=data["docno"], grade=-1 if data["grade"] is None else data["grade"])
    elif data["act"] == "more":
        acts.draw_more(found)
    elif data["act"] == "accept":
        topic = acts.accept_draft(found, by=user, reason=data["reason"])
        messages.success(request, f"Topic {topic.number} is among the topics now.")
    else:
        acts.drop_draft(found, by=user, reason=data["reason"])
        messages.success(request, f"The draft of topic {found.number} is dropped.")
    return True


def _tried(collection: Collection, found: TopicDraft, request: HttpRequest) -> dict[str, Any]:
    """The search, which is kept like any other; none while there is no index, or once it is decided."""
    ready = search.index_of(collection).is_ready()
    if not ready or found.state != DraftState.OPEN:
        return {"ready": ready, "tried": None}
    user = access.require_sign_in(request.user)
    tried = drafting.tried(found, user)
    results = searching.Results(found.words, tried.total, 1, [hit for hit, _ in tried.hits])
    searches.log(collection, searcher=user, topic=None, results=results)
    return {"ready": True, "tried": tried}
