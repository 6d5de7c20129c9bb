"""A table whose rows are never changed or deleted, through any door: the database itself refuses. For migrations.

SQLite forgets the triggers of a table that a migration makes anew: such a one puts them up again, those of `seal` too.
"""

from collections.abc import Callable, Sequence

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

Step = Callable[[StateApps, BaseDatabaseSchemaEditor], None]


def guard(table: str, words: str) -> tuple[Step, Step]:
    """Two steps of a migration: refuse every change with these words, and allow them again."""

    def refuse(apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
        for act in ("UPDATE", "DELETE"):
            name = f"{table}_no_{act.lower()}"
            if editor.connection.vendor == "postgresql":
                editor.execute(
                    f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS "
                    f"$$ BEGIN RAISE EXCEPTION '{words}' USING ERRCODE = 'integrity_constraint_violation'; END $$"
                )
                editor.execute(f"CREATE TRIGGER {name} BEFORE {act} ON {table} FOR EACH ROW EXECUTE FUNCTION {name}()")
            else:
                editor.execute(f"CREATE TRIGGER {name} BEFORE {act} ON {table} BEGIN SELECT RAISE(ABORT, '{words}'); END")

    def allow(apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
        for act in ("update", "delete"):
            _drop(editor, table, f"{table}_no_{act}")

    return refuse, allow


def seal(table: str, words: str, keys: Sequence[Sequence[str]]) -> tuple[Step, Step]:
    """The same for what no row's trigger sees: SQLite's INSERT OR REPLACE, which deletes in silence whatever has one of
    these unique keys, and PostgreSQL's TRUNCATE, also by `manage.py flush`. A table without rows may be emptied."""
    sqlite, postgresql = f"{table}_no_replace", f"{table}_no_truncate"

    def refuse(apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
        if editor.connection.vendor == "postgresql":
            editor.execute(
                f"CREATE FUNCTION {postgresql}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
                f"IF EXISTS (SELECT FROM {table}) THEN "
                f"RAISE EXCEPTION '{words}' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NULL; END $$"
            )
            editor.execute(
                f"CREATE TRIGGER {postgresql} BEFORE TRUNCATE ON {table} FOR EACH STATEMENT EXECUTE FUNCTION {postgresql}()"
            )
        else:
            # One look into each index. Where SQLite is to choose the id it is -1 here, which no row has.
            same = (" AND ".join(f"{name} = NEW.{name}" for name in key) for key in keys)
            there = " OR ".join(f"EXISTS (SELECT 1 FROM {table} WHERE {key})" for key in same)  # noqa: S608  (our own words)
            editor.execute(
                f"CREATE TRIGGER {sqlite} BEFORE INSERT ON {table} WHEN {there} BEGIN SELECT RAISE(ABORT, '{words}'); END"
            )

    def allow(apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
        _drop(editor, table, postgresql if editor.connection.vendor == "postgresql" else sqlite)

    return refuse, allow


def _drop(editor: BaseDatabaseSchemaEditor, table: str, name: str) -> None:
    """A trigger, and on PostgreSQL its function."""
    if editor.connection.vendor == "postgresql":
        editor.execute(f"DROP TRIGGER {name} ON {table}")
        editor.execute(f"DROP FUNCTION {name}()")
    else:
        editor.execute(f"DROP TRIGGER {name}")
