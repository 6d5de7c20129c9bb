"""A table whose rows are never changed or deleted, through any door: the database itself refuses. For migrations."""

from collections.abc import Callable

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
        for act in ("UPDATE", "DELETE"):
            name = f"{table}_no_{act.lower()}"
            if editor.connection.vendor == "postgresql":
                editor.execute(f"DROP TRIGGER {name} ON {table}")
                editor.execute(f"DROP FUNCTION {name}()")
            else:
                editor.execute(f"DROP TRIGGER {name}")

    return refuse, allow
