"""Pages of runs: for organizers all of them, for participants their own. Assessors see none: they are blind."""

from django.contrib import messages
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from config import http
from config.forms import attempt
from pooling import access, forms, selectors
from pooling.core.metadata import told_figures
from pooling.models import Collection, Role, Run, Upload, UploadKind, UploadState
from pooling.services import baselines, runs, uploads
from pooling.services.runs import FIGURE_PREFIX
from pooling.views.collections import page
from pooling.views.uploads import sent

MAY = (Role.ORGANIZER, Role.PARTICIPANT)


@never_cache
@require_http_methods(["GET", "POST"])
def run_list(request: HttpRequest, slug: str) -> HttpResponse:
    collection = access.collection_for(request.user, slug, *MAY)
    if request.method == "POST":
        uploads.require_open(collection, UploadKind.RUN, access.require_sign_in(request.user))
    initial = {"group": selectors.last_group(collection, request.user), "replace": "replace" in request.GET}
    form = forms.RunsForm(*sent(request), initial=initial)
    figures = forms.FiguresForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid() and figures.is_valid():
        made = attempt(form, lambda: _receive(request, collection, form, figures))
        if made:
            return redirect(made[0]) if len(made) == 1 else redirect("runs", slug)
    open_ones = access.uploads_visible_to(request.user, collection).exclude(state=UploadState.ACCEPTED)  # those are runs now
    received, baselines = selectors.latest_uploads(open_ones, UploadKind.RUN, 20), selectors.baseline_jobs(collection)
    checking = sum(upload.is_live for upload in received)
    context = {
        "form": form,
        "figures": figures,
        "checking": checking,
        "live": checking or any(job.is_live for job in baselines),
        "runs": access.runs_visible_to(request.user, collection).select_related("upload", "submitted_by"),
        "uploads": received,
        "has_topics": collection.topics.exists(),
        "closed": runs.window(collection),
        "baselines": baselines,
        "withdrawn": access.withdrawn_visible_to(request.user, collection).select_related(
            "upload", "submitted_by", "withdrawn_by"
        ),
    }
    return page(request, "pooling/runs.html", collection, status=422 if request.method == "POST" else 200, **context)


@require_http_methods(["GET", "POST"])
def make_baseline(request: HttpRequest, slug: str) -> HttpResponse:
    """A run of our own over the collection's documents, made by a job."""
    collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    form = forms.BaselineForm(request.POST or None, initial={"depth": min(1000, collection.max_per_topic)})
    if request.method == "POST" and form.is_valid():
        by = access.require_sign_in(request.user)
        if attempt(form, lambda: baselines.request_baseline(collection, by=by, model=form.made())):
            return redirect("runs", slug)
    context = {"form": form, "has_documents": selectors.documents(collection).exists()}
    status = 422 if request.method == "POST" else 200
    return page(request, "pooling/baseline.html", collection, status=status, **context)


def _receive(request: HttpRequest, collection: Collection, form: forms.RunsForm, figures: forms.FiguresForm) -> list[Upload]:
    files = [(file.name or "", file.chunks()) for file in form.cleaned_data["file"]]
    options, by = {**form.options(), **figures.options()}, access.require_sign_in(request.user)
    return uploads.receive_runs(collection, by=by, files=files, options=options)


@require_http_methods(["GET", "POST"])
def rules(request: HttpRequest, slug: str) -> HttpResponse:
    """What a run may be, and when it may come."""
    collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    before = Collection.objects.get(pk=collection.pk)  # the form writes into its instance
    form = forms.RulesForm(request.POST or None, instance=before)
    if request.method == "POST" and form.is_valid():
        if attempt(form, lambda: runs.set_rules(collection, **form.cleaned_data)):
            messages.success(request, "Saved.")
            return redirect("rules", slug)
    return page(request, "pooling/rules.html", collection, form=form, status=422 if form.errors else 200)


@require_http_methods(["GET", "POST"])
def edit(request: HttpRequest, slug: str, tag: str) -> HttpResponse:
    """What is told of a run, by whoever submitted it or an organizer."""
    found = _run(request, slug, tag)
    before = Run.objects.get(pk=found.pk)
    form = forms.RunForm(request.POST or None, instance=before)
    told = {f"{FIGURE_PREFIX}{name}": value for name, value in found.efficiency.items()}
    figures = forms.FiguresForm(request.POST or None, initial=told)
    if request.method == "POST" and form.is_valid() and figures.is_valid():
        given = {**form.cleaned_data, "efficiency": figures.figures()}
        if attempt(form, lambda: runs.edit_run(found, **given)):
            messages.success(request, "Saved.")
            return redirect(found)
    status = 422 if form.errors or figures.errors else 200
    return page(request, "pooling/run_edit.html", found.collection, run=found, form=form, figures=figures, status=status)


def _run(request: HttpRequest, slug: str, tag: str) -> Run:
    return access.run_for(request.user, access.collection_for(request.user, slug, *MAY), tag)


@require_safe
def run(request: HttpRequest, slug: str, tag: str) -> HttpResponse:
    found = _run(request, slug, tag)
    context = {
        "run": found,
        "upload": found.upload,
        "findings": found.upload.report.get("findings", []),
        "figures": told_figures(found.efficiency),
        "earlier": found.earlier.select_related("upload", "submitted_by"),
        "why_kept": runs.why_kept(found, access.require_sign_in(request.user)),
    }
    return page(request, "pooling/run.html", found.collection, **context)


@require_safe
def run_file(request: HttpRequest, slug: str, tag: str) -> FileResponse:
    """The file as it came, byte for byte; `?version=` asks for an earlier one."""
    found = _run(request, slug, tag)
    upload, version = found.upload, request.GET.get("version", "")
    if version and version != str(found.version):
        upload = get_object_or_404(found.earlier, version=int(version) if version.isdecimal() else 0).upload
    return sent_file(upload)


def sent_file(upload: Upload) -> FileResponse:
    """The API gives out files, too."""
    path = upload.file_path
    if path is None or not path.exists():
        raise Http404
    return http.download(path, upload.name, http.ANY)


@require_POST
def withdraw(request: HttpRequest, slug: str, tag: str) -> HttpResponse:
    """By whoever submitted it or an organizer, as long as nothing rests on it."""
    found = _run(request, slug, tag)
    runs.withdraw_run(found, by=access.require_sign_in(request.user))
    messages.success(request, f"Run {found.tag} was withdrawn.")
    return redirect("runs", slug)


@require_safe
def withdrawn_file(request: HttpRequest, slug: str, pk: int) -> FileResponse:
    collection = access.collection_for(request.user, slug, *MAY)
    return sent_file(get_object_or_404(access.withdrawn_visible_to(request.user, collection), pk=pk).upload)
