"""kill -9 while judgments are imported, at random moments: all of them with their history, or none."""

import pytest

from assess.models import JudgmentEvent, Seat
from config import jobs
from config.models import Job
from evaluation.services import importing
from pooling.models import Collection, Membership, PoolItem
from tests import factories as people
from tests.evaluation.factories import judge, make_item, make_topic
from tests.killing import digest, kill_often

LINES = b"".join(b"%d d%d %s %d\n" % (topic, n, who, n % 4) for topic in (1, 2) for n in range(300) for who in (b"ann", b"bob"))


@pytest.mark.usefixtures("committed")
def test_imported_judgments_are_all_there_or_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "nudge", lambda job: True)
    organizer = people.make_user("Olga Organizer")
    made: list[Collection] = []

    def again() -> Job:
        """Into a collection of its own each time: history is not taken back."""
        made.append(people.make_collection(organizer, f"Harbour {len(made)}"))
        make_topic(made[-1], "2")
        judge(make_item(made[-1], "1", "d7", by=organizer), organizer, 1)
        return importing.request_import(made[-1], by=organizer, data=LINES, options=importing.Options())

    def seen() -> str:
        mine = made[-1]
        acts = JudgmentEvent.objects.filter(judgment__item__pool__collection=mine).order_by("pk")
        told = (
            "judgment__item__topic__number",
            "judgment__item__docno",
            "judgment__assessor__name",
            "grade",
            "judgment__grade",
        )
        seats = (
            Seat.objects.filter(collection=mine).order_by("pk").values_list("item__docno", "slot", "assessor__name", "position")
        )
        rounds = mine.pools.order_by("round").values_list("round", "strategy", "item_count")
        items = PoolItem.objects.filter(pool__collection=mine).order_by("pk").values_list("topic__number", "docno")
        names = Membership.objects.filter(collection=mine).order_by("pk").values_list("user__name", "role")
        return digest(list(acts.values_list(*told)), list(seats), list(rounds), list(items), list(names))

    kill_often(again, seen)
    assert JudgmentEvent.objects.filter(judgment__item__pool__collection=made[-1]).count() == 1 + 1200
