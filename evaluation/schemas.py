"""Shapes of this app's JSON. They clean; the rules live in the services."""

from datetime import datetime
from typing import Any, Literal

from django.conf import settings
from django.urls import reverse
from ninja import Field, Schema

from assess.models import MergeRule
from config.schemas import In
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


class RunScores(Schema):
    run: str = Field(description="Tag.")
    group: str
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


class RunOut(Schema):
    release: int
    run: str
    group: str
    run_sha256: str = Field(description="Of the file as it was submitted.")
    means: dict[str, float]
    topics: list[TopicScores]
