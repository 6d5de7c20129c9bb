"""What an assessor can say that is no grade: can't judge, later, a note, already known; and taking it back."""

import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from assess import blind, selectors, watching
from assess.models import Answer, Judgment, JudgmentEvent, Seat
from assess.services import judging, questions
from config import keeping
from config.errors import Refusal
from tests.api.conftest import CallerFor, caller_for
from tests.assess.conftest import Bench
from tests.conftest import ClientFor

__all__ = ["caller_for"]


def say(bench: Bench, card: blind.Card, **what: Any) -> judging.Recorded:
    given = {"client_id": uuid.uuid4(), **what}
    return judging.record_judgment(bench.collection, assessor=bench.ann, seat=card.token, **given)


def card(bench: Bench, token: uuid.UUID) -> blind.Card:
    return judging.item(bench.collection, assessor=bench.ann, seat=token)


def test_cannot_judge_is_answered_and_counts_nowhere(bench: Bench) -> None:
    bench.assign(overlap=0)
    first, second, *_ = bench.cards(bench.ann)
    done = say(bench, first, answer="cannot", reason=" cut off ")
    assert (done.saved.answer, done.saved.grade, done.done, done.left) == ("cannot", None, 1, 4)
    assert bench.cards(bench.ann)[0] == second
    found = card(bench, first.token)
    assert (found.answer, found.reason, found.grade, found.waits, found.seen) == ("cannot", "cut off", None, False, 1)
    assert len(selectors.judgment_table(bench.collection).grades) == 0
    line = watching.progress(bench.collection).topics[0]
    assert (line.done, line.skipped, line.left, line.later) == (0, 1, 4, 0)
    (row,) = selectors.exported(bench.collection)
    assert (row["answer"], row["grade"], row["reason"]) == ("cannot", None, "cut off")
    for user, role, whose in ((bench.organizer, "organizer", "wanted"), (bench.ann, "assessor", "judgments")):
        stage = selectors.judged_stage(bench.collection, user, {role})
        assert stage.count == "0" and stage.note.endswith(f" {whose}; 1 cannot be judged")


def test_later_comes_back_at_the_end(bench: Bench) -> None:
    bench.assign(overlap=0)
    first, *rest = bench.cards(bench.ann)
    act = uuid.uuid4()
    done = say(bench, first, answer="later", client_id=act)
    assert (done.done, done.left) == (0, 5) and first.token not in [one.token for one in done.cards]
    assert [one.token for one in bench.cards(bench.ann)] == [one.token for one in (*rest, first)]
    say(bench, rest[0], answer="later")
    again = say(bench, first, answer="later", client_id=act)  # its answer was lost: nothing moves
    assert again.saved == done.saved and again.left == 5
    assert [one.token for one in bench.cards(bench.ann)][-2:] == [first.token, rest[0].token]
    assert watching.progress(bench.collection).total.later == 2
    assert say(bench, first, grade=2).done == 1 and watching.progress(bench.collection).total.later == 1


def test_note_and_mark_leave_the_grade(bench: Bench) -> None:
    bench.assign(overlap=0)
    first, *_ = bench.cards(bench.ann)
    done = say(bench, first, note="  see page 3  ")
    assert (done.saved.answer, done.saved.seen, done.done) == ("open", 1, 0)
    assert bench.cards(bench.ann)[0].note == "see page 3"
    say(bench, first, grade=3, seen=1)
    say(bench, first, known=True)
    found = card(bench, first.token)
    assert (found.grade, found.note, found.known, found.waits, found.seen) == (3, "see page 3", True, False, 3)
    say(bench, first, note="")
    assert list(JudgmentEvent.objects.values_list("answer", "grade", "previous_grade", "note", "known")) == [
        ("open", None, None, "see page 3", False),
        ("grade", 3, None, "see page 3", False),
        ("grade", 3, 3, "see page 3", True),
        ("grade", 3, 3, "", True),
    ]


def test_taking_back_is_history(bench: Bench) -> None:
    bench.assign(overlap=0)
    first, *_ = bench.cards(bench.ann)
    say(bench, first, grade=3)
    done = say(bench, first, answer="open")
    assert (done.saved.answer, done.done, done.left) == ("open", 0, 5)
    assert bench.cards(bench.ann)[0].token == first.token and Seat.objects.get(token=first.token).judged_at is None
    assert list(JudgmentEvent.objects.values_list("grade", "previous_grade")) == [(3, None), (None, 3)]
    assert not selectors.judgments(bench.collection).exists() and Judgment.objects.get().event_count == 2
    with pytest.raises(judging.Stale, match="it is now not judged"):
        say(bench, first, grade=1, seen=1)


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ({}, "Expected a grade, an answer (grade, cannot, later, open), a note or a mark; found nothing."),
        ({"answer": "maybe"}, "answer: Expected one of grade, cannot, later, open; found “maybe”."),
        ({"answer": "grade"}, "Expected a grade with the answer “grade”, and with no other."),
        ({"answer": "later", "grade": 1}, "Expected a grade with the answer “grade”, and with no other."),
        ({"answer": "cannot"}, "Expected a reason why the document cannot be judged; found none."),
        (
            {"answer": "cannot", "reason": "x" * 201},
            "Expected a reason of at most 200 characters, none of them NUL; found 201.",
        ),
        ({"note": "x\0"}, "Expected a note of at most 5,000 characters, none of them NUL; found 2."),
    ],
)
def test_what_cannot_be_said(bench: Bench, what: dict[str, Any], words: str) -> None:
    bench.assign(overlap=0)
    with pytest.raises(Refusal) as refused:
        say(bench, bench.cards(bench.ann)[0], **what)
    assert refused.value.message == words
    assert not JudgmentEvent.objects.exists() and not Seat.objects.filter(judged_at__isnull=False).exists()


def test_database_keeps_grades_apart(bench: Bench) -> None:
    bench.assign(overlap=0)
    bench.judge(bench.ann)
    for wrong in ({"answer": Answer.LATER}, {"grade": None}):
        with pytest.raises(IntegrityError, match="judgment_only_grades"), transaction.atomic():
            Judgment.objects.update(**wrong)


def test_page_without_script(bench: Bench, client_for: ClientFor) -> None:
    bench.assign(overlap=0)
    first, second, third, *_ = bench.cards(bench.ann)
    client, base = client_for(bench.ann), "/c/harbour-trials/judge/"

    def post(token: uuid.UUID, **values: Any) -> str:
        return client.post(f"{base}{token}/", {"client_id": uuid.uuid4(), "note": "", "known": "false", **values})["Location"]

    assert post(first.token, answer="cannot", reason="not readable") == base
    assert post(second.token, answer="later", reason="") == base
    assert post(third.token, note="Hm.", known=["false", "true"]) == f"{base}{third.token}/"
    page = client.get(f"{base}{third.token}/").content.decode()
    assert ">Hm.</textarea>" in page and 'value="true" checked>' in page
    assert "can’t judge: not readable" in client.get(f"{base}{first.token}/").content.decode()
    listed = client.get(f"{base}list/").content.decode()
    assert "can’t judge: not readable" in listed and "1 of 5 answered" in listed


def test_over_the_api(bench: Bench, caller_for: CallerFor) -> None:
    bench.assign(overlap=0)
    ann, queue = caller_for(bench.ann, "read", "judge"), "/collections/harbour-trials/queue"
    (first,) = ann("GET", f"{queue}?count=1")
    body = {"answer": "cannot", "reason": "cut off", "note": "half a page", "known": True, "client_id": str(uuid.uuid4())}
    told = ann("POST", f"{queue}/{first['seat']}", body)
    assert (told["saved"]["answer"], told["saved"]["grade"], told["done"]) == ("cannot", None, 1)
    (event,) = ann("GET", f"{queue}/history")["results"]
    assert {name: event[name] for name in body} == body
    ann("POST", f"{queue}/{first['seat']}", {"client_id": str(uuid.uuid4())})
    assert ann.status == 422


def test_who_looks_again_sees_what_was_counted_a_moment_ago(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the counting takes a while; it tells when it was, and nobody assigns and sees the time before."""
    bench.assign(overlap=0)
    cards = bench.cards(bench.ann)
    monkeypatch.setattr(keeping, "LONG", 0.0)
    monkeypatch.setattr(keeping, "RESTS", 10_000)
    monkeypatch.setattr(watching, "AGO", timedelta(0))
    first, _how = watching.looked_at(bench.collection)
    say(bench, cards[0], grade=1)
    assert watching.looked_at(bench.collection)[0] is first and first.total.done == 0
    assert watching.progress(bench.collection).total.done == 1  # as the command counts it
    questions.ask(bench.collection, assessor=bench.ann, seat=cards[1].token, text="Are eels meant?")
    assert watching.looked_at(bench.collection)[1].questions == 1
    bench.assign(overlap=0)
    again, _how = watching.looked_at(bench.collection)
    assert again.total.done == 1 and again.at > first.at
