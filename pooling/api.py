"""Collections, members, invitations, uploads, runs and pools as JSON: the same services as the pages."""

from collections.abc import Iterable
from typing import Any, Literal

from django.db.models import Prefetch, QuerySet, prefetch_related_objects
from django.http import FileResponse, Http404, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from ninja import File, Form, Query, Router, UploadedFile

from config import accounts, http
from config.api import MANAGE, PUBLIC, SUBMIT, ApiRequest, newest_first
from config.errors import Refusal
from config.models import Job
from config.schemas import JobOut, RoleOut, TokenIn, TokenMade
from pooling import access, exports, plans, selectors
from pooling.core.presets import PRESETS, Preset
from pooling.core.strategies import STRATEGIES, Strategy
from pooling.models import (
    Collection,
    Corpus,
    Guideline,
    Invitation,
    Membership,
    Pool,
    Role,
    Run,
    Topic,
    Upload,
    UploadKind,
    Visibility,
)
from pooling.schemas import (
    CollectionChange,
    CollectionFilter,
    CollectionIn,
    CollectionOut,
    CorpusOut,
    DocumentFields,
    GuidelineIn,
    GuidelineOut,
    GuidelineVersion,
    InvitationIn,
    InvitationOut,
    ItemOut,
    ItemsFilter,
    JoinOut,
    MachineIn,
    MachineMade,
    MemberOut,
    PlanIn,
    PlanOut,
    PoolIn,
    PoolOut,
    PresetOut,
    RulesIn,
    RulesOut,
    RunChange,
    RunFields,
    RunOut,
    ScaleIn,
    SizeOut,
    SizesFilter,
    StrategyOut,
    TopicChange,
    TopicFields,
    TopicOut,
    UploadOut,
)
from pooling.services import collections, members, pools, runs, topics, uploads
from pooling.views.pools import pool_download

ITEMS_A_PAGE = 100

collection_routes = Router(tags=["Collections"])
member_routes = Router(tags=["Members"])
invitation_routes = Router(tags=["Invitations"])
upload_routes = Router(tags=["Topics and documents"])
run_routes = Router(tags=["Runs"])
pool_routes = Router(tags=["Pools"])


def _needed(request: ApiRequest) -> tuple["str | Prefetch[Any]", ...]:
    """What an answer shows of a collection, by two queries for any number of them."""
    mine = Membership.objects.filter(user_id=request.user.pk, ended_at=None)
    return "grades", Prefetch("memberships", queryset=mine, to_attr="my_memberships")


def _shown(request: ApiRequest, collection: Collection) -> Collection:
    prefetch_related_objects([collection], *_needed(request))
    return collection


def _organized(request: ApiRequest, slug: str) -> Collection:
    return access.collection_for(request.user, slug, Role.ORGANIZER)


@collection_routes.get("/presets", response=list[PresetOut], auth=PUBLIC)
def list_presets(request: ApiRequest) -> Iterable[Preset]:
    """List tasks, with the scale and measures that each starts from"""
    return list(PRESETS.values())


@collection_routes.get("/collections", response=list[CollectionOut], auth=PUBLIC)
@newest_first
def list_collections(request: ApiRequest, filters: Query[CollectionFilter]) -> QuerySet[Collection]:
    """List collections: your own, and the public ones"""
    found = access.listed_for(request.user).prefetch_related(*_needed(request))
    if filters.scope == "mine":
        user = access.require_sign_in(request.user)
        return found.filter(pk__in=selectors.memberships_of(user).values("collection_id"))
    if filters.scope == "public":
        return found.filter(visibility=Visibility.PUBLIC, archived_at=None)
    return found


@collection_routes.post("/collections", response={201: CollectionOut}, auth=MANAGE)
def create_collection(request: ApiRequest, body: CollectionIn) -> Collection:
    """Make a collection; you become its first organizer"""
    return _shown(request, collections.create_collection(by=request.user, **body.dict()))


@collection_routes.get("/collections/{slug:slug}", response=CollectionOut, auth=PUBLIC)
def read_collection(request: ApiRequest, slug: str) -> Collection:
    """Read a collection"""
    return _shown(request, access.collection_for(request.user, slug))


@collection_routes.patch("/collections/{slug:slug}", response=CollectionOut, auth=MANAGE)
def edit_collection(request: ApiRequest, slug: str, body: CollectionChange) -> Collection:
    """Change name, description, visibility or measures

    For organizers. What is left out stays as it is.
    """
    collection = _organized(request, slug)
    now = {name: getattr(collection, name) for name in CollectionChange.model_fields}
    return _shown(request, collections.edit_collection(collection, **{**now, **body.dict(exclude_unset=True)}))


@collection_routes.put("/collections/{slug:slug}/scale", response=CollectionOut, auth=MANAGE)
def set_scale(request: ApiRequest, slug: str, body: ScaleIn) -> Collection:
    """Replace the relevance scale and its thresholds

    For organizers, until the first judgment.
    """
    collection, lenient, strict = _organized(request, slug), body.lenient_from, body.strict_from
    collections.set_scale(collection, grades=body.specs(), lenient_from=lenient, strict_from=strict)
    return _shown(request, collection)


@collection_routes.get("/collections/{slug:slug}/guidelines", response=list[GuidelineVersion], auth=PUBLIC)
@newest_first
def list_guidelines(request: ApiRequest, slug: str) -> QuerySet[Guideline]:
    """List the versions of the guidelines, newest first"""
    return access.collection_for(request.user, slug).guidelines.select_related("written_by").defer("text")


@collection_routes.post("/collections/{slug:slug}/guidelines", response={201: GuidelineOut}, auth=MANAGE)
def write_guideline(request: ApiRequest, slug: str, body: GuidelineIn) -> Guideline:
    """Write a new version of the guidelines

    For organizers. The same text again makes no new version.
    """
    return collections.write_guideline(_organized(request, slug), by=request.user, **body.dict())


@collection_routes.get("/collections/{slug:slug}/guidelines/{int:version}", response=GuidelineOut, auth=PUBLIC)
def read_guideline(request: ApiRequest, slug: str, version: int) -> Guideline:
    """Read one version of the guidelines"""
    found = access.collection_for(request.user, slug).guidelines.select_related("written_by")
    return get_object_or_404(found, version=version)


@collection_routes.post("/collections/{slug:slug}/archive", response=CollectionOut, auth=MANAGE)
def archive_collection(request: ApiRequest, slug: str) -> Collection:
    """Close a collection: it can be read, and nothing in it changes

    For organizers.
    """
    return _shown(request, collections.archive_collection(_organized(request, slug)))


@collection_routes.post("/collections/{slug:slug}/restore", response=CollectionOut, auth=MANAGE)
def restore_collection(request: ApiRequest, slug: str) -> Collection:
    """Open an archived collection again

    For organizers.
    """
    return _shown(request, collections.restore_collection(_organized(request, slug)))


@collection_routes.post("/collections/{slug:slug}/export", response={202: JobOut}, auth=MANAGE)
def export_collection(request: ApiRequest, slug: str) -> Job:
    """Ask for the collection as one archive

    For organizers. The answer is a job; its output is the archive. Asked twice while it is being made, it is made once.
    """
    return collections.request_export(_organized(request, slug), by=request.user)


@member_routes.get("/collections/{slug:slug}/members", response=list[MemberOut])
@newest_first
def list_members(request: ApiRequest, slug: str) -> QuerySet[Membership]:
    """List members, one line for each role

    For organizers.
    """
    return _organized(request, slug).memberships.filter(ended_at=None).select_related("user")


@member_routes.delete("/collections/{slug:slug}/members/{int:id}", response={204: None}, auth=MANAGE)
def end_membership(request: ApiRequest, slug: str, id: int) -> None:
    """Take a role away from a member

    For organizers. What the member did stays. The last organizer stays too.
    """
    members.end_membership(get_object_or_404(_organized(request, slug).memberships, pk=id, ended_at=None))


@member_routes.post("/collections/{slug:slug}/machines", response={201: MachineMade}, auth=MANAGE)
def add_machine(request: ApiRequest, slug: str, body: MachineIn) -> dict[str, Any]:
    """Add a machine: a program that judges or submits by API

    For organizers. The secret of its first token is in this answer and nowhere else.
    """
    member, token, secret = members.add_machine(_organized(request, slug), **body.dict())
    return {"member": member, "token": token, "secret": secret}


@member_routes.post("/collections/{slug:slug}/machines/{int:id}/tokens", response={201: TokenMade}, auth=MANAGE)
def make_machine_token(request: ApiRequest, slug: str, id: int, body: TokenIn) -> TokenMade:
    """Make a further token for a machine

    For organizers. The id is that of its membership. The secret is in this answer and nowhere else.
    """
    collection = _organized(request, slug)
    machines = collection.memberships.filter(user__is_machine=True, ended_at=None)
    machine = get_object_or_404(machines.select_related("user"), pk=id)
    collections.require_not_archived(collection)
    return TokenMade.of(*accounts.make_token(user=machine.user, **body.dict()))


@invitation_routes.get("/collections/{slug:slug}/invitations", response=list[InvitationOut], auth=MANAGE)
@newest_first
def list_invitations(request: ApiRequest, slug: str) -> QuerySet[Invitation]:
    """List invitations with their links

    For organizers. Needs the scope manage, since whoever has a link can join.
    """
    return selectors.invitations(_organized(request, slug))


@invitation_routes.post("/collections/{slug:slug}/invitations", response={201: list[InvitationOut]}, auth=MANAGE)
def invite(request: ApiRequest, slug: str, body: InvitationIn) -> list[Invitation]:
    """Invite people: one link to pass on, or one mailed to each address

    For organizers.
    """
    return members.invite(_organized(request, slug), by=request.user, **body.dict())


@invitation_routes.delete("/collections/{slug:slug}/invitations/{int:id}", response={204: None}, auth=MANAGE)
def revoke_invitation(request: ApiRequest, slug: str, id: int) -> None:
    """Revoke an invitation; who has joined by it stays

    For organizers.
    """
    members.revoke_invitation(get_object_or_404(_organized(request, slug).invitations, pk=id))


@invitation_routes.get("/join/{signed}", response=JoinOut)
def read_invitation(request: ApiRequest, signed: str) -> Invitation:
    """Read what an invitation offers

    The part “signed” of the address is the last part of the invitation's link.
    """
    return members.open_invitation(signed)


@invitation_routes.post("/join/{signed}", response=RoleOut, auth=MANAGE)
def accept_invitation(request: ApiRequest, signed: str) -> Membership:
    """Accept an invitation

    Using one's link a second time changes nothing and costs no use.
    """
    return members.accept_invitation(members.open_invitation(signed), user=request.user)


# Topics, documents, uploads

BINARY = {"responses": {200: {"content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}}}


def _received(request: ApiRequest, collection: Collection, kind: UploadKind, file: UploadedFile, options: Any = None) -> Upload:
    fields = set(type(options).model_fields) if options else set()
    for name in sorted((request.POST.keys() - fields) | (request.FILES.keys() - {"file"})):
        raise Refusal(f"Expected {', '.join(['file', *sorted(fields)])}; found “{name}”.")
    given = {"name": file.name or "", "chunks": file.chunks(), "options": options.options() if options else {}}
    return uploads.receive_file(collection, by=request.user, kind=kind, **given)


@upload_routes.get("/collections/{slug:slug}/topics", response=list[TopicOut], auth=PUBLIC)
@newest_first
def list_topics(request: ApiRequest, slug: str) -> QuerySet[Topic]:
    """List topics"""
    return access.collection_for(request.user, slug).topics.all()


@upload_routes.post("/collections/{slug:slug}/topics", response={202: UploadOut}, auth=MANAGE)
def upload_topics(request: ApiRequest, slug: str, file: File[UploadedFile], fields: Form[TopicFields]) -> Upload:
    """Replace the topics by those of a file, or add their version in another language

    For organizers, until judging begins. TREC's SGML, XML, JSON lines, SMART, or lines of number, tab, title; packed or
    not. The answer comes before the check: ask for the upload until its state is accepted or refused.
    """
    return _received(request, _organized(request, slug), UploadKind.TOPICS, file, fields)


@upload_routes.get("/collections/{slug:slug}/topics/{path:number}", response=TopicOut, auth=PUBLIC)
def read_topic(request: ApiRequest, slug: str, number: str) -> Topic:
    """Read a topic, in all its languages"""
    return get_object_or_404(access.collection_for(request.user, slug).topics, number=number.replace("\0", ""))


@upload_routes.put("/collections/{slug:slug}/topics/{path:number}", response=TopicOut, auth=MANAGE)
def edit_topic(request: ApiRequest, slug: str, number: str, body: TopicChange) -> Topic:
    """Change a topic

    For organizers. After the first judgment its former words are kept as a version.
    """
    found = get_object_or_404(_organized(request, slug).topics, number=number.replace("\0", ""))
    texts = {name: getattr(body, name) for name in ("title", "description", "narrative")}
    return topics.edit_topic(found, by=request.user, language=body.language, of=body.of, texts=texts)


@upload_routes.get("/collections/{slug:slug}/documents", response=CorpusOut)
def read_corpus(request: ApiRequest, slug: str) -> Corpus:
    """Read how many documents there are

    For organizers.
    """
    return selectors.corpus(_organized(request, slug))


@upload_routes.post("/collections/{slug:slug}/documents", response={202: UploadOut}, auth=MANAGE)
def upload_documents(request: ApiRequest, slug: str, file: File[UploadedFile], fields: Form[DocumentFields]) -> Upload:
    """Replace the documents by those of a file

    For organizers. JSON lines with id, title, text, url, lang, date; TREC's SGML; TSV; SMART; or an archive of texts
    and pages; packed or not. The answer comes before the check: ask for the upload until its state is accepted or
    refused. Until then the present documents stay.
    """
    return _received(request, _organized(request, slug), UploadKind.DOCUMENTS, file, fields)


def _uploads(request: ApiRequest, slug: str) -> QuerySet[Upload]:
    collection = access.collection_for(request.user, slug, Role.ORGANIZER, Role.PARTICIPANT)
    return selectors.with_job_state(access.uploads_visible_to(request.user, collection).select_related("uploaded_by"))


@upload_routes.get("/collections/{slug:slug}/uploads", response=list[UploadOut])
@newest_first
def list_uploads(request: ApiRequest, slug: str) -> QuerySet[Upload]:
    """List files that were sent, with what was found in them

    For organizers all, for participants their own.
    """
    return _uploads(request, slug)


@upload_routes.get("/collections/{slug:slug}/uploads/{int:id}", response=UploadOut)
def read_upload(request: ApiRequest, slug: str, id: int) -> Upload:
    """Read an upload: its state, and every fault by line

    For organizers, and for whoever sent it.
    """
    return get_object_or_404(_uploads(request, slug), pk=id)


# Runs


def _runs(request: ApiRequest, slug: str) -> QuerySet[Run]:
    collection = access.collection_for(request.user, slug, Role.ORGANIZER, Role.PARTICIPANT)
    return access.runs_visible_to(request.user, collection).select_related("upload", "submitted_by")


@run_routes.get("/collections/{slug:slug}/runs", response=list[RunOut])
@newest_first
def list_runs(request: ApiRequest, slug: str) -> QuerySet[Run]:
    """List runs

    For organizers all, for participants their own.
    """
    return _runs(request, slug)


@run_routes.post("/collections/{slug:slug}/runs", response={202: UploadOut}, auth=SUBMIT)
def upload_run(request: ApiRequest, slug: str, file: File[UploadedFile], fields: Form[RunFields]) -> Upload:
    """Submit a run

    For organizers and participants. Six columns, topic Q0 docno rank score tag, or eight with start and length; packed
    or not. The answer comes before the check: ask for the upload until its state is accepted or refused.
    """
    collection = access.collection_for(request.user, slug, Role.ORGANIZER, Role.PARTICIPANT)
    return _received(request, collection, UploadKind.RUN, file, fields)


@run_routes.post("/collections/{slug:slug}/runs/archive", response={202: list[UploadOut]}, auth=SUBMIT)
def upload_runs(request: ApiRequest, slug: str, file: File[UploadedFile], fields: Form[RunFields]) -> list[Upload]:
    """Submit the runs of an archive, each to be checked by itself

    For organizers and participants. A zip or tar; a YAML file of ir_metadata goes with the run of its name.
    """
    collection = access.collection_for(request.user, slug, Role.ORGANIZER, Role.PARTICIPANT)
    sent = [(file.name or "", file.chunks())]
    return uploads.receive_runs(collection, by=request.user, files=sent, options=fields.options())


@run_routes.get("/collections/{slug:slug}/rules", response=RulesOut)
def read_rules(request: ApiRequest, slug: str) -> Collection:
    """Read what a run may be, and when it may come

    For organizers and participants.
    """
    return access.collection_for(request.user, slug, Role.ORGANIZER, Role.PARTICIPANT)


@run_routes.put("/collections/{slug:slug}/rules", response=RulesOut, auth=MANAGE)
def set_rules(request: ApiRequest, slug: str, body: RulesIn) -> Collection:
    """Set what a run may be, and when it may come

    For organizers. Runs that are there stay.
    """
    return runs.set_rules(_organized(request, slug), **body.dict())


@run_routes.patch("/collections/{slug:slug}/runs/{tag}", response=RunOut, auth=SUBMIT)
def edit_run(request: ApiRequest, slug: str, tag: str, body: RunChange) -> Run:
    """Change what is told of a run

    For organizers, and for whoever submitted it. What is left out stays as it is; the rankings stay in any case.
    """
    run = get_object_or_404(_runs(request, slug), tag=tag.replace("\0", ""))
    now = {name: getattr(run, name) for name in RunChange.model_fields}
    return runs.edit_run(run, **{**now, **body.dict(exclude_unset=True)})


@run_routes.get("/collections/{slug:slug}/runs/{tag}", response=RunOut)
def read_run(request: ApiRequest, slug: str, tag: str) -> Run:
    """Read a run

    For organizers, and for whoever submitted it.
    """
    return get_object_or_404(_runs(request, slug), tag=tag.replace("\0", ""))


@run_routes.get("/collections/{slug:slug}/runs/{tag}/file", response={200: None}, openapi_extra=BINARY)
def download_run(request: ApiRequest, slug: str, tag: str) -> FileResponse:
    """Download a run's file as it was sent, byte for byte

    For organizers, and for whoever submitted it.
    """
    upload = get_object_or_404(_runs(request, slug), tag=tag.replace("\0", "")).upload
    if upload.file_path is None or not upload.file_path.exists():
        raise Http404
    return http.download(upload.file_path, upload.name)


# Pools


def _chosen(collection: Collection, tags: Iterable[str] | None) -> list[Run]:
    """The runs of these tags; of no tag, all."""
    found, wanted = list(collection.runs.all()), list(tags or [])
    missing = sorted(set(wanted) - {run.tag for run in found})
    if missing:
        raise Refusal(f"There is no run “{missing[0]}” in this collection.", runs=missing)
    return [run for run in found if run.tag in wanted] if wanted else found


@pool_routes.get("/collections/{slug:slug}/pools", response=list[PoolOut])
@newest_first
def list_pools(request: ApiRequest, slug: str) -> QuerySet[Pool]:
    """List the rounds that were drawn

    For organizers.
    """
    drawn = _organized(request, slug).pools.filter(drawn_at__isnull=False)
    return drawn.select_related("drawn_by").prefetch_related("runs")


@pool_routes.get("/strategies", response=list[StrategyOut], auth=PUBLIC)
def list_strategies(request: ApiRequest) -> list[Strategy]:
    """List the ways to choose documents, with their parameters"""
    return list(STRATEGIES.values())


@pool_routes.get("/collections/{slug:slug}/pools/sizes", response=list[SizeOut])
def estimate_pool(request: ApiRequest, slug: str, filters: Query[SizesFilter]) -> list[plans.Size]:
    """Tell how many items a pool of each depth would have, exactly

    For organizers.
    """
    collection = _organized(request, slug)
    return plans.sizes(collection, _chosen(collection, filters.run), filters.depth or plans.DEPTHS)


@pool_routes.post("/collections/{slug:slug}/pools/plan", response=PlanOut)
def plan_pool(request: ApiRequest, slug: str, body: PlanIn) -> plans.Plan:
    """Tell what a choice would cost: by depth, by topic, by run; nothing is drawn

    For organizers.
    """
    collection = _organized(request, slug)
    choice = plans.choice(_chosen(collection, body.runs), body.strategy, body.values())
    return plans.plan(collection, choice, body.seconds)


@pool_routes.post("/collections/{slug:slug}/pools", response={202: JobOut}, auth=MANAGE)
def draw_pool(request: ApiRequest, slug: str, body: PoolIn) -> Job:
    """Draw a round: what the strategy takes of the runs, as far as no round has it

    For organizers. The answer is a job; when it is done, the round is in the list.
    """
    collection = _organized(request, slug)
    found = _chosen(collection, body.runs)
    return pools.request_pool(collection, by=request.user, runs=found, strategy=body.strategy, **body.values())[1]


@pool_routes.get("/collections/{slug:slug}/pools/items", response=list[ItemOut])
def list_items(request: ApiRequest, slug: str, filters: Query[ItemsFilter]) -> list[dict[str, object]]:
    """List the items of the pool, with the runs that found each and the rank they gave it

    For organizers. 100 at a time, by topic and docno; an empty list is past the last page.
    """
    collection = _organized(request, slug)
    start = (filters.page - 1) * ITEMS_A_PAGE
    items = list(
        selectors.pool_list(collection, topic=filters.topic.replace("\0", ""), missing=filters.missing)[
            start : start + ITEMS_A_PAGE
        ]
    )
    found = plans.found_by(list(collection.runs.order_by("pk")), items)
    return [exports.item_told(item, ranks) for item, ranks in zip(items, found, strict=True)]


@pool_routes.get("/collections/{slug:slug}/pools/file", response={200: None}, openapi_extra=BINARY)
def download_pool(request: ApiRequest, slug: str, format: Literal["txt", "csv", "json"] = "txt") -> StreamingHttpResponse:
    """Download the whole pool: TREC's topic and docno, CSV, or JSON with the ranks

    For organizers.
    """
    return pool_download(_organized(request, slug), format)


@pool_routes.get("/collections/{slug:slug}/pools/{int:round}", response=PoolOut)
def read_pool(request: ApiRequest, slug: str, round: int) -> Pool:
    """Read a round: how it was drawn, from which files, and what each run contributed

    For organizers.
    """
    drawn = _organized(request, slug).pools.filter(drawn_at__isnull=False)
    return get_object_or_404(drawn.select_related("drawn_by").prefetch_related("runs"), round=round)
