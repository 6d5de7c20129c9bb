"""Taking seats: of shared topics, item by item, and for machines."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import Count, Exists, F, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from assess import blind
from assess.models import SLOTS, FormerSeat, Seat, Workload
from assess.services import machines
from config.models import User
from config.statements import statement
from pooling.models import Collection
from pooling.services.work import ROWS

LAST = 2_147_483_647  # in any order

# Of an item's opinions that are free only the first may be taken, so that nobody takes two of them at once.
# The joins are crossed, which SQLite takes as the order to walk in: along the index, and no further than the limit.
_CHOICE = """
    SELECT seat.id FROM assess_seat seat
    CROSS JOIN pooling_poolitem item
    CROSS JOIN assess_assignment mine
    CROSS JOIN assess_assignmentplan plan
    CROSS JOIN pooling_corpus corpus
    CROSS JOIN pooling_document document
    WHERE seat.collection_id = %(collection)s AND seat.judged_at IS NULL AND {which}
    AND item.id = seat.item_id
    AND mine.topic_id = item.topic_id AND mine.assessor_id = %(me)s
    AND plan.collection_id = seat.collection_id AND (mine.slot = seat.slot OR plan.by_item)
    AND corpus.collection_id = seat.collection_id
    AND document.corpus_id = corpus.id AND document.generation = corpus.generation AND document.docno = item.docno
    AND NOT EXISTS (SELECT 1 FROM assess_seat other WHERE other.item_id = seat.item_id AND other.assessor_id = %(me)s)
    AND NOT EXISTS (
        SELECT 1 FROM assess_seat lower WHERE lower.item_id = seat.item_id AND lower.slot < seat.slot
        AND lower.judged_at IS NULL AND (lower.assessor_id IS NULL OR lower.claimed_at < %(since)s)
        AND plan.by_item
    )
    ORDER BY {order} LIMIT %(count)s {lock}
"""
# Materialized: PostgreSQL may else run the choice again for every row, each time skipping what it has locked already.
CLAIM = f"""
WITH ended AS MATERIALIZED ({_CHOICE.format(which="seat.claimed_at < %(since)s", order="seat.claimed_at", lock="{lock}")}),
free AS MATERIALIZED ({_CHOICE.format(which="seat.assessor_id IS NULL", order="seat.position, seat.id", lock="{lock}")}),
chosen AS (SELECT id FROM ended UNION ALL SELECT id FROM free LIMIT %(count)s)
UPDATE assess_seat SET assessor_id = %(me)s, claimed_at = %(now)s
WHERE id IN (SELECT id FROM chosen) AND judged_at IS NULL AND (assessor_id IS NULL OR claimed_at < %(since)s)
RETURNING id
"""  # noqa: S608  (of our own words only)


@statement
def _caps(collection: Any, assessor: Any) -> QuerySet[Workload, Any]:
    held = Seat.objects.filter(collection=collection, assessor=assessor, occasion=0).order_by().values("assessor")
    found = Workload.objects.filter(collection=collection, assessor=assessor, cap__isnull=False)
    return found.annotate(held=Coalesce(Subquery(held.annotate(n=Count("pk")).values("n")), 0)).values_list("cap", "held")


def claim_seats(collection: Collection, *, assessor: User, count: int, room: int | None = None) -> int:
    """Take free seats of topics one shares, and those whose lease has ended, by one statement: no two get the same one.

    Nobody gets more than their cap: `room` is what is left of it, if that is known. A machine's seats are its own, on
    whatever is pooled."""
    if assessor.is_machine:
        return machines.take_seats(collection, machine=assessor, count=count)
    if room is None:
        room = min((cap - held for cap, held in _caps(collection=collection, assessor=assessor)), default=count)
    count = min(count, room)
    if count <= 0:
        return 0
    lock = "FOR UPDATE OF seat SKIP LOCKED" if connection.vendor == "postgresql" else ""
    now, since = (connection.ops.adapt_datetimefield_value(at) for at in (timezone.now(), blind.lease_start()))
    values = {"me": assessor.pk, "now": now, "since": since, "collection": collection.pk, "count": count}
    with connection.cursor() as cursor:
        cursor.execute(CLAIM.format(lock=lock), values)
        return len(cursor.fetchall())


# What changes hands


def remember_holders(seats: QuerySet[Seat]) -> None:
    """Before they lose them: who had which of these seats. In a transaction of the caller's."""
    columns = ("collection_id", "item_id", "assessor_id", "slot", "inclusion", "token")
    rows: Iterable[tuple[Any, ...]] = seats.filter(assessor__isnull=False, judged_at=None, slot__in=SLOTS).values_list(*columns)
    former = [FormerSeat(**dict(zip(columns, row, strict=True))) for row in rows]
    FormerSeat.objects.bulk_create(former, batch_size=ROWS, ignore_conflicts=True)


def late_seat(collection: Collection, *, assessor: User, token: Any, now: datetime) -> Seat | None:
    """The seat that a late act is about, locked, for who had the one that is named; None: they never had it.

    It is theirs, and marked, if they have the document again, or if nobody has that opinion; and in a topic they share
    as long as nobody has judged it. Otherwise it stays another's, and the act is an extra.
    """
    sent = Seat.objects.filter(Exists(blind.shared_topics(assessor)), token=token, collection=collection, occasion=0).first()
    former = FormerSeat.objects.filter(token=token, assessor=assessor, collection=collection).first()
    had = sent or former
    if had is None:
        return None
    mine = Seat.objects.filter(item=had.item_id, assessor=assessor, occasion=0)
    if mine.update(judged_at=Coalesce("judged_at", now)):
        return mine.get()
    place = {"item_id": had.item_id, "slot": had.slot, "occasion": 0}
    if not Seat.objects.filter(**place).exists():
        again = Seat(collection=collection, token=token, position=LAST, inclusion=had.inclusion, **place)
        Seat.objects.bulk_create([again], ignore_conflicts=True)  # another may do so at the same moment
    there = Seat.objects.filter(**place)
    free = there.filter(judged_at=None) if sent else there.filter(judged_at=None, assessor=None)
    if not free.update(assessor=assessor, judged_at=now):
        there.update(judged_at=F("judged_at"))
    return there.get()
