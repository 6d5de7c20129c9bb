"""An item keeps its place in its strategy's own order."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('pooling', '0007_topics_frozen'),
    ]

    operations = [
        migrations.AddField(
            model_name='poolitem',
            name='place',
            field=models.PositiveIntegerField(help_text="In its strategy's own order of the topic, from 1.", null=True),
        ),
    ]
