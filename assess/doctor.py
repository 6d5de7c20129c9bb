"""Judgments and decisions against their histories, and seats against judgments."""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet

from assess import replaying
from assess.models import ANSWERED, Decision, DecisionEvent, Judgment, JudgmentEvent, Seat
from config.doctor import Fault, examines
from pooling.models import Pool, Run

_SAID = ("answer", "grade", "reason", "note", "known", "evidence")
_DECIDED = ("grade", "reason", "comment", "adjudicator_id")


def _replayed(heads: QuerySet[Any], events: QuerySet[Any], parent: str, fields: tuple[str, ...]) -> Iterator[Fault]:
    """Whether the last act of each history is what stands, and the acts are as many as are told."""
    told = groupby(events.order_by(parent, "pk").values_list(parent, *fields).iterator(), key=lambda row: row[0])
    history = next(told, None)
    columns = ("pk", "item__pool__collection__slug", "item__topic__number", "item__docno", "event_count", *fields)
    for pk, slug, number, docno, count, *now in heads.order_by("pk").values_list(*columns).iterator():
        acts: list[Any] = []
        if history and history[0] == pk:
            acts, history = [list(act[1:]) for act in history[1]], next(told, None)
        what = f"topic {number}, {docno}"
        if len(acts) != count:
            yield Fault(slug, f"{what}, acts", str(count), str(len(acts)))
        elif acts[-1:] != [now]:
            yield Fault(slug, what, f"as last said: {acts[-1] if acts else 'nothing'}", str(now))


@examines("judgments and their history")
def _judgments() -> Iterator[Fault]:
    yield from _replayed(Judgment.objects.all(), JudgmentEvent.objects.all(), "judgment_id", _SAID)


@examines("decisions and their history")
def _decisions() -> Iterator[Fault]:
    yield from _replayed(Decision.objects.all(), DecisionEvent.objects.all(), "decision_id", _DECIDED)


@examines("progress")
def _seats() -> Iterator[Fault]:
    """What counts as judged was judged, and what was judged is not given out again."""
    same = {"item": OuterRef("item"), "assessor": OuterRef("assessor"), "occasion": OuterRef("occasion")}
    answered = Exists(Judgment.objects.filter(**same, answer__in=ANSWERED))
    columns = ("collection__slug", "item__topic__number", "item__docno", "assessor__username")
    for judged, states in ((True, ("judged", "no judgment")), (False, ("open, with no judgment", "a judgment"))):
        odd = Seat.objects.filter(answered if not judged else ~answered, judged_at__isnull=not judged, assessor__isnull=False)
        for slug, number, docno, who in odd.values_list(*columns).iterator():
            yield Fault(slug, f"topic {number}, {docno}, for {who}", *states)


@examines("picks of adaptive rounds")
def _picks() -> Iterator[Fault]:
    """Each made again from the round's seed and what was known when it was made, where the runs are still those that were pooled."""
    for pool in Pool.objects.exclude(drawn_at=None).filter(picks__isnull=False).distinct().select_related("collection"):
        runs = {run.pk: run for run in Run.objects.filter(pools=pool).select_related("upload")}
        if {run.upload.sha256 for run in runs.values()} != {used["sha256"] for used in pool.used}:
            continue
        for one in replaying.replay(pool):
            if not one.same:
                told = [
                    f"{pick[0]}, {pick[2]}" + (f" of {runs[pick[1]]}" if pick[1] else "")
                    for pick in (one.again, one.kept)
                    if pick
                ]
                what = f"round {pool.round}, topic {one.topic}, pick {one.number}"
                yield Fault(pool.collection.slug, what, *(told if one.again else ["none", *told]))
