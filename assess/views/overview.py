"""Assigning and progress, for organizers."""

from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from assess import adaptive_rounds, blind, exports, selectors, watching
from assess.forms import AutoForm, FreeForm, RulesForm, WorkloadForm
from assess.grid import CHOICES, GridForm, topics_on_a_page
from assess.services import assigning, leases, workloads
from assess.services.seating import Seating
from config.forms import attempt
from config.models import Job
from pooling import access
from pooling.models import Collection, Role
from pooling.selectors import grades
from pooling.views.collections import page

JUST_NOW = timedelta(minutes=1)  # so long the page tells what a job has done


@require_http_methods(["GET", "POST"])
def assign(request: HttpRequest, slug: str) -> HttpResponse:
    """Who judges which topic: by hand, a page of topics at a time, or balanced over all; and what all of it has in common."""
    collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    by = access.require_sign_in(request.user)
    people, plan = selectors.assessors(collection), selectors.plan(collection)
    all_lines = selectors.topic_plans(collection)
    find, show = request.GET.get("find", "").strip(), request.GET.get("show", "")
    lines = Paginator(_filtered(all_lines, find, show), topics_on_a_page(len(people))).get_page(request.GET.get("page"))
    share = plan.overlap if plan else 0.2 if len(people) > 1 else 0.0
    start = {"overlap": f"{100 * share:g}", "seed": plan.seed if plan else None}
    act = request.POST.get("act", "grid")
    sent = request.POST if request.method == "POST" else None
    auto = AutoForm(sent if act == "auto" else None, initial=start, assessors=people)
    grid = GridForm(sent if act == "grid" else None, initial=start, assessors=people, lines=all_lines)
    rules = RulesForm(sent if act == "rules" else None, initial=RulesForm.start(plan))
    loads = WorkloadForm(sent if act == "workloads" else None, assessors=people)
    done = None
    if sent and act == "auto" and auto.is_valid():
        done = attempt(auto, lambda: assigning.auto_assign(collection, by=by, **auto.wanted()))
    elif sent and act == "grid" and grid.is_valid():
        done = attempt(grid, lambda: assigning.assign(collection, by=by, **grid.cleaned_data))
    elif sent and act == "rules" and rules.is_valid():
        told: dict[str, Any] = {"overlap": plan.overlap if plan else rules.rules().third or 0.0, "rules": rules.rules()}
        done = attempt(rules, lambda: assigning.assign(collection, by=by, wanted=[], **told))
    elif sent and act == "workloads" and loads.is_valid():
        if attempt(loads, lambda: workloads.set_workloads(collection, loads.cleaned_data["workloads"])):
            messages.success(request, "Weights and caps are set; they are minded from now on.")
            return redirect("assign", collection.slug)
    if done:
        return _told(request, collection, done)
    held = selectors.workloads(collection)
    faulty = bool(auto.errors or grid.errors or rules.errors or loads.errors)
    context: dict[str, Any] = {
        "page_obj": lines,
        "people": people,
        "plan": plan,
        "auto": auto,
        "grid": grid,
        "rows": list(grid.rows(list(lines))),
        "choices": CHOICES if (plan and plan.third) or any(line.third for line in all_lines) else CHOICES[:3],
        "rules": rules,
        "loads": loads,
    }
    context |= {"workloads": [(user, held.get(user.pk)) for user in people], "topic_count": len(all_lines)}
    context |= {"find": find, "show": show, "unseated": sum(line.unseated for line in all_lines)}
    context |= {"is_assigned": any(line.first for line in all_lines), "job": _job(collection)}
    return page(request, "assess/assign.html", collection, status=422 if faulty else 200, **context)


def _filtered(lines: list[selectors.TopicPlan], find: str, show: str) -> list[selectors.TopicPlan]:
    """By words of number, title or assessor; only what nobody has, or what is not judged yet."""
    word = find.casefold()
    kept = []
    for line in lines:
        people = " ".join(user.name for user in (*line.first, *line.second, *line.third))
        text = f"{line.topic.number} {line.topic.title} {people}".casefold()
        if word in text and (show != "open" or not line.first) and (show != "left" or line.done < line.seats):
            kept.append(line)
    return kept


@require_POST
def seat_new(request: HttpRequest, slug: str) -> HttpResponse:
    """Seats for what was pooled after the topics were assigned."""
    collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    by = access.require_sign_in(request.user)
    return _told(request, collection, assigning.seat_new_items(collection, by=by))


def _told(request: HttpRequest, collection: Collection, done: Seating) -> HttpResponse:
    here = request.get_full_path() if request.GET else reverse("assign", args=[collection.slug])
    if done.job:
        return redirect(f"{here}#job-{done.job.pk}")
    messages.success(request, f"Saved. {done.words}.")
    return redirect(here)


def _job(collection: Collection) -> Job | None:
    """The last one that handed topics out, while it runs, if it failed, or if it is done just now."""
    job = Job.objects.filter(name="seat_items", collection_id=collection.pk).order_by("-pk").first()
    if job and job.state == "done" and job.finished_at and job.finished_at < timezone.now() - JUST_NOW:
        return None
    return job


@require_safe
def progress(request: HttpRequest, slug: str) -> HttpResponse:
    """How far it is and how it goes; the page asks for its own numbers again every few seconds."""
    collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    found, how = watching.looked_at(collection)
    told: dict[str, Any] = {"progress": found, "leases": selectors.leases(collection), "grades": grades(collection)}
    told["has_adaptive"] = adaptive_rounds.has_any(collection)
    return page(request, "assess/progress.html", collection, watched=how, **told)


@require_safe
def hours(request: HttpRequest, slug: str) -> HttpResponse:
    """Active time of each assessor by day, as CSV."""
    return exports.hours_answer(access.collection_for(request.user, slug, Role.ORGANIZER))


@require_http_methods(["GET", "POST"])
def held(request: HttpRequest, slug: str, user: str) -> HttpResponse:
    """What an assessor took of shared topics; all of it, or one document, is given back to whoever comes next."""
    collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    assessor = access.require_known(collection, user)
    form = FreeForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        count = attempt(form, lambda: _free(collection, user, form))
        if count is not None:
            messages.success(request, f"Freed {count} {'document' if count == 1 else 'documents'} that {assessor.name} held.")
            left = selectors.held_documents(collection, assessor).exists()
            return redirect("held", collection.slug, user) if left else redirect("progress", collection.slug)
    seats = list(selectors.held_documents(collection, assessor))
    told = {"assessor": assessor, "seats": seats, "form": form, "since": blind.lease_start()}
    return page(request, "assess/held.html", collection, status=422 if form.is_bound else 200, **told)


def _free(collection: Collection, username: str, form: FreeForm) -> int:
    lease = selectors.lease(collection, username)
    return leases.free_leases(collection, assessor=lease.assessor, document=form.document())
