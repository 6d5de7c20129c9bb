"""One document open in two tabs: whatever the order of loads and submits, nothing is overwritten unsaid."""

import re
import uuid
from itertools import permutations

import pytest

from assess.models import JudgmentEvent
from tests.api.conftest import CallerFor, caller_for
from tests.assess.conftest import Bench
from tests.conftest import ClientFor

__all__ = ["caller_for"]
GRADES = {"a": 1, "b": 2}
STEPS = [("load", "a"), ("load", "b"), ("send", "a"), ("send", "b")]
# A tab loads before it sends: six orders of the twenty-four.
ORDERS = [
    order for order in permutations(STEPS) if all(order.index(("load", tab)) < order.index(("send", tab)) for tab in "ab")
]
HIDDEN = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)">')


@pytest.fixture(params=ORDERS, ids=lambda order: ", ".join(" ".join(step) for step in order))
def order(request: pytest.FixtureRequest) -> tuple[tuple[str, str], ...]:
    found: tuple[tuple[str, str], ...] = request.param
    return found


def expected(order: tuple[tuple[str, str], ...]) -> tuple[int, list[tuple[int | None, int]]]:
    """What the second to send is told, and the history: it stands only if they had looked at what the first said."""
    first, second = [tab for step, tab in order if step == "send"]
    looked = order.index(("load", second)) > order.index(("send", first))
    history = [(None, GRADES[first]), (GRADES[first], GRADES[second])]
    return (200, history) if looked else (409, history[:1])


def history() -> list[tuple[int | None, int | None]]:
    return list(JudgmentEvent.objects.order_by("pk").values_list("previous_grade", "grade"))


def test_by_the_api_with_seen(bench: Bench, caller_for: CallerFor, order: tuple[tuple[str, str], ...]) -> None:
    bench.assign(overlap=0)
    address = f"/collections/{bench.collection.slug}/queue/{bench.cards(bench.ann)[0].token}"
    ann, seen, told = caller_for(bench.ann), dict[str, int](), []
    for step, tab in order:
        if step == "load":
            seen[tab] = ann("GET", address)["seen"]
        else:
            act = {"grade": GRADES[tab], "client_id": str(uuid.uuid4()), "seen": seen[tab]}
            answer = ann("POST", address, act)
            told.append((ann.status, answer.get("error", {}).get("details")))
    status, kept = expected(order)
    now = None if status == 200 else {"grade": kept[0][1], "seen": 1}
    assert (told, history()) == ([(200, None), (status, now)], kept)


def test_by_the_form_with_script_off(bench: Bench, client_for: ClientFor, order: tuple[tuple[str, str], ...]) -> None:
    """What the page's own form holds is sent as it stands there, and a button pressed."""
    bench.assign(overlap=0)
    address = f"/c/{bench.collection.slug}/judge/{bench.cards(bench.ann)[0].token}/"
    client, forms, told = client_for(bench.ann), dict[str, dict[str, str]](), []
    for step, tab in order:
        if step == "load":
            form = client.get(address).content.decode().split(f'action="{address}"', 1)[1].split("</form>", 1)[0]
            forms[tab] = dict(HIDDEN.findall(form))
            assert forms[tab].keys() >= {"client_id", "seen"}
        else:
            answer = client.post(address, {**forms[tab], "grade": GRADES[tab]})
            told.append(answer.status_code)
    status, kept = expected(order)
    assert (told, history()) == ([302, 302 if status == 200 else 409], kept)
    if status == 409:
        assert f"This document was judged elsewhere meanwhile: it is now {kept[0][1]}." in answer.content.decode()


def test_who_sends_no_seen_stands_in_the_history_all_the_same(bench: Bench, caller_for: CallerFor) -> None:
    bench.assign(overlap=0)
    address = f"/collections/{bench.collection.slug}/queue/{bench.cards(bench.ann)[0].token}"
    ann = caller_for(bench.ann)
    for grade in GRADES.values():
        ann("POST", address, {"grade": grade, "client_id": str(uuid.uuid4())})
    assert (ann.status, history()) == (200, [(None, 1), (1, 2)])
