"""Shapes of JSON: strategies, plans, pools. They clean; the rules live in the services."""

from datetime import datetime
from typing import Any, Literal

from ninja import Field, Schema

from config.schemas import In
from pooling.core.planning import by_group
from pooling.plans import DEPTHS


class ParameterOut(Schema):
    name: str
    kind: Literal["int", "float", "choice", "text"]
    label: str
    help: str
    default: int | float | str | None
    low: float | None
    high: float | None
    choices: list[str]

    @staticmethod
    def resolve_choices(parameter: Any) -> list[str]:
        return [value for value, _ in parameter.choices]


class StrategyOut(Schema):
    """A way to choose documents, with its parameters as forms and commands have them too."""

    name: str
    label: str
    about: str
    kind: Literal["fixed", "adaptive", "sampled"] = Field(
        description="Drawn at once; chosen by the judgments so far; drawn by chance."
    )
    parameters: list[ParameterOut]

    @staticmethod
    def resolve_parameters(strategy: Any) -> list[Any]:
        return list(strategy.all_parameters)


class PoolIn(In):
    strategy: str = Field("depth", description="One of GET /strategies.", examples=["depth"])
    depth: int | None = Field(
        None, description="Of the strategy depth: so many documents of each run and topic, 1 to 1000.", examples=[10]
    )
    parameters: dict[str, int | float | str] = Field(
        {}, description="Of the strategy, such as budget; its defaults for others."
    )
    runs: list[str] | None = Field(None, description="Tags; left out: every run.", examples=[["bm25", "rrf"]])
    seed: int | None = Field(None, description="Of what is drawn by chance, as the plan told it; left out: a new one.")

    def values(self) -> dict[str, Any]:
        return self.parameters | ({} if self.depth is None else {"depth": self.depth})


class PlanIn(PoolIn):
    seconds: float | None = Field(None, description="Of a judgment; left out: the pace seen so far.")


class UsedOut(Schema):
    tag: str
    group: str
    sha256: str
    pooled: int = Field(description="Its documents in the pool.")
    unique: int = Field(description="Those that no other run has.")
    group_unique: int = Field(description="Those of its group that no other group has.")


class GroupOut(Schema):
    """What a group contributed; a document that several of its runs have counts once."""

    group: str = Field(description="Empty for a run without one, which stands alone.")
    run: str = Field(description="The tag of a run that stands alone; else empty.")
    runs: int
    pooled: int | None = Field(description="Its documents in the pool; null of rounds that were drawn before it was kept.")
    unique: int = Field(description="Those that no other group has.")


class PoolOut(Schema):
    round: int
    strategy: str
    parameters: dict[str, Any] = Field(description="Of the strategy, such as its depth.")
    seed: int
    runs: list[str] = Field(description="Tags.")
    used: list[UsedOut] = Field(description="The runs as they were pooled, and what each contributed.")
    groups: list[GroupOut]
    items: int = Field(alias="item_count", description="New ones, that no earlier round has.")
    drawn_by: str = Field(alias="drawn_by.name")
    drawn_at: datetime

    @staticmethod
    def resolve_runs(pool: Any) -> list[str]:
        return sorted(run.tag for run in pool.runs.all())

    @staticmethod
    def resolve_groups(pool: Any) -> list[dict[str, Any]]:
        return by_group(pool.used)


class SizeOut(Schema):
    depth: int
    items: int
    new: int = Field(description="Those that no round has yet.")
    hours: float | None = Field(description="Of judging what is new, at the pace seen so far; null before the first judgment.")


class TopicSizeOut(Schema):
    topic: str = Field(alias="number")
    items: int
    new: int
    hours: float | None


class PlanOut(Schema):
    """What a choice would cost: exact numbers."""

    strategy: str = Field(alias="choice.strategy")
    parameters: dict[str, Any] = Field(alias="choice.values")
    seed: int = Field(alias="choice.seed", description="Draw with it, and the choice drawn is the choice told here.")
    items: int
    new: int = Field(description="Those that no round has yet.")
    hours: float | None
    depths: list[SizeOut] = Field(alias="curve", description="Every depth from 1, of the strategy depth alone.")
    topics: list[TopicSizeOut]
    runs: list[UsedOut]
    groups: list[GroupOut]

    @staticmethod
    def resolve_runs(plan: Any) -> list[dict[str, Any]]:
        return [share.told() for share in plan.shares]


class PickOut(Schema):
    number: int = Field(description="Place in the order of its topic and round.")
    run: str | None = Field(description="Whose next document it was; null where several had a say.")
    why: str


class ItemOut(Schema):
    topic: str
    docno: str
    round: int
    best_rank: int = Field(description="Among the runs that found it; 0 where none did.")
    present: bool = Field(description="Is its document there? Else it is not handed out.")
    runs: dict[str, int] = Field(description="The runs that have it, with the rank each gave it.")
    picked: PickOut | None = Field(description="Of an adaptive round: when and why it was chosen.")
    stratum: int | None = Field(description="Of a sampled round.")
    inclusion: float | None = Field(description="Of a sampled round: the probability with which it was drawn.")


class ItemsFilter(In):
    topic: str = Field("", description="Its number.")
    missing: bool = Field(False, description="Only those whose document is not there.")
    page: int = Field(1, ge=1, le=1_000_000, description="Of 100 items each.")


class SizesFilter(In):
    depth: list[int] = Field(list(DEPTHS), max_length=20, description="One or several.")
    run: list[str] = Field([], description="Tags; left out: every run.")
