"""The search page of a collection: for organizers, and for assessors, who judge what they find."""

import uuid
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from assess import exports, feedback, markup, searching
from assess.core import highlighting, reading
from assess.core.facts import facts
from assess.forms import HitForm
from assess.models import Found
from assess.services import searching as acts
from config import http
from config.errors import Conflict, Refusal
from config.models import Job
from pooling import access, search
from pooling.core.query import MOST_LETTERS, sought_words
from pooling.models import Role
from pooling.selectors import documents, grades, topics
from pooling.services import indexing
from pooling.views.collections import page

MOST_PAGES = 50


@never_cache
@require_safe
def find(request: HttpRequest, slug: str) -> HttpResponse:
    """Search the documents, for a topic or for none; every search is kept."""
    collection = access.collection_for(request.user, slug, Role.ORGANIZER, Role.ASSESSOR)
    user, held = access.require_sign_in(request.user), access.roles_in(request.user, collection)
    organizes = Role.ORGANIZER in held
    listed = list(topics(collection)) if organizes else searching.own_topics(collection, user)
    number = request.GET.get("topic", "")
    topic = next((one for one in listed if one.number == number), None)
    words = " ".join(f"{request.GET.get('q', '')} {request.GET.get('add', '')}".replace("\0", "").split())[:MOST_LETTERS]
    ready, results, offered = search.index_of(collection).is_ready(), None, None
    if ready and words:
        at = request.GET.get("page", "1")
        number_of_page = min(MOST_PAGES, max(1, int(at))) if at.isascii() and at.isdigit() else 1
        results = searching.results(collection, user, topic, words, number_of_page, organizes=organizes)
        acts.log(collection, searcher=user, topic=topic, results=results)
        if (source := request.GET.get("more", "")) in feedback.SOURCES:
            offered = feedback.offered(collection, user, topic, words, source)
    job = Job.objects.filter(name="index_documents", collection_id=collection.pk).order_by("-pk").first()
    context: dict[str, Any] = {
        "topics": listed,
        "topic": topic,
        "words": words,
        "ready": ready,
        "has_documents": documents(collection).exists(),
        "job": None if ready else job,
        "results": results,
        "hits": _with_ids(results.hits) if results else [],
        "offered": offered,
        "offered_words": " ".join(offered.words) if offered else "",
        "grades": grades(collection),
        "can_judge": Role.ASSESSOR in held,
        "judges": topic in searching.own_topics(collection, user) if topic and Role.ASSESSOR in held else False,
        "searches": collection.searches.select_related("searcher", "topic")[:30] if organizes and not words else [],
        "found_any": Found.objects.filter(item__pool__collection=collection).exists() if organizes and not words else False,
    }
    return page(request, "assess/search.html", collection, **context)


def _with_ids(hits: list[searching.Hit]) -> list[tuple[searching.Hit, uuid.UUID]]:
    """Each hit with the id of the act that may judge it: the same act sent twice is one."""
    return [(hit, uuid.uuid4()) for hit in hits]


@never_cache
@require_safe
def whole(request: HttpRequest, slug: str) -> HttpResponse:
    """A document that was found, whole, to be judged there. Neither runs, ranks nor what others said of it."""
    collection = access.collection_for(request.user, slug, Role.ORGANIZER, Role.ASSESSOR)
    docno, words = (request.GET.get(name, "").replace("\0", "").strip() for name in ("docno", "q"))
    found = documents(collection).filter(docno=docno).defer("html").first()
    if found is None:
        told, remedy = (
            f"This collection has no document “{docno[:80]}”.",
            "Look at how its docno is written: capitals and zeros count.",
        )
        return http.error(request, 404, told, code="not_found", words=("No such document", remedy))
    topic = collection.topics.filter(number=request.GET.get("topic", "").replace("\0", "")).first()
    sought = highlighting.wanted(sought_words(words), topic.language if topic else "")
    [title] = highlighting.pieces([found.title], sought, found.language)
    text = markup.text(found.text, sought, found.language)
    beside = facts(found.extra, sought, found.language, above_text=bool(found.text))
    back = {"q": words, **({"topic": topic.number} if topic else {})}
    context: dict[str, Any] = {"document": found, "title": title, "text": text, "facts": beside}
    context["length"] = reading.told(found.title, found.text)
    context |= {"back": urlencode(back), "words": words}
    user, held = access.require_sign_in(request.user), access.roles_in(request.user, collection)
    if topic and Role.ASSESSOR in held and topic in searching.own_topics(collection, user):
        (hit,) = searching.hits(collection, user, topic, words, [docno], organizes=False)
        context |= {"hit": hit, "act": uuid.uuid4(), "topic": topic, "words": words, "grades": grades(collection)}
    if not words and Role.ORGANIZER in held:
        context["here"] = "documents"  # they came from there
    return page(request, "assess/search_document.html", collection, **context)


@require_POST
def judge_hit(request: HttpRequest, slug: str) -> HttpResponse:
    """Judge a document that one found; answers with its line, or goes back to the results."""
    collection = access.collection_for(request.user, slug, Role.ASSESSOR)
    user = access.require_sign_in(request.user)
    form = HitForm(request.POST)
    if not form.is_valid():
        raise Refusal("Expected a topic, a document, a grade and an id of this act.")
    data = form.cleaned_data
    topic = access.topic_for(user, collection, data["topic"])
    given = {name: data[name] for name in ("docno", "grade", "client_id", "seen")}
    stale = ""
    try:
        acts.judge_hit(collection, assessor=user, topic=topic, **given)
    except Conflict as error:
        if not getattr(request, "htmx", False):
            raise
        stale = f"Your grade {data['grade']} was not taken. {error}"
    if not getattr(request, "htmx", False):
        return redirect(f"{reverse('search', args=[slug])}?{urlencode({'topic': topic.number, 'q': data['q']})}")
    (hit,) = searching.hits(collection, user, topic, data["q"], [data["docno"]], organizes=False)
    context = {"hit": hit, "act": uuid.uuid4(), "topic": topic, "words": data["q"], "judges": True}
    context |= {"collection": collection, "grades": grades(collection)}
    return render(request, "assess/_hit.html", {**context, "stale": stale}, status=409 if stale else 200)


@require_POST
def build(request: HttpRequest, slug: str) -> HttpResponse:
    """Have the index made by a job."""
    collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    indexing.request_index(collection, by=access.require_sign_in(request.user))
    return redirect("search", slug)


@require_safe
def interactive_run(request: HttpRequest, slug: str) -> HttpResponse:
    """What was found by searching, as a manual run."""
    collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    answer = HttpResponse(exports.interactive_run(collection), content_type="text/plain; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="{collection.slug}-interactive.run"'
    return answer
