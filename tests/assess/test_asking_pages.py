"""Pages of questions, practice, workloads and rules, without script."""

import pytest

from assess.models import AssignmentPlan, Message, PracticeAnswer, PracticeItem, Workload
from assess.services import practice
from assess.services.practice import Example
from pooling.models import Document
from tests.assess import factories
from tests.assess.conftest import Bench
from tests.conftest import ClientFor

pytestmark = [pytest.mark.django_db, pytest.mark.once]
BASE = "/c/harbour-trials"


def test_question_and_answer(bench: Bench, client_for: ClientFor) -> None:
    bench.assign(overlap=0)
    ann, olga = client_for(bench.ann), client_for(bench.organizer)
    seat = bench.cards(bench.ann)[0].token
    assert ann.post(f"{BASE}/judge/questions/", {"seat": seat, "text": "Are eels meant?"}).status_code == 302
    inbox = olga.get(f"{BASE}/questions/").content.decode()
    assert "Are eels meant?" in inbox and bench.ann.name in inbox
    olga.post(f"{BASE}/questions/", {"question": Message.objects.get().pk, "text": "Yes, both."})
    assert "1 new" in ann.get(f"{BASE}/judge/news/").content.decode()
    page = ann.get(f"{BASE}/judge/questions/").content.decode()
    assert "Yes, both." in page and bench.organizer.name not in page
    assert ann.get(f"{BASE}/judge/news/").content.decode().strip() == ""
    assert "Are eels" not in client_for(bench.bob).get(f"{BASE}/judge/questions/").content.decode()


def test_letters_are_told_where_people_begin(bench: Bench, client_for: ClientFor) -> None:
    bench.assign(overlap=0)
    ann, olga, bob = client_for(bench.ann), client_for(bench.organizer), client_for(bench.bob)
    asked, answered = "1 question from assessors to answer", "1 new answer to your questions"
    ann.post(f"{BASE}/judge/questions/", {"seat": bench.cards(bench.ann)[0].token, "text": "Are eels meant?"})
    for page in ("/", f"{BASE}/"):
        assert asked in olga.get(page).content.decode()
        assert not any(words in client.get(page).content.decode() for client in (ann, bob) for words in (asked, answered))
    olga.post(f"{BASE}/questions/", {"question": Message.objects.get().pk, "text": "Yes, both."})
    for page in ("/", f"{BASE}/", f"{BASE}/judge/list/"):
        assert answered in ann.get(page).content.decode()
        assert not any(words in client.get(page).content.decode() for client in (olga, bob) for words in (asked, answered))
    ann.get(f"{BASE}/judge/questions/")
    assert answered not in ann.get("/").content.decode()


def test_practice_leads_to_real_work(bench: Bench, client_for: ClientFor) -> None:
    bench.assign(overlap=0)
    olga, ann = client_for(bench.organizer), client_for(bench.ann)
    docno = bench.topics[0].items.first().docno  # type: ignore[union-attr]
    hostile = "<script>alert(1)</script><img src=x onerror=alert(2)>"
    Document.objects.filter(docno=docno).update(title=hostile, text=hostile)
    wrong = olga.post(f"{BASE}/practice/", {"topic": "1", "lines": f"{docno} two because"})
    assert wrong.status_code == 422 and "line 1: expected a document’s number, a grade and a reason" in wrong.content.decode()
    assert olga.post(f"{BASE}/practice/", {"topic": "1", "lines": f"{docno} 2 It counts eels."}).status_code == 302
    assert ann.get(f"{BASE}/judge/")["Location"] == f"{BASE}/judge/practice/"
    shown = ann.get(f"{BASE}/judge/practice/").content.decode()
    assert docno in shown and "It counts eels." not in shown
    assert shown.count("&lt;script&gt;alert(1)") == 2 and "<script>alert" not in shown and "<img src" not in shown
    told = ann.post(f"{BASE}/judge/practice/", {"item": PracticeItem.objects.get().pk, "grade": 0}).content.decode()
    assert "see it differently" in told and "It counts eels." in told and "Begin to judge" in told
    assert PracticeAnswer.objects.get().grade == 0 and ann.get(f"{BASE}/judge/").status_code == 200
    assert practice.set_practice(bench.collection, topic=bench.topics[0], examples=[Example(docno, 1)])[0].grade == 1


def test_rules_and_workloads(bench: Bench, client_for: ClientFor) -> None:
    bench.assign(overlap=0.4)
    olga = client_for(bench.organizer)
    sent = {"act": "rules", "third": "20", "repeats": "10", "order": "docno", "count_machines": "on"}
    few = olga.post(f"{BASE}/assign/", sent)
    assert few.status_code == 422 and "needs a third assessor: this collection has 2" in few.content.decode()
    factories.make_assessors(bench.collection, "Cleo")
    share = olga.post(f"{BASE}/assign/", {**sent, "repeats": "0.1"})
    assert share.status_code == 422 and "Expected percent, such as 10; found 0.1" in share.content.decode()
    assert olga.post(f"{BASE}/assign/", sent).status_code == 302
    plan = AssignmentPlan.objects.get()
    assert (plan.third, plan.repeats, plan.order, plan.by_item, plan.count_machines) == (0.2, 0.1, "docno", False, True)
    over = olga.post(f"{BASE}/assign/", {**sent, "third": "60"})
    assert over.status_code == 422 and "expected a share of at most 0.4, found 0.6" in over.content.decode()
    loads = {"act": "workloads", f"weight-{bench.ann.pk}": "2.5", f"cap-{bench.ann.pk}": "7"}
    assert olga.post(f"{BASE}/assign/", loads).status_code == 302
    assert list(Workload.objects.values_list("assessor__name", "weight", "cap")) == [(bench.ann.name, 2.5, 7)]
    bad = olga.post(f"{BASE}/assign/", {**loads, f"cap-{bench.ann.pk}": "many"})
    assert bad.status_code == 422 and "found “2.5” and “many”" in bad.content.decode()


def test_assign_page_is_filtered_and_says_who_is_missing(bench: Bench, client_for: ClientFor) -> None:
    olga = client_for(bench.organizer)
    page = olga.get(f"{BASE}/assign/").content.decode()
    assert "0 / 0" not in page and "nobody is assigned" in page
    bench.assign(overlap=0)
    assert "1 of 2 topics" in olga.get(f"{BASE}/assign/?find=bob").content.decode()
    assert "0 of 2 topics" in olga.get(f"{BASE}/assign/?show=open").content.decode()


def test_organizer_is_told_who_judges(bench: Bench, client_for: ClientFor) -> None:
    answer = client_for(bench.organizer).get(f"{BASE}/judge/")
    assert answer.status_code == 403
    assert "you organize it" in answer.content.decode() and "invite yourself as an assessor" in answer.content.decode()


def test_documents_to_ask_about_have_their_titles(bench: Bench, client_for: ClientFor) -> None:
    bench.assign(overlap=0)
    first, second = bench.judge(bench.ann, 2)
    here = Document.objects.filter(corpus__collection=bench.collection)
    here.filter(docno=first.docno).update(title="A <b> title " + "of many words " * 10)
    here.filter(docno=second.docno).update(title="")
    page = client_for(bench.ann).get(f"{BASE}/judge/questions/?seat={first.token}").content.decode()
    assert f">{first.docno} (topic 1): A &lt;b&gt; title of many words" in page and "…</option>" in page
    assert f">{second.docno} (topic 1)</option>" in page
