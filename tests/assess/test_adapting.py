"""Adaptive rounds: after each judgment the next document is picked, as the worked examples have it."""

import itertools
import json
import uuid
import zlib
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from assess import adaptive_rounds, replaying
from assess.models import JudgmentEvent
from assess.services import adapting, assigning, checking, judging
from assess.services.assigning import Wanted
from config.errors import Conflict, Refusal
from config.models import User
from pooling import adaptives
from pooling.core.adaptive import simulate
from pooling.core.stopping import recall_bound
from pooling.core.strategies import STRATEGIES
from pooling.models import Collection, Pick, Pool, Topic, UploadKind
from pooling.services import picking
from tests import factories as people
from tests.api.conftest import CallerFor, caller_for
from tests.assess import factories
from tests.assess.http import cards_of, judge_by_http, judge_one
from tests.commands.conftest import Assize, assize
from tests.conftest import ClientFor
from tests.golden import vectors
from tests.pooling import files

__all__ = ["assize", "caller_for"]
VECTOR: dict[str, Any] = next(row.values[0] for row in vectors("pooling", "pool_mtf") if row.values[0]["id"] == "mtf-all")


class World:
    """One topic of the worked example, or several that are alike, with real runs and documents."""

    def __init__(self, topics: int = 1) -> None:
        self.organizer = people.make_user("Olga Organizer")
        self.collection: Collection = people.make_collection(self.organizer, "Harbour trials")
        self.ann, self.bob = factories.make_assessors(self.collection, "Ann Assessor", "Bob Beholder")
        lines = "".join(f"{n}\tharbour cranes\n" for n in range(1, topics + 1)).encode()
        files.take(self.collection, self.organizer, UploadKind.TOPICS, lines)
        grades = VECTOR["qrels"]
        texts = [{"id": d, "text": f"harbour crane quay {d}" if g else f"vineyard valley {d}"} for d, g in grades.items()]
        rows = "".join(json.dumps(row) + "\n" for row in texts).encode()
        files.take(self.collection, self.organizer, UploadKind.DOCUMENTS, rows)
        for tag, docnos in VECTOR["runs"].items():
            ranking = {f"t{n}": " ".join(docnos) for n in range(1, topics + 1)}
            files.take_run(self.collection, self.organizer, files.run_file(tag, **ranking))

    @property
    def topic(self) -> Topic:
        return self.collection.topics.get(number="1")

    def draw(self, strategy: str, **values: object) -> Pool:
        return files.draw_round(self.collection, self.organizer, strategy, **values)

    def assign(self, *users: User, **values: Any) -> None:
        wanted = [Wanted(topic, list(users)) for topic in self.collection.topics.all()]
        assigning.assign(self.collection, by=self.organizer, wanted=wanted, overlap=0, **values)

    def judge(self, user: User) -> list[str]:
        """Everything, one after the other, with the example's grades; the order in which it came."""
        order = []
        while cards := judging.next_items(self.collection, assessor=user, count=1):
            order.append(cards[0].docno)
            judging.record_judgment(
                self.collection, assessor=user, seat=cards[0].token, client_id=uuid.uuid4(), grade=VECTOR["qrels"][order[-1]]
            )
        return order


@pytest.fixture
def world(db: None, settings: Settings, tmp_path: Path) -> World:
    settings.DATA = tmp_path / "data"
    return World()


def test_documents_come_in_the_order_of_move_to_front(world: World) -> None:
    pool = world.draw("mtf", ahead=1)
    assert pool.item_count == 1
    world.assign(world.ann)
    assert world.judge(world.ann) == VECTOR["expected"]["order"]
    pool.refresh_from_db()
    picks = pool.picks.order_by("number").select_related("run", "item")
    assert [[pick.run.tag, pick.item.docno] for pick in picks if pick.run] == [row[:2] for row in VECTOR["expected"]["trace"]]
    assert [pick.why for pick in picks][:4] == [
        "rank 1, priority 0",
        "rank 2, priority 0",
        "rank 3, priority 0",
        "rank 2, priority 0",
    ]
    assert pool.item_count == pool.items.count() == 16


def test_a_round_is_told_in_the_order_of_its_judgments_whatever_the_clock_says(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Set back by an hour for each: by the clock the last would be the first."""
    true, hours = timezone.now, itertools.count()
    monkeypatch.setattr(timezone, "now", lambda: true() - timedelta(hours=next(hours)))
    world.draw("mtf", ahead=1)
    world.assign(world.ann)
    order = world.judge(world.ann)
    [goes] = adaptive_rounds.rounds(world.collection)
    assert goes.topics[0].gains == [int(VECTOR["qrels"][docno] > 0) for docno in order]


@pytest.mark.parametrize("name", adapting.ADAPTIVE)
def test_an_assessor_judges_through_http_in_the_order_of_every_strategy(world: World, client_for: ClientFor, name: str) -> None:
    """One request for each, no word of the choice; and the order is made again from the seed."""
    pool = world.draw(name, ahead=1, budget=10)
    world.assign(world.ann)
    seen: list[str] = []
    order = judge_by_http(client_for(world.ann), world.collection, lambda topic, docno: VECTOR["qrels"][docno], seen)
    ranks = adaptives.view(pool, world.topic).ranks
    relevant = np.array([VECTOR["qrels"][docno.decode()] > 0 for docno in ranks.docnos.tolist()])
    again = simulate(ranks, STRATEGIES[name].pick, pool.parameters, relevant, 10, [pool.seed, zlib.crc32(b"1")])
    assert order == [("1", ranks.docnos[pick.doc].decode()) for pick in again.picks] and len(order) == 10
    for word in ("priority", "S1", "S2", f'"{name}', "rank 1"):
        assert not any(word in text for text in seen)


HARBOURS = [{"id": f"h{n}", "text": f"crane quay cargo pier ship{n}"} for n in range(6)]
RIVERS = [{"id": f"r{n}", "text": f"valley wine vineyard grape bottle{n}"} for n in range(14)]


def test_active_learning_finds_in_a_collection_without_any_run(
    world: World, client_for: ClientFor, caller_for: CallerFor, assize: Assize
) -> None:
    """Page, API and command plan it; it picks from all documents, and begins anew when others are imported."""
    world.collection.runs.all().delete()
    given = [{"id": "first", "text": "harbour crane quay"}, *RIVERS, *HARBOURS]
    files.take_rows(world.collection, world.organizer, given)
    path = f"/c/{world.collection.slug}/pool/"
    assert "begin with <a" in client_for(world.organizer).get(path).content.decode()
    page = client_for(world.organizer).get(path, {"strategy": "cal"}).content.decode()
    assert "Begin the round" in page and 'name="runs"' not in page
    call = caller_for(world.organizer)
    asked = {"strategy": "cal", "parameters": {"budget": 9, "ahead": 1}}
    assert call("POST", f"/collections/{world.collection.slug}/pools/plan", asked)["items"] == 9
    by = ("--by", "olga-organizer")
    assize("draw-pool", world.collection.slug, "--strategy", "cal", "--budget", "9", "--ahead", "1", "--presumed", "0", *by)
    pool = world.collection.pools.get()
    world.assign(world.ann)
    order = judge_by_http(client_for(world.ann), world.collection, lambda topic, docno: 2 * (docno[0] != "r"))
    assert {docno for _, docno in order} >= {"first", *(row["id"] for row in HARBOURS)} and len(order) == 9
    assert list(pool.items.values_list("best_rank", "run_count").distinct()) == [(0, 0)]
    assert all(pick.run is None and pick.why.startswith("batch ") for pick in pool.picks.all())
    pool.refresh_from_db()
    assert (pool.item_count, pool.used) == (9, [])
    assert client_for(world.organizer).get(f"{path}{pool.round}/").status_code == 200


def test_active_learning_finds_what_no_run_has(world: World) -> None:
    files.take(
        world.collection,
        world.organizer,
        UploadKind.DOCUMENTS,
        "".join(
            json.dumps({"id": d, "text": f"harbour crane quay {d}" if VECTOR["qrels"].get(d, 1) else f"vineyard {d}"}) + "\n"
            for d in [*VECTOR["qrels"], "zz1", "zz2"]
        ).encode(),
    )
    pool = world.draw("cal", ahead=1, budget=14, presumed=0)
    world.assign(world.ann)
    while cards := judging.next_items(world.collection, assessor=world.ann, count=1):
        grade = VECTOR["qrels"].get(cards[0].docno, 2)
        given = {"seat": cards[0].token, "client_id": uuid.uuid4(), "grade": grade}
        judging.record_judgment(world.collection, assessor=world.ann, **given)
    found = dict(pool.items.values_list("docno", "run_count"))
    assert found["zz1"] == found["zz2"] == 0 and found["d02"] == 4
    with pytest.raises(Refusal, match="Choose at least one run"):
        world.collection.runs.all().delete()
        world.draw("cal", candidates="runs")


def test_two_share_a_topic_and_nobody_waits(world: World) -> None:
    world.draw("maxmean", ahead=1)
    world.assign(world.ann, world.bob)
    done: list[str] = []
    for turn in range(40):
        user = (world.ann, world.bob)[turn % 2]
        for card in judging.next_items(world.collection, assessor=user, count=1):
            done.append(card.docno)
            grade = VECTOR["qrels"][card.docno]
            judging.record_judgment(
                world.collection, assessor=user, seat=card.token, client_id=uuid.uuid4(), grade=grade, ahead=0
            )
    assert sorted(done) == sorted(VECTOR["qrels"])
    assert list(Pick.objects.order_by("number").values_list("number", flat=True)) == list(range(1, 17))


MARKS = ("SAVEPOINT", "RELEASE", "BEGIN", "COMMIT")


@pytest.mark.parametrize("name", ["mtf", "cal"])
def test_a_judgment_and_the_pick_after_it_take_few_queries(world: World, client_for: ClientFor, name: str) -> None:
    """Transactions begin and end beside them: one of the judgment; one of the pick on SQLite, for its place in the queue."""
    world.draw(name)
    world.assign(world.ann)
    client, counts = client_for(world.ann), []
    held = cards_of(client, world.collection)
    for _ in range(4):
        with CaptureQueriesContext(connection) as asked:
            held += judge_one(client, held, 1)
        counts.append(sum(not query["sql"].startswith(MARKS) for query in asked.captured_queries))
    assert len(held) == 2 and Pick.objects.count() == 6
    assert max(counts[1:]) <= 12  # the first begins the judging, and makes what is kept


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("mtf", {"scope": "global"}),
        *(pytest.param(*one, marks=pytest.mark.once) for one in (("thompson", {}), ("hedge", {"ties": "random"}))),
        pytest.param("cal", {"presumed": 3}, marks=pytest.mark.once),  # which of them is asked is nothing to the database
    ],
)
def test_picks_are_replayed_with_two_assessors_and_two_ahead(
    settings: Settings, tmp_path: Path, db: None, assize: Assize, name: str, values: dict[str, Any]
) -> None:
    """By what was known when each was made: grades change, some cannot be judged, other rounds grow, and one is given up."""
    settings.DATA = tmp_path / "data"
    world = World(topics=2)
    pool = world.draw(name, ahead=2, seed=3, **values)
    world.assign(world.ann, world.bob)
    for turn in range(12):
        user = (world.ann, world.bob)[turn % 3 == 0]
        card = judging.next_items(world.collection, assessor=user, count=2)[-1]
        grade = VECTOR["qrels"][card.docno]
        said = [{"answer": "cannot", "reason": "garbled"}] if turn == 4 else [{"grade": grade}]
        for act in [*said, {"grade": 1 - min(grade, 1)}] if turn % 5 == 2 else said:
            judging.record_judgment(world.collection, assessor=user, seat=card.token, client_id=uuid.uuid4(), **act)
        if turn == 3:
            files.draw_round(world.collection, world.organizer, "depth", world.collection.runs.get(tag="S4"), depth=4)
    found = list(replaying.replay(pool))
    assert [one for one in found if not one.same] == [] and len(found) == pool.picks.count() > 14
    assert assize("doctor").status == 0
    last = pool.picks.order_by("pk").last()
    assert last and last.known and last.known["open"] and last.known["newest"] == JudgmentEvent.objects.latest("pk").pk
    pool.picks.filter(pk=last.pk).update(why="rank 1, a guess")
    told = assize("doctor")
    assert told.status == 1 and f"topic {last.topic.number}, pick {last.number}: expected" in told.out


def test_what_earlier_rounds_have_and_what_is_missing_is_stepped_over(world: World) -> None:
    files.draw(world.collection, world.organizer, 1)  # d01 d02 d10 d13
    world.draw("mtf", ahead=1)
    world.assign(world.ann)
    order = world.judge(world.ann)
    assert len(order) == 16 and {"d01", "d02", "d10", "d13"} & set(order[:4])
    assert Pick.objects.count() == 12


def test_a_process_that_died_before_the_pick_holds_nobody_up(world: World) -> None:
    world.draw("mtf", ahead=1)
    world.assign(world.ann)
    (card,) = judging.next_items(world.collection, assessor=world.ann, count=1)
    judging.record_judgment(world.collection, assessor=world.ann, seat=card.token, client_id=uuid.uuid4(), grade=1)
    Pick.objects.get(number=2).item.delete()
    assert [card.docno for card in judging.next_items(world.collection, assessor=world.ann, count=5)] == ["d02"]


def test_global_priorities_are_learnt_in_other_topics(settings: Settings, tmp_path: Path, db: None) -> None:
    settings.DATA = tmp_path / "data"
    world = World(topics=2)
    pool = world.draw("mtf", ahead=1, scope="global", budget=6)
    world.assign(world.ann)
    world.judge(world.ann)
    runs = [list(pool.picks.filter(topic__number=n).order_by("number").values_list("run__tag", flat=True)) for n in ("1", "2")]
    assert runs[0] == ["S1", "S1", "S1", "S2", "S2", "S3"]
    assert runs[1][:4] == ["S1", "S1", "S1", "S4"]  # the others gave something not relevant in topic 1


def test_a_stopped_topic_is_picked_from_no_more(world: World) -> None:
    pool = world.draw("mtf", ahead=1)
    world.assign(world.ann)
    with pytest.raises(Refusal, match="reason: Expected an entry; found nothing"):
        picking.stop_topic(pool, world.topic, by=world.organizer, reason=" ")
    picking.stop_topic(pool, world.topic, by=world.organizer, reason="50 in a row were not relevant")
    assert world.judge(world.ann) == ["d01"]
    with pytest.raises(Conflict, match="stopped already"):
        picking.stop_topic(pool, world.topic, by=world.organizer, reason="again")
    picking.resume_topic(pool, world.topic)
    assert world.judge(world.ann) == VECTOR["expected"]["order"][1:]


def test_rounds_that_need_documents_or_a_pool_of_their_own_say_so(world: World) -> None:
    files.draw(world.collection, world.organizer, 1)
    with pytest.raises(Conflict, match="A sample needs a pool of its own"):
        world.draw("two-strata", budget=10, depth=6)
    world.collection.corpus.documents.all().delete()
    with pytest.raises(Conflict, match="there are none yet: import them first"):
        world.draw("mtf")


def test_the_plan_counts_what_the_round_will_pick_beside_earlier_rounds(world: World, caller_for: CallerFor) -> None:
    call, path = caller_for(world.organizer), f"/collections/{world.collection.slug}/pools/plan"
    asked = {"strategy": "mtf", "parameters": {"budget": 3}}
    assert call("POST", path, asked)["new"] == 3
    world.draw("depth", depth=2)
    there = world.collection.pools.get().items.count()
    assert there >= 3 and call("POST", path, asked)["new"] == 3
    everything = {docno for docnos in VECTOR["runs"].values() for docno in docnos}
    assert call("POST", path, {**asked, "parameters": {"budget": 500}})["new"] == len(everything) - there


def test_organizers_see_how_it_goes_and_stop_it(
    world: World, client_for: ClientFor, caller_for: CallerFor, assize: Assize
) -> None:
    world.draw("mtf", ahead=1, budget=10)
    client, address = client_for(world.organizer), f"/c/{world.collection.slug}/progress/adaptive/"
    assert "Nobody judges this round yet." in client.get(address).content.decode()
    assert "Round 1 grows while it is judged." in client.get(f"/c/{world.collection.slug}/pool/").content.decode()
    world.assign(world.ann)
    page = client.get(address).content.decode()
    assert "1 document is picked and waits for its assessors" in page and "nothing to do here until a topic calls" in page
    for card in judging.next_items(world.collection, assessor=world.ann, count=1):
        judging.record_judgment(world.collection, assessor=world.ann, seat=card.token, client_id=uuid.uuid4(), grade=2)
    assert "1 of 10 are judged, 1 of them relevant." in client.get(address).content.decode()
    given = {"act": "stop", "round": 1, "topic": "1", "reason": "enough"}
    assert client.post(address, given).status_code == 302
    assert "stopped by" in client.get(address).content.decode()
    assert client.post(address, given).status_code == 422
    call, base = caller_for(world.organizer), f"/collections/{world.collection.slug}"
    (told,) = call("GET", f"{base}/adaptive")
    assert (told["judged"], told["gains"], told["stopped"], told["still_to_find"]) == (1, [1], "enough", None)
    items = call("GET", f"{base}/pools/items")
    assert items[0]["picked"] == {"number": 1, "run": "S1", "why": "rank 1, priority 0"}
    assert assize("adaptive", world.collection.slug, "--resume", "1", "--json").json[0]["stopped"] == ""
    absent = "Error: There is no round “999” in this collection."
    assert assize("adaptive", world.collection.slug, "--round", "999").told == (1, absent)
    assert "from S1" in client.get(f"/c/{world.collection.slug}/pool/items/").content.decode()
    assert "Picked so far" in client.get(f"/c/{world.collection.slug}/pool/1/").content.decode()


def test_a_sample_of_the_rest_tells_what_was_missed(
    world: World, client_for: ClientFor, caller_for: CallerFor, assize: Assize
) -> None:
    """Drawn by page, command or API, judged in the ordinary queue, with nothing that tells it from other documents."""
    pool = world.draw("mtf", ahead=1, budget=8)
    world.assign(world.ann)
    world.judge(world.ann)
    client, address = client_for(world.organizer), f"/c/{world.collection.slug}/progress/adaptive/"
    assert "<strong>1 topic calls for a stop:</strong> read why, and decide." in client.get(address).content.decode()
    assert client.post(address, {"act": "check", "round": 1, "topic": "1", "count": 5}).status_code == 302
    assert "0 of 5 judged" in client.get(address).content.decode()
    call, base = caller_for(world.organizer), f"/collections/{world.collection.slug}/adaptive"
    assert call("GET", base)[0]["check"] == {
        "round": 2,
        "unjudged": 8,
        "drawn": 5,
        "judged": 0,
        "relevant": 0,
        "found": 3,
        "bound": None,
    }
    with pytest.raises(Conflict, match="A sample of topic 1 waits to be judged: 0 of 5 are"):
        checking.draw_check(pool, world.topic, by=world.organizer, count=5)
    seen: list[str] = []
    order = judge_by_http(client_for(world.ann), world.collection, lambda topic, docno: VECTOR["qrels"][docno], seen)
    assert len(order) == 5 and not any("check" in text for text in seen)
    relevant = sum(VECTOR["qrels"][docno] > 0 for _, docno in order)
    told = call("GET", base)[0]["check"]
    assert told["bound"] == pytest.approx(vars(recall_bound(3, 8, 5, relevant)))
    assert f"{relevant} of 5 relevant, drawn of 8" in client.get(address).content.decode()
    assert "Sample check of round 1, topic 1" in client.get(f"/c/{world.collection.slug}/pool/2/").content.decode()
    by = ("--by", "olga-organizer", "--json")
    line = assize("adaptive", world.collection.slug, "--check", "1", "--count", "500", *by).json[0]
    assert (line["missed_at_most"], call("GET", base)[0]["check"]["drawn"]) == (None, 3)  # the three that are left
    world.judge(world.ann)
    assert assize("adaptive", world.collection.slug, "--json").json[0]["recall_at_least"] == pytest.approx(
        recall_bound(3 + relevant, 3, 3, 3 - relevant).recall_lower, abs=1e-4
    )
    with pytest.raises(Conflict, match="Nothing is left of topic 1"):
        checking.draw_check(pool, world.topic, by=world.organizer, count=5)
    with pytest.raises(Refusal, match="count: Expected at least 1; found 0"):
        checking.draw_check(pool, world.topic, by=world.organizer, count=0)
