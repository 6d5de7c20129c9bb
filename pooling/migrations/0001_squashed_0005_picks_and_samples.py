"""All tables in one step: a new site starts in a third of the time. A site of before goes on by the steps that this stands for."""

import django.core.validators
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

from config.migrating import Together


class Migration(migrations.Migration):

    replaces = [('pooling', '0001_initial'), ('pooling', '0002_line'), ('pooling', '0003_files_and_strategies'), ('pooling', '0004_collection_described'), ('pooling', '0005_picks_and_samples')]

    initial = True

    dependencies = [
        ('config', '__first__'),
    ]

    operations = [
        Together(
            [
                migrations.CreateModel(
                    name='Collection',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('slug', models.SlugField(error_messages={'unique': 'There is a collection with this address already.'}, help_text="The end of the page's address: small letters, digits and hyphens. It does not change later.", max_length=60, unique=True, validators=[django.core.validators.RegexValidator('^[a-z0-9][a-z0-9-]*$', 'Small letters, digits and hyphens, such as harbour-2026.')])),
                        ('name', models.CharField(max_length=120)),
                        ('description', models.TextField(blank=True, help_text='What is searched, by whom, for what. Markdown.', max_length=5000)),
                        ('visibility', models.CharField(choices=[('private', 'Private: members only'), ('unlisted', 'Unlisted: anybody with the address'), ('public', 'Public: listed for everybody')], default='private', max_length=10)),
                        ('task', models.CharField(choices=[('ad-hoc', 'Ad hoc search'), ('web', 'Web search'), ('known-item', 'Known item'), ('discussion', 'Discussion search'), ('expert', 'Expert finding'), ('question-answering', 'Question answering'), ('microblog', 'Microblog search')], max_length=30)),
                        ('lenient_from', models.SmallIntegerField(help_text='Grade from which a document counts as relevant.')),
                        ('strict_from', models.SmallIntegerField(help_text='The same for the strict view of the same judgments.')),
                        ('measures', models.JSONField(default=list, help_text='Official measures, the first one orders the leaderboard.')),
                        ('genre', models.CharField(blank=True, choices=[('news', 'News'), ('government', 'Government'), ('technical', 'Technical and scientific'), ('web', 'Web pages'), ('microblog', 'Microblogs'), ('ocr', 'Scanned and recognised (OCR)'), ('other', 'Other, or of several kinds')], help_text='What kind of documents are searched.', max_length=20)),
                        ('languages', models.CharField(blank=True, help_text='Of documents and topics, such as: en, hi.', max_length=200)),
                        ('licence', models.CharField(blank=True, help_text='Under which others may use the collection: a name such as CC BY 4.0, or an address.', max_length=200)),
                        ('source', models.CharField(blank=True, help_text='Where the documents come from: words, or an address.', max_length=500)),
                        ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('archived_at', models.DateTimeField(blank=True, null=True)),
                        ('max_per_topic', models.PositiveIntegerField(default=1000, help_text='At most.', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(1000000)], verbose_name='results per topic')),
                        ('expected_per_topic', models.PositiveIntegerField(blank=True, help_text='Fewer are remarked on; empty: any number is fine.', null=True, validators=[django.core.validators.MinValueValidator(1)], verbose_name='results expected per topic')),
                        ('runs_per_group', models.PositiveIntegerField(blank=True, help_text='At most; empty: any number.', null=True, validators=[django.core.validators.MinValueValidator(1)], verbose_name='runs of a group')),
                        ('strict_runs', models.BooleanField(default=False, help_text='A topic without results, or a column 2 that is not Q0, refuses a run.', verbose_name='as strict as NIST')),
                        ('runs_open_at', models.DateTimeField(blank=True, help_text='UTC; empty: at once.', null=True, verbose_name='runs are taken from')),
                        ('runs_close_at', models.DateTimeField(blank=True, help_text='UTC; empty: without end.', null=True, verbose_name='runs are taken until')),
                        ('judging_started_at', models.DateTimeField(blank=True, null=True)),
                        ('seconds_per_judgment', models.FloatField(blank=True, null=True)),
                        ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'constraints': [models.CheckConstraint(condition=models.Q(('strict_from__gte', models.F('lenient_from'))), name='collection_strict_not_below_lenient'), models.CheckConstraint(condition=models.Q(('runs_open_at', None), ('runs_close_at', None), ('runs_close_at__gt', models.F('runs_open_at')), _connector='OR'), name='collection_window_ends_after_its_beginning', violation_error_message='Runs are taken until a time before they are taken from; expected one after it.')],
                    },
                ),
                migrations.CreateModel(
                    name='Corpus',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('generation', models.PositiveIntegerField(default=0)),
                        ('last_generation', models.PositiveIntegerField(default=0, help_text='Highest number given to an import so far.')),
                        ('document_count', models.PositiveIntegerField(default=0)),
                        ('is_complete', models.BooleanField(default=True, help_text='False: there are others, of which only these were kept.')),
                        ('collection', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='corpus', to='pooling.collection')),
                    ],
                ),
                migrations.CreateModel(
                    name='Document',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('generation', models.PositiveIntegerField()),
                        ('docno', models.CharField(max_length=400)),
                        ('title', models.TextField(blank=True)),
                        ('text', models.TextField()),
                        ('html', models.TextField(blank=True, help_text='The page as it came; the text is what reads in it.')),
                        ('url', models.TextField(blank=True)),
                        ('language', models.TextField(blank=True)),
                        ('date', models.TextField(blank=True)),
                        ('corpus', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='documents', to='pooling.corpus')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('corpus', 'generation', 'docno'), name='document_docno_once')],
                    },
                ),
                migrations.CreateModel(
                    name='Grade',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('value', models.SmallIntegerField(validators=[django.core.validators.MinValueValidator(-127), django.core.validators.MaxValueValidator(127)])),
                        ('label', models.CharField(max_length=40)),
                        ('definition', models.TextField(blank=True, max_length=1000)),
                        ('example', models.TextField(blank=True, max_length=1000)),
                        ('key', models.CharField(max_length=1, validators=[django.core.validators.RegexValidator('^[0-9]$', 'One digit, 0 to 9.')])),
                        ('collection', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='grades', to='pooling.collection')),
                    ],
                    options={
                        'ordering': ['value'],
                        'constraints': [models.UniqueConstraint(fields=('collection', 'value'), name='grade_value_once'), models.UniqueConstraint(fields=('collection', 'key'), name='grade_key_once')],
                    },
                ),
                migrations.CreateModel(
                    name='Guideline',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('version', models.PositiveIntegerField()),
                        ('text', models.TextField(max_length=100000)),
                        ('written_at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('collection', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='guidelines', to='pooling.collection')),
                        ('written_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'ordering': ['-version'],
                        'constraints': [models.UniqueConstraint(fields=('collection', 'version'), name='guideline_version_once')],
                    },
                ),
                migrations.CreateModel(
                    name='Invitation',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('role', models.CharField(choices=[('organizer', 'organizer'), ('assessor', 'assessor'), ('adjudicator', 'adjudicator'), ('participant', 'participant'), ('researcher', 'researcher')], max_length=12)),
                        ('email', models.EmailField(blank=True, help_text='The link is sent there; empty: you pass it on yourself.', max_length=254, verbose_name='e-mail')),
                        ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('expires_at', models.DateTimeField()),
                        ('max_uses', models.PositiveIntegerField(default=1, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(1000)])),
                        ('uses', models.PositiveIntegerField(default=0)),
                        ('revoked_at', models.DateTimeField(blank=True, null=True)),
                        ('collection', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='invitations', to='pooling.collection')),
                        ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'ordering': ['-pk'],
                        'constraints': [models.CheckConstraint(condition=models.Q(('uses__lte', models.F('max_uses'))), name='invitation_uses_bounded')],
                    },
                ),
                migrations.CreateModel(
                    name='Membership',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('role', models.CharField(choices=[('organizer', 'organizer'), ('assessor', 'assessor'), ('adjudicator', 'adjudicator'), ('participant', 'participant'), ('researcher', 'researcher')], max_length=12)),
                        ('topic_language', models.CharField(blank=True, help_text='In which topics are shown; empty: their own.', max_length=20)),
                        ('since', models.DateTimeField(default=django.utils.timezone.now)),
                        ('ended_at', models.DateTimeField(blank=True, null=True)),
                        ('collection', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to='pooling.collection')),
                        ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='memberships', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(condition=models.Q(('ended_at', None)), fields=('collection', 'user', 'role'), name='membership_role_once'), models.UniqueConstraint(condition=models.Q(('ended_at', None), ('role__in', ['assessor', 'participant'])), fields=('collection', 'user'), name='membership_not_assessor_and_participant')],
                    },
                ),
                migrations.CreateModel(
                    name='Run',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('tag', models.CharField(max_length=25)),
                        ('group', models.CharField(blank=True, max_length=80)),
                        ('kind', models.CharField(choices=[('automatic', 'automatic'), ('manual', 'manual')], default='automatic', max_length=10)),
                        ('description', models.TextField(blank=True, max_length=5000)),
                        ('priority', models.PositiveIntegerField(default=1, help_text="Of its group's runs, the lowest is pooled first.", validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(999)])),
                        ('language', models.CharField(blank=True, help_text='In which it read the topics.', max_length=20)),
                        ('efficiency', models.JSONField(blank=True, default=dict, help_text='Figures by name (core/metadata.py).')),
                        ('metadata', models.JSONField(blank=True, default=dict, help_text='The whole of its ir_metadata.')),
                        ('columns', models.CharField(help_text='File of the parsed columns, below the data folder.', max_length=300)),
                        ('passages', models.CharField(blank=True, help_text='The same of sub-document results, where it has them.', max_length=300)),
                        ('topic_count', models.PositiveIntegerField()),
                        ('line_count', models.PositiveIntegerField()),
                        ('version', models.PositiveIntegerField(default=1)),
                        ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('collection', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='runs', to='pooling.collection')),
                        ('submitted_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'ordering': ['tag'],
                        'constraints': [models.UniqueConstraint(fields=('collection', 'tag'), name='run_tag_once')],
                    },
                ),
                migrations.CreateModel(
                    name='Pool',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('round', models.PositiveIntegerField()),
                        ('strategy', models.CharField(default='depth', max_length=20)),
                        ('parameters', models.JSONField(default=dict)),
                        ('seed', models.BigIntegerField(default=0, help_text='Of whatever is random in the strategy.')),
                        ('used', models.JSONField(default=list, help_text='The pooled runs: tag, group, SHA-256, and what each contributed.')),
                        ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('drawn_at', models.DateTimeField(null=True)),
                        ('item_count', models.PositiveIntegerField(default=0)),
                        ('collection', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='pools', to='pooling.collection')),
                        ('drawn_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('runs', models.ManyToManyField(related_name='pools', to='pooling.run')),
                    ],
                    options={
                        'ordering': ['round'],
                        'constraints': [models.UniqueConstraint(fields=('collection', 'round'), name='pool_round_once')],
                    },
                ),
                migrations.CreateModel(
                    name='Topic',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('number', models.CharField(max_length=255)),
                        ('title', models.TextField(blank=True)),
                        ('description', models.TextField(blank=True)),
                        ('narrative', models.TextField(blank=True)),
                        ('language', models.CharField(blank=True, max_length=20)),
                        ('translations', models.JSONField(blank=True, default=dict, help_text='{language: {title, description, narrative}}.')),
                        ('extra', models.JSONField(blank=True, default=dict)),
                        ('version', models.PositiveIntegerField(default=1)),
                        ('collection', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='topics', to='pooling.collection')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('collection', 'number'), name='topic_number_once')],
                    },
                ),
                migrations.CreateModel(
                    name='PoolItem',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('docno', models.CharField(max_length=400)),
                        ('best_rank', models.PositiveIntegerField()),
                        ('run_count', models.PositiveIntegerField()),
                        ('stratum', models.PositiveIntegerField(help_text='From 1; empty where the round is no sample.', null=True)),
                        ('inclusion', models.FloatField(help_text='Probability with which it was drawn.', null=True)),
                        ('pool', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='items', to='pooling.pool')),
                        ('topic', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='items', to='pooling.topic')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('topic', 'docno'), name='item_once'), models.CheckConstraint(condition=models.Q(('inclusion', None), models.Q(('inclusion__gt', 0), ('inclusion__lte', 1)), _connector='OR'), name='item_inclusion_is_probability')],
                    },
                ),
                migrations.CreateModel(
                    name='Pick',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('number', models.PositiveIntegerField(help_text='Place in the order of its topic and round, from 1.')),
                        ('why', models.CharField(max_length=100)),
                        ('at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('pool', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='picks', to='pooling.pool')),
                        ('item', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='pick', to='pooling.poolitem')),
                        ('run', models.ForeignKey(help_text='Whose next document it was.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='pooling.run')),
                        ('topic', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='picks', to='pooling.topic')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('pool', 'topic', 'number'), name='pick_number_once')],
                    },
                ),
                migrations.CreateModel(
                    name='NotDrawn',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('docno', models.CharField(max_length=400)),
                        ('stratum', models.PositiveIntegerField()),
                        ('pool', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='not_drawn', to='pooling.pool')),
                        ('topic', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='pooling.topic')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('pool', 'topic', 'docno'), name='not_drawn_once')],
                    },
                ),
                migrations.CreateModel(
                    name='TopicStop',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('reason', models.CharField(max_length=300)),
                        ('at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('pool', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='stops', to='pooling.pool')),
                        ('stopped_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('topic', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='pooling.topic')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('pool', 'topic'), name='topic_stop_once')],
                    },
                ),
                migrations.CreateModel(
                    name='TopicVersion',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('version', models.PositiveIntegerField()),
                        ('title', models.TextField(blank=True)),
                        ('description', models.TextField(blank=True)),
                        ('narrative', models.TextField(blank=True)),
                        ('language', models.CharField(blank=True, max_length=20)),
                        ('translations', models.JSONField(blank=True, default=dict)),
                        ('changed_at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('changed_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('topic', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='earlier', to='pooling.topic')),
                    ],
                    options={
                        'ordering': ['-version'],
                        'constraints': [models.UniqueConstraint(fields=('topic', 'version'), name='topic_version_once')],
                    },
                ),
                migrations.CreateModel(
                    name='Upload',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('kind', models.CharField(choices=[('documents', 'documents'), ('topics', 'topics'), ('run', 'run')], max_length=10)),
                        ('name', models.CharField(max_length=200)),
                        ('path', models.CharField(blank=True, help_text='Below the data folder; empty once refused.', max_length=300)),
                        ('sha256', models.CharField(max_length=64)),
                        ('size', models.BigIntegerField()),
                        ('options', models.JSONField(blank=True, default=dict)),
                        ('uploaded_at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('state', models.CharField(choices=[('received', 'being checked'), ('accepted', 'accepted'), ('refused', 'refused')], default='received', max_length=10)),
                        ('job_id', models.BigIntegerField(null=True)),
                        ('report', models.JSONField(blank=True, default=dict)),
                        ('collection', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='uploads', to='pooling.collection')),
                        ('uploaded_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'ordering': ['-pk'],
                    },
                ),
                migrations.CreateModel(
                    name='RunVersion',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('version', models.PositiveIntegerField()),
                        ('topic_count', models.PositiveIntegerField()),
                        ('line_count', models.PositiveIntegerField()),
                        ('created_at', models.DateTimeField()),
                        ('replaced_at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('run', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='earlier', to='pooling.run')),
                        ('submitted_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('upload', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='earlier_run', to='pooling.upload')),
                    ],
                    options={
                        'ordering': ['-version'],
                        'constraints': [models.UniqueConstraint(fields=('run', 'version'), name='run_version_once')],
                    },
                ),
            ]
        ),
        migrations.AddField(
            model_name='run',
            name='upload',
            field=models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='run', to='pooling.upload'),
        ),
    ]
