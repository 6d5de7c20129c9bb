"""Releases and their steps are not replaced row by row nor emptied as a whole either."""

from django.db import migrations

from config import append_only

seals = [
    append_only.seal("evaluation_release", "A release is never changed or deleted", [["id"], ["collection_id", "number"]]),
    append_only.seal("evaluation_releasestep", "A step of a release is never changed or deleted", [["id"]]),
]


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0008_score_mean_undefined")]
    operations = [migrations.RunPython(refuse, allow) for refuse, allow in seals]
