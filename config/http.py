"""What every answer has in common: headers, errors as pages or JSON, downloads."""

import gzip
import io
import logging
import math
import re
import secrets
import sys
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.db import InterfaceError, OperationalError
from django.http import FileResponse, HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.utils.http import urlencode

from config import logs, metrics
from config.errors import Forbidden, Missing, NotSignedIn, Refusal, TooMany
from config.uploads import UploadTooLarge

log = logging.getLogger(__name__)
requests = logging.getLogger("assize.requests")
GetResponse = Callable[[HttpRequest], HttpResponse]

CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self';"
    " manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": CSP,
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cross-Origin-Resource-Policy": "same-origin",
}

# status: title, what happened, what to do
WORDS = {
    400: ("That request could not be read", "Something in it was malformed.", "Go back, reload the page and try again."),
    403: (
        "Not for this account",
        "Your role here does not allow that.",
        "If it is your task, ask an organizer of the collection for the role that it takes.",
    ),
    404: (
        "Nothing here",
        "There is no such page, or it is not open to you.",
        "Check the address. If somebody sent you here, ask them for an invitation, or sign in with another account.",
    ),
    405: ("Not that way", "This address does not take that kind of request.", "Go back and use the page's own buttons."),
    410: ("No longer given out", "This was withdrawn.", "Look whether there is a newer one."),
    409: ("Not possible as things stand", "Something stands in the way of that.", "Go back and look at how things stand now."),
    413: ("Too large", "What was sent is larger than this page takes.", "Send less at once, or a compressed file."),
    422: ("Not accepted", "Something in what was sent is not as it should be.", "Go back, correct it and send it again."),
    429: ("Too many attempts", "This was tried too often in a short time.", "Wait a few minutes, then try again."),
    500: (
        "Something broke on our side",
        "Nothing that was shown as saved is lost.",
        "Try again. If it happens again, tell an administrator, and quote the reference below.",
    ),
    503: (
        "Not available for a moment",
        "The database is busy or out of reach.",
        "Nothing that was shown as saved is lost. Wait some seconds and reload the page.",
    ),
}


def wants_json(request: HttpRequest) -> bool:
    """The API, and a page's own script that asks for nothing but JSON."""
    return request.path.startswith("/api/") or request.headers.get("Accept") == "application/json"


def error(
    request: HttpRequest,
    status: int,
    message: str = "",
    *,
    code: str = "",
    words: tuple[str, str] | None = None,
    links: Sequence[tuple[str, str]] = (),
    **more: object,
) -> HttpResponse:
    """One error for all doors: JSON below /api/, else a page that says what happened and what to do."""
    title, happened, remedy = WORDS.get(status, WORDS[400])
    title, remedy = words or (title, remedy)
    reference = str(more.pop("reference", ""))
    if wants_json(request):
        body = {"code": code or title.lower().replace(" ", "_"), "message": message or happened, "details": more}
        if reference:
            body["details"] = {**more, "reference": reference}
        return JsonResponse({"error": body}, status=status)
    context: dict[str, object] = {"status": status, "title": title, "message": message or happened}
    context |= {"remedy": remedy, "reference": reference}
    if links:
        context["links"] = [*links, ("/", "To the start page")]
    elif before := _page_before(request):
        context["links"] = [(before, "Back to the page before"), ("/", "To the start page")]
    # Without the request: no session and no user is looked up, so the page comes even when the database does not.
    return HttpResponse(render_to_string("error.html", context), status=status)


def _page_before(request: HttpRequest) -> str:
    """The page of this site where a link or a button led here, if the browser tells."""
    host = re.escape(request.headers.get("Host", ""))
    came = re.match(rf"https?://{host}(/(?!/)[^\s#]*)", request.headers.get("Referer", ""))
    here = request.method in ("GET", "HEAD") and came and came[1] == request.get_full_path()
    return came[1] if came and not here else ""


def refuse(request: HttpRequest, refusal: Refusal) -> HttpResponse:
    if isinstance(refusal, NotSignedIn) and not wants_json(request):
        return redirect(f"{reverse('sign_in')}?{urlencode({'next': request.get_full_path()})}")
    words = ("Too many attempts", "") if isinstance(refusal, TooMany) else None  # the message says how long to wait
    if isinstance(refusal, Missing):
        words = ("Nothing here", "It may have another name or number: look at the list.")
    if remedy := refusal.details.get("remedy"):  # better than what is usual
        words = (words or WORDS[refusal.status])[0], str(remedy)
    links = refusal.links if isinstance(refusal, Missing | Forbidden) else ()
    response = error(request, refusal.status, refusal.message, code=refusal.code, words=words, links=links, **refusal.details)
    if isinstance(refusal, TooMany):
        response["Retry-After"] = str(refusal.retry_after)
    if refusal.status == 401:
        response["WWW-Authenticate"] = "Bearer"
    return response


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if isinstance(exception, RequestDataTooBig):
        words = str(exception) if isinstance(exception, UploadTooLarge) else ""
        return error(request, 413, words, code="too_large")
    return error(request, 400, code="bad_request")


def permission_denied(request: HttpRequest, exception: Exception | None = None, reason: str = "") -> HttpResponse:
    return error(request, 403, code="forbidden")


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    message = "You signed in or out meanwhile, or your browser sends no cookies. Nothing was changed."
    remedy = "Go back: your browser still has what you typed. Copy it, reload the page, and send it again."
    return error(request, 403, message, code="csrf", words=("This page was too old", remedy))


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return error(request, 404, code="not_found")


def server_error(request: HttpRequest) -> HttpResponse:
    if isinstance(sys.exc_info()[1], OperationalError | InterfaceError):  # from a middleware: no view was asked yet
        return unavailable(request)
    reference = logs.request_id.get() or uuid.uuid4().hex[:12]
    log.error("answered 500 to %s %s, reference %s", request.method, request.path, reference)
    return error(request, 500, code="server_error", reference=reference)


def unavailable(request: HttpRequest) -> HttpResponse:
    response = error(request, 503, code="unavailable")
    response["Retry-After"] = "5"
    return response


class RequestIds:
    """Each request has an id, in its answer and in every line that is logged meanwhile; and each is counted.

    A proxy of our own may have given it one already.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        given = request.headers.get("X-Request-ID", "") if settings.TRUSTED_PROXIES else ""
        found = given if re.fullmatch(r"[\w-]{8,64}", given, re.ASCII) else uuid.uuid4().hex[:12]
        set_by, began = logs.request_id.set(found), time.perf_counter()
        try:
            response = self.get_response(request)
            took = time.perf_counter() - began
            response["X-Request-ID"] = found
            metrics.answers.count(_kind(request), response.status_code, took)
            if settings.LOG_REQUESTS:
                facts = {
                    "method": request.method,
                    "path": request.path,
                    "status": response.status_code,
                    "ms": round(took * 1000),
                }
                requests.info("%(method)s %(path)s %(status)s, %(ms)s ms", facts, extra={"facts": facts})
            return response
        finally:
            logs.request_id.reset(set_by)


def _kind(request: HttpRequest) -> str:
    """As few as tell something: judging has its own, since that is what must never be slow."""
    if "/judge/" in request.path or request.path.endswith("/judgments"):
        return "judging"
    if request.path in {"/healthz", "/readyz", "/metrics"}:
        return "probe"
    return next((name for name in ("api", "static") if request.path.startswith(f"/{name}/")), "page")


LONG = 200_000  # bytes of an answer from which on time counts for more than size


SMALL_BODY = 1 << 16  # bytes; no act of judging comes near


class Bodies:
    """Of a process's threads at most half take in large bodies at once.

    Whoever sends slowly keeps a thread waiting for the next byte. Others are told to send theirs again in a moment, and
    judging goes on. A proxy that takes bodies in first, as nginx does unless told otherwise, leaves this nothing to do.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response
        self.free = threading.BoundedSemaphore(max(1, settings.WEB_THREADS // 2))

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not _has_large_body(request):
            return self.get_response(request)
        if not self.free.acquire(blocking=False):
            words = ("Too many files at once", "Nothing of yours was stored. Wait a moment, and send it again.")
            response = error(request, 503, "More files are coming in than can be taken now.", code="busy", words=words)
            response["Retry-After"] = "5"
            return response
        try:
            return self.get_response(request)
        finally:
            self.free.release()


def _has_large_body(request: HttpRequest) -> bool:
    """By what it says of itself; a body of unknown length may be large."""
    length = request.META.get("CONTENT_LENGTH") or ""
    return int(length) > SMALL_BODY if length.isdecimal() else "HTTP_TRANSFER_ENCODING" in request.META


class Gzip(GZipMiddleware):
    """As Django's, but a long page, one with a document of a megabyte, is compressed in a sixth of the time."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if not isinstance(response, HttpResponse) or len(response.content) < LONG or response.has_header("Content-Encoding"):
            return super().process_response(request, response)
        patch_vary_headers(response, ("Accept-Encoding",))
        if "gzip" in request.META.get("HTTP_ACCEPT_ENCODING", ""):
            packed = io.BytesIO()
            name = secrets.token_hex(1 + secrets.randbelow(50))  # a length that tells nothing, as Django's
            with gzip.GzipFile(name, "wb", 1, packed, 0) as file:
                file.write(response.content)
            response.content = packed.getvalue()
            response.headers["Content-Length"] = str(len(response.content))
            response.headers["Content-Encoding"] = "gzip"
            if response.get("ETag", "").startswith('"'):
                response.headers["ETag"] = f"W/{response['ETag']}"
        return response


class SecurityHeaders:
    """Headers on every answer; a view may set its own first (documents have a stricter policy)."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        for name, value in HEADERS.items():
            response.setdefault(name, value)
        # Hashed static files bring their own long lifetime; pages are somebody's own and always asked for anew.
        response.setdefault("Cache-Control", "private, no-cache")
        return response


class PlainErrors:
    """Turns our own refusals, and a database that does not answer, into their pages."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if response.status_code == 405 and not wants_json(request):
            allowed = response["Allow"]
            response = error(request, 405)
            response["Allow"] = allowed
        return response

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if isinstance(exception, Refusal):
            return refuse(request, exception)
        if isinstance(exception, OperationalError | InterfaceError):
            log.exception("the database did not answer %s %s", request.method, request.path)
            return unavailable(request)
        return None


ANY = "application/octet-stream"  # of what somebody sent: it is given back as bytes, whatever its name says
ZIP = "application/zip"


def download(path: Path, name: str, kind: str) -> FileResponse:
    """`kind` is its type, which is never told from a name: that may be a stranger's, and differ from machine to machine."""
    return FileResponse(path.open("rb"), as_attachment=True, filename=name, content_type=kind)


def tell_ended(request: HttpRequest, answer: HttpResponse, section: str, *, live: bool) -> HttpResponse:
    """A section that was polled until its job ended tells so, and what else of the page hangs on the job asks for itself:
    hx-trigger="ended from:body"."""
    if not live and request.headers.get("HX-Target") == section:
        answer["HX-Trigger"] = "ended"
    return answer


def peer(request: HttpRequest, proxies: int) -> str:
    """The address of who asks: the one our own proxies saw, never what the client claims beyond them."""
    forwarded = [part.strip() for part in request.headers.get("X-Forwarded-For", "").split(",") if part.strip()]
    if proxies and forwarded:
        return forwarded[max(0, len(forwarded) - proxies)]
    return str(request.META.get("REMOTE_ADDR", ""))


def minutes(seconds: float) -> str:
    count = max(1, math.ceil(seconds / 60))
    return f"{count} minute{'s' if count > 1 else ''}"
