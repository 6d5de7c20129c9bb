"""A page elsewhere makes a signed-in browser send something (CSRF): every write of the table is refused without its token."""

import json
from urllib.parse import urlencode

import pytest
from django.test import Client

from config import accounts
from config.models import Scope
from tests.conftest import ClientFor
from tests.test_access import BODIES, TABLE, World, expect, send, world
from tests.test_others_ids import FORMS, stored

__all__ = ["world"]
pytestmark = pytest.mark.once
WRITES = [(route, method) for route in sorted(TABLE) for method in TABLE[route] if method not in ("GET", "OPTIONS")]
WRITES = [(route, method) for route, method in WRITES if route != "api/v1/"]  # nothing is there
FORM = "application/x-www-form-urlencoded"
WHO = ("organizer", "assessor", "adjudicator", "staff")


def who_may(world: World, route: str, method: str) -> str:
    """Somebody whom the address lets in: not for want of a role is it refused."""
    rule, api = TABLE[route][method], route.startswith("api/")
    return next((role for role in WHO if expect(rule, api, role) not in (401, 403, 404)), "organizer")


def address(world: World, route: str) -> str:
    return world.address(route.replace("<str:token>", str(world.values["token_"])))


def test_a_write_with_a_session_alone_is_refused(world: World, client_for: ClientFor, subtests: pytest.Subtests) -> None:
    clients = {role: client_for(world.user(role), csrf=True) for role in WHO}
    before = stored()
    for route, method in WRITES:
        role, path = who_may(world, route, method), address(world, route)
        body = BODIES.get(route, FORMS.get(route, {}))
        with subtests.test(f"{method} {route} as {role}"):
            kind, written = ("application/json", json.dumps) if path.startswith("/api/") else (FORM, urlencode)
            told = clients[role].generic(method, path, written(body) if isinstance(body, dict) else body, kind)
            assert told.status_code == 403, told.content
    assert stored() == before
    assert len(WRITES) > 90


def test_a_write_with_an_api_token_needs_no_other(world: World, subtests: pytest.Subtests) -> None:
    headers = {}
    for role in WHO:
        secret = accounts.make_token(user=getattr(world.cast, role), name="all", scopes=list(Scope.values))[1]
        headers[role] = {"Authorization": f"Bearer {secret}"}
    for route, method in WRITES:
        role = who_may(world, route, method)
        if route.startswith("api/v1/"):
            client = Client(enforce_csrf_checks=True, headers=headers[role])
            with subtests.test(f"{method} {route} as {role}"):
                status = send(client, method, address(world, route), BODIES.get(route, {}))[0]
                assert status == expect(TABLE[route][method], True, role)
