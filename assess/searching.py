"""Search results as assessors and organizers see them: snippets, and what one said of each document oneself."""

from dataclasses import dataclass

from assess.core import highlighting
from assess.models import Answer, Assignment, Judgment, Seat
from config.models import User
from pooling import search
from pooling import selectors as pooled
from pooling.core import extra
from pooling.core.query import read_query, sought_words
from pooling.models import Collection, Document, PoolItem, Topic

A_PAGE = 20
AROUND = 240  # letters of a snippet
SEEN = 20_000  # letters of a text in which one is looked for


@dataclass(frozen=True)
class Hit:
    """`grade` is one's own; `waits`: it is among what one has to judge anyway; `pooled` is told to organizers alone."""

    docno: str
    heading: list[tuple[str, bool]]
    snippet: list[tuple[str, bool]]
    grade: int | None
    answer: str
    waits: bool
    pooled: bool
    seen: int  # how many acts of one's own there are on it


@dataclass(frozen=True)
class Results:
    words: str
    total: int
    page: int
    hits: list[Hit]

    @property
    def first(self) -> int:
        return (self.page - 1) * A_PAGE + 1

    @property
    def shown(self) -> int:
        return (self.page - 1) * A_PAGE + len(self.hits)

    @property
    def has_more(self) -> bool:
        return self.shown < self.total


def own_topics(collection: Collection, user: User) -> list[Topic]:
    """The topics that somebody judges, in order."""
    mine = Assignment.objects.filter(assessor=user).values("topic")
    return sorted(collection.topics.filter(pk__in=mine), key=lambda topic: (len(topic.number), topic.number))


def results(collection: Collection, user: User, topic: Topic | None, words: str, page: int, *, organizes: bool) -> Results:
    """One page of what is found; nothing in it depends on runs, ranks or what others said."""
    language = topic.language if topic else ""
    found = search.index_of(collection).search(read_query(words, language), A_PAGE, (page - 1) * A_PAGE)
    return Results(words, found.total, page, hits(collection, user, topic, words, found.docnos, organizes=organizes))


def hits(
    collection: Collection, user: User, topic: Topic | None, words: str, docnos: list[str], *, organizes: bool
) -> list[Hit]:
    documents = {one.docno: one for one in pooled.documents(collection).filter(docno__in=docnos).defer("html")}
    said, waiting, known = dict[str, tuple[int | None, str, int]](), set[str](), set[str]()
    if topic is not None:
        of = {"item__topic": topic, "item__docno__in": docnos, "assessor": user, "occasion": 0}
        rows = Judgment.objects.filter(**of).values_list("item__docno", "grade", "answer", "event_count")
        said = {docno: (grade, answer, seen) for docno, grade, answer, seen in rows}
        waiting = set(Seat.objects.filter(judged_at=None, **of).values_list("item__docno", flat=True))
        if organizes:
            known = set(PoolItem.objects.filter(topic=topic, docno__in=docnos).values_list("docno", flat=True))
    sought = highlighting.wanted(sought_words(words), topic.language if topic else "")
    made, finders = [], dict[str, highlighting.Finder]()
    for docno in docnos:
        document = documents.get(docno)
        if document is None:
            continue
        finder = finders.setdefault(document.language, highlighting.Finder(sought, document.language))
        heading, snippet = finder.pieces(document.title or docno), finder.pieces(_snippet(document, finder))
        grade, answer, seen = said.get(docno, (None, Answer.OPEN.value, 0))
        made.append(Hit(docno, heading, snippet, grade, answer, docno in waiting, docno in known, seen))
    return made


def _snippet(document: Document, finder: highlighting.Finder) -> str:
    """Of the text; where that has no sought word and another field has, of the fields."""
    beside = " · ".join(extra.read(document.extra).values())
    if not document.text or (any(finder.hits(beside)) and not any(finder.hits(document.text[:SEEN]))):
        return _around(beside, finder)
    return _around(document.text, finder)


def _around(text: str, finder: highlighting.Finder) -> str:
    """The stretch of a text that has most of the sought words."""
    head = text[:SEEN]
    places = [start for start, _ in finder.hits(head)]
    if not places:
        return head[:AROUND]
    best = max(places, key=lambda start: sum(start <= other < start + AROUND for other in places))
    start = max(0, head.rfind(" ", 0, max(0, best - 40)) + 1)
    cut = head[start : start + AROUND]
    return ("… " if start else "") + " ".join(cut.split()) + (" …" if start + AROUND < len(text) else "")
