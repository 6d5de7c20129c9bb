"""The collection: who takes part, on which scale, under which guidelines; its documents and topics, and the files they came in."""

from pathlib import Path

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models import F, Q
from django.urls import reverse
from django.utils import timezone
from django.utils.text import Truncator

from config import store
from config.models import Job, JobState
from pooling.core import findings, presets
from pooling.core.repairs import REPAIRS


class Visibility(models.TextChoices):
    PRIVATE = "private", "Private: members only"
    UNLISTED = "unlisted", "Unlisted: anybody with the address"
    PUBLIC = "public", "Public: listed for everybody"


class Genre(models.TextChoices):
    NEWS = "news", "News"
    GOVERNMENT = "government", "Government"
    TECHNICAL = "technical", "Technical and scientific"
    WEB = "web", "Web pages"
    MICROBLOG = "microblog", "Microblogs"
    OCR = "ocr", "Scanned and recognised (OCR)"
    OTHER = "other", "Other, or of several kinds"


class Role(models.TextChoices):
    ORGANIZER = "organizer", "organizer"
    ASSESSOR = "assessor", "assessor"
    ADJUDICATOR = "adjudicator", "adjudicator"
    PARTICIPANT = "participant", "participant"
    RESEARCHER = "researcher", "researcher"

    @property
    def one(self) -> str:
        """With its article."""
        return f"{'an' if self.value[0] in 'ao' else 'a'} {self.label}"


class Collection(models.Model):
    """The test collection being built."""

    slug = models.CharField(
        max_length=60,
        unique=True,
        validators=[RegexValidator(r"^[a-z0-9][a-z0-9-]*$", "Small letters, digits and hyphens, such as harbour-2026.")],
        help_text="The end of the page's address: small letters, digits and hyphens. It does not change later.",
        error_messages={"unique": "There is a collection with this address already."},
    )
    name = models.CharField(max_length=120)
    description = models.TextField(blank=True, max_length=5000, help_text="What is searched, by whom, for what. Markdown.")
    visibility = models.CharField(max_length=10, choices=Visibility, default=Visibility.PRIVATE)
    task = models.CharField(max_length=30, choices=[(p.slug, p.label) for p in presets.PRESETS.values()])
    lenient_from = models.SmallIntegerField(help_text="Grade from which a document counts as relevant.")
    strict_from = models.SmallIntegerField(help_text="The same for the strict view of the same judgments.")
    measures = models.JSONField(default=list, help_text="Official measures, the first one orders the leaderboard.")
    # What the data sheet and a release's archive tell: whom to cite, and of the documents.
    authors = models.CharField(
        max_length=500,
        blank=True,
        help_text="As the collection is to be cited, parted by semicolons, such as: Voorhees, E. M.; Harman, D. Empty: its organizers.",
    )
    genre = models.CharField(max_length=20, choices=Genre, blank=True, help_text="What kind of documents are searched.")
    languages = models.CharField(max_length=200, blank=True, help_text="Of documents and topics, such as: en, hi.")
    licence = models.CharField(
        max_length=200,
        blank=True,
        help_text="Under which others may use the collection: a name such as CC BY 4.0, or an address.",
    )
    source = models.CharField(max_length=500, blank=True, help_text="Where the documents come from: words, or an address.")
    crawl = models.TextField(
        "crawl, by HTTP status",
        max_length=5000,
        blank=True,
        help_text="If the documents were crawled: a line for each status with its count, such as “404 31”. “none” counts "
        "addresses that gave no answer; “total” is the sum, against which the counts are checked.",
    )
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    archived_at = models.DateTimeField(null=True, blank=True)
    # What a run may be, and when it may come.
    max_per_topic = models.PositiveIntegerField(
        "results per topic", default=1000, validators=[MinValueValidator(1), MaxValueValidator(1_000_000)], help_text="At most."
    )
    expected_per_topic = models.PositiveIntegerField(
        "results expected per topic",
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text="Fewer are remarked on; empty: any number is fine.",
    )
    runs_per_group = models.PositiveIntegerField(
        "runs of a group", null=True, blank=True, validators=[MinValueValidator(1)], help_text="At most; empty: any number."
    )
    strict_runs = models.BooleanField(
        "as strict as NIST", default=False, help_text="A topic without results, or a column 2 that is not Q0, refuses a run."
    )
    runs_open_at = models.DateTimeField("runs are taken from", null=True, blank=True, help_text="UTC; empty: at once.")
    runs_close_at = models.DateTimeField("runs are taken until", null=True, blank=True, help_text="UTC; empty: without end.")
    # Written by assess, so that the scale can be frozen and a pool priced without looking downstream.
    judging_started_at = models.DateTimeField(null=True, blank=True)
    seconds_per_judgment = models.FloatField(null=True, blank=True)
    topics_frozen_at = models.DateTimeField(null=True, blank=True, help_text="When organizers closed the list of topics.")

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(strict_from__gte=F("lenient_from")), name="collection_strict_not_below_lenient"),
            models.CheckConstraint(
                condition=Q(runs_open_at=None) | Q(runs_close_at=None) | Q(runs_close_at__gt=F("runs_open_at")),
                name="collection_window_ends_after_its_beginning",
                violation_error_message="Runs are taken until a time before they are taken from; expected one after it.",
            ),
        ]

    # Set by access.narrowed: in which states releases are for whoever asks; None: in any.
    release_states: frozenset[str] | None = None
    # Set by evaluation/access.py: whose scores whoever asks may see (all, anonymous, own), and who that is.
    scores_seen: tuple[str, int | None] = ("all", None)

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("collection", args=[self.slug])

    @property
    def short_name(self) -> str:
        """For lines that say something else."""
        return Truncator(self.name).chars(40)

    @property
    def is_archived(self) -> bool:
        return self.archived_at is not None

    @property
    def topics_frozen(self) -> bool:
        """No topic comes or goes any more, and a change of one is a version: by the organizers' word, or since judging began."""
        return self.topics_frozen_at is not None or self.judging_started_at is not None


class Grade(models.Model):
    """One grade of a collection's scale."""

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="grades")
    # trec_eval reads grades of this range.
    value = models.SmallIntegerField(validators=[MinValueValidator(-127), MaxValueValidator(127)])
    label = models.CharField(max_length=40)
    definition = models.TextField(blank=True, max_length=1000)
    example = models.TextField(blank=True, max_length=1000)
    key = models.CharField(max_length=1, validators=[RegexValidator(r"^[0-9]$", "One digit, 0 to 9.")])
    step: int  # set by selectors.grades: the grade's colour depends on its place in the scale

    class Meta:
        ordering = ["value"]
        constraints = [
            models.UniqueConstraint(fields=["collection", "value"], name="grade_value_once"),
            models.UniqueConstraint(fields=["collection", "key"], name="grade_key_once"),
        ]

    def __str__(self) -> str:
        return f"{self.value} {self.label}"


class Guideline(models.Model):
    """One version of the assessors' guidelines. A change is a new version; each judgment tells which one it was under."""

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="guidelines")
    version = models.PositiveIntegerField()
    text = models.TextField(max_length=100_000)
    written_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    written_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-version"]
        constraints = [models.UniqueConstraint(fields=["collection", "version"], name="guideline_version_once")]


class Membership(models.Model):
    """A person's role in a collection; several roles are several rows. Ended ones stay, for who judged when."""

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="memberships")
    role = models.CharField(max_length=12, choices=Role)
    topic_language = models.CharField(max_length=20, blank=True, help_text="In which topics are shown; empty: their own.")
    since = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["collection", "user", "role"], condition=Q(ended_at=None), name="membership_role_once"
            ),
            # Who competes may not judge: at most one of the two roles.
            models.UniqueConstraint(
                fields=["collection", "user"],
                condition=Q(ended_at=None, role__in=["assessor", "participant"]),
                name="membership_not_assessor_and_participant",
            ),
        ]


class Invitation(models.Model):
    """A link that makes its bearer a member. The link is signed, not stored: the row only says what it is worth."""

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="invitations")
    role = models.CharField(max_length=12, choices=Role)
    email = models.EmailField("e-mail", blank=True, help_text="The link is sent there; empty: you pass it on yourself.")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    max_uses = models.PositiveIntegerField(default=1, validators=[MinValueValidator(1), MaxValueValidator(1000)])
    uses = models.PositiveIntegerField(default=0)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [models.CheckConstraint(condition=Q(uses__lte=F("max_uses")), name="invitation_uses_bounded")]

    url: str  # set where the link is shown (services.members.invitation_url)

    @property
    def state(self) -> str:
        if self.revoked_at:
            return "revoked"
        if self.expires_at <= timezone.now():
            return "expired"
        return "used up" if self.uses >= self.max_uses else "open"


class Corpus(models.Model):
    """The documents of a collection. `generation` is the one pointer that switches an import in; 0 is none yet."""

    collection = models.OneToOneField(Collection, on_delete=models.CASCADE, related_name="corpus")
    generation = models.PositiveIntegerField(default=0)
    last_generation = models.PositiveIntegerField(default=0, help_text="Highest number given to an import so far.")
    document_count = models.PositiveIntegerField(default=0)
    is_complete = models.BooleanField(default=True, help_text="False: there are others, of which only these were kept.")


class Document(models.Model):
    """A document as it was given. Rows of another generation than the corpus' own are invisible."""

    corpus = models.ForeignKey(Corpus, on_delete=models.CASCADE, related_name="documents")
    generation = models.PositiveIntegerField()
    docno = models.CharField(max_length=400)
    title = models.TextField(blank=True)
    text = models.TextField()
    html = models.TextField(blank=True, help_text="The page as it came; the text is what reads in it.")
    url = models.TextField(blank=True)
    language = models.TextField(blank=True)
    date = models.TextField(blank=True)
    extra = models.TextField(  # null where there is none: with a default, SQLite would write all documents anew to add it
        null=True, blank=True, help_text="{name: words} in the file's order: an object of JSON as text (core/extra.py)."
    )

    class Meta:
        constraints = [models.UniqueConstraint(fields=["corpus", "generation", "docno"], name="document_docno_once")]


class Topic(models.Model):
    """An information need in TREC's form."""

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="topics")
    number = models.CharField(max_length=255)
    title = models.TextField(blank=True)
    description = models.TextField(blank=True)
    narrative = models.TextField(blank=True)
    language = models.CharField(max_length=20, blank=True)
    translations = models.JSONField(default=dict, blank=True, help_text="{language: {title, description, narrative}}.")
    extra = models.JSONField(default=dict, blank=True)
    version = models.PositiveIntegerField(default=1)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["collection", "number"], name="topic_number_once")]

    def __str__(self) -> str:
        return f"{self.number} {self.title}"

    def get_absolute_url(self) -> str:
        return reverse("topic", args=[self.collection.slug, self.number])


class TopicVersion(models.Model):
    """A topic as it was before a change that was made after the first judgment."""

    topic = models.ForeignKey(Topic, on_delete=models.CASCADE, related_name="earlier")
    version = models.PositiveIntegerField()
    title = models.TextField(blank=True)
    description = models.TextField(blank=True)
    narrative = models.TextField(blank=True)
    language = models.CharField(max_length=20, blank=True)
    translations = models.JSONField(default=dict, blank=True)
    changed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    changed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-version"]
        constraints = [models.UniqueConstraint(fields=["topic", "version"], name="topic_version_once")]


class UploadKind(models.TextChoices):
    DOCUMENTS = "documents", "documents"
    TOPICS = "topics", "topics"
    RUN = "run", "run"


class UploadState(models.TextChoices):
    RECEIVED = "received", "being checked"
    ACCEPTED = "accepted", "accepted"
    REFUSED = "refused", "refused"


class Upload(models.Model):
    """A file somebody sent, and what was found in it. A refused one leaves its report and nothing else."""

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="uploads")
    kind = models.CharField(max_length=10, choices=UploadKind)
    name = models.CharField(max_length=200)
    path = models.CharField(max_length=300, blank=True, help_text="Below the data folder; empty once refused.")
    sha256 = models.CharField(max_length=64)
    size = models.BigIntegerField()
    options = models.JSONField(default=dict, blank=True)
    uploaded_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    uploaded_at = models.DateTimeField(default=timezone.now)
    state = models.CharField(max_length=10, choices=UploadState, default=UploadState.RECEIVED)
    job_id = models.BigIntegerField(null=True)
    report = models.JSONField(default=dict, blank=True)
    job: Job | None = None  # set by selectors.with_jobs: the number is no foreign key, since the frame knows no app
    job_state: str | None = None  # set by selectors.with_job_state

    class Meta:
        ordering = ["-pk"]

    def get_absolute_url(self) -> str:
        return reverse("upload", args=[self.collection.slug, self.pk])

    @property
    def file_path(self) -> Path | None:
        return store.path(self.path) if self.path else None

    @property
    def is_live(self) -> bool:
        """Is somebody still at it, as far as `job` or `job_state` tells?"""
        state = self.job.state if self.job else self.job_state
        return self.state == UploadState.RECEIVED and state in {JobState.WAITING, JobState.RUNNING}

    @property
    def offers(self) -> list[str]:
        """Repairs that the file calls for, in words."""
        return [REPAIRS[name] for name in self.report.get("offers", [])]

    @property
    def tally(self) -> dict[str, list[tuple[int, str]]]:
        """Of which kinds of findings not all are listed."""
        return findings.tally(self.report)

    @property
    def kinds(self) -> int:
        """How many kinds of faults there are."""
        return findings.kinds(self.report)

    @property
    def repairable(self) -> list[tuple[str, str, bool]]:
        """The same with their names, and whether a fault calls for them, while the refused file is still kept."""
        kept = self.state == UploadState.REFUSED and self.path
        return [(name, REPAIRS[name], name != "ranks") for name in self.report.get("offers", [])] if kept else []

    @property
    def shown_state(self) -> str:
        """As people see it: received by nobody's hand any more is failed."""
        return "failed" if self.state == UploadState.RECEIVED and not self.is_live else self.state
