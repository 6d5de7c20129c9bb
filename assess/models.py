"""Who judges what, and what they said: assignments, seats, judgments and their history."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from pooling.models import Collection, PoolItem, Topic

# The layer of machines: each machine gives one opinion on any item, beside the seats of people.
MACHINE_SLOT = 9
SLOTS = (1, 2, 3)


class Order(models.TextChoices):
    """In which order an assessor meets the documents of a topic."""

    SHUFFLE = "shuffle", "by chance"
    DOCNO = "docno", "by document number"
    PRIORITY = "priority", "what the pool put first, first"


class AssignmentPlan(models.Model):
    """What a collection's assignments have in common, kept so that order and overlap can be drawn again."""

    collection = models.OneToOneField(Collection, on_delete=models.CASCADE, related_name="assignment_plan")
    overlap = models.FloatField(default=0, help_text="Share of each topic's items that two judge, 0 to 1.")
    third = models.FloatField(default=0, help_text="Share that three judge; part of what two judge.")
    by_item = models.BooleanField(default=False, help_text="Whoever is free takes the next item, for whichever opinion.")
    order = models.CharField(max_length=8, choices=Order.choices, default=Order.SHUFFLE)
    repeats = models.FloatField(default=0, help_text="Share of judged items that comes back, unsaid, to who judged it.")
    count_machines = models.BooleanField(default=False, help_text="Judgments of machines enter releases and figures.")
    seed = models.PositiveIntegerField()
    changed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    changed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(overlap__gte=0, overlap__lte=1), name="assignment_plan_overlap_is_share"),
            models.CheckConstraint(
                condition=Q(third__gte=0, third__lte=models.F("overlap")), name="assignment_plan_third_within_overlap"
            ),
            models.CheckConstraint(condition=Q(repeats__gte=0, repeats__lte=1), name="assignment_plan_repeats_is_share"),
        ]


class Workload(models.Model):
    """How much somebody takes on: a weight against the others', and the most documents there may be."""

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="workloads")
    assessor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    weight = models.FloatField(default=1)
    cap = models.PositiveIntegerField(null=True, blank=True, help_text="Empty: no limit.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["collection", "assessor"], name="workload_once"),
            models.CheckConstraint(condition=Q(weight__gt=0, weight__lte=100), name="workload_weight_in_range"),
        ]


class Assignment(models.Model):
    """Who judges a topic. Slot 1 judges all of it; slots 2 and 3 give further opinions on a share of it."""

    topic = models.ForeignKey(Topic, on_delete=models.CASCADE, related_name="assignments")
    assessor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="assignments")
    slot = models.PositiveSmallIntegerField(default=1)
    assigned_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            # Nobody gives a second opinion on their own topic.
            models.UniqueConstraint(fields=["topic", "assessor"], name="assignment_once"),
            models.CheckConstraint(condition=Q(slot__in=SLOTS), name="assignment_slot_known"),
        ]


class Seat(models.Model):
    """One opinion that is wanted on an item, and whose it is. Where several share a topic it is free until claimed."""

    # The item's own, repeated: the query of every judgment must not go by way of a hundred thousand items.
    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="seats", db_index=False)
    topic = models.ForeignKey(Topic, on_delete=models.CASCADE, related_name="seats", db_index=False)
    # Each of the three is the first column of an index below.
    item = models.ForeignKey(PoolItem, on_delete=models.CASCADE, related_name="seats", db_index=False)
    slot = models.PositiveSmallIntegerField(default=1)
    # 1: a hidden repeat of what its assessor judged before.
    occasion = models.PositiveSmallIntegerField(default=0)
    assessor = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="seats")
    position = models.PositiveIntegerField(help_text="Place in the seeded order; tells nothing of ranks.")
    inclusion = models.FloatField(default=1, help_text="Probability with which the item was drawn for this opinion.")
    # The lease of a shared topic's seat: when it was taken or last renewed. Empty where the seat is its assessor's for good.
    claimed_at = models.DateTimeField(null=True)
    judged_at = models.DateTimeField(null=True, help_text="When it was answered: with a grade, or that it cannot be judged.")
    later_at = models.DateTimeField(null=True, help_text="When it was put off: it comes back at the end.")
    # Filled by a file of judgments: it takes its slot, but nobody here was asked for it, so progress leaves it out.
    imported = models.BooleanField(default=False)
    # What an assessor's pages call it: a random name that tells nothing of pool, rank or order.
    token = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["item", "slot", "occasion"], condition=Q(slot__lt=MACHINE_SLOT), name="seat_slot_once"
            ),
            models.UniqueConstraint(fields=["item", "assessor", "occasion"], name="seat_assessor_once"),
        ]
        indexes = [
            models.Index(fields=["collection", "assessor", "position"], condition=Q(judged_at=None), name="seat_next"),
            models.Index(fields=["collection", "assessor", "judged_at"], name="seat_own"),
            # What is free, what was held too long, and how far somebody is: a claim reads the first few of each.
            models.Index(
                fields=["topic", "slot", "position", "id"], condition=Q(judged_at=None, assessor=None), name="seat_free"
            ),
            models.Index(
                fields=["topic", "slot", "claimed_at"],
                condition=Q(judged_at=None, claimed_at__isnull=False),
                name="seat_lease",
            ),
            models.Index(fields=["topic", "assessor", "position"], name="seat_place"),
        ]


class FormerSeat(models.Model):
    """Whose a seat was when it was given to another, given back or taken away: what they say late is kept all the same."""

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="+")
    item = models.ForeignKey(PoolItem, on_delete=models.CASCADE, related_name="+")
    assessor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    slot = models.PositiveSmallIntegerField()
    inclusion = models.FloatField()
    token = models.UUIDField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["token", "assessor"], name="former_seat_once")]


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
    INVALID = "invalid", "no valid answer"  # of machines alone


# The document need not be shown again.
ANSWERED = (Answer.GRADE, Answer.CANNOT, Answer.INVALID)


class Said(models.Model):
    """All that an assessor says of a document, as it is now and at every act."""

    answer = models.CharField(max_length=7, choices=Answer.choices, default=Answer.GRADE)
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
    order = models.CharField(
        max_length=8, blank=True, default="", help_text="In which order it came: shuffle, docno, priority."
    )
    extra = models.BooleanField(
        default=False, help_text="It came late, and another had the document or had judged it: counted nowhere."
    )
    first_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["assessor", "item", "occasion"], name="judgment_head_once"),
            _only_grades("judgment_only_grades"),
        ]


class JudgmentEvent(Said):
    """Every act of judging, in order. Triggers refuse to change or delete any of them, in both databases."""

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


class MergeRule(models.TextChoices):
    """How several grades of a document become one, in the words of assess/core/adjudication.py."""

    FIRST = "first", "the primary assessor’s grade"
    MAJORITY = "majority", "the most frequent grade"
    MEDIAN_LOW = "median_low", "the median, of an even number the lower"
    MEDIAN_HIGH = "median_high", "the median, of an even number the upper"
    MAX = "max", "the highest grade"
    MIN = "min", "the lowest grade"


class Missing(models.TextChoices):
    """What becomes of a document that has fewer opinions than are asked for, or a tie that nobody has decided."""

    OUT = "out", "left out of the qrels, as if nobody had judged it"
    LOWEST = "lowest", "given the lowest grade of the scale"
    REFUSE = "refuse", "nothing is released until there is none"


class MergePlan(models.Model):
    """How a collection comes from several opinions to one grade, and what is for the adjudicator."""

    collection = models.OneToOneField(Collection, on_delete=models.CASCADE, related_name="merge_plan")
    rule = models.CharField(max_length=20, choices=MergeRule, default=MergeRule.FIRST)
    opinions = models.PositiveSmallIntegerField(default=1, help_text="Fewest opinions that a document needs.")
    missing = models.CharField(max_length=10, choices=Missing, default=Missing.OUT)
    differ_by = models.PositiveSmallIntegerField(default=1, help_text="Grades apart from which it is adjudicated; 0: never.")
    across = models.BooleanField(default=True, help_text="Relevant to one and not to the other is adjudicated.")
    cannot = models.BooleanField(default=True, help_text="What somebody could not judge is adjudicated.")
    show_own = models.BooleanField(default=False, help_text="Assessors see their own agreement once a topic is judged.")
    changed_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    changed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(opinions__gte=1), name="merge_plan_one_opinion")]


class AdjudicatorTopic(models.Model):
    """Who adjudicates a topic. A topic without anybody is for every adjudicator."""

    topic = models.ForeignKey(Topic, on_delete=models.CASCADE, related_name="adjudicators")
    adjudicator = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    assigned_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    assigned_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["topic", "adjudicator"], name="adjudicator_topic_once")]


class DecisionReason(models.TextChoices):
    OVERLOOKED = "overlooked", "a passage was overlooked"
    GUIDELINES = "guidelines", "the guidelines were read otherwise"
    TOPIC = "topic", "the topic can be read in two ways"
    BORDERLINE = "borderline", "it lies between two grades"
    SLIP = "slip", "a slip of the hand"
    UNREADABLE = "unreadable", "the document is hard to read"
    OTHER = "other", "something else"


class Decided(models.Model):
    """What an adjudicator says; without a grade it is open again."""

    grade = models.SmallIntegerField(null=True)
    reason = models.CharField(max_length=12, choices=DecisionReason, blank=True, default="")
    comment = models.TextField(blank=True, default="")
    adjudicator = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")

    class Meta:
        abstract = True


class Decision(Decided):
    """An adjudicator's grade where assessors differ. It stands beside their judgments, never over them."""

    item = models.OneToOneField(PoolItem, on_delete=models.PROTECT, related_name="decision")
    event_count = models.PositiveIntegerField(default=1)
    updated_at = models.DateTimeField(default=timezone.now)


class DecisionEvent(Decided):
    """Every act of deciding and of opening again, in order. Triggers refuse to change or delete any, in both databases."""

    decision = models.ForeignKey(Decision, on_delete=models.PROTECT, related_name="events")
    client_id = models.UUIDField(unique=True)
    previous_grade = models.SmallIntegerField(null=True)
    precedent = models.TextField(blank=True, default="", help_text="The line that was added to the guidelines.")
    guideline_version = models.PositiveIntegerField(default=0)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["pk"]


class Message(models.Model):
    """A question about a document, or its answer. All of one assessor about one document are a thread."""

    item = models.ForeignKey(PoolItem, on_delete=models.PROTECT, related_name="messages")
    assessor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    text = models.TextField()
    at = models.DateTimeField(default=timezone.now)
    # Of an answer: when its assessor saw it. Of a question: when an organizer answered or closed it.
    done_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["pk"]
        indexes = [models.Index(fields=["assessor", "item"], condition=Q(done_at=None), name="message_open")]


class PracticeItem(models.Model):
    """A document of a topic's practice set, with the organizer's grade and the reason for it."""

    topic = models.ForeignKey(Topic, on_delete=models.CASCADE, related_name="practice")
    docno = models.CharField(max_length=400)
    grade = models.SmallIntegerField()
    reason = models.TextField(blank=True, default="")

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["topic", "docno"], name="practice_item_once")]


class PracticeAnswer(models.Model):
    """What somebody said first of a document of the practice set: it counts nowhere."""

    item = models.ForeignKey(PracticeItem, on_delete=models.CASCADE, related_name="answers")
    assessor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    grade = models.SmallIntegerField()
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["item", "assessor"], name="practice_answer_once")]


class Search(models.Model):
    """A search of somebody's: the words, and how many hits they were shown. Kept: it is how interactive documents were found."""

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="searches")
    topic = models.ForeignKey(Topic, null=True, on_delete=models.CASCADE, related_name="+")
    searcher = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    words = models.CharField(max_length=1000)
    total = models.PositiveIntegerField(help_text="Documents that match.")
    shown = models.PositiveIntegerField(help_text="Down to this place they were shown.")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-pk"]


class Found(models.Model):
    """An item that somebody found by searching, and judged."""

    item = models.OneToOneField(PoolItem, on_delete=models.CASCADE, related_name="found")
    search = models.ForeignKey(Search, null=True, on_delete=models.PROTECT, related_name="found")
    finder = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(default=timezone.now)


class DraftState(models.TextChoices):
    OPEN = "open", "being developed"
    ACCEPTED = "accepted", "accepted"
    DROPPED = "dropped", "dropped"


class TopicDraft(models.Model):
    """A topic that organizers try out. No topic yet: it is in no pool, queue, file or list of topics until it is accepted."""

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="drafts")
    number = models.CharField(max_length=255)
    title = models.TextField()
    description = models.TextField(blank=True)
    narrative = models.TextField(blank=True)
    language = models.CharField(max_length=20, blank=True)
    words = models.CharField(max_length=1000, help_text="What is searched for; the title unless said otherwise.")
    per_band = models.PositiveIntegerField(default=8, help_text="Hits that are drawn of each band of ranks below the first.")
    state = models.CharField(max_length=8, choices=DraftState, default=DraftState.OPEN)
    reason = models.CharField(max_length=300, blank=True, help_text="Why it was accepted or dropped.")
    topic = models.OneToOneField(Topic, null=True, on_delete=models.SET_NULL, related_name="draft")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    decided_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["collection", "number"], condition=Q(state="open"), name="open_draft_number_once")
        ]

    def get_absolute_url(self) -> str:
        return reverse("draft", args=[self.collection.slug, self.pk])


class DraftGrade(models.Model):
    """What organizers say of a hit while they develop a topic: it counts nowhere else."""

    draft = models.ForeignKey(TopicDraft, on_delete=models.CASCADE, related_name="grades")
    docno = models.CharField(max_length=400)
    grade = models.SmallIntegerField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["draft", "docno"], name="draft_grade_once")]
