"""All tables in one step: a new site starts in a third of the time. A site of before goes on by the steps that this stands for."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

from config.migrating import Together

from config import append_only

guards = [
    append_only.guard("evaluation_release", "A release is never changed or deleted"),
    append_only.guard("evaluation_releasestep", "A step of a release is never changed or deleted"),
]


class Migration(migrations.Migration):

    replaces = [('evaluation', '0001_initial'), ('evaluation', '0002_release_append_only'), ('evaluation', '0003_release_unguarded'), ('evaluation', '0004_release_archives'), ('evaluation', '0005_release_rules'), ('evaluation', '0006_release_append_only_again'), ('evaluation', '0007_scoring_plan')]

    initial = True

    dependencies = [
        ('config', '__first__'),
        ('pooling', '0001_squashed_0005_picks_and_samples'),
    ]

    operations = [
        Together(
            [
                migrations.CreateModel(
                    name='Release',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('number', models.PositiveIntegerField()),
                        ('rule', models.CharField(blank=True, choices=[('first', 'the primary assessor’s grade'), ('majority', 'the most frequent grade'), ('median_low', 'the median, of an even number the lower'), ('median_high', 'the median, of an even number the upper'), ('max', 'the highest grade'), ('min', 'the lowest grade')], help_text='Empty: the qrels were imported.', max_length=20)),
                        ('note', models.TextField(blank=True, max_length=5000)),
                        ('path', models.CharField(help_text='The qrels file, below the data folder.', max_length=300)),
                        ('sha256', models.CharField(max_length=64)),
                        ('counts', models.JSONField(help_text='Items, topics, grades, differing pairs: as of the freeze.')),
                        ('about', models.JSONField(default=dict, help_text='Opinions asked for, scale, guidelines, pool rounds, agreement: as of the freeze.')),
                        ('archive', models.CharField(blank=True, help_text='All files as one, below the data folder.', max_length=300)),
                        ('archive_sha256', models.CharField(blank=True, max_length=64)),
                        ('last_event', models.BigIntegerField(default=0, help_text='Newest judgment event that is in it.')),
                        ('last_decision', models.BigIntegerField(default=0, help_text='Newest act of deciding that is in it.')),
                        ('frozen_at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('collection', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='releases', to='pooling.collection')),
                        ('frozen_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'ordering': ['-number'],
                        'constraints': [models.UniqueConstraint(fields=('collection', 'number'), name='release_number_once')],
                    },
                ),
                migrations.CreateModel(
                    name='PrivateScore',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('tag', models.CharField(max_length=100)),
                        ('run_sha256', models.CharField(max_length=64)),
                        ('version', models.CharField(max_length=20)),
                        ('report', models.JSONField()),
                        ('made_at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('release', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='private_scores', to='evaluation.release')),
                    ],
                    options={
                        'ordering': ['-pk'],
                        'constraints': [models.UniqueConstraint(fields=('release', 'user', 'run_sha256'), name='private_score_once')],
                    },
                ),
                migrations.CreateModel(
                    name='ReleaseStep',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('state', models.CharField(choices=[('draft', 'draft: for organizers'), ('private', 'private: for members who do not judge'), ('public', 'public: for everybody who sees the collection'), ('withdrawn', 'withdrawn: its files are no longer given out')], max_length=10)),
                        ('note', models.TextField(blank=True, help_text='Why it was withdrawn: shown in its place.', max_length=1000)),
                        ('at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('release', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='steps', to='evaluation.release')),
                    ],
                    options={
                        'ordering': ['pk'],
                    },
                ),
                migrations.CreateModel(
                    name='Score',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('measure', models.CharField(max_length=60)),
                        ('mean', models.FloatField()),
                        ('release', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='scores', to='evaluation.release')),
                        ('run', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='scores', to='pooling.run')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('release', 'run', 'measure'), name='score_once')],
                    },
                ),
                migrations.CreateModel(
                    name='ScoreArchive',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('version', models.PositiveIntegerField()),
                        ('path', models.CharField(max_length=300)),
                        ('sha256', models.CharField(max_length=64)),
                        ('run_count', models.PositiveIntegerField()),
                        ('made_at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('release', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='score_archives', to='evaluation.release')),
                    ],
                    options={
                        'ordering': ['-version'],
                        'constraints': [models.UniqueConstraint(fields=('release', 'version'), name='score_archive_version_once')],
                    },
                ),
                migrations.CreateModel(
                    name='ScoreFile',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('path', models.CharField(max_length=300)),
                        ('run_sha256', models.CharField(max_length=64)),
                        ('version', models.CharField(blank=True, help_text='Of Assize, which computed them.', max_length=20)),
                        ('made_at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('release', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='score_files', to='evaluation.release')),
                        ('run', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='score_files', to='pooling.run')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('release', 'run'), name='score_file_once')],
                    },
                ),
                migrations.CreateModel(
                    name='ScoringPlan',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('shown', models.JSONField(blank=True, default=list, help_text='Measures beside the official ones; empty: the usual ones.')),
                        ('test', models.CharField(default='randomization', help_text='Of differences from the best run.', max_length=20)),
                        ('correction', models.CharField(default='holm', help_text='For the number of tests.', max_length=12)),
                        ('seen', models.CharField(choices=[('own', 'Their own runs, beside the median of all'), ('anonymous', 'All runs, those of others without their names'), ('all', 'All runs')], default='all', max_length=10)),
                        ('expected', models.JSONField(blank=True, default=dict, help_text='Topic: relevant documents that a user expects to find.')),
                        ('known', models.JSONField(blank=True, default=dict, help_text='Topic: docnos that a user knows already.')),
                        ('collection', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='scoring_plan', to='pooling.collection')),
                    ],
                ),
                *(migrations.RunPython(refuse, allow) for refuse, allow in guards),
            ]
        ),
    ]
