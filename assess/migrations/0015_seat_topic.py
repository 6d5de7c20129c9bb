"""The topic of a seat, repeated there, with the indexes that a claim walks along."""

import django.db.models.deletion
from django.db import migrations, models

FILL = """
UPDATE assess_seat SET topic_id = (SELECT item.topic_id FROM pooling_poolitem item WHERE item.id = assess_seat.item_id)
"""


def fill(apps, schema_editor):
    schema_editor.execute(FILL)
    if schema_editor.connection.vendor == "postgresql":  # which alters no table while keys wait to be checked
        schema_editor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        schema_editor.execute("SET CONSTRAINTS ALL DEFERRED")


class Migration(migrations.Migration):

    dependencies = [
        ('assess', '0014_former_seats'),
        ('pooling', '0007_topics_frozen'),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name='seat',
            name='seat_lease',
        ),
        migrations.AddField(
            model_name='seat',
            name='topic',
            field=models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='seats', to='pooling.topic'),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.AlterField(
            model_name='seat',
            name='topic',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='seats', to='pooling.topic'),
        ),
        migrations.AlterField(
            model_name='seat',
            name='item',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='seats', to='pooling.poolitem'),
        ),
        migrations.AddIndex(
            model_name='seat',
            index=models.Index(condition=models.Q(('assessor', None), ('judged_at', None)), fields=['topic', 'slot', 'position', 'id'], name='seat_free'),
        ),
        migrations.AddIndex(
            model_name='seat',
            index=models.Index(condition=models.Q(('claimed_at__isnull', False), ('judged_at', None)), fields=['topic', 'slot', 'claimed_at'], name='seat_lease'),
        ),
        migrations.AddIndex(
            model_name='seat',
            index=models.Index(fields=['topic', 'assessor', 'position'], name='seat_place'),
        ),
    ]
