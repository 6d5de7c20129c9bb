"""Decisions: what is in the inbox, who may decide, that every act is kept; and the merge rule."""

import html
import re
import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone

from assess import adjudication, opinions
from assess.models import Answer, Decision, DecisionEvent, Judgment, MergeRule
from assess.services import adjudicating, merging
from assess.services.judging import Stale
from config.errors import Conflict, Forbidden, Missing, Refusal
from config.models import User
from pooling.models import Document, Role
from tests import doors, factories
from tests.conftest import Cast, ClientFor
from tests.evaluation.conftest import judged, second
from tests.evaluation.factories import judge, make_item
from tests.pooling import files

__all__ = ["judged", "second"]


def decide(cast: Cast, **given: Any) -> Decision:
    act = {"docno": "d", "topic": "2", "grade": 2, "client_id": uuid.uuid4(), "by": cast.adjudicator, **given}
    return adjudicating.decide(cast.collection, **act)


def listed(cast: Cast, **plan: object) -> list[str]:
    if plan:
        merging.set_plan(cast.collection, by=cast.organizer, **plan)
    return sorted(case.docno for case in adjudication.cases(cast.collection))


def test_inbox_lists_what_the_plan_says(judged: Cast) -> None:
    """First opinions a 2, b 0, d 3; second a 2, b 1, d 1; relevant from 1, strictly from 2."""
    assert listed(judged) == ["b", "d"]
    assert listed(judged, differ_by=2, across=False) == ["d"]
    assert listed(judged, differ_by=3, across=False) == []
    assert listed(judged, differ_by=0, across=True) == ["b", "d"]
    assert listed(judged, differ_by=0, across=False) == []
    assert listed(judged, rule="majority") == ["b", "d"]
    Judgment.objects.filter(item__docno="f").update(answer=Answer.CANNOT, grade=None, reason="cut off")
    assert listed(judged, rule="first") == ["f"]
    assert listed(judged, cannot=False) == []
    assert adjudication.inbox(judged.collection) == []


def test_the_inbox_tells_why_something_is_listed(judged: Cast, client_for: ClientFor) -> None:
    client, here = client_for(judged.organizer), "/c/harbour-trials/adjudicate/"
    words = "two assessors judged it and their grades differ, it is relevant to one and not to another, counting as relevant"
    page = client.get(here).content.decode()
    assert f"{words} from grade 1 or from 2 on, or somebody could not judge it." in page and "a tie has none" not in page
    merging.set_plan(judged.collection, by=judged.organizer, rule="majority", differ_by=2, across=False, cannot=False)
    page = client.get(here).content.decode()
    assert "their grades are 2 or more apart, or its opinions are even, so that no grade is the most frequent." in page
    assert "a tie has none until it is decided" in page


def test_finished_topics_come_after_what_is_open(judged: Cast, client_for: ClientFor) -> None:
    def shown() -> tuple[list[str], list[str], bool]:
        """Topics that wait, those that are finished, and whether these are unfolded."""
        page = client_for(judged.adjudicator).get("/c/harbour-trials/adjudicate/").content.decode()
        waiting, mark, rest = page.partition("<details")
        ways = [re.findall(r"/adjudicate/topics/(\d+)/", part) for part in (waiting, rest)]
        return ways[0], ways[1], f"{mark}{rest}".startswith("<details open>")

    assert shown() == (["1", "2"], [], False)
    decide(judged, docno="b", topic="1")
    assert shown() == (["2"], ["1"], False)
    decide(judged)
    assert shown() == ([], ["1", "2"], True)


def test_a_decision_stands_beside_the_judgments(judged: Cast) -> None:
    before = list(Judgment.objects.order_by("pk").values())
    made = decide(judged, reason="overlooked", comment=" The table on page 2. ")
    assert (made.grade, made.reason, made.comment) == (2, "overlooked", "The table on page 2.")
    assert list(Judgment.objects.order_by("pk").values()) == before
    found = opinions.opinions(judged.collection).merge("first")
    assert sorted(zip([2, 0, 1, 2, 0, 1], found.grades.tolist(), strict=True)) == sorted((g, g) for g in (2, 0, 1, 2, 0, 1))
    assert found.count("decision") == 1
    [case] = [case for case in adjudication.cases(judged.collection) if case.docno == "d"]
    assert (case.grade, case.is_open) == (2, False)


def test_second_thoughts_are_history(judged: Cast) -> None:
    decide(judged)
    decide(judged, grade=0)
    adjudicating.reopen(
        judged.collection, by=judged.adjudicator, topic="2", docno="d", client_id=uuid.uuid4(), comment="Ask the organizer."
    )
    assert [(event.previous_grade, event.grade) for event in DecisionEvent.objects.all()] == [(None, 2), (2, 0), (0, None)]
    assert opinions.opinions(judged.collection).merge("first").count("decision") == 0
    with pytest.raises(Conflict, match="not decided"):
        adjudicating.reopen(judged.collection, by=judged.adjudicator, topic="2", docno="d", client_id=uuid.uuid4())


def test_the_database_refuses_to_change_history(judged: Cast) -> None:
    decide(judged)
    doors.all_closed(DecisionEvent, column="grade", value="0")


def test_the_same_act_twice_is_one_and_an_old_page_is_refused(judged: Cast) -> None:
    act = uuid.uuid4()
    decide(judged, client_id=act, seen=0)
    decide(judged, client_id=act, seen=0)
    assert DecisionEvent.objects.count() == 1
    with pytest.raises(Stale, match="it is decided with grade 2"):
        decide(judged, grade=0, seen=0)
    with pytest.raises(Conflict, match="client_id was used"):
        decide(judged, docno="b", topic="1", client_id=act)


def test_who_may_decide(judged: Cast) -> None:
    other = factories.make_user("Other adjudicator")
    factories.join(judged.collection, other, Role.ADJUDICATOR)
    adjudicating.assign_adjudicators(judged.collection, by=judged.organizer, wanted={"2": [other.username]})
    with pytest.raises(Forbidden, match="assigned to another"):
        decide(judged)
    assert [line.topic.number for line in adjudication.inbox(judged.collection, judged.adjudicator)] == ["1"]
    assert decide(judged, by=other).grade == 2
    judge(make_item(judged.collection, "1", "b", by=judged.organizer), judged.adjudicator, 3, slot=3)
    with pytest.raises(Forbidden, match="You judged this document yourself"):
        decide(judged, docno="b", topic="1")
    with pytest.raises(Missing, match="There is no document “nowhere” in the pool of topic “2”"):
        decide(judged, docno="nowhere")
    with pytest.raises(Refusal, match="Expected adjudicators of this collection; found “nobody”"):
        adjudicating.assign_adjudicators(judged.collection, by=judged.organizer, wanted={"2": ["nobody"]})


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"grade": 9}, "Expected a grade of this collection's scale: 0 .*; found 9"),
        ({"reason": "mood"}, "reason: Expected one of overlooked, guidelines"),
        ({"comment": "x" * 5001}, "Expected a comment of at most 5,000 characters"),
        ({"precedent": "x" * 501}, "Expected a precedent of at most 500"),
    ],
)
def test_bad_decisions_are_told_and_nothing_is_stored(judged: Cast, given: dict[str, Any], words: str) -> None:
    with pytest.raises(Refusal, match=words):
        decide(judged, **given)
    assert not Decision.objects.exists()


def test_precedent_is_a_line_of_the_guidelines(judged: Cast) -> None:
    decide(judged, precedent="A table alone\nis relevant.")
    decide(judged, docno="b", topic="1", precedent="An index is not.")
    text = judged.collection.guidelines.first()
    assert text is not None
    assert text.text.endswith("## Precedents\n\n- A table alone is relevant.\n- An index is not.")
    assert [event.guideline_version for event in DecisionEvent.objects.all()] == [text.version - 1, text.version]


# The rule


def test_preview_tells_what_each_rule_would_give(judged: Cast) -> None:
    lines = {line.rule: line for line in opinions.preview(judged.collection)}
    assert [rule for rule, line in lines.items() if line.current] == ["first"]
    assert {rule: (line.items, line.ties, line.relevant, line.changed) for rule, line in lines.items()} == {
        "first": (6, 0, 4, 0),
        "majority": (4, 2, 3, 2),
        "median_low": (6, 0, 4, 1),
        "median_high": (6, 0, 5, 1),
        "max": (6, 0, 5, 1),
        "min": (6, 0, 4, 1),
    }
    merging.set_plan(judged.collection, by=judged.organizer, opinions=2)
    assert {line.few for line in opinions.preview(judged.collection)} == {3}


def test_bad_plans_are_told(judged: Cast) -> None:
    for given, words in (({"opinions": 0}, "opinions"), ({"differ_by": 9}, "differ_by: Expected at most 3; found 9")):
        with pytest.raises((Refusal, ValidationError), match=words):
            merging.set_plan(judged.collection, by=judged.organizer, **given)
    with pytest.raises(ValidationError, match="Expected one of "):
        merging.set_plan(judged.collection, by=judged.organizer, rule="loudest")
    assert opinions.plan(judged.collection).pk is None


def test_refusing_plan_releases_nothing_until_all_is_decided(judged: Cast) -> None:
    merging.set_plan(judged.collection, by=judged.organizer, rule="majority", missing="refuse")
    from tests.evaluation.factories import freeze

    with pytest.raises(Refusal, match="2 are even and undecided"):
        freeze(judged.collection, judged.organizer)
    decide(judged)
    decide(judged, docno="b", topic="1", grade=0)
    assert freeze(judged.collection, judged.organizer).counts["decided"] == 2


# Pages


def test_the_page_is_blind_and_decides_by_one_button(judged: Cast, client_for: ClientFor) -> None:
    client, here = client_for(judged.adjudicator), "/c/harbour-trials/adjudicate/"
    inbox = client.get(here).content.decode()
    assert "2 open, 0 decided" in inbox
    page = client.get(f"{here}topics/2/").content.decode()
    for name in (judged.assessor.name, judged.assessor.username):
        assert name not in page
    assert page.count('class="grade grade-step-') == 4
    sent = {"docno": "d", "grade": "2", "client_id": str(uuid.uuid4()), "seen": "0", "reason": "slip"}
    assert client.post(f"{here}topics/2/", sent).headers["Location"] == f"{here}topics/2/"
    assert client.get(f"{here}topics/2/").headers["Location"] == f"{here}topics/1/"  # on with the next that is open
    home = client.get("/").content.decode()
    assert "To decide" in home and "· 1 document to decide" in home
    decide(judged, docno="b", topic="1")
    assert client.get(f"{here}topics/2/").headers["Location"] == here
    assert "To decide" not in client.get("/").content.decode()
    adjudicating.reopen(judged.collection, by=judged.adjudicator, topic="1", docno="b", client_id=uuid.uuid4(), seen=1)
    assert "To decide" not in client_for(judged.organizer).get("/").content.decode()
    inbox = client.get(here).content.decode()  # second thoughts, when nothing is open any more
    assert f'href="{here}topics/2/?again"' in inbox and f'href="{here}topics/1/"' in inbox
    page = client.get(f"{here}topics/2/?again").content.decode()
    assert 'name="docno" value="d"' in page and 'name="grade" value="2" data-key="2" aria-pressed="true"' in page
    assert client.get(f"{here}topics/1/?again").headers["Location"] == here
    olga = client_for(judged.organizer)
    looked = olga.get(f"{here}decisions/2/").content.decode()
    assert "a slip of the hand" in looked and judged.adjudicator.name in looked
    again = {"topic": "2", "docno": "d", "client_id": str(uuid.uuid4())}
    assert olga.post(f"{here}reopen/", again).headers["Location"] == here
    assert not Decision.objects.exclude(grade=None).exists()


@pytest.mark.once
def test_the_page_shows_notes_and_passages_of_both_and_tells_nobody(judged: Cast, second: User, client_for: ClientFor) -> None:
    text = "Smolts passed at night. Eels stayed away."
    files.take(judged.collection, judged.organizer, "documents", files.documents(["d"], text))
    said = {judged.assessor: ("Counts of smolts.", "0-6"), second: ("Eels are not meant.", "24-28")}
    for user, (note, passage) in said.items():
        assert Judgment.objects.filter(item__docno="d", assessor=user).update(note=note, evidence=passage) == 1
    client = client_for(judged.adjudicator)
    for address in ("topics/2/", "topics/2/?docno=d", ""):
        page = client.get(f"/c/harbour-trials/adjudicate/{address}").content.decode()
        people = User.objects.exclude(pk=judged.adjudicator.pk)
        told = [word for person in people for word in (person.name, person.username, person.email) if word and word in page]
        assert told == []
        if address:
            opinions_shown = html.unescape(page.split("<h2>Opinions</h2>")[1].split("</ul>")[0])
            assert all(note in opinions_shown for note, _passage in said.values())
            assert sorted(re.findall(r"<q[^>]*>(.*?)</q>", opinions_shown)) == ["Eels", "Smolts"]
            assert re.findall(r"<b>(.*?)</b>", opinions_shown) == ["A", "1", "B", "3"]  # by grade


def test_back_on_and_undo(judged: Cast, client_for: ClientFor, monkeypatch: pytest.MonkeyPatch) -> None:
    merging.set_plan(judged.collection, by=judged.organizer, differ_by=1)
    judge(make_item(judged.collection, "2", "d2", by=judged.organizer), judged.assessor, 0)
    judge(make_item(judged.collection, "2", "d2", by=judged.organizer), judged.organizer, 3, slot=2)
    client, here = client_for(judged.adjudicator), "/c/harbour-trials/adjudicate/"
    page = client.get(f"{here}topics/2/")
    first, on = page.context["card"].docno, page.context["on"]
    assert (page.context["back"], page.context["undo"], {first, on}) == (None, None, {"d", "d2"})
    decide(judged, docno=first)
    page = client.get(f"{here}topics/2/")
    assert (page.context["card"].docno, page.context["back"], page.context["undo"].item.docno) == (on, first, first)
    again = {"topic": "2", "docno": first, "client_id": str(page.context["undo_id"]), "seen": "1"}
    assert client.post(f"{here}reopen/", again).headers["Location"] == f"{here}topics/2/?docno={first}"
    assert Decision.objects.get().grade is None
    assert client.get(f"{here}topics/2/").context["undo"] is None
    decide(judged, docno="b", topic="1", reason="other", comment="An index.")
    undo = client.get(f"{here}topics/2/").context["undo"]  # of another topic, too
    assert (undo.item.topic.number, undo.item.docno) == ("1", "b")
    true = timezone.now
    monkeypatch.setattr(timezone, "now", lambda: true() - timedelta(hours=1))  # what was done last is so by any clock
    decide(judged, docno="d")
    assert client.get(f"{here}topics/2/").context["undo"].item.docno == "d"
    shown = client.get(f"{here}topics/1/?docno=b").context["form"]  # decided again, it keeps what was said of it
    assert (shown["reason"].value(), shown["comment"].value()) == ("other", "An index.")


def test_a_page_of_html_is_decided_and_looked_at(judged: Cast, client_for: ClientFor) -> None:
    files.take(judged.collection, judged.organizer, "documents", files.documents(["d"]))
    Document.objects.filter(docno="d").update(html="<p onclick=x()>Eels.</p>")
    decide(judged, comment="Both meant eels.")
    for user, address in (
        (judged.adjudicator, "/c/harbour-trials/adjudicate/topics/2/?docno=d"),
        (judged.organizer, "/c/harbour-trials/document/?topic=2&docno=d"),
    ):
        shown = client_for(user).get(address).content.decode()
        assert "<iframe" in shown and "onclick" not in shown
    assert "Both meant eels." in shown and judged.assessor.name in shown
    assert client_for(judged.organizer).get("/c/harbour-trials/document/?topic=2&docno=zz").status_code == 404


def test_merge_page_saves_and_tells_faults(judged: Cast, client_for: ClientFor) -> None:
    olga, here = client_for(judged.organizer), "/c/harbour-trials/merge/"
    good = {"rule": "max", "opinions": "1", "missing": "out", "differ_by": "1"}
    assert olga.post(here, good).status_code == 302
    assert opinions.plan(judged.collection).rule == "max"
    page = olga.get(here).content.decode()
    assert [f'<th scope="row">{rule.label[0].upper()}{rule.label[1:]}' in page for rule in MergeRule] == [
        True
    ] * 6 and "<code" not in page
    answer = olga.post(here, {**good, "differ_by": "7"})
    assert (answer.status_code, "Expected at most 3; found 7." in answer.content.decode()) == (422, True)
