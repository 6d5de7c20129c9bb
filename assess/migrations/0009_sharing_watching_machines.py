"""Further opinions, orders, repeats, workloads, questions, practice. SQLite makes the table of acts anew, so its triggers go and come back."""

from importlib import import_module

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


append_only = import_module("assess.migrations.0002_judgmentevent_append_only")


class Migration(migrations.Migration):

    dependencies = [
        ('assess', '0008_decisionevent_append_only'),
        ('pooling', '0003_files_and_strategies'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RunPython(append_only.allow, append_only.refuse),
        migrations.CreateModel(
            name='Message',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('text', models.TextField()),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('done_at', models.DateTimeField(null=True)),
            ],
            options={
                'ordering': ['pk'],
            },
        ),
        migrations.CreateModel(
            name='PracticeAnswer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('grade', models.SmallIntegerField()),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
        ),
        migrations.CreateModel(
            name='PracticeItem',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('docno', models.CharField(max_length=400)),
                ('grade', models.SmallIntegerField()),
                ('reason', models.TextField(blank=True, default='')),
            ],
            options={
                'ordering': ['pk'],
            },
        ),
        migrations.CreateModel(
            name='Workload',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('weight', models.FloatField(default=1)),
                ('cap', models.PositiveIntegerField(blank=True, help_text='Empty: no limit.', null=True)),
            ],
        ),
        migrations.RemoveConstraint(
            model_name='assignment',
            name='assignment_slot_known',
        ),
        migrations.RemoveConstraint(
            model_name='seat',
            name='seat_slot_once',
        ),
        migrations.RemoveConstraint(
            model_name='seat',
            name='seat_assessor_once',
        ),
        migrations.AddField(
            model_name='assignmentplan',
            name='by_item',
            field=models.BooleanField(default=False, help_text='Whoever is free takes the next item, for whichever opinion.'),
        ),
        migrations.AddField(
            model_name='assignmentplan',
            name='count_machines',
            field=models.BooleanField(default=False, help_text='Judgments of machines enter releases and figures.'),
        ),
        migrations.AddField(
            model_name='assignmentplan',
            name='order',
            field=models.CharField(choices=[('shuffle', 'by chance'), ('docno', 'by document number'), ('priority', 'what the pool put first, first')], default='shuffle', max_length=8),
        ),
        migrations.AddField(
            model_name='assignmentplan',
            name='repeats',
            field=models.FloatField(default=0, help_text='Share of judged items that comes back, unsaid, to who judged it.'),
        ),
        migrations.AddField(
            model_name='assignmentplan',
            name='third',
            field=models.FloatField(default=0, help_text='Share that three judge; part of what two judge.'),
        ),
        migrations.AddField(
            model_name='judgment',
            name='order',
            field=models.CharField(blank=True, default='', help_text='In which order it came: shuffle, docno, priority.', max_length=8),
        ),
        migrations.AddField(
            model_name='seat',
            name='occasion',
            field=models.PositiveSmallIntegerField(default=0),
        ),
        migrations.AlterField(
            model_name='judgment',
            name='answer',
            field=models.CharField(choices=[('grade', 'a grade'), ('cannot', 'can’t judge'), ('later', 'put off'), ('open', 'not judged'), ('invalid', 'no valid answer')], default='grade', max_length=7),
        ),
        migrations.AlterField(
            model_name='judgmentevent',
            name='answer',
            field=models.CharField(choices=[('grade', 'a grade'), ('cannot', 'can’t judge'), ('later', 'put off'), ('open', 'not judged'), ('invalid', 'no valid answer')], default='grade', max_length=7),
        ),
        migrations.AddConstraint(
            model_name='assignment',
            constraint=models.CheckConstraint(condition=models.Q(('slot__in', (1, 2, 3))), name='assignment_slot_known'),
        ),
        migrations.AddConstraint(
            model_name='assignmentplan',
            constraint=models.CheckConstraint(condition=models.Q(('third__gte', 0), ('third__lte', models.F('overlap'))), name='assignment_plan_third_within_overlap'),
        ),
        migrations.AddConstraint(
            model_name='assignmentplan',
            constraint=models.CheckConstraint(condition=models.Q(('repeats__gte', 0), ('repeats__lte', 1)), name='assignment_plan_repeats_is_share'),
        ),
        migrations.AddConstraint(
            model_name='seat',
            constraint=models.UniqueConstraint(condition=models.Q(('slot__lt', 9)), fields=('item', 'slot', 'occasion'), name='seat_slot_once'),
        ),
        migrations.AddConstraint(
            model_name='seat',
            constraint=models.UniqueConstraint(fields=('item', 'assessor', 'occasion'), name='seat_assessor_once'),
        ),
        migrations.AddField(
            model_name='message',
            name='assessor',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='message',
            name='author',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='message',
            name='item',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='messages', to='pooling.poolitem'),
        ),
        migrations.AddField(
            model_name='practiceanswer',
            name='assessor',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='practiceitem',
            name='topic',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='practice', to='pooling.topic'),
        ),
        migrations.AddField(
            model_name='practiceanswer',
            name='item',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='answers', to='assess.practiceitem'),
        ),
        migrations.AddField(
            model_name='workload',
            name='assessor',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='workload',
            name='collection',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='workloads', to='pooling.collection'),
        ),
        migrations.AddIndex(
            model_name='message',
            index=models.Index(condition=models.Q(('done_at', None)), fields=['assessor', 'item'], name='message_open'),
        ),
        migrations.AddConstraint(
            model_name='practiceitem',
            constraint=models.UniqueConstraint(fields=('topic', 'docno'), name='practice_item_once'),
        ),
        migrations.AddConstraint(
            model_name='practiceanswer',
            constraint=models.UniqueConstraint(fields=('item', 'assessor'), name='practice_answer_once'),
        ),
        migrations.AddConstraint(
            model_name='workload',
            constraint=models.UniqueConstraint(fields=('collection', 'assessor'), name='workload_once'),
        ),
        migrations.AddConstraint(
            model_name='workload',
            constraint=models.CheckConstraint(condition=models.Q(('weight__gt', 0), ('weight__lte', 100)), name='workload_weight_in_range'),
        ),
        migrations.RunPython(append_only.refuse, append_only.allow),
    ]
