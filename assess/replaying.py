"""Picks of adaptive rounds, made again: from the seed, the runs, and what was said of earlier picks when each was made."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from assess.models import Answer, JudgmentEvent
from pooling import adaptives
from pooling.adaptives import Said
from pooling.models import Pick, Pool, PoolItem, Topic


@dataclass(frozen=True)
class Replayed:
    """A pick as it is kept, and as the strategy makes it again: docno, run and why. None: it makes none."""

    topic: str
    number: int
    kept: tuple[str, int | None, str]
    again: tuple[str, int | None, str] | None

    @property
    def same(self) -> bool:
        return self.kept == self.again


@dataclass
class _Outcomes:
    """Of items: what was said of each first, as it stood after any act."""

    lenient_from: int
    acts: dict[int, dict[int, list[tuple[int, str, int | None]]]] = field(default_factory=dict)  # item, judgment, in order

    def add(self, item: int, judgment: int, act: int, answer: str, grade: int | None) -> None:
        self.acts.setdefault(item, {}).setdefault(judgment, []).append((act, answer, grade))

    def at(self, item: int, newest: int) -> int:
        """Relevant 1, not 0, not known -1."""
        for _, acts in sorted(self.acts.get(item, {}).items()):
            there = [act for act in acts if act[0] <= newest]
            if there:
                _, answer, grade = there[-1]
                return int(grade >= self.lenient_from) if answer == Answer.GRADE and grade is not None else -1
        return -1


def replay(pool: Pool) -> Iterator[Replayed]:
    """All picks whose topic, documents and runs are as they were; those from before it was kept what was known are left out."""
    outcomes = _outcomes(pool)
    picks = list(pool.picks.select_related("item").order_by("topic", "number"))
    for topic in Topic.objects.filter(pk__in={pick.topic_id for pick in picks}).order_by("pk"):
        found = adaptives.view(pool, topic)
        mine = [pick for pick in picks if pick.topic_id == topic.pk]
        others = list(PoolItem.objects.filter(topic=topic).exclude(pool=pool).values_list("pk", "docno"))
        for place, pick in enumerate(mine):
            if pick.known is None or pick.known.get("view") != found.key:
                continue
            said = [_said(one, pick.known, outcomes) for one in mine[:place]]
            before = [docno for item, docno in others if item < pick.item_id]
            made = adaptives.next_picks(found, said, _elsewhere(found, picks, pick.known["newest"], outcomes), before, 1)
            again = (made[0].docno, made[0].run, made[0].why) if made else None
            yield Replayed(topic.number, pick.number, (pick.item.docno, pick.run_id, pick.why), again)


def _outcomes(pool: Pool) -> _Outcomes:
    """Of the acts that a strategy learns from: first opinions of people."""
    acts = JudgmentEvent.objects.filter(judgment__item__pool=pool, judgment__occasion=0, judgment__extra=False)
    acts = acts.filter(judgment__assessor__is_machine=False).order_by("pk")
    found = _Outcomes(pool.collection.lenient_from)
    for row in acts.values_list("judgment__item_id", "judgment_id", "pk", "answer", "grade").iterator():
        found.add(*row)
    return found


def _said(pick: Pick, known: Mapping[str, Any], outcomes: _Outcomes) -> Said:
    """An act may have a smaller number than one that was there before it: what was open is kept by itself."""
    outcome = -1 if pick.number in known["open"] else outcomes.at(pick.item_id, known["newest"])
    return Said(pick.item.docno, pick.run_id, outcome)


def _elsewhere(found: adaptives.View, picks: Iterable[Pick], newest: int, outcomes: _Outcomes) -> dict[int, int]:
    if found.pool.parameters.get("scope") != "global":
        return {}
    counts: dict[int, int] = {}
    for pick in picks:
        if pick.topic_id != found.topic.pk and pick.run_id and outcomes.at(pick.item_id, newest) == 0:
            counts[pick.run_id] = counts.get(pick.run_id, 0) + 1
    return counts
