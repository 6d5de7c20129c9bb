"""Adaptive rounds while they are judged: how far, with what advice, and the decision to stop."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from assess import adaptive_rounds
from assess.forms import StopForm
from assess.services import checking
from config.forms import attempt
from pooling import access, charts
from pooling.models import Collection, Role
from pooling.services import picking
from pooling.views.collections import page


@require_http_methods(["GET", "POST"])
def adaptive(request: HttpRequest, slug: str) -> HttpResponse:
    """The rounds, topic by topic; a POST stops a topic, goes on with it, or draws a sample of its rest."""
    collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    form = StopForm(request.POST or None)
    if request.method == "POST" and form.is_valid() and attempt(form, lambda: _act(request, collection, form)):
        return redirect("adaptive", slug)
    found = adaptive_rounds.rounds(collection)
    curves = [charts.curve(one.curve, None, f"Relevant found, {one.relevant:,} of {one.judged:,} judged") for one in found]
    context = {"rounds": list(zip(found, curves, strict=True)), "form": form}
    return page(request, "assess/adaptive.html", collection, status=422 if request.method == "POST" else 200, **context)


def _act(request: HttpRequest, collection: Collection, form: StopForm) -> bool:
    data = form.cleaned_data
    by = access.require_sign_in(request.user)
    pool, topic = access.round_for(by, collection, data["round"]), access.topic_for(by, collection, data["topic"])
    if data["act"] == "check":
        made = checking.draw_check(pool, topic, by=by, count=data["count"] or 0)
        messages.success(request, f"{made.item_count} documents are drawn of topic {topic.number}; they wait with the others.")
    elif data["act"] == "resume":
        picking.resume_topic(pool, topic)
        messages.success(request, f"Topic {topic.number} goes on.")
    else:
        picking.stop_topic(pool, topic, by=by, reason=data["reason"])
        messages.success(request, f"Topic {topic.number} is stopped: nothing more is picked of it.")
    return True
