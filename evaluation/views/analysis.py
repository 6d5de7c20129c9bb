"""Pages that compare: runs, strategies, pool and assessors with what else they might have been; and what measures mean."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe
from django_htmx.http import HttpResponseClientRefresh

from assess import selectors as judging
from assess import watching
from config.errors import Missing, Refusal
from config.forms import attempt
from config.models import JobState
from evaluation import access as score_access
from evaluation import boards, columns, comparing, effect_pictures, exports, pool_reports, reports, selectors, standings, tables
from evaluation import effect as effects
from evaluation.core import formulas
from evaluation.core.charts import Chart
from evaluation.core.comparison import TESTS
from evaluation.core.references import REFERENCES
from evaluation.forms import StrategiesForm
from evaluation.services import strategies
from evaluation.views.scores import asked, unreleased
from pooling import access, charts
from pooling.models import Role
from pooling.tables import Table
from pooling.views.collections import page

DRAWN = ("depth", "take", "rrf", "mtf", "maxmean", "hedge")  # as many lines as eyes can part, or five and the best


@require_safe
def compare(request: HttpRequest, slug: str) -> HttpResponse:
    """Two or more runs, topic by topic; which ones is in the address."""
    collection = score_access.scores_for(request.user, slug)
    if nothing := unreleased(request, collection, "Compare"):
        return nothing
    standing, wanted = asked(request, collection)
    ordered = comparing.best_first(standing, standings.measure_of(standing, request.GET.get("measure", "")))
    chosen = [tag.replace("\0", "") for tag in request.GET.getlist("runs")]
    tags = chosen or comparing.usual(ordered)
    context: dict[str, Any] = {
        "standing": standing,
        "release": standing.release,
        "runs": ordered,
        "chosen": tags,
        "measures": reports.topic_measures(standing),
        "measure_wanted": request.GET.get("measure") or standings.measure_of(standing, ""),
        "tests": TESTS,
        "corrections": boards.CORRECTIONS,
        "wanted": wanted,
        "usual_test": columns.plan(collection).test,
        "usual_correction": columns.plan(collection).correction,
        "most": comparing.MOST,
        "has_strict": columns.has_strict(standing.counts),
        "here": "compare",
    }
    if not tags:
        return page(request, "evaluation/compare.html", collection, **context)
    try:
        found = comparing.compared(
            standing, tags, request.GET.get("measure", ""), wanted=wanted, baseline=request.GET.get("baseline", "")
        )
    except Missing:
        raise
    except Refusal as refusal:
        status = 422 if chosen else 200  # nobody asked for what could not be compared
        return page(request, "evaluation/compare.html", collection, status, told=refusal.message, **context)
    drawn, listed = comparing.drawn(found), comparing.told(found)
    context |= {
        "found": found,
        "views": comparing.views(found),
        "against": [_pair(found, drawn, listed, *pair) for pair in found.against],
        "charts": {key.replace("-", "_"): chart for key, chart in drawn.items()},
        "tables": {key.replace("-", "_"): table for key, table in listed.items()},
    }
    name = exports.standing_name(standing, "-compared")
    stamp = standing.stamp(found.places)
    return tables.asked(request, name, drawn, listed, stamp) or page(request, "evaluation/compare.html", collection, **context)


def _pair(found: comparing.Compared, drawn: dict[str, Chart], listed: dict[str, Table], one: int, other: int) -> dict[str, Any]:
    """What is drawn of one pair, under the names that its files have."""
    at = comparing.suffix(found, one, other)
    names = {"first": found.tags[one], "second": found.tags[other]}
    shown = {"differences": drawn[f"differences{at}"], "scatter": drawn[f"scatter{at}"], "table": listed[f"differences{at}"]}
    return {**names, **shown, "differences_name": f"differences{at}", "scatter_name": f"scatter{at}"}


@require_safe
def pool_report(request: HttpRequest, slug: str) -> HttpResponse:
    """How reusable the collection is; while a job computes it, how far that is."""
    collection = score_access.all_scores_for(request.user, slug)
    if nothing := unreleased(request, collection, "Pool report"):
        return nothing
    standing, _wanted = asked(request, collection)
    context: dict[str, Any] = {
        "standing": standing,
        "release": standing.release,
        "measures": reports.topic_measures(standing),
        "here": "pool_report",
    }
    if job := pool_reports.last_job(standing) if getattr(request, "htmx", False) else None:  # asked how far it is
        if job.state == JobState.DONE:
            return HttpResponseClientRefresh()
        return page(request, "evaluation/pool_report.html", collection, job=job, **context)
    try:
        report = pool_reports.pool_report(standing, request.GET.get("measure", ""))
    except pool_reports.BeingComputed as waiting:
        return page(request, "evaluation/pool_report.html", collection, job=waiting.job, **context)
    except Refusal as refusal:
        return page(request, "evaluation/pool_report.html", collection, told=refusal.message, **context)
    drawn, listed = pool_reports.drawn(report), pool_reports.told(report)
    context |= {"report": report, "behind": report.key != standing.key}
    context |= {"charts": drawn, "beyond": watching.by_rank(collection, judging.judgments(collection))[1]}
    context["tables"] = {key.replace("-", "_"): table for key, table in listed.items()}
    name = exports.standing_name(standing, "-pool-report")
    given = tables.asked(request, name, drawn, listed, standing.stamp())
    return given or page(request, "evaluation/pool_report.html", collection, **context)


@require_safe
def effect(request: HttpRequest, slug: str) -> HttpResponse:
    """Whether it matters that assessors differ; for organizers. Of many runs a page first says that it takes a while, and
    then asks for the rest."""
    collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    whole = getattr(request, "htmx", False) or {"form", "whole"} & set(request.GET)
    if not whole and (runs := collection.runs.count()) > effects.AT_ONCE:
        return page(request, "evaluation/effect.html", collection, waiting=runs)
    found = effects.effect(collection, request.GET.get("measure", ""))
    measures = list(dict.fromkeys([found.measure, *map(str, collection.measures), "AP", "nDCG@10", "P@10"]))
    told = effect_pictures.told(found) if found.orders else {}
    figures = {}
    if found.draws:
        figures["draws"], told["draws"] = effect_pictures.histogram(found.draws)
    files = tables.asked(request, f"{collection.slug}-effect", figures, told)
    context: dict[str, Any] = {"effect": found, "bumps": effect_pictures.bumps(found), "measures": measures}
    context |= {"figures": figures, "tables": told}
    return files or page(request, "evaluation/effect.html", collection, **context)


def _drawn(found: strategies.Comparison) -> list[strategies.Line]:
    names = DRAWN if found.best is None or found.best.name in DRAWN else (*DRAWN[:-1], found.best.name)
    return [line for line in found.lines if line.name in names]


@require_http_methods(["GET", "POST"])
def compare_strategies(request: HttpRequest, slug: str) -> HttpResponse:
    """Which strategy would have done best on the judgments that are there; a POST simulates them anew."""
    collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    form = StrategiesForm(request.POST or None, initial={"budget": strategies.usual_budget(collection)})
    if request.method == "POST" and form.is_valid():
        by, budget = access.require_sign_in(request.user), form.cleaned_data["budget"]
        if attempt(form, lambda: strategies.request_comparison(collection, by=by, budget=budget)):
            return redirect("compare_strategies", slug)
    found = strategies.latest(collection)
    shown = [(line.label, line.curve) for line in _drawn(found)] if found else []
    words = f"Relevant documents found by judgments, of {found.relevant:,}" if found else ""
    job = selectors.job_of(collection, "compare_strategies")
    context: dict[str, Any] = {"form": form, "found": found, "curves": charts.curves(shown, words)}
    context["job"] = job if job and (job.is_live or job.state == "failed") else None
    context |= {"enough_runs": collection.runs.count() > 1, "is_judged": selectors.is_judged(collection)}
    status = 422 if request.method == "POST" else 200
    return page(request, "evaluation/strategies.html", collection, status=status, **context)


@require_safe
def measures(request: HttpRequest) -> HttpResponse:
    """Every measure that Assize knows, from the registry."""
    context = {"families": formulas.families(), "references": REFERENCES, "f": formulas}
    return render(request, "evaluation/measures.html", context)
