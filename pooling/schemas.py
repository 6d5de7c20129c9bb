"""Shapes of this app's JSON. They clean; the rules live in the services."""

from datetime import datetime
from typing import Any, Literal

from django.conf import settings
from ninja import Field, Schema

from config.schemas import UNCHANGED, In, PersonOut, TokenOut
from pooling.core.metadata import FIGURES
from pooling.core.presets import GradeSpec
from pooling.models import Collection, Genre, Invitation, Role, RunKind, Upload, UploadKind, Visibility
from pooling.plans import DEPTHS
from pooling.services import members
from pooling.services.runs import FIGURE_PREFIX


class GradeOut(Schema):
    value: int
    label: str
    definition: str
    example: str
    key: str = Field(description="The digit an assessor presses.")


class GradeIn(In):
    value: int = Field(ge=-127, le=127, description="The higher, the more relevant.")
    label: str = Field(examples=["Relevant"])
    definition: str = ""
    example: str = ""
    key: str = Field(description="The digit an assessor presses, 0 to 9.")


class ScaleIn(In):
    grades: list[GradeIn] = Field(
        description="2 to 10 grades, each with its own value and key.",
        examples=[[{"value": 0, "label": "No", "key": "0"}, {"value": 1, "label": "Yes", "key": "1"}]],
    )
    lenient_from: int = Field(ge=-127, le=127, description="Grade from which a document counts as relevant.")
    strict_from: int = Field(ge=-127, le=127, description="The same for the strict view; not below the lenient one.")

    def specs(self) -> list[GradeSpec]:
        return [GradeSpec(**grade.dict()) for grade in self.grades]


class PresetOut(Schema):
    task: str = Field(alias="slug")
    label: str
    about: str
    grades: list[GradeOut]
    lenient_from: int = Field(alias="lenient")
    strict_from: int = Field(alias="strict")
    measures: list[str]


class CollectionOut(Schema):
    slug: str
    name: str
    description: str = Field(description="Markdown.")
    visibility: Visibility
    task: str
    genre: Genre | Literal[""] = Field(description="What kind of documents; empty where it is not told.")
    languages: str = Field(description="Of documents and topics, such as: en, hi.")
    licence: str
    source: str = Field(description="Where the documents come from.")
    grades: list[GradeOut]
    lenient_from: int
    strict_from: int
    measures: list[str] = Field(description="Official measures; the first one orders the leaderboard.")
    roles: list[Role] = Field(description="Your roles in it; administrators act as organizers everywhere.")
    created_at: datetime
    archived_at: datetime | None = Field(description="When it was closed; null while it is open.")
    judging_started_at: datetime | None = Field(description="From then on the scale is frozen.")
    page: str = Field(description="Address of its page.")

    @staticmethod
    def resolve_roles(collection: Collection, context: dict[str, Any]) -> list[str]:
        held = {membership.role for membership in collection.my_memberships}  # type: ignore[attr-defined]
        return sorted(held | {Role.ORGANIZER} if context["request"].user.is_staff else held)

    @staticmethod
    def resolve_page(collection: Collection) -> str:
        return settings.BASE_URL + collection.get_absolute_url()


class CollectionFilter(In):
    scope: Literal["mine", "public"] | None = Field(None, description="Left out: both.")


class CollectionIn(In):
    name: str = Field(examples=["Harbour trials 2026"])
    slug: str = Field(
        description="Part of its address; small letters, digits and hyphens. It never changes.", examples=["harbour-2026"]
    )
    task: str = Field(description="A task of GET /presets; it brings scale, thresholds and measures.", examples=["ad-hoc"])
    description: str = Field("", description="Markdown.")
    visibility: Visibility = Visibility.PRIVATE
    genre: Genre | Literal[""] = Field("", description="What kind of documents are searched.")
    languages: str = Field("", description="Of documents and topics, such as: en, hi.")
    licence: str = Field("", description="Under which others may use it: a name or an address.", examples=["CC BY 4.0"])
    source: str = Field("", description="Where the documents come from: words, or an address.")


class CollectionChange(In):
    name: str = Field(UNCHANGED, examples=["Harbour trials"])
    description: str = Field(UNCHANGED, description="Markdown.")
    visibility: Visibility = Field(UNCHANGED)
    genre: Genre | Literal[""] = Field(UNCHANGED)
    languages: str = Field(UNCHANGED, description="Of documents and topics, such as: en, hi.")
    licence: str = Field(UNCHANGED, examples=["CC BY 4.0"])
    source: str = Field(UNCHANGED, description="Where the documents come from: words, or an address.")
    measures: list[str] = Field(UNCHANGED, description="Such as AP, nDCG@10, P@30; the first one orders the leaderboard.")


class GuidelineVersion(Schema):
    version: int
    written_by: str = Field(alias="written_by.name")
    written_at: datetime


class GuidelineOut(GuidelineVersion):
    text: str = Field(description="Markdown.")


class GuidelineIn(In):
    text: str = Field(description="Markdown.", examples=["Read the narrative first."])
    base_version: int | None = Field(
        None,
        description="The version you began from, 0 for none: refused when another was written meanwhile. Left out: no check.",
    )


class MemberOut(Schema):
    id: int = Field(description="Of the membership, one for each role.")
    user: PersonOut
    role: Role
    since: datetime


class MachineIn(In):
    name: str = Field(description="Letters, digits and @ . + - _; its user name is slug.name.", examples=["judge-1"])
    role: str = Field(Role.ASSESSOR.value, description="assessor or participant.")
    scopes: list[str] = Field([], description="Of its first token; left out: read, and judge or submit by its role.")


class MachineMade(Schema):
    member: MemberOut
    token: TokenOut
    secret: str | None = Field(description="The token's, shown this once: null when an Idempotency-Key repeats the answer.")


class InvitationOut(Schema):
    id: int
    role: Role
    email: str
    state: str = Field(description="open, used up, expired or revoked.")
    uses: int
    max_uses: int
    created_by: str = Field(alias="created_by.name")
    created_at: datetime
    expires_at: datetime
    link: str = Field(description="Whoever opens it, signed in, becomes a member.")

    @staticmethod
    def resolve_link(invitation: Invitation) -> str:
        return members.invitation_url(invitation)


class InvitationIn(In):
    role: Role = Field(examples=["assessor"])
    days: int = Field(14, description="How long the link lives, 1 to 365.")
    max_uses: int = Field(1, description="How many people may use the link; 1 for a mailed one.")
    emails: list[str] = Field(
        [], max_length=500, description="A link for each is mailed there; empty: one link, which you pass on yourself."
    )


class JoinOut(Schema):
    """What an invitation offers."""

    collection: str = Field(alias="collection.slug", description="Slug of the collection.")
    name: str = Field(alias="collection.name")
    role: Role
    invited_by: str = Field(alias="created_by.name")
    state: str = Field(description="open, used up, expired or revoked.")
    expires_at: datetime


class TopicOut(Schema):
    number: str
    title: str
    description: str
    narrative: str
    language: str = Field(description="A tag such as en; empty where nobody said.")
    translations: dict[str, dict[str, str]] = Field(description="The same topic in other languages, by tag.")
    extra: dict[str, str] = Field(description="Further fields of its file.")
    version: int = Field(description="Grows with each change after the first judgment.")


class TopicChange(In):
    title: str = Field(examples=["tidal power"])
    description: str = ""
    narrative: str = ""
    language: str = Field("", max_length=20)
    of: str = Field("", max_length=20, description="Change its version in this language instead.")


class CorpusOut(Schema):
    documents: int = Field(alias="document_count", description="How many documents can be judged.")
    complete: bool = Field(alias="is_complete", description="False: only what the pool needs was kept of them.")
    imports: int = Field(alias="last_generation", description="Files that were imported, or begun to be, so far.")


class FindingOut(Schema):
    severity: Literal["error", "warning", "info"]
    code: str = Field(description="For programs, such as DOC_DUPLICATE.")
    line: int = Field(description="From 1; 0 concerns the whole file.")
    field: str = Field("", description="The column or part it is about.")
    value: str = Field("", description="What was found there, cut at 80 characters.")
    near: str = Field("", description="What may have been meant.")
    message: str = Field(description="What was expected, what came.")


class ReportOut(Schema):
    errors: int = Field(description="All of them; the first hundred are among the findings.")
    warnings: int
    counts: dict[str, int] = Field(description="Findings by code, listed or not.")
    offers: list[str] = Field([], description="Of a run: repairs that would mend something, of ranks, first and cut.")
    findings: list[FindingOut]
    facts: dict[str, Any] = Field(
        description="Of an accepted file: its documents, its topics, or its run's tag, topics and lines."
    )


class RepairIn(In):
    repairs: list[str] = Field([], max_length=10, description="Of ranks, first and cut; left out: all that were offered.")


class UploadOut(Schema):
    id: int
    kind: UploadKind
    name: str
    state: str = Field(
        description="received (being checked), accepted, refused, or failed (could not be checked; send it again)."
    )
    size: int = Field(description="Bytes, as it was sent.")
    sha256: str
    uploaded_by: str = Field(alias="uploaded_by.name")
    uploaded_at: datetime
    job: int | None = Field(None, alias="job_id", description="Of GET /jobs/{id}: how far the check is.")
    report: ReportOut | None = Field(description="What was found; null until the file is checked.")

    @staticmethod
    def resolve_state(upload: Upload) -> str:
        return upload.shown_state

    @staticmethod
    def resolve_report(upload: Upload) -> dict[str, Any] | None:
        return upload.report or None


class RunFields(In):
    group: str = Field("", max_length=80, description="Who made it.")
    kind: RunKind = RunKind.AUTOMATIC
    description: str = Field("", max_length=5000, description="How it was made.")
    priority: int = Field(1, ge=1, le=999, description="Of its group's runs, the lowest is pooled first.")
    language: str = Field("", max_length=20, description="In which it read the topics, where they have several.")
    replace: bool = Field(False, description="Take the place of the run of the same tag, which is kept in history.")
    repair: str = Field(
        "", description="What may be mended where the check calls for it, of ranks, first and cut, separated by commas."
    )
    metadata: str = Field("", description="ir_metadata as YAML; else the comments at the head of the file tell it.")
    indexing_seconds: float | None = None
    cpu_seconds: float | None = None
    latency_mean_ms: float | None = None
    latency_median_ms: float | None = None
    latency_p95_ms: float | None = None
    latency_p99_ms: float | None = None
    throughput_qps: float | None = None
    index_bytes: float | None = None
    temporary_bytes: float | None = None

    def options(self) -> dict[str, str]:
        told = self.dict()
        figures = {name: told.pop(name) for name in [figure.name for figure in FIGURES]}
        options = {name: str(value) for name, value in told.items() if name != "replace"}
        options["replace"] = "yes" if self.replace else ""
        return options | {f"{FIGURE_PREFIX}{name}": repr(value) for name, value in figures.items() if value is not None}


class RunChange(In):
    group: str = Field("", max_length=80)
    kind: RunKind = RunKind.AUTOMATIC
    description: str = Field("", max_length=5000)
    priority: int = Field(1, ge=1, le=999)
    language: str = Field("", max_length=20)
    efficiency: dict[str, float] = Field({}, description="Figures by name, such as latency_mean_ms.")


class RulesOut(Schema):
    """What a run may be, and when it may come."""

    max_per_topic: int = Field(description="Results of a topic at most; more are an error.")
    expected_per_topic: int | None = Field(description="Fewer are remarked on.")
    runs_per_group: int | None = Field(description="At most.")
    strict_runs: bool = Field(description="Severities as NIST's checkers have them.")
    runs_open_at: datetime | None
    runs_close_at: datetime | None


class RulesIn(In):
    max_per_topic: int = 1000
    expected_per_topic: int | None = None
    runs_per_group: int | None = None
    strict_runs: bool = False
    runs_open_at: datetime | None = None
    runs_close_at: datetime | None = None


class DocumentFields(In):
    format: Literal["auto", "jsonl", "sgml", "tsv", "smart", "files"] = "auto"
    encoding: str = Field("utf-8", description="utf-8, utf-8-or-latin-1, cp1252 and others of the page's list.")
    only: Literal["all", "pool"] = Field("all", description="pool: keep only what is pooled; what is missing is listed.")

    def options(self) -> dict[str, str]:
        return dict(self.dict())


class TopicFields(In):
    encoding: str = Field("utf-8", description="utf-8, cp1252 and others of the page's list.")
    language: str = Field("", max_length=20, description="Of topics that name none, such as en.")
    numbering: Literal["given", "running"] = Field("given", description="running: 1, 2, 3 … in the order of the file.")
    parallel: bool = Field(False, description="The topics stay; those of the file are the same in its language.")
    drop: bool = Field(False, description="Drop topics that the file lacks; otherwise such a file is refused.")

    def options(self) -> dict[str, str]:
        return {**self.dict(), "parallel": "yes" if self.parallel else "", "drop": "yes" if self.drop else ""}


class RunOut(Schema):
    tag: str
    group: str
    kind: RunKind
    description: str
    topics: int = Field(alias="topic_count")
    lines: int = Field(alias="line_count")
    priority: int
    language: str
    efficiency: dict[str, float]
    metadata: dict[str, Any] = Field(description="The whole of its ir_metadata.")
    repaired: list[str] = Field(description="What was mended in the file before it was taken: ranks, first, cut.")
    version: int = Field(description="1, and one more with each submission that replaced it.")
    submitted_by: str = Field(alias="submitted_by.name")
    created_at: datetime
    upload: int = Field(alias="upload_id", description="Of GET /collections/{slug}/uploads/{id}: its report.")
    sha256: str = Field(alias="upload.sha256", description="Of the file as it was sent.")


class BaselineIn(In):
    """A run of our own over the collection's documents."""

    model: Literal["bm25", "tfidf"] = "bm25"
    k1: float = Field(1.2, ge=0, le=1000, description="Of BM25; 0 is the binary model.")
    b: float = Field(0.75, ge=0, le=1, description="Of BM25: heed of lengths.")
    k3: float | None = Field(None, ge=0, le=1000, description="Of BM25, for long topics; left out: none.")
    idf: Literal["floor", "seed"] = "floor"
    fields: Literal["title", "title+description", "all"] = Field("title", description="Of each topic.")
    feedback: int = Field(0, ge=0, le=100, description="Pseudo-relevance feedback from so many documents; 0: none.")
    depth: int = Field(1000, ge=1, le=10_000, description="Documents of each topic at most.")
    tag: str = Field("", description="Of the run; left out: assize-bm25 or the like.")


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


class PoolOut(Schema):
    round: int
    strategy: str
    parameters: dict[str, Any] = Field(description="Of the strategy, such as its depth.")
    seed: int
    runs: list[str] = Field(description="Tags.")
    used: list[UsedOut] = Field(description="The runs as they were pooled, and what each contributed.")
    items: int = Field(alias="item_count", description="New ones, that no earlier round has.")
    drawn_by: str = Field(alias="drawn_by.name")
    drawn_at: datetime

    @staticmethod
    def resolve_runs(pool: Any) -> list[str]:
        return sorted(run.tag for run in pool.runs.all())


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
    items: int
    new: int = Field(description="Those that no round has yet.")
    hours: float | None
    depths: list[SizeOut] = Field(alias="curve", description="Every depth from 1, of the strategy depth alone.")
    topics: list[TopicSizeOut]
    runs: list[UsedOut]

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
    best_rank: int
    present: bool = Field(description="Is its document there? Else it is not handed out.")
    runs: dict[str, int] = Field(description="The runs that have it, with the rank each gave it.")
    picked: PickOut | None = Field(description="Of an adaptive round: when and why it was chosen.")
    stratum: int | None = Field(description="Of a sampled round.")
    inclusion: float | None = Field(description="Of a sampled round: the probability with which it was drawn.")


class ItemsFilter(In):
    topic: str = Field("", description="Its number.")
    missing: bool = Field(False, description="Only those whose document is not there.")
    page: int = Field(1, ge=1, description="Of 100 items each.")


class SizesFilter(In):
    depth: list[int] = Field(list(DEPTHS), max_length=20, description="One or several.")
    run: list[str] = Field([], description="Tags; left out: every run.")
