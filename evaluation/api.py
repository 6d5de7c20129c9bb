"""Releases and scores as JSON, and as files: the same services and downloads as the pages."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from django.db.models import QuerySet
from django.http import FileResponse, HttpResponse, StreamingHttpResponse
from ninja import Query, Router
from numpy.typing import NDArray

from config import openapi
from config.api import MANAGE, PUBLIC, ApiRequest, newest_first
from config.models import Job
from config.schemas import JobOut
from evaluation import access as score_access
from evaluation import boards, columns, exports, reports, selectors, standings
from evaluation.models import Release
from evaluation.schemas import (
    BoardFilter,
    BoardOut,
    LeaderboardOut,
    QrelsFilter,
    ReleaseIn,
    ReleaseOut,
    RunReportOut,
    RunScoresOut,
    ViewFilter,
)
from evaluation.services import releases
from evaluation.standings import Standing
from pooling import access
from pooling.models import Role

release_routes = Router(tags=["Releases"])
score_routes = Router(tags=["Scores"])
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
    """Freeze a release: the judgments of this moment as numbered qrels

    For organizers. The answer is a job; when it is done, the release is there and another job scores all runs.
    """
    collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    return releases.request_release(collection, by=request.user, **body.dict())


@release_routes.get(ONE, response=ReleaseOut, auth=PUBLIC)
def read_release(request: ApiRequest, slug: str, number: int) -> Release:
    """Read a release: rule, counts, digest"""
    return _released(request, slug, number)


@release_routes.get(f"{ONE}/qrels", response={200: None}, openapi_extra=openapi.files("text/plain"), auth=PUBLIC)
def download_qrels(request: ApiRequest, slug: str, number: int, filters: Query[QrelsFilter]) -> FileResponse | HttpResponse:
    """Download the qrels: topic 0 docno grade"""
    return exports.qrels_file(_released(request, slug, number), filters.view)


@score_routes.post(f"{ONE}/scores", response={202: JobOut}, auth=MANAGE)
def score_release(request: ApiRequest, slug: str, number: int) -> Job:
    """Score the runs that have no scores under a release yet

    For organizers. The answer is a job.
    """
    collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    return releases.request_scores(selectors.release(collection, number), by=request.user)


def _standing(request: ApiRequest, slug: str, number: int) -> Standing:
    return standings.standing(score_access.scores_for(request.user, slug), str(number))


@score_routes.get("/collections/{slug:slug}/leaderboard", response=LeaderboardOut, auth=PUBLIC)
def read_leaderboard(request: ApiRequest, slug: str, filters: Query[BoardFilter]) -> dict[str, Any]:
    """Read the leaderboard of a release or, for organizers, live

    Means, intervals by bootstrap over topics, ranges that unjudged documents allow, and which runs are not significantly
    different from the best.
    """
    standing = standings.standing(score_access.scores_for(request.user, slug), filters.release)
    return boards.document(standing, boards.leaderboard(standing, filters.wanted()))


@score_routes.get(f"{ONE}/scores", response=BoardOut, auth=PUBLIC)
def read_scores(request: ApiRequest, slug: str, number: int) -> dict[str, Any]:
    """Read every run's means, by every measure"""
    standing = _standing(request, slug, number)
    return _board(standing, standing.names, standing.means)


@score_routes.get(f"{ONE}/scores.csv", response={200: None}, openapi_extra=openapi.files("text/csv"), auth=PUBLIC)
def download_scores(request: ApiRequest, slug: str, number: int) -> HttpResponse:
    """Download every run's means as CSV: a line for each run, a column for each measure"""
    return exports.means_file(_standing(request, slug, number))


@score_routes.get(f"{ONE}/topics.csv", response={200: None}, openapi_extra=openapi.files("text/csv"), auth=PUBLIC)
def download_topic_scores(request: ApiRequest, slug: str, number: int) -> StreamingHttpResponse:
    """Download all scores by topic as CSV: run, topic, measure, value"""
    return exports.topics_file(_standing(request, slug, number))


@score_routes.get(f"{ONE}/topics/{{path:topic}}", response=BoardOut, auth=PUBLIC)
def read_topic_scores(request: ApiRequest, slug: str, number: int, topic: str) -> dict[str, Any]:
    """Read all runs' scores on one topic"""
    standing = _standing(request, slug, number)
    return _board(standing, standing.names[:-1], standing.values[:, :, boards.topic_place(standing, topic)])


@score_routes.get(f"{ONE}/runs/{{tag}}", response=RunScoresOut, auth=PUBLIC)
def read_run_scores(request: ApiRequest, slug: str, number: int, tag: str) -> dict[str, Any]:
    """Read one run's scores on every topic, beside the medians of all runs"""
    standing = _standing(request, slug, number)
    place = standing.place(tag)
    entry, names = standing.entries[place], standing.names[:-1]
    middle, mine = boards.medians(standing.values), standing.values[place]
    topics = [
        {
            "topic": topic.decode(),
            "scores": _defined(names, mine[:, at].tolist()),
            "medians": _defined(names, middle[:, at].tolist()),
        }
        for at, topic in enumerate(standing.topics.tolist())
    ]
    known = {"run": entry.tag, "group": entry.group, "run_sha256": entry.sha256, "version": entry.version}
    return {"release": number, **known, "means": _defined(standing.names, standing.means[place].tolist()), "topics": topics}


@score_routes.get(f"{ONE}/runs/{{tag}}/report", response=RunReportOut, auth=PUBLIC)
def read_run_report(request: ApiRequest, slug: str, number: int, tag: str, filters: Query[ViewFilter]) -> dict[str, Any]:
    """Read TREC's summary page of one run: totals, recall and document level averages, gain by rank"""
    standing = _standing(request, slug, number)
    place, strict = standing.place(tag), filters.view == "strict" and columns.has_strict(standing.counts)
    return reports.run_document(standing, place, reports.run_report(standing, place, strict=strict))


@score_routes.get(f"{ONE}/runs/{{tag}}/trec_eval", response={200: None}, openapi_extra=openapi.files("text/plain"), auth=PUBLIC)
def download_trec_eval(request: ApiRequest, slug: str, number: int, tag: str, filters: Query[ViewFilter]) -> HttpResponse:
    """Download one run's scores in trec_eval's text form, with a line for each topic and measure

    view=strict: as `trec_eval -l` prints them with the strict threshold.
    """
    standing = _standing(request, slug, number)
    strict = filters.view == "strict" and columns.has_strict(standing.counts)
    return exports.trec_eval_file(standing, tag, strict=strict)


def _defined(names: Sequence[str], values: Sequence[float]) -> dict[str, float | None]:
    return {name: None if value != value else value for name, value in zip(names, values, strict=True)}


def _board(standing: Standing, names: Sequence[str], values: NDArray[np.float64]) -> dict[str, Any]:
    """Of the runs that whoever asks may see."""
    reported = {run.pk: run.efficiency for run in standings.runs_of(standing, standing.seen)}
    rows = []
    for place in standing.seen:
        entry = standing.entries[place]
        known = {"run": entry.tag, "group": entry.group, **entry.origin}
        known["efficiency"] = reported[entry.pk] if entry.named else {}
        rows.append({**known, "scores": _defined(names, values[place].tolist())})
    number = standing.release.number if standing.release else 0
    return {"release": number, "lenient_from": standing.counts["lenient_from"], "measures": list(names), "runs": rows}
