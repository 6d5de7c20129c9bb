"""Shapes of JSON: the queue, documents, judgments, one's own work. They clean; the rules live in the services."""

import json
import uuid
from datetime import datetime
from typing import Any, Literal

from ninja import Field, Schema
from pydantic import ValidationError

from assess import blind
from assess.core import passages
from assess.models import Answer, Judgment, JudgmentEvent
from config import expected
from config.errors import Refusal
from config.schemas import In
from pooling.core import extra


class JudgedTopicOut(Schema):
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
    extra: dict[str, str] = Field(description="Its other fields, such as authors or keywords, in the file's order.")


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
    topic: JudgedTopicOut
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
    def resolve_document(card: blind.Card) -> dict[str, Any]:
        return {**{name: getattr(card, name) for name in DocumentOut.model_fields}, "extra": extra.read(card.extra)}


class QueueFilter(In):
    count: int = Field(5, ge=1, le=20, description="How many; of topics that you share with others, at most 5.")


class HoldIn(In):
    held: list[uuid.UUID] = Field([], max_length=50, description="Seats of documents that you hold already.")
    count: int = Field(50, ge=1, le=50, description="How many you want to hold in all; no more than 5 MB of text.")


class WordsIn(In):
    words: str = Field(description="Separated by spaces; empty: none.", examples=["turbine salmon"])


class OwnWordsOut(Schema):
    topic: str = Field(alias="topic.number")
    words: str


class PassageIn(In):
    start: int = Field(ge=0, description="Of the first character, counted from 0 in the document's text.")
    end: int = Field(ge=1, description="After the last character.")


class JudgmentIn(In):
    grade: int | None = Field(None, description="Of the collection's scale.", examples=[2])
    answer: str | None = Field(
        None,
        json_schema_extra={"enum": [*Answer.values, None]},
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


class JudgmentLine(JudgmentIn):
    """An act of many: it names its document, by seat or by topic and docno."""

    seat: uuid.UUID | None = None
    topic: str = ""
    docno: str = ""
    client_id: uuid.UUID = Field(default_factory=uuid.uuid4)

    @classmethod
    def read(cls, words: str) -> "JudgmentLine":
        try:
            told = json.loads(words)
            return cls(**told) if isinstance(told, dict) else cls.model_validate(told)
        except ValidationError as error:
            first = error.errors()[0]
            raise Refusal(f"{'.'.join(map(str, first['loc'])) or 'The act'}: {expected.told(first)}") from error
        except (ValueError, RecursionError) as error:
            raise Refusal(f"Expected an act of judging as JSON; found “{words[:80]}”.") from error

    def act(self) -> dict[str, Any]:
        return {name: value for name, value in super().act().items() if name not in ("seat", "topic", "docno")}


class SavedOut(Schema):
    seat: uuid.UUID
    client_id: uuid.UUID
    answer: str
    grade: int | None
    seen: int = Field(description="How many acts there are, up to this one.")


class JudgedOut(Schema):
    saved: SavedOut
    done: int = Field(description="Documents that you have answered: graded, or said that they cannot be judged.")
    left: int = Field(description="Documents in your queue; without those that you share and have not taken yet.")
    next: list[CardOut] = Field(alias="cards", description="Up to three documents to judge next.")


class OwnTopicOut(Schema):
    number: str
    title: str
    done: int = Field(description="Answered: graded, or not to be judged.")
    left: int


class OwnProgressOut(Schema):
    done: int = Field(description="Answered: graded, or not to be judged.")
    left: int = Field(description="Yours to judge.")
    free: int = Field(description="Shared with others: whoever comes first.")
    today: int = Field(description="Documents that you answered today.")
    seconds: float | None = Field(description="Median of active seconds of a judgment, today.")
    grades: dict[int, int] = Field(description="How often you gave each grade.")
    cannot: int = Field(description="How often you said that a document cannot be judged.")
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
