"""The merge rule and adjudication as JSON: the same services as the pages."""

import uuid
from datetime import datetime
from typing import Any, Literal

from ninja import Field, Query, Router, Schema

from assess import adjudication, opinions
from assess.models import Decision, DecisionReason, MergePlan, MergeRule, Missing
from assess.services import adjudicating, merging
from config.api import JUDGE, MANAGE, ApiRequest
from config.schemas import In
from pooling import access
from pooling.core import extra
from pooling.models import Collection, Role

routes = Router(tags=["Adjudication"])
M, A = "/collections/{slug:slug}/merge", "/collections/{slug:slug}/adjudication"


class RuleOut(Schema):
    rule: str
    label: str
    about: str
    current: bool = Field(description="Whether it is the one that is set.")
    items: int = Field(description="Documents that would have a grade.")
    few: int = Field(description="Documents with fewer opinions than asked for.")
    ties: int = Field(description="Documents whose opinions are even, and undecided.")
    relevant: int
    strict: int = Field(description="Relevant from the strict threshold on.")
    changed: int = Field(description="Documents whose grade would be another than under the rule that is set.")


class MergeOut(Schema):
    rule: str
    opinions: int
    missing: str
    differ_by: int
    across: bool
    cannot: bool
    show_own: bool
    rules: list[RuleOut] = Field(description="What each rule would give, on the opinions of now.")


class MergeIn(In):
    rule: MergeRule | None = Field(None, description="Decisions always come first.")
    opinions: int | None = Field(None, description="Fewest opinions that a document needs.")
    missing: Missing | None = Field(None, description="What becomes of a document with fewer, or with an open tie.")
    differ_by: int | None = Field(None, description="Adjudicated from so many grades apart; 0: never.")
    across: bool | None = Field(None, description="Adjudicate what is relevant to one and not to another.")
    cannot: bool | None = Field(None, description="Adjudicate what somebody could not judge.")
    show_own: bool | None = Field(None, description="Assessors see their own agreement once a topic is judged.")


class InboxOut(Schema):
    topic: str = Field(alias="topic.number")
    open: int
    decided: int
    adjudicators: list[str] = Field(description="User names; none: every adjudicator.")

    @staticmethod
    def resolve_adjudicators(line: adjudication.TopicInbox) -> list[str]:
        return [user.username for user in line.people]


class TopicAdjudicators(In):
    topic: str
    adjudicators: list[str] = Field([], description="User names; none: every adjudicator.")


class AssignAdjudicators(In):
    topics: list[TopicAdjudicators] = Field(max_length=10_000)


class CaseOut(Schema):
    topic: str
    docno: str
    opinions: int
    low: int | None
    high: int | None
    cannot: int = Field(description="How many could not judge it.")
    tie: bool
    grade: int | None = Field(description="What was decided; null while it is open.")


class CaseFilter(In):
    topic: str = Field("", description="Its number; left out: all topics, of adjudicators those that are theirs.")
    state: Literal["open", "decided", "all"] = "open"


class DossierFilter(In):
    topic: str = ""
    docno: str = ""


class OpinionOut(Schema):
    name: str = Field(description="A letter; who it is is not told.")
    grade: int | None
    reason: str
    note: str
    passages: list[str] = Field(description="What they marked as evidence, word by word.")


class DossierOut(Schema):
    topic: str = Field(alias="topic.number")
    docno: str
    title: str
    text: str
    extra: dict[str, str] = Field(description="The document's other fields, in the file's order.")
    opinions: list[OpinionOut]
    grade: int | None
    seen: int = Field(description="How many acts of deciding there are.")

    @staticmethod
    def resolve_title(found: adjudication.Dossier) -> str:
        return found.document.title if found.document else ""

    @staticmethod
    def resolve_text(found: adjudication.Dossier) -> str:
        return found.document.text if found.document else ""

    @staticmethod
    def resolve_extra(found: adjudication.Dossier) -> dict[str, str]:
        return extra.read(found.document.extra if found.document else None)


class ReopenIn(In):
    topic: str
    docno: str
    comment: str = ""
    client_id: uuid.UUID = Field(description="Made by you, new for each act: the same sent twice is one.")
    seen: int | None = Field(None, ge=0, description="Refused when there were more acts meanwhile. Left out: no check.")


class DecisionIn(ReopenIn):
    grade: int
    reason: str = Field("", json_schema_extra={"enum": ["", *DecisionReason.values]}, description="Why they differed.")
    precedent: str = Field("", description="One line that is added to the guidelines.")


class DecisionOut(Schema):
    topic: str = Field(alias="item.topic.number")
    docno: str = Field(alias="item.docno")
    grade: int | None
    reason: str
    comment: str
    seen: int = Field(alias="event_count")
    updated_at: datetime


def _organized(request: ApiRequest, slug: str) -> Collection:
    return access.collection_for(request.user, slug, Role.ORGANIZER)


def _told(collection: Collection, plan: MergePlan) -> dict[str, Any]:
    return {**{name: getattr(plan, name) for name in merging.FIELDS}, "rules": opinions.preview(collection, plan)}


@routes.get(M, response=MergeOut)
def read_merge_rule(request: ApiRequest, slug: str) -> dict[str, Any]:
    """Read the merge rule, and what each rule would give

    For organizers.
    """
    collection = _organized(request, slug)
    return _told(collection, opinions.plan(collection))


@routes.patch(M, response=MergeOut, auth=MANAGE)
def set_merge_rule(request: ApiRequest, slug: str, body: MergeIn) -> dict[str, Any]:
    """Set the merge rule, and what is adjudicated

    For organizers. What is left out stays as it is; releases that are there do not change.
    """
    collection = _organized(request, slug)
    given = {name: value for name, value in body.dict(exclude_unset=True).items() if value is not None}
    return _told(collection, merging.set_plan(collection, by=request.user, **given))


@routes.get(A, response=list[InboxOut])
def list_differing(request: ApiRequest, slug: str) -> list[adjudication.TopicInbox]:
    """List topics on which opinions differ

    For organizers, and for adjudicators: their own topics, and those that are nobody's.
    """
    collection = access.collection_for(request.user, slug, Role.ORGANIZER, Role.ADJUDICATOR)
    organizes = Role.ORGANIZER in access.roles_in(request.user, collection)
    return adjudication.inbox(collection, None if organizes else request.user)


@routes.put(A, response=list[InboxOut], auth=MANAGE)
def assign_adjudicators(request: ApiRequest, slug: str, body: AssignAdjudicators) -> list[adjudication.TopicInbox]:
    """Say who decides the named topics

    For organizers.
    """
    collection = _organized(request, slug)
    wanted = {line.topic: line.adjudicators for line in body.topics}
    adjudicating.assign_adjudicators(collection, by=request.user, wanted=wanted)
    return adjudication.inbox(collection)


@routes.get(f"{A}/cases", response=list[CaseOut])
def list_cases(request: ApiRequest, slug: str, filters: Query[CaseFilter]) -> list[adjudication.Case]:
    """List the documents on which opinions differ

    For organizers and adjudicators.
    """
    collection = access.collection_for(request.user, slug, Role.ORGANIZER, Role.ADJUDICATOR)
    organizes = Role.ORGANIZER in access.roles_in(request.user, collection)
    told = {"topic": filters.topic, "state": filters.state}
    return adjudication.cases_for(collection, request.user, organizer=organizes, **told)


@routes.get(f"{A}/document", response=DossierOut, auth=JUDGE)
def read_case(request: ApiRequest, slug: str, filters: Query[DossierFilter]) -> adjudication.Dossier:
    """Read a document on which opinions differ, with what was said of it, and not by whom

    For adjudicators.
    """
    collection = access.collection_for(request.user, slug, Role.ADJUDICATOR)
    return adjudication.dossier_for(collection, request.user, filters.topic, filters.docno)


@routes.post(f"{A}/decisions", response=DecisionOut, auth=JUDGE)
def decide(request: ApiRequest, slug: str, body: DecisionIn) -> Decision:
    """Decide a document on which opinions differ, or change the decision

    For adjudicators. Opinions stay as they are; every act is kept. The same client_id again changes nothing.
    """
    collection = access.collection_for(request.user, slug, Role.ADJUDICATOR)
    return adjudicating.decide(collection, by=request.user, **body.dict())


@routes.post(f"{A}/reopen", response=DecisionOut, auth=JUDGE)
def reopen(request: ApiRequest, slug: str, body: ReopenIn) -> Decision:
    """Open a decided document again

    For adjudicators and organizers.
    """
    collection = access.collection_for(request.user, slug, Role.ADJUDICATOR, Role.ORGANIZER)
    organizes = Role.ORGANIZER in access.roles_in(request.user, collection)
    return adjudicating.reopen(collection, by=request.user, organizer=organizes, **body.dict())
