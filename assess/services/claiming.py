"""Taking seats: of shared topics, item by item, and for machines."""

from typing import Any

from django.db import connection
from django.db.models import Count, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from assess import blind
from assess.models import Seat, Workload
from assess.services import machines
from config.models import User
from config.statements import statement
from pooling.models import Collection

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
