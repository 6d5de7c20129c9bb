"""Frozen qrels and what they score."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from pooling.models import Collection, Run


class MergeRule(models.TextChoices):
    PRIMARY = "primary", "the primary assessor's grade"
    HIGHEST = "highest", "the higher grade"


class Release(models.Model):
    """Frozen, numbered qrels. Never changes: a trigger refuses it, and the file's digest is in the row."""

    collection = models.ForeignKey(Collection, on_delete=models.PROTECT, related_name="releases")
    number = models.PositiveIntegerField()
    rule = models.CharField(max_length=10, choices=MergeRule)
    note = models.TextField(blank=True, max_length=5000)
    path = models.CharField(max_length=300, help_text="The qrels file, below the data folder.")
    sha256 = models.CharField(max_length=64)
    counts = models.JSONField(help_text="Items, topics, grades, differing pairs: as of the freeze.")
    last_event = models.BigIntegerField(default=0, help_text="Newest judgment event that is in it.")
    frozen_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    frozen_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-number"]
        constraints = [models.UniqueConstraint(fields=["collection", "number"], name="release_number_once")]


class Score(models.Model):
    """A run's mean of one measure under a release. The values per topic are one array file per run and release."""

    release = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="scores")
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="scores")
    measure = models.CharField(max_length=60)
    mean = models.FloatField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["release", "run", "measure"], name="score_once")]


class ScoreFile(models.Model):
    """Where the values per topic of a run under a release are; its presence says that the scores are there."""

    release = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="score_files")
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="score_files")
    path = models.CharField(max_length=300)
    run_sha256 = models.CharField(max_length=64)
    made_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["release", "run"], name="score_file_once")]
