"""Archives, states and differences of releases, live qrels and the effect of disagreement, as JSON and files."""

from typing import Any, Literal

from django.http import FileResponse, Http404, HttpResponse
from ninja import Field, File, Form, Query, Router, Schema
from ninja.files import UploadedFile

from config import http, openapi
from config.api import MANAGE, PUBLIC, ApiRequest
from config.models import Job
from config.schemas import In, JobOut
from evaluation import access as score_access
from evaluation import changes, effect, exports, selectors
from evaluation.models import Release
from evaluation.schemas import ReleaseOut
from evaluation.services import importing, releases, strategies
from pooling import access
from pooling.models import Role

routes = Router(tags=["Releases"])
ONE = "/collections/{slug:slug}/releases/{int:number}"


class StateIn(In):
    state: Literal["private", "public", "withdrawn"] = Field(description="Who sees it; there is no way back.")
    note: str = Field("", description="Why it was withdrawn: shown in its place.")
    open_collection: bool = Field(False, description="To public: makes a private collection public, too, in the same act.")


class MissingOut(Schema):
    items: int = Field(description="Pooled documents.")
    ungraded_items: int
    topics: int
    ungraded_topics: int
    open_cases: int = Field(description="Disagreements that are not decided: they follow the merge rule.")
    words: str = Field(description="The same in a sentence; empty if nothing is missing.")


class TopicChangeOut(Schema):
    topic: str
    added: int
    changed: int
    removed: int
    same: int


class ChangeOut(Schema):
    topic: str
    docno: str
    before: int | None
    after: int | None


class DiffOut(Schema):
    old: int
    new: int
    added: int
    changed: int
    removed: int
    topics: list[TopicChangeOut]
    changes: list[ChangeOut]


class LiveFilter(In):
    at: str = Field("", description="A date (its end) or a time, UTC: the judgments as they stood then. Left out: now.")


class EffectFilter(In):
    measure: str = Field("", description="The first official one unless given.")


class ComparisonOut(Schema):
    first: str
    second: str
    items: int
    topics: int
    tau: float | None = Field(description="Kendall's tau_b between the two orders of the runs; null if one is all tied.")
    tau_ap: float | None = Field(description="tau_AP, the mean of both ways.")
    swaps: int = Field(description="Pairs of runs that change places.")
    sure: int = Field(description="Of them, those that one of the two tells apart significantly.")
    run: str = Field(description="The run that moves furthest.")
    moved: int
    before: int
    after: int
    rbo: float = Field(description="Rank-biased overlap of the two orders, p = 0.9: their top weighs most.")


class OrderOut(Schema):
    name: str
    kind: Literal["rule", "assessor", "machine"] = Field(description="By whose grades the runs are ordered.")
    items: int
    means: dict[str, float]
    ranks: dict[str, int]


class RangeOut(Schema):
    """A run's score and rank by the merged grades, and in 95 of 100 draws."""

    run: str
    score: float
    low: float
    median: float
    high: float
    rank: int
    best: int
    middle: int
    worst: int


class DrawsOut(Schema):
    draws: int
    generator: str
    seed: int
    topics: int = Field(description="Those that two or more judged.")
    undefined: int = Field(description="Draws in which all runs tie.")
    equivalent: float | None = Field(description="Share of draws with a tau of 0.9 or more.")
    tau_percentiles: dict[str, float] = Field(description="2.5, 25, 50, 75 and 97.5, against the order by the merged grades.")
    runs: list[RangeOut]


class EffectOut(Schema):
    measure: str
    orders: list[OrderOut]
    rules: list[ComparisonOut]
    assessors: list[ComparisonOut]
    pairs: list[ComparisonOut]
    machines: list[ComparisonOut] = Field(description="Each machine against the merged grades, whether it counts or not.")
    draws: DrawsOut | None = Field(description="One assessor of each topic drawn many times; null where none has two.")


@routes.get("/collections/{slug:slug}/releases/missing", response=MissingOut)
def read_missing(request: ApiRequest, slug: str) -> selectors.Missing:
    """Read what a release frozen now would lack

    For organizers.
    """
    return selectors.missing(access.collection_for(request.user, slug, Role.ORGANIZER))


@routes.post(f"{ONE}/state", response=ReleaseOut, auth=MANAGE)
def set_release_state(request: ApiRequest, slug: str, number: int, body: StateIn) -> Release:
    """Show a release to members or to everybody, or withdraw it

    For organizers.
    """
    collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    releases.set_state(selectors.tombstone(collection, number), by=request.user, **body.dict())
    return selectors.tombstone(collection, number)


@routes.get(f"{ONE}/archive", response={200: None}, openapi_extra=openapi.files(http.ZIP), auth=PUBLIC)
def download_archive(request: ApiRequest, slug: str, number: int) -> FileResponse:
    """Download all files of a release as one, with a script that checks them"""
    return exports.archive_file(selectors.release(access.released_to(request.user, slug), number))


@routes.get(f"{ONE}/scores/archive", response={200: None}, openapi_extra=openapi.files(http.ZIP), auth=PUBLIC)
def download_score_archive(request: ApiRequest, slug: str, number: int) -> FileResponse:
    """Download all scores of a release as one, the newest version

    For who may see all runs by name.
    """
    return exports.score_archive_file(selectors.release(score_access.all_scores_for(request.user, slug), number))


@routes.get(f"{ONE}/diff/{{int:against}}", response=DiffOut, auth=PUBLIC)
def compare_releases(request: ApiRequest, slug: str, number: int, against: int) -> dict[str, Any]:
    """What changed from the older to the newer of two releases"""
    collection = access.released_to(request.user, slug)
    old, new = (selectors.release(collection, which) for which in sorted((number, against)))
    return changes.diff_document(changes.diff(old, new))


class ImportFields(In):
    kind: Literal["judgments", "release"] = Field("judgments", description="What becomes of the file.")
    assessor: str = Field("", description="Whose judgments they are, if the file has no column that tells.")
    repeats: Literal["refuse", "first", "last"] = Field("refuse", description="Of what one assessor judged twice.")
    grades: str = Field("", description="Their grades as ours, where they differ: theirs=ours.", examples=["1=2 2=3"])
    note: str = Field("", description="Of a release.")
    unknown: Literal["refuse", "take"] = Field(
        "refuse", description="Of a file that names hardly any document of the collection."
    )
    zeros: Literal["refuse", "keep", "drop"] = Field(
        "refuse", description="Of a docno 0858 where the collection has 858 alone; drop: it is taken as that."
    )
    sample: Literal["", "strata", "prels"] = Field(
        "", description="Which form a sample's five columns have; told by the file unless it may be either."
    )


@routes.post("/collections/{slug:slug}/qrels", response={202: JobOut}, auth=MANAGE)
def import_qrels(request: ApiRequest, slug: str, file: File[UploadedFile], fields: Form[ImportFields]) -> Job:
    """Import qrels, or judgments of several assessors, as judgments or as a release

    For organizers. `topic 0 docno grade`, or columns topic, docno, assessor, grade; as a release
    also sampled qrels (`topic 0 docno stratum grade`) and prels (`topic docno grade method probability`). A faulty file is refused at once, every
    fault in `error.details.findings`; else the answer is a job. Its `message` tells how many documents the collection has not, if any,
    with the first and their lines.
    """
    collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    return importing.request_import(collection, by=request.user, data=file.read(), options=importing.Options(**fields.dict()))


@routes.get("/collections/{slug:slug}/live-qrels", response={200: None}, openapi_extra=openapi.files("text/plain"))
def download_live_qrels(request: ApiRequest, slug: str, filters: Query[LiveFilter]) -> HttpResponse:
    """Download the judgments as qrels, as they are now or stood at any time

    For organizers. Merged by the collection's rule; nothing is stored.
    """
    collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    return HttpResponse(changes.live_qrels(collection, changes.moment(filters.at)), content_type="text/plain")


@routes.get("/collections/{slug:slug}/effect", response=EffectOut)
def read_effect(request: ApiRequest, slug: str, filters: Query[EffectFilter]) -> dict[str, Any]:
    """Does disagreement change the order of runs: under each merge rule and each assessor

    For organizers.
    """
    return effect.document(effect.effect(access.collection_for(request.user, slug, Role.ORGANIZER), filters.measure))


class StrategiesIn(In):
    budget: int = Field(50, description="1 to 1000: documents of each topic at which the order of the runs is compared.")


class StrategyLineOut(Schema):
    name: str
    to_enough: int | None = Field(description="Judgments until 80 % of the relevant documents were found.")
    found: int = Field(description="Relevant documents at the budget, over all topics.")
    tau: float | None = Field(description="Of the order of the runs by AP, against all judgments.")
    bias: list[float] = Field(description="AP at the budget less that of all judgments; one for each run.")
    curve: list[list[int]] = Field(description="Pairs: judgments, and relevant documents found.")


class StrategiesOut(Schema):
    made_at: str
    budget: int
    judged: int
    relevant: int
    runs: list[str]
    summary: str = Field(description="What move-to-front, MaxMean and the best save against depth order; may be empty.")
    strategies: list[StrategyLineOut] = Field(alias="lines")


@routes.get("/collections/{slug:slug}/strategies", response=StrategiesOut)
def read_comparison(request: ApiRequest, slug: str) -> strategies.Comparison:
    """Which strategy would have done best on the judgments that are there, as it was last simulated

    For organizers. 404 before the first time.
    """
    found = strategies.latest(access.collection_for(request.user, slug, Role.ORGANIZER))
    if found is None:
        raise Http404
    return found


@routes.post("/collections/{slug:slug}/strategies", response={202: JobOut}, auth=MANAGE)
def compare_strategies(request: ApiRequest, slug: str, body: StrategiesIn) -> Job:
    """Simulate all strategies on the judgments that are there

    For organizers. The answer is a job.
    """
    collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    return strategies.request_comparison(collection, by=request.user, budget=body.budget)
