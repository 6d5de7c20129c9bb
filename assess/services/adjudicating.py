"""Acts of adjudication: who decides which topic, decisions, and second thoughts."""

import uuid
from collections.abc import Mapping, Sequence

from django.db import transaction
from django.utils import timezone

from assess import adjudication
from assess.models import AdjudicatorTopic, Decision, DecisionEvent, DecisionReason, Judgment
from assess.services.judging import Stale
from config import expected
from config.errors import Conflict, Forbidden, Refusal
from config.models import User
from pooling.models import Collection, PoolItem
from pooling.services.collections import require_grade, require_not_archived, write_guideline

MOST_COMMENT = 5000
MOST_PRECEDENT = 500
PRECEDENTS = "## Precedents"


@transaction.atomic
def assign_adjudicators(collection: Collection, *, by: User, wanted: Mapping[str, Sequence[str]]) -> int:
    """Who decides the named topics, by user name; nobody: every adjudicator. Topics that are not named stay as they are."""
    require_not_archived(collection)
    people = {user.username: user for user in adjudication.adjudicators(collection)}
    topics = {topic.number: topic for topic in collection.topics.all()}
    for number, names in wanted.items():
        if number not in topics:
            raise Refusal(expected.no_such("topic", number))
        if strange := [name for name in names if name not in people]:
            raise Refusal(f"Expected adjudicators of this collection; found “{strange[0][:80]}”.")
    named = [topics[number] for number in wanted]
    AdjudicatorTopic.objects.filter(topic__in=named).delete()
    rows = [
        AdjudicatorTopic(topic=topics[number], adjudicator=people[name], assigned_by=by)
        for number, names in wanted.items()
        for name in dict.fromkeys(names)
    ]
    AdjudicatorTopic.objects.bulk_create(rows)
    return len(rows)


@transaction.atomic
def decide(
    collection: Collection,
    *,
    by: User,
    topic: str,
    docno: str,
    grade: int,
    client_id: uuid.UUID,
    reason: str = "",
    comment: str = "",
    precedent: str = "",
    seen: int | None = None,
) -> Decision:
    """Decide a document on which opinions differ, or change the decision. The same act sent twice is one."""
    item, head = _opened(collection, by, topic, docno)
    if done := DecisionEvent.objects.filter(client_id=client_id).select_related("decision").first():
        return _same(done, item, by)
    require_grade(collection, grade)
    expected.require_one_of("reason", reason, ["", *DecisionReason.values])
    comment, precedent = _words("comment", comment, MOST_COMMENT), _words("precedent", precedent, MOST_PRECEDENT)
    if head is None and Judgment.objects.filter(item=item, occasion=0).count() == 0:
        raise Refusal("Nobody has judged this document yet: there is nothing to decide.")
    _require_seen(head, seen)
    version = _add_precedent(collection, by, precedent) if precedent else _version(collection)
    return _store(item, head, by, client_id, version, precedent, grade=grade, reason=reason, comment=comment)


@transaction.atomic
def reopen(
    collection: Collection,
    *,
    by: User,
    topic: str,
    docno: str,
    client_id: uuid.UUID,
    comment: str = "",
    seen: int | None = None,
    organizer: bool = False,
) -> Decision:
    """Second thoughts: the decision no longer stands, and stays in the history."""
    item, head = _opened(collection, by, topic, docno, organizer=organizer)
    if done := DecisionEvent.objects.filter(client_id=client_id).select_related("decision").first():
        return _same(done, item, by)
    if head is None or head.grade is None:
        raise Conflict("This document is not decided; there is nothing to open again.")
    _require_seen(head, seen)
    words = _words("comment", comment, MOST_COMMENT)
    return _store(item, head, by, client_id, _version(collection), "", grade=None, reason="", comment=words)


def _opened(
    collection: Collection, by: User, topic: str, docno: str, *, organizer: bool = False
) -> tuple[PoolItem, Decision | None]:
    """The item, locked, and its decision, if the topic is theirs and they did not judge it themselves."""
    require_not_archived(collection)
    found = PoolItem.objects.filter(topic__collection=collection, topic__number=topic, docno=docno)
    item = found.select_for_update(of=("self",)).first()
    if item is None:
        raise adjudication.not_pooled(collection, topic, docno)
    if not organizer and not adjudication.is_for(collection, topic, by):
        raise Forbidden("This topic is assigned to another adjudicator.")
    if not organizer and Judgment.objects.filter(item=item, assessor=by).exists():
        raise Forbidden("You judged this document yourself; somebody else decides it.")
    return item, Decision.objects.filter(item=item).first()


def _same(event: DecisionEvent, item: PoolItem, by: User) -> Decision:
    if event.decision.item_id != item.pk or event.adjudicator_id != by.pk:
        raise Conflict("This client_id was used for another decision: make a new one for each act.")
    return event.decision


def _require_seen(head: Decision | None, seen: int | None) -> None:
    count = head.event_count if head else 0
    if seen is not None and seen != count:
        now = "open" if head is None or head.grade is None else f"decided with grade {head.grade}"
        raise Stale(f"This document was decided elsewhere meanwhile: it is {now}. Look at it again.", seen=count)


def _words(name: str, text: str, most: int) -> str:
    if len(text) > most or "\0" in text:
        raise Refusal(f"Expected a {name} of at most {most:,} characters, none of them NUL; found {len(text):,}.")
    return text.replace("\r\n", "\n").strip()


def _version(collection: Collection) -> int:
    latest = collection.guidelines.first()
    return latest.version if latest else 0


def _add_precedent(collection: Collection, by: User, line: str) -> int:
    """A new version of the guidelines, with the line in their last section."""
    latest = collection.guidelines.first()
    text = latest.text if latest else ""
    head = "" if PRECEDENTS in text else f"\n\n{PRECEDENTS}\n"
    return write_guideline(collection, by=by, text=f"{text}{head}\n- {' '.join(line.split())}".strip()).version


def _store(
    item: PoolItem, head: Decision | None, by: User, client_id: uuid.UUID, version: int, precedent: str, **said: object
) -> Decision:
    now, previous = timezone.now(), head.grade if head else None
    if head is None:
        head = Decision(item=item, adjudicator=by, updated_at=now, **said)
        head.save(force_insert=True)
    else:
        for name, value in said.items():
            setattr(head, name, value)
        head.adjudicator, head.updated_at, head.event_count = by, now, head.event_count + 1
        head.save()
    told = {"client_id": client_id, "previous_grade": previous, "precedent": precedent, "guideline_version": version}
    DecisionEvent(decision=head, adjudicator=by, at=now, **told, **said).save(force_insert=True)
    return head
