"""Comparisons, the pool report, measures, how scores are shown, and private scoring, as JSON: the same functions as the pages."""

from typing import Any, Literal

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from ninja import Field, File, Form, Query, Router, Schema
from ninja.files import UploadedFile

from config.api import MANAGE, PUBLIC, READ, SUBMIT, ApiRequest, newest_first
from config.errors import Refusal
from config.schemas import In
from evaluation import access as score_access
from evaluation import columns, comparing, pool_reports, selectors, standings
from evaluation.boards import Wanted
from evaluation.core import formulas
from evaluation.models import PrivateScore, ScoringPlan
from evaluation.services import planning, trying
from pooling import access
from pooling.models import Role

routes = Router(tags=["Scores"])
HERE = "/collections/{slug:slug}"
WHICH = "Number of the release; live: the judgments of now, for organizers. Left out: the newest."


class CompareFilter(In):
    runs: list[str] = Field([], description="Tags, 2 to 12.")
    release: str = Field("", description=WHICH)
    measure: str = Field("", description="The first official one unless given.")
    view: Literal["lenient", "strict"] = "lenient"
    test: str = Field("", description="Two runs: the organizers' choice; more: randomized-tukey.")
    correction: str = Field("", description="holm, bh or bonferroni.")
    baseline: str = Field("", description="Tag of the run that all others are compared with; left out: all pairs.")


class PoolReportFilter(In):
    release: str = Field("", description=WHICH)
    measure: str = Field("", description="The first official one unless given.")


class ComparedOut(Schema):
    release: int | None
    measure: str
    topics: int
    test: str
    correction: str
    seed: int
    systems: list[dict[str, Any]] = Field(
        description="run, mean, judged_at_10, groups (letters that join runs not told apart), from_median."
    )
    pairs: list[dict[str, Any]] = Field(description="Differences with intervals, effect sizes, wins and losses, p-values.")
    anova: dict[str, Any] | None = Field(description="Of systems and topics; null for two runs.")
    notes: list[str]
    sentences: list[str] = Field(description="One for each pair, to quote.")
    strict_and_lenient: dict[str, Any] | None = Field(
        description="Of the orders of all runs in both views: runs, tau, and how many pairs are swapped; null where they are one."
    )
    by_topic: list[dict[str, Any]]


class PoolReportOut(Schema):
    release: int | None
    measure: str
    depth: int = Field(description="How deep the pools went, or what is taken for it.")
    depth_known: bool = Field(
        description="Whether the pools tell their depth; else the first of each run are taken for a pool."
    )
    judged: list[dict[str, Any]] = Field(description="Judged@10 of each run.")
    judged_documents: int
    relevant: int
    verdict: dict[str, str]
    reasons: list[dict[str, str]]
    groups: list[dict[str, Any]] = Field(description="Each group left out of the pool.")
    group_measures: list[dict[str, Any]] = Field(description="The change of each measure, group by group.")
    runs: list[dict[str, Any]] = Field(description="Each run left out of the pool.")
    run_measures: list[dict[str, Any]] = Field(description="The change of each measure, run by run.")
    depths: list[dict[str, Any]] = Field(description="Shallower pools.")
    thinned: list[dict[str, Any]] = Field(description="Fewer judgments: five random draws.")


class MeasureOut(Schema):
    family: str
    name: str
    definition: str
    formula: str
    example: str = Field(description="The name under which the worked example was computed.")
    value: float
    reference: str
    full_reference: str
    trec_eval: str
    summary: str
    better: str


class ScoringOut(Schema):
    shown: list[str] = Field(description="Measures beside the official ones; empty: the usual ones.")
    test: str
    correction: str
    seen: str = Field(description="Whose scores others than organizers see: own, anonymous or all.")
    expected: dict[str, int]
    known: dict[str, list[str]]


class ScoringIn(In):
    shown: list[str] | None = None
    test: str | None = None
    correction: str | None = None
    seen: str | None = None
    expected: dict[str, int] | None = Field(None, description="Topic: how many relevant documents a user expects.")
    known: dict[str, list[str]] | None = Field(None, description="Topic: docnos that a user knows.")


class TryFields(In):
    keep: bool = Field(False, description="Keep the report, for you alone.")


class PrivateOut(Schema):
    collection: str
    release: int
    qrels_sha256: str
    run: str
    run_sha256: str
    version: str = Field(description="Of Assize.")
    measures: list[str] = Field([], description="Official ones first.")
    means: dict[str, float | None]
    ranges: dict[str, list[float]] = Field(description="What unjudged documents allow the means.")
    missing_topics: int
    topics: list[dict[str, Any]]
    warnings: list[str]


class KeptOut(Schema):
    id: int = Field(alias="pk")
    run: str = Field(alias="tag")
    release: int = Field(alias="release.number")
    report: PrivateOut


@routes.get(f"{HERE}/compare", response=ComparedOut, auth=PUBLIC)
def compare_runs(request: ApiRequest, slug: str, filters: Query[CompareFilter]) -> dict[str, Any]:
    """Compare two or more runs topic by topic, with tests, effect sizes and a sentence to quote"""
    standing = standings.standing(score_access.scores_for(request.user, slug), filters.release)
    strict = filters.view == "strict" and columns.has_strict(standing.counts)
    wanted = Wanted(strict=strict, test=filters.test, correction=filters.correction)
    found = comparing.compared(standing, filters.runs, filters.measure, wanted=wanted, baseline=filters.baseline)
    return comparing.document(found)


@routes.get(f"{HERE}/pool-report", response=PoolReportOut, auth=PUBLIC)
def read_pool_report(request: ApiRequest, slug: str, filters: Query[PoolReportFilter]) -> dict[str, Any]:
    """How reusable the collection is: runs and groups left out, shallower pools, fewer judgments, and a verdict

    For who may see all runs by name.
    """
    standing = standings.standing(score_access.all_scores_for(request.user, slug), filters.release)
    return pool_reports.document(standing, pool_reports.pool_report(standing, filters.measure))


@routes.get("/measures", response=list[MeasureOut], auth=PUBLIC)
def list_measures(request: ApiRequest) -> list[dict[str, Any]]:
    """List every measure: definition, formula, worked example, reference"""
    return [{"family": family, **entry} for family, entries in formulas.families().items() for entry in entries]


@routes.get(f"{HERE}/scoring", response=ScoringOut)
def read_scoring(request: ApiRequest, slug: str) -> ScoringPlan:
    """Read how scores are shown, and to whom

    For organizers.
    """
    return columns.plan(access.collection_for(request.user, slug, Role.ORGANIZER))


@routes.patch(f"{HERE}/scoring", response=ScoringOut, auth=MANAGE)
def change_scoring(request: ApiRequest, slug: str, body: ScoringIn) -> ScoringPlan:
    """Change how scores are shown, and to whom

    For organizers. What is left out stays.
    """
    collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    return planning.set_plan(collection, **{name: value for name, value in body.dict().items() if value is not None})


@routes.post(f"{HERE}/releases/{{int:number}}/private", response=PrivateOut, auth=SUBMIT)
def score_privately(
    request: ApiRequest, slug: str, number: int, file: File[UploadedFile], fields: Form[TryFields]
) -> dict[str, Any]:
    """Score a run of your own against a public release, for you alone

    The run is thrown away, and its report too unless it is to be kept. Twenty times in a quarter of an hour.
    """
    release = selectors.release(score_access.scores_for(request.user, slug), number)
    if (file.size or 0) > trying.LARGEST:
        raise Refusal(f"Expected at most {trying.LARGEST:,} bytes; found {file.size:,}.")
    return trying.try_run(release, by=request.user, data=file.read(), keep=fields.keep)


@routes.get(f"{HERE}/private", response=list[KeptOut], auth=READ)
@newest_first
def list_private(request: ApiRequest, slug: str) -> QuerySet[PrivateScore]:
    """List the reports that you kept"""
    return trying.kept_by(request.user, score_access.scores_for(request.user, slug))


@routes.delete(f"{HERE}/private/{{int:id}}", response={204: None}, auth=SUBMIT)
def delete_private(request: ApiRequest, slug: str, id: int) -> None:
    """Throw away a report that you kept"""
    mine = trying.kept_by(request.user, score_access.scores_for(request.user, slug))
    trying.throw_away(get_object_or_404(mine, pk=id))
