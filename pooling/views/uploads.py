"""Pages of topics and documents, and the report of any upload."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from config.errors import Refusal
from config.forms import attempt
from pooling import access, forms, selectors
from pooling.models import Collection, Role, Upload, UploadKind
from pooling.services import uploads
from pooling.views.collections import page


def receive(
    request: HttpRequest,
    collection: Collection,
    kind: UploadKind,
    file: UploadedFile[Any],
    options: dict[str, str] | None = None,
) -> Upload:
    by, name = access.require_sign_in(request.user), file.name or ""
    return uploads.receive_file(collection, by=by, kind=kind, name=name, chunks=file.chunks(), options=options)


def sent(request: HttpRequest) -> tuple[Any, Any]:
    """What a form with files is bound to, if anything: a POST without any field is still one."""
    return (request.POST, request.FILES) if request.method == "POST" else (None, None)


@require_http_methods(["GET", "POST"])
def topics(request: HttpRequest, slug: str) -> HttpResponse:
    """The topics, for everybody who may see the collection; organizers replace them until judging begins."""
    may = (Role.ORGANIZER,) if request.method == "POST" else ()
    collection = access.collection_for(request.user, slug, *may)
    if request.method == "POST":
        uploads.require_open(collection, UploadKind.TOPICS, access.require_sign_in(request.user))
    form = forms.TopicsForm(*sent(request))
    if request.method == "POST" and form.is_valid():
        file, options = form.cleaned_data["file"], form.options()
        made = attempt(form, lambda: receive(request, collection, UploadKind.TOPICS, file, options))
        if made:
            return redirect(made)
    mine, found = access.uploads_visible_to(request.user, collection), selectors.topics(collection)
    language = selectors.chosen_language(request.user, collection)
    context = {
        "form": form,
        "page_obj": selectors.in_language(Paginator(found, 100).get_page(request.GET.get("page")), language),
        "languages": selectors.topic_languages(collection),
        "language": language,
        "uploads": selectors.latest_uploads(mine, UploadKind.TOPICS),
    }
    return page(request, "pooling/topics.html", collection, status=_status(request), **context)


@require_http_methods(["GET", "POST"])
def documents(request: HttpRequest, slug: str) -> HttpResponse:
    collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    if request.method == "POST":
        uploads.require_open(collection, UploadKind.DOCUMENTS, access.require_sign_in(request.user))
    form, corpus = forms.DocumentsForm(*sent(request)), selectors.corpus(collection)
    if not corpus.document_count:
        del form.fields["others"]
    if request.method == "POST" and form.is_valid():
        file, options = form.cleaned_data["file"], form.options()
        made = attempt(form, lambda: receive(request, collection, UploadKind.DOCUMENTS, file, options))
        if made:
            return redirect(made)
    context = {
        "form": form,
        "corpus": corpus,
        "first": selectors.documents(collection).order_by("pk").defer("text", "html")[:20],
        "has_pool": selectors.pools(collection).exists(),
        "uploads": selectors.latest_uploads(collection.uploads.all(), UploadKind.DOCUMENTS),
    }
    return page(request, "pooling/documents.html", collection, status=_status(request), **context)


def _status(request: HttpRequest) -> int:
    """A form that is shown again was refused."""
    return 422 if request.method == "POST" else 200


@never_cache
@require_safe
def upload(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """How far the check of a file is, then what was found in it, by line."""
    collection = access.collection_for(request.user, slug, Role.ORGANIZER, Role.PARTICIPANT)
    mine = access.uploads_visible_to(request.user, collection).select_related("uploaded_by", "run", "withdrawn_run")
    found = selectors.with_jobs([get_object_or_404(mine, pk=pk)])[0]
    findings = found.report.get("findings", [])
    here = "runs" if found.kind == UploadKind.RUN else str(found.kind)
    may_send = uploads.is_open(collection, str(found.kind), access.require_sign_in(request.user))
    taken = [one["value"] for one in findings if one["code"] == "TAG_TAKEN"]
    replaces = access.runs_visible_to(request.user, collection).filter(tag__in=taken).first() if may_send and taken else None
    faults = {one["code"] for one in findings if one["severity"] == "error"}
    retag = may_send and bool(faults) and faults <= {"TAG_FORMAT", "TAG_TAKEN"}
    told = {"upload": found, "findings": findings, "may_send": may_send, "replaces": replaces, "retag": retag}
    return page(request, "pooling/upload.html", collection, here=here, **told)


@require_POST
def dismiss(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    collection = access.collection_for(request.user, slug, Role.ORGANIZER, Role.PARTICIPANT)
    found = get_object_or_404(access.uploads_visible_to(request.user, collection), pk=pk)
    uploads.dismiss_upload(found)
    messages.success(request, f"The report of {found.name} is gone.")
    return redirect("runs" if found.kind == UploadKind.RUN else str(found.kind), slug)


@require_POST
def repair(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Check a refused run again, with the repairs that are ticked."""
    collection = access.collection_for(request.user, slug, Role.ORGANIZER, Role.PARTICIPANT)
    found = get_object_or_404(access.uploads_visible_to(request.user, collection), pk=pk)
    by, repairs = access.require_sign_in(request.user), request.POST.getlist("repair")
    if not repairs:
        raise Refusal("Tick what is to be repaired; found nothing ticked.")
    return redirect(uploads.repair_upload(found, by=by, repairs=repairs))
