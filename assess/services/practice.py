"""Practice: documents of a topic that an assessor judges first, with the organizer's grade and reason after each answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.http import Http404

from assess import blind
from assess.models import Assignment, PracticeAnswer, PracticeItem, Seat
from config.errors import Conflict, Invalid, Refusal
from config.models import User
from config.statements import statement
from pooling import selectors as pooled
from pooling.models import Collection, Topic
from pooling.services.collections import require_grade, require_not_archived

MOST_ITEMS = 50  # of a topic
MOST_REASON = 2000


@dataclass(frozen=True)
class Example:
    """A document with the grade it should have, and why."""

    docno: str
    grade: int
    reason: str = ""


@dataclass(frozen=True)
class Told:
    """What somebody answered, what the organizer says, and how many documents are left to practise on."""

    grade: int
    right: int
    reason: str
    left: int


def read_examples(text: str) -> list[Example]:
    """Of lines of docno, grade and reason."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        docno, _, rest = line.strip().replace("\t", " ").partition(" ")
        grade, _, reason = rest.strip().partition(" ")
        try:
            found.append(Example(docno, int(grade), reason.strip()))
        except ValueError:
            told = f"line {number}: expected a document’s number, a grade and a reason; found “{line[:80]}”."
            raise Invalid("lines", told) from None
    return found


def set_practice(collection: Collection, *, topic: Topic, examples: Sequence[Example]) -> list[PracticeItem]:
    """A topic's practice set, in its order, instead of the one it has; what was answered of a document that stays is kept."""
    _check(collection, topic, examples)
    with transaction.atomic():
        old = {item.docno: item for item in PracticeItem.objects.filter(topic=topic)}
        PracticeItem.objects.filter(topic=topic).exclude(docno__in=[example.docno for example in examples]).delete()
        for example in examples:
            values = {"grade": example.grade, "reason": example.reason.strip()}
            if example.docno in old:
                PracticeItem.objects.filter(pk=old[example.docno].pk).update(**values)
            else:
                PracticeItem.objects.create(topic=topic, docno=example.docno, **values)
        # Whoever practises on it knows the answer: what was handed out and is not judged yet is taken back.
        docnos = [example.docno for example in examples]
        Seat.objects.filter(collection=collection, item__topic=topic, item__docno__in=docnos, judged_at=None).delete()
    return list(PracticeItem.objects.filter(topic=topic))


def _check(collection: Collection, topic: Topic, examples: Sequence[Example]) -> None:
    require_not_archived(collection)
    if len(examples) > MOST_ITEMS:
        raise Refusal(f"Expected at most {MOST_ITEMS} documents to practise on; found {len(examples):,}.")
    scale = set(collection.grades.values_list("value", flat=True))
    docnos = [example.docno for example in examples]
    there = pooled.present_docnos(collection, docnos)
    for example in examples:
        where = f"Topic {topic.number}, document “{example.docno[:80]}”"
        if docnos.count(example.docno) > 1:
            raise Refusal(f"{where}: expected each document once; found it {docnos.count(example.docno)} times.")
        if example.docno not in there:
            raise Refusal(f"{where}: there is no such document in this collection.")
        if example.grade not in scale:
            raise Refusal(f"{where}: expected a grade among {', '.join(map(str, sorted(scale)))}; found {example.grade}.")
        if len(example.reason) > MOST_REASON or "\0" in example.reason:
            raise Refusal(f"{where}: expected a reason of at most {MOST_REASON:,} characters, none of them NUL.")


def waiting(collection: Any, assessor: Any) -> QuerySet[PracticeItem]:
    """What somebody has yet to practise on, of the topics they judge."""
    mine = Assignment.objects.filter(assessor=assessor, topic=OuterRef("topic"))
    done = PracticeAnswer.objects.filter(assessor=assessor, item=OuterRef("pk"))
    found = PracticeItem.objects.filter(Exists(mine), ~Exists(done), topic__collection=collection)
    return found.order_by("topic_id", "pk")


@statement
def _first(collection: Any, assessor: Any) -> QuerySet[PracticeItem, Any]:
    return waiting(collection, assessor).values_list("pk")[:1]


def is_waiting(collection: Collection, assessor: User) -> bool:
    return not assessor.is_machine and bool(_first(collection=collection, assessor=assessor))


def require_done(collection: Collection, assessor: User) -> None:
    """Real work begins when the practice sets of one's topics are done; machines need none."""
    if is_waiting(collection, assessor):
        raise Conflict("Practise first: your topics have documents that show how to judge. See “practice”.", practice=True)


def card(collection: Collection, *, assessor: User) -> blind.PracticeCard | None:
    found = waiting(collection, assessor).first()
    return blind.practice_card(collection, found) if found else None


@transaction.atomic
def answer(collection: Collection, *, assessor: User, item: int, grade: int) -> Told:
    """The first answer is kept; sent again, what was kept is told again."""
    mine = Assignment.objects.filter(assessor=assessor, topic=OuterRef("topic"))
    found = PracticeItem.objects.filter(Exists(mine), pk=item, topic__collection=collection).first()
    if found is None:
        raise Http404
    require_grade(collection, grade)
    kept, _ = PracticeAnswer.objects.get_or_create(item=found, assessor=assessor, defaults={"grade": grade})
    return Told(kept.grade, found.grade, found.reason, waiting(collection, assessor).count())
