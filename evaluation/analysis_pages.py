"""Pages that compare: runs with each other, the pool with what it would have been without them; and what measures mean."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from django_htmx.http import HttpResponseClientRefresh

from assess import selectors as judging
from assess import watching
from config.errors import Missing, Refusal
from config.models import JobState
from evaluation import access, boards, columns, comparing, exports, pool_reports, reports, standings, tables
from evaluation.core import formulas
from evaluation.core.catalogue import DEFINITIONS
from evaluation.core.charts import Chart
from evaluation.core.comparison import TESTS
from evaluation.core.references import REFERENCES
from evaluation.score_pages import asked, unreleased
from pooling.tables import Table
from pooling.views.collections import page


@require_safe
def compare(request: HttpRequest, slug: str) -> HttpResponse:
    """Two or more runs, topic by topic; which ones is in the address."""
    collection = access.scores_for(request.user, slug)
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
    collection = access.all_scores_for(request.user, slug)
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
def measures(request: HttpRequest) -> HttpResponse:
    """Every measure that Assize knows, from the registry."""
    return render(
        request, "evaluation/measures.html", {"families": measure_families(), "references": REFERENCES, "f": formulas}
    )


def measure_families() -> dict[str, list[dict[str, Any]]]:
    """Name, definition, formula, worked example and reference of each measure, family by family."""
    families: dict[str, list[dict[str, Any]]] = {}
    for entry in DEFINITIONS.values():
        name, value = formulas.worked(entry)
        told: dict[str, Any] = {"name": entry.name, "definition": entry.definition, "formula": formulas.FORMULAS[entry.name]}
        told |= {"example": name, "value": value, "reference": entry.reference, "better": entry.better}
        told |= {"trec_eval": entry.trec_eval or entry.trec_eval_cut, "summary": entry.summary}
        told["full_reference"] = REFERENCES.get(entry.reference, "")
        families.setdefault(entry.family, []).append(told)
    return families
