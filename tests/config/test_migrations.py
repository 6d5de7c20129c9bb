"""A new site makes its tables in one step for each app, a site of before step by step: both end with the same."""

from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ModelState


def _described(model: ModelState) -> tuple[object, ...]:
    fields = {name: field.deconstruct()[1:] for name, field in model.fields.items()}
    options = {
        name: sorted(map(repr, value)) if name in {"constraints", "indexes"} else value for name, value in model.options.items()
    }
    return fields, {name: value for name, value in options.items() if value}, model.bases


def test_one_step_and_many_end_alike() -> None:
    short, long = (MigrationLoader(None, replace_migrations=short).project_state() for short in (True, False))
    assert set(short.models) == set(long.models)
    for key, model in short.models.items():
        assert _described(model) == _described(long.models[key]), key
