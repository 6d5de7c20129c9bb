"""The API is documented: in its OpenAPI document, on its page, and in docs/api.md."""

import json
import re
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from config import api_docs
from config.endpoints import api
from tests.api.conftest import CallerFor
from tests.conftest import Cast, ClientFor
from tests.test_access import World, world

__all__ = ["world"]
DOCS = Path(__file__).parent.parent / "docs" / "api.md"


def operations() -> list[tuple[str, str, dict[str, Any]]]:
    paths = api.get_openapi_schema()["paths"]
    return [(method.upper(), path, told) for path, methods in paths.items() for method, told in methods.items()]


def test_docs_table_lists_every_endpoint_with_its_scope() -> None:
    rows = re.findall(r"^\| ([A-Z]+) \| `(/[^`]+)` \| (\w+) \|", DOCS.read_text(), re.MULTILINE)
    found = [(m, path.removeprefix("/api/v1"), told["security"][0]["token"][0]) for m, path, told in operations()]
    assert sorted(rows) == sorted(found)


@pytest.mark.parametrize(("method", "path", "told"), operations(), ids=lambda value: "" if isinstance(value, dict) else value)
def test_operation_is_described(method: str, path: str, told: dict[str, Any]) -> None:
    assert len(told["tags"]) == 1
    assert told["summary"] and told["operationId"]
    answers = {int(status): answer for status, answer in told["responses"].items()}
    [success] = [status for status in answers if status < 300]
    assert success == 204 or "content" in answers[success]
    for status in {401, 403, 404, 422} | (set() if method == "GET" else {409}):
        assert answers[status]["content"]["application/json"]["schema"] == {"$ref": "#/components/schemas/ErrorOut"}
    keyed = [parameter["name"] for parameter in told["parameters"] if parameter["in"] == "header"]
    assert keyed == ([] if method == "GET" else ["Idempotency-Key"])


def test_operation_ids_are_unique() -> None:
    ids = [told["operationId"] for _, _, told in operations()]
    assert sorted(ids) == sorted(set(ids))


def test_document_is_open_to_all_and_names_the_security_schemes(db: None) -> None:
    document = Client().get("/api/v1/openapi.json").json()
    assert sorted(document["components"]["securitySchemes"]) == ["session", "token"]
    assert document["paths"]["/api/v1/collections"]["get"]["security"] == [{"token": ["read"]}, {"session": []}, {}]
    assert document["paths"]["/api/v1/tokens"]["post"]["security"] == [{"token": ["manage"]}, {"session": []}]


def test_references_lead_somewhere(db: None) -> None:
    text = Client().get("/api/v1/openapi.json").content.decode()
    known = {f"#/components/schemas/{name}" for name in api.get_openapi_schema()["components"]["schemas"]}
    assert set(re.findall(r'"\$ref": "([^"]+)"', text)) <= known


def test_page_shows_every_operation_to_all(db: None) -> None:
    page = Client().get("/api/docs/")
    html = page.content.decode()
    assert page.status_code == 200
    for method, path, told in operations():
        assert f'id="{told["operationId"]}"' in html, (method, path)
        assert f"<code>{path}</code>" in html
    assert " style=" not in html and "<script>" not in html


def test_page_links_lead_to_shapes_on_it(db: None) -> None:
    html = Client().get("/api/docs/").content.decode()
    assert set(re.findall(r'href="#([^"]+)"', html)) <= set(re.findall(r'id="([^"]+)"', html))


def test_worked_example_of_the_docs(cast: Cast) -> None:
    call, statuses, job = CallerFor()(cast.stranger), [], 0
    for method, path, body in re.findall(r"^call (?:-X (\w+) )?\$API(\S+)(?: -d '(.*)')?$", DOCS.read_text(), re.MULTILINE):
        method = method or ("POST" if body else "GET")
        answer = call(method, path.replace("$JOB", str(job)), json.loads(body) if body else None)
        job = answer["id"] if path.endswith("/export") else job
        statuses.append(call.status)
    assert statuses == [201, 200, 201, 201, 201, 201, 202, 200]


def test_page_tells_in_which_types_a_file_comes() -> None:
    acts = {act.id: act for acts in api_docs.contents()[0].values() for act in acts}
    names = ("download_judgments", "download_run", "read_me", "dismiss_upload")
    assert [acts[name].answer for name in names] == [
        "a file: text/csv or application/x-ndjson",
        "a file: application/octet-stream",
        "MeOut",
        "nothing",
    ]


def test_page_example_of_a_body() -> None:
    acts = {act.id: act for acts in api_docs.contents()[0].values() for act in acts}
    assert acts["create_collection"].curl.splitlines()[1:] == [
        '  -H "Authorization: Bearer $TOKEN" \\',
        """  -H "Idempotency-Key: $(python3 -c 'import uuid; print(uuid.uuid4())')" \\""",
        "  -H 'Content-Type: application/json' \\",
        """  -d '{"name": "Harbour trials 2026", "slug": "harbour-2026", "task": "ad-hoc"}'""",
    ]


NOT_IN_THE_WORLD = {"download_interactive"}  # nobody found anything by searching


def variants(told: dict[str, Any]) -> list[dict[str, str]]:
    """Every choice of the parameters on which the type of the answer can hang."""
    lists = []
    for found in told["parameters"]:
        values = found["schema"].get("enum", [])
        if found["in"] == "query" and found["name"] in {"format", "form", "table", "view"} and values:
            lists.append([(found["name"], value) for value in ("", *values)])
    return [{name: value for name, value in one if value} for one in product(*lists)]


@pytest.mark.once
def test_documented_types_are_those_that_are_served(world: World, client_for: ClientFor, subtests: pytest.Subtests) -> None:
    """Of every GET, with every form of its answer; of files, each type that is documented is served."""
    client = client_for(world.cast.staff)
    for method, path, told in operations():
        documented = set(told["responses"].get(200, {}).get("content", {}))
        if method != "GET" or told["operationId"] in NOT_IN_THE_WORLD:
            continue
        with subtests.test(told["operationId"]):
            address = world.address(re.sub(r"{(\w+)}", r"<\1>", path.removeprefix("/")).replace("<id>", "<int:id>"))
            served = set()
            for query in variants(told):
                answer = client.get(address, query)
                answer.getvalue()  # which closes the file
                if answer.status_code == 200:
                    served.add(answer["Content-Type"].partition(";")[0])
            assert served == documented or (not served and documented == {"application/json"})
