"""When organizers closed the list of topics."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('pooling', '0006_search_in_the_database'),
    ]

    operations = [
        migrations.AddField(
            model_name='collection',
            name='topics_frozen_at',
            field=models.DateTimeField(blank=True, help_text='When organizers closed the list of topics.', null=True),
        ),
    ]
