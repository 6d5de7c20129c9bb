"""A release is never changed or deleted, through any door: the database itself refuses."""

from django.db import migrations

from config import append_only

refuse, allow = append_only.guard("evaluation_release", "A release is never changed or deleted")


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0001_initial")]
    operations = [migrations.RunPython(refuse, allow)]
