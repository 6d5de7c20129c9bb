"""Shapes of JSON: assignments, leases, workloads. They clean; the rules live in the services."""

from datetime import datetime
from typing import Literal

from ninja import Field, Schema

from assess.models import Assignment
from assess.services.assigning import Rules
from config.schemas import In, JobOut


class LeaseOut(Schema):
    user: str = Field(alias="assessor.username")
    items: int = Field(description="Documents of shared topics, taken and not judged yet.")
    renewed_at: datetime
    ended: bool = Field(description="Whoever comes next gets them.")


class HeldOut(Schema):
    topic: str = Field(alias="item.topic.number")
    docno: str = Field(alias="item.docno")
    renewed_at: datetime = Field(alias="claimed_at")


class FreeFilter(In):
    topic: str | None = Field(None, description="With `docno`: that document alone.", examples=["T01"])
    docno: str | None = Field(None, description="With `topic`: that document alone.", examples=["D0042"])


class FreedOut(Schema):
    freed: int


class AssignmentOut(Schema):
    topic: str = Field(alias="topic.number")
    assessor: str = Field(alias="assessor.username")
    slot: int = Field(description="1 judges all of the topic, 2 and 3 give further opinions on a share of it.")
    created_at: datetime


class TopicAssignment(In):
    topic: str = Field(description="Its number.", examples=["301"])
    first: list[str] = Field([], description="User names; several share the topic.", examples=[["mirja"]])
    second: list[str] = Field([], description="User names of who gives the second opinion.", examples=[["kwame"]])
    third: list[str] = Field([], description="User names of who gives the third opinion.")


class PlanIn(In):
    overlap: float = Field(0, description="Share of each topic that two judge, 0 to 1.", examples=[0.2])
    seed: int | None = Field(None, description="Of order and overlap; left out: the present one.")
    third: float | None = Field(
        None, description="Share that three judge, at most the overlap. This and what follows, left out: as it is."
    )
    order: Literal["shuffle", "docno", "priority"] | None = Field(None, description="In which documents of a topic come.")
    repeats: float | None = Field(None, description="Share of judged documents that comes back, unsaid, to who judged it.")
    by_item: bool | None = Field(None, description="Whoever is free takes the next document, for whichever opinion.")
    count_machines: bool | None = Field(None, description="Judgments of machines enter releases, agreement and figures.")

    @property
    def rules(self) -> Rules:
        return Rules(**{name: getattr(self, name) for name in Rules.__dataclass_fields__})


class AssignIn(PlanIn):
    assignments: list[TopicAssignment] = Field(max_length=10_000, description="Topics that are not named stay as they are.")


class AutoIn(PlanIn):
    assessors: list[str] | None = Field(None, description="User names; left out: all assessors.")
    topics: Literal["open", "all"] = Field("open", description="open: those without an assessor.")


class SeatingOut(Schema):
    topics: int = Field(description="Topics that were assigned.")
    made: int = Field(description="New judgments that are wanted from somebody.")
    moved: int = Field(description="Those that changed hands; judged ones never do.")
    removed: int
    job: JobOut | None = Field(description="Where it is much, a job does it; else it is done.")


class WorkloadIn(In):
    weight: float = Field(1, description="Against the others'; above 0, to 100.")
    cap: int | None = Field(None, description="Most documents; null: no limit.")


class WorkloadOut(Schema):
    user: str = Field(alias="assessor.username")
    weight: float
    cap: int | None


def assignment_order(row: Assignment) -> tuple[int, str, int, str]:
    return len(row.topic.number), row.topic.number, row.slot, row.assessor.username
