"""Opinions, decisions, and what comes of them: one grade for each document. Read by organizers and by evaluation."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from django.db.models import Count, Max
from numpy.typing import NDArray

from assess import selectors
from assess.core.adjudication import Merged, Rule, resolve
from assess.models import Answer, Decision, DecisionEvent, JudgmentEvent, MergePlan, MergeRule, Missing
from assess.selectors import JudgmentTable
from config.errors import Refusal
from pooling.models import Collection, PoolItem

EXPLAINED: dict[str, str] = {
    MergeRule.FIRST: "One responsible assessor for each topic, as TREC does it; second opinions only measure agreement.",
    MergeRule.MAJORITY: "For three or more opinions. A tie decides nothing: it waits for an adjudicator.",
    MergeRule.MEDIAN_LOW: "The middle opinion; in doubt the lower one. For graded scales.",
    MergeRule.MEDIAN_HIGH: "The middle opinion; in doubt the upper one. For graded scales.",
    MergeRule.MAX: "Relevant to anybody is relevant: the union. Mostly to see how much depends on it.",
    MergeRule.MIN: "Relevant only to all is relevant: the intersection. Mostly to see how much depends on it.",
}


@dataclass(frozen=True, eq=False)
class Opinions:
    """Judgments and decisions of one moment. `items` are those with any of them; `codes` are places in it, one of each
    judgment of the table; `decided` and `grades` are aligned: places of decided items, and what was decided."""

    table: JudgmentTable
    items: NDArray[np.int64]
    topics: NDArray[np.bytes_]
    docnos: NDArray[np.bytes_]
    codes: NDArray[np.int64]
    decided: NDArray[np.int64]
    grades: NDArray[np.int64]

    def merge(self, rule: str, least: int = 1) -> Merged:
        known: Any = rule
        return resolve(
            *(self.codes, self.table.grades, len(self.items), known),
            decided_items=self.decided,
            decided_grades=self.grades,
            opinions=least,
        )


def plan(collection: Collection) -> MergePlan:
    """As it was set, or the default: the primary assessor's grade."""
    return MergePlan.objects.filter(collection=collection).first() or MergePlan(collection=collection)


def opinions(collection: Collection, at: datetime | None = None, *, items: Sequence[int] | None = None) -> Opinions:
    """Those of now, of all items or of these alone; with a date, what stood then: the history is replayed up to it."""
    if at is None:
        table = selectors.judgment_table(collection, items)
        rows = Decision.objects.filter(item__pool__collection=collection)
        rows = rows if items is None else rows.filter(item_id__in=items)
        found: Iterable[tuple[int, int | None]] = rows.values_list("item_id", "grade")
    else:
        table = _table_at(collection, at)
        events = DecisionEvent.objects.filter(decision__item__pool__collection=collection, at__lte=at).order_by("pk")
        found = dict(events.values_list("decision__item_id", "grade")).items()
    decisions = sorted((item, grade) for item, grade in found if grade is not None)
    decided = np.array([item for item, _grade in decisions], np.int64)
    there, first = np.unique(np.concatenate((table.items, decided)), return_index=True)
    names = _names(table, decided)
    return Opinions(
        table,
        there,
        np.array([names[place][0] for place in first.tolist()], np.bytes_),
        np.array([names[place][1] for place in first.tolist()], np.bytes_),
        np.searchsorted(there, table.items),
        np.searchsorted(there, decided),
        np.array([grade for _item, grade in decisions], np.int64),
    )


def _names(table: JudgmentTable, decided: NDArray[np.int64]) -> list[tuple[bytes, bytes]]:
    """Topic and docno of each row of the table, then of each decision."""
    rows = PoolItem.objects.in_bulk(decided.tolist()) if len(decided) else {}
    numbers = dict(PoolItem.objects.filter(pk__in=list(rows)).values_list("pk", "topic__number"))
    of_decisions = [(numbers[item].encode(), rows[item].docno.encode()) for item in decided.tolist()]
    return [*zip(table.topics.tolist(), table.docnos.tolist(), strict=True), *of_decisions]


def _table_at(collection: Collection, at: datetime) -> JudgmentTable:
    events = JudgmentEvent.objects.filter(
        selectors.who_counts(collection, "judgment__assessor"),
        judgment__item__pool__collection=collection,
        judgment__occasion=0,
        judgment__extra=False,
        at__lte=at,
    )
    rows = events.annotate(slot=selectors.slot_of("judgment__item", "judgment__assessor")).order_by("pk")
    columns = ("judgment__item__topic__number", "judgment__item__docno", "judgment__assessor_id", "slot", "answer", "grade")
    last = {row[0]: row for row in rows.values_list("judgment_id", "judgment__item_id", *columns).iterator(chunk_size=20_000)}
    kept = sorted(
        (item, slot, judgment, topic, docno, who, grade)
        for judgment, item, topic, docno, who, slot, answer, grade in last.values()
        if answer == Answer.GRADE
    )
    return selectors.as_table([(item, topic, docno, who, slot, grade) for item, slot, _j, topic, docno, who, grade in kept])


def decisions_so_far(collection: Collection) -> tuple[int, int]:
    """The newest act of deciding and how many there are."""
    events = DecisionEvent.objects.filter(decision__item__pool__collection=collection)
    found = events.aggregate(newest=Max("pk"), count=Count("pk"))
    return found["newest"] or 0, found["count"]


def decided_since(collection: Collection, event: int) -> list[int]:
    """The item of each act of deciding after this one."""
    events = DecisionEvent.objects.filter(decision__item__pool__collection=collection, pk__gt=event)
    return list(events.values_list("decision__item_id", flat=True))


def newest_decision(collection: Collection) -> int:
    """The number of the newest act of deciding, 0 before the first."""
    found = DecisionEvent.objects.filter(decision__item__pool__collection=collection).aggregate(newest=Max("pk"))
    return found["newest"] or 0


@dataclass(frozen=True, eq=False)
class Final:
    """One grade for each document that has one. `places` are their places in the opinions, `merged` tells of all."""

    places: NDArray[np.int64]
    grades: NDArray[np.int64]
    merged: Merged


def final(found: Opinions, rule: str, least: int, missing: str, lowest: int) -> Final:
    """Decisions first, then the rule; what has too few opinions, or an open tie, as the collection says."""
    merged = found.merge(rule, least)
    few, ties = merged.count("few"), merged.count("tie")
    if missing == Missing.REFUSE and few + ties:
        raise Refusal(
            f"{few:,} documents have fewer than {least} opinions and {ties:,} are even and undecided; "
            "the merge rule says that nothing is released until there is none.",
            few=few,
            ties=ties,
        )
    there = merged.sources > 0 if missing == Missing.LOWEST else merged.decided
    places = np.flatnonzero(there)
    return Final(places, np.where(merged.decided, merged.grades, lowest)[places], merged)


@dataclass(frozen=True)
class RuleLine:
    """What a rule would give: documents with a grade, those without, relevant ones, and how many grades differ from now."""

    rule: str
    label: str
    about: str
    current: bool
    items: int
    few: int
    ties: int
    relevant: int
    strict: int
    changed: int


def preview(collection: Collection, settled: MergePlan | None = None) -> list[RuleLine]:
    """Each rule on the opinions of now, beside the one that is set."""
    settled = settled or plan(collection)
    found = opinions(collection)
    now = found.merge(settled.rule, settled.opinions)
    lines = []
    for rule in MergeRule:
        merged = found.merge(rule.value, settled.opinions)
        graded = merged.grades[merged.decided]
        changed = (merged.decided != now.decided) | (merged.decided & (merged.grades != now.grades))
        lines.append(
            RuleLine(
                rule.value,
                str(rule.label),
                EXPLAINED[rule],
                rule.value == settled.rule,
                len(graded),
                merged.count("few"),
                merged.count("tie"),
                int((graded >= collection.lenient_from).sum()),
                int((graded >= collection.strict_from).sum()),
                int(changed.sum()),
            )
        )
    return lines


RULES: tuple[Rule, ...] = ("first", "majority", "median_low", "median_high", "max", "min")
