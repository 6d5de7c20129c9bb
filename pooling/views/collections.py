"""Pages of a collection: make, settings, scale, guidelines, archive, export."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from config.forms import attempt
from pooling import access, forms, markdown, selectors
from pooling.models import Collection, Role
from pooling.services import collections
from pooling.tabs import tabs


@require_http_methods(["GET", "POST"])
def create(request: HttpRequest) -> HttpResponse:
    user = access.require_sign_in(request.user)
    form = forms.CreateForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        made = attempt(form, lambda: collections.create_collection(by=user, **form.cleaned_data))
        if made:
            messages.success(request, f"“{made.name}” is made. Next: guidelines and members.")
            return redirect(made)
    return render(request, "pooling/create.html", {"form": form}, status=422 if form.errors else 200)


def page(request: HttpRequest, template: str, collection: Collection, status: int = 200, **context: object) -> HttpResponse:
    """A page inside a collection, with its head and tabs; `here` names the page it belongs to, where the address does not."""
    held = access.roles_in(request.user, collection)
    name = request.resolver_match.url_name if request.resolver_match else None
    parts, pages = tabs(collection, held, str(context.get("here") or name))
    frame = {"collection": collection, "held": held, "is_organizer": Role.ORGANIZER in held, "parts": parts, "pages": pages}
    return render(request, template, {**frame, **context}, status=status)


@require_http_methods(["GET", "POST"])
def edit(request: HttpRequest, slug: str) -> HttpResponse:
    collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    before = Collection.objects.get(pk=collection.pk)  # the form writes into its instance; the page head shows what is stored
    form = forms.EditForm(request.POST or None, instance=before, initial={"measures": " ".join(collection.measures)})
    if request.method == "POST" and form.is_valid():
        if attempt(form, lambda: collections.edit_collection(collection, **form.cleaned_data)):
            messages.success(request, "Saved.")
            return redirect("edit_collection", slug)
    return page(request, "pooling/edit.html", collection, form=form, status=422 if form.errors else 200)


@require_http_methods(["GET", "POST"])
def scale(request: HttpRequest, slug: str) -> HttpResponse:
    """The scale: members read it, organizers change it until judging begins."""
    if request.method != "POST":
        collection = access.collection_for(request.user, slug)
        editable = Role.ORGANIZER in access.roles_in(request.user, collection) and not (
            collection.judging_started_at or collection.is_archived
        )
        if not editable:
            return page(request, "pooling/scale.html", collection, grades=selectors.grades(collection))
    collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    rows = [{k: v for k, v in vars(g).items() if k in forms.GradeForm.Meta.fields} for g in collection.grades.all()]
    if request.method == "POST":  # as many as the page had: somebody else may have added one since
        rows = rows[: _small(request.POST.get("grade-INITIAL_FORMS", ""))]
    grades = forms.Scale(request.POST or None, initial=rows, prefix="grade")
    mark = collections.scale_mark(collection)
    given = {"lenient_from": collection.lenient_from, "strict_from": collection.strict_from, "seen": mark}
    form = forms.ThresholdForm(request.POST or None, initial=given)
    if request.method == "POST" and form.is_valid() and grades.is_valid():
        specs = forms.specs(grades)
        if attempt(form, lambda: collections.set_scale(collection, grades=specs, **form.cleaned_data)):
            messages.success(request, f"Saved: {len(specs)} grades.")
            return redirect("scale", slug)
    bad = request.method == "POST"
    if bad and form.data.get("seen") != mark:  # said once, beside what they typed; saving again is a decision
        form.data = _replaced(request, "seen", mark)
    return page(request, "pooling/scale_edit.html", collection, form=form, grades=grades, status=422 if bad else 200)


def _replaced(request: HttpRequest, name: str, value: str) -> QueryDict:
    """What was sent, with one hidden field brought up to date."""
    data = request.POST.copy()
    data[name] = value
    return data


def _small(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 4 else 0


@require_safe
def guidelines(request: HttpRequest, slug: str) -> HttpResponse:
    collection = access.collection_for(request.user, slug)
    versions = list(collection.guidelines.select_related("written_by"))
    return _guideline(request, collection, versions[0].version if versions else 0)


@require_safe
def guideline_version(request: HttpRequest, slug: str, version: int) -> HttpResponse:
    return _guideline(request, access.collection_for(request.user, slug), version)


def _guideline(request: HttpRequest, collection: Collection, version: int) -> HttpResponse:
    shown = get_object_or_404(collection.guidelines, version=version) if version else None
    versions = collection.guidelines.select_related("written_by").defer("text")
    html = markdown.render(shown.text) if shown else ""
    return page(request, "pooling/guidelines.html", collection, shown=shown, versions=versions, html=html)


@require_http_methods(["GET", "POST"])
def write_guideline(request: HttpRequest, slug: str) -> HttpResponse:
    collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    user = access.require_sign_in(request.user)
    latest, other = collection.guidelines.select_related("written_by").first(), None
    collections.require_not_archived(collection)
    initial = {"text": latest.text if latest else "", "base_version": latest.version if latest else 0}
    form = forms.GuidelineForm(request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        made = attempt(form, lambda: collections.write_guideline(collection, by=user, **form.cleaned_data))
        if made:
            messages.success(request, f"Saved as version {made.version}.")
            return redirect("guidelines", slug)
        if latest and form.cleaned_data["base_version"] != latest.version:
            # The other version is shown beside theirs; saving once more is a decision, and makes the next version.
            form.data = _replaced(request, "base_version", str(latest.version))
            other = latest
    context = {"form": form, "other": other, "other_html": markdown.render(other.text) if other else ""}
    return page(request, "pooling/guideline_edit.html", collection, status=422 if form.errors else 200, **context)


@require_POST
def archive(request: HttpRequest, slug: str) -> HttpResponse:
    collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    collections.archive_collection(collection)
    messages.success(request, f"“{collection.name}” is archived: it can be read, and nothing in it changes.")
    return redirect(collection)


@require_POST
def restore(request: HttpRequest, slug: str) -> HttpResponse:
    collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    collections.restore_collection(collection)
    messages.success(request, f"“{collection.name}” is open again.")
    return redirect(collection)


@require_POST
def export(request: HttpRequest, slug: str) -> HttpResponse:
    collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    job = collections.request_export(collection, by=access.require_sign_in(request.user))
    return redirect("job", job.pk)
