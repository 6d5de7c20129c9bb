"""How scores are shown, for organizers; and a run of one's own, scored for oneself."""

import base64
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_http_methods, require_POST

from config.errors import Refusal
from config.forms import attempt
from evaluation import access as score_access
from evaluation import columns, exports, selectors
from evaluation.core.registry import parse_measure
from evaluation.forms import ScoringForm, TryForm
from evaluation.models import ReleaseState
from evaluation.services import planning, trying
from evaluation.services.importing import Faulty
from evaluation.views.scores import BOARD_NAMES
from pooling import access
from pooling.core.findings import Report
from pooling.models import Role
from pooling.views.collections import page
from pooling.views.uploads import sent


@require_http_methods(["GET", "POST"])
def scoring(request: HttpRequest, slug: str) -> HttpResponse:
    """Which measures are shown, how differences are tested, who sees whose scores, what users know and expect."""
    collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    plan = columns.plan(collection)
    expected, known = planning.written(plan)
    initial = {"shown": " ".join(plan.shown), "test": plan.test, "correction": plan.correction, "seen": plan.seen}
    form = ScoringForm(*sent(request), initial={**initial, "expected": expected, "known": known})
    if request.method == "POST" and form.is_valid():
        if attempt(form, lambda: planning.set_plan(collection, **form.plan())):
            messages.success(request, "Saved.")
            return redirect("scoring", slug)
    context: dict[str, Any] = {"form": form, "usual": columns.USUAL}
    return page(request, "evaluation/scoring.html", collection, 422 if form.errors else 200, **context)


@require_http_methods(["GET", "POST"])
def try_run(request: HttpRequest, slug: str) -> HttpResponse:
    """A run of one's own against a public release; the report is shown once, or kept for oneself. Strangers are told what
    they need for it."""
    collection = score_access.scores_for(request.user, slug)
    if request.method == "GET" and not request.user.is_authenticated:
        return page(request, "evaluation/try.html", collection, stranger=True, here="try_run")
    user = access.require_sign_in(request.user)
    public = [one for one in selectors.releases(collection, withdrawn=False) if one.state == ReleaseState.PUBLIC]
    form = TryForm(*sent(request), releases=[one.number for one in public])
    report: dict[str, Any] | None = None
    faults: Report | None = None
    if request.method == "POST" and form.is_valid():
        given = form.cleaned_data
        release = selectors.release(collection, int(given["release"]))
        try:
            report = trying.try_run(release, by=user, data=given["file"].read(), keep=given["keep"])
        except Faulty as faulty:
            faults = faulty.report
            form.add_error("file", faulty.message)
        except Refusal as refusal:
            if refusal.status == 429:
                raise
            form.add_error(None, refusal.message)
    rows = _rows(report) if report else []
    context: dict[str, Any] = {
        "form": form,
        "public": public,
        "report": report,
        "rows": rows,
        "spelt": columns.spelt(row["name"] for row in rows),
        "topic_count": collection.topics.count(),
        "files": _carried(report) if report else [],
        "faults": faults,
        "kept": trying.kept_by(user, collection),
        "here": "try_run",
    }
    return page(request, "evaluation/try.html", collection, 422 if form.errors else 200, **context)


@require_http_methods(["GET"])
def kept(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """A report that one kept, or one of its files."""
    collection = score_access.scores_for(request.user, slug)
    found = get_object_or_404(trying.kept_by(access.require_sign_in(request.user), collection), pk=pk)
    if form := request.GET.get("form"):
        if form not in trying.FORMS:
            raise Http404
        answer = HttpResponse(trying.written(found.report, form), content_type=trying.FORMS[form])
        return exports.attached(answer, trying.file_name(found.report, form))
    files = [(name, f"?form={form}", trying.file_name(found.report, form)) for form, name in BOARD_NAMES]
    rows = _rows(found.report)
    context: dict[str, Any] = {"report": found.report, "rows": rows, "files": files}
    context |= {
        "spelt": columns.spelt(row["name"] for row in rows),
        "one": found,
        "topic_count": collection.topics.count(),
        "here": "try_run",
    }
    return page(request, "evaluation/try.html", collection, **context)


@require_POST
def throw_away(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    collection = score_access.scores_for(request.user, slug)
    trying.throw_away(get_object_or_404(trying.kept_by(access.require_sign_in(request.user), collection), pk=pk))
    messages.success(request, "Thrown away.")
    return redirect("try_run", slug)


def _carried(report: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Name, address and file name of each form. What is not kept has no address of its own: the page carries it."""
    files = []
    for form, name in BOARD_NAMES:
        data = base64.b64encode(trying.written(report, form).encode()).decode()
        files.append((name, f"data:{trying.FORMS[form]};base64,{data}", trying.file_name(report, form)))
    return files


def _rows(report: dict[str, Any]) -> list[dict[str, Any]]:
    """The means as a table: label, value, and the range that unjudged documents allow."""
    rows = []
    for name, value in trying.means_of(report).items():
        column = columns.JUDGED_COLUMN if name == columns.JUDGED else columns.column(parse_measure(name))
        text = "–" if value is None else column.text(value)
        rows.append(
            {
                "name": column.name,
                "label": column.label,
                "about": column.about,
                "text": text,
                "range": report["ranges"].get(name),
            }
        )
    return rows
