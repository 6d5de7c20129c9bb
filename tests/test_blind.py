"""What an assessor gets, searched byte by byte: nothing of runs, groups, ranks, or of what others said."""

import uuid

import pytest
from django.test import Client

from assess import blind
from assess.models import Judgment
from assess.services import assigning, judging, questions
from pooling.models import PoolItem, Role, Run, Topic
from tests import factories
from tests.commands.conftest import Assize, assize
from tests.conftest import ClientFor
from tests.test_access import BODIES, METHODS, TABLE, World, send, world

__all__ = ["assize", "world"]  # fixtures
pytestmark = pytest.mark.once

TAG, GROUP, OTHER = "Kelp-Unsaid-Run", "Harbour-Unsaid-Group", "Zebedee Unsaid-Colleague"
SECRETS = (TAG, GROUP, "Unsaid-Colleague", "zebedee-unsaid", "Unsaid-Note", "Unsaid-Reason", "7777000", "6666000")
FIELDS = ("best_rank", "run_count", "stratum")


@pytest.fixture
def secrets(world: World) -> World:
    """Runs, groups, ranks and another assessor of the same documents, none of which can be mistaken for anything else."""
    collection = world.cast.collection
    for run in Run.objects.filter(collection=collection):
        Run.objects.filter(pk=run.pk).update(tag=f"{TAG}-{run.pk}", group=GROUP, description=f"{TAG} of {GROUP}")
    for number, item in enumerate(PoolItem.objects.filter(pool__collection=collection), 1):
        PoolItem.objects.filter(pk=item.pk).update(best_rank=77770000 + number, run_count=66660000 + number)
    other = factories.make_user(OTHER)
    factories.join(collection, other, Role.ASSESSOR)
    topic = Topic.objects.get(items__seats__token=str(world.values["seat"]))
    wanted = [assigning.Wanted(topic, [world.cast.assessor], [other])]
    assigning.assign(collection, by=world.cast.organizer, wanted=wanted, overlap=1)
    for place, card in enumerate(blind.next_cards(collection, other, 5)):
        said = {"answer": "cannot", "reason": "Unsaid-Reason"} if place == 1 else {"grade": 3}
        judging.record_judgment(
            collection,
            assessor=other,
            seat=card.token,
            client_id=uuid.uuid4(),
            note="Unsaid-Note",
            **said,
        )
        questions.ask(collection, assessor=other, seat=card.token, text="Unsaid-Note: are eels meant?")
    assert Judgment.objects.filter(assessor=other).count() == 5
    world.values |= {"tag": "no-such-run", "user": "nobody"}  # an address that is asked for may come back
    return world


def found_in(client: Client, method: str, path: str, given: object = None) -> list[str]:
    status, headers, body = send(client, method, path, given or {})
    texts = {"headers": headers, "body": body.decode("latin-1")}
    fields = FIELDS if "/c/" in path or "/collections/" in path else ()  # what documents the API tells that they are there
    return [f"{status} {place}: {word}" for place, text in texts.items() for word in (*SECRETS, *fields) if word in text]


def _words(client: Client, path: str) -> set[str]:
    return {line.partition(": ")[2] for line in found_in(client, "GET", path)}


def test_no_answer_tells_of_runs_ranks_or_others(secrets: World, client_for: ClientFor, subtests: pytest.Subtests) -> None:
    """Every address by every method, refusals and all. The organizer, who may know, shows that the search finds them."""
    here = secrets.address("c/<slug:slug>/")
    known = {
        word
        for path in ("runs/", "progress/", "pool/file/csv/")
        for word in _words(client_for(secrets.cast.organizer), here + path)
    }
    assert {TAG, GROUP, "Unsaid-Colleague", "7777000", "6666000"} <= known
    client = client_for(secrets.cast.assessor)
    for route in sorted(TABLE):
        path = secrets.address(route.replace("<str:token>", str(secrets.values["token_"])))
        seen = {method: found_in(client, method, path, BODIES.get(route)) for method in METHODS}
        with subtests.test(route):
            assert {method: words for method, words in seen.items() if words} == {}


def test_no_answer_to_a_question_of_ones_own_tells_more(
    secrets: World, client_for: ClientFor, subtests: pytest.Subtests
) -> None:
    """The addresses that take parameters, the acts of judging, and pages that are not there."""
    cast, seat = secrets.cast, secrets.values["seat"]
    client, home = client_for(cast.assessor), f"/c/{cast.collection.slug}/"
    card, second, *_ = judging.next_items(cast.collection, assessor=cast.assessor, count=5)
    api = f"/api/v1{home}".replace("/c/", "/collections/")
    asked = [
        *(f"{home}judge/history/?{query}" for query in ("words=zebedee", "said=3", "topic=1", f"words={TAG[:4]}")),
        *(f"{home}search/?topic=1&q={words}" for words in ("survey", "text")),
        f"{home}search/document/?topic=1&q=survey&docno={card.docno}",
        f"{home}judge/alike/?seats={card.token},{second.token}",
        f"{home}judge/questions/?seat={card.token}",
        *(f"{home}judge/{token}/{part}" for token in (seat, uuid.uuid4()) for part in ("", "source/")),
        *(f"{home}{part}" for part in ("nothing/", "runs/no-such-run/", "judge/nothing/", "pool/9/")),
        *(f"{api}queue{part}" for part in ("?count=5", "/history?limit=5", "/judgments?topic=1", f"/{uuid.uuid4()}")),
        *(f"{api}{part}" for part in ("search?q=survey&topic=1", "pools/items", "runs/no-such-run", "nothing")),
    ]
    for path in asked:
        with subtests.test(path):
            assert found_in(client, "GET", path) == []
    acts: list[dict[str, object]] = [
        {"grade": 1, "seen": 0},
        {"grade": 99},
        {"grade": 1, "seen": 7},
        {"answer": "cannot", "reason": "cut"},
        {},
    ]
    for token in (card.token, uuid.uuid4()):
        for act in acts:
            sent: dict[str, object] = {"client_id": str(uuid.uuid4()), **act}
            with subtests.test(f"{token} {act}"):
                assert found_in(client, "POST", f"{api}queue/{token}", sent) == []
    for values in ({}, {"held": str(card.token)}, {"held": "x"}, {"leave": "1"}):
        answer = client.post(f"{home}judge/hold/", values)
        text = f"{answer.headers}{answer.content.decode()}"
        assert [word for word in (*SECRETS, *FIELDS) if word in text] == []


def test_no_command_of_an_assessor_tells_more(secrets: World, assize: Assize) -> None:
    who = (secrets.cast.collection.slug, "--by", secrets.cast.assessor.username)
    card = judging.next_items(secrets.cast.collection, assessor=secrets.cast.assessor, count=1)[0]
    one = ("--topic", card.topic, "--docno", card.docno)
    asked = [
        *(
            ("judge", *who, *more)
            for more in ((), ("--json",), one, (*one, "--json"), (*one, "--grade", 1), (*one, "--grade", 99))
        ),
        ("questions", *who, "--ask", card.topic, card.docno, "--text", "Eels?"),
        ("own-topics", *who),
    ]
    for arguments in asked:
        done = assize(*arguments)
        assert [word for word in (*SECRETS, *FIELDS) if word in done.out + done.err] == [], arguments
        assert done.out or done.status == 1
