"""The layer of machines: programs that judge through the API, beside the people and apart from them."""

import uuid

from django.db.models import Exists, OuterRef

from assess.models import MACHINE_SLOT, Seat
from config.errors import Refusal
from config.models import User
from pooling import selectors as pooled
from pooling.models import Collection


def take_seats(collection: Collection, *, machine: User, count: int) -> int:
    """Seats of its own for what is pooled and it has not judged, by topic and docno. Nobody else's work is touched."""
    if not machine.is_machine:
        raise Refusal(f"Expected a machine; {machine.name} is a person.")
    if count <= 0:
        return 0
    own = Seat.objects.filter(assessor=machine, item=OuterRef("pk"))
    found = pooled.drawn_items(collection).filter(~Exists(own)).order_by("topic_id", "docno").values_list("pk", "topic_id")
    told = {"collection": collection, "slot": MACHINE_SLOT, "assessor": machine}
    rows = [Seat(item_id=item, topic_id=topic, position=item, token=uuid.uuid4(), **told) for item, topic in found[:count]]
    Seat.objects.bulk_create(rows, ignore_conflicts=True)  # the same machine may ask twice at once
    return len(rows)
