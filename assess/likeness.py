"""Texts of one's own that read alike: pointed out to whoever judged one of them, with their own grade and no one else's.

Sketches are derived: made when first asked for, and kept by this process for as long as there is room.
"""

import threading
import uuid
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from django.db.models import OuterRef, QuerySet, Subquery
from django.db.models.functions import Length

from assess import blind
from assess.core import likeness
from assess.core.likeness import Sketch
from assess.models import Judgment, Seat
from config.models import User
from pooling.models import Collection, Document

MOST_LETTERS = 5_000_000  # of texts that are sketched for one request; the rest at the next
KEPT = 50_000  # sketches, of less than a kilobyte each
_kept: OrderedDict[int, Sketch] = OrderedDict()
_lock = threading.Lock()


@dataclass(frozen=True)
class Other:
    """A document that reads the same, or nearly; `grade` is one's own, None if there is none so far."""

    seat: uuid.UUID
    docno: str
    same: bool
    grade: int | None


@dataclass(frozen=True)
class Alike:
    seat: uuid.UUID
    others: list[Other]


@dataclass(frozen=True)
class _Row:
    seat: uuid.UUID
    topic: int
    docno: str
    document: int
    size: int
    grade: int | None


def alike(collection: Collection, assessor: User, asked: Sequence[uuid.UUID]) -> list[Alike]:
    """For each of the asked seats, one's other documents of the topic, judged or asked for too, that read alike."""
    mine = blind.seats(collection, assessor)
    topics = mine.filter(token__in=asked).values("topic")
    judged = mine.filter(topic__in=topics, judged_at__isnull=False)
    rows = _rows(collection, mine.filter(token__in=asked)) + _rows(collection, judged.exclude(token__in=asked))
    sketches = _sketches(rows)
    known = [row for row in rows if row.document in sketches]
    wanted = set(asked)
    found = []
    for row in known:
        if row.seat in wanted:
            # What comes back to be judged again must not be told from what is new.
            rest = [other for other in known if other.document != row.document and other.topic == row.topic]
            near = [(other, _same(sketches, row, other)) for other in rest]
            others = [
                Other(other.seat, other.docno, share == 1, other.grade) for other, share in near if share >= likeness.NEAR
            ]
            found += (
                [Alike(row.seat, sorted(others, key=lambda other: (not other.same, other.grade is None)))] if others else []
            )
    return found


def _same(sketches: dict[int, Sketch], one: _Row, other: _Row) -> float:
    return likeness.overlap(sketches[one.document], sketches[other.document])


def _rows(collection: Collection, seats: QuerySet[Seat]) -> list[_Row]:
    """Newest first. Without their texts: most are sketched already."""
    document = blind.documents(collection)
    head = Judgment.objects.filter(item=OuterRef("item"), assessor=OuterRef("assessor"), occasion=0)
    named = seats.annotate(
        document=Subquery(document.values("pk")[:1]),
        size=Subquery(document.values(size=Length("text"))[:1]),
        grade=Subquery(head.values("grade")[:1]),
    )
    columns = ("token", "topic", "item__docno", "document", "size", "grade")
    return [
        _Row(*row) for row in named.exclude(document=None).filter(size__gt=0).order_by("-judged_at", "pk").values_list(*columns)
    ]


def _sketches(rows: Iterable[_Row]) -> dict[int, Sketch]:
    with _lock:
        found = {row.document: _kept[row.document] for row in rows if row.document in _kept}
    missing = [row for row in rows if row.document not in found]
    fits = sum(total <= MOST_LETTERS for total in accumulate(row.size for row in missing))
    texts = Document.objects.filter(pk__in=[row.document for row in missing[:fits]]).values_list("pk", "text")
    made = {pk: likeness.sketch(text) for pk, text in texts.iterator(chunk_size=100)}
    with _lock:
        _kept.update(made)
        while len(_kept) > KEPT:
            _kept.popitem(last=False)
    return found | made
