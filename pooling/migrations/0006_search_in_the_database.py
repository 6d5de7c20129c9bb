"""Where the database keeps search indexes: PostgreSQL alone has the kind of index that finds terms."""

import django.db.models.deletion
import pooling.models
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps


def find_terms(apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
    if editor.connection.vendor == "postgresql":
        editor.execute("CREATE INDEX indexed_document_terms ON pooling_indexeddocument USING gin (terms)")


class Migration(migrations.Migration):

    dependencies = [
        ('pooling', '0005_picks_and_samples'),
    ]

    operations = [
        migrations.CreateModel(
            name='SearchIndex',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('generation', models.PositiveIntegerField()),
                ('is_ready', models.BooleanField(default=False)),
                ('document_count', models.PositiveIntegerField(default=0)),
                ('title_terms', models.BigIntegerField(default=0, help_text='Of all titles together.')),
                ('text_terms', models.BigIntegerField(default=0)),
                ('corpus', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='indexes', to='pooling.corpus')),
            ],
        ),
        migrations.CreateModel(
            name='IndexedTerm',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('weight', models.CharField(max_length=1)),
                ('term', models.TextField()),
                ('document_count', models.PositiveIntegerField()),
                ('index', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='pooling.searchindex')),
            ],
        ),
        migrations.CreateModel(
            name='IndexedDocument',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('docno', models.CharField(max_length=400)),
                ('title_terms', models.PositiveIntegerField()),
                ('text_terms', models.PositiveIntegerField()),
                ('terms', pooling.models.TermVector()),
                ('index', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='pooling.searchindex')),
            ],
        ),
        migrations.AddConstraint(
            model_name='searchindex',
            constraint=models.UniqueConstraint(condition=models.Q(('is_ready', True)), fields=('corpus', 'generation'), name='search_index_once'),
        ),
        migrations.AddConstraint(
            model_name='indexedterm',
            constraint=models.UniqueConstraint(fields=('index', 'weight', 'term'), name='indexed_term_once'),
        ),
        migrations.RunPython(find_terms, migrations.RunPython.noop),
    ]
