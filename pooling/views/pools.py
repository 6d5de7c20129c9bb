"""The pages of the pool: what each choice would cost, drawing a round, what was drawn, and its items."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Paginator
from django.db.models import Sum
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from config import http
from config.forms import attempt
from config.models import Job
from pooling import access, charts, exports, forms, plans, selectors
from pooling.core import planning
from pooling.core.strategies import KINDS, STRATEGIES
from pooling.models import Collection, Role
from pooling.services import pools
from pooling.services.collections import require_not_archived
from pooling.views.collections import page

LINES_AT_ONCE = 5_000_000  # plans of larger sets of runs take seconds, so they are made only when asked for
ITEMS_A_PAGE = 50


@never_cache
@require_http_methods(["GET", "POST"])
def pool(request: HttpRequest, slug: str) -> HttpResponse:
    """The planner. What is drawn is what was shown: after any change, its plan is shown before it can be drawn."""
    collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    by, runs = access.require_sign_in(request.user), list(collection.runs.select_related("upload").order_by("pk"))
    asked = request.POST.copy() if request.method == "POST" else None
    seed = str(plans.new_seed())
    if asked is not None:
        asked.setdefault("seed", seed)
    strategy = (asked or request.GET).get("strategy", "depth")
    strategy = strategy if strategy in STRATEGIES else "depth"
    form = forms.PoolForm(asked, strategy=strategy, runs=runs, pace=collection.seconds_per_judgment, initial={"seed": seed})
    if asked is not None:
        require_not_archived(collection)
    plan = attempt(form, lambda: _plan(collection, form, runs, strategy))
    opened_at = None
    if asked is None and plan and not plan.new and (opened_at := plan.next_depth):
        form.fields["depth"].initial = opened_at
        plan = plans.plan(collection, plans.choice(runs, strategy, {"depth": opened_at}, int(seed)))
    if asked is not None and plan and "plan" not in asked and asked.get("shown") == plan.choice.digest:
        drawn_from = {"runs": form.chosen(), "strategy": strategy, "seed": form.cleaned_data["seed"], **form.values()}
        if attempt(form, lambda: pools.request_pool(collection, by=by, **drawn_from)):
            return redirect(reverse("pool", args=[slug]) + "#rounds")
    context = {
        "form": form,
        "runs": runs,
        "can_draw": bool(runs) or strategy == "cal",
        "has_documents": bool(runs) or selectors.documents(collection).exists(),
        "plan": plan,
        "changed": asked is not None and "plan" not in asked and not form.errors,
        "kinds": [(label, [one for one in STRATEGIES.values() if one.kind == kind]) for kind, label in KINDS.items()],
        "chosen": STRATEGIES[strategy],
        "curve": _curve(plan),
        "opened_at": opened_at,
    }
    drawn = _drawn(collection, request.GET.get("page"))
    answer = page(request, "pooling/pool.html", collection, status=422 if form.errors else 200, **context, **drawn)
    job = drawn["job"]
    return http.tell_ended(request, answer, "rounds", live=job is not None and job.is_live)


def _plan(collection: Collection, form: forms.PoolForm, runs: list[Any], strategy: str) -> plans.Plan | None:
    if form.is_bound:
        if not form.is_valid():
            return None
        choice = plans.choice(form.chosen(), strategy, form.values(), form.cleaned_data["seed"])
        return plans.plan(collection, choice, form.cleaned_data["seconds"])
    if (not runs and strategy != "cal") or sum(run.line_count for run in runs) > LINES_AT_ONCE:
        return None
    return plans.plan(collection, plans.choice(runs, strategy, {}, int(form["seed"].value())))


def _curve(plan: plans.Plan | None) -> charts.Curve | None:
    if plan is None:
        return None
    words = f"Items in the pool by depth, from {plan.curve[0].items:,} to {plan.curve[-1].items:,}" if plan.curve else ""
    return charts.curve([size.items for size in plan.curve], plan.choice.values.get("depth"), words)


def _drawn(collection: Collection, number: str | None) -> dict[str, Any]:
    job = Job.objects.filter(name="draw_pool", collection_id=collection.pk).order_by("-pk").first()
    missing = selectors.missing_items(collection)
    return {
        "job": job if job and job.state != "done" else None,
        "rounds": list(selectors.pools(collection)),
        "total": selectors.pools(collection).aggregate(total=Sum("item_count"))["total"] or 0,
        "missing": missing.count(),
        "missing_first": missing[:20],
        "page_obj": Paginator(selectors.topic_counts(collection), 50).get_page(number),
    }


@require_safe
def pool_round(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """One round: how it was drawn, from which files, and who contributed what."""
    collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    found = access.round_for(request.user, collection, number)
    used = found.used
    if found.kind == "adaptive":  # it grows while it is judged
        runs = list(found.runs.select_related("upload").order_by("pk"))
        used = [share.told() for share in plans.shares(plans.picked(found), runs)]
    strategy = STRATEGIES.get(found.strategy)
    declared = {one.name: one for one in (strategy.all_parameters if strategy else ())}
    parameters = [
        (declared[name].label, declared[name].told(value)) if name in declared else (name, value)
        for name, value in found.parameters.items()
    ]
    context: dict[str, Any] = {
        "round": found,
        "used": used,
        "groups": planning.by_group(used),
        "strategy": strategy,
        "parameters": parameters,
    }
    return page(request, "pooling/pool_round.html", collection, **context)


@require_safe
def items(request: HttpRequest, slug: str) -> HttpResponse:
    """The pool list for organizers: which runs found an item, and at which rank."""
    collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    topic, missing = request.GET.get("topic", "").replace("\0", ""), "missing" in request.GET
    found = Paginator(selectors.pool_list(collection, topic=topic, missing=missing), ITEMS_A_PAGE)
    shown = found.get_page(request.GET.get("page"))
    rows = list(shown)
    ranks = plans.found_by(list(collection.runs.order_by("pk")), rows)
    pairs = list(zip(rows, ranks, strict=True))
    context: dict[str, Any] = {"page_obj": shown, "rows": pairs, "topic": topic, "missing": missing}
    return page(request, "pooling/pool_items.html", collection, topics=selectors.topics(collection), **context)


@require_safe
def pool_file(request: HttpRequest, slug: str, form: str) -> StreamingHttpResponse:
    """The whole pool as a file."""
    collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    if form not in exports.FORMS:
        raise Http404
    return pool_download(collection, form)


def pool_download(collection: Collection, form: str) -> StreamingHttpResponse:
    answer = StreamingHttpResponse(exports.pool_lines(collection, form), content_type=f"{exports.FORMS[form]}; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="{collection.slug}-pool.{form}"'
    return answer
