"""Relevant passages: said with a judgment, kept in its history, over page and API alike."""

import uuid

import pytest

from assess.core import passages
from assess.models import Judgment, JudgmentEvent
from assess.services import judging
from config.errors import Refusal
from tests.api.conftest import CallerFor, caller_for
from tests.assess.conftest import Bench
from tests.conftest import ClientFor

__all__ = ["caller_for"]
BASE = "/collections/harbour-trials/queue"


def test_passages_in_order_and_merged() -> None:
    assert passages.write([(30, 40), (3, 10), (8, 12), (12, 14)]) == "3-14,30-40"
    assert passages.read("3-14,30-40") == [(3, 14), (30, 40)] and passages.read("") == passages.read(" ") == []
    for wrong in ("3", "3-", "a-b", "3-4,", "-1-2", "٣-٤"):
        with pytest.raises(ValueError):
            passages.read(wrong)


def test_passages_are_history(bench: Bench) -> None:
    bench.assign(overlap=0)
    card = bench.cards(bench.ann)[0]
    said: tuple[list[tuple[int, int]], ...] = ([(0, 7)], [(0, 7), (10, 12)], [])
    for evidence in said:
        judging.record_judgment(
            bench.collection, assessor=bench.ann, seat=card.token, client_id=uuid.uuid4(), evidence=evidence
        )
    judging.record_judgment(bench.collection, assessor=bench.ann, seat=card.token, client_id=uuid.uuid4(), grade=2)
    assert list(JudgmentEvent.objects.values_list("evidence", "grade")) == [
        ("0-7", None),
        ("0-7,10-12", None),
        ("", None),
        ("", 2),
    ]
    assert Judgment.objects.get().evidence == ""


@pytest.mark.parametrize("evidence", [[(5, 5)], [(7, 3)], [(0, 10_000)], [(n, n + 1) for n in range(0, 300, 2)]])
def test_passages_outside_the_text_are_refused(bench: Bench, evidence: list[tuple[int, int]]) -> None:
    bench.assign(overlap=0)
    card = bench.cards(bench.ann)[0]
    with pytest.raises(Refusal, match="Expected"):
        judging.record_judgment(
            bench.collection, assessor=bench.ann, seat=card.token, client_id=uuid.uuid4(), grade=1, evidence=evidence
        )
    assert not JudgmentEvent.objects.exists()


def test_passages_over_page_and_api(bench: Bench, client_for: ClientFor, caller_for: CallerFor) -> None:
    bench.assign(overlap=0)
    card = bench.cards(bench.ann)[0]
    client, ann = client_for(bench.ann), caller_for(bench.ann)
    values = {"client_id": uuid.uuid4(), "grade": 3, "evidence": "8-12,0-4"}
    answer = client.post(f"/c/harbour-trials/judge/{card.token}/", values, headers={"Accept": "application/json"})
    assert answer.status_code == 200
    wrong = {**values, "client_id": uuid.uuid4(), "evidence": "4 to 8"}
    answer = client.post(f"/c/harbour-trials/judge/{card.token}/", wrong, headers={"Accept": "application/json"})
    assert answer.json()["error"]["message"] == "evidence: Expected passages as start-end, separated by commas."
    assert ann("GET", f"{BASE}/{card.token}")["evidence"] == [{"start": 0, "end": 4}, {"start": 8, "end": 12}]
    ann("POST", f"{BASE}/{card.token}", {"client_id": str(uuid.uuid4()), "evidence": [{"start": 1, "end": 3}]})
    (now,) = ann("GET", f"{BASE}/judgments?noted=true")["results"]
    assert (now["grade"], now["evidence"], now["acts"], now["seat"]) == (3, [{"start": 1, "end": 3}], 2, str(card.token))
    assert ann("GET", f"{BASE}/judgments?grade=2")["results"] == []
    history = ann("GET", f"{BASE}/history")["results"]
    assert [len(act["evidence"]) for act in history] == [1, 2]
