"""The merge rule of a collection: how several opinions become one grade, and which go to adjudication."""

from typing import Any

from django.db import transaction
from django.utils import timezone

from assess import opinions
from assess.models import MergePlan
from config import expected
from config.models import User
from pooling.models import Collection
from pooling.services.collections import require_not_archived

MOST_OPINIONS = 20
FIELDS = ("rule", "opinions", "missing", "differ_by", "across", "cannot", "show_own")


@transaction.atomic
def set_plan(collection: Collection, *, by: User, **given: Any) -> MergePlan:
    """Set what is named; the rest stays as it is. What was released does not change by it."""
    require_not_archived(collection)
    Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)  # two at once: one after the other
    plan = opinions.plan(collection)
    for name, value in given.items():
        if name not in FIELDS:
            raise ValueError(f"expected one of {', '.join(FIELDS)}, found {name}")
        setattr(plan, name, value)
    plan.changed_by, plan.changed_at = by, timezone.now()
    expected.require_between("opinions", plan.opinions, 1, MOST_OPINIONS)
    plan.full_clean(exclude=["collection"])
    values = list(collection.grades.values_list("value", flat=True))
    if values:
        expected.require_between("differ_by", plan.differ_by, 0, max(values) - min(values))
    plan.save()
    return plan
