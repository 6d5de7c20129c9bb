"""Topics, documents, uploads, runs and pools as JSON: the same services as the pages."""

from typing import Any, Literal

from django.db.models import QuerySet
from django.http import FileResponse, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from ninja import File, Form, Query, Router, UploadedFile

from config import http, openapi
from config.api import MANAGE, PUBLIC, SUBMIT, ApiRequest, newest_first
from config.errors import Refusal
from config.models import Job
from config.schemas import JobOut
from pooling import access, exports, plans, selectors
from pooling.core.baseline import Model
from pooling.core.strategies import STRATEGIES, Strategy
from pooling.core.topics import WRITTEN
from pooling.models import (
    Collection,
    Corpus,
    Pool,
    Role,
    Run,
    Topic,
    Upload,
    UploadKind,
    WithdrawnRun,
)
from pooling.schemas.files import (
    BaselineIn,
    CorpusOut,
    DocumentFields,
    RepairIn,
    RulesIn,
    RulesOut,
    RunChange,
    RunFields,
    RunOut,
    TopicChange,
    TopicFields,
    TopicOut,
    UploadOut,
    WithdrawnOut,
)
from pooling.schemas.pools import (
    ItemOut,
    ItemsFilter,
    PlanIn,
    PlanOut,
    PoolIn,
    PoolOut,
    SizeOut,
    SizesFilter,
    StrategyOut,
)
from pooling.services import baselines, pools, runs, topics, uploads
from pooling.views.pools import pool_download
from pooling.views.runs import sent_file
from pooling.views.topics import topics_download

ITEMS_A_PAGE = 100

upload_routes = Router(tags=["Topics and documents"])
run_routes = Router(tags=["Runs"])
pool_routes = Router(tags=["Pools"])


def _organized(request: ApiRequest, slug: str) -> Collection:
    return access.collection_for(request.user, slug, Role.ORGANIZER)


# Topics, documents, uploads


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


@upload_routes.get(
    "/collections/{slug:slug}/topics-file", response={200: None}, auth=PUBLIC, openapi_extra=openapi.files(*WRITTEN.values())
)
def download_topics(request: ApiRequest, slug: str, format: Literal["trec", "tsv", "jsonl"] = "trec") -> HttpResponse:
    """Download the topics: TREC's SGML, lines of number and title, or JSON lines in all languages"""
    return topics_download(access.collection_for(request.user, slug), format)


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
    return access.topic_for(request.user, access.collection_for(request.user, slug), number)


@upload_routes.put("/collections/{slug:slug}/topics/{path:number}", response=TopicOut, auth=MANAGE)
def edit_topic(request: ApiRequest, slug: str, number: str, body: TopicChange) -> Topic:
    """Change a topic

    For organizers. After the first judgment its former words are kept as a version.
    """
    found = access.topic_for(request.user, _organized(request, slug), number)
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
    """Replace the documents by those of a file, or add to them

    For organizers. JSON with id, title, text, url, lang, date; TREC's SGML; TSV; SMART; or an archive of texts
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


@upload_routes.post("/collections/{slug:slug}/uploads/{int:id}/repair", response={202: UploadOut}, auth=SUBMIT)
def repair_upload(request: ApiRequest, slug: str, id: int, body: RepairIn) -> Upload:
    """Check a refused run again with the repairs that its report offers

    For organizers, and for whoever sent it. The file is kept for a day; the answer is a new upload.
    """
    found = get_object_or_404(_uploads(request, slug), pk=id)
    return get_object_or_404(_uploads(request, slug), pk=uploads.repair_upload(found, by=request.user, repairs=body.repairs).pk)


@upload_routes.delete("/collections/{slug:slug}/uploads/{int:id}", response={204: None}, auth=SUBMIT)
def dismiss_upload(request: ApiRequest, slug: str, id: int) -> None:
    """Dismiss the report of a file that was refused, or could not be checked

    For organizers, and for whoever sent it.
    """
    uploads.dismiss_upload(get_object_or_404(_uploads(request, slug), pk=id))


# Runs


def _runs(request: ApiRequest, slug: str) -> QuerySet[Run]:
    collection = access.collection_for(request.user, slug, Role.ORGANIZER, Role.PARTICIPANT)
    return access.runs_visible_to(request.user, collection).select_related("upload", "submitted_by")


def _run(request: ApiRequest, slug: str, tag: str) -> Run:
    return access.run_for(request.user, access.collection_for(request.user, slug, Role.ORGANIZER, Role.PARTICIPANT), tag)


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


@run_routes.post("/collections/{slug:slug}/runs/baseline", response={202: JobOut}, auth=MANAGE)
def make_baseline(request: ApiRequest, slug: str, body: BaselineIn) -> Job:
    """Make a baseline run over the collection's documents, by BM25 or tf-idf

    For organizers. The answer is a job; when it is done, the run is in the list.
    """
    try:
        model = Model(**body.dict())
    except ValueError as error:
        raise Refusal(str(error)) from error
    return baselines.request_baseline(_organized(request, slug), by=request.user, model=model)


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
    run = _run(request, slug, tag)
    now = {name: getattr(run, name) for name in RunChange.model_fields}
    return runs.edit_run(run, **{**now, **body.dict(exclude_unset=True)})


@run_routes.get("/collections/{slug:slug}/runs/{tag}", response=RunOut)
def read_run(request: ApiRequest, slug: str, tag: str) -> Run:
    """Read a run

    For organizers, and for whoever submitted it.
    """
    return _run(request, slug, tag)


@run_routes.get("/collections/{slug:slug}/runs/{tag}/file", response={200: None}, openapi_extra=openapi.files(http.ANY))
def download_run(request: ApiRequest, slug: str, tag: str) -> FileResponse:
    """Download a run's file as it was sent, byte for byte

    For organizers, and for whoever submitted it.
    """
    return sent_file(_run(request, slug, tag).upload)


@run_routes.delete("/collections/{slug:slug}/runs/{tag}", response=list[WithdrawnOut], auth=SUBMIT)
def withdraw_run(request: ApiRequest, slug: str, tag: str) -> list[WithdrawnRun]:
    """Withdraw a run

    For organizers, and, while runs are taken, for whoever submitted it; not once a round of the pool was drawn from it or
    there are scores of it. Answers with all its versions: their files are kept.
    """
    return runs.withdraw_run(_run(request, slug, tag), by=request.user)


def _withdrawn(request: ApiRequest, slug: str) -> QuerySet[WithdrawnRun]:
    collection = access.collection_for(request.user, slug, Role.ORGANIZER, Role.PARTICIPANT)
    return access.withdrawn_visible_to(request.user, collection).select_related("upload", "submitted_by", "withdrawn_by")


@run_routes.get("/collections/{slug:slug}/withdrawn", response=list[WithdrawnOut])
@newest_first
def list_withdrawn(request: ApiRequest, slug: str) -> QuerySet[WithdrawnRun]:
    """List runs that were withdrawn, each version of its own

    For organizers all, for participants their own.
    """
    return _withdrawn(request, slug)


@run_routes.get("/collections/{slug:slug}/withdrawn/{int:id}/file", response={200: None}, openapi_extra=openapi.files(http.ANY))
def download_withdrawn(request: ApiRequest, slug: str, id: int) -> FileResponse:
    """Download a withdrawn run's file as it was sent, byte for byte

    For organizers, and for whoever submitted it.
    """
    return sent_file(get_object_or_404(_withdrawn(request, slug), pk=id).upload)


# Pools


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
    return plans.sizes(collection, selectors.chosen_runs(collection, filters.run), filters.depth or plans.DEPTHS)


@pool_routes.post("/collections/{slug:slug}/pools/plan", response=PlanOut)
def plan_pool(request: ApiRequest, slug: str, body: PlanIn) -> plans.Plan:
    """Tell what a choice would cost: by depth, by topic, by run; nothing is drawn

    For organizers.
    """
    collection = _organized(request, slug)
    choice = plans.choice(selectors.chosen_runs(collection, body.runs), body.strategy, body.values(), body.seed)
    return plans.plan(collection, choice, body.seconds)


@pool_routes.post("/collections/{slug:slug}/pools", response={202: JobOut}, auth=MANAGE)
def draw_pool(request: ApiRequest, slug: str, body: PoolIn) -> Job:
    """Draw a round: what the strategy takes of the runs, as far as no round has it

    For organizers. The answer is a job; when it is done, the round is in the list.
    """
    collection = _organized(request, slug)
    wanted = {
        "runs": selectors.chosen_runs(collection, body.runs),
        "strategy": body.strategy,
        "seed": body.seed,
        **body.values(),
    }
    return pools.request_pool(collection, by=request.user, **wanted)[1]


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


@pool_routes.get(
    "/collections/{slug:slug}/pools/file", response={200: None}, openapi_extra=openapi.files(*exports.FORMS.values())
)
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
    return access.round_for(request.user, _organized(request, slug), round)
