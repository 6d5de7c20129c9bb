"""Jobs of this app: each loads by id, calls one service, and may be run twice."""

from datetime import datetime

from assess.services import judging, leases, seating
from config import housekeeping, jobs
from pooling.models import Collection


@jobs.job("seat_items", minutes=30)
def seat_items(running: jobs.Running) -> None:
    seating.seat_items(Collection.objects.get(pk=running.args["collection"]), running)


@housekeeping.stamped
def mend_leases(now: datetime) -> None:
    leases.mend_leases(now)


@housekeeping.hourly("paces of judging")
def note_paces() -> int:
    return judging.note_paces()
