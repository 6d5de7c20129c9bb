"""Shapes of the frame's JSON: people, tokens, jobs, status. The rules live in the services."""

from datetime import datetime
from typing import Any

from django.conf import settings
from django.urls import reverse
from ninja import Field, Schema
from pydantic import AwareDatetime, ConfigDict, field_validator, model_validator

from config.expected import NUL
from config.models import ApiToken, Job, JobState, Scope

UNCHANGED: Any = None  # default of a field that may be left out but not be null


class In(Schema):
    """What comes in: unknown names are refused, so that a misspelt one is not silently ignored."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _without_nul(cls, data: Any) -> Any:
        # PostgreSQL stores no NUL, and would answer with an error of its own.
        if isinstance(data, dict) and any(isinstance(value, str) and "\0" in value for value in data.values()):
            raise ValueError(NUL)
        return data


class PersonOut(Schema):
    id: int
    username: str
    name: str
    is_machine: bool = Field(description="A program that judges or submits, and never signs in.")


class TokenOut(Schema):
    id: int
    name: str
    owner: str = Field(alias="user.username", description="User name of the person or machine that it speaks for.")
    prefix: str = Field(description="The secret's beginning, to tell tokens apart.")
    scopes: list[Scope]
    state: str = Field(description="active, expired or revoked.")
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None


class TokenMade(TokenOut):
    secret: str | None = Field(description="Shown this once: null when an Idempotency-Key repeats the answer.")

    @classmethod
    def of(cls, token: ApiToken, secret: str) -> "TokenMade":
        token.secret = secret  # type: ignore[attr-defined]  # lives as long as this answer
        return cls.from_orm(token)


class TokenIn(In):
    name: str = Field(description="What will use it, such as “laptop”.", examples=["laptop"])
    scopes: list[str] = Field(description="Among read, judge, submit, manage.", examples=[["read", "manage"]])
    expires_at: AwareDatetime | None = Field(None, description="With time zone; empty: until revoked.")

    @field_validator("expires_at")
    @classmethod
    def _storable(cls, value: datetime | None) -> datetime | None:
        if value and value.year > 2999:
            raise ValueError("Expected a year before 3000, or nothing: until revoked.")
        return value


class RoleOut(Schema):
    collection: str = Field(alias="collection.slug", description="Slug of the collection.")
    role: str
    since: datetime


class MeOut(PersonOut):
    email: str
    is_staff: bool = Field(description="Administrator of the site.")
    roles: list[RoleOut]
    token: TokenOut | None = Field(description="The token of this request; null with a session.")


class ProfileChange(In):
    name: str = Field(UNCHANGED, description="As others on the site see you.", examples=["Mirja Koskinen"])
    email: str = Field(UNCHANGED, description="Empty: none.", examples=["mirja@example.org"])


class AccountOut(PersonOut):
    email: str
    is_active: bool = Field(description="False: the account is closed.")
    is_staff: bool = Field(description="Administrator of the site.")
    date_joined: datetime
    last_login: datetime | None


class AccountChange(In):
    is_active: bool = Field(UNCHANGED, description="False closes the account, true opens it again.", examples=[False])
    is_staff: bool = Field(UNCHANGED, description="Administrator or not.")


class PeopleFilter(In):
    q: str = Field("", description="Part of a name, user name or e-mail.")


class LinkOut(Schema):
    one_time_link: str | None = Field(
        description="Sets a password once, within 7 days. Shown this once: null when an Idempotency-Key repeats the answer."
    )


class JobOut(Schema):
    id: int
    name: str = Field(description="Kind of job, such as export_collection.")
    title: str
    state: str = Field(
        alias="shown_state",
        description="waiting, running, stalled, done, refused (it checked a file, which was refused) or failed.",
    )
    done: int = Field(alias="done_count", description="How much of the total is done.")
    total: int = Field(description="0: not known yet.")
    message: str
    attempt: int
    started_by: str | None = Field(description="User name.")
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    output: str | None = Field(description="Address of the file it made.")

    @staticmethod
    def resolve_started_by(job: Job) -> str | None:
        return job.started_by.username if job.started_by else None

    @staticmethod
    def resolve_output(job: Job) -> str | None:
        return settings.BASE_URL + reverse("api:download_job_output", args=[job.pk]) if job.output else None


class JobFilter(In):
    state: JobState | None = Field(None, description="Only jobs in this state.")


class TrialIn(In):
    steps: int = Field(10, ge=1, le=1000, description="How often it tells its progress.")
    seconds: int = Field(10, ge=0, le=300, description="How long it takes.")


class PartOut(Schema):
    name: str
    ok: bool
    detail: str


class StatusOut(Schema):
    ok: bool = Field(description="All parts are well.")
    parts: list[PartOut]
