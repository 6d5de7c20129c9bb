"""Judging, assignments, progress and agreement over the API."""

import csv
import io
import json
import uuid
from typing import Any

import pytest

from assess.models import Assignment, JudgmentEvent, Seat
from pooling.services import members
from tests import factories as people
from tests.api.conftest import NOT_FOUND, Caller, CallerFor, caller_for
from tests.assess.conftest import Bench

pytestmark = pytest.mark.once

__all__ = ["caller_for"]
BASE = "/collections/harbour-trials"


@pytest.fixture
def ann(bench: Bench, caller_for: CallerFor) -> Caller:
    return caller_for(bench.ann, "read", "judge")


@pytest.fixture
def organizer(bench: Bench, caller_for: CallerFor) -> Caller:
    return caller_for(bench.organizer)


def act(grade: int, **more: Any) -> dict[str, Any]:
    return {"grade": grade, "client_id": str(uuid.uuid4()), **more}


def test_judge_by_api(bench: Bench, ann: Caller) -> None:
    bench.assign(overlap=0)
    first, second = ann("GET", f"{BASE}/queue?count=2")
    card = bench.cards(bench.ann)[0]
    assert first == {
        "seat": str(card.token),
        "topic": {"number": "1", "title": card.topic_title, "description": card.description, "narrative": card.narrative},
        "document": {
            "docno": card.docno,
            "title": card.title,
            "text": card.text,
            "html": "",
            "url": "",
            "language": "",
            "date": "",
            "extra": {},
        },
        "grade": None,
        "answer": "open",
        "reason": "",
        "note": "",
        "known": False,
        "evidence": [],
        "seen": 0,
    }
    body = act(2, seconds=3.5, seen=0)
    told = ann("POST", f"{BASE}/queue/{first['seat']}", body)
    assert ann.status == 200
    assert told["saved"] == {"seat": first["seat"], "client_id": body["client_id"], "answer": "grade", "grade": 2, "seen": 1}
    assert (told["done"], told["left"], told["next"][0]) == (1, 4, second)
    assert ann("POST", f"{BASE}/queue/{first['seat']}", body)["saved"] == told["saved"]
    assert JudgmentEvent.objects.count() == 1
    assert ann("GET", f"{BASE}/queue/{first['seat']}")["grade"] == 2
    ann("POST", f"{BASE}/queue/{first['seat']}", act(0, seen=1))
    history = ann("GET", f"{BASE}/queue/history")["results"]
    assert [(e["grade"], e["previous_grade"], e["seat"], e["docno"]) for e in history] == [
        (0, 2, first["seat"], card.docno),
        (2, None, first["seat"], card.docno),
    ]
    own = ann("GET", f"{BASE}/queue/progress")
    assert own == {
        "done": 1,
        "left": 4,
        "free": 0,
        "today": 1,
        "seconds": 3.5,
        "grades": {"0": 1},
        "cannot": 0,
        "topics": [{"number": "1", "title": card.topic_title, "done": 1, "left": 4}],
    }


def test_refusals(bench: Bench, ann: Caller, caller_for: CallerFor) -> None:
    bench.assign(overlap=0)
    seat = bench.cards(bench.ann)[0].token
    assert "3 (Highly relevant); found 8" in ann("POST", f"{BASE}/queue/{seat}", act(8))["error"]["message"]
    ann("POST", f"{BASE}/queue/{seat}", act(1))
    told = ann("POST", f"{BASE}/queue/{seat}", act(2, seen=0))
    assert ann.status == 409 and told["error"]["details"] == {"grade": 1, "seen": 1}
    assert ann("POST", f"{BASE}/queue/{uuid.uuid4()}", act(1)) == NOT_FOUND
    assert caller_for(bench.bob)("POST", f"{BASE}/queue/{seat}", act(1)) == NOT_FOUND
    reader = caller_for(bench.ann, "read")
    reader("POST", f"{BASE}/queue/{seat}", act(1))
    assert reader.status == 403
    reader("GET", f"{BASE}/queue")
    assert reader.status == 403


def test_machine_judges(bench: Bench, organizer: Caller) -> None:
    machine, _, secret = members.add_machine(bench.collection, name="robot")
    organizer("POST", f"{BASE}/assignments/auto", {"assessors": [machine.user.username]})
    assert organizer.status == 422  # people alone are assigned; a machine's queue is whatever is pooled
    robot = Caller(secret)
    for _step in range(10):
        (card,) = robot("GET", f"{BASE}/queue?count=1")
        robot("POST", f"{BASE}/queue/{card['seat']}", act(1))
    assert robot("GET", f"{BASE}/queue") == []
    assert JudgmentEvent.objects.count() == 10
    assert organizer("GET", f"{BASE}/watch")["machines"] == [{"machine": machine.user.username, "done": 10, "invalid": 0}]
    assert organizer("GET", f"{BASE}/progress")["total"]["done"] == 0


def test_assignments(bench: Bench, organizer: Caller) -> None:
    body = {"overlap": 0.4, "seed": 3, "assignments": [{"topic": "1", "first": ["ann-assessor"], "second": ["bob-beholder"]}]}
    assert organizer("PUT", f"{BASE}/assignments", body)["made"] == 7
    found = organizer("GET", f"{BASE}/assignments")
    assert [(row["topic"], row["assessor"], row["slot"]) for row in found] == [
        ("1", "ann-assessor", 1),
        ("1", "bob-beholder", 2),
    ]
    assert organizer("POST", f"{BASE}/assignments/seats")["made"] == 0
    for wrong, words in (
        ({"topic": "77"}, "There is no topic “77” in this collection."),
        ({"topic": "1", "first": ["olga-organizer"]}, "Expected an assessor of this collection; found “olga-organizer”."),
    ):
        assert organizer("PUT", f"{BASE}/assignments", {"assignments": [wrong]})["error"]["message"] == words
        assert organizer.status == 422
    assert Assignment.objects.count() == 2 and Seat.objects.count() == 7


def test_progress_and_agreement(bench: Bench, organizer: Caller) -> None:
    bench.assign(overlap=1)
    bench.judge(bench.ann, 10, grade=1, seconds=2)
    bench.judge(bench.bob, 10, grade=2)
    found = organizer("GET", f"{BASE}/progress")
    assert found["total"] == {"name": "All", "done": 20, "left": 0, "skipped": 0, "later": 0, "seconds": 2.0}
    assert [(line["user"], line["done"]) for line in found["assessors"]] == [("ann-assessor", 10), ("bob-beholder", 10)]
    assert (found["items"], found["unassigned"], len(found["topics"])) == (10, 0, 2)
    told = organizer("GET", f"{BASE}/agreement")
    (pair,) = told["pairs"]
    assert (told["twice"], told["levels"], told["overall"]["n"]) == (10, [0, 1, 2, 3], 10)
    assert (pair["first"], pair["second"], pair["n"]) == ("ann-assessor", "bob-beholder", 10)
    assert (pair["agreement"], pair["cohen"]) == (0.0, 0.0)
    assert pair["table"][1] == [0, 0, 10, 0]


def test_export(bench: Bench, organizer: Caller) -> None:
    bench.assign(overlap=1)
    (card,) = bench.judge(bench.bob, 1, grade=3)
    text = organizer("GET", f"{BASE}/judgments").decode()
    (row,) = csv.DictReader(io.StringIO(text))
    assert (row["topic"], row["docno"], row["assessor"], row["slot"], row["grade"]) == (card.topic, card.docno, "A2", "2", "3")
    assert organizer.headers["Content-Disposition"] == 'attachment; filename="harbour-trials-judgments.csv"'
    line = json.loads(organizer("GET", f"{BASE}/judgments?format=jsonl&history=true"))
    assert line["grade"] == 3 and line["assessor"] == "A2" and "bob" not in str(line)
    organizer("GET", f"{BASE}/judgments?format=xml")
    assert organizer.status == 422


def test_roles(bench: Bench, ann: Caller, organizer: Caller, caller_for: CallerFor) -> None:
    for path in ("assignments", "progress", "agreement", "judgments"):
        ann("GET", f"{BASE}/{path}")
        assert ann.status == 403
    organizer("GET", f"{BASE}/queue")
    assert organizer.status == 403
    stranger = caller_for(people.make_user("Not a member"))
    assert stranger("GET", f"{BASE}/queue") == NOT_FOUND


def test_watching_practice_and_questions(bench: Bench, ann: Caller, organizer: Caller) -> None:
    """What organizers set and watch, and what assessors ask and practise, over the API alone."""
    docno = bench.topics[0].items.first().docno  # type: ignore[union-attr]
    rules = {"overlap": 0.4, "third": 0, "order": "docno", "repeats": 0, "by_item": False, "count_machines": False}
    body = {**rules, "assignments": [{"topic": "1", "first": ["ann-assessor"], "second": ["bob-beholder"]}]}
    assert organizer("PUT", f"{BASE}/assignments", body)["made"] == 7
    assert organizer("PUT", f"{BASE}/workloads/ann-assessor", {"weight": 2, "cap": 100})["cap"] == 100
    assert organizer("GET", f"{BASE}/workloads") == [{"user": "ann-assessor", "weight": 2.0, "cap": 100}]
    example = {"docno": docno, "grade": 3, "reason": "It counts eels."}
    assert organizer("PUT", f"{BASE}/practice/1", {"examples": [example]}) == [example]
    assert organizer("GET", f"{BASE}/practice/1") == {"examples": [example]}
    assert ann("GET", f"{BASE}/queue")["error"]["details"] == {"practice": True} and ann.status == 409
    told = ann("GET", f"{BASE}/queue/practice")
    assert told["left"] == 1 and "eels" not in str(told)
    answered = ann("POST", f"{BASE}/queue/practice/{told['card']['id']}", {"grade": 1})
    assert answered == {"grade": 1, "right": 3, "reason": "It counts eels.", "left": 0}
    seat = ann("GET", f"{BASE}/queue?count=1")[0]["seat"]
    ann("POST", f"{BASE}/queue/{seat}/questions", {"text": "Are eels meant?"})
    (thread,) = organizer("GET", f"{BASE}/questions")
    assert (thread["open"], thread["lines"][0]["text"]) == (True, "Are eels meant?")
    organizer("POST", f"{BASE}/questions/{thread['id']}", {"text": "Yes."})
    own = ann("GET", f"{BASE}/queue/questions")
    assert own["unseen"] == 1 and [line["mine"] for line in own["threads"][0]["lines"]] == [True, False]
    assert "Olga" not in str(own) and "olga" not in str(own)
    ann("POST", f"{BASE}/queue/questions/seen")
    assert ann("GET", f"{BASE}/queue/questions")["unseen"] == 0
    ann("POST", f"{BASE}/queue/{seat}", act(2))
    watched = organizer("GET", f"{BASE}/watch")
    assert watched["assessors"] == [{"user": "ann-assessor", "grades": [0, 0, 1, 0], "flags": []}]
    assert [(row["judged"], row["relevant"]) for row in watched["depths"]][-1] == (1, 1)
