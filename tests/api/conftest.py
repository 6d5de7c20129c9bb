"""A program that calls the API with a token, as `curl` would."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from config import accounts
from config.models import Scope, User

ALL = tuple(Scope.values)


class Caller:
    """Sends JSON with a token; `self.status` and `self.headers` are those of the last answer, which is returned."""

    def __init__(self, secret: str = "") -> None:
        self.client, self.secret = Client(enforce_csrf_checks=True), secret
        self.status, self.headers = 0, dict[str, str]()

    def __call__(self, method: str, path: str, body: object = None, *, key: str = "", raw: bytes | None = None) -> Any:
        headers = {"Authorization": f"Bearer {self.secret}"} if self.secret else {}
        if key:
            headers["Idempotency-Key"] = key
        data = raw if raw is not None else b"" if body is None else json.dumps(body).encode()
        address = path if path.startswith("http") else f"/api/v1{path}"
        answer = self.client.generic(method, address, data, content_type="application/json", headers=headers)
        self.status, self.headers = answer.status_code, dict(answer.headers)
        content = answer.getvalue()
        if not self.headers.get("Content-Type", "").startswith("application/json"):
            return content
        return json.loads(content) if content else None

    def walk(self, path: str) -> Iterator[Any]:
        """The items of all pages."""
        address: str | None = path
        while address:
            page = self("GET", address)
            yield from page["results"]
            address = page["next"]


class CallerFor:
    """`caller_for(user)`: with a token of all scopes, or of those named; without a user, anonymous."""

    def __call__(self, user: User | None = None, *scopes: str) -> Caller:
        if user is None:
            return Caller()
        if not scopes:
            scopes = tuple(scope for scope in ALL if scope != "manage" or not user.is_machine)
        return Caller(accounts.make_token(user=user, name="test", scopes=scopes)[1])


@pytest.fixture
def caller_for() -> CallerFor:
    return CallerFor()


def error(code: str, message: str, **details: object) -> dict[str, object]:
    return {"error": {"code": code, "message": message, "details": details}}


def at(field: str, words: str) -> dict[str, object]:
    """The error of one field."""
    return error("invalid", f"{field}: {words}", fields=[{"where": field, "message": words}])


NOT_FOUND = error("not_found", "There is no such page, or it is not open to you.")
NO_TOKEN = error("not_signed_in", "Send a token as “Authorization: Bearer …”, or sign in.")
