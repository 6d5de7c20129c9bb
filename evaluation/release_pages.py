"""More pages of releases: who sees one, its archives, what changed, and the judgments as qrels at any moment."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from django.contrib import messages
from django.http import FileResponse, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from config.errors import Invalid, Refusal
from config.forms import attempt
from evaluation import access as score_access
from evaluation import (
    changes,
    citation,
    dataset,
    effect_pictures,
    exports,
    importing,
    selectors,
    services,
    strategy_comparison,
    tables,
)
from evaluation import effect as effects
from evaluation.forms import ImportForm, StrategiesForm
from pooling import access, charts, markdown
from pooling.models import Role
from pooling.selectors import grades
from pooling.views.collections import page
from pooling.views.uploads import sent

SHOWN = 500  # changed documents on a page
DRAWN = ("depth", "take", "rrf", "mtf", "maxmean", "hedge")  # as many lines as eyes can part, or five and the best


@require_POST
def set_state(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    found = selectors.tombstone(collection, number)
    state = request.POST.get("state", "")
    by = access.require_sign_in(request.user)
    opens = "open_collection" in request.POST
    services.set_state(found, by=by, state=state, note=request.POST.get("note", ""), open_collection=opens)
    messages.success(request, f"Release {number} is {state} now.")
    return redirect("release", slug, number)


@require_safe
def archive(request: HttpRequest, slug: str, number: int) -> FileResponse:
    """All files of a release as one."""
    return exports.archive_file(selectors.release(access.released_to(request.user, slug), number))


@require_safe
def score_archive(request: HttpRequest, slug: str, number: int) -> FileResponse:
    return exports.score_archive_file(selectors.release(score_access.all_scores_for(request.user, slug), number))


@require_safe
def diff(request: HttpRequest, slug: str, number: int, against: int) -> HttpResponse:
    """What changed from the older to the newer of two releases."""
    collection = access.released_to(request.user, slug)
    old, new = (selectors.release(collection, which) for which in sorted((number, against)))
    found = changes.diff(old, new)
    return page(request, "evaluation/diff.html", collection, diff=found, shown=found.changes[:SHOWN], here="release")


@never_cache
@require_safe
def live_qrels(request: HttpRequest, slug: str) -> HttpResponse:
    """The judgments as qrels, as of now or of ?at=; for organizers."""
    collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    at = changes.moment(request.GET.get("at", ""))
    answer = HttpResponse(changes.live_qrels(collection, at), content_type="text/plain")
    name = f"{collection.slug}-live-{(at or datetime.now(UTC)):%Y%m%dT%H%M%SZ}.qrels"
    answer["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer


@require_safe
def data_sheet(request: HttpRequest, slug: str) -> HttpResponse:
    """What a released collection is, how far to trust it, and how to get and cite it: the page for who comes from outside."""
    collection = score_access.scores_for(request.user, slug)
    found = selectors.newest(collection)
    if found is None:
        return page(request, "evaluation/dataset.html", collection, release=None)
    found.collection = collection
    here = request.build_absolute_uri(reverse("release", args=[slug, found.number]))
    files = [("qrels", "text/plain", f"{here}qrels/")]
    if found.archive:
        files.insert(0, ("archive", "application/zip", f"{here}archive/"))
    scale = list(grades(collection))
    parts = {"topics": dataset.relevant_per_topic(found), "grades": dataset.documents_by_grade(found, scale)}
    drawn, told = {name: chart for name, (chart, _) in parts.items()}, {name: table for name, (_, table) in parts.items()}
    counted = [int(str(row[1])) for row in told["topics"].rows]
    statuses, addresses = dataset.crawled(collection)
    context: dict[str, Any] = {
        "release": found,
        "description": markdown.render(collection.description),
        "statistics": found.about.get("statistics") or dataset.statistics(collection),
        "crawl": statuses,
        "crawled": addresses,
        "assumptions": dataset.ASSUMPTIONS,
        "charts": drawn,
        "tables": told,
        "relevant": sum(counted),
        "mean_relevant": sum(counted) / max(len(counted), 1),
        "grades": [(grade, found.counts["grades"].get(str(grade.value), 0)) for grade in scale],
        "views": found.about.get("agreement", []),
        "score_archive": exports.score_archive(found),
        "citation": citation.of(collection, found.number, found.frozen_at, here),
        "json_ld": dataset.json_ld(found, request.build_absolute_uri(), files),
    }
    name = exports.file_name(found, "")
    figure = tables.asked(request, name, drawn, told)
    return figure or page(request, "evaluation/dataset.html", collection, **context)


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


def _drawn(found: strategy_comparison.Comparison) -> list[strategy_comparison.Line]:
    names = DRAWN if found.best is None or found.best.name in DRAWN else (*DRAWN[:-1], found.best.name)
    return [line for line in found.lines if line.name in names]


@require_http_methods(["GET", "POST"])
def strategies(request: HttpRequest, slug: str) -> HttpResponse:
    """Which strategy would have done best on the judgments that are there; a POST simulates them anew."""
    collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    form = StrategiesForm(request.POST or None, initial={"budget": strategy_comparison.usual_budget(collection)})
    if request.method == "POST" and form.is_valid():
        by, budget = access.require_sign_in(request.user), form.cleaned_data["budget"]
        if attempt(form, lambda: strategy_comparison.request_comparison(collection, by=by, budget=budget)):
            return redirect("compare_strategies", slug)
    found = strategy_comparison.latest(collection)
    shown = [(line.label, line.curve) for line in _drawn(found)] if found else []
    words = f"Relevant documents found by judgments, of {found.relevant:,}" if found else ""
    job = selectors.job_of(collection, "compare_strategies")
    context: dict[str, Any] = {"form": form, "found": found, "curves": charts.curves(shown, words)}
    context["job"] = job if job and (job.is_live or job.state == "failed") else None
    context |= {"enough_runs": collection.runs.count() > 1, "is_judged": selectors.is_judged(collection)}
    status = 422 if request.method == "POST" else 200
    return page(request, "evaluation/strategies.html", collection, status=status, **context)


@require_http_methods(["GET", "POST"])
def import_qrels(request: HttpRequest, slug: str) -> HttpResponse:
    """Take qrels of another time or place; a faulty file is refused whole, every fault by its line."""
    collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    form = ImportForm(*sent(request))
    findings: Sequence[Any] = ()
    if request.method == "POST" and form.is_valid():
        by, given = access.require_sign_in(request.user), {**form.cleaned_data}
        data = given.pop("file").read()
        given["repeats"] = given["repeats"] or "refuse"
        try:
            options = importing.Options(**given)
            job = importing.request_import(collection, by=by, data=data, options=options)
            if job.message:
                messages.warning(request, job.message)
            return redirect("job", job.pk)
        except importing.Faulty as faulty:
            findings = faulty.report.findings
            form.add_error("file", faulty.message)
        except Invalid as refusal:
            form.add_error(refusal.field, refusal.words)
        except Refusal as refusal:
            form.add_error(None, refusal.message)
    status = 422 if form.errors else 200
    return page(request, "evaluation/import.html", collection, status, form=form, findings=findings, here="releases")
