"""An act of deciding is never changed or deleted, through any door: the database itself refuses."""

from django.db import migrations

from config import append_only

refuse, allow = append_only.guard("assess_decisionevent", "A decision event is never changed or deleted")


class Migration(migrations.Migration):
    dependencies = [("assess", "0007_merging_and_decisions")]
    operations = [migrations.RunPython(refuse, allow)]
