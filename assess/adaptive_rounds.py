"""How adaptive rounds go, topic by topic, and whether the rules for stopping call for it."""

from dataclasses import dataclass

from django.db.models import Subquery

from assess.checking import Check, checks
from assess.models import ANSWERED, Answer, Seat
from assess.services.adapting import ADAPTIVE, first_said
from pooling.core import stopping
from pooling.core.strategies import STRATEGIES
from pooling.models import Collection, Pick, Pool, Topic, TopicStop

FEW = 10  # judgments of a topic that tell too little for a rate
WINDOW = 50  # judgments over which the present rate is told


@dataclass(frozen=True)
class TopicGoes:
    """A topic of a round: what was judged in the order of the judgments, and what the rules say of it."""

    pool: Pool
    topic: Topic
    picked: int
    budget: int
    gains: list[int]
    advice: list[stopping.Advice]
    stop: TopicStop | None
    check: Check | None = None
    seated: bool = False  # whether what was picked has come to assessors

    @property
    def judged(self) -> int:
        return len(self.gains)

    @property
    def relevant(self) -> int:
        return sum(self.gains)

    @property
    def recent(self) -> int:
        """Relevant ones among the last few."""
        return sum(self.gains[-WINDOW:])

    @property
    def calls(self) -> list[stopping.Advice]:
        """The rules that call for a stop."""
        return [one for one in self.advice if one.stop]

    @property
    def still_to_find(self) -> int | None:
        """Relevant ones that the rest of the budget would bring at the present rate; None while ten judgments are not there,
        which tell little."""
        if self.judged < FEW:
            return None
        return round(self.recent / min(WINDOW, self.judged) * max(0, self.budget - self.judged))


@dataclass(frozen=True)
class RoundGoes:
    pool: Pool
    topics: list[TopicGoes]

    @property
    def label(self) -> str:
        return STRATEGIES[self.pool.strategy].label

    @property
    def judged(self) -> int:
        return sum(one.judged for one in self.topics)

    @property
    def relevant(self) -> int:
        return sum(one.relevant for one in self.topics)

    @property
    def unassigned(self) -> int:
        """Topics that go on, and that nobody judges: since the round began, nothing was assigned."""
        return sum(not one.seated and not one.stop for one in self.topics)

    @property
    def waiting(self) -> int:
        """Documents that are picked, and that nobody has judged yet."""
        return sum(one.picked - one.judged for one in self.topics if not one.stop)

    @property
    def calling(self) -> int:
        """Topics that a rule would stop, and nobody has."""
        return sum(bool(one.calls) and not one.stop for one in self.topics)

    @property
    def curve(self) -> list[int]:
        """Relevant documents found after 1, 2, 3 … judgments of each topic, over all topics."""
        longest = max((one.judged for one in self.topics), default=0)
        return [sum(sum(one.gains[:place]) for one in self.topics) for place in range(1, longest + 1)]


def has_any(collection: Collection) -> bool:
    return collection.pools.filter(drawn_at__isnull=False, strategy__in=ADAPTIVE).exists()


def rounds(collection: Collection) -> list[RoundGoes]:
    """The adaptive rounds that were begun, newest first."""
    found = collection.pools.filter(drawn_at__isnull=False, strategy__in=ADAPTIVE).order_by("-round")
    return [RoundGoes(pool, _topics(collection, pool)) for pool in found]


def _topics(collection: Collection, pool: Pool) -> list[TopicGoes]:
    answer, grade, said = (Subquery(first_said().values(name)[:1]) for name in ("answer", "grade", "pk"))
    picks = Pick.objects.filter(pool=pool).annotate(answer=answer, grade=grade, said=said)
    rows = picks.order_by("said", "number")
    gains: dict[int, list[int]] = {}
    picked: dict[int, int] = {}
    for topic, answer, grade in rows.values_list("topic_id", "answer", "grade"):
        picked[topic] = picked.get(topic, 0) + 1
        if answer in ANSWERED:
            relevant = answer == Answer.GRADE and grade is not None and grade >= collection.lenient_from
            gains.setdefault(topic, []).append(int(relevant))
    sampled = checks(collection, pool)
    stops = {stop.topic_id: stop for stop in pool.stops.select_related("stopped_by")}
    seated = set(Seat.objects.filter(item__pool=pool).order_by().values_list("item__topic", flat=True).distinct())
    budget = int(pool.parameters["budget"])
    topics = sorted(collection.topics.filter(pk__in=picked), key=lambda topic: (len(topic.number), topic.number))
    return [
        TopicGoes(
            pool,
            topic,
            picked[topic.pk],
            budget,
            gains.get(topic.pk, []),
            stopping.advice(gains.get(topic.pk, []), budget, pool.parameters.get("target")),
            stops.get(topic.pk),
            sampled.get(topic.number),
            topic.pk in seated,
        )
        for topic in topics
    ]
