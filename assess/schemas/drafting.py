"""Shapes of JSON: developing topics. They clean; the rules live in the services."""

from typing import Any

from ninja import Field, Schema

from config.schemas import In


class DraftIn(In):
    number: str
    title: str
    description: str = ""
    narrative: str = ""
    language: str = ""
    words: str = Field("", description="What is searched for; left out: the title.")

    @property
    def texts(self) -> dict[str, str]:
        return {"title": self.title, "description": self.description, "narrative": self.narrative}


class DraftOut(Schema):
    id: int
    number: str
    title: str
    description: str
    narrative: str
    language: str
    words: str
    state: str = Field(description="open, accepted or dropped")
    reason: str


class DraftHitOut(Schema):
    docno: str
    title: str
    snippet: str
    first: int = Field(description="The first rank of the band of hits that it was drawn from.")
    last: int
    grade: int | None


class TriedOut(DraftOut):
    """A draft with its search: which hits are to be judged, and what they tell."""

    total: int = Field(description="Documents that match.")
    hits: list[DraftHitOut]
    estimate: float | None = Field(
        description="Relevant documents among the hits of all bands; null until all listed ones are judged."
    )
    low: float | None = Field(description="Of a 95 % interval.")
    high: float | None

    @classmethod
    def of(cls, draft: Any, tried: Any) -> dict[str, Any]:
        hits = [
            {
                "docno": hit.docno,
                "title": "".join(piece for piece, _ in hit.heading),
                "snippet": "".join(piece for piece, _ in hit.snippet),
                "grade": grade,
                "first": band.first,
                "last": band.last,
            }
            for band in tried.bands
            for hit, grade in band.hits
        ]
        told = tried.estimate
        numbers = {"estimate": told and told.count, "low": told and told.low, "high": told and told.high}
        return {**DraftOut.from_orm(draft).dict(), "total": tried.total, "hits": hits, **numbers}


class DraftGradeIn(In):
    docno: str
    grade: int


class DecisionReasonIn(In):
    reason: str = Field("", description="At most 300 characters.")
