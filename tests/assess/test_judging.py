"""One judgment, from seat to event."""

import uuid
from typing import Any

import pytest
from django.http import Http404

from assess import blind, selectors
from assess.models import Judgment, JudgmentEvent, Seat
from assess.services import assigning, judging
from assess.services.assigning import Wanted
from config.errors import Conflict, Refusal
from pooling.models import Collection, Document
from pooling.services import collections
from tests import doors
from tests import factories as people
from tests.assess import factories
from tests.assess.conftest import Bench
from tests.pooling import files


def judge(bench: Bench, card: blind.Card, grade: int = 2, **more: Any) -> judging.Recorded:
    given = {"client_id": uuid.uuid4(), "assessor": bench.ann, **more}
    return judging.record_judgment(bench.collection, seat=card.token, grade=grade, **given)


def test_first_judgment(bench: Bench) -> None:
    collections.write_guideline(bench.collection, by=bench.organizer, text="One.")
    collections.write_guideline(bench.collection, by=bench.organizer, text="Two.")
    bench.assign(overlap=0)
    first, second, *_ = bench.cards(bench.ann)
    act = uuid.uuid4()
    done = judge(bench, first, 2, client_id=act, seconds=4.25, seen=0)
    assert done.saved == judging.Saved(first.token, act, 2, 1)
    assert (done.done, done.left) == (1, 4)
    assert [card.token for card in done.cards] == [card.token for card in bench.cards(bench.ann, 3)]
    assert done.cards[0] == second
    head, event = Judgment.objects.get(), JudgmentEvent.objects.get()
    assert (head.assessor, head.grade, head.event_count, head.guideline_version) == (bench.ann, 2, 1, 2)
    assert (event.client_id, event.grade, event.previous_grade, event.seconds) == (act, 2, None, 4.25)
    assert Seat.objects.get(token=first.token).judged_at
    assert Collection.objects.get(pk=bench.collection.pk).judging_started_at
    with pytest.raises(Conflict, match="The scale is frozen"):
        collections.set_scale(bench.collection, grades=[], lenient_from=1, strict_from=1)


def test_change_of_mind_is_a_new_event(bench: Bench) -> None:
    bench.assign(overlap=0)
    card = bench.cards(bench.ann)[0]
    judge(bench, card, 2)
    at = Seat.objects.get(token=card.token).judged_at
    assert judge(bench, card, 0, seen=1).saved.seen == 2
    assert list(JudgmentEvent.objects.values_list("grade", "previous_grade")) == [(2, None), (0, 2)]
    assert (Judgment.objects.get().grade, Judgment.objects.get().event_count) == (0, 2)
    assert Seat.objects.get(token=card.token).judged_at == at


def test_judgments_stay_when_documents_are_imported_again(bench: Bench) -> None:
    bench.assign(overlap=0)
    changed, gone = bench.judge(bench.ann, 2)
    judge(bench, changed, 0, seen=1)

    def said() -> list[list[dict[str, Any]]]:
        tables = (Judgment.objects.order_by("pk"), JudgmentEvent.objects.order_by("pk"), Seat.objects.exclude(judged_at=None))
        return [[dict(row) for row in table.values()] for table in tables]

    before, waiting = said(), len(bench.cards(bench.ann))
    docnos = [docno for docno in Document.objects.values_list("docno", flat=True) if docno != gone.docno]
    upload = files.take(
        bench.collection, bench.organizer, "documents", files.documents(docnos, text="Other words."), others="drop"
    )
    assert (upload.state, said()) == ("accepted", before)
    assert len(before[0]) == 2 and [event["grade"] for event in before[1]] == [1, 1, 0]
    cards = bench.cards(bench.ann)
    assert len(cards) == waiting == 3 and {card.text for card in cards} == {"Other words."}
    assert judge(bench, changed, 3, seen=2).saved.seen == 3  # its seat is the same, and so is its history
    assert JudgmentEvent.objects.filter(judgment__item__docno=gone.docno).count() == 1


def test_same_act_is_one_event_with_the_same_answer(bench: Bench) -> None:
    bench.assign(overlap=0)
    card = bench.cards(bench.ann)[0]
    act = uuid.uuid4()
    first = judge(bench, card, 2, client_id=act, seen=0)
    judge(bench, card, 1, seen=1)
    again = judge(bench, card, 2, client_id=act, seen=0)
    assert again.saved == first.saved and JudgmentEvent.objects.count() == 2
    assert Judgment.objects.get().grade == 1
    other = bench.cards(bench.ann)[0]
    with pytest.raises(Conflict, match="client_id was used for another judgment"):
        judge(bench, other, 2, client_id=act)


def test_older_page_is_told_the_present_grade(bench: Bench) -> None:
    bench.assign(overlap=0)
    card = bench.cards(bench.ann)[0]
    judge(bench, card, 3, seen=0)
    with pytest.raises(judging.Stale) as refused:
        judge(bench, card, 1, seen=0)
    assert refused.value.details == {"grade": 3, "seen": 1}
    assert refused.value.message == "This document was judged elsewhere meanwhile: it is now 3. Look at it again."
    with pytest.raises(judging.Stale, match="not judged so far"):
        judge(bench, bench.cards(bench.ann)[0], 1, seen=4)
    assert JudgmentEvent.objects.count() == 1


def test_grade_outside_the_scale_names_it(bench: Bench) -> None:
    bench.assign(overlap=0)
    card = bench.cards(bench.ann)[0]
    with pytest.raises(Refusal) as refused:
        judge(bench, card, 7)
    assert refused.value.message == (
        "Expected a grade of this collection's scale: 0 (Not relevant), 1 (Partially relevant), 2 (Relevant), "
        "3 (Highly relevant); found 7."
    )
    assert not Seat.objects.filter(judged_at__isnull=False).exists()  # the mark is taken back
    for odd in (-1, float("nan"), 90_000):
        with pytest.raises(Refusal, match="Expected 0 to 86,400 seconds"):
            judge(bench, card, 1, seconds=odd)


def test_seats_of_others_do_not_exist(bench: Bench) -> None:
    bench.assign(overlap=0)
    other = people.make_collection(bench.organizer, "Other one")
    mine = bench.cards(bench.ann)[0]
    for user, token, collection in [
        (bench.bob, mine.token, bench.collection),
        (bench.ann, uuid.uuid4(), bench.collection),
        (bench.ann, mine.token, other),
    ]:
        with pytest.raises(Http404):
            judging.record_judgment(collection, assessor=user, seat=token, grade=1, client_id=uuid.uuid4())
    assert not Seat.objects.filter(judged_at__isnull=False).exists()


def test_archived_refuses_but_repeats(bench: Bench) -> None:
    bench.assign(overlap=0)
    card, act = bench.cards(bench.ann)[0], uuid.uuid4()
    first = judge(bench, card, 1, client_id=act)
    collections.archive_collection(bench.collection)
    assert judge(bench, card, 1, client_id=act).saved == first.saved
    with pytest.raises(Conflict, match="archived"):
        judge(bench, bench.cards(bench.ann)[0], 1)


def test_events_cannot_be_changed_by_sql(bench: Bench) -> None:
    bench.assign(overlap=0)
    bench.judge(bench.ann)
    doors.all_closed(JudgmentEvent, column="grade", value="0")


def test_shared_topic_is_claimed_as_it_is_judged(bench: Bench) -> None:
    (topic,) = factories.make_work(bench.collection, bench.organizer, topics=1, items=12)
    assigning.assign(bench.collection, by=bench.organizer, wanted=[Wanted(topic, [bench.ann, bench.bob])], overlap=0)
    assert blind.own_progress(bench.collection, bench.ann) == blind.Own(0, 0, 12)
    assert len(bench.cards(bench.ann, 20)) == 5  # no more than she holds at a time
    assert len(bench.cards(bench.bob, 3)) == 3
    acts = [judge(bench, card) for card in bench.cards(bench.ann, 4)]
    assert [(act.done, act.left) for act in acts] == [(1, 4), (2, 3), (3, 5), (4, 4)]  # three are taken at once
    while bench.judge(bench.ann, 3):
        pass
    assert blind.own_progress(bench.collection, bench.ann) == blind.Own(9, 0, 0)
    assert blind.own_progress(bench.collection, bench.bob) == blind.Own(0, 3, 0)


def test_document_that_went_is_not_shown(bench: Bench) -> None:
    bench.assign(overlap=0)
    gone = bench.cards(bench.ann)[0]
    Document.objects.filter(docno=gone.docno).delete()
    assert gone.docno not in [card.docno for card in bench.cards(bench.ann)]
    assert blind.card(bench.collection, bench.ann, gone.token) is None
    assigning.seat_new_items(bench.collection, by=bench.organizer)
    assert blind.own_progress(bench.collection, bench.ann).left == 4


def test_a_page_holds_no_more_than_it_should(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.assign(overlap=0)
    monkeypatch.setattr(blind, "FEW", 1)
    assert len(bench.cards(bench.ann)) == 5
    monkeypatch.setattr(blind, "PAGE_LETTERS", 100)
    assert 1 < len(bench.cards(bench.ann)) < 5
    monkeypatch.setattr(blind, "PAGE_LETTERS", 1)
    assert len(bench.cards(bench.ann)) == 1


def test_previous_is_what_was_judged_before(bench: Bench) -> None:
    bench.assign(overlap=0)
    one, two, three, *_ = bench.judge(bench.ann, 3)
    last = blind.previous_token(bench.collection, bench.ann)
    assert last == three.token
    assert blind.previous_token(bench.collection, bench.ann, three.token) == two.token
    assert blind.previous_token(bench.collection, bench.ann, one.token) is None
    assert blind.previous_token(bench.collection, bench.ann, bench.cards(bench.ann)[0].token) == three.token


def test_own_topics_and_list(bench: Bench) -> None:
    bench.assign(overlap=0.4)
    cards = bench.judge(bench.ann, 2, grade=3)
    assert blind.own_topics(bench.collection, bench.ann) == [
        blind.OwnTopic("1", bench.topics[0].title, 2, 3),
        blind.OwnTopic("2", bench.topics[1].title, 0, 2),
    ]
    found = blind.judged(bench.collection, bench.ann, topic="1")
    assert [(row.docno, row.title, row.grade) for row in found] == [(c.docno, c.title, 3) for c in reversed(cards)]
    assert blind.judged(bench.collection, bench.ann, topic="2") == []


def test_judgment_table_and_newest_event(bench: Bench) -> None:
    empty = selectors.judgment_table(bench.collection)
    assert [len(column) for column in empty] == [0] * 6 and selectors.newest_event(bench.collection) == 0
    bench.assign(overlap=1)
    bench.judge(bench.bob, 10, grade=1)
    bench.judge(bench.ann, 10, grade=2)
    items, topics, docnos, assessors, slots, grades = selectors.judgment_table(bench.collection)
    assert len(items) == 20 and sorted(set(topics.tolist())) == [b"1", b"2"]
    assert slots.tolist() == [1, 2] * 10
    first = topics == b"1"
    assert assessors[first].tolist() == [bench.ann.pk, bench.bob.pk] * 5
    assert grades[first].tolist() == [2, 1] * 5
    assert docnos[0].decode() == bench.topics[0].items.order_by("pk")[0].docno
    newest = selectors.newest_event(bench.collection)
    assert newest == JudgmentEvent.objects.latest("pk").pk
    card = blind.judged(bench.collection, bench.ann)[0]
    judging.record_judgment(bench.collection, assessor=bench.ann, seat=card.token, grade=0, client_id=uuid.uuid4())
    assert selectors.newest_event(bench.collection) > newest


def test_export_has_pseudonyms(bench: Bench) -> None:
    bench.assign(overlap=1)
    (card,) = bench.judge(bench.bob, 1, grade=3, seconds=2)
    judging.record_judgment(bench.collection, assessor=bench.bob, seat=card.token, grade=1, client_id=uuid.uuid4())
    (row,) = selectors.exported(bench.collection)
    assert tuple(row) == selectors.EXPORT
    assert (row["topic"], row["docno"], row["assessor"], row["slot"]) == (card.topic, card.docno, "A2", 2)
    assert (row["grade"], row["events"]) == (1, 2)
    first, second = selectors.exported(bench.collection, history=True)
    assert tuple(first) == selectors.HISTORY
    assert [(e["grade"], e["previous_grade"], e["seconds"]) for e in (first, second)] == [(3, None, 2.0), (1, 3, None)]


def test_pace_is_the_median_of_the_newest_acts(bench: Bench) -> None:
    bench.assign(overlap=0)
    for seconds in (4.0, 60.0, 6.0):
        bench.judge(bench.ann, seconds=seconds)
    bench.judge(bench.ann)  # by a program, which counts no seconds
    assert (judging.note_paces(), judging.note_paces()) == (1, 0)
    bench.collection.refresh_from_db()
    assert bench.collection.seconds_per_judgment == 6.0
