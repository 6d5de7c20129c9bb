"""Questions and practice: the assessor's side and the organizer's."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from assess import blind, selectors, watching
from assess.forms import AnswerForm, AskForm, PracticeForm, PracticeSetForm, SeatForm
from assess.services import practice as practising
from assess.services import questions as asking
from config.errors import Refusal
from config.forms import attempt
from pooling import access
from pooling import selectors as pooled
from pooling.models import Role
from pooling.views.collections import page


@never_cache
@require_http_methods(["GET", "POST"])
def own_questions(request: HttpRequest, slug: str) -> HttpResponse:
    """One's own questions with their answers, which count as seen once they are shown."""
    collection = access.collection_for(request.user, slug, Role.ASSESSOR)
    user = access.require_sign_in(request.user)
    sent = request.POST if request.method == "POST" else None
    came_from = SeatForm(sent if sent is not None else request.GET)
    seat = came_from.cleaned_data["seat"] if came_from.is_valid() else None
    form = AskForm(sent, documents=blind.recent_documents(collection, user, seat), initial={"seat": str(seat or "")})
    if request.method == "POST" and form.is_valid():
        if attempt(form, lambda: asking.ask(collection, assessor=user, **form.cleaned_data)):
            messages.success(request, "Asked. The answer will be shown here, and counted on the judging page.")
            return redirect("own_questions", slug)
    threads = blind.own_threads(collection, user)
    if request.method == "GET":
        asking.see_answers(collection, assessor=user)
    told = {"form": form, "threads": threads}
    return page(request, "assess/own_questions.html", collection, status=422 if form.errors else 200, **told)


@never_cache
@require_safe
def news(request: HttpRequest, slug: str) -> HttpResponse:
    """A fragment for the judging page: how many answers have not been seen."""
    collection = access.collection_for(request.user, slug, Role.ASSESSOR)
    count = blind.unseen_answers(collection, access.require_sign_in(request.user))
    return render(request, "assess/_news.html", {"count": count})


@require_http_methods(["GET", "POST"])
def questions(request: HttpRequest, slug: str) -> HttpResponse:
    """The inbox of the organizers."""
    collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    user = access.require_sign_in(request.user)
    form = AnswerForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        if attempt(form, lambda: asking.answer(collection, by=user, **form.cleaned_data)):
            messages.success(request, "Answered. The assessor is told.")
            return redirect("questions", slug)
    told = {"threads": watching.inbox(collection), "form": form}
    return page(request, "assess/questions.html", collection, status=422 if form.errors else 200, **told)


@never_cache
@require_http_methods(["GET", "POST"])
def practice(request: HttpRequest, slug: str) -> HttpResponse:
    """Documents to practise on, one after the other; after each answer what the organizers say of it."""
    collection = access.collection_for(request.user, slug, Role.ASSESSOR)
    user = access.require_sign_in(request.user)
    context: dict[str, Any] = {"collection": collection, "grades": pooled.grades(collection)}
    if request.method == "POST":
        form = PracticeForm(request.POST)
        if not form.is_valid():
            raise Refusal(form.faults)
        told = practising.answer(collection, assessor=user, **form.cleaned_data)
        by_value = {grade.value: grade for grade in context["grades"]}
        context |= {"told": told, "said": by_value.get(told.grade), "right": by_value.get(told.right), "left": told.left}
    else:
        context |= {"card": practising.card(collection, assessor=user)}
        context |= {"left": practising.waiting(collection, user).count()}
    return render(request, "assess/practice.html", context)


@require_http_methods(["GET", "POST"])
def practice_sets(request: HttpRequest, slug: str) -> HttpResponse:
    """The practice set of each topic, for organizers."""
    collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    topics = list(pooled.topics(collection))
    chosen = next((topic for topic in topics if topic.number == request.GET.get("topic")), None)
    written = "\n".join(selectors.practice_lines(chosen)) if chosen else ""
    start = {"topic": chosen.number if chosen else "", "lines": written}
    form = PracticeSetForm(request.POST if request.method == "POST" else None, initial=start, topics=topics)
    if request.method == "POST" and form.is_valid():
        sent = form.cleaned_data

        def put() -> tuple[int]:
            examples = practising.read_examples(sent["lines"])
            return (len(practising.set_practice(collection, topic=sent["topic"], examples=examples)),)

        if done := attempt(form, put):
            messages.success(request, f"Topic {sent['topic'].number} has {done[0]} documents to practise on.")
            return redirect("practice_sets", slug)
    told = {"form": form, "sets": selectors.practice_sets(collection), "chosen": chosen}
    return page(request, "assess/practice_sets.html", collection, status=422 if form.errors else 200, **told)
