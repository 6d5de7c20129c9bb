"""The page of one topic, all of them as a file, and in which language somebody reads topics."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from config.forms import attempt
from pooling import access, exports, forms
from pooling.core.topics import TEXTS, WRITTEN
from pooling.models import Collection, Role
from pooling.services import members, topics
from pooling.views.collections import page


@require_safe
def topics_file(request: HttpRequest, slug: str, ending: str) -> HttpResponse:
    """All topics as a file, for everybody who may see the collection."""
    collection = access.collection_for(request.user, slug)
    if ending not in WRITTEN:
        raise Http404
    return topics_download(collection, ending)


def topics_download(collection: Collection, form: str) -> HttpResponse:
    answer = HttpResponse(exports.topics_file(collection, form), content_type=f"{WRITTEN[form]}; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="{collection.slug}-topics.{form}"'
    return answer


@require_http_methods(["GET", "POST"])
def topic(request: HttpRequest, slug: str, number: str) -> HttpResponse:
    """A topic in all its languages, with what it was before; organizers change it here, after the first judgment as a version."""
    may = (Role.ORGANIZER,) if request.method == "POST" else ()
    collection = access.collection_for(request.user, slug, *may)
    found = access.topic_for(request.user, collection, number)
    of = request.POST.get("of", request.GET.get("of", ""))
    texts = found.translations.get(of, {name: getattr(found, name) for name in TEXTS})
    form = forms.TopicForm(request.POST or None, initial={**texts, "language": of or found.language, "of": of})
    if request.method == "POST" and form.is_valid():
        by, data = access.require_sign_in(request.user), form.cleaned_data
        given = {"language": data["language"], "of": data["of"], "texts": {name: data[name] for name in TEXTS}}
        if attempt(form, lambda: topics.edit_topic(found, by=by, **given)):
            messages.success(request, "Saved.")
            return redirect(found)
    earlier = found.earlier.select_related("changed_by")
    context = {"topic": found, "form": form, "of": of, "earlier": earlier}
    return page(request, "pooling/topic.html", collection, status=422 if form.errors else 200, **context)


@require_POST
def language(request: HttpRequest, slug: str) -> HttpResponse:
    """In which language a member reads topics from now on, while judging too."""
    collection = access.collection_for(request.user, slug, *Role)
    wanted = request.POST.get("language", "")
    members.set_topic_language(collection, user=access.require_sign_in(request.user), language=wanted)
    return redirect("topics", slug)
