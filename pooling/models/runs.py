"""Runs, and what they were before they were replaced."""

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.urls import reverse
from django.utils import timezone

from pooling.models.collections import Collection, Upload


class RunKind(models.TextChoices):
    AUTOMATIC = "automatic", "automatic"
    MANUAL = "manual", "manual"


class Run(models.Model):
    """One system's rankings: the file as it came, and its columns in evaluation order, parsed once."""

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="runs")
    upload = models.OneToOneField(Upload, on_delete=models.PROTECT, related_name="run")
    tag = models.CharField(max_length=25)
    group = models.CharField(max_length=80, blank=True)
    kind = models.CharField(max_length=10, choices=RunKind, default=RunKind.AUTOMATIC)
    description = models.TextField(blank=True, max_length=5000)
    submitted_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    priority = models.PositiveIntegerField(
        default=1,
        validators=[MinValueValidator(1), MaxValueValidator(999)],
        help_text="Of its group's runs, the lowest is pooled first.",
    )
    language = models.CharField(max_length=20, blank=True, help_text="In which it read the topics.")
    efficiency = models.JSONField(default=dict, blank=True, help_text="Figures by name (core/metadata.py).")
    metadata = models.JSONField(default=dict, blank=True, help_text="The whole of its ir_metadata.")
    columns = models.CharField(max_length=300, help_text="File of the parsed columns, below the data folder.")
    passages = models.CharField(max_length=300, blank=True, help_text="The same of sub-document results, where it has them.")
    topic_count = models.PositiveIntegerField()
    line_count = models.PositiveIntegerField()
    version = models.PositiveIntegerField(default=1)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["tag"]
        constraints = [models.UniqueConstraint(fields=["collection", "tag"], name="run_tag_once")]

    def __str__(self) -> str:
        return self.tag

    def get_absolute_url(self) -> str:
        return reverse("run", args=[self.collection.slug, self.tag])

    @property
    def repaired(self) -> list[str]:
        """What was mended in the file before it was taken, as its submitter asked (core/repairs.py)."""
        return list(self.upload.report.get("facts", {}).get("repaired", []))


class RunVersion(models.Model):
    """A run as it was before it was submitted again; its file is kept."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="earlier")
    version = models.PositiveIntegerField()
    upload = models.OneToOneField(Upload, on_delete=models.PROTECT, related_name="earlier_run")
    submitted_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    topic_count = models.PositiveIntegerField()
    line_count = models.PositiveIntegerField()
    created_at = models.DateTimeField()
    replaced_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-version"]
        constraints = [models.UniqueConstraint(fields=["run", "version"], name="run_version_once")]


class WithdrawnRun(models.Model):
    """What a run was before it was withdrawn, a row for each of its versions; the files are kept."""

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="withdrawn_runs")
    upload = models.OneToOneField(Upload, on_delete=models.PROTECT, related_name="withdrawn_run")
    tag = models.CharField(max_length=25)
    group = models.CharField(max_length=80, blank=True)
    version = models.PositiveIntegerField()
    submitted_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    topic_count = models.PositiveIntegerField()
    line_count = models.PositiveIntegerField()
    created_at = models.DateTimeField()
    withdrawn_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    withdrawn_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-pk"]
