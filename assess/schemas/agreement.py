"""Shapes of JSON: agreement and exports. They clean; the rules live in the services."""

from typing import Any, Literal

from ninja import Field, Schema

from assess.pairs import Pair
from config.schemas import In


class PairOut(Schema):
    """How far two assessors agree on what both judged."""

    first: str = Field(description="User name; empty for all first opinions.")
    second: str
    n: int
    agreement: float | None = Field(description="Share of equal grades.")
    cohen: float | None = Field(description="Cohen's kappa; null where it is not defined.")
    pooled: float | None = Field(description="Kappa with pooled marginals (Scott's pi).")
    linear: float | None = Field(description="Cohen's kappa with linear weights.")
    standard_error: float | None = Field(
        description="Of Cohen's kappa: by formula, of resamples where a document stands more than once."
    )
    interval: list[float] | None = Field(description="Low and high end of the 95 % interval of Cohen's kappa.")
    table: list[list[int]] = Field(description="Counts over the levels: rows the first one's grades, columns the second's.")
    undefined: str = Field(description="Why there is no kappa; empty when there is.")
    note: str = Field(description="The same, why kappa is exactly 0, why there is no interval; empty when all is plain.")

    @classmethod
    def of(cls, pair: Pair) -> "PairOut":
        f = pair.figures
        figures: dict[str, Any] = {"n": f.n, "agreement": f.raw, "cohen": f.cohen, "pooled": f.pooled}
        interval = pair.spread.interval and list(pair.spread.interval)
        figures |= {"linear": f.linear, "standard_error": pair.spread.standard_error, "interval": interval}
        told = {"table": f.table.tolist(), "undefined": pair.why_undefined, "note": pair.note}
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
    table: Literal["", "pairs", "matrices", "rest", "repeats", "checks", "topics", "times"] = Field(
        "", description="One table of the page of agreement; empty: every coefficient."
    )


class ExportFilter(In):
    format: Literal["csv", "jsonl"] = "csv"
    history: bool = Field(False, description="Every act of judging in its order, instead of the present grades.")
