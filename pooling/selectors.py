"""What pages, API and commands read of collections, members, documents, topics, runs and pools."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from django.contrib.auth.models import AnonymousUser
from django.db.models import Case, Count, Exists, F, Func, IntegerField, OuterRef, Prefetch, Q, QuerySet, Sum, Value, When
from django.db.models.functions import Concat, Length
from django.urls import reverse
from numpy.typing import NDArray

from config import store
from config.errors import Refusal
from config.expected import no_such
from config.models import ApiToken, Job, JobState, User
from pooling import access
from pooling.core.keys import PairIndex, find_topics
from pooling.core.rankings import Rankings
from pooling.core.run_checks import TextLengths
from pooling.models import (
    Collection,
    Corpus,
    Document,
    Grade,
    Invitation,
    Membership,
    Pool,
    PoolItem,
    Role,
    Run,
    Topic,
    Upload,
    UploadKind,
)


@dataclass(frozen=True)
class Stage:
    """One step of the line of data. `state` is done, now or todo."""

    label: str
    count: str
    note: str
    state: str
    href: str = ""


def memberships_of(user: User) -> QuerySet[Membership]:
    return Membership.objects.filter(user=user, ended_at=None).select_related("collection").order_by("-collection_id", "role")


@dataclass(frozen=True)
class Listed:
    """A collection on somebody's home page, with the roles they hold in it."""

    collection: Collection
    roles: list[str]
    members: int


def home_list(user: access.Anyone) -> tuple[list[Listed], list[Listed]]:
    """(my collections, public ones of others), newest first, archived ones of mine last."""
    if not user.is_authenticated:
        return [], [Listed(found, [], 0) for found in access.listed_for(user).order_by("-pk")]
    mine = Membership.objects.filter(user_id=user.pk, ended_at=None)
    members = Count("memberships__user", filter=Q(memberships__ended_at=None), distinct=True)
    found = (
        access.listed_for(user)
        .annotate(member_count=members)
        .prefetch_related(Prefetch("memberships", queryset=mine, to_attr="my_memberships"))
        .order_by(F("archived_at").asc(nulls_first=True), "-pk")
    )
    rows = [Listed(c, [Role(m.role).label for m in c.my_memberships], c.member_count) for c in found]
    return [row for row in rows if row.roles], [row for row in rows if not row.roles]


def grades(collection: Collection) -> list[Grade]:
    """The scale from lowest to highest; each grade knows its `step` of the ten colours (assize.css section 10)."""
    found = list(collection.grades.all())
    for index, grade in enumerate(found):
        grade.step = round(9 * index / max(1, len(found) - 1))
    return found


def member_counts(collection: Collection) -> dict[str, int]:
    """Active members by role."""
    found = collection.memberships.filter(ended_at=None).values_list("role").annotate(Count("pk"))
    return dict(found)


def members(collection: Collection, *, ended: bool = False) -> QuerySet[Membership]:
    """Members by role (organizers first) and name; machines with their tokens. Who stands for an import comes last."""
    tokens = Prefetch("user__tokens", queryset=ApiToken.objects.order_by("-pk"))
    rows = collection.memberships.filter(ended_at__isnull=not ended).select_related("user").prefetch_related(tokens)
    rows = rows.annotate(imported=Exists(imported_people().filter(pk=OuterRef("user_id"))))
    order = Case(*(When(role=role, then=place) for place, role in enumerate(Role)), output_field=IntegerField())
    return rows.order_by("imported", order, *by_name("user__name"), "pk")


def by_name(field: str = "name") -> tuple[Any, ...]:
    """Names in the order in which people read them: W2 before W10."""
    return Func(field, Value("0123456789"), function="RTRIM"), Length(field), field


def imported_people() -> QuerySet[User]:
    """Who stands for the judgments of an import: an account that nobody has ever signed in to, named after its collection."""
    own = Membership.objects.filter(
        user=OuterRef("pk"), role=Role.ASSESSOR, user__username__startswith=Concat("collection__slug", Value("."))
    )
    return User.objects.filter(Exists(own), is_active=False, is_machine=False, last_login=None, email="")


def invitations(collection: Collection) -> QuerySet[Invitation]:
    return collection.invitations.select_related("created_by")


def people_stage(collection: Collection, roles: Iterable[str]) -> Stage:
    counts = member_counts(collection)
    closed = collection.memberships.filter(ended_at=None, role=Role.ASSESSOR, user__is_active=False)
    found = closed.aggregate(every=Count("pk"), imported=Count("pk", filter=Q(user__in=imported_people())))
    assessors, imported = counts.get(Role.ASSESSOR, 0) - found["every"], found["imported"]  # these judge nothing here
    told = [f"{assessors} assessor{'' if assessors == 1 else 's'}"] if assessors else []
    told += [f"{imported} imported assessor{'' if imported == 1 else 's'}"] if imported else []
    href = _href("members", collection, roles, Role.ORGANIZER)
    state = "done" if told else "now"
    return Stage("Members", f"{sum(counts.values())}", ", ".join(told) or "no assessor yet", state, href)


# Topics, documents, uploads


def topics(collection: Collection) -> QuerySet[Topic]:
    """By number, shorter ones first: 2 before 10."""
    return collection.topics.order_by(Length("number"), "number")


def topic_languages(collection: Collection) -> list[str]:
    """The languages in which topics can be read; empty where all have but one, or none is said."""
    found: set[str] = set()
    for own, translations in collection.topics.exclude(translations={}).values_list("language", "translations"):
        found |= {own, *translations}
    return sorted(found - {""})


def chosen_language(user: access.Anyone, collection: Collection) -> str:
    """In which a member wants to read the topics; "" is their own."""
    rows = collection.memberships.filter(user_id=user.pk or 0, ended_at=None).exclude(topic_language="")
    return rows.values_list("topic_language", flat=True).first() or ""


T = TypeVar("T", bound=Iterable[Topic])


def in_language(topics: T, language: str) -> T:
    """The topics with their words in a language, where they have them; not to be saved."""
    for topic in topics if language else ():
        for name, value in topic.translations.get(language, {}).items():
            setattr(topic, name, value)
    return topics


def corpus(collection: Collection) -> Corpus:
    """The collection's corpus; one without documents where nothing was imported yet."""
    return Corpus.objects.filter(collection=collection).first() or Corpus(collection=collection)


def documents(collection: Collection) -> QuerySet[Document]:
    """Those that are visible: of the generation that the corpus points at."""
    return Document.objects.filter(corpus__collection=collection, generation=F("corpus__generation"))


def document(collection: Collection, docno: str) -> Document | None:
    return documents(collection).filter(docno=docno).first()


def pooled_docnos(collection: Collection) -> set[str]:
    """The documents that assessors wait for, or have."""
    return set(_pooled(collection).values_list("docno", flat=True).distinct())


def text_lengths(collection: Collection) -> TextLengths:
    """Asks how long the texts of documents are, in code points; -1 where there is no document."""

    def lengths(docnos: "NDArray[np.bytes_]") -> "NDArray[np.int64]":
        distinct, places = np.unique(docnos, return_inverse=True)
        names = [docno.decode() for docno in distinct.tolist()]
        found: dict[str, int] = {}
        for start in range(0, len(names), 500):
            rows = documents(collection).filter(docno__in=names[start : start + 500])
            found.update(rows.values_list("docno", Length("text")))
        return np.array([found.get(name, -1) for name in names], np.int64)[places]

    return lengths


def with_jobs(uploads: Iterable[Upload]) -> list[Upload]:
    """The uploads, each with the job that checks it."""
    found = list(uploads)
    jobs = Job.objects.in_bulk([upload.job_id for upload in found if upload.job_id])
    for upload in found:
        upload.job = jobs.get(upload.job_id or 0)
        if upload.shown_state == "failed":  # unless its check ended between the two questions
            for now in Upload.objects.filter(pk=upload.pk).values("state", "report", "path"):
                upload.state, upload.report, upload.path = now["state"], now["report"], now["path"]
    return found


def with_job_state(uploads: QuerySet[Upload]) -> QuerySet[Upload]:
    """For lists: the uploads, each with the state of the job that checks it, as `job_state`."""
    state = Job.objects.filter(pk=OuterRef("job_id")).values("state")[:1]
    return uploads.annotate(job_state=state)  # type: ignore[no-redef]  # declared on the model, for those who read it


def latest_uploads(uploads: QuerySet[Upload], kind: UploadKind, count: int = 5) -> list[Upload]:
    """The newest of a kind, for the page where they are sent."""
    return with_jobs(uploads.filter(kind=kind).select_related("uploaded_by", "collection", "run")[:count])


# Runs


def runs(collection: Collection) -> QuerySet[Run]:
    return collection.runs.select_related("upload", "submitted_by")


def baseline_jobs(collection: Collection) -> list[Job]:
    """Baseline runs that are being made, and the last one if it failed."""
    found = Job.objects.filter(name="make_baseline", collection_id=collection.pk).order_by("-pk")[:5]
    return [job for place, job in enumerate(found) if job.is_live or (place == 0 and job.state == JobState.FAILED)]


def rankings(run: Run) -> Rankings:
    """The run as it was parsed at its upload, in evaluation order."""
    return Rankings.from_bytes(store.path(run.columns).read_bytes())


def passages(run: Run) -> Rankings | None:
    """Its sub-document results in evaluation order, as docno:start-end; None where it ranks documents."""
    return Rankings.from_bytes(store.path(run.passages).read_bytes()) if run.passages else None


# Pools


def is_known(collection: Collection, topics: "NDArray[np.bytes_]") -> "NDArray[np.bool_]":
    """Which of these topics the collection has."""
    numbers = np.array(sorted(n.encode() for n in collection.topics.values_list("number", flat=True)), np.bytes_)
    return find_topics(numbers, topics) >= 0


def is_new(collection: Collection, topics: "NDArray[np.bytes_]", docnos: "NDArray[np.bytes_]") -> "NDArray[np.bool_]":
    """Which pairs no drawn round has, and the collection has a topic for."""
    numbers = np.array(sorted(n.encode() for n in collection.topics.values_list("number", flat=True)), np.bytes_)
    codes = find_topics(numbers, topics)
    drawn = _pooled(collection)
    rows = [(t.encode(), d.encode()) for t, d in drawn.values_list("topic__number", "docno").iterator(chunk_size=20_000)]
    if not rows:
        return codes >= 0
    topic, docno = (np.array(column, np.bytes_) for column in zip(*rows, strict=True))
    there = PairIndex.build(find_topics(numbers, topic), docno).find(codes, docnos) >= 0
    fresh: NDArray[np.bool_] = (codes >= 0) & ~there
    return fresh


def chosen_runs(collection: Collection, tags: Iterable[str] | None) -> list[Run]:
    """The runs of these tags; of no tag, all."""
    found, wanted = list(collection.runs.select_related("upload")), set(tags or [])
    missing = sorted(wanted - {run.tag for run in found})
    if missing:
        raise Refusal(no_such("run", missing[0]), runs=missing)
    return [run for run in found if run.tag in wanted] if wanted else found


def pools(collection: Collection) -> QuerySet[Pool]:
    """The rounds that are drawn, first to last."""
    drawn = collection.pools.filter(drawn_at__isnull=False).select_related("drawn_by")
    return drawn.annotate(run_count=Count("runs")).order_by("round")


def _pooled(collection: Collection) -> QuerySet[PoolItem]:
    return PoolItem.objects.filter(pool__collection=collection, pool__drawn_at__isnull=False)


def _present(collection: Collection) -> Exists:
    """By the corpus' own numbers, not by a join: over 100,000 items PostgreSQL would else look it up for each of them."""
    here = corpus(collection)
    return Exists(Document.objects.filter(corpus_id=here.pk, generation=here.generation, docno=OuterRef("docno")))


def drawn_items(collection: Collection) -> QuerySet[PoolItem]:
    """The items that can be judged: of a drawn round, with a document that is there."""
    return _pooled(collection).filter(_present(collection))


def present_docnos(collection: Collection, docnos: Iterable[str]) -> set[str]:
    """Those of the numbers whose document is there."""
    there = Document.objects.filter(corpus__collection=collection, generation=F("corpus__generation"))
    return set(there.filter(docno__in=list(docnos)).values_list("docno", flat=True))


def missing_items(collection: Collection) -> QuerySet[PoolItem]:
    """Items of drawn rounds whose document was not imported: they wait for it."""
    return _pooled(collection).filter(~_present(collection)).select_related("topic").order_by("topic_id", "docno")


def pool_list(
    collection: Collection, *, topic: str = "", round: int | None = None, missing: bool = False
) -> QuerySet[PoolItem]:
    """Items of drawn rounds by topic and docno, each with whether its document is there."""
    found = _pooled(collection).select_related("topic", "pool", "pick__run")
    if topic:
        found = found.filter(topic__number=topic)
    if round is not None:
        found = found.filter(pool__round=round)
    if missing:
        found = found.filter(~_present(collection))
    ordered = found.order_by(Length("topic__number"), "topic__number", "docno")
    return ordered.annotate(present=_present(collection))  # type: ignore[no-redef]  # declared on the model, for those who read it


def topic_counts(collection: Collection) -> QuerySet[Topic]:
    """Topics with the number of their pooled items, as `items_pooled`."""
    drawn = Q(items__pool__drawn_at__isnull=False)
    return topics(collection).annotate(items_pooled=Count("items", filter=drawn))


# Stages of the line


def _href(name: str, collection: Collection, roles: Iterable[str], *may: Role) -> str:
    return reverse(name, args=[collection.slug]) if not may or set(may) & set(roles) else ""


def _counted(count: int, words: str) -> str:
    return f"{words}{'' if count == 1 else 's'}"


def pooling_stages(collection: Collection, roles: Iterable[str]) -> list[Stage]:
    """Topics, Documents, Runs, Pool. What is next comes first to hand: the first that is not done is `now`."""
    stored = corpus(collection).document_count
    about_runs = collection.runs.aggregate(runs=Count("pk"), groups=Count("group", distinct=True, filter=~Q(group="")))
    drawn = collection.pools.filter(drawn_at__isnull=False).aggregate(rounds=Count("pk"), items=Sum("item_count"))
    runs, rounds = about_runs["runs"], drawn["rounds"]
    groups = f"of {about_runs['groups']} {_counted(about_runs['groups'], 'group')}" if about_runs["groups"] else "received"
    topics = collection.topics.count()
    parts = [
        ("Topics", "topics", topics, _counted(topics, "information need"), "none yet", ()),
        ("Documents", "documents", stored, "imported", "none yet", (Role.ORGANIZER,)),
        ("Runs", "runs", runs, groups, "none yet", (Role.ORGANIZER, Role.PARTICIPANT)),
        ("Pool", "pool", drawn["items"] or 0, f"in {rounds} {_counted(rounds, 'round')}", "not drawn", (Role.ORGANIZER,)),
    ]
    stages, waited = [], False
    for label, name, count, note, nothing, may in parts:
        state = "done" if count else "todo" if waited else "now"
        waited = waited or not count
        href = _href(name, collection, roles, *may)
        stages.append(Stage(label, f"{count:,}" if count else "–", note if count else nothing, state, href))
    return stages


# The site


def figures() -> list[tuple[str, str, str, float]]:
    """For /metrics."""
    return [
        ("assize_collections", "gauge", "Collections.", Collection.objects.count()),
        ("assize_runs", "gauge", "Runs of all collections.", Run.objects.count()),
    ]


def last_group(collection: Collection, user: User | AnonymousUser) -> str:
    """The group of the run that somebody sent last, "" where there is none."""
    mine = collection.runs.filter(submitted_by=user.pk).exclude(group="").order_by("-created_at")
    return mine.values_list("group", flat=True).first() or ""
