"""What a random sample of the unjudged tells of a topic: how many relevant documents were missed, at most."""

from dataclasses import dataclass

from django.db.models import Min, OuterRef, QuerySet, Subquery

from assess.models import ANSWERED, Answer, Judgment
from pooling.core.stopping import RecallBound, recall_bound
from pooling.models import Collection, Pool, PoolItem

CHECK = "check"  # the strategy of such a round


@dataclass(frozen=True)
class Check:
    """A sample of what a round had not picked of a topic. `found`: relevant ones among all that was pooled before it."""

    pool: Pool
    unjudged: int
    drawn: int
    judged: int
    relevant: int
    found: int

    @property
    def bound(self) -> RecallBound | None:
        """None until all of the sample is judged: a part of it is no random sample."""
        return recall_bound(self.found, self.unjudged, self.drawn, self.relevant) if self.judged == self.drawn else None


def checks(collection: Collection, pool: Pool) -> dict[str, Check]:
    """The latest of each topic of an adaptive round, by the topic's number."""
    made = collection.pools.filter(strategy=CHECK, drawn_at__isnull=False, parameters__of=pool.round).order_by("round")
    return {one.parameters["topic"]: _check(collection, one) for one in made}


def _check(collection: Collection, made: Pool) -> Check:
    said = [grade for answer, grade in _said(made.items.all()) if answer in ANSWERED]
    topic, first = made.items.values_list("topic").annotate(Min("pk")).order_by()[0]
    before = PoolItem.objects.filter(topic=topic, pool__drawn_at__isnull=False, pk__lt=first)
    found = sum(grade is not None and grade >= collection.lenient_from for _, grade in _said(before))
    relevant = sum(grade is not None and grade >= collection.lenient_from for grade in said)
    return Check(made, made.parameters["candidates"], made.item_count, len(said), relevant, found)


def _said(items: QuerySet[PoolItem]) -> QuerySet[PoolItem, tuple[str | None, int | None]]:
    """Of each item what was said of it first; a grade where the answer is one."""
    first = Judgment.objects.filter(item=OuterRef("pk"), occasion=0, extra=False, assessor__is_machine=False).order_by("pk")
    answer = Subquery(first.values("answer")[:1])
    grade = Subquery(first.filter(answer=Answer.GRADE).values("grade")[:1])
    return items.annotate(said=answer, graded=grade).values_list("said", "graded")
