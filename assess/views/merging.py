"""The merge rule, and adjudication: for organizers and adjudicators."""

import uuid
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from assess import adjudication, opinions
from assess.forms import DecisionForm, MergeForm, ReopenForm
from assess.services import adjudicating, merging
from config.errors import Refusal
from config.forms import attempt
from config.models import User
from pooling import access
from pooling.models import Collection, Role
from pooling.selectors import grades
from pooling.views.collections import page


@require_http_methods(["GET", "POST"])
def merge(request: HttpRequest, slug: str) -> HttpResponse:
    """How several opinions become one grade, and what each rule would give."""
    collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    plan = opinions.plan(collection)
    form = MergeForm(request.POST or None, initial={name: getattr(plan, name) for name in merging.FIELDS})
    if request.method == "POST" and form.is_valid():
        by = access.require_sign_in(request.user)
        if attempt(form, lambda: merging.set_plan(collection, by=by, **form.cleaned_data)):
            messages.success(request, "Saved. The next release uses it.")
            return redirect("merge_plan", slug)
    lines = opinions.preview(collection, plan)
    status = 422 if form.errors else 200
    return page(request, "assess/merge.html", collection, status, plan=plan, form=form, lines=lines)


@never_cache
@require_http_methods(["GET", "POST"])
def inbox(request: HttpRequest, slug: str) -> HttpResponse:
    """Where opinions differ, by topic. Organizers see all and say who decides what."""
    if request.method == "POST":
        return _assign(request, slug)
    collection = access.collection_for(request.user, slug, Role.ORGANIZER, Role.ADJUDICATOR)
    held = access.roles_in(request.user, collection)
    user = access.require_sign_in(request.user)
    lines = adjudication.inbox(collection, None if Role.ORGANIZER in held else user)
    context: dict[str, Any] = {
        "waiting": [line for line in lines if line.open],
        "finished": [line for line in lines if not line.open],
        "plan": (plan := opinions.plan(collection)),
        "reasons": adjudication.reasons(collection, plan),
        "people": adjudication.adjudicators(collection) if Role.ORGANIZER in held else [],
        "adjudicates": Role.ADJUDICATOR in held,
        "left": sum(line.open for line in lines),
        "done": sum(line.decided for line in lines),
    }
    return page(request, "assess/adjudicate.html", collection, **context)


def _assign(request: HttpRequest, slug: str) -> HttpResponse:
    collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    by = access.require_sign_in(request.user)
    topics = request.POST.getlist("topic")
    if not topics:
        raise Refusal("Expected at least one topic; found none.")
    wanted = {topic: request.POST.getlist(f"who-{topic}") for topic in topics}
    adjudicating.assign_adjudicators(collection, by=by, wanted=wanted)
    messages.success(request, "Saved.")
    return redirect("adjudicate", slug)


@never_cache
@require_http_methods(["GET", "POST"])
def decide(request: HttpRequest, slug: str, topic: str) -> HttpResponse:
    """The next document of a topic to decide, that of ?docno=, or with ?again the first that is decided; a POST decides it."""
    collection = access.collection_for(request.user, slug, Role.ADJUDICATOR)
    user = access.require_sign_in(request.user)
    if request.method == "POST":
        form = DecisionForm(request.POST)
        if not form.is_valid():
            raise Refusal(form.faults)
        adjudicating.decide(collection, by=user, topic=topic, **form.cleaned_data)
        return redirect("decide", slug, topic)
    access.topic_for(user, collection, topic)
    if not adjudication.is_for(collection, topic, user):
        raise Http404
    cases = adjudication.cases(collection, topic, but=user)
    again = "again" in request.GET
    docno = request.GET.get("docno") or next((case.docno for case in cases if case.is_open != again), None)
    if docno is None:
        on = None if again else adjudication.next_topic(collection, user, topic)
        if on is None:
            messages.success(request, f"Topic {topic}: nothing is open.")
            return redirect("adjudicate", slug)
        messages.success(request, f"Topic {topic}: nothing is open. On with topic {on}.")
        return redirect("decide", slug, on)
    card = adjudication.dossier_for(collection, user, topic, docno)
    return render(request, "assess/decide.html", _page(collection, card, cases, user))


def _page(collection: Collection, card: adjudication.Dossier, cases: list[adjudication.Case], user: User) -> dict[str, Any]:
    scale = {grade.value: grade for grade in grades(collection)}
    done = sum(not case.is_open for case in cases)
    order = [case.docno for case in cases]
    place = order.index(card.docno)
    return {
        "collection": collection,
        "card": card,
        "opinions": [(opinion, scale.get(opinion.grade)) for opinion in card.opinions if opinion.grade is not None]
        + [(opinion, None) for opinion in card.opinions if opinion.grade is None],
        "grades": list(scale.values()),
        "form": DecisionForm(initial=_said(card)),
        "cases": cases,
        "back": order[place - 1] if place else None,
        "on": order[place + 1] if place + 1 < len(order) else None,
        "undo": adjudication.to_undo(collection, card, user),
        "done": done,
        "total": len(cases),
        "client_id": uuid.uuid4(),
        "undo_id": uuid.uuid4(),
    }


def _said(card: adjudication.Dossier) -> dict[str, str]:
    """What is decided again keeps its reason and comment, unless they are changed."""
    found = card.decision
    return {"reason": found.reason, "comment": found.comment} if found and found.grade is not None else {}


@require_POST
def reopen(request: HttpRequest, slug: str) -> HttpResponse:
    """Second thoughts, of an adjudicator or an organizer."""
    collection = access.collection_for(request.user, slug, Role.ADJUDICATOR, Role.ORGANIZER)
    held = access.roles_in(request.user, collection)
    form = ReopenForm(request.POST)
    if not form.is_valid():
        raise Refusal(form.faults)
    by, given = access.require_sign_in(request.user), form.cleaned_data
    adjudicating.reopen(collection, by=by, organizer=Role.ORGANIZER in held, **given)
    messages.success(request, f"{given['docno']} of topic {given['topic']} is open again.")
    if Role.ADJUDICATOR not in held:
        return redirect("adjudicate", slug)
    return redirect(reverse("decide", args=[slug, given["topic"]], query={"docno": given["docno"]}))


@require_safe
def decisions(request: HttpRequest, slug: str, topic: str) -> HttpResponse:
    """What was decided of a topic, with its history; for organizers, who see who decided."""
    collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    access.topic_for(request.user, collection, topic)
    scale = {grade.value: grade for grade in grades(collection)}
    cases = [
        (case, scale.get(case.grade) if case.grade is not None else None) for case in adjudication.cases(collection, topic)
    ]
    history = adjudication.history(collection, topic)
    found: dict[str, Any] = {"topic": topic, "cases": cases, "history": history}
    return page(request, "assess/decisions.html", collection, **found, here="adjudicate")
