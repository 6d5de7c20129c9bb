"""Acts of an assessor: take the next documents, judge one."""

import math
import statistics
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection, transaction
from django.db.models import Count, Exists, IntegerField, JSONField, Max, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce, JSONObject
from django.http import Http404
from django.urls import reverse
from django.utils import timezone

from assess import blind
from assess.core import ordering, passages
from assess.models import ANSWERED, Answer, AssignmentPlan, Judgment, JudgmentEvent, OwnWords, Seat, Workload
from assess.services import adapting, claiming, leases, practice
from config.errors import Conflict, Invalid, Missing, Refusal
from config.expected import no_such, one_of
from config.models import User
from config.statements import at_once, insert, insert_with, often, statement
from pooling.models import Collection, Grade, Guideline, Pick
from pooling.services.collections import require_grade

PAGE = 20  # documents a page comes with
MOST_SECONDS = 86_400
MOST_REASON = 200
MOST_NOTE = 5000
MOST_WORDS = 500
MOST_PASSAGES = 100
PEOPLE_SAY = [answer.value for answer in Answer if answer != Answer.INVALID]
SAID = ("answer", "grade", "reason", "note", "known", "evidence")
NOTHING = {"answer": Answer.OPEN.value, "grade": None, "reason": "", "note": "", "known": False, "evidence": ""}
REPEATED_AFTER = 30  # places in the order
PACE_OF = 500  # newest acts


class Stale(Conflict):
    """Judged meanwhile in another tab or on another device; `details` tell the present grade."""


@dataclass(frozen=True)
class Saved:
    """An act as it was stored. `seen` counts the acts up to this one; the same act sent again gives the same."""

    seat: uuid.UUID
    client_id: uuid.UUID
    grade: int | None
    seen: int
    answer: str = Answer.GRADE


@dataclass(frozen=True)
class Act:
    """What an assessor says; what is None stays as it is."""

    grade: int | None = None
    answer: str | None = None
    reason: str | None = None
    note: str | None = None
    known: bool | None = None
    evidence: Sequence[tuple[int, int]] | None = None


@dataclass(frozen=True)
class Recorded:
    saved: Saved
    done: int
    left: int
    cards: list[blind.Card]


def record_judgment(
    collection: Collection,
    *,
    assessor: User,
    seat: uuid.UUID,
    client_id: uuid.UUID,
    grade: int | None = None,
    answer: str | None = None,
    reason: str | None = None,
    note: str | None = None,
    known: bool | None = None,
    evidence: Sequence[tuple[int, int]] | None = None,
    seconds: float | None = None,
    seen: int | None = None,
    held: Iterable[uuid.UUID] = (),
    ahead: int = 3,
) -> Recorded:
    """Store an act of judging, and hand out what comes next, beyond what is `held`.

    An act is a grade, "can't judge" with its reason, "later", taking all that back, a note, a mark, the passages that
    are evidence; or several at once.
    The seat's row is marked first: that locks it, so that two acts on the same document come one after the other.
    What comes after its lease has ended, or after the organizer gave the document to another, is kept; if that one has it
    or has judged it in the meantime, as an extra that counts nowhere.
    `seen` is how many acts the sender knew of; if there are more, somebody judged it elsewhere, and it is refused.
    """
    act = Act(grade, answer, reason, note, known, evidence)
    with transaction.atomic():
        saved, done, left, picked = _record(collection, assessor, seat, act, client_id, seconds, seen)
    if picked and saved.answer in ANSWERED:  # its strategy wants to know, and picks the next one
        left = _picked_on(collection, assessor, picked, left)
    if not ahead or left <= 0:
        return Recorded(saved, done, left, [])
    has = list(held)
    # Read when nobody waits for the lock any more.
    cards = blind.next_cards(collection, assessor, ahead, but=[seat, *has], there=left - len(has))
    return Recorded(saved, done, left, cards)


def _picked_on(collection: Collection, assessor: User, picked: dict[str, int], left: int) -> int:
    """How many are left, with what was added."""
    added = adapting.advance(collection, pool=picked["pool"], topic=picked["topic"])
    if not added.count or added.owner == assessor.pk:
        return left + added.count
    with transaction.atomic():
        leases.hold_seats(collection)
        claiming.claim_seats(collection, assessor=assessor, count=1 if left <= 0 else 0)
    return blind.seats(collection, assessor).filter(judged_at=None).count()


def _record(
    collection: Collection,
    assessor: User,
    seat: uuid.UUID,
    act: Act,
    client_id: uuid.UUID,
    seconds: float | None,
    seen: int | None,
) -> tuple[Saved, int, int, dict[str, int] | None]:
    """In a transaction: what was saved, how many are answered and left, and of which adaptive round and topic it is."""
    facts = _marked(collection, assessor, seat, client_id, _asked(act.grade))
    if facts.act:
        saved, answer = _same_act(facts, seat, client_id), facts.head["answer"]
    else:
        _check(collection, assessor, facts, act, seconds, seen)
        saved = _store(facts, assessor, seat, _said(facts, act), client_id, seconds)
        answer = saved.answer
        if saved.seen == 1 and answer == Answer.GRADE:
            _repeat(collection, assessor, facts)
    waits = answer not in ANSWERED and facts.assessor_id == assessor.pk
    if waits:  # the mark is taken back
        later = {"later_at": timezone.now()} if answer == Answer.LATER and not facts.act else {}
        Seat.objects.filter(pk=facts.pk).update(judged_at=None, **later)
    done, left = _counts(facts, waits)
    if leases.is_due(facts.claimed_at):
        leases.renew(collection, assessor=assessor)
    if left < blind.FEW:  # several at a time: a claim costs as much for one
        room = leases.CLAIMED if facts.cap is None else facts.cap - done - left
        left += claiming.claim_seats(collection, assessor=assessor, count=leases.CLAIMED - left, room=room)
    return saved, done, left, facts.picked


def next_items(collection: Collection, *, assessor: User, count: int, held: Iterable[uuid.UUID] = ()) -> list[blind.Card]:
    """The next documents to judge, taken from shared topics where one's own do not suffice."""
    practice.require_done(collection, assessor)
    if not collection.is_archived:
        adapting.fill(collection, assessor=assessor)
        leases.take(collection, assessor=assessor, count=min(count, leases.CLAIMED))
    return blind.next_cards(collection, assessor, count, but=held)


def set_words(collection: Collection, *, assessor: User, topic: str, words: str) -> OwnWords:
    """Keep the words that somebody wants to see marked in the documents of one of their topics."""
    if len(words) > MOST_WORDS or "\0" in words:
        raise Refusal(f"Expected words of at most {MOST_WORDS} characters in all, none of them NUL; found {len(words)}.")
    mine = Seat.objects.filter(assessor=assessor, item__topic=OuterRef("pk"))
    found = collection.topics.filter(Exists(mine), number=topic).first()
    if found is None:
        where, own = f"among those of {assessor.username}", reverse("judge_list", args=[collection.slug])
        raise Missing(no_such("topic", topic, where), href=own, label="My topics")
    kept = {"words": " ".join(words.split())}
    return OwnWords.objects.update_or_create(topic=found, assessor=assessor, defaults=kept)[0]


def item(collection: Collection, *, assessor: User, seat: uuid.UUID) -> blind.Card:
    """A certain document of one's own, judged or not."""
    found = blind.card(collection, assessor, seat)
    if found is None:
        raise Http404
    return found


def seat_of(collection: Collection, *, assessor: User, topic: str, docno: str) -> uuid.UUID:
    """The seat of a document of one's own that is named."""
    found = blind.seat_of(collection, assessor, topic, docno)
    if found is None:
        raise Refusal(f"“{docno[:80]}” of topic {topic[:80] or '-'} is not among the documents of {assessor.username}.")
    return found


def source(collection: Collection, *, assessor: User, seat: uuid.UUID) -> str:
    """A document of one's own as it came."""
    found = blind.source(collection, assessor, seat)
    if found is None:
        raise Http404
    return found


def _begin(collection: Collection) -> bool:
    """At the first judgment, note that it has begun; that holds the row as `leases.hold_seats` does."""
    if collection.judging_started_at is not None:
        return False
    new = Collection.objects.filter(pk=collection.pk, judging_started_at=None)
    return new.update(judging_started_at=timezone.now()) > 0


def note_paces() -> int:
    """Tell pooling, which plans by it, how long a judgment takes in each collection: the median of the newest acts."""
    count = 0
    for collection in Collection.objects.filter(judging_started_at__isnull=False, archived_at=None):
        acts = JudgmentEvent.objects.filter(
            judgment__item__pool__collection=collection, answer=Answer.GRADE, seconds__isnull=False
        )
        acts = acts.filter(judgment__assessor__is_machine=False).order_by("-pk")
        seconds = [value for value in acts.values_list("seconds", flat=True)[:PACE_OF] if value is not None]
        pace = statistics.median(seconds) if seconds else collection.seconds_per_judgment
        if pace != collection.seconds_per_judgment:
            count += Collection.objects.filter(pk=collection.pk).update(seconds_per_judgment=pace)
    return count


# One judgment


def _repeat(collection: Collection, assessor: User, facts: Any) -> None:
    """A share of what somebody judged comes back to them later, as if it were new: does one agree with oneself?"""
    plan = facts.plan or {"repeats": 0}
    mine = facts.occasion == 0 and facts.assessor_id == assessor.pk and not assessor.is_machine
    if mine and plan["repeats"] and ordering.is_repeated(plan["seed"], facts.item_id, assessor.pk, plan["repeats"]):
        place = {"position": facts.position + REPEATED_AFTER, "slot": facts.slot, "occasion": 1}
        of = {"collection_id": collection.pk, "topic_id": facts.topic_id, "item_id": facts.item_id}
        insert(Seat, **of, assessor_id=assessor.pk, **place)


MARK = """
UPDATE assess_seat SET judged_at = COALESCE(judged_at, %s) WHERE token = %s AND collection_id = %s AND assessor_id = %s
"""


def _marked(collection: Collection, assessor: User, seat: uuid.UUID, client_id: uuid.UUID, grade: int) -> Any:
    """Mark and so lock the seat, or what became of it; then what the act depends on. A seat that is unknown or was never this
    assessor's does not exist."""
    now, field = timezone.now(), Seat._meta.get_field("token")
    marked = (connection.ops.adapt_datetimefield_value(now), field.get_db_prep_value(seat, connection))
    asked = {"collection": collection, "assessor": assessor, "client_id": client_id, "grade": grade}
    begun = _begin(collection)
    with often() as cursor:
        with at_once():
            if not begun:
                leases.hold_seats(collection)
            cursor.execute(MARK, [*marked, collection.pk, assessor.pk])
            facts = _facts(token=seat, **asked)
        if cursor.rowcount:
            return facts[0]
    late = claiming.late_seat(collection, assessor=assessor, token=seat, now=now)
    if late is None:
        raise Http404
    return _facts(token=late.token, **asked)[0]


def _asked(grade: int | None) -> int:
    """As the database compares it: what no column holds is on no scale."""
    return 0 if grade is None else min(max(grade, -1000), 1000)


def _counts(facts: Any, waits: bool) -> tuple[int, int]:
    """Answered and left; the seat at hand is marked, and so counted as answered."""
    counts = facts.counts or {"done": 0, "total": 0}
    done = counts["done"] - waits
    return done, counts["total"] - done


@statement
def _facts(collection: Any, assessor: Any, token: Any, grade: Any, client_id: Any) -> QuerySet[Seat, Any]:
    """Everything the act depends on, by one query, asked when the seat is locked."""
    head = Judgment.objects.filter(item=OuterRef("item"), assessor=assessor, occasion=OuterRef("occasion"))
    plan = AssignmentPlan.objects.filter(collection=collection)
    act = JudgmentEvent.objects.filter(client_id=client_id)
    before = JudgmentEvent.objects.filter(judgment=OuterRef("judgment"), pk__lte=OuterRef("pk")).order_by()
    number = before.values("judgment").annotate(n=Count("pk")).values("n")
    said = {name: name for name in SAID}
    told = {"judgment": "judgment_id", **said, "number": Subquery(number, output_field=IntegerField())}
    own = Seat.objects.filter(collection=collection, assessor=assessor).order_by()
    counts = own.values("assessor").annotate(done=Count("judged_at"), total=Count("pk"))
    guidelines = Guideline.objects.filter(collection=collection).order_by().values("collection")
    picked = Pick.objects.filter(item=OuterRef("item")).order_by()
    facts = Seat.objects.filter(token=token).annotate(
        head=Subquery(head.values(found=JSONObject(pk="pk", **said, count="event_count"))[:1], output_field=JSONField()),
        act=Subquery(act.values(found=JSONObject(**told))[:1], output_field=JSONField()),
        counts=Subquery(counts.values(found=JSONObject(done="done", total="total")), output_field=JSONField()),
        guideline=Coalesce(Subquery(guidelines.annotate(last=Max("version")).values("last")), 0),
        cap=Subquery(Workload.objects.filter(collection=collection, assessor=assessor).values("cap")),
        plan=Subquery(plan.values(found=JSONObject(order="order", repeats="repeats", seed="seed")), output_field=JSONField()),
        graded=Exists(Grade.objects.filter(collection=collection, value=grade)),
        picked=Subquery(picked.values(found=JSONObject(pool="pool_id", topic="topic_id")), output_field=JSONField()),
    )
    seat = ("pk", "token", "topic_id", "item_id", "assessor_id", "claimed_at", "slot", "position", "occasion")
    return facts.values_list(*seat, "head", "act", "counts", "guideline", "cap", "plan", "graded", "picked")


def _same_act(facts: Any, seat: uuid.UUID, client_id: uuid.UUID) -> Saved:
    if facts.head is None or facts.act["judgment"] != facts.head["pk"]:
        raise Conflict("This client_id was used for another judgment: make a new one for each act.")
    return Saved(seat, client_id, facts.act["grade"], facts.act["number"], facts.act["answer"])


def _check(collection: Collection, assessor: User, facts: Any, act: Act, seconds: float | None, seen: int | None) -> None:
    if collection.is_archived:
        raise Conflict("This collection is archived: its judgments no longer change.")
    if act == Act():
        raise Refusal(f"Expected a grade, an answer ({', '.join(PEOPLE_SAY)}), a note or a mark; found nothing.")
    if act.grade is not None and not facts.graded:
        require_grade(collection, act.grade)
    _check_words(act, assessor.is_machine)
    if act.evidence:
        _check_evidence(act.evidence, blind.text_length(collection, facts.token))
    if seconds is not None and not (math.isfinite(seconds) and 0 <= seconds <= MOST_SECONDS):
        raise Refusal(f"Expected 0 to {MOST_SECONDS:,} seconds; found {seconds:g}.")
    count = facts.head["count"] if facts.head else 0
    if seen is not None and seen != count:
        present = {"grade": facts.head["grade"] if facts.head else None, "seen": count}
        words = f"now {_named(facts.head)}" if facts.head else "not judged so far"
        raise Stale(f"This document was judged elsewhere meanwhile: it is {words}. Look at it again.", **present)


def _named(said: dict[str, Any]) -> str:
    return str(said["grade"]) if said["answer"] == Answer.GRADE else str(Answer(said["answer"]).label)


def _check_words(act: Act, by_machine: bool) -> None:
    if act.answer is not None and act.answer not in Answer.values:
        raise Invalid("answer", one_of(act.answer, PEOPLE_SAY))
    if act.answer is not None and (act.grade is None) == (act.answer == Answer.GRADE):
        raise Refusal("Expected a grade with the answer “grade”, and with no other.")
    if act.answer == Answer.CANNOT and not (act.reason or "").strip():
        raise Refusal("Expected a reason why the document cannot be judged; found none.")
    if act.answer == Answer.INVALID and not by_machine:
        raise Refusal("“invalid” is the answer of machines that found none; people say “cannot”, with a reason.")
    for name, text, most in (("reason", act.reason, MOST_REASON), ("note", act.note, MOST_NOTE)):
        if text is not None and (len(text) > most or "\0" in text):
            raise Refusal(f"Expected a {name} of at most {most:,} characters, none of them NUL; found {len(text):,}.")


def _check_evidence(evidence: Sequence[tuple[int, int]], length: int) -> None:
    if len(evidence) > MOST_PASSAGES:
        raise Refusal(f"Expected at most {MOST_PASSAGES} passages; found {len(evidence)}.")
    for start, end in evidence:
        if not 0 <= start < end <= length:
            raise Refusal(f"Expected passages within the {length:,} characters of the text; found {start}-{end}.")


def _said(facts: Any, act: Act) -> dict[str, Any]:
    """All that is said of the document after the act."""
    said = {name: facts.head[name] for name in SAID} if facts.head else dict(NOTHING)
    answer = Answer.GRADE if act.grade is not None else act.answer
    if answer is not None:
        reason = (act.reason or "").strip() if answer in (Answer.CANNOT, Answer.INVALID) else ""
        said |= {"answer": str(answer), "grade": act.grade, "reason": reason}
    if act.note is not None:
        said["note"] = act.note.strip()
    if act.known is not None:
        said["known"] = act.known
    if act.evidence is not None:
        said["evidence"] = passages.write(act.evidence)
    return said


def _store(
    facts: Any, assessor: User, seat: uuid.UUID, said: dict[str, Any], client_id: uuid.UUID, seconds: float | None
) -> Saved:
    now, extra = timezone.now(), facts.assessor_id != assessor.pk
    told = {**said, "guideline_version": facts.guideline}
    event = {**told, "client_id": client_id, "previous_grade": None, "seconds": seconds, "at": now}
    if facts.head is None:
        new = {**told, "item_id": facts.item_id, "assessor_id": assessor.pk, "extra": extra, "first_at": now, "updated_at": now}
        new |= {"occasion": facts.occasion, "order": facts.plan["order"] if facts.plan else ""}
        insert_with(Judgment, new, JudgmentEvent, "judgment_id", event)
        return Saved(seat, client_id, said["grade"], 1, said["answer"])
    count = facts.head["count"] + 1
    Judgment.objects.filter(pk=facts.head["pk"]).update(**told, event_count=count, updated_at=now, extra=extra)
    insert(JudgmentEvent, **{**event, "judgment_id": facts.head["pk"], "previous_grade": facts.head["grade"]})
    return Saved(seat, client_id, said["grade"], count, said["answer"])
