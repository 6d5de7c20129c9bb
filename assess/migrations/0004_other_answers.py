"""Answers that are no grade. SQLite makes the tables anew and loses their triggers, so these go first and come back last."""

from importlib import import_module

from django.conf import settings
from django.db import migrations, models

append_only = import_module("assess.migrations.0002_judgmentevent_append_only")


class Migration(migrations.Migration):

    dependencies = [
        ('assess', '0003_leases'),
        ('pooling', '0002_line'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RunPython(append_only.allow, append_only.refuse),
        migrations.AddField(
            model_name='judgment',
            name='answer',
            field=models.CharField(choices=[('grade', 'a grade'), ('cannot', 'can’t judge'), ('later', 'put off'), ('open', 'not judged')], default='grade', max_length=6),
        ),
        migrations.AddField(
            model_name='judgment',
            name='known',
            field=models.BooleanField(default=False, help_text='The assessor knew the document before.'),
        ),
        migrations.AddField(
            model_name='judgment',
            name='note',
            field=models.TextField(blank=True, default=''),
        ),
        migrations.AddField(
            model_name='judgment',
            name='reason',
            field=models.CharField(blank=True, default='', help_text='Why it cannot be judged.', max_length=200),
        ),
        migrations.AddField(
            model_name='judgmentevent',
            name='answer',
            field=models.CharField(choices=[('grade', 'a grade'), ('cannot', 'can’t judge'), ('later', 'put off'), ('open', 'not judged')], default='grade', max_length=6),
        ),
        migrations.AddField(
            model_name='judgmentevent',
            name='known',
            field=models.BooleanField(default=False, help_text='The assessor knew the document before.'),
        ),
        migrations.AddField(
            model_name='judgmentevent',
            name='note',
            field=models.TextField(blank=True, default=''),
        ),
        migrations.AddField(
            model_name='judgmentevent',
            name='reason',
            field=models.CharField(blank=True, default='', help_text='Why it cannot be judged.', max_length=200),
        ),
        migrations.AddField(
            model_name='seat',
            name='later_at',
            field=models.DateTimeField(help_text='When it was put off: it comes back at the end.', null=True),
        ),
        migrations.AlterField(
            model_name='judgment',
            name='grade',
            field=models.SmallIntegerField(null=True),
        ),
        migrations.AlterField(
            model_name='judgmentevent',
            name='grade',
            field=models.SmallIntegerField(null=True),
        ),
        migrations.AlterField(
            model_name='seat',
            name='judged_at',
            field=models.DateTimeField(help_text='When it was answered: with a grade, or that it cannot be judged.', null=True),
        ),
        migrations.AddConstraint(
            model_name='judgment',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('answer', 'grade'), ('grade__isnull', False)), models.Q(models.Q(('answer', 'grade'), _negated=True), ('grade', None)), _connector='OR'), name='judgment_only_grades'),
        ),
        migrations.AddConstraint(
            model_name='judgmentevent',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('answer', 'grade'), ('grade__isnull', False)), models.Q(models.Q(('answer', 'grade'), _negated=True), ('grade', None)), _connector='OR'), name='judgment_event_only_grades'),
        ),
        migrations.RunPython(append_only.refuse, append_only.allow),
    ]
