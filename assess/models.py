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
    # The lease of a shared topic's seat: when it was taken or last renewed. Empty where the seat is its assessor's for good.
    claimed_at = models.DateTimeField(null=True)
    judged_at = models.DateTimeField(null=True)
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


class Judgment(models.Model):
    """An assessor's present grade for an item. Occasion 0, but for hidden repeats."""

    item = models.ForeignKey(PoolItem, on_delete=models.PROTECT, related_name="judgments")
    assessor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="judgments")
    occasion = models.PositiveSmallIntegerField(default=0)
    grade = models.SmallIntegerField()
    guideline_version = models.PositiveIntegerField(default=0, help_text="0: there were none yet.")
    event_count = models.PositiveIntegerField(default=1)
    extra = models.BooleanField(
        default=False, help_text="It came after its lease had ended and another had judged: counted nowhere."
    )
    first_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["assessor", "item", "occasion"], name="judgment_head_once")]


class JudgmentEvent(models.Model):
    """Every act of judging, in order. A trigger refuses to change or delete any of them, in both databases."""

    judgment = models.ForeignKey(Judgment, on_delete=models.PROTECT, related_name="events")
    # Made by the client: the same act sent twice is one event.
    client_id = models.UUIDField(unique=True)
    grade = models.SmallIntegerField()
    previous_grade = models.SmallIntegerField(null=True)
    seconds = models.FloatField(null=True, help_text="Time the document was in view, as the browser counted it.")
    guideline_version = models.PositiveIntegerField(default=0)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["pk"]
