"""A judgment event is never changed or deleted, through any door: the database itself refuses."""

from django.db import migrations

from config import append_only

refuse, allow = append_only.guard("assess_judgmentevent", "A judgment event is never changed or deleted")


class Migration(migrations.Migration):
    dependencies = [("assess", "0001_initial")]
    operations = [migrations.RunPython(refuse, allow)]
