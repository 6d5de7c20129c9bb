"""Pages of releases: the list, one of them, its files, who sees it, what changed, its data sheet; and qrels made elsewhere."""

from datetime import UTC, datetime
from typing import Any

from django.contrib import messages
from django.http import FileResponse, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from assess import opinions
from config import http
from config.errors import Invalid, Refusal
from config.forms import attempt
from evaluation import access as score_access
from evaluation import changes, citation, columns, dataset, exports, forms, selectors, tables
from evaluation.models import Release, ReleaseState
from evaluation.services import importing, releases
from pooling import access, markdown
from pooling.core.findings import Report
from pooling.models import Collection, Role, Visibility
from pooling.selectors import grades
from pooling.views.collections import page
from pooling.views.uploads import sent

SHOWN = 500  # changed documents on a page
OPENING = "The collection becomes public with it, and is listed for everybody; Settings can make it unlisted instead."
PUBLIC = (
    "Everybody who sees the collection can read and download qrels, scores, and every judgment and decision, with notes,"
    " passages and changes of mind.",
    "People are in it under pseudonyms.",
    "It can be withdrawn, but what was downloaded stays.",
)


@never_cache
@require_http_methods(["GET", "POST"])
def release_list(request: HttpRequest, slug: str) -> HttpResponse:
    """The list of releases; organizers freeze here."""
    if request.method == "POST":
        collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    else:
        collection = access.released_to(request.user, slug)
    form = forms.FreezeForm(request.POST or None, initial={"rule": opinions.plan(collection).rule})
    if request.method == "POST" and form.is_valid():
        by = access.require_sign_in(request.user)
        if asked := attempt(form, lambda: releases.request_release(collection, by=by, **form.cleaned_data)):
            return redirect(reverse("releases", args=[slug], query={"job": asked.pk}))  # told there until it is done, and then
    found = list(selectors.releases(collection))
    newest = next((one for one in found if one.state != ReleaseState.WITHDRAWN), None)
    since = selectors.judgments_since(newest, collection)
    job = selectors.job_of(collection, "freeze_release", "import_qrels")
    freezes = collection.release_states is None and not (job and job.is_live)  # then the form is there
    told = job and collection.release_states is None and request.GET.get("job") == str(job.pk)
    context: dict[str, Any] = {
        "releases": found,
        "made": selectors.made_by(job) if job and told else None,
        "newest": newest,
        "since": since,
        "can_freeze": since or (newest and newest.rule),  # by another rule the same judgments may give other grades
        "job": job if job and (job.is_live or job.state == "failed") else None,
        "form": form,
    }
    if freezes:
        context |= _before_freezing(selectors.missing(collection), newest if not since else None)
    answer = page(request, "evaluation/releases.html", collection, status=422 if form.errors else 200, **context)
    return http.tell_ended(request, answer, "state", live=job is not None and job.is_live)


def _before_freezing(missing: selectors.Missing, unchanged: Release | None) -> dict[str, Any]:
    """What a release frozen now would lack and hold; `unchanged`: the one before, if nothing was judged since."""
    same = [f"Nothing was judged since release {unchanged.number}."] if unchanged else []
    return {
        "missing": missing.words,
        "lacks": [*same, *(f"{line}." for line in missing.lines)],
        "points": [
            f"It holds the {missing.there}, as they stand at this moment.",
            "It never changes; later judgments go into the next one.",
            "It begins as a draft, which only organizers see.",
        ],
    }


@require_safe
def release(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """What is in a release, its files and how to cite it; of a withdrawn one, that it was there and why it went."""
    collection = score_access.scores_for(request.user, slug)
    found = selectors.tombstone(collection, number)
    steps = list(found.steps.select_related("by"))
    if found.state == ReleaseState.WITHDRAWN:
        return page(request, "evaluation/withdrawn.html", found.collection, 410, release=found, step=steps[-1])
    every = list(selectors.releases(found.collection, withdrawn=False))
    scale = grades(found.collection)
    unscored = selectors.unscored(found).count() if found.collection.release_states is None else 0  # organizers can score them
    late = list(selectors.late(found)) if unscored else []
    cited = citation.of(found.collection, number, found.frozen_at, request.build_absolute_uri())
    context: dict[str, Any] = {
        "release": found,
        "grades": [(grade, found.counts["grades"].get(str(grade.value), 0)) for grade in scale],
        "newest": every[0],
        "others": [other for other in every if other.pk != found.pk],
        "since": selectors.judgments_since(found, found.collection),
        "scored": selectors.score_files(found).count(),
        "unscored": unscored,
        "late": late,
        "lacking": unscored - len(late),
        "job": selectors.job_of(found.collection, "score_release") if unscored else None,
        "score_archive": exports.score_archive(found),
        "has_strict": columns.has_strict(found.counts),
        "steps": steps,
        "next": [(state, ReleaseState(state).label) for state in releases.NEXT[found.state]],
        "citation": cited,
        "unwritten": _unwritten(found.collection),
        "public": [OPENING, *PUBLIC] if found.collection.visibility == Visibility.PRIVATE else PUBLIC,
    }
    return page(request, "evaluation/release.html", found.collection, **context)


def _unwritten(collection: Collection) -> list[str]:
    """What readers of a release would look for and not find."""
    there = {
        "description of the collection": collection.description.strip(),
        "licence": collection.licence,
        "guidelines for assessors": collection.guidelines.exists(),
    }
    return [f"There {'are' if what.startswith('guide') else 'is'} no {what} yet." for what, found in there.items() if not found]


@require_safe
def qrels(request: HttpRequest, slug: str, number: int) -> FileResponse | HttpResponse:
    found = selectors.release(access.released_to(request.user, slug), number)
    return exports.qrels_file(found, request.GET.get("view", "graded"))


@require_safe
def archive(request: HttpRequest, slug: str, number: int) -> FileResponse:
    """All files of a release as one."""
    return exports.archive_file(selectors.release(access.released_to(request.user, slug), number))


@require_safe
def score_archive(request: HttpRequest, slug: str, number: int) -> FileResponse:
    return exports.score_archive_file(selectors.release(score_access.all_scores_for(request.user, slug), number))


@require_POST
def score(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    found = selectors.release(access.collection_for(request.user, slug, Role.ORGANIZER), number)
    releases.request_scores(found, by=access.require_sign_in(request.user))
    return redirect(f"{reverse('leaderboard', args=[slug])}?release={number}")


@require_POST
def set_state(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    found = selectors.tombstone(collection, number)
    state = request.POST.get("state", "")
    by = access.require_sign_in(request.user)
    opens = "open_collection" in request.POST
    releases.set_state(found, by=by, state=state, note=request.POST.get("note", ""), open_collection=opens)
    messages.success(request, f"Release {number} is {state} now.")
    return redirect("release", slug, number)


@require_http_methods(["GET", "POST"])
def import_qrels(request: HttpRequest, slug: str) -> HttpResponse:
    """Take qrels of another time or place; a faulty file is refused whole, every fault by its line."""
    collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    form = forms.ImportForm(*sent(request))
    faults: Report | None = None
    if request.method == "POST" and form.is_valid():
        by, given = access.require_sign_in(request.user), {**form.cleaned_data}
        data = given.pop("file").read()
        given |= {name: given[name] or "refuse" for name in ("repeats", "unknown", "zeros")}
        try:
            options = importing.Options(**given)
            job = importing.request_import(collection, by=by, data=data, options=options)
            if job.message:
                messages.warning(request, job.message)
            return redirect("job", job.pk)
        except importing.Faulty as faulty:
            faults = faulty.report
            form.add_error("file", faulty.message)
        except Invalid as refusal:
            form.add_error(refusal.field, refusal.words)
        except Refusal as refusal:
            form.add_error(None, refusal.message)
    status = 422 if form.errors else 200
    return page(request, "evaluation/import.html", collection, status, form=form, faults=faults, here="releases")


@require_safe
def diff(request: HttpRequest, slug: str, number: int, against: int) -> HttpResponse:
    """What changed from the older to the newer of two releases."""
    collection = access.released_to(request.user, slug)
    old, new = (selectors.release(collection, which) for which in sorted((number, against)))
    found = changes.diff(old, new)
    steps: dict[int | None, int] = {grade.value: grade.step for grade in grades(collection)}
    shown = [(one, steps.get(one.before, 0), steps.get(one.after, 0)) for one in found.changes[:SHOWN]]
    return page(request, "evaluation/diff.html", collection, diff=found, shown=shown, here="release")


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
