"""Leases: what an assessor takes of shared topics is theirs for a while, renewed as they look at it, and then anybody's."""

import uuid
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Count, Min, QuerySet
from django.utils import timezone

from assess import blind
from assess.models import Assignment, Seat
from assess.services import claiming
from config.errors import Refusal
from config.models import User
from config.statements import often, statement
from pooling.models import Collection

CLAIMED = 5  # seats of shared topics that somebody takes at first
AHEAD = 50  # documents a page holds, once it has asked for more
RENEWED = 10  # a lease is renewed when a tenth of it has passed


def hold_items(collection: Collection, *, assessor: User, held: Sequence[uuid.UUID], count: int = AHEAD) -> list[blind.Card]:
    """Renew the leases of who looks at the page, and hand out more to keep ready. Nobody takes more than a fair share."""
    if collection.is_archived:
        return []
    people = max(1, Assignment.objects.filter(topic__collection=collection).values("assessor").distinct().count())
    free = blind.free_seats(assessor).filter(collection=collection)[: count * people].count()  # of more the share is the same
    take(collection, assessor=assessor, count=max(CLAIMED, min(count, free // people)))
    return blind.more_cards(collection, assessor, count, held=held)


@transaction.atomic
def free_leases(collection: Collection, *, assessor: User, document: tuple[str, str] | None = None) -> int:
    """Give back what somebody took of shared topics and has not judged: all, or one document (topic, docno)."""
    hold_seats(collection)
    leases = _leases(collection, assessor)
    if document is not None:
        leases = leases.filter(item__topic__number=document[0], item__docno=document[1])
        if not leases.exists():
            told = ", ".join(f"“{word[:40]}”" for word in document)
            raise Refusal(f"Expected the topic and docno of a document that {assessor.username} holds; found {told}.")
    claiming.remember_holders(leases)
    return Seat.objects.filter(pk__in=list(leases.values_list("pk", flat=True))).update(assessor=None, claimed_at=None)


def mend_leases(now: datetime) -> None:
    """The clock was set back: what is held by a time that lies ahead is held from now on, and ends as any other."""
    ahead = Seat.objects.filter(judged_at=None, claimed_at__gt=now)
    if ahead.exists():
        ahead.update(claimed_at=now)


def take(collection: Collection, *, assessor: User, count: int) -> None:
    """Have as many to judge as wanted, if there are; renew what is held for a while."""
    held = _held(collection=collection, assessor=assessor)
    left, oldest = held[0] if held else (0, None)
    due = is_due(oldest)
    if due or left < count:
        with transaction.atomic():
            hold_seats(collection)
            if due:
                renew(collection, assessor=assessor)
            claiming.claim_seats(collection, assessor=assessor, count=count - left)


@statement
def _held(collection: Any, assessor: Any) -> QuerySet[Seat, Any]:
    """How many somebody has to judge, and since when the oldest is held; no row if there are none."""
    own = blind.seats(collection, assessor).filter(judged_at=None).order_by().values("assessor")
    return own.annotate(left=Count("pk"), oldest=Min("claimed_at")).values_list("left", "oldest")


def _leases(collection: Collection, assessor: User) -> QuerySet[Seat]:
    return blind.seats(collection, assessor).filter(judged_at=None, claimed_at__isnull=False)


def is_due(claimed_at: datetime | None) -> bool:
    """So much of a lease has passed that it is renewed; what is one's own for good has none."""
    return claimed_at is not None and claimed_at < timezone.now() - timedelta(seconds=settings.LEASE_SECONDS / RENEWED)


def renew(collection: Collection, *, assessor: User) -> None:
    """What another request of the same person has locked is judged or renewed there."""
    rows = _leases(collection, assessor).select_for_update(skip_locked=True)
    Seat.objects.filter(pk__in=list(rows.values_list("pk", flat=True))).update(claimed_at=timezone.now())


def hold_seats(collection: Collection) -> None:
    """Until the transaction ends nobody assigns anew; all who judge hold it side by side. Before any seat is locked,
    as who assigns locks collection and seats in this order. SQLite has one writer at a time anyway.

    Who need not keep judges out locks the collection with no_key: PostgreSQL lets judge after judge in before somebody who
    waits for all of them, so that in a crowd a file would wait for seconds, or minutes."""
    if connection.vendor == "postgresql":
        with often() as cursor:
            cursor.execute("SELECT 1 FROM pooling_collection WHERE id = %s FOR KEY SHARE", [collection.pk])
