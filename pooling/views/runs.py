"""Pages of runs: for organizers all of them, for participants their own. Assessors see none: they are blind."""

from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from config import http
from config.forms import attempt
from pooling import access, forms, selectors
from pooling.models import Collection, Role, Run, Upload, UploadKind, UploadState
from pooling.services import uploads
from pooling.views.collections import page
from pooling.views.uploads import receive, sent

MAY = (Role.ORGANIZER, Role.PARTICIPANT)


@never_cache
@require_http_methods(["GET", "POST"])
def run_list(request: HttpRequest, slug: str) -> HttpResponse:
    collection = access.collection_for(request.user, slug, *MAY)
    if request.method == "POST":
        uploads.require_open(collection, UploadKind.RUN)
    form = forms.RunsForm(*sent(request))
    if request.method == "POST" and form.is_valid():
        made = attempt(form, lambda: _receive(request, collection, form))
        if made:
            return redirect(made[0]) if len(made) == 1 else redirect("runs", slug)
    open_ones = access.uploads_visible_to(request.user, collection).exclude(state=UploadState.ACCEPTED)  # those are runs now
    context = {
        "form": form,
        "runs": access.runs_visible_to(request.user, collection).select_related("upload", "submitted_by"),
        "uploads": selectors.latest_uploads(open_ones, UploadKind.RUN, 20),
        "has_topics": collection.topics.exists(),
    }
    return page(request, "pooling/runs.html", collection, status=422 if request.method == "POST" else 200, **context)


def _receive(request: HttpRequest, collection: Collection, form: forms.RunsForm) -> list[Upload]:
    return [receive(request, collection, UploadKind.RUN, file, form.options()) for file in form.cleaned_data["file"]]


def _run(request: HttpRequest, slug: str, tag: str) -> Run:
    collection = access.collection_for(request.user, slug, *MAY)
    found = access.runs_visible_to(request.user, collection).select_related("collection", "upload", "submitted_by")
    return get_object_or_404(found, tag=tag.replace("\0", ""))


@require_safe
def run(request: HttpRequest, slug: str, tag: str) -> HttpResponse:
    found = _run(request, slug, tag)
    findings = found.upload.report.get("findings", [])
    return page(request, "pooling/run.html", found.collection, run=found, upload=found.upload, findings=findings)


@require_safe
def run_file(request: HttpRequest, slug: str, tag: str) -> FileResponse:
    """The file as it came, byte for byte."""
    upload = _run(request, slug, tag).upload
    path = upload.file_path
    if path is None or not path.exists():
        raise Http404
    return http.download(path, upload.name)
