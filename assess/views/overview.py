"""Assigning and progress, for organizers."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from assess import selectors, watching
from assess.forms import AutoForm, GridForm
from assess.services import assigning, judging
from assess.services.seating import Seating
from config.forms import attempt
from pooling import access
from pooling.models import Collection, Role
from pooling.views.collections import page

TOPICS = 50  # on a page of the assign table


@require_http_methods(["GET", "POST"])
def assign(request: HttpRequest, slug: str) -> HttpResponse:
    """Who judges which topic: by hand, a page of topics at a time, or balanced over all."""
    collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    by = access.require_sign_in(request.user)
    people, plan = selectors.assessors(collection), selectors.plan(collection)
    lines = Paginator(selectors.topic_plans(collection), TOPICS).get_page(request.GET.get("page"))
    overlap = f"{100 * plan.overlap:g}" if plan else 20 if len(people) > 1 else 0
    start = {"overlap": overlap, "seed": plan.seed if plan else None}
    act = request.POST.get("act", "grid")
    sent = request.POST if request.method == "POST" else None
    auto = AutoForm(sent if act == "auto" else None, initial=start, assessors=people)
    topics = [line.topic for line in lines]
    grid = GridForm(sent if act == "grid" else None, initial=start, assessors=people, topics=topics)
    done = None
    if sent and act == "auto" and auto.is_valid():
        done = attempt(auto, lambda: assigning.auto_assign(collection, by=by, **auto.wanted()))
    elif sent and act == "grid" and grid.is_valid():
        done = attempt(grid, lambda: assigning.assign(collection, by=by, **grid.cleaned_data))
    if done:
        return _told(request, collection, done)
    faulty = bool(auto.errors or grid.errors)
    context = {"page_obj": lines, "people": people, "plan": plan, "auto": auto, "grid": grid}
    counts = {"unseated": sum(line.unseated for line in lines.paginator.object_list)}
    return page(request, "assess/assign.html", collection, status=422 if faulty else 200, **context, **counts)


@require_POST
def seat_new(request: HttpRequest, slug: str) -> HttpResponse:
    """Seats for what was pooled after the topics were assigned."""
    collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    by = access.require_sign_in(request.user)
    return _told(request, collection, assigning.seat_new_items(collection, by=by))


def _told(request: HttpRequest, collection: Collection, done: Seating) -> HttpResponse:
    if done.job:
        return redirect("job", done.job.pk)
    messages.success(request, f"Assigned. Seats: {done.words}.")
    return redirect(request.get_full_path() if request.GET else reverse("assign", args=[collection.slug]))


@require_safe
def progress(request: HttpRequest, slug: str) -> HttpResponse:
    collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    return page(
        request,
        "assess/progress.html",
        collection,
        progress=watching.progress(collection),
        leases=selectors.leases(collection),
    )


@require_POST
def free_leases(request: HttpRequest, slug: str) -> HttpResponse:
    """Give back what an assessor took of shared topics: to whoever comes next."""
    collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    lease = selectors.lease(collection, request.POST.get("user", ""))
    count = judging.free_leases(collection, assessor=lease.assessor)
    messages.success(request, f"Freed {count} {'document' if count == 1 else 'documents'} that {lease.assessor.name} held.")
    return redirect("progress", collection.slug)
