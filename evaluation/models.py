"""Frozen qrels and what they score."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from assess.models import MergeRule
from pooling.models import Collection, Run


class Release(models.Model):
    """Frozen, numbered qrels. Never changes: a trigger refuses it, and the file's digest is in the row."""

    collection = models.ForeignKey(Collection, on_delete=models.PROTECT, related_name="releases")
    number = models.PositiveIntegerField()
    rule = models.CharField(max_length=20, choices=MergeRule, blank=True, help_text="Empty: the qrels were imported.")
    note = models.TextField(blank=True, max_length=5000)
    path = models.CharField(max_length=300, help_text="The qrels file, below the data folder.")
    sha256 = models.CharField(max_length=64)
    counts = models.JSONField(help_text="Items, topics, grades, differing pairs: as of the freeze.")
    about = models.JSONField(
        default=dict, help_text="Opinions asked for, scale, guidelines, pool rounds, agreement: as of the freeze."
    )
    archive = models.CharField(max_length=300, blank=True, help_text="All files as one, below the data folder.")
    archive_sha256 = models.CharField(max_length=64, blank=True)
    last_event = models.BigIntegerField(default=0, help_text="Newest judgment event that is in it.")
    last_decision = models.BigIntegerField(default=0, help_text="Newest act of deciding that is in it.")
    frozen_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    frozen_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-number"]
        constraints = [models.UniqueConstraint(fields=["collection", "number"], name="release_number_once")]

    @property
    def state(self) -> str:
        """That of the last step; known already to what selectors.releases finds."""
        return str(self.__dict__.get("last_state") or self.steps.latest("pk").state)


class ReleaseState(models.TextChoices):
    DRAFT = "draft", "draft: for organizers"
    PRIVATE = "private", "private: for members who do not judge"
    PUBLIC = "public", "public: for everybody who sees the collection"
    WITHDRAWN = "withdrawn", "withdrawn: its files are no longer given out"


class ReleaseStep(models.Model):
    """A release became a draft, private, public, or was withdrawn. The last step is what it is; a trigger keeps them all."""

    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="steps")
    state = models.CharField(max_length=10, choices=ReleaseState)
    note = models.TextField(blank=True, max_length=1000, help_text="Why it was withdrawn: shown in its place.")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["pk"]


class ScoreArchive(models.Model):
    """All scores of a release as one file; a new version when runs were scored since."""

    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="score_archives")
    version = models.PositiveIntegerField()
    path = models.CharField(max_length=300)
    sha256 = models.CharField(max_length=64)
    run_count = models.PositiveIntegerField()
    made_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-version"]
        constraints = [models.UniqueConstraint(fields=["release", "version"], name="score_archive_version_once")]


class Score(models.Model):
    """A run's mean of one measure under a release. The values per topic are one array file per run and release."""

    release = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="scores")
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="scores")
    measure = models.CharField(max_length=60)
    mean = models.FloatField(null=True, help_text="Empty: no topic defines it, as the rank of what was never found.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["release", "run", "measure"], name="score_once")]


class Seen(models.TextChoices):
    """Whose scores a participant sees once there is a release; organizers see all."""

    OWN = "own", "Their own runs, beside the median of all"
    ANONYMOUS = "anonymous", "All runs, those of others without their names"
    ALL = "all", "All runs"


class ScoringPlan(models.Model):
    """How a collection's scores are shown, and to whom; what users know and expect, for user-oriented measures."""

    collection = models.OneToOneField(Collection, on_delete=models.CASCADE, related_name="scoring_plan")
    shown = models.JSONField(default=list, blank=True, help_text="Measures beside the official ones; empty: the usual ones.")
    test = models.CharField(max_length=20, default="randomization", help_text="Of differences from the best run.")
    correction = models.CharField(max_length=12, default="holm", help_text="For the number of tests.")
    seen = models.CharField(max_length=10, choices=Seen, default=Seen.ALL)
    expected = models.JSONField(default=dict, blank=True, help_text="Topic: relevant documents that a user expects to find.")
    known = models.JSONField(default=dict, blank=True, help_text="Topic: docnos that a user knows already.")


class ScoreFile(models.Model):
    """Where the values per topic of a run under a release are; its presence says that the scores are there."""

    release = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="score_files")
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="score_files")
    path = models.CharField(max_length=300)
    run_sha256 = models.CharField(max_length=64)
    version = models.CharField(max_length=20, blank=True, help_text="Of Assize, which computed them.")
    made_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["release", "run"], name="score_file_once")]


class PrivateScore(models.Model):
    """A run that somebody scored against a release for themselves, and kept: the figures alone, not the run."""

    release = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="private_scores")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    tag = models.CharField(max_length=100)
    run_sha256 = models.CharField(max_length=64)
    version = models.CharField(max_length=20)
    report = models.JSONField()
    made_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-pk"]
        constraints = [models.UniqueConstraint(fields=["release", "user", "run_sha256"], name="private_score_once")]
