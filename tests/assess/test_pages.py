"""Pages of judging, assigning, progress and agreement."""

import html
import re
import uuid
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import scipy.stats
from django.db import connection
from django.template.loader import render_to_string
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries
from sklearn.metrics import cohen_kappa_score  # type: ignore[import-untyped]

from assess import watching
from assess.models import Assignment, AssignmentPlan, JudgmentEvent, Seat
from assess.services import assigning, judging, seating
from assess.services.assigning import Rules, Wanted
from assess.views.judging import KEYS
from config import jobs
from config.models import Job, User
from pooling.models import Document, Membership, Role
from pooling.services import collections
from tests import factories as people
from tests.assess import factories
from tests.assess.conftest import Bench
from tests.conftest import ClientFor

pytestmark = pytest.mark.once  # what pages make of the same rows; tests/test_access.py opens each on both


class Pages:
    """Somebody's browser, in the bench's collection."""

    def __init__(self, bench: Bench, client: Client) -> None:
        self.client, self.base = client, f"/c/{bench.collection.slug}/"

    def get(self, path: str, status: int = 200) -> str:
        answer = self.client.get(self.base + path)
        assert answer.status_code == status, answer.content
        return answer.content.decode()

    def post(self, path: str, json: bool = True, **values: Any) -> Any:
        headers = {"Accept": "application/json"} if json else {}
        self.answer = self.client.post(self.base + path, values, headers=headers)
        return self.answer.json() if json else self.answer

    def judge(self, token: uuid.UUID, grade: object = 2, **more: Any) -> Any:
        return self.post(f"judge/{token}/", **{"grade": grade, "client_id": uuid.uuid4(), "seen": 0, **more})


@pytest.fixture
def ann(bench: Bench, client_for: ClientFor) -> Pages:
    return Pages(bench, client_for(bench.ann))


@pytest.fixture
def organizer(bench: Bench, client_for: ClientFor) -> Pages:
    return Pages(bench, client_for(bench.organizer))


def words(page: str) -> str:
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page)))


# Judge


def test_judge_page_shows_topic_document_and_grades(bench: Bench, ann: Pages) -> None:
    bench.assign(overlap=0)
    card, *rest = bench.cards(bench.ann)
    page = ann.get("judge/")
    shown = words(page)
    for text in (card.docno, card.title, "Second paragraph.", bench.topics[0].title, "Narrative", "0 of 5"):
        assert text in shown
    assert re.findall(r'data-key="(\d)"', page) == ["0", "1", "2", "3"]
    assert f'action="/c/harbour-trials/judge/{card.token}/"' in page
    for other in rest:
        assert str(other.token) in page  # held ready


def test_hostile_document_is_text(bench: Bench, ann: Pages) -> None:
    docno = '"><img src=x onerror=alert(1)>'
    hostile = {"title": "</title><script>alert(2)</script>", "text": "<script>alert(3)</script>\n\n</script><b>x</b>"}
    factories.make_documents(bench.collection, [docno], **hostile, url="javascript:alert(4)")
    factories.make_pool(bench.collection, bench.organizer, {bench.topics[0]: [docno]})
    bench.assign(overlap=0)
    page = ann.get("judge/")
    for bad in ("<script>alert", "<img src=x", 'href="javascript', "<b>x</b>"):
        assert bad not in page
    token = Seat.objects.get(item__docno=docno).token
    page = ann.get(f"judge/{token}/")
    assert "<script>alert" not in page and "&lt;script&gt;alert(3)" in page and "javascript:alert(4)" in page
    assert 'href="javascript' not in page


def test_judging_answers_with_what_is_saved_and_next(bench: Bench, ann: Pages) -> None:
    bench.assign(overlap=0)
    first, second, third, *_ = bench.cards(bench.ann)
    act = uuid.uuid4()
    told = ann.judge(first.token, 2, client_id=act, seconds="3.5", held=f"{second.token}")
    assert ann.answer.status_code == 200
    saved = {"seat": str(first.token), "client_id": str(act), "answer": "grade", "grade": 2, "seen": 1}
    assert told["saved"] == saved
    assert told["progress"] == {"done": 1, "left": 4}
    assert [card["seat"] for card in told["cards"]] == [str(card.token) for card in bench.cards(bench.ann)[1:4]]
    assert told["cards"][0]["seat"] == str(third.token) and third.docno in told["cards"][0]["document_html"]
    assert JudgmentEvent.objects.get().seconds == 3.5


@pytest.mark.parametrize("shared", [False, True])
def test_one_judgment_takes_few_queries(
    bench: Bench, ann: Pages, django_assert_max_num_queries: DjangoAssertNumQueries, shared: bool
) -> None:
    if shared:
        wanted = [Wanted(topic, [bench.ann, bench.bob]) for topic in bench.topics]
        assigning.assign(bench.collection, by=bench.organizer, wanted=wanted, overlap=0)
    else:
        bench.assign(overlap=0.4)
    cards = bench.cards(bench.ann)
    with django_assert_max_num_queries(12):  # the first, which also freezes the scale
        ann.judge(cards[0].token)
    with django_assert_max_num_queries(12):
        ann.judge(cards[1].token)
    with django_assert_max_num_queries(12):  # a change
        ann.judge(cards[1].token, 0, seen=1)
    assert ann.answer.status_code == 200 and JudgmentEvent.objects.count() == 3


def test_without_script_a_form_redirects_to_the_next(bench: Bench, ann: Pages) -> None:
    bench.assign(overlap=0)
    first, second, *_ = bench.cards(bench.ann)
    page = ann.get("judge/")
    client_id = re.findall(r'name="client_id" value="([^"]+)"', page)[0]
    for _again in range(2):  # a double click
        answer = ann.post(f"judge/{first.token}/", json=False, grade=1, client_id=client_id, seen=0)
        assert (answer.status_code, answer["Location"]) == (302, "/c/harbour-trials/judge/")
    assert JudgmentEvent.objects.count() == 1
    page = ann.get("judge/")
    assert f"/judge/{second.token}/" in page and f'href="/c/harbour-trials/judge/{first.token}/" data-previous>Back' in page
    page = ann.get(f"judge/{first.token}/")
    assert 'value="1" data-key="1" aria-pressed="true"' in page


def test_refusals_of_the_judging_request(bench: Bench, ann: Pages, client_for: ClientFor) -> None:
    bench.assign(overlap=0)
    card = bench.cards(bench.ann)[0]
    told = ann.judge(card.token, 9)
    assert ann.answer.status_code == 422 and "found 9" in told["error"]["message"]
    assert ann.judge(card.token, "x")["error"]["message"] == "grade: Expected a whole number; found “x”."
    assert ann.judge(card.token, 1, held="x")["error"]["code"] == "invalid"
    bob = Pages(bench, client_for(bench.bob))
    answers = [bob.judge(card.token), bob.judge(uuid.uuid4())]
    assert answers[0] == answers[1] and bob.answer.status_code == 404
    ann.judge(card.token, 3)
    told = ann.judge(card.token, 1)
    assert ann.answer.status_code == 409 and told["error"]["details"] == {"grade": 3, "seen": 1}
    anonymous = Pages(bench, client_for(None))
    anonymous.judge(card.token)
    assert anonymous.answer.status_code == 401
    collections.archive_collection(bench.collection)
    ann.judge(card.token, 1, seen=1)
    assert ann.answer.status_code == 409
    assert JudgmentEvent.objects.count() == 1


def test_csrf_is_asked_for(bench: Bench, client_for: ClientFor) -> None:
    bench.assign(overlap=0)
    pages = Pages(bench, client_for(bench.ann, csrf=True))
    assert pages.judge(bench.cards(bench.ann)[0].token)["error"]["code"] == "csrf"
    assert not JudgmentEvent.objects.exists()


def test_states_without_a_document(bench: Bench, ann: Pages) -> None:
    assert "Nothing to judge yet" in ann.get("judge/") and "Nothing to judge yet" in ann.get("judge/list/")
    bench.assign(overlap=0)
    bench.judge(bench.ann, 5)
    assert "All judged" in ann.get("judge/") and "you can still change an answer" in ann.get("judge/")
    assert "5 of 5 answered" in words(ann.get("judge/list/"))


def test_what_cannot_be_judged_is_answered(bench: Bench, ann: Pages, client_for: ClientFor) -> None:
    """To who judges it is done; beside the grades it has a place of its own, so that these and it are the sum."""
    bench.assign(overlap=0)
    bench.judge(bench.ann, 2, grade=1)
    (card, *_) = bench.cards(bench.ann)
    given = {"assessor": bench.ann, "seat": card.token, "client_id": uuid.uuid4()}
    judging.record_judgment(bench.collection, answer="cannot", reason="cut off", **given)  # type: ignore[arg-type]
    page = words(ann.get("judge/list/"))
    assert (
        "3 of 5 answered" in page and "3 2 60 %" in page and "can’t judge 1" in page and "judged" not in page.split("3 of 5")[0]
    )
    progress = client_for(bench.organizer).get(reverse("progress", args=[bench.collection.slug])).content.decode()
    assert 'value="3" max="5"' in progress and "3 of 10" in words(progress)  # as the organizers see it


def test_an_archived_collection_offers_no_change_of_an_answer(bench: Bench, ann: Pages) -> None:
    bench.assign(overlap=0)
    bench.judge(bench.ann, 5)
    collections.archive_collection(bench.collection)
    page = words(ann.get("judge/"))
    assert "answered every document that was assigned to you. The collection is archived: answers no longer change." in page


def test_list_leads_to_judged_documents(bench: Bench, ann: Pages) -> None:
    bench.assign(overlap=0)
    (card,) = bench.judge(bench.ann, 1, grade=3)
    assert "Notes go into the release’s archive, under a pseudonym." in ann.get("judge/")
    assert re.search(
        r'href="/c/harbour-trials/judge/list/"[^>]*>My topics</a>', ann.get("guidelines/")
    )  # in the menu by its name
    for page in (ann.get("judge/list/"), ann.get("judge/history/?topic=1&said=3&words=survey")):
        assert f'href="/c/harbour-trials/judge/{card.token}/"' in page and "Highly relevant" in page
    for other in ("said=2", "words=nowhere", "noted=on", "said=cannot"):
        assert card.title not in ann.get(f"judge/history/?{other}")
    assert "Expected one of the choices; found “9”." in ann.get("judge/history/?topic=9", 422)


def test_blindness(bench: Bench, ann: Pages, client_for: ClientFor) -> None:
    """No answer that an assessor gets tells of runs, ranks, rounds or other people."""
    bench.assign(overlap=1)
    bench.judge(bench.bob, 7, grade=3)
    card, second, *_ = bench.cards(bench.ann)
    paths = ("judge/", f"judge/{card.token}/", "judge/many/", "judge/list/", "judge/history/", "", "guidelines/", "scale/")
    more = (f"judge/alike/?seats={card.token},{second.token}", f"judge/{card.token}/source/", f"judge/{card.token}/text/")
    later = (
        "judge/history/?said=3",
        "judge/history/?words=bob",
        "judge/questions/",
        "judge/news/",
        "judge/practice/",
        "search/?topic=1&q=survey",
    )
    texts = [ann.get(path) for path in (*paths, *more, *later)] + [client_for(bench.ann).get("/").content.decode()]
    others = f"document/?topic=1&docno={card.docno}", "agreement/documents/?a=3&b=3", "adjudicate/topics/1/", "adjudicate/"
    mine = ("judge/agreement/", "merge/", "questions/", "practice/", "progress/adaptive/", "progress/hours.csv")
    for path in ("assign/", "progress/", "agreement/", "runs/", "pool/", "documents/", "members/", *others, *mine):
        texts.append(ann.get(path, 403))
    ann.judge(card.token, 1)
    texts.append(ann.answer.content.decode())
    for token, grade in ((card.token, 2), (uuid.uuid4(), 1), (second.token, 99)):
        ann.judge(token, grade)
        texts.append(ann.answer.content.decode())
    for path in (
        "queue",
        "queue/progress",
        "queue/history",
        "queue/judgments",
        f"queue/{second.token}",
        "progress",
        "agreement",
        "judgments",
    ):
        texts.append(client_for(bench.ann).get(f"/api/v1/collections/harbour-trials/{path}").getvalue().decode())
    for text in texts:
        for secret in (factories.TAG, factories.GROUP, "Bob Beholder", "bob-beholder", "best_rank", "run_count"):
            assert secret not in text
    ranks = "|".join(str(7000 + n) for n in range(1, 6))
    assert not any(re.search(rf"(?<![0-9a-f-])({ranks})(?![0-9a-f-])", text) for text in texts)


def test_order_tells_nothing_of_ranks(bench: Bench) -> None:
    (topic,) = factories.make_work(bench.collection, bench.organizer, topics=1, items=60)
    assigning.assign(bench.collection, by=bench.organizer, wanted=[Wanted(topic, [bench.ann])], overlap=0, seed=11)
    ranks = list(Seat.objects.filter(assessor=bench.ann).order_by("position").values_list("item__best_rank", flat=True))
    correlation = scipy.stats.spearmanr(range(len(ranks)), ranks).statistic
    assert sorted(ranks) != ranks and abs(correlation) < 0.3  # by chance in 98 of 100


def test_the_list_of_keys_is_the_scripts() -> None:
    script = (Path(__file__).resolve().parents[2] / "assess/static/assess/judge/keys.js").read_text()
    table = script[script.index("const KEYS = {") : script.index("};")]
    names = {"ArrowLeft": "←", "ArrowRight": "→"}
    told = {
        act: [names.get(key, key) for key in re.findall(r'"([^"]+)"', keys)]
        for act, keys in re.findall(r"(\w+): \[([^\]]+)\]", table)
    }
    assert told == {act: [key, also] if also else [key] for act, key, also, _, _ in KEYS}


# Assign


def test_a_second_opinion_is_proposed_only_where_somebody_can_give_it(bench: Bench, organizer: Pages) -> None:
    assert organizer.get("assign/").count('name="overlap" value="20"') == 2
    Membership.objects.filter(user=bench.bob).update(ended_at=timezone.now())
    assert organizer.get("assign/").count('name="overlap" value="0"') == 2
    assert "3 can be chosen once" in organizer.get("assign/")  # third opinions are not set


def grid(page: str) -> dict[str, str]:
    """The fields of the grid as a browser sends them: every cell, and what each topic was."""
    table = page[page.index("data-grid>") :]
    cells = re.findall(r'<select name="(s-[^"]+)".*?<option value="([^"]*)" selected>', table, re.DOTALL)
    return {**dict(cells), **dict(re.findall(r'name="(was-[^"]+)" value="([^"]*)"', table))}


def test_work_of_somebody_who_left_stays_until_the_row_is_changed(bench: Bench, organizer: Pages) -> None:
    bench.assign(overlap=0)
    Membership.objects.filter(user=bench.bob).update(ended_at=timezone.now())
    one, two = bench.topics
    page = organizer.get("assign/")
    assert f"1: {bench.bob.name}, no longer assessor" in page
    fields = grid(page)
    assert fields == {
        f"s-{one.pk}-{bench.ann.pk}": "1",
        f"s-{two.pk}-{bench.ann.pk}": "",
        f"was-{one.pk}": f"{bench.ann.pk}:1",
        f"was-{two.pk}": f"{bench.bob.pk}:1",
    }
    organizer.post("assign/", json=False, act="grid", overlap="0", seed="", **fields)
    assert Seat.objects.filter(assessor=bench.bob).count() == 5
    organizer.post("assign/", json=False, act="grid", overlap="0", seed="", **{**fields, f"s-{two.pk}-{bench.ann.pk}": "1"})
    assert Seat.objects.filter(assessor=bench.ann).count() == 10


def test_assign_page_by_hand(bench: Bench, organizer: Pages) -> None:
    one, two = bench.topics
    fields = grid(organizer.get("assign/"))
    fields |= {f"s-{one.pk}-{bench.ann.pk}": "1", f"s-{one.pk}-{bench.bob.pk}": "2", f"all-{two.pk}": "on"}
    answer = organizer.post("assign/", json=False, act="grid", overlap="40", seed="9", **fields)
    assert (answer.status_code, answer["Location"]) == (302, "/c/harbour-trials/assign/")
    assert Seat.objects.filter(assessor=None).count() == 5 and Seat.objects.filter(slot=2).count() == 2
    page = organizer.get("assign/")
    assert "seed" in page and "Topics handed out: 12 judgments wanted." in page and "shared by 2" in page
    bad = {**grid(page), f"s-{two.pk}-{bench.bob.pk}": "2"}
    again = organizer.post("assign/", json=False, act="grid", overlap="0", seed="", **bad)
    assert again.status_code == 422 and "the overlap is 0 %" in (told := again.content.decode())
    assert grid(told)[f"s-{two.pk}-{bench.bob.pk}"] == "2"  # what was chosen is not lost
    odd = {**grid(page), f"s-{two.pk}-{bench.bob.pk}": "7"}
    refused = organizer.post("assign/", json=False, act="grid", overlap="40", **odd)
    assert refused.status_code == 422 and f"nothing for {bench.bob.name}; found “7”" in refused.content.decode()


def test_a_row_that_nobody_changed_stays_as_it_is(bench: Bench, organizer: Pages) -> None:
    """Shared by some and not by all, with several second and third opinions: the page shows just that, and saves no more."""
    one, two = bench.topics
    cleo, dan, eve, fay = factories.make_assessors(bench.collection, "Cleo", "Dan", "Eve", "Fay")
    wanted = [Wanted(one, [bench.ann, bench.bob], [cleo, dan], [eve, fay]), Wanted(two, [bench.ann, cleo])]
    assigning.assign(bench.collection, by=bench.organizer, wanted=wanted, overlap=0.5, rules=Rules(third=0.5))
    before = sorted(Assignment.objects.values_list("pk", "topic", "assessor", "slot"))
    page = organizer.get("assign/")
    fields = grid(page)
    organizer.post("assign/", json=False, act="grid", overlap="50", **fields)
    assert sorted(Assignment.objects.values_list("pk", "topic", "assessor", "slot")) == before
    organizer.post("assign/", json=False, act="grid", overlap="50", **{**fields, f"s-{two.pk}-{dan.pk}": "1"})
    kept = sorted(Assignment.objects.filter(topic=one).values_list("pk", "topic", "assessor", "slot"))
    assert kept == [row for row in before if row[1] == one.pk]
    found = Assignment.objects.filter(topic=two).values_list("assessor", "slot")
    assert sorted(found) == sorted((user.pk, 1) for user in (bench.ann, cleo, dan))


def test_a_row_that_another_changed_meanwhile_is_refused(bench: Bench, organizer: Pages) -> None:
    one, two = bench.topics
    fields = grid(organizer.get("assign/"))
    bench.assign(overlap=0)
    changed = {**fields, f"s-{one.pk}-{bench.bob.pk}": "1"}
    answer = organizer.post("assign/", json=False, act="grid", overlap="0", **changed)
    assert answer.status_code == 422 and "Topic 1 was assigned anew" in answer.content.decode()
    assert grid(answer.content.decode())[f"s-{one.pk}-{bench.ann.pk}"] == "1"  # as it is now
    assert organizer.post("assign/", json=False, act="grid", overlap="20", **fields).status_code == 302
    assert sorted(Assignment.objects.values_list("topic", "assessor")) == [(one.pk, bench.ann.pk), (two.pk, bench.bob.pk)]


def test_grid_of_a_hundred_topics_and_thirty_assessors(bench: Bench, organizer: Pages) -> None:
    organizer.get("assign/")
    with CaptureQueriesContext(connection) as few:
        organizer.get("assign/")
    crowd = factories.make_assessors(bench.collection, *(f"Crowd {number}" for number in range(28)))
    topics = [*bench.topics, *factories.make_work(bench.collection, bench.organizer, topics=98, items=1)]
    wanted = [Wanted(topic, [crowd[place % 28]]) for place, topic in enumerate(topics)]
    assigning.assign(bench.collection, by=bench.organizer, wanted=wanted, overlap=0)
    with CaptureQueriesContext(connection) as many:
        page = organizer.get("assign/")
    assert len(grid(page)) == 50 * 30 + 50 and len(many) <= len(few)
    assert len(grid(organizer.get("assign/?page=2"))) == 50 * 30 + 50
    fields = {**grid(page), f"s-{topics[49].pk}-{bench.ann.pk}": "1"}
    assert organizer.post("assign/", json=False, act="grid", overlap="0", **fields).status_code == 302
    assert Assignment.objects.count() == 101


def test_assign_page_by_itself(bench: Bench, organizer: Pages) -> None:
    people_ = [bench.ann.pk, bench.bob.pk]
    answer = organizer.post("assign/", json=False, act="auto", assessors=people_, topics="open", overlap="20", seed="")
    assert answer.status_code == 302 and Assignment.objects.filter(slot=2).count() == 2
    again = organizer.post("assign/", json=False, act="auto", assessors=people_, topics="open", overlap="20", seed="")
    assert again.status_code == 422 and "Every topic has its assessor already" in again.content.decode()


def test_new_round_is_offered_on_the_page(bench: Bench, organizer: Pages) -> None:
    bench.assign(overlap=0)
    factories.make_documents(bench.collection, ["N1", "N2"])
    factories.make_pool(bench.collection, bench.organizer, {bench.topics[0]: ["N1", "N2"]})
    assert "2 items of assigned topics wait" in words(organizer.get("assign/"))
    assert organizer.post("assign/seats/", json=False).status_code == 302
    assert "wait for an assessor" not in organizer.get("assign/")
    assert Seat.objects.filter(assessor=bench.ann).count() == 7


@pytest.mark.django_db(transaction=True)
def test_much_to_seat_becomes_a_job(bench: Bench, organizer: Pages, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seating, "ROWS", 3)
    answer = organizer.post("assign/", json=False, act="auto", assessors=[bench.ann.pk], topics="open", overlap="0")
    job = Job.objects.get(name="seat_items")
    assert answer["Location"] == f"/c/harbour-trials/assign/#job-{job.pk}"
    told = words(organizer.get("assign/"))
    assert "Handing out the topics of Harbour trials Waiting" in told and "Hand them out" not in told
    jobs.run(job.pk)
    assert "Topics handed out: 10 judgments wanted" in words(organizer.get("assign/"))
    Job.objects.update(finished_at=timezone.now() - timedelta(minutes=2))
    assert "Topics handed out" not in words(organizer.get("assign/"))


def test_grid_in_which_nobody_is_chosen_is_refused(bench: Bench, organizer: Pages) -> None:
    empty = grid(organizer.get("assign/"))
    answer = organizer.post("assign/", json=False, act="grid", overlap="20", **empty)
    assert answer.status_code == 422 and "Nobody is chosen: give a topic to an assessor first." in words(
        answer.content.decode()
    )
    assert not AssignmentPlan.objects.exists() and not Job.objects.exists()
    bench.assign(overlap=0)
    same = grid(organizer.get("assign/"))
    again = organizer.post("assign/", json=False, act="grid", overlap="0", seed=AssignmentPlan.objects.get().seed, **same)
    assert again.status_code == 422 and "Nothing is changed, so there is nothing to assign." in words(again.content.decode())
    assert organizer.post("assign/", json=False, act="grid", overlap="40", **same).status_code == 302


def test_sharing_out_stays_open_until_somebody_is_assigned(
    bench: Bench, organizer: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seating, "ROWS", 3)
    rules = {"third": "0", "repeats": "0", "order": "docno"}
    assert organizer.post("assign/", json=False, act="rules", **rules).status_code == 302
    shown = organizer.get("assign/")
    assert '<details id="auto" class="section" open>' in shown and "Saved. Nobody’s work has changed." in words(shown)
    assert not Job.objects.exists()
    bench.assign(overlap=0)
    assert '<details id="auto" class="section">' in organizer.get("assign/")


def test_assign_page_without_people_or_topics(organizer: Pages, bench: Bench, client_for: ClientFor) -> None:
    other = people.make_collection(bench.organizer, "Empty one")
    client = client_for(bench.organizer)
    assert "No assessor yet" in client.get(f"/c/{other.slug}/assign/").content.decode()
    factories.make_assessors(other, "Cora Critic")
    assert "No topic yet" in client.get(f"/c/{other.slug}/assign/").content.decode()


# Progress and agreement


def test_progress_page(bench: Bench, organizer: Pages) -> None:
    assert "Nothing is assigned yet" in organizer.get("progress/")
    bench.assign(overlap=0)
    bench.judge(bench.ann, 3, seconds=4)
    bench.judge(bench.bob, 1, seconds=10)
    shown = words(organizer.get("progress/"))
    assert "Relevant is here what at least one assessor judged so, before opinions are merged" in shown
    assert "40 % done" in shown and "6 left, at 4.0 active seconds" in shown
    assert "Ann Assessor 3 2 0 0 4.0" in shown and "Bob Beholder 1 4 0 0 10.0" in shown
    factories.make_work(bench.collection, bench.organizer, topics=1, items=4)
    assert "4 of 14 items have no assessor" in words(organizer.get("progress/"))


def test_progress_tells_no_pace_that_nobody_has(bench: Bench, organizer: Pages) -> None:
    bench.assign(overlap=0)
    bench.judge(bench.ann, 3, seconds=0.2)
    shown = words(organizer.get("progress/"))
    assert "7 left." in shown and "active seconds" not in shown and "of work" not in shown


def test_tall_tables_tell_how_long_they_are(bench: Bench, organizer: Pages) -> None:
    factories.make_work(bench.collection, bench.organizer, topics=43, items=1)
    assigning.auto_assign(bench.collection, by=bench.organizer, overlap=0)
    assert '<p class="soft small">45 topics</p>' in organizer.get("progress/")
    assert '<span class="soft small">45 topics</span>' in organizer.get("assign/")


def test_overviews_take_the_same_queries_whatever_the_size(
    bench: Bench, organizer: Pages, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    counts = []
    for more in (0, 2):
        if more:
            factories.make_work(bench.collection, bench.organizer, topics=more)
        assigning.auto_assign(bench.collection, by=bench.organizer, overlap=0.5)
        bench.judge(bench.ann, 20)
        bench.judge(bench.bob, 20)
        for path in ("progress/", "agreement/", "assign/"):
            with django_assert_max_num_queries(31) as found:
                organizer.get(path)
            counts.append(len(found))
    assert counts[:3] == counts[3:]


def test_agreement_page_equals_scikit_learn(bench: Bench, organizer: Pages) -> None:
    assert "Nothing was judged by two yet" in organizer.get("agreement/")
    (topic,) = factories.make_work(bench.collection, bench.organizer, topics=1, items=40)
    assigning.assign(bench.collection, by=bench.organizer, wanted=[Wanted(topic, [bench.ann], [bench.bob])], overlap=1)
    grades: dict[str, list[int]] = {}
    for user, step in ((bench.ann, 1), (bench.bob, 2)):
        for place, card in enumerate(sorted(bench.cards(user), key=lambda card: card.docno)):
            grade = (place % 4) if place % 3 else (place * step) % 4
            bench_grade(bench, user, card.token, grade)
            grades.setdefault(card.docno, []).append(grade)
    ours, theirs = zip(*grades.values(), strict=True)
    page = organizer.get("agreement/")
    links = re.findall(r'<a href="#(\w+)">', page)
    assert links == ["pairs", "matrices", "coefficients", "judging", "topics", "times"]
    assert [name for name in links if f'<section id="{name}">' not in page] == []
    assert f"{cohen_kappa_score(ours, theirs):.4f}" in page
    assert "the interval of Cohen’s kappa is the formula’s from thirty documents on" in words(page)
    assert "Ann Assessor and Bob Beholder 40" in words(page) and page.count('class="matrix"') == 1
    cell = sum(a == b == 2 for a, b in grades.values())
    assert re.search(rf'<td class="heat-\d agree"><a [^>]+>{cell}<', page)


def bench_grade(bench: Bench, user: User, token: uuid.UUID, grade: int) -> None:
    judging.record_judgment(bench.collection, assessor=user, seat=token, grade=grade, client_id=uuid.uuid4())


def test_undefined_kappa_tells_why(bench: Bench, organizer: Pages) -> None:
    bench.assign(overlap=1)
    bench.judge(bench.ann, 10, grade=0)
    bench.judge(bench.bob, 10, grade=0)
    shown = words(organizer.get("agreement/"))
    assert "1.0000 – none – none – none – none not defined: both used one and the same grade throughout" in shown


# Overviews


def test_home_and_collection_lead_to_judging(bench: Bench, client_for: ClientFor) -> None:
    bench.assign(overlap=0.4)
    bench.judge(bench.ann, 2)
    home = client_for(bench.ann).get("/").content.decode()
    assert "5 documents to judge" in words(home) and 'href="/c/harbour-trials/judge/"' in home
    page = client_for(bench.ann).get("/c/harbour-trials/").content.decode()
    assert "2 of your 7 judgments" in words(page) and 'href="/c/harbour-trials/judge/"' in page
    page = client_for(bench.organizer).get("/c/harbour-trials/").content.decode()
    assert "2 of 14 judgments wanted" in words(page) and 'href="/c/harbour-trials/progress/"' in page
    guest = people.make_user("Rita Researcher")
    people.join(bench.collection, guest, Role.RESEARCHER)
    page = client_for(guest).get("/c/harbour-trials/").content.decode()
    assert "2 of 14 judgments wanted" in words(page) and "/judge/" not in page and "/progress/" not in page


def test_what_is_not_next_is_not_urged(bench: Bench, client_for: ClientFor) -> None:
    new = f'<a class="button" href="{reverse("create_collection")}">New collection</a>'
    assert new in client_for(bench.ann).get("/").content.decode()
    assert new.replace('"button"', '"button primary"') in client_for(bench.organizer).get("/").content.decode()
    judge = '<a class="button" href="/c/harbour-trials/judge/">Judge</a>'
    nothing = client_for(bench.ann).get("/c/harbour-trials/").content.decode()
    assert ">Judge</a>" not in nothing  # it would lead to nothing
    assigning.assign(bench.collection, by=bench.organizer, wanted=[Wanted(bench.topics[0], [bench.ann, bench.bob])], overlap=0)
    urged = judge.replace('"button"', '"button primary"')
    assert urged in client_for(bench.ann).get("/c/harbour-trials/").content.decode()  # shared, and nobody's yet
    links = re.findall(r">(See [^<]+)</a>", client_for(bench.organizer).get("/c/harbour-trials/").content.decode())
    assert links == ["See the progress", "See the members", "See the jobs"]
    bench.judge(bench.ann, 5)
    bench.judge(bench.bob, 5)
    assert judge in client_for(bench.ann).get("/c/harbour-trials/").content.decode()  # all judged: she may look again


def test_many_documents_to_judge_are_told_with_a_separator(bench: Bench) -> None:
    rows = [{"slug": "harbour-trials", "name": "Harbour", "left": 2745}]
    assert "2,745 documents to judge" in words(render_to_string("site/home.html", {"to_judge": rows, "user": bench.ann}))


def test_judging_is_not_done_while_items_have_no_assessor(bench: Bench, organizer: Pages) -> None:
    assert '<a class="button primary" href="/c/harbour-trials/assign/">Assign topics</a>' in organizer.get("")
    assigning.assign(bench.collection, by=bench.organizer, wanted=[Wanted(bench.topics[0], [bench.ann])], overlap=0)
    bench.judge(bench.ann, 20)
    free = watching.progress(bench.collection).unassigned
    page = organizer.get("")
    assert free and f"5 of 5 judgments wanted; {free} without assessor" in words(page)
    assert '<a class="button primary" href="/c/harbour-trials/assign/">Assign topics</a>' in page
    assigning.auto_assign(bench.collection, by=bench.organizer, overlap=0)
    for person in (bench.ann, bench.bob):
        bench.judge(person, 20)
    assert "without assessor" not in words(organizer.get("")) and ">Freeze a release</a>" in organizer.get("")


def test_each_role_is_shown_what_to_do(bench: Bench, client_for: ClientFor) -> None:
    bench.assign(overlap=0.4)
    for role, act in ((Role.ADJUDICATOR, "adjudicate/"), (Role.PARTICIPANT, "runs/"), (Role.RESEARCHER, "")):
        guest = people.make_user(f"A {role}")
        people.join(bench.collection, guest, role)
        page = client_for(guest).get("/c/harbour-trials/").content.decode()
        assert (f'class="button primary" href="/c/harbour-trials/{act}"' in page) == bool(act)
    page = client_for(bench.ann).get("/c/harbour-trials/").content.decode()
    assert 'class="button primary" href="/c/harbour-trials/judge/">Judge<' in page


def test_shared_topics_count_as_left_on_home(bench: Bench, client_for: ClientFor) -> None:
    assigning.assign(bench.collection, by=bench.organizer, wanted=[Wanted(bench.topics[0], [bench.ann, bench.bob])], overlap=0)
    assert "5 documents to judge" in words(client_for(bench.ann).get("/").content.decode())
    assert "to judge" not in words(client_for(bench.organizer).get("/").content.decode())


def test_documents_of_title_alone_or_of_none(bench: Bench, ann: Pages, client_for: ClientFor) -> None:
    """The number of an untitled one stands there once for the eye; its heading is there to be heard."""
    bench.assign(overlap=0)
    first, second, *_rest = bench.cards(bench.ann)
    here = Document.objects.filter(corpus__collection=bench.collection)
    here.filter(docno=first.docno).update(text="")
    here.filter(docno=second.docno).update(title="")
    olga = Pages(bench, client_for(bench.organizer))
    for pages, path in ((ann, "judge/{}/"), (ann, "search/document/?docno={}"), (olga, "document/?topic=1&docno={}")):
        named = (first.token, second.token) if "judge" in path else (first.docno, second.docno)
        alone, untitled = (re.sub(r"<script.*?</script>", "", pages.get(path.format(one)), flags=re.DOTALL) for one in named)
        assert "title only, 2 words" in alone and "has no text" not in alone
        assert f'<h2 class="sr">{second.docno}</h2>' in untitled and untitled.count("<h2 dir=") == 0
    here.filter(docno=first.docno).update(title="")
    assert "This document has no text." in ann.get(f"judge/{first.token}/")
