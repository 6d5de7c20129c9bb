"""Who judges what, and what they said: assignments, seats, judgments and their history."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from pooling.models import Collection, PoolItem, Topic


class AssignmentPlan(models.Model):
    """What a collection's assignments have in common, kept so that order and overlap can be drawn again."""

    collection = models.OneToOneField(Collection, on_delete=models.CASCADE, related_name="assignment_plan")
    overlap = models.FloatField(default=0, help_text="Share of each topic's items that two judge, 0 to 1.")
    seed = models.PositiveIntegerField()
    changed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    changed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(overlap__gte=0, overlap__lte=1), name="assignment_plan_overlap_is_share")
        ]


class Assignment(models.Model):
    """Who judges a topic. Slot 1 judges all of it; slot 2 gives the second opinion on a share of it."""

    topic = models.ForeignKey(Topic, on_delete=models.CASCADE, related_name="assignments")
    assessor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="assignments")
    slot = models.PositiveSmallIntegerField(default=1)
    assigned_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            # Nobody gives a second opinion on their own topic.
            models.UniqueConstraint(fields=["topic", "assessor"], name="assignment_once"),
            models.CheckConstraint(condition=Q(slot__in=[1, 2]), name="assignment_slot_known"),
        ]


class Seat(models.Model):
    """One opinion that is wanted on an item, and whose it is. Where several share a topic it is free until claimed."""

    # The item's own, repeated: the query of every judgment must not go by way of a hundred thousand items.
    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="seats", db_index=False)
    item = models.ForeignKey(PoolItem, on_delete=models.CASCADE, related_name="seats")
    slot = models.PositiveSmallIntegerField(default=1)
    assessor = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="seats")
    position = models.PositiveIntegerField(help_text="Place in the seeded order; tells nothing of ranks.")
    inclusion = models.FloatField(default=1, help_text="Probability with which the item was drawn for this opinion.")
    # The lease of a shared topic's seat: when it was taken or last renewed. Empty where the seat is its assessor's for good.
    claimed_at = models.DateTimeField(null=True)
    judged_at = models.DateTimeField(null=True, help_text="When it was answered: with a grade, or that it cannot be judged.")
    later_at = models.DateTimeField(null=True, help_text="When it was put off: it comes back at the end.")
    # What an assessor's pages call it: a random name that tells nothing of pool, rank or order.
    token = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["item", "slot"], name="seat_slot_once"),
            models.UniqueConstraint(fields=["item", "assessor"], name="seat_assessor_once"),
        ]
        indexes = [
            models.Index(fields=["collection", "assessor", "position"], condition=Q(judged_at=None), name="seat_next"),
            models.Index(fields=["collection", "assessor", "judged_at"], name="seat_own"),
            models.Index(
                fields=["collection", "claimed_at"],
                condition=Q(judged_at=None, claimed_at__isnull=False),
                name="seat_lease",
            ),
        ]


class OwnWords(models.Model):
    """Words that an assessor wants to see marked in the documents of a topic, beside the topic's own."""

    topic = models.ForeignKey(Topic, on_delete=models.CASCADE, related_name="+")
    assessor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    words = models.CharField(max_length=500, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["topic", "assessor"], name="own_words_once")]


class Answer(models.TextChoices):
    """What was said of a document. Only a grade counts."""

    GRADE = "grade", "a grade"
    CANNOT = "cannot", "can’t judge"
    LATER = "later", "put off"
    OPEN = "open", "not judged"


# The document need not be shown again.
ANSWERED = (Answer.GRADE, Answer.CANNOT)


class Said(models.Model):
    """All that an assessor says of a document, as it is now and at every act."""

    answer = models.CharField(max_length=6, choices=Answer.choices, default=Answer.GRADE)
    grade = models.SmallIntegerField(null=True)
    reason = models.CharField(max_length=200, blank=True, default="", help_text="Why it cannot be judged.")
    note = models.TextField(blank=True, default="")
    known = models.BooleanField(default=False, help_text="The assessor knew the document before.")
    evidence = models.TextField(
        blank=True, default="", help_text="Relevant passages: start-end in characters of the text, by commas."
    )

    class Meta:
        abstract = True


def _only_grades(name: str) -> models.CheckConstraint:
    graded = Q(answer=Answer.GRADE, grade__isnull=False) | (~Q(answer=Answer.GRADE) & Q(grade=None))
    return models.CheckConstraint(condition=graded, name=name)


class Judgment(Said):
    """What an assessor says of an item at present. Occasion 0, but for hidden repeats."""

    item = models.ForeignKey(PoolItem, on_delete=models.PROTECT, related_name="judgments")
    assessor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="judgments")
    occasion = models.PositiveSmallIntegerField(default=0)
    guideline_version = models.PositiveIntegerField(default=0, help_text="0: there were none yet.")
    event_count = models.PositiveIntegerField(default=1)
    extra = models.BooleanField(
        default=False, help_text="It came after its lease had ended and another had judged: counted nowhere."
    )
    first_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["assessor", "item", "occasion"], name="judgment_head_once"),
            _only_grades("judgment_only_grades"),
        ]


class JudgmentEvent(Said):
    """Every act of judging, in order. A trigger refuses to change or delete any of them, in both databases."""

    judgment = models.ForeignKey(Judgment, on_delete=models.PROTECT, related_name="events")
    # Made by the client: the same act sent twice is one event.
    client_id = models.UUIDField(unique=True)
    previous_grade = models.SmallIntegerField(null=True)
    seconds = models.FloatField(null=True, help_text="Time the document was in view, as the browser counted it.")
    guideline_version = models.PositiveIntegerField(default=0)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["pk"]
        constraints = [_only_grades("judgment_event_only_grades")]
