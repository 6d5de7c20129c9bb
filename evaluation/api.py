"""Releases and scores as JSON, and as files: the same services and downloads as the pages."""

from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet
from django.http import FileResponse, HttpResponse, StreamingHttpResponse
from ninja import Query, Router

from config.api import MANAGE, PUBLIC, ApiRequest, newest_first
from config.models import Job
from config.schemas import JobOut
from evaluation import exports, selectors, services
from evaluation.models import Release
from evaluation.schemas import BoardOut, QrelsFilter, ReleaseIn, ReleaseOut, RunOut
from pooling import access
from pooling.models import Role, Run

release_routes = Router(tags=["Releases"])
score_routes = Router(tags=["Scores"])
PLAIN = {"responses": {200: {"content": {"text/plain": {"schema": {"type": "string"}}}}}}
CSV = {"responses": {200: {"content": {"text/csv": {"schema": {"type": "string"}}}}}}
ONE = "/collections/{slug:slug}/releases/{int:number}"


def _released(request: ApiRequest, slug: str, number: int) -> Release:
    return selectors.release(access.released_to(request.user, slug), number)


@release_routes.get("/collections/{slug:slug}/releases", response=list[ReleaseOut], auth=PUBLIC)
@newest_first
def list_releases(request: ApiRequest, slug: str) -> QuerySet[Release]:
    """List releases, newest first

    Not for who judges the collection.
    """
    return selectors.releases(access.released_to(request.user, slug)).select_related("collection")


@release_routes.post("/collections/{slug:slug}/releases", response={202: JobOut}, auth=MANAGE)
def freeze_release(request: ApiRequest, slug: str, body: ReleaseIn) -> Job:
    """Freeze the judgments of this moment as numbered qrels

    For organizers. The answer is a job; when it is done, the release is there and another job scores all runs.
    """
    collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    return services.request_release(collection, by=request.user, **body.dict())


@release_routes.get(ONE, response=ReleaseOut, auth=PUBLIC)
def read_release(request: ApiRequest, slug: str, number: int) -> Release:
    """Read a release: rule, counts, digest"""
    return _released(request, slug, number)


@release_routes.get(f"{ONE}/qrels", response={200: None}, openapi_extra=PLAIN, auth=PUBLIC)
def download_qrels(request: ApiRequest, slug: str, number: int, filters: Query[QrelsFilter]) -> FileResponse | HttpResponse:
    """Download the qrels: topic 0 docno grade"""
    return exports.qrels_file(_released(request, slug, number), filters.view)


@score_routes.post(f"{ONE}/scores", response={202: JobOut}, auth=MANAGE)
def score_release(request: ApiRequest, slug: str, number: int) -> Job:
    """Score the runs that have no scores under a release yet

    For organizers. The answer is a job.
    """
    collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    return services.request_scores(selectors.release(collection, number), by=request.user)


@score_routes.get(f"{ONE}/scores", response=BoardOut, auth=PUBLIC)
def read_scores(request: ApiRequest, slug: str, number: int) -> dict[str, Any]:
    """Read the leaderboard: every run's means"""
    release = _released(request, slug, number)
    rows = [{**_run(file.run), "scores": means} for file, means in selectors.means(release)]
    return _board(release, rows) | {"measures": [*map(str, selectors.measures(release)), selectors.JUDGED]}


@score_routes.get(f"{ONE}/scores.csv", response={200: None}, openapi_extra=CSV, auth=PUBLIC)
def download_scores(request: ApiRequest, slug: str, number: int) -> HttpResponse:
    """Download the leaderboard as CSV: a line for each run, a column for each measure"""
    return exports.means_file(_released(request, slug, number))


@score_routes.get(f"{ONE}/topics.csv", response={200: None}, openapi_extra=CSV, auth=PUBLIC)
def download_topic_scores(request: ApiRequest, slug: str, number: int) -> StreamingHttpResponse:
    """Download all scores by topic as CSV: run, topic, measure, value"""
    return exports.topics_file(_released(request, slug, number))


@score_routes.get(f"{ONE}/topics/{{path:topic}}", response=BoardOut, auth=PUBLIC)
def read_topic_scores(request: ApiRequest, slug: str, number: int, topic: str) -> dict[str, Any]:
    """Read all runs' scores on one topic"""
    release = _released(request, slug, number)
    rows = [{**_run(run), "scores": _defined(names, values)} for run, names, values in selectors.on_topic(release, topic)]
    return _board(release, rows)


@score_routes.get(f"{ONE}/runs/{{tag}}", response=RunOut, auth=PUBLIC)
def read_run_scores(request: ApiRequest, slug: str, number: int, tag: str) -> dict[str, Any]:
    """Read one run's scores on every topic, beside the medians of all runs"""
    release = _released(request, slug, number)
    file = selectors.score_file(release, tag)
    scores = selectors.table(file)
    medians = selectors.medians(selectors.stack(release, scores.names))
    topics = [
        {
            "topic": topic.decode(),
            "scores": _defined(scores.names, scores.values[:, place].tolist()),
            "medians": _defined(scores.names, medians[:, place].tolist()),
        }
        for place, topic in enumerate(scores.topics.tolist())
    ]
    means = dict(zip(scores.names, scores.means.tolist(), strict=True))
    known = {"run": file.run.tag, "group": file.run.group, "run_sha256": file.run_sha256}
    return {"release": release.number, **known, "means": means, "topics": topics}


@score_routes.get(f"{ONE}/runs/{{tag}}/trec_eval", response={200: None}, openapi_extra=PLAIN, auth=PUBLIC)
def download_trec_eval(request: ApiRequest, slug: str, number: int, tag: str) -> HttpResponse:
    """Download one run's scores in trec_eval's text form, with a line for each topic and measure"""
    release = _released(request, slug, number)
    return exports.trec_eval_file(release, selectors.score_file(release, tag))


def _run(run: Run) -> dict[str, Any]:
    return {"run": run.tag, "group": run.group, "efficiency": run.efficiency}


def _defined(names: Sequence[str], values: Sequence[float]) -> dict[str, float | None]:
    return {name: None if value != value else value for name, value in zip(names, values, strict=True)}


def _board(release: Release, rows: list[dict[str, Any]]) -> dict[str, Any]:
    names = list(map(str, selectors.measures(release)))
    return {"release": release.number, "lenient_from": release.counts["lenient_from"], "measures": names, "runs": rows}
