"""A release and the steps of its life are never changed or deleted, through any door: the database itself refuses."""

from importlib import import_module

from django.db import migrations

from config import append_only

guard = import_module("evaluation.migrations.0002_release_append_only")
refuse, allow = append_only.guard("evaluation_releasestep", "A step of a release is never changed or deleted")


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0005_release_rules")]
    operations = [migrations.RunPython(guard.refuse, guard.allow), migrations.RunPython(refuse, allow)]
