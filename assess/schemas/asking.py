"""Shapes of JSON: questions and practice. They clean; the rules live in the services."""

import uuid
from datetime import datetime

from ninja import Field, Schema

from config.schemas import In


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
    grade: int


class PracticeToldOut(Schema):
    grade: int = Field(description="What you answered first.")
    right: int = Field(description="The organizer's grade.")
    reason: str
    left: int


class ExampleIO(In):
    docno: str
    grade: int
    reason: str = ""


class PracticeSetIO(In):
    examples: list[ExampleIO]
