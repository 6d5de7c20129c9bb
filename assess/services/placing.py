"""What an adaptive round picks next, with its seat: items, picks and seats by one statement, all of them or none."""

import uuid
from collections.abc import Sequence
from typing import Any

from django.db import OperationalError, connection, transaction
from django.utils import timezone

from pooling.adaptives import Known, Picked, View
from pooling.models import Collection

# In the order in which they are given, for each item.
_GIVEN = {
    "pool": "bigint",
    "topic": "bigint",
    "docno": "varchar",
    "best_rank": "integer",
    "run_count": "integer",
    "number": "integer",
    "run": "bigint",
    "why": "varchar",
    "known": "jsonb",
    "at": "timestamptz",
    "collection": "bigint",
    "assessor": "bigint",
    "position": "integer",
    "token": "uuid",
}
_ITEM = "INSERT INTO pooling_poolitem (pool_id, topic_id, docno, best_rank, run_count, place)"
_PICK = "INSERT INTO pooling_pick (pool_id, topic_id, number, run_id, why, known, at, item_id)"
_SEAT = """INSERT INTO assess_seat
    (collection_id, topic_id, assessor_id, position, token, slot, occasion, inclusion, imported, item_id)"""
_POSTGRES = f"""
WITH given ({", ".join(f'"{name}"' for name in _GIVEN)}) AS (VALUES {{rows}}),
item AS ({_ITEM} SELECT pool, topic, docno, best_rank, run_count, number FROM given RETURNING id, docno),
pick AS ({_PICK} SELECT pool, topic, number, run, why, known, at, item.id FROM given JOIN item USING (docno)),
seat AS (
    {_SEAT} SELECT collection, topic, assessor, "position", token, 1, 0, 1, false, item.id FROM given JOIN item USING (docno)
    WHERE token IS NOT NULL
)
UPDATE pooling_pool SET item_count = item_count + (SELECT count(*) FROM item) WHERE id = (SELECT min(pool) FROM given)
"""  # noqa: S608  (of our own words only)
# SQLite writes to one table with a statement, but for a trigger: that of a view which only this connection knows.
_VIEW = f"CREATE TEMP VIEW IF NOT EXISTS picked AS SELECT {', '.join(f'NULL AS {name}' for name in _GIVEN)}"
_THERE = "(SELECT id FROM pooling_poolitem WHERE topic_id = NEW.topic AND docno = NEW.docno)"
_TRIGGER = f"""
CREATE TEMP TRIGGER IF NOT EXISTS picked_in INSTEAD OF INSERT ON picked BEGIN
    {_ITEM} VALUES (NEW.pool, NEW.topic, NEW.docno, NEW.best_rank, NEW.run_count, NEW.number);
    {_PICK} VALUES (NEW.pool, NEW.topic, NEW.number, NEW.run, NEW.why, NEW.known, NEW.at, {_THERE});
    {_SEAT} SELECT NEW.collection, NEW.topic, NEW.assessor, NEW.position, NEW.token, 1, 0, 1, 0, {_THERE}
    WHERE NEW.token IS NOT NULL;
    UPDATE pooling_pool SET item_count = item_count + 1 WHERE id = NEW.pool;
END
"""  # noqa: S608
_SQLITE = "INSERT INTO temp.picked VALUES {rows}"


def place(
    collection: Collection, found: View, picks: Sequence[Picked], known: Known, position: int | None, owner: int | None
) -> int:
    """Add items with a seat for each, its owner's or anybody's, or with none where there is no position for it."""
    values: list[Any] = []
    for number, one in enumerate(picks):
        told = connection.ops.adapt_json_value(known.before(number), None)
        at = connection.ops.adapt_datetimefield_value(timezone.now())
        values += [found.pool.pk, found.topic.pk, one.docno, one.best_rank, one.run_count, known.picked + number + 1]
        values += [one.run, one.why, told, at, collection.pk, owner, position, _token() if position is not None else None]
    if connection.vendor == "postgresql":
        _run(_POSTGRES, [f"%s::{kind}" for kind in _GIVEN.values()], values)
    else:
        with transaction.atomic():  # for its place in the queue of those that write
            _by_trigger(values)
    return len(picks)


def _run(sql: str, row: list[str], values: list[Any]) -> None:
    rows = ", ".join([f"({', '.join(row)})"] * (len(values) // len(row)))
    with connection.cursor() as cursor:
        cursor.execute(sql.format(rows=rows), values)


def _by_trigger(values: list[Any]) -> None:
    try:
        _run(_SQLITE, ["%s"] * len(_GIVEN), values)
    except OperationalError:  # the first of this connection: there is no such view yet
        with connection.cursor() as cursor:
            cursor.execute(_VIEW)
            cursor.execute(_TRIGGER)
        _run(_SQLITE, ["%s"] * len(_GIVEN), values)


def _token() -> Any:
    made = uuid.uuid4()
    return made if connection.features.has_native_uuid_field else made.hex
