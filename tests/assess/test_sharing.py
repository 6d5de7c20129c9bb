"""Work shared out: three opinions, item by item, orders, weights and caps, repeats; and the layer of machines."""

import uuid
from collections import Counter
from itertools import groupby

import numpy as np
import pytest
from django.http import Http404

from assess import blind, likeness, own, selectors, watching
from assess.core.balance import balance
from assess.core.ordering import is_repeated
from assess.models import MACHINE_SLOT, Judgment, Message, Order, PracticeAnswer, Seat
from assess.services import assigning, claiming, judging, leases, practice, questions, workloads
from assess.services.assigning import Rules, Wanted
from assess.services.practice import Example
from config.errors import Conflict, Refusal
from config.models import User
from evaluation import exports
from evaluation.models import Release
from pooling.models import Collection, PoolItem
from pooling.services import members
from tests.assess import factories
from tests.assess.conftest import Bench, make_bench
from tests.evaluation.factories import freeze
from tests.pooling.files import draw_round, run_file, take_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def bench() -> Bench:
    return make_bench()


def judge(collection: Collection, user: User, seat: uuid.UUID, **said: object) -> judging.Recorded:
    told = {"grade": 1, **said}
    return judging.record_judgment(collection, assessor=user, seat=seat, client_id=uuid.uuid4(), **told)  # type: ignore[arg-type]


def test_balance_minds_weights_caps_and_three_opinions() -> None:
    sizes = np.full(12, 10, np.int64)
    found = balance(
        *(sizes, np.zeros(3, np.int64), [1.0], np.random.default_rng(1)),
        weights=np.array([1.0, 1.0, 2.0]),
        caps=np.array([np.inf, 20, np.inf]),
    )
    counts = Counter(found[0].tolist())
    assert counts == {0: 3, 1: 2, 2: 7}  # the second has their cap, the third twice as much as the first
    three = balance(sizes, np.zeros(3, np.int64), [1.0, 0.5, 0.2], np.random.default_rng(1))
    assert all(sorted(column) == [0, 1, 2] for column in three.T.tolist())
    none = balance(sizes[:1], np.zeros(1, np.int64), [1.0, 0.5], np.random.default_rng(1), caps=np.array([5.0]))
    assert none.tolist() == [[-1], [-1]]


def test_third_opinions_are_drawn_of_the_second(bench: Bench) -> None:
    (cleo,) = factories.make_assessors(bench.collection, "Cleo")
    (topic,) = factories.make_work(bench.collection, bench.organizer, topics=1, items=100)
    wanted = [Wanted(topic, [bench.ann], [bench.bob], [cleo])]
    assigning.assign(bench.collection, by=bench.organizer, wanted=wanted, overlap=0.4, seed=3, rules=Rules(third=0.1))
    seats = Seat.objects.filter(item__topic=topic)
    assert Counter(seats.values_list("slot", flat=True)) == {1: 100, 2: 40, 3: 10}
    second = set(seats.filter(slot=2).values_list("item", flat=True))
    assert set(seats.filter(slot=3).values_list("item", flat=True)) <= second
    assert {round(p, 9) for p in seats.filter(slot=3).values_list("inclusion", flat=True)} == {0.1}
    with pytest.raises(Refusal, match=r"third opinion needs a second one: expected a share of at most 0\.2, found 0\.5"):
        assigning.assign(bench.collection, by=bench.organizer, wanted=[], overlap=0.2, rules=Rules(third=0.5))


def test_item_by_item_whoever_is_free_takes_the_next(bench: Bench) -> None:
    crowd = factories.make_assessors(bench.collection, "Cleo", "Dora", "Emil")
    (topic,) = factories.make_work(bench.collection, bench.organizer, topics=1, items=7)
    rules = Rules(third=1.0, by_item=True)
    assigning.assign(bench.collection, by=bench.organizer, wanted=[Wanted(topic, crowd)], overlap=1.0, seed=1, rules=rules)
    mine = Seat.objects.filter(item__topic=topic)
    assert mine.count() == 21 and not mine.exclude(assessor=None).exists()
    for user in crowd:
        while cards := judging.next_items(bench.collection, assessor=user, count=5):
            judge(bench.collection, user, cards[0].token)
    assert not mine.filter(judged_at=None).exists()
    pairs = Judgment.objects.filter(item__topic=topic).values_list("item", "assessor")
    assert len(set(pairs)) == 21 and set(Counter(item for item, _ in pairs).values()) == {3}


def test_item_by_item_what_is_given_back_behind_somebody_is_theirs_in_the_end(bench: Bench) -> None:
    (topic,) = factories.make_work(bench.collection, bench.organizer, topics=1, items=7)
    wanted, rules = [Wanted(topic, [bench.ann, bench.bob])], Rules(by_item=True)
    assigning.assign(bench.collection, by=bench.organizer, wanted=wanted, overlap=0, rules=rules)
    in_order = list(Seat.objects.filter(topic=topic).order_by("position").values_list("token", flat=True))
    assert [card.token for card in bench.cards(bench.bob, 2)] == in_order[:2]
    assert [card.token for card in bench.judge(bench.ann)] == in_order[2:3]
    leases.free_leases(bench.collection, assessor=bench.bob)
    rest = []
    while cards := bench.judge(bench.ann):
        rest += [card.token for card in cards]
    assert set(rest) == {*in_order[:2], *in_order[3:]}


@pytest.mark.parametrize("order", Order.values)
def test_order_is_the_organizers_choice_and_recorded(bench: Bench, order: str) -> None:
    (topic,) = factories.make_work(bench.collection, bench.organizer, topics=1, items=12)
    wanted = [Wanted(topic, [bench.ann])]
    assigning.assign(bench.collection, by=bench.organizer, wanted=wanted, overlap=0, seed=8, rules=Rules(order=order))
    seats = Seat.objects.filter(item__topic=topic, assessor=bench.ann).order_by("position")
    docnos = list(seats.values_list("item__docno", flat=True))
    ranks = list(seats.values_list("item__best_rank", flat=True))
    assert (docnos == sorted(docnos)) == (order != Order.SHUFFLE)  # the factory's ranks follow its docnos
    assert (ranks == sorted(ranks)) == (order != Order.SHUFFLE)
    judge(bench.collection, bench.ann, seats[0].token)
    assert Judgment.objects.get().order == order
    assert next(selectors.exported(bench.collection))["order"] == order
    with pytest.raises(Refusal, match="order: Expected one of shuffle, docno, priority; found “rank”"):
        assigning.assign(bench.collection, by=bench.organizer, wanted=[], overlap=0, rules=Rules(order="rank"))


def test_priority_is_the_strategys_own_order(bench: Bench) -> None:
    """Reciprocal ranks put another first than the best rank does; and neither follows the docnos."""
    topic = bench.topics[0]
    PoolItem.objects.filter(topic=topic).delete()
    factories.make_documents(bench.collection, docnos := ["p1", "p2", "p3", "p4"])
    ranked = {"one": "p4 p3 p1 p2", "two": "p2 p3 p1"}
    runs = [take_run(bench.collection, bench.organizer, run_file(tag, t1=docs)) for tag, docs in ranked.items()]
    draw_round(bench.collection, bench.organizer, "rrf", *runs, budget=4)

    def order(by: str) -> list[str]:
        wanted = [Wanted(topic, [bench.ann])]
        assigning.assign(bench.collection, by=bench.organizer, wanted=wanted, overlap=0, rules=Rules(order=by))
        return list(Seat.objects.filter(item__topic=topic).order_by("position").values_list("item__docno", flat=True))

    assert order("docno") == docnos
    assert order("priority") == ["p3", "p2", "p1", "p4"]
    PoolItem.objects.filter(topic=topic).update(place=None)  # of a round that was drawn before places were kept
    assert order("priority") == ["p2", "p4", "p3", "p1"]


def test_a_cap_ends_what_somebody_takes_and_is_given(bench: Bench) -> None:
    (topic,) = factories.make_work(bench.collection, bench.organizer, topics=1, items=12)
    workloads.set_workload(bench.collection, assessor=bench.ann, weight=2, cap=3)
    wanted = [Wanted(topic, [bench.ann, bench.bob])]
    assigning.assign(bench.collection, by=bench.organizer, wanted=wanted, overlap=0)
    assert claiming.claim_seats(bench.collection, assessor=bench.ann, count=5) == 3
    assert claiming.claim_seats(bench.collection, assessor=bench.ann, count=5) == 0
    assert claiming.claim_seats(bench.collection, assessor=bench.bob, count=5) == 5
    for weight, cap in ((0, None), (101, None), (1, -1)):
        with pytest.raises(Refusal, match="Expected a weight"):
            workloads.set_workload(bench.collection, assessor=bench.ann, weight=weight, cap=cap)
    with pytest.raises(Refusal, match="is not an assessor"):
        workloads.set_workload(bench.collection, assessor=bench.stranger, weight=1, cap=None)


def test_repeats_come_back_unsaid_and_tell_of_consistency(bench: Bench) -> None:
    (topic,) = factories.make_work(bench.collection, bench.organizer, topics=1, items=40)
    wanted = [Wanted(topic, [bench.ann])]
    assigning.assign(bench.collection, by=bench.organizer, wanted=wanted, overlap=0, seed=4, rules=Rules(repeats=0.25))
    shown: list[tuple[str, int]] = []
    while cards := judging.next_items(bench.collection, assessor=bench.ann, count=1):
        assert cards[0].grade is None and cards[0].seen == 0  # as if it were new
        alike = likeness.alike(bench.collection, bench.ann, [cards[0].token])
        assert cards[0].docno not in {other.docno for found in alike for other in found.others}
        judge(bench.collection, bench.ann, cards[0].token, grade=len(shown) % 2)
        shown.append((cards[0].docno, len(shown) % 2))
    again = [docno for docno, n in Counter(docno for docno, _ in shown).items() if n == 2]
    items = PoolItem.objects.filter(topic=topic)
    assert sorted(again) == sorted(i.docno for i in items if is_repeated(4, i.pk, bench.ann.pk, 0.25)) and len(again) > 3
    assert Judgment.objects.filter(occasion=1).count() == len(again)
    assert selectors.judgments(bench.collection).count() == 40  # repeats are in no figure
    found = watching.progress(bench.collection)
    assert (found.total.total, [line.repeats for line in found.assessors]) == (40, [len(again)])
    mine = blind.own_progress(bench.collection, bench.ann)
    pace = own.pace(bench.collection, bench.ann, mine)
    assert {mine.total, pace.today, sum(pace.grades.values())} == {40 + len(again)}  # to her they are like any other
    same = sum(
        len({grade for _, grade in pair}) == 1 for docno, pair in groupby(sorted(shown), lambda p: p[0]) if docno in again
    )
    (line,) = watching.consistency(bench.collection)
    assert (line.name, line.repeats, line.same) == (bench.ann.name, len(again), same)


def test_machines_judge_in_a_layer_of_their_own(bench: Bench) -> None:
    machine = members.add_machine(bench.collection, name="llm")[0].user
    bench.assign(overlap=0)
    before = watching.progress(bench.collection)
    items = before.items
    done = 0
    while cards := judging.next_items(bench.collection, assessor=machine, count=3):
        said = {"grade": None, "answer": "invalid", "reason": "no grade in the output"} if done == 0 else {"grade": 2}
        judge(bench.collection, machine, cards[0].token, **said)
        done += 1
    assert done == items and set(Seat.objects.filter(assessor=machine).values_list("slot", flat=True)) == {MACHINE_SLOT}
    assert Judgment.objects.filter(assessor=machine, answer="invalid", grade=None).count() == 1
    assert selectors.judgments(bench.collection).count() == 0 and watching.progress(bench.collection) == before
    assert machine not in selectors.assessors(bench.collection)
    (layer,) = watching.machine_layers(bench.collection)
    assert (layer.name, layer.done, layer.invalid) == (machine.name, items - 1, 1)
    card = bench.cards(bench.ann)[0]
    with pytest.raises(Refusal, match="“invalid” is the answer of machines"):
        judge(bench.collection, bench.ann, card.token, grade=None, answer="invalid")
    assigning.assign(bench.collection, by=bench.organizer, wanted=[], overlap=0, rules=Rules(count_machines=True))
    assert selectors.judgments(bench.collection).count() == items - 1  # “invalid” is no grade


def test_machines_enter_no_release_unless_they_are_wanted(bench: Bench) -> None:
    """Really frozen, both ways; and what was frozen before stays as it was."""
    machine = members.add_machine(bench.collection, name="llm")[0].user
    bench.assign(overlap=0)
    first = bench.cards(bench.ann)[0]
    judge(bench.collection, bench.ann, first.token, grade=3)
    while cards := judging.next_items(bench.collection, assessor=machine, count=3):
        judge(bench.collection, machine, cards[0].token, grade=1)

    def lines(release: Release) -> set[tuple[str, ...]]:
        return {tuple(line.split()[2:]) for line in exports.qrels(release).decode().splitlines()}

    without = freeze(bench.collection, bench.organizer)
    assert lines(without) == {(first.docno, "3")}
    assigning.assign(bench.collection, by=bench.organizer, wanted=[], overlap=0, rules=Rules(count_machines=True))
    rest = PoolItem.objects.filter(pool__collection=bench.collection).exclude(docno=first.docno)
    both = {(first.docno, "3"), *((docno, "1") for docno in rest.values_list("docno", flat=True))}
    assert lines(freeze(bench.collection, bench.organizer)) == both
    assert lines(without) == {(first.docno, "3")}


def test_practice_comes_before_real_work(bench: Bench) -> None:
    bench.assign(overlap=0)
    topic = Seat.objects.filter(assessor=bench.ann).first().item.topic  # type: ignore[union-attr]
    docno = PoolItem.objects.filter(topic=topic).first().docno  # type: ignore[union-attr]
    for example, words in (
        (Example("nowhere", 1), "there is no such document"),
        (Example(docno, 9), "expected a grade among 0, 1, 2, 3; found 9"),
    ):
        with pytest.raises(Refusal, match=words):
            practice.set_practice(bench.collection, topic=topic, examples=[example])
    (item,) = practice.set_practice(bench.collection, topic=topic, examples=[Example(docno, 2, "It reports counts.")])
    with pytest.raises(Conflict, match="Practise first"):
        judging.next_items(bench.collection, assessor=bench.ann, count=3)
    card = practice.card(bench.collection, assessor=bench.ann)
    assert card and card.docno == docno and "counts" not in repr(card)
    told = practice.answer(bench.collection, assessor=bench.ann, item=item.pk, grade=0)
    assert (told.grade, told.right, told.reason, told.left) == (0, 2, "It reports counts.", 0)
    assert practice.answer(bench.collection, assessor=bench.ann, item=item.pk, grade=2).grade == 0  # the first one is kept
    work = judging.next_items(bench.collection, assessor=bench.ann, count=100)
    assert work and docno not in {card.docno for card in work}  # who knows the answer is not asked
    assert watching.progress(bench.collection).unassigned == 0
    assert assigning.seat_new_items(bench.collection, by=bench.organizer).made == 0
    practice.set_practice(bench.collection, topic=topic, examples=[])
    assert assigning.seat_new_items(bench.collection, by=bench.organizer).made == 1
    (item,) = practice.set_practice(bench.collection, topic=topic, examples=[Example(docno, 2)])
    practice.answer(bench.collection, assessor=bench.ann, item=item.pk, grade=0)
    with pytest.raises(Http404):
        practice.answer(bench.collection, assessor=bench.stranger, item=item.pk, grade=0)
    assert PracticeAnswer.objects.count() == 1 and not Judgment.objects.exists()


def test_questions_reach_the_organizer_and_answers_the_assessor(bench: Bench) -> None:
    bench.assign(overlap=0)
    card = bench.cards(bench.ann)[0]
    first = questions.ask(bench.collection, assessor=bench.ann, seat=card.token, text=" Are eels meant too? ")
    assert questions.ask(bench.collection, assessor=bench.ann, seat=card.token, text="Are eels meant too?") == first
    with pytest.raises(Http404):
        questions.ask(bench.collection, assessor=bench.bob, seat=card.token, text="May I?")
    with pytest.raises(Refusal, match="text: Expected an entry; found nothing"):
        questions.ask(bench.collection, assessor=bench.ann, seat=card.token, text="  ")
    (thread,) = watching.inbox(bench.collection)
    assert (thread.open, thread.docno, [line.text for line in thread.lines]) == (True, card.docno, ["Are eels meant too?"])
    questions.answer(bench.collection, by=bench.organizer, question=first.pk, text="Yes.")
    assert not watching.inbox(bench.collection)[0].open
    assert blind.unseen_answers(bench.collection, bench.ann) == 1 and not blind.own_threads(bench.collection, bench.bob)
    lines = blind.own_threads(bench.collection, bench.ann)[0].lines
    assert [(line.mine, line.text, line.unseen) for line in lines] == [(True, first.text, False), (False, "Yes.", True)]
    questions.see_answers(bench.collection, assessor=bench.ann)
    assert blind.unseen_answers(bench.collection, bench.ann) == 0 and Message.objects.count() == 2
