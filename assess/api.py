"""Judging, assignments, progress and agreement as JSON: the same services as the pages."""

import uuid
from collections.abc import Iterable
from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponse, StreamingHttpResponse
from ninja import Query, Router

from assess import agreeing, agreement_files, blind, exports, likeness, own, pairs, selectors, watching
from assess.models import Assignment, Judgment, JudgmentEvent, OwnWords, Seat
from assess.schemas.agreement import AgreementOut, ExportFilter, OwnAgreementOut, PairOut, ReportFilter
from assess.schemas.assigning import (
    AssignIn,
    AssignmentOut,
    AutoIn,
    FreedOut,
    FreeFilter,
    HeldOut,
    LeaseOut,
    SeatingOut,
    assignment_order,
)
from assess.schemas.judging import (
    AlikeFilter,
    AlikeOut,
    CardOut,
    HoldIn,
    JudgedOut,
    JudgmentIn,
    OwnEventOut,
    OwnFilter,
    OwnJudgmentOut,
    OwnProgressOut,
    OwnWordsOut,
    QueueFilter,
    WordsIn,
)
from assess.schemas.watching import ProgressOut
from assess.services import assigning, judging, leases
from assess.services.assigning import Wanted
from assess.services.seating import Seating
from config import openapi
from config.api import JUDGE, MANAGE, ApiRequest, newest_first
from config.errors import Refusal
from config.expected import no_such
from pooling import access, tables
from pooling.models import Collection, Role

judging_routes = Router(tags=["Judging"])
assignment_routes = Router(tags=["Assignments"])
Q, A = "/collections/{slug:slug}/queue", "/collections/{slug:slug}/assignments"
L = "/collections/{slug:slug}/leases"


def _assessed(request: ApiRequest, slug: str) -> Collection:
    return access.collection_for(request.user, slug, Role.ASSESSOR)


def _organized(request: ApiRequest, slug: str) -> Collection:
    return access.collection_for(request.user, slug, Role.ORGANIZER)


@judging_routes.get(Q, response=list[CardOut], auth=JUDGE)
def next_documents(request: ApiRequest, slug: str, filters: Query[QueueFilter]) -> list[blind.Card]:
    """The next documents to judge, in your order

    For assessors. They stay yours, so that asking again gives the same.
    """
    return judging.next_items(_assessed(request, slug), assessor=request.user, count=filters.count)


@judging_routes.post(f"{Q}/hold", response=list[CardOut], auth=JUDGE)
def hold_documents(request: ApiRequest, slug: str, body: HoldIn) -> list[blind.Card]:
    """Keep what you took of shared topics for another while, and get more to hold

    For assessors. Without it, what you took goes to the next who asks after 30 minutes; a late judgment is kept all the same.
    """
    return leases.hold_items(_assessed(request, slug), assessor=request.user, held=body.held, count=body.count)


@judging_routes.delete(f"{Q}/hold", response=FreedOut, auth=JUDGE)
def give_back(request: ApiRequest, slug: str) -> dict[str, int]:
    """Give back what you took of shared topics and have not judged

    For assessors.
    """
    return {"freed": leases.free_leases(_assessed(request, slug), assessor=request.user)}


@judging_routes.put(f"{Q}/words/{{path:topic}}", response=OwnWordsOut, auth=JUDGE)
def set_words(request: ApiRequest, slug: str, topic: str, body: WordsIn) -> OwnWords:
    """Set your own words of a topic, which your pages mark beside the topic's

    For assessors.
    """
    return judging.set_words(_assessed(request, slug), assessor=request.user, topic=topic, words=body.words)


@judging_routes.get(f"{Q}/progress", response=OwnProgressOut)
def own_progress(request: ApiRequest, slug: str) -> dict[str, Any]:
    """How far you are, topic by topic, and how fast today

    For assessors.
    """
    collection = _assessed(request, slug)
    done = blind.own_progress(collection, request.user)
    pace = own.pace(collection, request.user, done)
    counts: dict[str, Any] = {"done": done.done, "left": done.left, "free": done.free}
    counts |= {"today": pace.today, "seconds": pace.seconds, "grades": pace.grades, "cannot": pace.cannot}
    return {**counts, "topics": blind.own_topics(collection, request.user)}


@judging_routes.get(f"{Q}/history", response=list[OwnEventOut])
@newest_first
def own_history(request: ApiRequest, slug: str) -> QuerySet[JudgmentEvent]:
    """Your own acts of judging, newest first

    For assessors.
    """
    return blind.own_events(_assessed(request, slug), request.user)


@judging_routes.get(f"{Q}/judgments", response=list[OwnJudgmentOut])
@newest_first
def own_judgments(request: ApiRequest, slug: str, filters: Query[OwnFilter]) -> QuerySet[Judgment]:
    """What you say of each document at present

    For assessors.
    """
    return own.history(_assessed(request, slug), request.user, own.Filters(**filters.dict()))


@judging_routes.get(f"{Q}/alike", response=list[AlikeOut])
def alike_documents(request: ApiRequest, slug: str, filters: Query[AlikeFilter]) -> list[likeness.Alike]:
    """Your other documents of the same topics that read the same, or nearly, with your grades

    For assessors.
    """
    return likeness.alike(_assessed(request, slug), request.user, filters.seats)


@judging_routes.get(f"{Q}/agreement", response=list[OwnAgreementOut])
def own_agreement(request: ApiRequest, slug: str) -> list[agreeing.OwnTopic]:
    """Your own agreement with the others, on topics that are judged to their end

    For assessors, if the organizers allow it.
    """
    collection = _assessed(request, slug)
    agreeing.require_own_shown(collection)
    return agreeing.own(collection, request.user)


@judging_routes.get(f"{Q}/{{uuid:seat}}", response=CardOut, auth=JUDGE)
def read_document(request: ApiRequest, slug: str, seat: uuid.UUID) -> blind.Card:
    """Read one of your documents again, with your present grade

    For assessors.
    """
    return judging.item(_assessed(request, slug), assessor=request.user, seat=seat)


@judging_routes.post(f"{Q}/{{uuid:seat}}", response=JudgedOut, auth=JUDGE)
def judge_document(request: ApiRequest, slug: str, seat: uuid.UUID, body: JudgmentIn) -> judging.Recorded:
    """Judge a document, or change its grade

    For assessors. Every act is kept. The same client_id again changes nothing and gives the same answer.
    """
    return judging.record_judgment(_assessed(request, slug), assessor=request.user, seat=seat, **body.act())


@assignment_routes.get(A, response=list[AssignmentOut])
def list_assignments(request: ApiRequest, slug: str) -> Iterable[Assignment]:
    """List who judges which topic

    For organizers.
    """
    found = Assignment.objects.filter(topic__collection=_organized(request, slug)).select_related("topic", "assessor")
    return sorted(found, key=assignment_order)


@assignment_routes.put(A, response=SeatingOut, auth=MANAGE)
def assign_topics(request: ApiRequest, slug: str, body: AssignIn) -> Seating:
    """Set who judges the named topics

    For organizers. Judged documents stay with who judged them.
    """
    collection = _organized(request, slug)
    topics = {topic.number: topic for topic in collection.topics.all()}
    wanted = []
    for line in body.assignments:
        if line.topic not in topics:
            raise Refusal(no_such("topic", line.topic))
        groups = [selectors.named_assessors(collection, names) for names in (line.first, line.second, line.third)]
        wanted.append(Wanted(topics[line.topic], *groups))
    told: dict[str, Any] = {"overlap": body.overlap, "seed": body.seed, "rules": body.rules}
    return assigning.assign(collection, by=request.user, wanted=wanted, **told)


@assignment_routes.post(f"{A}/auto", response=SeatingOut, auth=MANAGE)
def balance_topics(request: ApiRequest, slug: str, body: AutoIn) -> Seating:
    """Share topics out, so that all assessors have about as many documents

    For organizers.
    """
    collection = _organized(request, slug)
    chosen = None if body.assessors is None else selectors.named_assessors(collection, body.assessors)
    told: dict[str, Any] = {"overlap": body.overlap, "seed": body.seed, "rules": body.rules}
    told |= {"everything": body.topics == "all"}
    return assigning.auto_assign(collection, by=request.user, assessors=chosen, **told)


@assignment_routes.post(f"{A}/seats", response=SeatingOut, auth=MANAGE)
def seat_new_items(request: ApiRequest, slug: str) -> Seating:
    """Hand out what was pooled after its topic was assigned

    For organizers.
    """
    return assigning.seat_new_items(_organized(request, slug), by=request.user)


@assignment_routes.get("/collections/{slug:slug}/progress", response=ProgressOut)
def read_progress(request: ApiRequest, slug: str) -> watching.Progress:
    """Judged and left, for each topic and each assessor

    For organizers. In a large collection that was counted a moment ago, as it was then: `at` tells when.
    """
    return watching.looked_at(_organized(request, slug))[0]


@assignment_routes.get(L, response=list[LeaseOut])
def list_leases(request: ApiRequest, slug: str) -> list[selectors.Lease]:
    """What assessors hold of shared topics and have not judged yet

    For organizers.
    """
    return selectors.leases(_organized(request, slug))


@assignment_routes.get(f"{L}/{{str:user}}", response=list[HeldOut])
def list_held_documents(request: ApiRequest, slug: str, user: str) -> QuerySet[Seat]:
    """The documents of shared topics that an assessor holds and has not judged yet

    For organizers.
    """
    collection = _organized(request, slug)
    access.require_known(collection, user)
    return selectors.held_documents(collection, selectors.lease(collection, user).assessor)


@assignment_routes.delete(f"{L}/{{str:user}}", response=FreedOut, auth=MANAGE)
def free_leases(request: ApiRequest, slug: str, user: str, filters: Query[FreeFilter]) -> dict[str, int]:
    """Give back what an assessor holds, or one document of it, to whoever comes next

    For organizers.
    """
    collection = _organized(request, slug)
    access.require_known(collection, user)
    lease, whole = selectors.lease(collection, user), filters.topic is None and filters.docno is None
    document = None if whole else (filters.topic or "", filters.docno or "")
    return {"freed": leases.free_leases(collection, assessor=lease.assessor, document=document)}


@assignment_routes.get("/collections/{slug:slug}/agreement", response=AgreementOut)
def read_agreement(request: ApiRequest, slug: str) -> dict[str, Any]:
    """Agreement of assessors: kappas and confusion matrices

    For organizers.
    """
    report = pairs.agreement(_organized(request, slug))
    of_two = [PairOut.of(pair) for pair in report.pairs]
    return {"levels": report.levels, "twice": report.twice, "overall": PairOut.of(report.overall), "pairs": of_two}


@assignment_routes.get(
    "/collections/{slug:slug}/agreement/report",
    response={200: None},
    openapi_extra=openapi.files(*agreement_files.FORMS.values(), *tables.TABLE_FORMS.values()),
)
def download_agreement(request: ApiRequest, slug: str, filters: Query[ReportFilter]) -> HttpResponse:
    """Download every coefficient, with intervals and by topic, or one table of the page, as JSON, CSV or LaTeX

    For organizers.
    """
    collection = _organized(request, slug)
    if filters.table:
        table = agreement_files.tables(*agreeing.shown(collection))[filters.table]
        return HttpResponse(tables.written(table, filters.form), content_type=tables.TABLE_FORMS[filters.form])
    found = agreeing.whole(collection)
    return HttpResponse(agreement_files.written(found, filters.form), content_type=agreement_files.FORMS[filters.form])


@assignment_routes.get(
    "/collections/{slug:slug}/judgments", response={200: None}, openapi_extra=openapi.files(*exports.FORMATS.values())
)
def download_judgments(request: ApiRequest, slug: str, filters: Query[ExportFilter]) -> StreamingHttpResponse:
    """Download the judgments, or all acts of judging; assessors by pseudonym

    For organizers. CSV is safe for spreadsheets; JSONL is exact.
    """
    return exports.answer(_organized(request, slug), filters.format, history=filters.history)
