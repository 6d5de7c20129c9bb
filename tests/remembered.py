"""What a fixture made through the services, put back as rows for the tests after: at a tenth of the cost."""

import copy
from collections.abc import Callable
from typing import Any, TypeVar

from django.apps import apps
from django.db import IntegrityError, connection, models, transaction

T = TypeVar("T")
Rows = dict[type[models.Model], dict[Any, models.Model]]
_kept: dict[Callable[..., Any], tuple[Any, Rows, Rows]] = {}


def remembered(make: Callable[..., T], *given: Any) -> T:
    """What `make` makes, from rows if it was made before. Only where the test's end rolls all back: ids stay as they were.

    `given` is what the fixtures before it made, and must itself be remembered."""
    if not connection.in_atomic_block:
        return make(*given)
    if make not in _kept:
        before = _rows()
        made, after = make(*given), _rows()
        _kept[make] = (copy.deepcopy(made), *_difference(before, after))
        return made
    made, new, changed = _kept[make]
    try:
        with transaction.atomic():
            for model, rows in new.items():
                model._base_manager.bulk_create(rows.values())
            for rows in changed.values():
                for row in rows.values():
                    row.save(force_update=True)
    except IntegrityError:  # the test made something before, that has one of these ids now
        return make(*given)
    return copy.deepcopy(made)


def _rows() -> Rows:
    known = [model for model in apps.get_models(include_auto_created=True) if model._meta.managed]
    return {model: {row.pk: row for row in model._base_manager.all()} for model in known}


def _difference(before: Rows, after: Rows) -> tuple[Rows, Rows]:
    def values(row: models.Model) -> list[Any]:
        return [getattr(row, field.attname) for field in row._meta.concrete_fields]

    new: Rows = {}
    changed: Rows = {}
    for model, rows in after.items():
        for pk, row in rows.items():
            if pk not in before[model]:
                new.setdefault(model, {})[pk] = row
            elif values(row) != values(before[model][pk]):
                changed.setdefault(model, {})[pk] = row
    return new, changed
