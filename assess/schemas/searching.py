"""Shapes of JSON: searching, and judging what was found. They clean; the rules live in the services."""

import uuid
from typing import Any, Literal

from ninja import Field, Schema

from config.schemas import In


class SearchFilter(In):
    q: str = Field("", description='Words; "phrases", title:word and -word are understood.', max_length=1000)
    topic: str = Field("", description="For which topic; left out: for none.")
    page: int = Field(1, ge=1, le=50)


class WordsFilter(In):
    q: str = Field("", description="What is searched for.", max_length=1000)
    topic: str = Field("", description="For which topic; left out: for none.")
    source: Literal["hits", "judged"] = Field(
        "hits", description="`hits`: the first hits, taken for relevant unseen; `judged`: one's own judgments of the topic."
    )


class WordsOut(Schema):
    source: str
    documents: int = Field(description="How many documents were taken for relevant.")
    words: list[str] = Field(description="Words to add, best first.")


class HitOut(Schema):
    docno: str
    title: str
    snippet: str
    grade: int | None = Field(description="One's own.")
    seen: int = Field(description="How many acts of your own there are on it.")
    waits: bool = Field(description="It is among what one has to judge anyway.")
    pooled: bool = Field(description="Told to organizers alone.")

    @staticmethod
    def resolve_title(hit: Any) -> str:
        return "".join(piece for piece, _ in hit.heading)

    @staticmethod
    def resolve_snippet(hit: Any) -> str:
        return "".join(piece for piece, _ in hit.snippet)


class ResultsOut(Schema):
    total: int
    page: int
    hits: list[HitOut]


class HitIn(In):
    topic: str
    docno: str
    grade: int
    client_id: uuid.UUID = Field(description="Made by the client: the same act sent twice is one.")
    seen: int | None = Field(
        None, ge=0, description="Acts on it that you know of; 409 if there are more. Left out: not minded."
    )


class FoundOut(Schema):
    grade: int | None
    seen: int = Field(description="How many acts there are on this document.")
