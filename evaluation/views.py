"""Pages of releases, the leaderboard, and scores by topic and by run."""

from typing import Any

from django.contrib import messages
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from assess import opinions
from config import http
from config.forms import attempt
from evaluation import citation, exports, forms, selectors, services
from evaluation.models import Release, ReleaseState
from pooling import access
from pooling.core.metadata import told_figures
from pooling.models import Collection, Role, Topic
from pooling.selectors import grades
from pooling.views.collections import page


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
        if attempt(form, lambda: services.request_release(collection, by=by, **form.cleaned_data)):
            messages.success(request, "The judgments of this moment are being frozen.")
            return redirect("releases", slug)
    found = list(selectors.releases(collection))
    newest = next((one for one in found if one.state != ReleaseState.WITHDRAWN), None)
    job = selectors.job_of(collection, "freeze_release", "import_qrels")
    context: dict[str, Any] = {
        "releases": found,
        "newest": newest,
        "since": selectors.judgments_since(newest, collection),
        "job": job if job and (job.is_live or job.state == "failed") else None,
        "form": form,
    }
    answer = page(request, "evaluation/releases.html", collection, status=422 if form.errors else 200, **context)
    return http.tell_ended(request, answer, "state", live=job is not None and job.is_live)


@require_safe
def release(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """What is in a release, its files and how to cite it; of a withdrawn one, that it was there and why it went."""
    found = selectors.tombstone(access.released_to(request.user, slug), number)
    steps = list(found.steps.select_related("by"))
    if found.state == ReleaseState.WITHDRAWN:
        return page(request, "evaluation/withdrawn.html", found.collection, 410, release=found, step=steps[-1])
    every = list(selectors.releases(found.collection, withdrawn=False))
    scale = grades(found.collection)
    cited = citation.of(found.collection, number, found.frozen_at, request.build_absolute_uri())
    context: dict[str, Any] = {
        "release": found,
        "grades": [(grade, found.counts["grades"].get(str(grade.value), 0)) for grade in scale],
        "newest": every[0],
        "others": [other for other in every if other.pk != found.pk],
        "since": selectors.judgments_since(found, found.collection),
        "scored": selectors.score_files(found).count(),
        "score_archive": found.score_archives.first(),
        "has_strict": selectors.has_strict(found),
        "steps": steps,
        "next": [(state, ReleaseState(state).label) for state in services.NEXT[found.state]],
        "citation": cited,
        "publish": _before_publishing(found.collection),
    }
    return page(request, "evaluation/release.html", found.collection, **context)


def _before_publishing(collection: Collection) -> str:
    """What to think of before everybody sees a release."""
    unwritten = [
        word
        for word, there in (("a description", collection.description.strip()), ("a licence", collection.licence))
        if not there
    ]
    if not collection.guidelines.exists():
        unwritten.append("guidelines for assessors")
    lacks = f" The collection has no {' and no '.join(word.removeprefix('a ') for word in unwritten)} yet." if unwritten else ""
    return f"Everybody can then read and download it. It can be withdrawn, but what was downloaded stays.{lacks}"


@require_safe
def qrels(request: HttpRequest, slug: str, number: int) -> FileResponse | HttpResponse:
    found = selectors.release(access.released_to(request.user, slug), number)
    return exports.qrels_file(found, request.GET.get("view", "graded"))


@require_POST
def score(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    found = selectors.release(access.collection_for(request.user, slug, Role.ORGANIZER), number)
    services.request_scores(found, by=access.require_sign_in(request.user))
    return redirect(f"{reverse('leaderboard', args=[slug])}?release={number}")


@never_cache
@require_safe
def leaderboard(request: HttpRequest, slug: str) -> HttpResponse:
    """Runs × measures under one release: while they are being scored, how far that is."""
    collection = access.released_to(request.user, slug)
    every = list(selectors.releases(collection))
    if not every and not request.GET.get("release"):
        return page(request, "evaluation/leaderboard.html", collection, release=None)
    found = _asked(request, collection)
    strict = _strict(request, found)
    board = selectors.leaderboard(found, sort=request.GET.get("sort", ""), strict=strict)
    unscored = selectors.unscored(found).count()
    context: dict[str, Any] = {
        "release": found,
        "releases": every,
        "board": board,
        "topics": selectors.topics_of(found),
        "unscored": unscored,
        "job": selectors.job_of(collection, "score_release") if unscored else None,
        "strict": strict,
        "has_strict": selectors.has_strict(found),
        "unknown": selectors.unknown_measures(collection),
    }
    return page(request, "evaluation/leaderboard.html", collection, **context)


@require_safe
def topic(request: HttpRequest, slug: str, topic: str) -> HttpResponse:
    """All runs on one topic."""
    collection = access.released_to(request.user, slug)
    found = _asked(request, collection)
    topics = selectors.topics_of(found)
    if topic not in topics:
        raise Http404
    place = topics.index(topic)
    strict = _strict(request, found)
    counts = selectors.topic_grades(found, topic)
    context: dict[str, Any] = {
        "release": found,
        "board": selectors.topic_board(found, topic, sort=request.GET.get("sort", ""), strict=strict),
        "number": topic,
        "topic": Topic.objects.filter(collection=collection, number=topic).first(),
        "before": topics[place - 1] if place else "",
        "after": topics[place + 1] if place + 1 < len(topics) else "",
        "grades": [(grade, counts.get(grade.value, 0)) for grade in grades(collection)],
        "judged": sum(counts.values()),
        "relevant": sum(count for grade, count in counts.items() if grade >= found.counts["lenient_from"]),
        "strict": strict,
        "has_strict": selectors.has_strict(found),
    }
    return page(request, "evaluation/topic.html", collection, **context)


@require_safe
def run(request: HttpRequest, slug: str, tag: str) -> HttpResponse:
    """One run's scores: its means, and one measure by topic, beside the others'."""
    collection = access.released_to(request.user, slug)
    found = _asked(request, collection)
    file = selectors.score_file(found, tag)
    columns = {column.name: column for column in selectors.columns(found, means=False)}
    measures = [name for name in selectors.table(file).names if name in columns and not columns[name].is_count]
    measure = request.GET.get("measure", "")
    measure = measure if measure in measures else measures[0]
    rows = selectors.run_topics(found, file, measure)
    context: dict[str, Any] = {
        "release": found,
        "file": file,
        "means": selectors.run_means(selectors.leaderboard(found), file.run),
        "measures": measures,
        "measure": columns[measure],
        "rows": rows,
        "better": sum(row.difference > 0 for row in rows),
        "worse": sum(row.difference < 0 for row in rows),
        "none_relevant": sum(not row.relevant for row in rows),
        "figures": told_figures(file.run.efficiency),
    }
    return page(request, "evaluation/run.html", collection, **context)


@require_safe
def means_csv(request: HttpRequest, slug: str) -> HttpResponse:
    return exports.means_file(_asked(request, access.released_to(request.user, slug)))


@require_safe
def topics_csv(request: HttpRequest, slug: str) -> StreamingHttpResponse:
    return exports.topics_file(_asked(request, access.released_to(request.user, slug)))


@require_safe
def trec_eval(request: HttpRequest, slug: str, tag: str) -> HttpResponse:
    found = _asked(request, access.released_to(request.user, slug))
    return exports.trec_eval_file(found, selectors.score_file(found, tag))


def _asked(request: HttpRequest, collection: Collection) -> Release:
    """The release of ?release=, or the newest."""
    number = request.GET.get("release", "")
    if number and not (number.isascii() and number.isdigit() and len(number) < 9):
        raise Http404
    return selectors.release(collection, int(number) if number else None)


def _strict(request: HttpRequest, release: Release) -> bool:
    return request.GET.get("view") == "strict" and selectors.has_strict(release)
