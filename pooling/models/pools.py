"""Pools: their rounds and items, and how adaptive rounds went."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from pooling.core.strategies import STRATEGIES
from pooling.models.collections import Collection, Topic
from pooling.models.runs import Run


class Pool(models.Model):
    """A round of items chosen by a strategy. Its items exist for others once `drawn_at` is set."""

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="pools")
    round = models.PositiveIntegerField()
    strategy = models.CharField(max_length=20, default="depth")
    parameters = models.JSONField(default=dict)
    seed = models.BigIntegerField(default=0, help_text="Of whatever is random in the strategy.")
    used = models.JSONField(default=list, help_text="The pooled runs: tag, group, SHA-256, and what each contributed.")
    runs = models.ManyToManyField(Run, related_name="pools")
    drawn_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    drawn_at = models.DateTimeField(null=True)
    item_count = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["round"]
        constraints = [models.UniqueConstraint(fields=["collection", "round"], name="pool_round_once")]

    @property
    def kind(self) -> str:
        """fixed, adaptive or sampled; a strategy that is no longer known was drawn at once."""
        return STRATEGIES[self.strategy].kind if self.strategy in STRATEGIES else "fixed"


class PoolItem(models.Model):
    """A (topic, docno) pair to be judged. What assessors may not know of it (rank, runs) is never in their queries."""

    pool = models.ForeignKey(Pool, on_delete=models.CASCADE, related_name="items")
    topic = models.ForeignKey(Topic, on_delete=models.PROTECT, related_name="items")
    docno = models.CharField(max_length=400)
    best_rank = models.PositiveIntegerField()
    run_count = models.PositiveIntegerField()
    place = models.PositiveIntegerField(null=True, help_text="In its strategy's own order of the topic, from 1.")
    # Of a sampled round.
    stratum = models.PositiveIntegerField(null=True, help_text="From 1; empty where the round is no sample.")
    inclusion = models.FloatField(null=True, help_text="Probability with which it was drawn.")
    present: bool  # set by selectors.pool_list: is the document there?

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["topic", "docno"], name="item_once"),
            models.CheckConstraint(
                condition=Q(inclusion=None) | Q(inclusion__gt=0, inclusion__lte=1), name="item_inclusion_is_probability"
            ),
        ]


class NotDrawn(models.Model):
    """A pair that a sampled round could have drawn and did not: nobody knows else how large its stratum is."""

    pool = models.ForeignKey(Pool, on_delete=models.CASCADE, related_name="not_drawn")
    topic = models.ForeignKey(Topic, on_delete=models.PROTECT, related_name="+")
    docno = models.CharField(max_length=400)
    stratum = models.PositiveIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["pool", "topic", "docno"], name="not_drawn_once")]


class Pick(models.Model):
    """Why an item of an adaptive round was chosen, and as which of its topic. Never shown to who judges it."""

    item = models.OneToOneField(PoolItem, on_delete=models.CASCADE, related_name="pick")
    # The item's own, repeated for the constraint: of two who choose the next one at once, one is refused.
    pool = models.ForeignKey(Pool, on_delete=models.CASCADE, related_name="picks")
    topic = models.ForeignKey(Topic, on_delete=models.PROTECT, related_name="picks")
    number = models.PositiveIntegerField(help_text="Place in the order of its topic and round, from 1.")
    run = models.ForeignKey(Run, null=True, on_delete=models.PROTECT, related_name="+", help_text="Whose next document it was.")
    why = models.CharField(max_length=100)
    at = models.DateTimeField(default=timezone.now)
    # What the strategy was told (see assess/replaying.py): "view", versions of topic, documents and runs; "newest", the
    # number of the newest act of judging; "open", those of earlier picks that nobody had answered. Empty in old rounds.
    known = models.JSONField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["pool", "topic", "number"], name="pick_number_once")]


class TopicStop(models.Model):
    """Somebody decided that enough of a topic is judged: an adaptive round picks no more of it."""

    pool = models.ForeignKey(Pool, on_delete=models.CASCADE, related_name="stops")
    topic = models.ForeignKey(Topic, on_delete=models.PROTECT, related_name="+")
    reason = models.CharField(max_length=300)
    stopped_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["pool", "topic"], name="topic_stop_once")]
