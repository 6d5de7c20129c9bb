"""Topics in the making, and trial grades of their hits."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('assess', '0012_searches'),
        ('pooling', '0007_topics_frozen'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='TopicDraft',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.CharField(max_length=255)),
                ('title', models.TextField()),
                ('description', models.TextField(blank=True)),
                ('narrative', models.TextField(blank=True)),
                ('language', models.CharField(blank=True, max_length=20)),
                ('words', models.CharField(help_text='What is searched for; the title unless said otherwise.', max_length=1000)),
                ('per_band', models.PositiveIntegerField(default=8, help_text='Hits that are drawn of each band of ranks below the first.')),
                ('state', models.CharField(choices=[('open', 'being developed'), ('accepted', 'accepted'), ('dropped', 'dropped')], default='open', max_length=8)),
                ('reason', models.CharField(blank=True, help_text='Why it was accepted or dropped.', max_length=300)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('decided_at', models.DateTimeField(null=True)),
                ('collection', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='drafts', to='pooling.collection')),
                ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('decided_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('topic', models.OneToOneField(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='draft', to='pooling.topic')),
            ],
            options={
                'ordering': ['pk'],
            },
        ),
        migrations.CreateModel(
            name='DraftGrade',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('docno', models.CharField(max_length=400)),
                ('grade', models.SmallIntegerField()),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('draft', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='grades', to='assess.topicdraft')),
            ],
        ),
        migrations.AddConstraint(
            model_name='topicdraft',
            constraint=models.UniqueConstraint(condition=models.Q(('state', 'open')), fields=('collection', 'number'), name='open_draft_number_once'),
        ),
        migrations.AddConstraint(
            model_name='draftgrade',
            constraint=models.UniqueConstraint(fields=('draft', 'docno'), name='draft_grade_once'),
        ),
    ]
