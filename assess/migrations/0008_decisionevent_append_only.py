"""An act of deciding is never changed or deleted, through any door: the database itself refuses."""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

TABLE = "assess_decisionevent"
WORDS = "A decision event is never changed or deleted"


def refuse(apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
    for act in ("UPDATE", "DELETE"):
        name = f"{TABLE}_no_{act.lower()}"
        if editor.connection.vendor == "postgresql":
            editor.execute(
                f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS "
                f"$$ BEGIN RAISE EXCEPTION '{WORDS}' USING ERRCODE = 'integrity_constraint_violation'; END $$"
            )
            editor.execute(f"CREATE TRIGGER {name} BEFORE {act} ON {TABLE} FOR EACH ROW EXECUTE FUNCTION {name}()")
        else:
            editor.execute(f"CREATE TRIGGER {name} BEFORE {act} ON {TABLE} BEGIN SELECT RAISE(ABORT, '{WORDS}'); END")


def allow(apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
    for act in ("UPDATE", "DELETE"):
        name = f"{TABLE}_no_{act.lower()}"
        if editor.connection.vendor == "postgresql":
            editor.execute(f"DROP TRIGGER {name} ON {TABLE}")
            editor.execute(f"DROP FUNCTION {name}()")
        else:
            editor.execute(f"DROP TRIGGER {name}")


class Migration(migrations.Migration):
    dependencies = [("assess", "0007_merging_and_decisions")]
    operations = [migrations.RunPython(refuse, allow)]
