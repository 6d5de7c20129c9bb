"""A participant who reloads the leaderboard while a release is frozen, given out and scored: before it nothing, afterwards all of it."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection

from evaluation import services
from evaluation.models import Release
from pooling.models import Role
from tests import factories as people
from tests.conftest import ClientFor
from tests.evaluation.factories import ALPHA, BETA, FIRST, freeze, judge, judge_all, make_item, make_run, score

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
        services.set_state(made[-1], by=organizer, state="private")

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
