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
from config.statements import often, statement
from pooling.models import Collection
from pooling.services.work import ROWS

LAST = 2_147_483_647  # in any order

# Where one may look: each opinion on each topic of one's own, or any opinion where it goes item by item. There somebody may
# be far ahead of the others, who have yet to judge what they have judged: one looks beyond the last that one had first.
_PLACES = """
    SELECT mine.topic_id, wanted.slot, plan.by_item, corpus.id AS corpus_id, corpus.generation,
        COALESCE(CASE WHEN plan.by_item THEN (
            SELECT own.position FROM assess_seat own
            WHERE own.topic_id = mine.topic_id AND own.assessor_id = %(me)s AND own.occasion = 0
            ORDER BY own.position DESC LIMIT 1
        ) END, -1) AS had
    FROM assess_assignment mine
    JOIN pooling_topic topic ON topic.id = mine.topic_id
    JOIN pooling_corpus corpus ON corpus.collection_id = topic.collection_id
    JOIN assess_assignmentplan plan ON plan.collection_id = topic.collection_id
    JOIN (SELECT 1 AS slot UNION ALL SELECT 2 UNION ALL SELECT 3) wanted ON wanted.slot = mine.slot OR plan.by_item
    WHERE mine.assessor_id = %(me)s AND topic.collection_id = %(collection)s
"""
# In the order of what is free there; without a limit SQLite would not keep it.
_IN_ORDER = """
    SELECT place.*, (
        SELECT seat.position FROM assess_seat seat
        WHERE seat.topic_id = place.topic_id AND seat.slot = place.slot AND seat.position > place.had
        AND seat.assessor_id IS NULL AND seat.judged_at IS NULL ORDER BY seat.position LIMIT 1
    ) AS front
    FROM place ORDER BY front, topic_id, slot LIMIT 1000000
"""
# Of an item's opinions that are free only the first may be taken, so that nobody takes two of them at once.
# With an offset PostgreSQL asks these of each seat, and does not work them out for the whole pool first.
_OPEN = """
    seat.topic_id = place.topic_id AND seat.slot = place.slot AND seat.judged_at IS NULL AND {which}
    AND EXISTS (
        SELECT 1 FROM pooling_document document
        WHERE document.corpus_id = place.corpus_id AND document.generation = place.generation
        AND document.docno = (SELECT item.docno FROM pooling_poolitem item WHERE item.id = seat.item_id) LIMIT 1 OFFSET 0
    )
    AND NOT EXISTS (
        SELECT 1 FROM assess_seat other WHERE other.item_id = seat.item_id AND other.assessor_id = %(me)s LIMIT 1 OFFSET 0
    )
    AND NOT EXISTS (
        SELECT 1 FROM assess_seat lower WHERE lower.item_id = seat.item_id AND lower.slot < seat.slot
        AND lower.judged_at IS NULL AND (lower.assessor_id IS NULL OR lower.claimed_at < %(since)s)
        AND place.by_item LIMIT 1 OFFSET 0
    )
"""
# Place by place, and in each along one index, no further than the limit: what is taken does not cost more where more is free.
_CHOICE = {
    "postgresql": f"""
        SELECT found.id FROM ordered place CROSS JOIN LATERAL (
            SELECT seat.id FROM assess_seat seat WHERE {_OPEN} ORDER BY {{order}} LIMIT %(count)s FOR UPDATE SKIP LOCKED
        ) found LIMIT %(count)s
    """,  # noqa: S608  (of our own words only)
    "sqlite": f"""
        SELECT seat.id FROM ordered place CROSS JOIN assess_seat seat INDEXED BY {{index}} WHERE {_OPEN} LIMIT %(count)s
    """,  # noqa: S608
}


def _claim(vendor: str) -> str:
    """Materialized: PostgreSQL may else run a choice again for every row, each time skipping what it has locked already."""
    choice = _CHOICE[vendor]
    free = {"index": "seat_free", "order": "seat.position, seat.id"}
    ended = choice.format(which="seat.claimed_at < %(since)s", index="seat_lease", order="seat.claimed_at")
    beyond = choice.format(which="seat.assessor_id IS NULL AND seat.position > place.had", **free)
    behind = choice.format(which="seat.assessor_id IS NULL AND seat.position <= place.had", **free)
    return f"""
        WITH place AS MATERIALIZED ({_PLACES}), ordered AS MATERIALIZED ({_IN_ORDER}),
        ended AS MATERIALIZED ({ended}), beyond AS MATERIALIZED ({beyond}), behind AS MATERIALIZED ({behind}),
        chosen AS (SELECT id FROM ended UNION ALL SELECT id FROM beyond UNION ALL SELECT id FROM behind LIMIT %(count)s)
        UPDATE assess_seat SET assessor_id = %(me)s, claimed_at = %(now)s
        WHERE id IN (SELECT id FROM chosen) AND judged_at IS NULL AND (assessor_id IS NULL OR claimed_at < %(since)s)
        RETURNING id
    """  # noqa: S608


CLAIM = {vendor: _claim(vendor) for vendor in _CHOICE}


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
    now, since = (connection.ops.adapt_datetimefield_value(at) for at in (timezone.now(), blind.lease_start()))
    values = {"me": assessor.pk, "now": now, "since": since, "collection": collection.pk, "count": count}
    with often() as cursor:
        cursor.execute(CLAIM[connection.vendor], values)
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
        of = {"collection": collection, "topic_id": had.item.topic_id}
        again = Seat(token=token, position=LAST, inclusion=had.inclusion, **of, **place)
        Seat.objects.bulk_create([again], ignore_conflicts=True)  # another may do so at the same moment
    there = Seat.objects.filter(**place)
    free = there.filter(judged_at=None) if sent else there.filter(judged_at=None, assessor=None)
    if not free.update(assessor=assessor, judged_at=now):
        there.update(judged_at=F("judged_at"))
    return there.get()
