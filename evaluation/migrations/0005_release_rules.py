"""Rules by their names of now; releases made before there were steps were for members at once."""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

NAMES = {"primary": "first", "highest": "max"}


def rename(apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
    releases = apps.get_model("evaluation", "Release").objects
    for old, new in NAMES.items():
        releases.filter(rule=old).update(rule=new)
    steps = apps.get_model("evaluation", "ReleaseStep").objects
    for release in releases.filter(steps=None):
        steps.create(release=release, state="private", by_id=release.frozen_by_id, at=release.frozen_at)


def rename_back(apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
    releases = apps.get_model("evaluation", "Release").objects
    for old, new in NAMES.items():
        releases.filter(rule=new).update(rule=old)


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0004_release_archives")]
    operations = [migrations.RunPython(rename, rename_back)]
