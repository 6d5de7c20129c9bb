"""Shapes of JSON: progress and how judging goes. They clean; the rules live in the services."""

from datetime import datetime

from ninja import Field, Schema

from config.schemas import In


class LineOut(Schema):
    name: str
    done: int
    left: int
    skipped: int = Field(description="Cannot be judged, says who should.")
    later: int = Field(description="Put off, and still left.")
    seconds: float | None = Field(description="Median active seconds of a judgment; null when nobody told any.")


class TopicLineOut(LineOut):
    grades: list[int] = Field(description="How often each grade of the scale was given, lowest first; empty before the first.")


class AssessorLineOut(LineOut):
    user: str = Field(alias="who", description="User name; empty for seats that nobody has taken yet.")
    repeats: int = Field(description="Hidden repeats that were judged: in none of the counts.")


class ForecastOut(Schema):
    hours: float | None = Field(description="Active hours of work that are left; null when nobody told any seconds.")
    per_day: float = Field(description="Judgments a day, of the last week.")
    days: float | None = Field(description="Until all is judged, at this pace.")


class DepthOut(Schema):
    depth: int
    items: int
    judged: int
    relevant: int = Field(description="What at least one assessor judged so, whatever was decided.")
    band: float | None = Field(description="Share of relevant ones among what is judged since the depth before.")


class BeyondOut(Schema):
    items: int
    judged: int
    relevant: int


class GivenOut(Schema):
    user: str = Field(alias="who")
    grades: list[int] = Field(description="How often each grade of the scale was given.")
    flags: list[str] = Field(description="What is unlike the others, in words: a reason to look.")


class ConsistencyOut(Schema):
    user: str = Field(alias="who")
    repeats: int
    same: int


class LayerOut(Schema):
    machine: str = Field(alias="who")
    done: int
    invalid: int


class WatchedOut(Schema):
    """How judging goes."""

    forecast: ForecastOut
    depths: list[DepthOut]
    beyond: BeyondOut = Field(description="What no run has: found by searching, by a classifier, or imported; of no depth.")
    assessors: list[GivenOut]
    consistency: list[ConsistencyOut]
    machines: list[LayerOut]
    questions: int = Field(description="Threads that wait for an answer.")


class ProgressOut(Schema):
    total: LineOut
    items: int = Field(description="Items of the drawn pool.")
    unassigned: int = Field(description="Items that have no assessor.")
    imported: int = Field(description="Judgments that came with files: in none of these counts.")
    topics: list[TopicLineOut]
    assessors: list[AssessorLineOut]
    at: datetime = Field(description="When it was counted: at most 15 s ago.")


class AdviceOut(Schema):
    rule: str
    stop: bool
    why: str


class BoundOut(Schema):
    missed: float
    missed_upper: float = Field(description="At most so many, by a one-sided Clopper-Pearson bound at 95 %.")
    recall: float
    recall_lower: float


class CheckOut(Schema):
    round: int = Field(alias="pool.round")
    unjudged: int = Field(description="From so many it was drawn.")
    drawn: int
    judged: int
    relevant: int
    found: int = Field(description="Relevant ones among what was pooled before.")
    bound: BoundOut | None = Field(description="Null until all of the sample is judged.")


class CheckIn(In):
    topic: str
    count: int = Field(50, description="How many of the unjudged candidates are drawn, at most 1,000.")


class TopicGoesOut(Schema):
    round: int = Field(alias="pool.round")
    strategy: str = Field(alias="pool.strategy")
    topic: str = Field(alias="topic.number")
    picked: int
    judged: int
    budget: int
    relevant: int
    gains: list[int] = Field(description="1 for relevant, in the order of the judgments.")
    still_to_find: int | None = Field(description="By the rest of the budget, at the rate of the last 50 judgments.")
    advice: list[AdviceOut]
    check: CheckOut | None = Field(description="The latest random sample of the rest; null where none was drawn.")
    stopped: str | None = Field(None, alias="stop.reason", description="Why somebody stopped it; null while it goes on.")


class StopIn(In):
    topic: str
    reason: str = Field("", description="Why enough is judged; needed to stop, kept with the decision.")
