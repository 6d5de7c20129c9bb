"""What the frame stores: people, their tokens and one-time links, throttles, remembered API answers, and jobs."""

import hashlib
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

from django.contrib.auth.models import AbstractUser
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models.functions import Lower
from django.urls import reverse
from django.utils import timezone

from config import store


def digest(secret: str) -> str:
    """How long random secrets are kept: they are unguessable, so one round of SHA-256 is enough."""
    return hashlib.sha256(secret.encode()).hexdigest()


class User(AbstractUser):
    """A person, or a machine: a program that judges by API and never signs in."""

    first_name = None  # type: ignore[assignment]
    last_name = None  # type: ignore[assignment]
    name = models.CharField(max_length=150, help_text="As others on the site see you.")
    email = models.EmailField("e-mail", blank=True)
    is_machine = models.BooleanField(default=False)

    REQUIRED_FIELDS = ["name"]

    class Meta:
        constraints = [
            models.UniqueConstraint(
                Lower("username"), name="user_username_once", violation_error_message="This user name is taken."
            ),
            models.UniqueConstraint(
                Lower("email"),
                condition=~models.Q(email=""),
                name="user_email_once",
                violation_error_message="An account with this e-mail exists.",
            ),
        ]

    def __str__(self) -> str:
        return self.name or self.username

    @property
    def former_username(self) -> str:
        """What a deleted account is called: no person's user name may hold a tilde."""
        return f"former~{self.pk}"

    @property
    def is_deleted(self) -> bool:
        return self.username == self.former_username

    def unique_error_message(self, model_class: type[models.Model], unique_check: Sequence[str]) -> ValidationError:
        """As the constraint says it of another spelling."""
        if tuple(unique_check) == ("username",):
            return ValidationError("This user name is taken.", code="unique")
        return super().unique_error_message(model_class, unique_check)

    def get_full_name(self) -> str:
        return self.name

    def get_short_name(self) -> str:
        return self.name


class Scope(models.TextChoices):
    READ = "read", "read what you may see"
    JUDGE = "judge", "judge documents"
    SUBMIT = "submit", "submit runs"
    MANAGE = "manage", "change collections, members and tokens"


class ApiToken(models.Model):
    """A token of the API. Its secret is shown once; only the digest is kept."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=80)
    prefix = models.CharField(max_length=12)
    digest = models.CharField(max_length=64, unique=True)
    scopes = models.JSONField(default=list)
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    @property
    def state(self) -> str:
        if self.revoked_at:
            return "revoked"
        return "expired" if self.expires_at and self.expires_at <= timezone.now() else "active"


class OneTimeLink(models.Model):
    """A link that lets its bearer set a password once: for the first administrator, or for one account."""

    digest = models.CharField(max_length=64, unique=True)
    user = models.ForeignKey(User, null=True, on_delete=models.CASCADE, help_text="Empty: the first administrator.")
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)


class Throttle(models.Model):
    """Failures counted within a window, per account and per peer. In the database, so that no restart forgets them."""

    key = models.CharField(max_length=200, unique=True)
    count = models.PositiveIntegerField(default=0)
    window_ends = models.DateTimeField(db_index=True)


class RememberedAnswer(models.Model):
    """The answer to a write that came with an Idempotency-Key, given again when the write is sent again."""

    user = models.ForeignKey(User, on_delete=models.CASCADE)
    key = models.CharField(max_length=200)
    request = models.CharField(max_length=64, help_text="Digest of method, path and body.")
    status = models.PositiveSmallIntegerField(default=0)
    body = models.TextField(default="")
    created_at = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "key"], name="answer_once_per_key")]


class JobState(models.TextChoices):
    WAITING = "waiting", "waiting"
    RUNNING = "running", "running"
    DONE = "done", "done"
    REFUSED = "refused", "refused"  # it ran to its end, and nothing of the file was stored
    FAILED = "failed", "failed"


class Job(models.Model):
    """Work that was asked for. The row is the intention; the queue only carries its number to a worker."""

    SHOWN_STALLED_AFTER = timedelta(seconds=30)

    name = models.CharField(max_length=60)
    title = models.CharField(max_length=200)
    args = models.JSONField(default=dict)
    # A number and no foreign key: the frame knows no app. Collections are archived, never deleted.
    collection_id = models.BigIntegerField(null=True, db_index=True)
    started_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="jobs")
    dedupe = models.CharField(max_length=200, blank=True)
    state = models.CharField(max_length=10, choices=JobState, default=JobState.WAITING)
    attempt = models.PositiveIntegerField(default=0, help_text="Grows with each start: an older one may not finish.")
    failures = models.PositiveSmallIntegerField(default=0)
    done_count = models.BigIntegerField(default=0)
    total = models.BigIntegerField(default=0)
    message = models.TextField(blank=True)
    output = models.CharField(max_length=300, blank=True, help_text="File of the result, below the data folder.")
    created_at = models.DateTimeField(default=timezone.now)
    due_at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True)
    heartbeat_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["dedupe"],
                condition=models.Q(state__in=["waiting", "running"]) & ~models.Q(dedupe=""),
                name="job_live_once",
            )
        ]
        indexes = [
            # The sweeper asks for these every few seconds; finished jobs, the bulk, are not in it.
            models.Index(fields=["due_at"], condition=models.Q(state__in=["waiting", "running"]), name="job_live")
        ]

    def __str__(self) -> str:
        return f"{self.title} (job {self.pk})"

    @property
    def is_live(self) -> bool:
        return self.state in {JobState.WAITING, JobState.RUNNING}

    @property
    def shown_state(self) -> str:
        beat = self.heartbeat_at
        if self.state == JobState.RUNNING and beat and beat < timezone.now() - self.SHOWN_STALLED_AFTER:
            return "stalled"
        return self.state

    @property
    def output_path(self) -> Path | None:
        return store.path(self.output) if self.output else None

    @property
    def output_url(self) -> str:
        return reverse("job_output", args=[self.pk]) if self.output else ""
