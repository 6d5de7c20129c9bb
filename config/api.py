"""The frame of the API at /api/v1/: who asks, with which scope; errors; idempotency keys; pages of lists."""

import functools
import hashlib
import json
from collections.abc import Callable
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import SuspiciousOperation
from django.core.exceptions import ValidationError as DjangoValidationError
from django.db import IntegrityError, InterfaceError, OperationalError, transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.middleware.csrf import CsrfViewMiddleware
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe
from ninja import Field, NinjaAPI, Schema
from ninja.errors import HttpError, ValidationError, ValidationErrorContext
from ninja.operation import Operation
from ninja.pagination import CursorPagination, paginate
from ninja.parser import Parser
from ninja.security.base import AuthBase
from pydantic_core import from_json

from config import accounts, expected, http, openapi
from config.errors import Conflict, Forbidden, NotSignedIn, Refusal
from config.models import ApiToken, RememberedAnswer, Scope, User

SAFE = {"GET", "HEAD", "OPTIONS"}
SHOWN_ONCE = {"secret", "one_time_link"}


class ApiRequest(HttpRequest):
    """What Gate makes of a request: the user is known, and the token if one was used."""

    user: User
    token: ApiToken | None


class Needs(AuthBase):
    """An operation's door: a session, or a token with this scope."""

    openapi_type = "http"
    openapi_scheme = "bearer"
    to_all = False

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        super().__init__()

    def __call__(self, request: HttpRequest) -> User | AnonymousUser:
        token: ApiToken | None = getattr(request, "token", None)
        if not isinstance(request.user, User):
            raise NotSignedIn("Send a token as “Authorization: Bearer …”, or sign in.")
        if token and self.scope not in token.scopes:
            raise Forbidden(f"This token lacks the scope “{self.scope}”; it has {', '.join(token.scopes)}.")
        return request.user


class OpenToAll(Needs):
    """The door of what anybody may read. A token that is sent all the same must have the scope."""

    to_all = True

    def __call__(self, request: HttpRequest) -> User | AnonymousUser:
        return super().__call__(request) if isinstance(request.user, User) else request.user


READ, JUDGE, SUBMIT, MANAGE = Needs(Scope.READ), Needs(Scope.JUDGE), Needs(Scope.SUBMIT), Needs(Scope.MANAGE)
PUBLIC = OpenToAll(Scope.READ)


class StrictJson(Parser):
    """Refuses what json.loads lets through and no database stores: lone surrogates, NaN, endless nesting."""

    def parse_body(self, request: HttpRequest) -> Any:
        return from_json(request.body, allow_inf_nan=False)


class Api(NinjaAPI):
    def get_openapi_schema(
        self, *, path_prefix: str | None = None, path_params: dict[str, Any] | None = None
    ) -> openapi.Document:
        prefix = self.get_root_path(path_params or {}) if path_prefix is None else path_prefix
        return _document(prefix)

    def validation_error_from_error_contexts(self, error_contexts: list[ValidationErrorContext[Any]]) -> ValidationError:
        """ninja's, in our words, which tell what came."""
        made = super().validation_error_from_error_contexts(error_contexts)
        found = (one for context in error_contexts for one in context.pydantic_validation_error.errors(include_url=False))
        for error, fault in zip(made.errors, found, strict=True):
            error["msg"] = expected.told(fault)
        return made

    def get_openapi_operation_id(self, operation: Operation) -> str:
        return operation.view_func.__name__


@functools.cache
def _document(prefix: str) -> openapi.Document:
    """Made once: it takes a second, and nothing in it changes while the site runs."""
    return openapi.Document(api, prefix, ErrorOut)


api = Api(
    title="Assize",
    version="1",
    description="Everything the pages do, as JSON. See docs/api.md for tokens, errors, idempotency keys and pages.",
    urls_namespace="api",
    docs_url=None,
    openapi_url="/openapi.json",
    docs_decorator=lambda view: csrf_exempt(require_safe(view)),  # it changes nothing, so a write is told 405, not 403
    auth=READ,
    parser=StrictJson(),
)


class ErrorBody(Schema):
    code: str = Field(description="For programs: invalid, not_signed_in, forbidden, not_found, conflict …")
    message: str = Field(description="For people: what was expected, what came, where.")
    details: dict[str, Any] = Field({}, description="Facts, such as the fields of a refused body.")


class ErrorOut(Schema):
    error: ErrorBody


class NewestFirst(CursorPagination):
    """Lists come in pages of 50 (?page_size= up to 200), newest first; `next` is the address of the next page."""

    class Input(Schema):
        page_size: int = Field(50, ge=1, le=200, description="Items on a page.")
        cursor: str | None = Field(None, description="Where the page begins: part of next and previous, never made by hand.")

    class Output(Schema):
        previous: str | None = Field(description="Address of the page before, newer items; null on the first page.")
        next: str | None = Field(description="Address of the next page, older items; null on the last page.")
        results: list[Any]

    def __init__(self) -> None:
        super().__init__(ordering=("-pk",), page_size=50, max_page_size=200)

    def paginate_queryset(self, queryset: Any, pagination: Any, request: HttpRequest, **params: Any) -> Any:
        try:
            int(self.Cursor.from_encoded_param(pagination.cursor).p or 0)
        except (ValueError, ValidationError):
            raise Refusal("This cursor was not given out here; begin again without one.") from None
        return super().paginate_queryset(queryset, pagination, request, **params)


newest_first = paginate(NewestFirst)


def token_of(request: HttpRequest) -> ApiToken | None:
    """The token that was sent, or None where none was; one that is not good is refused."""
    kind, _, secret = request.headers.get("Authorization", "").partition(" ")
    if not kind:
        return None
    token = accounts.find_token(secret.strip()) if kind.lower() == "bearer" else None
    if token is None:
        raise NotSignedIn("The token is unknown, revoked or expired.")
    return token


class Gate:
    """Middleware of /api/: finds the user, guards sessions against forged requests, and remembers answers."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        self.csrf = CsrfViewMiddleware(get_response)

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not request.path.startswith("/api/"):
            return self.get_response(request)
        response = self.answer(request)
        if response.status_code == 405:
            allowed = ", ".join(sorted(response.get("Allow", "").split(", ")))
            response = http.error(request, 405, f"Expected {allowed}; found {request.method}.", code="method_not_allowed")
            response["Allow"] = allowed
        return response

    def answer(self, request: HttpRequest) -> HttpResponse:
        try:
            self.identify(request)
            key = request.headers.get("Idempotency-Key", "")
            if key and request.method not in SAFE and isinstance(request.user, User):
                return self.once(request, request.user, key)
        except Refusal as refusal:
            return http.refuse(request, refusal)
        return self.get_response(request)

    def identify(self, request: HttpRequest) -> None:
        if token := token_of(request):
            request.user = token.user
        elif request.method not in SAFE and request.user.is_authenticated and self.is_forged(request):
            raise Forbidden("The CSRF token is missing or wrong; send X-CSRFToken, or use an API token.")
        request.token = token  # type: ignore[attr-defined]

    def is_forged(self, request: HttpRequest) -> bool:
        """ninja exempts its views from this check; a browser's session needs it all the same."""
        return self.csrf.process_view(request, lambda r: HttpResponse(), (), {}) is not None

    def once(self, request: HttpRequest, user: User, key: str) -> HttpResponse:
        """Answer as before if this key was seen; else act, and keep the answer in the same transaction as the act."""
        if len(key) > 200:
            raise Refusal("An Idempotency-Key has at most 200 characters.")
        mark = f"{request.method} {request.get_full_path()} ".encode()
        if (request.content_type or "").startswith("multipart/"):
            _ = request.FILES  # all of it comes in now: a transaction that waited for a slow line would stop everybody's
        else:
            mark += request.body
        print_ = hashlib.sha256(mark).hexdigest()
        if (old := RememberedAnswer.objects.filter(user=user, key=key).first()) is not None:
            return self.again(old, print_)
        try:
            with transaction.atomic():
                answer = RememberedAnswer.objects.create(user=user, key=key, request=print_)
                response = self.get_response(request)
                if response.status_code >= 400:
                    transaction.set_rollback(True)
                    return response
                answer.status, answer.body = response.status_code, _without_secret(response)
                answer.save(update_fields=["status", "body"])
                return response
        except IntegrityError:  # the same key came twice at once, and the other was first
            return self.again(RememberedAnswer.objects.get(user=user, key=key), print_)

    def again(self, old: RememberedAnswer, print_: str) -> HttpResponse:
        if old.request != print_:
            raise Conflict("This Idempotency-Key was used for another request.")
        response = HttpResponse(old.body, status=old.status, content_type="application/json; charset=utf-8")
        response["Idempotency-Replayed"] = "true"
        return response


def _without_secret(response: HttpResponse) -> str:
    """The answer as it is kept: what is shown once (a token's secret, a one-time link) is not written down."""
    text = response.content.decode()
    found = json.loads(text) if text and response.get("Content-Type", "").startswith("application/json") else None
    if not isinstance(found, dict) or not SHOWN_ONCE & found.keys():
        return text
    return json.dumps(found | dict.fromkeys(SHOWN_ONCE & found.keys()))


def fields(error: DjangoValidationError) -> dict[str, list[str]]:
    if hasattr(error, "error_dict"):
        return {name: [str(m) for m in messages] for name, messages in error.message_dict.items()}
    return {"": [str(message) for message in error.messages]}


@api.exception_handler(Refusal)
def on_refusal(request: HttpRequest, error: Refusal) -> HttpResponse:
    return http.refuse(request, error)


@api.exception_handler(Http404)
def on_missing(request: HttpRequest, error: Http404) -> HttpResponse:
    return http.not_found(request, error)


@api.exception_handler(DjangoValidationError)
def on_invalid(request: HttpRequest, error: DjangoValidationError) -> HttpResponse:
    found = fields(error)
    told = " ".join(
        f"{name}: {text}" if name and name != "__all__" else text for name, texts in found.items() for text in texts
    )
    listed = [{"where": name.replace("__all__", ""), "message": text} for name, texts in found.items() for text in texts]
    return http.error(request, 422, told, code="invalid", fields=listed)


@api.exception_handler(ValidationError)
def on_unreadable(request: HttpRequest, error: ValidationError) -> HttpResponse:
    found = [{"where": _place(e["loc"]), "message": e["msg"]} for e in error.errors]
    told = " ".join(f"{e['where']}: {e['message']}" for e in found)
    return http.error(request, 422, told, code="invalid", fields=found)


def _place(location: tuple[str | int, ...]) -> str:
    """Where a fault is, as the sender sees it: `body` and `filters` are names of our own parameters, not of theirs."""
    ours = location[:2] in {("body", "body"), ("query", "filters")}
    return ".".join(map(str, location[2 if ours else 1 :])) or str(location[0])


@api.exception_handler(HttpError)
def on_http_error(request: HttpRequest, error: HttpError) -> HttpResponse:
    why = f": {error.__cause__}" if isinstance(error.__cause__, ValueError) else ""
    return http.error(request, error.status_code, error.message + why, code="bad_request")


@api.exception_handler(SuspiciousOperation)
def on_suspicious(request: HttpRequest, error: SuspiciousOperation) -> HttpResponse:
    return http.bad_request(request, error)


@api.exception_handler(IntegrityError)
def on_clash(request: HttpRequest, error: IntegrityError) -> HttpResponse:
    http.log.warning("%s %s clashed: %s", request.method, request.path, error)
    return http.refuse(request, Conflict("Somebody else changed the same thing at this moment. Read it again, then repeat."))


@api.exception_handler(OperationalError)
@api.exception_handler(InterfaceError)
def on_database(request: HttpRequest, error: Exception) -> HttpResponse:
    return http.unavailable(request)


@api.exception_handler(Exception)
def on_bug(request: HttpRequest, error: Exception) -> HttpResponse:
    http.log.exception("the API failed at %s %s", request.method, request.path)
    return http.server_error(request)
