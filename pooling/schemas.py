"""Shapes of this app's JSON. They clean; the rules live in the services."""

from datetime import datetime
from typing import Any, Literal

from django.conf import settings
from ninja import Field, Schema

from config.schemas import UNCHANGED, In, PersonOut, TokenOut
from pooling import selectors
from pooling.core.presets import GradeSpec
from pooling.models import Collection, Invitation, Role, RunKind, Upload, UploadKind, Visibility
from pooling.services import members


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


class CollectionChange(In):
    name: str = Field(UNCHANGED, examples=["Harbour trials"])
    description: str = Field(UNCHANGED, description="Markdown.")
    visibility: Visibility = Field(UNCHANGED)
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
    extra: dict[str, str] = Field(description="Further fields of its file.")


class CorpusOut(Schema):
    documents: int = Field(alias="document_count", description="How many documents can be judged.")
    imports: int = Field(alias="last_generation", description="Files that were imported, or begun to be, so far.")


class FindingOut(Schema):
    severity: Literal["error", "warning", "info"]
    code: str = Field(description="For programs, such as DOC_DUPLICATE.")
    line: int = Field(description="From 1; 0 concerns the whole file.")
    message: str = Field(description="What was expected, what came.")


class ReportOut(Schema):
    errors: int = Field(description="All of them; the first hundred are among the findings.")
    warnings: int
    counts: dict[str, int] = Field(description="Findings by code, listed or not.")
    findings: list[FindingOut]
    facts: dict[str, Any] = Field(
        description="Of an accepted file: its documents, its topics, or its run's tag, topics and lines."
    )


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


class TopicFields(In):
    encoding: Literal["utf-8", "cp1252"] = "utf-8"


class RunOut(Schema):
    tag: str
    group: str
    kind: RunKind
    description: str
    topics: int = Field(alias="topic_count")
    lines: int = Field(alias="line_count")
    submitted_by: str = Field(alias="submitted_by.name")
    created_at: datetime
    upload: int = Field(alias="upload_id", description="Of GET /collections/{slug}/uploads/{id}: its report.")
    sha256: str = Field(alias="upload.sha256", description="Of the file as it was sent.")


class PoolIn(In):
    depth: int = Field(description="So many documents of each run and topic, 1 to 1000.", examples=[10])
    runs: list[str] | None = Field(None, description="Tags; left out: every run.", examples=[["bm25", "rrf"]])


class PoolOut(Schema):
    round: int
    strategy: str
    parameters: dict[str, Any] = Field(description="Of the strategy, such as its depth.")
    runs: list[str] = Field(description="Tags.")
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


class SizesFilter(In):
    depth: list[int] = Field(list(selectors.DEPTHS), max_length=20, description="One or several.")
    run: list[str] = Field([], description="Tags; left out: every run.")
