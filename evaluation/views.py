"""Pages of releases: the list, one of them, its qrels."""

from typing import Any

from django.http import FileResponse, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from assess import opinions
from config import http
from config.forms import attempt
from evaluation import access as score_access
from evaluation import citation, columns, exports, forms, selectors, services
from evaluation.models import Release, ReleaseState
from pooling import access
from pooling.models import Collection, Role, Visibility
from pooling.selectors import grades
from pooling.views.collections import page

OPENING = "The collection becomes public with it, and is listed for everybody; Settings can make it unlisted instead."
PUBLIC = (
    "Everybody who sees the collection can read and download qrels, scores, and every judgment and decision, with notes,"
    " passages and changes of mind.",
    "People are in it under pseudonyms.",
    "It can be withdrawn, but what was downloaded stays.",
)


@never_cache
@require_http_methods(["GET", "POST"])
def releases(request: HttpRequest, slug: str) -> HttpResponse:
    """The list of releases; organizers freeze here."""
    if request.method == "POST":
        collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    else:
        collection = access.released_to(request.user, slug)
    form = forms.FreezeForm(request.POST or None, initial={"rule": opinions.plan(collection).rule})
    if request.method == "POST" and form.is_valid():
        by = access.require_sign_in(request.user)
        if asked := attempt(form, lambda: services.request_release(collection, by=by, **form.cleaned_data)):
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
    cited = citation.of(found.collection, number, found.frozen_at, request.build_absolute_uri())
    context: dict[str, Any] = {
        "release": found,
        "grades": [(grade, found.counts["grades"].get(str(grade.value), 0)) for grade in scale],
        "newest": every[0],
        "others": [other for other in every if other.pk != found.pk],
        "since": selectors.judgments_since(found, found.collection),
        "scored": selectors.score_files(found).count(),
        "unscored": unscored,
        "job": selectors.job_of(found.collection, "score_release") if unscored else None,
        "score_archive": exports.score_archive(found),
        "has_strict": columns.has_strict(found.counts),
        "steps": steps,
        "next": [(state, ReleaseState(state).label) for state in services.NEXT[found.state]],
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


@require_POST
def score(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    found = selectors.release(access.collection_for(request.user, slug, Role.ORGANIZER), number)
    services.request_scores(found, by=access.require_sign_in(request.user))
    return redirect(f"{reverse('leaderboard', args=[slug])}?release={number}")
