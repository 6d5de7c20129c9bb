"""Shapes of this app's JSON. They clean; the rules live in the services."""

from datetime import datetime
from typing import Any, Literal

from django.conf import settings
from django.urls import reverse
from ninja import Field, Schema

from assess.models import MergeRule
from config.schemas import In
from evaluation.boards import Wanted
from evaluation.models import Release


class ReleaseCounts(Schema):
    items: int = Field(description="Judged documents: the lines of the qrels.")
    topics: int
    judgments: int = Field(description="Opinions that were merged.")
    assessors: int
    grades: dict[str, int] = Field(description="Documents by grade.")
    doubly_judged: int
    differing: int = Field(description="Documents on which two assessors differ.")
    decided: int = Field(0, description="Documents that an adjudicator decided.")
    few: int = Field(0, description="Documents with fewer opinions than asked for.")
    ties: int = Field(0, description="Documents whose opinions were even, and undecided.")
    lenient_from: int = Field(description="Grade from which a document counts as relevant.")
    strict_from: int
    documents: int | None = Field(None, description="Of the corpus; null where it does not hold them all.")


class ReleaseOut(Schema):
    number: int
    rule: str = Field(description="How several opinions became one grade; empty for imported qrels.")
    note: str
    sha256: str = Field(description="Of the qrels file.")
    counts: ReleaseCounts
    state: str = Field(description="draft, private, public or withdrawn.")
    archive_sha256: str = Field(description="Of the archive of all files.")
    about: dict[str, Any] = Field(description="Opinions asked for, scale, guidelines, pool rounds, agreement, statistics.")
    frozen_by: str = Field(alias="frozen_by.name")
    frozen_at: datetime
    page: str = Field(description="Address of its page.")

    @staticmethod
    def resolve_page(release: Release) -> str:
        return settings.BASE_URL + reverse("release", args=[release.collection.slug, release.number])


class ReleaseIn(In):
    rule: MergeRule | None = Field(None, description="How several opinions become one grade; the collection's unless given.")
    note: str = Field("", examples=["First public release."])


class QrelsFilter(In):
    view: Literal["graded", "lenient", "strict"] = Field(
        "graded", description="lenient, strict: grades from that threshold on as 1, all others as 0."
    )


class ViewFilter(In):
    view: Literal["lenient", "strict"] = Field("lenient", description="From which threshold on a document is relevant.")


class BoardFilter(In):
    release: str = Field(
        "", description="Number of the release; live: the judgments of now, for organizers. Left out: the newest."
    )
    view: Literal["lenient", "strict"] = Field("lenient", description="From which threshold on a document is relevant.")
    sort: str = Field("", description="A measure, run or group; with - before it, turned round.")
    group: str = Field("", description="Runs of this group alone.")
    kind: str = Field("", description="automatic or manual.")
    find: str = Field("", description="Words in tag or group.")
    measures: str = Field("", description="Names, separated by blanks; left out: those the organizers show.")
    test: str = Field("", description="Of differences from the best; the organizers' choice unless given.")
    correction: str = Field("", description="For the number of tests: holm, bh or bonferroni.")

    def wanted(self) -> Wanted:
        words = {name: getattr(self, name) for name in ("sort", "group", "kind", "find", "test", "correction")}
        return Wanted(strict=self.view == "strict", measures=tuple(self.measures.split()), **words)


class LeaderOut(Schema):
    run: str = Field(description="Tag; of others, where they are not to be named, a number.")
    group: str
    kind: str
    sha256: str = Field(description="Of the file as it was submitted.")
    version: str = Field(description="Of Assize, which computed the scores.")
    scores: dict[str, float | None]
    missing_topics: int = Field(description="They count as zero.")
    interval: list[float] | None = Field(description="Of the mean of the measure in focus, 95 %, by bootstrap over topics.")
    range: list[float | None] | None = Field(description="What unjudged documents allow that mean.")
    p: float | None = Field(description="Of the difference from the best, corrected; null for the best itself.")
    same_as_best: bool = Field(description="Not significantly different from the best.")


class LeaderboardOut(Schema):
    release: int | None = Field(description="null: live.")
    qrels_sha256: str | None
    lenient_from: int
    topics: int
    measures: list[str]
    focus: str | None = Field(description="The measure that is tested: the one sorted by, or the first.")
    test: str
    correction: str
    runs: list[LeaderOut]
    made_with: str = Field(description="Assize and the version that computed the scores.")


class RunReportOut(Schema):
    release: int | None
    run: str
    group: str
    run_sha256: str
    version: str = Field(description="Of Assize, which computed the scores.")
    relevant_from: int
    topics: int
    missing_topics: int
    retrieved: int
    relevant: int
    relevant_retrieved: int
    micro_precision: float
    micro_recall: float
    recall_levels: list[float] = Field(description="Interpolated precision at recall 0.0, 0.1, … 1.0.")
    area: float = Field(description="Under the recall-precision curve.")
    average_precision: float
    precision_at: dict[str, float]
    r_precision: float
    dcg: list[float] = Field(description="By rank, mean over topics.")
    ideal_dcg: list[float]
    ndcg: list[float]
    users: dict[str, float] = Field(description="User-oriented measures, and those of marked passages.")
    efficiency: dict[str, float]


class RunScores(Schema):
    run: str = Field(description="Tag.")
    group: str
    sha256: str = Field(description="Of the file as it was submitted; empty where others are not named.")
    version: str = Field(description="Of Assize, which computed the scores.")
    efficiency: dict[str, float] = Field(description="Figures that its submitter reports, such as latency_mean_ms.")
    scores: dict[str, float | None] = Field(description="By measure. AP(rel=2) is AP with grades from 2 on as relevant.")


class BoardOut(Schema):
    release: int
    lenient_from: int = Field(description="Grade from which a document is relevant for measures that name none.")
    measures: list[str] = Field(description="Official ones first.")
    runs: list[RunScores] = Field(description="By tag.")


class TopicScores(Schema):
    topic: str
    scores: dict[str, float | None] = Field(description="null where a measure is not defined for the topic.")
    medians: dict[str, float | None] = Field(description="Of all runs.")


class RunScoresOut(Schema):
    release: int
    run: str
    group: str
    run_sha256: str = Field(description="Of the file as it was submitted.")
    version: str = Field(description="Of Assize, which computed the scores.")
    means: dict[str, float | None]
    topics: list[TopicScores]
