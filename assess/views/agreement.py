"""Agreement: the whole report for organizers, with the documents behind each cell; one's own for assessors."""

from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from assess import adjudication, agreeing, agreement_files, pairs, selectors
from assess.core.bootstrap import THIN
from config.order import natural
from pooling import access, tables
from pooling.models import Collection, Role
from pooling.selectors import grades
from pooling.views.collections import page


@require_safe
def agreement(request: HttpRequest, slug: str) -> HttpResponse:
    collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    wait = bool(getattr(request, "htmx", False) or {"table", "whole"} & set(request.GET))
    report, overview = agreeing.shown(collection, wait=wait)
    context: dict[str, Any] = {"report": report, "overview": overview, "grades": grades(collection)}
    context |= {"thin": THIN, "few": agreeing.FEW, **_chosen(request, collection, report)}
    files = tables.asked(request, f"{collection.slug}-agreement", agreement_files.tables(report, overview))
    return files or page(request, "assess/agreement.html", collection, **context)


def _chosen(request: HttpRequest, collection: Collection, report: pairs.AgreementReport) -> dict[str, Any]:
    """The pair of ?first= and ?second= whose matrix is asked for, and whom one can ask for."""
    if report.pair_count <= 1:
        return {}
    people = sorted(selectors.graders(collection), key=lambda user: natural(user.name))
    of = {user.username: user for user in people}
    names = [request.GET.get(name, "").replace("\0", "") for name in ("first", "second")]
    first, second = (of.get(name) for name in names)
    told: dict[str, Any] = {"people": people, "asked": names, "same": bool(first) and first == second}
    if first and second and first != second:
        told["chosen"] = pairs.chosen(collection, first, second)
    return told


@require_safe
def download(request: HttpRequest, slug: str, form: str) -> HttpResponse:
    """The report as a file for other programs."""
    collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    if form not in agreement_files.FORMS:
        raise Http404
    text = agreement_files.written(agreeing.whole(collection), form)
    answer = HttpResponse(text, content_type=agreement_files.FORMS[form])
    answer["Content-Disposition"] = f'attachment; filename="{collection.slug}-agreement.{form}"'
    return answer


@require_safe
def documents(request: HttpRequest, slug: str) -> HttpResponse:
    """The documents behind a cell of a confusion matrix."""
    collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    scale = {str(grade.value): grade for grade in grades(collection)}
    first, second = scale.get(request.GET.get("a", "")), scale.get(request.GET.get("b", ""))
    if first is None or second is None:
        raise Http404
    one, other = (request.GET.get(name, "").replace("\0", "") for name in ("first", "second"))
    found = agreeing.cell(collection, one, other, first.value, second.value)
    context: dict[str, Any] = {"found": found, "first": first, "second": second, "names": (one, other)}
    context["asked"] = _cell_asked(request)
    return page(request, "assess/cell.html", collection, **context, here="agreement")


def _cell_asked(request: HttpRequest) -> str:
    """Which cell of which matrix, as an address has it: a document that was opened from one leads back to it."""
    return urlencode({name: request.GET[name] for name in ("a", "b", "first", "second") if name in request.GET})


@require_safe
def document(request: HttpRequest, slug: str) -> HttpResponse:
    """A pooled document of ?topic= and ?docno=, with who said what of it."""
    collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    topic, docno = (request.GET.get(name, "").replace("\0", "") for name in ("topic", "docno"))
    card = adjudication.dossier(collection, topic, docno)
    scale = {grade.value: grade for grade in grades(collection)}
    said = [(row, scale.get(row.grade) if row.grade is not None else None) for row in adjudication.said(card.item)]
    decided = scale.get(card.grade) if card.grade is not None else None
    context: dict[str, Any] = {"card": card, "said": said, "decided": decided, "cell": _cell_asked(request)}
    return page(request, "assess/document.html", collection, **context, here="agreement")


@require_safe
def own(request: HttpRequest, slug: str) -> HttpResponse:
    """An assessor's own agreement with the others, once a topic is judged to its end, if the organizers allow it."""
    collection = access.collection_for(request.user, slug, Role.ASSESSOR)
    user = access.require_sign_in(request.user)
    agreeing.require_own_shown(collection)
    return page(request, "assess/own_agreement.html", collection, rows=agreeing.own(collection, user), here="judge_list")
