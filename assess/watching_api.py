"""Workloads, practice, questions and how judging goes, as JSON: the same services as the pages."""

import uuid
from typing import Any

from django.http import HttpResponse
from ninja import Query, Router

from assess import adaptive_rounds, blind, exports, feedback, searching, selectors, watching
from assess.checking import checks
from assess.models import Message, PracticeItem, Workload
from assess.schemas.asking import (
    ExampleIO,
    MessageOut,
    OwnQuestionsOut,
    PracticeAnswerIn,
    PracticeOut,
    PracticeSetIO,
    PracticeToldOut,
    TextIn,
    ThreadOut,
)
from assess.schemas.assigning import WorkloadIn, WorkloadOut
from assess.schemas.searching import FoundOut, HitIn, ResultsOut, SearchFilter, WordsFilter, WordsOut
from assess.schemas.watching import CheckIn, CheckOut, StopIn, TopicGoesOut, WatchedOut
from assess.services import checking, practice, questions, workloads
from assess.services import searching as search_acts
from assess.services.practice import Example
from config import openapi
from config.api import JUDGE, MANAGE, ApiRequest
from config.errors import Conflict, Refusal
from config.models import Job
from config.schemas import JobOut
from pooling import access, search
from pooling.models import Collection, Pool, Role, Topic
from pooling.services import indexing, picking

ask_routes = Router(tags=["Judging"])
watch_routes = Router(tags=["Assignments"])
C = "/collections/{slug:slug}"
Q = f"{C}/queue"


def _assessed(request: ApiRequest, slug: str) -> Collection:
    return access.collection_for(request.user, slug, Role.ASSESSOR)


def _organized(request: ApiRequest, slug: str) -> Collection:
    return access.collection_for(request.user, slug, Role.ORGANIZER)


@ask_routes.get(f"{Q}/practice", response=PracticeOut, auth=JUDGE)
def next_practice(request: ApiRequest, slug: str) -> dict[str, Any]:
    """The next document to practise on, before real work

    For assessors.
    """
    collection = _assessed(request, slug)
    left = practice.waiting(collection, request.user).count()
    return {"left": left, "card": practice.card(collection, assessor=request.user)}


@ask_routes.post(f"{Q}/practice/{{int:item}}", response=PracticeToldOut, auth=JUDGE)
def answer_practice(request: ApiRequest, slug: str, item: int, body: PracticeAnswerIn) -> practice.Told:
    """Judge a document to practise on, and be told the organizer's grade and reason

    For assessors.
    """
    return practice.answer(_assessed(request, slug), assessor=request.user, item=item, grade=body.grade)


@ask_routes.get(f"{Q}/questions", response=OwnQuestionsOut)
def own_questions(request: ApiRequest, slug: str) -> dict[str, Any]:
    """Your questions to the organizers, and their answers

    For assessors.
    """
    collection = _assessed(request, slug)
    unseen = blind.unseen_answers(collection, request.user)
    return {"unseen": unseen, "threads": blind.own_threads(collection, request.user)}


@ask_routes.post(f"{Q}/questions/seen", response={204: None}, auth=JUDGE)
def see_answers(request: ApiRequest, slug: str) -> None:
    """Tell that you have seen the answers

    For assessors.
    """
    questions.see_answers(_assessed(request, slug), assessor=request.user)


@ask_routes.post(f"{Q}/{{uuid:seat}}/questions", response={201: MessageOut}, auth=JUDGE)
def ask_organizer(request: ApiRequest, slug: str, seat: uuid.UUID, body: TextIn) -> Message:
    """Ask the organizers about a document

    For assessors.
    """
    return questions.ask(_assessed(request, slug), assessor=request.user, seat=seat, text=body.text)


@watch_routes.get(f"{C}/watch", response=WatchedOut)
def watch_judging(request: ApiRequest, slug: str) -> watching.Watched:
    """How judging goes: forecast, grades, relevant documents by depth, what is unusual, repeats, machines

    For organizers.
    """
    return watching.looked_at(_organized(request, slug))[1]


@watch_routes.get(f"{C}/hours", response={200: None}, openapi_extra=openapi.files("text/csv"))
def download_hours(request: ApiRequest, slug: str) -> HttpResponse:
    """Active seconds of each assessor by day, as CSV

    For organizers.
    """
    return exports.hours_answer(_organized(request, slug))


@watch_routes.get(f"{C}/questions", response=list[ThreadOut])
def list_questions(request: ApiRequest, slug: str) -> list[watching.Thread]:
    """Questions of assessors, open ones first

    For organizers.
    """
    return watching.inbox(_organized(request, slug))


@watch_routes.post(f"{C}/questions/{{int:question}}", response={201: MessageOut}, auth=MANAGE)
def answer_question(request: ApiRequest, slug: str, question: int, body: TextIn) -> Message:
    """Answer a question; the assessor is told

    For organizers.
    """
    return questions.answer(_organized(request, slug), by=request.user, question=question, text=body.text)


@watch_routes.get(f"{C}/workloads", response=list[WorkloadOut])
def list_workloads(request: ApiRequest, slug: str) -> list[Workload]:
    """Weights and caps of assessors; who is not listed has the weight 1 and no cap

    For organizers.
    """
    return list(selectors.workloads(_organized(request, slug)).values())


@watch_routes.put(f"{C}/workloads/{{str:user}}", response=WorkloadOut, auth=MANAGE)
def set_workload(request: ApiRequest, slug: str, user: str, body: WorkloadIn) -> Workload:
    """Set how much an assessor takes on

    For organizers.
    """
    collection = _organized(request, slug)
    access.require_known(collection, user)
    assessor = selectors.assessor(collection, user)
    return workloads.set_workload(collection, assessor=assessor, weight=body.weight, cap=body.cap)


@watch_routes.get(f"{C}/practice/{{path:topic}}", response=PracticeSetIO)
def read_practice(request: ApiRequest, slug: str, topic: str) -> dict[str, list[PracticeItem]]:
    """The practice set of a topic

    For organizers.
    """
    return {
        "examples": list(PracticeItem.objects.filter(topic=access.topic_for(request.user, _organized(request, slug), topic)))
    }


@watch_routes.put(f"{C}/practice/{{path:topic}}", response=list[ExampleIO], auth=MANAGE)
def set_practice(request: ApiRequest, slug: str, topic: str, body: PracticeSetIO) -> list[PracticeItem]:
    """Set the practice set of a topic: documents with their grades and reasons; an empty list takes it away

    For organizers.
    """
    collection = _organized(request, slug)
    examples = [Example(line.docno, line.grade, line.reason) for line in body.examples]
    if not all(line.docno for line in examples):
        raise Refusal("Expected the number of a document in every line; found an empty one.")
    return practice.set_practice(collection, topic=access.topic_for(request.user, collection, topic), examples=examples)


# Adaptive rounds


@watch_routes.get(f"{C}/adaptive", response=list[TopicGoesOut])
def list_adaptive(request: ApiRequest, slug: str) -> list[adaptive_rounds.TopicGoes]:
    """How adaptive rounds go, topic by topic, with what the rules for stopping say

    For organizers.
    """
    return [topic for one in adaptive_rounds.rounds(_organized(request, slug)) for topic in one.topics]


def _round(request: ApiRequest, slug: str, number: int, topic: str) -> tuple[Pool, Topic]:
    collection = _organized(request, slug)
    return access.round_for(request.user, collection, number), access.topic_for(request.user, collection, topic)


@watch_routes.post(f"{C}/adaptive/{{int:round}}/stop", response={204: None}, auth=MANAGE)
def stop_topic(request: ApiRequest, slug: str, round: int, body: StopIn) -> None:
    """Pick no more of a topic of an adaptive round

    For organizers. What is picked and unjudged stays to be judged.
    """
    pool, topic = _round(request, slug, round, body.topic)
    picking.stop_topic(pool, topic, by=request.user, reason=body.reason)


@watch_routes.post(f"{C}/adaptive/{{int:round}}/resume", response={204: None}, auth=MANAGE)
def resume_topic(request: ApiRequest, slug: str, round: int, body: StopIn) -> None:
    """Go on with a topic that was stopped

    For organizers.
    """
    picking.resume_topic(*_round(request, slug, round, body.topic))


@watch_routes.post(f"{C}/adaptive/{{int:round}}/check", response={201: CheckOut}, auth=MANAGE)
def draw_check(request: ApiRequest, slug: str, round: int, body: CheckIn) -> tuple[int, Any]:
    """Draw a random sample of what a topic of an adaptive round has left, to be judged

    For organizers. Once all of it is judged, the round's topic tells how many relevant documents were missed, at most.
    """
    pool, topic = _round(request, slug, round, body.topic)
    checking.draw_check(pool, topic, by=request.user, count=body.count)
    return 201, checks(pool.collection, pool)[topic.number]


# Search


@watch_routes.get(f"{C}/search", response=ResultsOut)
def search_documents(request: ApiRequest, slug: str, filters: Query[SearchFilter]) -> searching.Results:
    """Search the documents; the search is kept

    For organizers and assessors. 409 before the index is made.
    """
    collection, topic, words = _searched(request, slug, filters)
    organizes = Role.ORGANIZER in access.roles_in(request.user, collection)
    found = searching.results(collection, request.user, topic, words, filters.page, organizes=organizes)
    search_acts.log(collection, searcher=request.user, topic=topic, results=found)
    return found


@watch_routes.get(f"{C}/search/words", response=WordsOut)
def offer_words(request: ApiRequest, slug: str, filters: Query[WordsFilter]) -> feedback.Offered:
    """Words that a search may take in: of its first hits, or of what one judged relevant

    For organizers and assessors. 409 before the index is made.
    """
    collection, topic, words = _searched(request, slug, filters)
    return feedback.offered(collection, request.user, topic, words, filters.source)


def _searched(request: ApiRequest, slug: str, filters: SearchFilter | WordsFilter) -> tuple[Collection, Topic | None, str]:
    collection = access.collection_for(request.user, slug, Role.ORGANIZER, Role.ASSESSOR)
    if not search.index_of(collection).is_ready():
        raise Conflict("These documents are not indexed yet.")
    topic = access.topic_for(request.user, collection, filters.topic) if filters.topic else None
    return collection, topic, " ".join(filters.q.replace("\0", "").split())


@watch_routes.post(f"{C}/search/judgments", response=FoundOut, auth=JUDGE)
def judge_found(request: ApiRequest, slug: str, body: HitIn) -> Any:
    """Judge a document that one found: it joins the pool

    For assessors, in topics of their own.
    """
    collection = _assessed(request, slug)
    topic = access.topic_for(request.user, collection, body.topic)
    docno = body.docno.replace("\0", "")
    user, act = request.user, body.client_id
    return search_acts.judge_hit(
        collection, assessor=user, topic=topic, docno=docno, grade=body.grade, client_id=act, seen=body.seen
    )


@watch_routes.post(f"{C}/search/index", response={202: JobOut}, auth=MANAGE)
def build_index(request: ApiRequest, slug: str) -> Job:
    """Have the search index of the present documents made

    For organizers. The answer is a job.
    """
    return indexing.request_index(_organized(request, slug), by=request.user)


@watch_routes.get(f"{C}/search/run", response={200: None}, openapi_extra=openapi.files("text/plain"))
def download_interactive(request: ApiRequest, slug: str) -> HttpResponse:
    """Download what was found by searching and is relevant, as a manual run

    For organizers.
    """
    return HttpResponse(exports.interactive_run(_organized(request, slug)), content_type="text/plain; charset=utf-8")
