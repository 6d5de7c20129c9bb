"""How much each assessor takes on."""

from collections.abc import Sequence

from django.db import transaction

from assess import selectors
from assess.models import Workload
from config.errors import Refusal
from config.models import User
from pooling.models import Collection

MOST_CAP = 1_000_000


@transaction.atomic
def set_workloads(collection: Collection, wanted: Sequence[tuple[User, float, int | None]]) -> list[Workload]:
    return [set_workload(collection, assessor=user, weight=weight, cap=cap) for user, weight, cap in wanted]


@transaction.atomic
def set_workload(collection: Collection, *, assessor: User, weight: float, cap: int | None) -> Workload:
    """A weight against the others', and the most documents; minded whenever topics are shared out or documents taken."""
    if not 0 < weight <= 100 or (cap is not None and not 0 <= cap <= MOST_CAP):
        told = f"Expected a weight above 0, to 100, and a cap of 0 to {MOST_CAP:,} documents or none"
        raise Refusal(f"{told}; found {weight:g} and {'none' if cap is None else cap}.")
    if assessor not in selectors.assessors(collection):
        raise Refusal(f"{assessor.name} is not an assessor of this collection.")
    values = {"weight": weight, "cap": cap}
    return Workload.objects.update_or_create(collection=collection, assessor=assessor, defaults=values)[0]
