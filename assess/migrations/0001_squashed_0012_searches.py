"""All tables in one step: a new site starts in a third of the time. A site of before goes on by the steps that this stands for."""

import django.db.models.deletion
import django.utils.timezone
import uuid
from django.conf import settings
from django.db import migrations, models

from config.migrating import Together

from config import append_only

guards = [
    append_only.guard("assess_judgmentevent", "A judgment event is never changed or deleted"),
    append_only.guard("assess_decisionevent", "A decision event is never changed or deleted"),
]


class Migration(migrations.Migration):

    replaces = [('assess', '0001_initial'), ('assess', '0002_judgmentevent_append_only'), ('assess', '0003_leases'), ('assess', '0004_other_answers'), ('assess', '0005_own_words'), ('assess', '0006_seat_inclusion'), ('assess', '0007_merging_and_decisions'), ('assess', '0008_decisionevent_append_only'), ('assess', '0009_sharing_watching_machines'), ('assess', '0010_evidence'), ('assess', '0011_seat_imported'), ('assess', '0012_searches')]

    initial = True

    dependencies = [
        ('config', '__first__'),
        ('pooling', '0001_squashed_0005_picks_and_samples'),
    ]

    operations = [
        Together(
            [
                migrations.CreateModel(
                    name='Decision',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('grade', models.SmallIntegerField(null=True)),
                        ('reason', models.CharField(blank=True, choices=[('overlooked', 'a passage was overlooked'), ('guidelines', 'the guidelines were read otherwise'), ('topic', 'the topic can be read in two ways'), ('borderline', 'it lies between two grades'), ('slip', 'a slip of the hand'), ('unreadable', 'the document is hard to read'), ('other', 'something else')], default='', max_length=12)),
                        ('comment', models.TextField(blank=True, default='')),
                        ('event_count', models.PositiveIntegerField(default=1)),
                        ('updated_at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('adjudicator', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('item', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='decision', to='pooling.poolitem')),
                    ],
                    options={
                        'abstract': False,
                    },
                ),
                migrations.CreateModel(
                    name='DecisionEvent',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('grade', models.SmallIntegerField(null=True)),
                        ('reason', models.CharField(blank=True, choices=[('overlooked', 'a passage was overlooked'), ('guidelines', 'the guidelines were read otherwise'), ('topic', 'the topic can be read in two ways'), ('borderline', 'it lies between two grades'), ('slip', 'a slip of the hand'), ('unreadable', 'the document is hard to read'), ('other', 'something else')], default='', max_length=12)),
                        ('comment', models.TextField(blank=True, default='')),
                        ('client_id', models.UUIDField(unique=True)),
                        ('previous_grade', models.SmallIntegerField(null=True)),
                        ('precedent', models.TextField(blank=True, default='', help_text='The line that was added to the guidelines.')),
                        ('guideline_version', models.PositiveIntegerField(default=0)),
                        ('at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('adjudicator', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('decision', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='events', to='assess.decision')),
                    ],
                    options={
                        'ordering': ['pk'],
                    },
                ),
                migrations.CreateModel(
                    name='Judgment',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('answer', models.CharField(choices=[('grade', 'a grade'), ('cannot', 'can’t judge'), ('later', 'put off'), ('open', 'not judged'), ('invalid', 'no valid answer')], default='grade', max_length=7)),
                        ('grade', models.SmallIntegerField(null=True)),
                        ('reason', models.CharField(blank=True, default='', help_text='Why it cannot be judged.', max_length=200)),
                        ('note', models.TextField(blank=True, default='')),
                        ('known', models.BooleanField(default=False, help_text='The assessor knew the document before.')),
                        ('evidence', models.TextField(blank=True, default='', help_text='Relevant passages: start-end in characters of the text, by commas.')),
                        ('occasion', models.PositiveSmallIntegerField(default=0)),
                        ('guideline_version', models.PositiveIntegerField(default=0, help_text='0: there were none yet.')),
                        ('event_count', models.PositiveIntegerField(default=1)),
                        ('order', models.CharField(blank=True, default='', help_text='In which order it came: shuffle, docno, priority.', max_length=8)),
                        ('extra', models.BooleanField(default=False, help_text='It came after its lease had ended and another had judged: counted nowhere.')),
                        ('first_at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('updated_at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('assessor', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='judgments', to=settings.AUTH_USER_MODEL)),
                        ('item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='judgments', to='pooling.poolitem')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('assessor', 'item', 'occasion'), name='judgment_head_once'), models.CheckConstraint(condition=models.Q(models.Q(('answer', 'grade'), ('grade__isnull', False)), models.Q(models.Q(('answer', 'grade'), _negated=True), ('grade', None)), _connector='OR'), name='judgment_only_grades')],
                    },
                ),
                migrations.CreateModel(
                    name='JudgmentEvent',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('answer', models.CharField(choices=[('grade', 'a grade'), ('cannot', 'can’t judge'), ('later', 'put off'), ('open', 'not judged'), ('invalid', 'no valid answer')], default='grade', max_length=7)),
                        ('grade', models.SmallIntegerField(null=True)),
                        ('reason', models.CharField(blank=True, default='', help_text='Why it cannot be judged.', max_length=200)),
                        ('note', models.TextField(blank=True, default='')),
                        ('known', models.BooleanField(default=False, help_text='The assessor knew the document before.')),
                        ('evidence', models.TextField(blank=True, default='', help_text='Relevant passages: start-end in characters of the text, by commas.')),
                        ('client_id', models.UUIDField(unique=True)),
                        ('previous_grade', models.SmallIntegerField(null=True)),
                        ('seconds', models.FloatField(help_text='Time the document was in view, as the browser counted it.', null=True)),
                        ('guideline_version', models.PositiveIntegerField(default=0)),
                        ('at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('judgment', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='events', to='assess.judgment')),
                    ],
                    options={
                        'ordering': ['pk'],
                        'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('answer', 'grade'), ('grade__isnull', False)), models.Q(models.Q(('answer', 'grade'), _negated=True), ('grade', None)), _connector='OR'), name='judgment_event_only_grades')],
                    },
                ),
                migrations.CreateModel(
                    name='MergePlan',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('rule', models.CharField(choices=[('first', 'the primary assessor’s grade'), ('majority', 'the most frequent grade'), ('median_low', 'the median, of an even number the lower'), ('median_high', 'the median, of an even number the upper'), ('max', 'the highest grade'), ('min', 'the lowest grade')], default='first', max_length=20)),
                        ('opinions', models.PositiveSmallIntegerField(default=1, help_text='Fewest opinions that a document needs.')),
                        ('missing', models.CharField(choices=[('out', 'left out of the qrels, as if nobody had judged it'), ('lowest', 'given the lowest grade of the scale'), ('refuse', 'nothing is released until there is none')], default='out', max_length=10)),
                        ('differ_by', models.PositiveSmallIntegerField(default=1, help_text='Grades apart from which it is adjudicated; 0: never.')),
                        ('across', models.BooleanField(default=True, help_text='Relevant to one and not to the other is adjudicated.')),
                        ('cannot', models.BooleanField(default=True, help_text='What somebody could not judge is adjudicated.')),
                        ('show_own', models.BooleanField(default=False, help_text='Assessors see their own agreement once a topic is judged.')),
                        ('changed_at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('changed_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('collection', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='merge_plan', to='pooling.collection')),
                    ],
                    options={
                        'constraints': [models.CheckConstraint(condition=models.Q(('opinions__gte', 1)), name='merge_plan_one_opinion')],
                    },
                ),
                migrations.CreateModel(
                    name='Message',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('text', models.TextField()),
                        ('at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('done_at', models.DateTimeField(null=True)),
                        ('assessor', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('author', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='messages', to='pooling.poolitem')),
                    ],
                    options={
                        'ordering': ['pk'],
                        'indexes': [models.Index(condition=models.Q(('done_at', None)), fields=['assessor', 'item'], name='message_open')],
                    },
                ),
                migrations.CreateModel(
                    name='OwnWords',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('words', models.CharField(blank=True, max_length=500)),
                        ('assessor', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('topic', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='pooling.topic')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('topic', 'assessor'), name='own_words_once')],
                    },
                ),
                migrations.CreateModel(
                    name='PracticeItem',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('docno', models.CharField(max_length=400)),
                        ('grade', models.SmallIntegerField()),
                        ('reason', models.TextField(blank=True, default='')),
                        ('topic', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='practice', to='pooling.topic')),
                    ],
                    options={
                        'ordering': ['pk'],
                        'constraints': [models.UniqueConstraint(fields=('topic', 'docno'), name='practice_item_once')],
                    },
                ),
                migrations.CreateModel(
                    name='PracticeAnswer',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('grade', models.SmallIntegerField()),
                        ('at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('assessor', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('item', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='answers', to='assess.practiceitem')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('item', 'assessor'), name='practice_answer_once')],
                    },
                ),
                migrations.CreateModel(
                    name='Search',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('words', models.CharField(max_length=1000)),
                        ('total', models.PositiveIntegerField(help_text='Documents that match.')),
                        ('shown', models.PositiveIntegerField(help_text='Down to this place they were shown.')),
                        ('at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('collection', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='searches', to='pooling.collection')),
                        ('searcher', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('topic', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='pooling.topic')),
                    ],
                    options={
                        'ordering': ['-pk'],
                    },
                ),
                migrations.CreateModel(
                    name='Found',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('finder', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('item', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='found', to='pooling.poolitem')),
                        ('search', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='found', to='assess.search')),
                    ],
                ),
                migrations.CreateModel(
                    name='Seat',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('slot', models.PositiveSmallIntegerField(default=1)),
                        ('occasion', models.PositiveSmallIntegerField(default=0)),
                        ('position', models.PositiveIntegerField(help_text='Place in the seeded order; tells nothing of ranks.')),
                        ('inclusion', models.FloatField(default=1, help_text='Probability with which the item was drawn for this opinion.')),
                        ('claimed_at', models.DateTimeField(null=True)),
                        ('judged_at', models.DateTimeField(help_text='When it was answered: with a grade, or that it cannot be judged.', null=True)),
                        ('later_at', models.DateTimeField(help_text='When it was put off: it comes back at the end.', null=True)),
                        ('imported', models.BooleanField(default=False)),
                        ('token', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                        ('assessor', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='seats', to=settings.AUTH_USER_MODEL)),
                        ('collection', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='seats', to='pooling.collection')),
                        ('item', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='seats', to='pooling.poolitem')),
                    ],
                    options={
                        'indexes': [models.Index(condition=models.Q(('judged_at', None)), fields=['collection', 'assessor', 'position'], name='seat_next'), models.Index(fields=['collection', 'assessor', 'judged_at'], name='seat_own'), models.Index(condition=models.Q(('claimed_at__isnull', False), ('judged_at', None)), fields=['collection', 'claimed_at'], name='seat_lease')],
                        'constraints': [models.UniqueConstraint(condition=models.Q(('slot__lt', 9)), fields=('item', 'slot', 'occasion'), name='seat_slot_once'), models.UniqueConstraint(fields=('item', 'assessor', 'occasion'), name='seat_assessor_once')],
                    },
                ),
                migrations.CreateModel(
                    name='Workload',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('weight', models.FloatField(default=1)),
                        ('cap', models.PositiveIntegerField(blank=True, help_text='Empty: no limit.', null=True)),
                        ('assessor', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('collection', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='workloads', to='pooling.collection')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('collection', 'assessor'), name='workload_once'), models.CheckConstraint(condition=models.Q(('weight__gt', 0), ('weight__lte', 100)), name='workload_weight_in_range')],
                    },
                ),
                migrations.CreateModel(
                    name='AdjudicatorTopic',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('assigned_at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('adjudicator', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('assigned_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('topic', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='adjudicators', to='pooling.topic')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('topic', 'adjudicator'), name='adjudicator_topic_once')],
                    },
                ),
                migrations.CreateModel(
                    name='Assignment',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('slot', models.PositiveSmallIntegerField(default=1)),
                        ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('assessor', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='assignments', to=settings.AUTH_USER_MODEL)),
                        ('assigned_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('topic', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='assignments', to='pooling.topic')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('topic', 'assessor'), name='assignment_once'), models.CheckConstraint(condition=models.Q(('slot__in', (1, 2, 3))), name='assignment_slot_known')],
                    },
                ),
                migrations.CreateModel(
                    name='AssignmentPlan',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('overlap', models.FloatField(default=0, help_text="Share of each topic's items that two judge, 0 to 1.")),
                        ('third', models.FloatField(default=0, help_text='Share that three judge; part of what two judge.')),
                        ('by_item', models.BooleanField(default=False, help_text='Whoever is free takes the next item, for whichever opinion.')),
                        ('order', models.CharField(choices=[('shuffle', 'by chance'), ('docno', 'by document number'), ('priority', 'what the pool put first, first')], default='shuffle', max_length=8)),
                        ('repeats', models.FloatField(default=0, help_text='Share of judged items that comes back, unsaid, to who judged it.')),
                        ('count_machines', models.BooleanField(default=False, help_text='Judgments of machines enter releases and figures.')),
                        ('seed', models.PositiveIntegerField()),
                        ('changed_at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('changed_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('collection', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='assignment_plan', to='pooling.collection')),
                    ],
                    options={
                        'constraints': [models.CheckConstraint(condition=models.Q(('overlap__gte', 0), ('overlap__lte', 1)), name='assignment_plan_overlap_is_share'), models.CheckConstraint(condition=models.Q(('third__gte', 0), ('third__lte', models.F('overlap'))), name='assignment_plan_third_within_overlap'), models.CheckConstraint(condition=models.Q(('repeats__gte', 0), ('repeats__lte', 1)), name='assignment_plan_repeats_is_share')],
                    },
                ),
                *(migrations.RunPython(refuse, allow) for refuse, allow in guards),
            ]
        ),
    ]
