"""Whose a seat was before it changed hands, so that what they say late is kept."""


import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('assess', '0013_topic_drafts'),
        ('pooling', '0007_topics_frozen'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterField(
            model_name='judgment',
            name='extra',
            field=models.BooleanField(default=False, help_text='It came late, and another had the document or had judged it: counted nowhere.'),
        ),
        migrations.CreateModel(
            name='FormerSeat',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slot', models.PositiveSmallIntegerField()),
                ('inclusion', models.FloatField()),
                ('token', models.UUIDField()),
                ('assessor', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('collection', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='pooling.collection')),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='pooling.poolitem')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('token', 'assessor'), name='former_seat_once')],
            },
        ),
    ]
