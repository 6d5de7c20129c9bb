"""Shapes of this app's JSON. They clean; the rules live in the services."""

import uuid
from datetime import datetime
from typing import Any, Literal

from ninja import Field, Schema

from assess import blind
from assess.core import passages
from assess.models import Assignment, Judgment, JudgmentEvent
from assess.selectors import Pair
from assess.services.assigning import MOST_SEED, Rules
from config.schemas import In, JobOut


class TopicOut(Schema):
    number: str
    title: str
    description: str
    narrative: str


class DocumentOut(Schema):
    docno: str
    title: str
    text: str
    html: str = Field(description="As it came, if it is a page: a stranger's, never to be shown as it is.")
    url: str
    language: str
    date: str


class PassageOut(Schema):
    """A relevant passage, in characters of the document's text."""

    start: int
    end: int

    @staticmethod
    def of(words: str) -> list[dict[str, int]]:
        return [{"start": start, "end": end} for start, end in passages.read(words)]


class CardOut(Schema):
    """A document to judge."""

    seat: uuid.UUID = Field(alias="token", description="Names your seat for this document; judge it with a POST there.")
    topic: TopicOut
    document: DocumentOut
    grade: int | None = Field(description="Your present grade; null if there is none.")
    answer: str = Field(description="grade, cannot, later, or open.")
    reason: str
    note: str
    known: bool
    evidence: list[PassageOut]
    seen: int = Field(description="How often you judged it so far.")

    @staticmethod
    def resolve_topic(card: blind.Card) -> dict[str, str]:
        return {
            "number": card.topic,
            "title": card.topic_title,
            "description": card.description,
            "narrative": card.narrative,
        }

    @staticmethod
    def resolve_evidence(card: blind.Card) -> list[dict[str, int]]:
        return PassageOut.of(card.evidence)

    @staticmethod
    def resolve_document(card: blind.Card) -> dict[str, str]:
        return {name: getattr(card, name) for name in DocumentOut.model_fields}


class QueueFilter(In):
    count: int = Field(5, ge=1, le=20, description="How many; of topics that you share with others, at most 5.")


class HoldIn(In):
    held: list[uuid.UUID] = Field([], max_length=50, description="Seats of documents that you hold already.")
    count: int = Field(50, ge=1, le=50, description="How many you want to hold in all; no more than 5 MB of text.")


class WordsIn(In):
    words: str = Field(description="Separated by spaces; empty: none.", examples=["turbine salmon"])


class WordsOut(Schema):
    topic: str = Field(alias="topic.number")
    words: str


class LeaseOut(Schema):
    user: str = Field(alias="assessor.username")
    items: int = Field(description="Documents of shared topics, taken and not judged yet.")
    renewed_at: datetime
    ended: bool = Field(description="Whoever comes next gets them.")


class FreedOut(Schema):
    freed: int


class PassageIn(In):
    start: int = Field(ge=0, description="Of the first character, counted from 0 in the document's text.")
    end: int = Field(ge=1, description="After the last character.")


class JudgmentIn(In):
    grade: int | None = Field(None, ge=-127, le=127, description="Of the collection's scale.", examples=[2])
    answer: Literal["grade", "cannot", "later", "open", "invalid"] | None = Field(
        None,
        description="cannot: with a reason; later: it comes back at the end; open: takes the answer back; invalid: a machine found none.",
    )
    reason: str | None = Field(None, description="Why it cannot be judged.")
    note: str | None = Field(None, description="Left out: stays as it is; empty: none.")
    known: bool | None = Field(None, description="You knew the document before.")
    evidence: list[PassageIn] | None = Field(
        None, description="All relevant passages. Left out: they stay as they are; an empty list: none."
    )
    client_id: uuid.UUID = Field(description="Made by you, new for each act: the same sent twice is one judgment.")
    seconds: float | None = Field(None, description="How long you looked at it, 0 to 86,400.")
    seen: int | None = Field(
        None, ge=0, description="How often you had judged it when you looked: refused when it is more now. Left out: no check."
    )

    def act(self) -> dict[str, Any]:
        passages = None if self.evidence is None else [(one.start, one.end) for one in self.evidence]
        return {**self.dict(), "evidence": passages}


class SavedOut(Schema):
    seat: uuid.UUID
    client_id: uuid.UUID
    answer: str
    grade: int | None
    seen: int = Field(description="How many acts there are, up to this one.")


class JudgedOut(Schema):
    saved: SavedOut
    done: int = Field(description="Documents that you have judged.")
    left: int = Field(description="Documents in your queue; without those that you share and have not taken yet.")
    next: list[CardOut] = Field(alias="cards", description="Up to three documents to judge next.")


class OwnTopicOut(Schema):
    number: str
    title: str
    done: int
    left: int


class OwnProgressOut(Schema):
    done: int
    left: int = Field(description="Yours to judge.")
    free: int = Field(description="Shared with others: whoever comes first.")
    today: int = Field(description="Documents that you judged today.")
    seconds: float | None = Field(description="Median of active seconds of a judgment, today.")
    grades: dict[int, int] = Field(description="How often you gave each grade.")
    topics: list[OwnTopicOut]


class OwnFilter(In):
    topic: str = Field("", description="Its number.")
    grade: int | None = None
    answer: Literal["", "grade", "cannot", "later", "open"] = ""
    words: str = Field("", max_length=200, description="In title, docno, note or reason.")
    noted: bool = Field(False, description="Only those with a note or passages.")


class OwnJudgmentOut(Schema):
    """What you say of a document at present."""

    seat: uuid.UUID | None
    topic: str
    docno: str
    title: str | None
    answer: str
    grade: int | None
    reason: str
    note: str
    known: bool
    evidence: list[PassageOut]
    acts: int = Field(description="How often you said something of it.")
    updated_at: datetime

    @staticmethod
    def resolve_evidence(row: Judgment) -> list[dict[str, int]]:
        return PassageOut.of(row.evidence)


class AlikeFilter(In):
    seats: list[uuid.UUID] = Field([], max_length=50, description="Of documents that you hold.")


class OtherOut(Schema):
    seat: uuid.UUID
    docno: str
    same: bool = Field(description="The same words; else at least four in five shingles of four words in common.")
    grade: int | None = Field(description="Your own.")


class AlikeOut(Schema):
    seat: uuid.UUID
    others: list[OtherOut]


class OwnEventOut(Schema):
    """One of your acts of judging."""

    client_id: uuid.UUID
    seat: uuid.UUID | None
    topic: str
    docno: str
    answer: str
    grade: int | None
    previous_grade: int | None
    reason: str
    note: str
    known: bool
    evidence: list[PassageOut]
    seconds: float | None
    guideline_version: int
    at: datetime

    @staticmethod
    def resolve_evidence(event: JudgmentEvent) -> list[dict[str, int]]:
        return PassageOut.of(event.evidence)


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
    seed: int | None = Field(None, ge=0, le=MOST_SEED, description="Of order and overlap; left out: the present one.")
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
    made: int = Field(description="New seats: judgments that are wanted from somebody.")
    moved: int = Field(description="Seats that changed hands; judged ones never do.")
    removed: int
    job: JobOut | None = Field(description="Where it is much, a job does it; else it is done.")


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
    relevant: int
    band: float | None = Field(description="Share of relevant ones among what is judged since the depth before.")


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


class AdviceOut(Schema):
    rule: str
    stop: bool
    why: str


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
    stopped: str | None = Field(None, alias="stop.reason", description="Why somebody stopped it; null while it goes on.")


class StopIn(In):
    topic: str
    reason: str = Field("", description="Why enough is judged; needed to stop, kept with the decision.")


class WorkloadIn(In):
    weight: float = Field(1, description="Against the others'; above 0, to 100.")
    cap: int | None = Field(None, description="Most documents; null: no limit.")


class WorkloadOut(Schema):
    user: str = Field(alias="assessor.username")
    weight: float
    cap: int | None


class TextIn(In):
    text: str = Field(description="Up to 2,000 characters.", examples=["Are eels meant too?"])


class MessageOut(Schema):
    id: int
    text: str
    at: datetime


class OwnLineOut(Schema):
    mine: bool
    text: str
    at: datetime
    unseen: bool


class OwnThreadOut(Schema):
    seat: uuid.UUID | None
    topic: str
    docno: str
    lines: list[OwnLineOut]


class OwnQuestionsOut(Schema):
    unseen: int = Field(description="Answers that you have not seen yet.")
    threads: list[OwnThreadOut]


class ThreadLineOut(Schema):
    id: int
    author: str = Field(alias="author.username")
    text: str
    at: datetime


class ThreadOut(Schema):
    id: int = Field(alias="number", description="Answer it under this number.")
    topic: str
    docno: str
    asked_by: str
    open: bool
    lines: list[ThreadLineOut]


class PracticeCardOut(Schema):
    id: int
    topic: str
    title: str = Field(alias="topic_title")
    description: str
    narrative: str
    docno: str
    document_title: str = Field(alias="title")
    text: str


class PracticeOut(Schema):
    left: int
    card: PracticeCardOut | None


class PracticeAnswerIn(In):
    grade: int = Field(ge=-127, le=127)


class PracticeToldOut(Schema):
    grade: int = Field(description="What you answered first.")
    right: int = Field(description="The organizer's grade.")
    reason: str
    left: int


class ExampleIO(In):
    docno: str
    grade: int = Field(ge=-127, le=127)
    reason: str = ""


class PracticeSetIO(In):
    examples: list[ExampleIO]


class PairOut(Schema):
    """How far two assessors agree on what both judged."""

    first: str = Field(description="User name; empty for all first opinions.")
    second: str
    n: int
    agreement: float | None = Field(description="Share of equal grades.")
    cohen: float | None = Field(description="Cohen's kappa; null where it is not defined.")
    pooled: float | None = Field(description="Kappa with pooled marginals (Scott's pi).")
    linear: float | None = Field(description="Cohen's kappa with linear weights.")
    standard_error: float | None = Field(description="Large-sample standard error of Cohen's kappa.")
    table: list[list[int]] = Field(description="Counts over the levels: rows the first one's grades, columns the second's.")
    undefined: str = Field(description="Why there is no kappa; empty when there is.")

    @classmethod
    def of(cls, pair: Pair) -> "PairOut":
        f = pair.figures
        figures: dict[str, Any] = {"n": f.n, "agreement": f.raw, "cohen": f.cohen, "pooled": f.pooled}
        figures |= {"linear": f.linear, "standard_error": f.standard_error}
        told = {"table": f.table.tolist(), "undefined": pair.why_undefined}
        return cls(first=pair.first_user, second=pair.second_user, **figures, **told)


class AgreementOut(Schema):
    levels: list[int]
    twice: int = Field(description="Items that two assessors judged.")
    overall: PairOut = Field(description="All first opinions with all second ones.")
    pairs: list[PairOut]


class OwnAgreementOut(Schema):
    topic: str
    title: str
    n: int = Field(description="Other opinions on documents that you judged, too.")
    raw: float | None = Field(description="Share of equal grades.")
    cohen: float | None = Field(description="Cohen's kappa; null where it is not defined.")


class ReportFilter(In):
    form: Literal["json", "csv", "tex"] = "json"


class ExportFilter(In):
    format: Literal["csv", "jsonl"] = "csv"
    history: bool = Field(False, description="Every act of judging in its order, instead of the present grades.")


def assignment_order(row: Assignment) -> tuple[int, str, int, str]:
    return len(row.topic.number), row.topic.number, row.slot, row.assessor.username
