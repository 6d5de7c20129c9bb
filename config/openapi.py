"""The OpenAPI document: what ninja writes, with scopes, idempotency keys and errors told once for all operations."""

from typing import Any

from ninja import NinjaAPI, Schema
from ninja.openapi.schema import REF_TEMPLATE, OpenAPISchema
from ninja.operation import Operation

from config import http

KEY = {
    "in": "header",
    "name": "Idempotency-Key",
    "required": False,
    "schema": {"type": "string", "maxLength": 200},
    "description": "Any text of your own, new for each act: sent again with it, the act is done once and answered the same.",
}
SECURITY = {
    "token": {"type": "http", "scheme": "bearer", "description": "A token of the profile page or of POST /tokens."},
    "session": {"type": "apiKey", "in": "cookie", "name": "sessionid", "description": "A browser's; writes need X-CSRFToken."},
}
ERRORS = {
    401: "Not signed in, or the token is unknown, revoked or expired",
    403: "The token lacks the scope, or your role does not allow it",
    404: "No such thing, or not open to you",
    409: "Refused in the present state, or the Idempotency-Key was used for something else",
    422: "What was sent is not valid; the message and details say why",
}


def files(*types: str) -> dict[str, Any]:
    """For `openapi_extra=` of an operation whose answer is a file: every type in which it is served, the usual one first."""
    names = dict.fromkeys(kind.partition(";")[0] for kind in types)
    return {"responses": {200: {"content": {name: {"schema": _schema(name)} for name in names}}}}


def _schema(kind: str) -> dict[str, str]:
    if kind == "application/json":
        return {}  # an object, or a list
    return {"type": "string", "format": "binary"} if kind in {http.ANY, http.ZIP} else {"type": "string"}


class Document(OpenAPISchema):
    def __init__(self, api: NinjaAPI, path_prefix: str, error: type[Schema]) -> None:
        self.error = error
        super().__init__(api, path_prefix)

    def operation_details(self, operation: Operation) -> dict[str, Any]:
        """The first line of a docstring is the summary, the rest the description."""
        details: dict[str, Any] = super().operation_details(operation)
        summary, _, more = details.pop("description", "").partition("\n")
        details["summary"] = summary.strip().rstrip(".") or details["summary"]
        if more.strip():
            details["description"] = " ".join(more.split())
        return details

    def operation_parameters(self, operation: Operation) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = super().operation_parameters(operation)
        return found if operation.methods == ["GET"] else [*found, KEY]

    def operation_security(self, operation: Operation) -> list[dict[str, Any]]:
        door: Any = operation.auth_callbacks[0]
        self.securitySchemes.update(SECURITY)
        doors: list[dict[str, Any]] = [{"token": [door.scope.value]}, {"session": []}]
        return [*doors, {}] if door.to_all else doors

    def add_schema_definitions(self, definitions: dict[str, Any]) -> None:
        """By name: of two that share one, the second would stand in the place of the first."""
        for name, told in definitions.items():
            if self.schemas.get(name, told) != told:
                raise ValueError(f"Two schemas are called {name}.")
        super().add_schema_definitions(definitions)

    def responses(self, operation: Operation) -> dict[Any, Any]:
        found: dict[Any, Any] = super().responses(operation)
        if self.error.__name__ not in self.schemas:
            schema = self.error.model_json_schema(ref_template=REF_TEMPLATE)
            self.add_schema_definitions({**schema.pop("$defs"), self.error.__name__: schema})
        content = {"application/json": {"schema": {"$ref": REF_TEMPLATE.format(model=self.error.__name__)}}}
        for status, meaning in ERRORS.items():
            if status != 409 or operation.methods != ["GET"]:
                found[status] = {"description": meaning, "content": content}
        return found
