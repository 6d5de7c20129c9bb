"""Relevant passages. SQLite makes the tables anew and loses their triggers, so these go first and come back last."""

from importlib import import_module

from django.db import migrations, models

append_only = import_module("assess.migrations.0002_judgmentevent_append_only")
HELP = "Relevant passages: start-end in characters of the text, by commas."


class Migration(migrations.Migration):
    dependencies = [("assess", "0009_sharing_watching_machines")]
    operations = [
        migrations.RunPython(append_only.allow, append_only.refuse),
        migrations.AddField("judgment", "evidence", models.TextField(blank=True, default="", help_text=HELP)),
        migrations.AddField("judgmentevent", "evidence", models.TextField(blank=True, default="", help_text=HELP)),
        migrations.RunPython(append_only.refuse, append_only.allow),
    ]
