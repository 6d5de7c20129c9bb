"""What goes on meanwhile: a leaderboard that is reloaded while a release comes is of before or of afterwards, and a release is of
one moment, whenever somebody judges."""

import csv
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from django.db import connection

from assess import opinions
from evaluation import bundles
from evaluation.models import Release
from evaluation.services import releases
from pooling.models import Role
from tests import factories as people
from tests.conftest import ClientFor
from tests.evaluation.factories import ALPHA, BETA, FIRST, freeze, judge, judge_all, make_item, make_run, score
from tests.evaluation.test_bundles import files, wrong

Act = Callable[[], object]


@contextmanager
def meanwhile(place: int, act: Act) -> Iterator[list[int]]:
    """Somebody else's act, whole, just before the page asks its query number `place`; how many it asked."""
    asked = [0]

    def elsewhere() -> None:
        act()
        connection.close()

    def execute(ask: Callable[..., Any], *given: Any) -> Any:
        if asked[0] == place:
            thread = threading.Thread(target=elsewhere)
            thread.start()
            thread.join(20)
        asked[0] += 1
        return ask(*given)

    with connection.execute_wrapper(execute):
        yield asked


def test_a_reloaded_leaderboard_is_of_before_or_of_after(committed: None, client_for: ClientFor) -> None:
    organizer, participant = people.make_user("Olga Organizer"), people.make_user("Pat Participant")
    collection = people.make_collection(organizer, "Harbour trials")
    people.join(collection, participant, Role.PARTICIPANT)
    for tag, ranked in (("alpha", ALPHA), ("beta", BETA)):
        make_run(collection, tag, ranked, by=organizer)
    judge_all(collection, FIRST, organizer)
    client, item = client_for(participant), make_item(collection, "1", "b", by=organizer)
    made: list[Release] = []

    def shown() -> str:
        return client.get("/c/harbour-trials/leaderboard/").content.decode().split("</h1>")[1]

    def publish() -> None:
        made.append(freeze(collection, organizer, state="draft"))
        releases.set_state(made[-1], by=organizer, state="private")

    before, places = shown(), 0
    assert "No release yet" in before and "alpha" not in before
    while places < 99:
        judge(item, organizer, 1 + places % 3)  # something new to freeze
        for act, rows in ((publish, 0), (lambda: score(made[-1]), 2)):
            with meanwhile(places, act) as asked:
                during = shown()
            if places >= asked[0]:  # the page asks no more than that
                assert places > 5
                return
            after = shown()
            assert during in (before, after), (places, rows)
            assert (f"release {len(made)}</a>" in after, after.count('<th scope="row" class="pin"><input')) == (True, rows)
            before = after
        places += 1


def test_a_release_is_of_one_moment_whenever_somebody_judges(committed: None) -> None:
    """Somebody changes their mind before each of its queries in turn: present judgments and history tell the same."""
    organizer = people.make_user("Olga Organizer")
    collection = people.make_collection(organizer, "Harbour trials")
    judge_all(collection, FIRST, organizer)
    first, last = make_item(collection, "1", "b", by=organizer), make_item(collection, "2", "d", by=organizer)
    with meanwhile(-1, lambda: None) as asked, releases.one_moment():
        bundles.read(collection, opinions.plan(collection))
    assert asked[0] > 20
    for place in range(asked[0]):
        judge(first, organizer, 1 + place % 2)  # something new to freeze
        with meanwhile(place, partial(judge, last, organizer, place % 3)):
            found = files(freeze(collection, organizer))
        rows = csv.DictReader(found["judgments.csv"].decode().splitlines())
        present = {(row["topic"], row["docid"]): int(row["grade"]) for row in rows}
        acts = map(json.loads, found["history.jsonl"].splitlines())
        assert present == {(act["topic"], act["docno"]): act["grade"] for act in acts}, place
        assert wrong(found) == set(), place
