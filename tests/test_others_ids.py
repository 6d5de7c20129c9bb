"""What another collection has, asked for within one's own: it does not exist, in an address and in a body alike.

The addresses are those of the table in `tests/test_access.py`, so that a new one is tried without a line here. Each part of an
address that names an object is changed for the other collection's, one at a time, and asked for by every role that may open
the address: the answer is the 404 that a number of nothing has, word for word, but for what was asked for, which stands in “ ”.
"""

import json
import re
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import apps
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client

from pooling.models import Guideline, Pool, Run, Topic
from tests.conftest import ClientFor, make_cast
from tests.evaluation import factories as scored
from tests.test_access import BODIES, PARTS, ROLES, TABLE, A, C, World, expect, make_world, send, world

__all__ = ["world"]
pytestmark = pytest.mark.once
# Of the site as a whole, of no collection, or no object at all.
FREE = {"slug", "form", "ending", "signed", "secret", "uidb64", "token_", "username", "person"}
ACT = "6f1c1c0e-3c1b-4d52-9d5e-0c8f1a2b3c4d"

# Forms of pages that would be taken; where there is none, none is needed.
FORMS: dict[str, dict[str, object]] = {
    f"{C}drafts/<int:pk>/": {"act": "edit", "number": "9", "title": "eels"},
    f"{C}judge/<uuid:seat>/": {"grade": 1, "client_id": ACT},
    f"{C}adjudicate/topics/<path:topic>/": {"docno": "a", "grade": 1, "client_id": ACT},
    f"{C}releases/<int:number>/state/": {"state": "withdrawn", "note": "Wrong topics."},
    f"{C}topics/<path:number>/": {"title": "one"},
    f"{C}uploads/<int:pk>/repair/": {"repair": "ranks"},
    f"{C}runs/<str:tag>/edit/": {"kind": "automatic", "priority": 1},
}
GOOD = {**BODIES, **FORMS, f"{A}/adaptive/<int:round>/stop": {"topic": "1", "reason": "Enough."}}
NEEDS_MORE = {  # of the world than it has: somebody who holds documents, an index, a run of several documents
    f"{A}/leases/<str:user>",
    f"{C}progress/held/<str:user>/",
    f"{A}/drafts/<int:id>/grades",
    f"{A}/releases/<int:number>/private",
}


@pytest.fixture
def elsewhere(world: World) -> World:
    """The same once more, by other people in another collection, under numbers and names that the first has not."""
    other = make_world(make_cast("Far "))
    collection = other.cast.collection
    Topic.objects.filter(collection=collection, number="1").update(number="4")
    for docno in ("x2", "x3", "x4"):  # no release can be given another number
        scored.judge_all(collection, {"4": {docno: 1}}, other.cast.assessor)
        scored.freeze(collection, other.cast.organizer)
    Pool.objects.filter(collection=collection, round=1).update(round=4)
    Guideline.objects.filter(collection=collection).update(version=4)
    Run.objects.filter(collection=collection, tag="own").update(tag="theirs")
    numbers = dict.fromkeys(("version", "number", "round", "against", "topic"), 4)
    return World(other.cast, other.machine, {**other.values, **numbers, "tag": "theirs"})


def nothing(value: object) -> object:
    """What no collection has, of the same kind."""
    if isinstance(value, uuid.UUID):
        return uuid.UUID(int=value.int ^ 1)
    return 987_654 if isinstance(value, int) else "no-such-one"


def swaps(route: str, ours: World, theirs: World) -> Iterator[tuple[str, str, str]]:
    """What is changed in an address, the address with the other collection's, and with one that nobody has."""
    for name in ours.values.keys() - FREE:
        foreign, missing = theirs.values[name], nothing(theirs.values[name])
        there, nowhere = (
            World(ours.cast, ours.machine, {**ours.values, name: one}).address(route) for one in (foreign, missing)
        )
        if there != ours.address(route):
            yield name, there, nowhere


def unnamed(answer: bytes) -> bytes:
    """Without what was asked for, quoted as pages or JSON have it."""
    return re.sub(rb"(\xe2\x80\x9c|\\u201c).*?(\xe2\x80\x9d|\\u201d)", b"", answer)


def stored() -> dict[str, list[object]]:
    """Every row of every table, but for what a request leaves of itself."""
    models = [model for model in apps.get_models(include_auto_created=True) if model._meta.managed]
    return {
        m._meta.label: list(m._base_manager.order_by("pk").values_list()) for m in models if m._meta.app_label != "sessions"
    }


@pytest.mark.parametrize("part", PARTS)
def test_another_collections_id_in_an_address_is_no_id(
    part: str, world: World, elsewhere: World, client_for: ClientFor, subtests: pytest.Subtests
) -> None:
    clients = {role: world.client(role, client_for) for role in ROLES if role != "anonymous"}
    tried = 0
    for route in [route for route in sorted(TABLE) if next(filter(route.startswith, PARTS)) == part]:
        path, api = route.replace("<str:token>", str(world.values["token_"])), route.startswith("api/v1/")
        for name, foreign, missing in swaps(path, world, elsewhere):
            for method, rule in TABLE[route].items():
                may = [role for role in clients if expect(rule, api, role) not in (401, 403, 404)]
                # An administrator sees the jobs of all; a machine has no pages.
                may = [role for role in may if "<slug" in route or role != "staff" if api or role != "machine"]
                body = GOOD.get(route, {})
                with subtests.test(f"{method} {route} {name}"):
                    assert may
                    own = send(clients[may[0]], method, world.address(path), body)[0]
                    assert own < 400 or own == 409 or route in NEEDS_MORE
                    for role in may:
                        there, nowhere = (send(clients[role], method, one, body) for one in (foreign, missing))
                        assert (role, there[0], unnamed(there[2])) == (role, 404, unnamed(nowhere[2])), there
                    tried += 1
    assert tried or part == ""


# Role, method, address and body. What stands in [] is something of the other collection's, and refused; with one's own in its
# place the same is taken, or told to be too late (409).
HIT = {"grade": 1, "client_id": ACT}
DECIDED = {"topic": "[topic]", "docno": "[docno]", "client_id": ACT}
BODY: list[tuple[str, str, str, dict[str, Any]]] = [
    ("organizer", "POST", f"{A}/pools", {"depth": 5, "runs": ["[tag]"]}),
    ("organizer", "POST", f"{A}/pools/plan", {"depth": 5, "runs": ["[tag]"]}),
    ("organizer", "GET", f"{A}/pools/sizes?run=[tag]", {}),
    ("organizer", "PUT", f"{A}/assignments", {"assignments": [{"topic": "[topic]", "first": ["member-assessor"]}]}),
    ("organizer", "PUT", f"{A}/assignments", {"assignments": [{"topic": "1", "first": ["[assessor]"]}]}),
    ("organizer", "POST", f"{A}/assignments/auto", {"assessors": ["[assessor]"], "topics": "all"}),
    ("organizer", "PUT", f"{A}/adjudication", {"topics": [{"topic": "[topic]", "adjudicators": []}]}),
    ("organizer", "PUT", f"{A}/adjudication", {"topics": [{"topic": "1", "adjudicators": ["[adjudicator]"]}]}),
    ("organizer", "POST", f"{A}/adjudication/reopen", DECIDED),
    ("organizer", "POST", f"{A}/adjudication/reopen", {**DECIDED, "topic": "1"}),
    ("organizer", "POST", f"{A}/adaptive/1/stop", {"topic": "[topic]", "reason": "Enough."}),
    ("organizer", "POST", f"{A}/adaptive/1/resume", {"topic": "[topic]"}),
    ("organizer", "POST", f"{A}/adaptive/1/check", {"topic": "[topic]"}),
    ("organizer", "PUT", f"{A}/practice/1", {"examples": [{"docno": "[document]", "grade": 1}]}),
    ("organizer", "POST", f"{A}/drafts/<int:id>/grades", {"docno": "[document]", "grade": 1}),
    ("organizer", "GET", f"{A}/leaderboard?release=[number]", {}),
    ("assessor", "POST", f"{A}/search/judgments", {"topic": "[work]", "docno": "[document]", **HIT}),
    ("assessor", "POST", f"{A}/search/judgments", {"topic": "3", "docno": "[document]", **HIT}),
    ("adjudicator", "POST", f"{A}/adjudication/decisions", {**DECIDED, "grade": 1}),
    ("adjudicator", "POST", f"{A}/adjudication/decisions", {**DECIDED, "grade": 1, "topic": "1"}),
    ("organizer", "POST", f"{C}assign/", {"act": "auto", "assessors": "[assessor_pk]", "topics": "all", "overlap": 0}),
    ("organizer", "POST", f"{C}pool/", {"strategy": "depth", "depth": 5, "seed": 1, "runs": "[run]"}),
    ("organizer", "POST", f"{C}practice/", {"topic": "[topic]", "lines": ""}),
    ("organizer", "POST", f"{C}practice/", {"topic": "1", "lines": "[document] 1 why"}),
    ("organizer", "POST", f"{C}questions/", {"question": "[question]", "text": "Yes."}),
    ("organizer", "POST", f"{C}adjudicate/", {"topic": "[topic]"}),
    ("organizer", "POST", f"{C}adjudicate/", {"topic": "1", "who-1": "[adjudicator]"}),
    ("organizer", "POST", f"{C}adjudicate/reopen/", DECIDED),
    ("organizer", "POST", f"{C}drafts/<int:pk>/", {"act": "grade", "docno": "[document]", "grade": 1}),
    ("organizer", "POST", f"{C}progress/free/", {"user": "[assessor]"}),
    ("organizer", "POST", f"{C}progress/adaptive/", {"act": "stop", "round": "[round]", "topic": "1", "reason": "Enough."}),
    ("organizer", "POST", f"{C}progress/adaptive/", {"act": "stop", "round": 1, "topic": "[topic]", "reason": "Enough."}),
    ("organizer", "POST", f"{C}try/", {"release": "[number]"}),
    ("organizer", "GET", f"{C}document/?topic=[topic]&docno=[docno]", {}),
    ("organizer", "GET", f"{C}search/document/?docno=[document]", {}),
    ("adjudicator", "POST", f"{C}adjudicate/topics/1/", {"docno": "[docno]", **HIT}),
    ("assessor", "POST", f"{C}judge/words/", {"topic": "[work]", "words": "eels"}),
    ("assessor", "POST", f"{C}judge/questions/", {"seat": "[seat]", "text": "Are eels meant?"}),
    ("assessor", "POST", f"{C}judge/practice/", {"item": "[item]", "grade": 1}),
    ("assessor", "POST", f"{C}search/judge/", {"topic": "[work]", "docno": "[document]", **HIT}),
]
REFUSED_ANYWAY = {f"{C}progress/free/", f"{C}progress/adaptive/"}  # nobody holds anything, and no round is adaptive


def names(world: World, topic: str, work: str, docno: str) -> dict[str, object]:
    """What can stand in [], of one collection; `docno` was judged, a document is there to be read."""
    cast, collection = world.cast, world.cast.collection
    people = {"assessor": cast.assessor.username, "adjudicator": cast.adjudicator.username, "assessor_pk": cast.assessor.pk}
    document = collection.corpus.documents.earliest("pk").docno
    run = collection.runs.get(tag=world.values["tag"]).pk
    return {**world.values, **people, "document": document, "run": run, "topic": topic, "work": work, "docno": docno}


def asked(client: Client, method: str, path: str, body: dict[str, Any], values: dict[str, object]) -> tuple[int, bytes, bool]:
    """Status and words of the answer, and whether any row of any table changed, which is taken back."""
    path, written = (re.sub(r"\[(\w+)\]", lambda name: str(values[name[1]]), one) for one in (path, json.dumps(body)))
    before = stored()
    with transaction.atomic():
        if method == "POST" and not path.startswith("/api/"):
            file = SimpleUploadedFile("run.txt", f"1 Q0 {values['document']} 1 1.0 own\n".encode())
            told = client.post(path, {**json.loads(written), **({"file": file} if "/try/" in path else {})})
        else:
            told = client.generic(method, path, written, "application/json")
        changed = stored() != before
        transaction.set_rollback(True)
    return told.status_code, told.content, changed


def test_another_collections_ids_in_a_body_are_refused(
    world: World, elsewhere: World, client_for: ClientFor, subtests: pytest.Subtests
) -> None:
    ours, theirs = names(world, "1", "3", "a"), names(elsewhere, "4", "4", "x2")
    clients = {role: world.client(role, client_for) for role in ("organizer", "assessor", "adjudicator")}
    for role, method, route, body in BODY:
        with subtests.test(f"{method} {route} {body}"):
            status, words, changed = asked(clients[role], method, world.address(route), body, theirs)
            assert (status in (404, 422), changed) == (True, False), words
            status, words, _changed = asked(clients[role], method, world.address(route), body, ours)
            assert status < 400 or status == 409 or route in REFUSED_ANYWAY, words
