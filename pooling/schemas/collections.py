"""Shapes of JSON: collections, guidelines, members, invitations. They clean; the rules live in the services."""

from datetime import datetime
from typing import Any, Literal

from django.conf import settings
from ninja import Field, Schema

from config.schemas import UNCHANGED, In, PersonOut, TokenOut
from pooling.core.presets import GradeSpec
from pooling.models import Collection, Genre, Invitation, Role, Visibility
from pooling.services import members

AUTHORS = "Voorhees, E. M.; Harman, D."
GENRES: dict[str, Any] = {"enum": ["", *Genre.values]}  # the model checks it
CRAWL = (
    "Of a crawl: a line for each HTTP status with its count, as 404 458388; none: no answer; total: the sum, which is checked."
)


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
    authors: str = Field(description="As it is to be cited, parted by semicolons; empty: its organizers.")
    genre: Genre | Literal[""] = Field(description="What kind of documents; empty where it is not told.")
    languages: str = Field(description="Of documents and topics, such as: en, hi.")
    licence: str
    source: str = Field(description="Where the documents come from.")
    crawl: str = Field(description="Of a crawl: a line for each HTTP status with its count, and their total.")
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
    authors: str = Field("", description="As it is to be cited, parted by semicolons.", examples=[AUTHORS])
    genre: str = Field("", json_schema_extra=GENRES, description="What kind of documents are searched.")
    languages: str = Field("", description="Of documents and topics, such as: en, hi.")
    licence: str = Field("", description="Under which others may use it: a name or an address.", examples=["CC BY 4.0"])
    source: str = Field("", description="Where the documents come from: words, or an address.")
    crawl: str = Field("", description=CRAWL, examples=["200 13181737\n404 458388\nnone 3\ntotal 13640128"])


class CollectionChange(In):
    name: str = Field(UNCHANGED, examples=["Harbour trials"])
    description: str = Field(UNCHANGED, description="Markdown.")
    visibility: Visibility = Field(UNCHANGED)
    authors: str = Field(UNCHANGED, description="As it is to be cited, parted by semicolons.", examples=[AUTHORS])
    genre: str = Field(UNCHANGED, json_schema_extra=GENRES)
    languages: str = Field(UNCHANGED, description="Of documents and topics, such as: en, hi.")
    licence: str = Field(UNCHANGED, examples=["CC BY 4.0"])
    source: str = Field(UNCHANGED, description="Where the documents come from: words, or an address.")
    crawl: str = Field(UNCHANGED, description=CRAWL)
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


class TopicLanguageIn(In):
    language: str = Field(description="One of `languages`; empty: that of the topics themselves.", examples=["fr"])


class TopicLanguageOut(Schema):
    language: str = Field(description="In which you read topics; empty: that of the topics themselves.")
    languages: list[str] = Field(description="In which topics of this collection can be read.")


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
