"""Every way by which SQL could change, replace or delete the rows of a table that is never changed."""

from collections.abc import Iterator

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, models, transaction

# ruff: noqa: S608


def _doors(model: type[models.Model], column: str, value: str, *, other_key: bool) -> Iterator[str]:
    table, names = model._meta.db_table, [str(field.column) for field in model._meta.concrete_fields]

    def copied(**but: str) -> str:
        given = {column: value, **but}
        return f"INTO {table} ({', '.join(names)}) SELECT {', '.join(given.get(name, name) for name in names)} FROM {table}"

    yield f"UPDATE {table} SET {column} = {value}"
    yield f"DELETE FROM {table}"
    # Without a WHERE, SQLite takes ON for that of a join.
    yield f"INSERT {copied()} WHERE true ON CONFLICT (id) DO UPDATE SET {column} = {value}"
    if connection.vendor == "sqlite":
        yield f"INSERT OR REPLACE {copied()}"
        yield f"UPDATE OR REPLACE {table} SET {column} = {value}"
        if other_key:
            yield f"REPLACE {copied(id='id + 1000')}"
    else:
        yield f"TRUNCATE {table} CASCADE"
        yield f"TRUNCATE {table} RESTART IDENTITY CASCADE"
        yield "TRUNCATE config_user CASCADE"  # whom all these rows name


def all_closed(model: type[models.Model], *, column: str, value: str, other_key: bool = True) -> None:
    """Each is refused by triggers, `manage.py flush` too, and all rows are as before. `other_key`: one is unique beside the id."""
    before = list(model._default_manager.order_by("pk").values())
    assert before
    if connection.vendor == "postgresql":  # which empties no table while keys wait to be checked
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    for door in _doors(model, column, value, other_key=other_key):
        with (
            pytest.raises(DatabaseError, match="never changed or deleted"),
            transaction.atomic(),
            connection.cursor() as cursor,
        ):
            cursor.execute(door)
        assert list(model._default_manager.order_by("pk").values()) == before, door
    with pytest.raises(CommandError, match="flushed"), transaction.atomic():
        call_command("flush", interactive=False, verbosity=0)
    assert list(model._default_manager.order_by("pk").values()) == before
