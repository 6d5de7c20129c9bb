"""A mean that no topic defines is no number: the column may be empty."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0001_squashed_0007_scoring_plan")]

    operations = [
        migrations.AlterField(
            model_name="score",
            name="mean",
            field=models.FloatField(help_text="Empty: no topic defines it, as the rank of what was never found.", null=True),
        ),
    ]
