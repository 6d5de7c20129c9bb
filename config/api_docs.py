"""The API's documentation, made from its OpenAPI document: readable offline and without script."""

import functools
import json
import re
import shlex
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from config.api import api
from config.models import Scope
from config.openapi import ERRORS

SAMPLES = {"slug": "harbour-2026", "signed": "1.u3Hq0", "tag": "bm25"}  # of path parameters; all others are numbers


@dataclass(frozen=True)
class Item:
    """A parameter or field."""

    name: str
    type: str
    shape: str
    meaning: str
    required: bool = False
    where: str = ""


@dataclass(frozen=True)
class Act:
    """One operation, as the page shows it."""

    id: str
    method: str
    path: str
    summary: str
    description: str
    scope: str
    to_all: bool
    parameters: list[Item]
    body: list[Item]
    status: str
    answer: str
    shape: str
    errors: list[int]
    curl: str


@dataclass(frozen=True)
class Shape:
    name: str
    items: list[Item]


@require_safe
def api_docs(request: HttpRequest) -> HttpResponse:
    groups, shapes = contents()
    context = {"groups": groups, "shapes": shapes, "errors": ERRORS, "scopes": Scope.choices, "base": settings.BASE_URL}
    return render(request, "api_docs.html", context)


@functools.cache
def contents() -> tuple[dict[str, list[Act]], list[Shape]]:
    """Operations by tag, and the shapes that they name."""
    document = api.get_openapi_schema()
    schemas: dict[str, Any] = document["components"]["schemas"]
    groups: dict[str, list[Act]] = {}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            groups.setdefault(operation["tags"][0], []).append(_act(method.upper(), path, operation, schemas))
    return groups, _shapes([act for acts in groups.values() for act in acts], schemas)


def _shapes(acts: list[Act], schemas: dict[str, Any]) -> list[Shape]:
    """The shapes that answers and bodies link to, and those that these link to in turn."""
    todo, found = {act.shape for act in acts} | {item.shape for act in acts for item in act.body}, dict[str, Shape]()
    while todo := todo - found.keys() - {""}:
        for name in todo:
            found[name] = Shape(name, _items(schemas[name], schemas))
        todo = {item.shape for shape in found.values() for item in shape.items}
    return [found[name] for name in sorted(found)]


def _act(method: str, path: str, operation: dict[str, Any], schemas: dict[str, Any]) -> Act:
    bodies: dict[str, Any] = operation.get("requestBody", {}).get("content", {})
    kind, body = next(((kind, found["schema"]) for kind, found in bodies.items()), ("", {}))
    [(status, success)] = [(s, told) for s, told in operation["responses"].items() if int(s) < 300]
    content: dict[str, Any] = success.get("content", {})
    if content.keys() <= {"application/json"}:
        answer, shape = _type(content["application/json"]["schema"], schemas) if content else ("nothing", "")
    else:
        answer, shape = f"a file: {' or '.join(content)}", ""
    return Act(
        id=operation["operationId"],
        method=method,
        path=path,
        summary=operation["summary"],
        description=operation.get("description", ""),
        scope=operation["security"][0]["token"][0],
        to_all={} in operation["security"],
        parameters=[_parameter(found, schemas) for found in operation["parameters"]],
        body=_items(_target(body, schemas), schemas),
        status=f"{status} {HTTPStatus(int(status)).phrase}",
        answer=answer,
        shape=shape,
        errors=[int(s) for s in operation["responses"] if int(s) >= 400],
        curl=_curl(method, path, kind, body, schemas, {} in operation["security"]),
    )


def _parameter(found: dict[str, Any], schemas: dict[str, Any]) -> Item:
    told, shape = _type(found["schema"], schemas)
    return Item(found["name"], told, shape, found.get("description", ""), found["required"], found["in"])


def _items(schema: dict[str, Any], schemas: dict[str, Any]) -> list[Item]:
    required = schema.get("required", [])
    return [
        Item(name, *_type(field, schemas), field.get("description", ""), name in required)
        for name, field in schema.get("properties", {}).items()
    ]


def _target(schema: dict[str, Any], schemas: dict[str, Any]) -> dict[str, Any]:
    """What a reference refers to."""
    if "allOf" in schema:
        schema = schema["allOf"][0]
    found: dict[str, Any] = schemas[schema["$ref"].rsplit("/", 1)[1]] if "$ref" in schema else schema
    return found


def _type(schema: dict[str, Any], schemas: dict[str, Any]) -> tuple[str, str]:
    """A type in words, and the name of the shape it links to, if any."""
    if "anyOf" in schema:
        told = [_type(one, schemas) for one in schema["anyOf"]]
        return " or ".join(words for words, _ in told), "".join(shape for _, shape in told)
    name = schema.get("$ref", "").rsplit("/", 1)[-1]
    schema = _target(schema, schemas)
    if "enum" in schema:
        return " or ".join(map(str, schema["enum"])), ""
    if name.startswith("Paged"):
        words, shape = _type(schema["properties"]["results"], schemas)
        return words.replace("list of", "page of"), shape
    if name:
        return name, name
    if schema.get("type") == "array":
        words, shape = _type(schema["items"], schemas)
        return f"list of {words}", shape
    formats = {"date-time": "time", "binary": "the file"}
    words = formats.get(schema.get("format", ""), schema.get("type", "anything"))
    limits = [str(schema[key]) for key in ("minimum", "maximum") if key in schema]
    if len(limits) == 2:
        words += f" {limits[0]} to {limits[1]}"
    default = schema.get("default")
    return words if default in (None, "", []) else f"{words}, else {json.dumps(default)}", ""


def _sample(schema: dict[str, Any], schemas: dict[str, Any]) -> Any:
    """A value for the example: what the field itself gives as one, else one of its type."""
    if schema.get("examples"):
        return schema["examples"][0]
    schema = _target(schema, schemas)
    if "properties" in schema:
        names = schema.get("required") or list(schema["properties"])[:1]
        return {name: _sample(schema["properties"][name], schemas) for name in names}
    if schema.get("type") == "array":
        return [_sample(schema["items"], schemas)]
    if "enum" in schema:
        return schema["enum"][0]
    return schema.get("default") or {"integer": 1, "boolean": True}.get(schema.get("type", ""), "…")


def _curl(method: str, path: str, kind: str, body: dict[str, Any], schemas: dict[str, Any], to_all: bool) -> str:
    filled = re.sub(r"{(\w+)}", lambda found: SAMPLES.get(found[1], "1"), path)
    lines = [f"curl {'' if method == 'GET' else f'-X {method} '}{settings.BASE_URL}{filled}"]
    if not to_all:
        lines.append('-H "Authorization: Bearer $TOKEN"')
    if method != "GET":
        lines.append("-H \"Idempotency-Key: $(python3 -c 'import uuid; print(uuid.uuid4())')\"")
    if kind == "multipart/form-data":
        lines.append("-F file=@FILE")
    elif body:
        lines.append("-H 'Content-Type: application/json'")
        lines.append(f"-d {shlex.quote(json.dumps(_sample(body, schemas), ensure_ascii=False))}")
    return " \\\n  ".join(lines)
