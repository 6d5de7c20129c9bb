"""Indexes in the database keep postings. Those of before are left behind: they are made anew by the button or the command."""

from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps


def forget(apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
    if editor.connection.vendor == "postgresql":
        editor.execute("TRUNCATE pooling_searchindex, pooling_indexeddocument, pooling_indexedterm")


def keep_as_they_are(apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
    """Read often: vectors stay in their row where there is room, and nothing is packed."""
    if editor.connection.vendor == "postgresql":
        editor.execute("ALTER TABLE pooling_indexeddocument ALTER terms SET STORAGE EXTERNAL, SET (toast_tuple_target = 8160)")
        editor.execute("ALTER TABLE pooling_indexedterm ALTER postings SET STORAGE EXTERNAL")


class Migration(migrations.Migration):

    dependencies = [
        ('pooling', '0011_collection_slug'),
    ]

    operations = [
        migrations.RunPython(forget, migrations.RunPython.noop),
        migrations.RemoveConstraint(model_name='indexedterm', name='indexed_term_once'),
        migrations.RemoveField(model_name='indexeddocument', name='text_terms'),
        migrations.RemoveField(model_name='indexeddocument', name='title_terms'),
        migrations.AddField(model_name='indexeddocument', name='number', field=models.PositiveIntegerField(default=0), preserve_default=False),
        migrations.AddField(model_name='indexedterm', name='piece', field=models.PositiveIntegerField(default=0), preserve_default=False),
        migrations.AddField(
            model_name='indexedterm',
            name='postings',
            field=models.BinaryField(default=b'', help_text='As pooling/search_database.py packs them.'),
            preserve_default=False,
        ),
        migrations.AddConstraint(
            model_name='indexeddocument',
            constraint=models.UniqueConstraint(fields=('index', 'number'), name='indexed_document_once'),
        ),
        migrations.AddConstraint(
            model_name='indexedterm',
            constraint=models.UniqueConstraint(fields=('index', 'term', 'weight', 'piece'), name='indexed_term_once'),
        ),
        migrations.RunPython(keep_as_they_are, migrations.RunPython.noop),
    ]
