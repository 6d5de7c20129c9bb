"""The page of the pool: what each depth would cost, drawing a round, and what was drawn."""

from django.core.paginator import Paginator
from django.db.models import Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from config.forms import attempt
from config.models import Job
from pooling import access, forms, selectors
from pooling.models import Collection, Role
from pooling.services import pools
from pooling.views.collections import page

LINES_AT_ONCE = 5_000_000  # sizes of larger sets of runs take seconds, so they are computed only when asked for


@never_cache
@require_http_methods(["GET", "POST"])
def pool(request: HttpRequest, slug: str) -> HttpResponse:
    collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    by, runs = access.require_sign_in(request.user), list(collection.runs.all())
    asked = request.POST if request.method == "POST" else None
    form = forms.PoolForm(asked, runs=runs)
    valid = form.is_valid()
    if valid and "sizes" not in request.POST:
        depth, chosen = form.cleaned_data["depth"], form.chosen()
        if attempt(form, lambda: pools.request_pool(collection, by=by, runs=chosen, depth=depth)):
            return redirect("pool", slug)
    few = sum(run.line_count for run in runs) <= LINES_AT_ONCE
    wanted = form.chosen() if valid else runs if asked is None and few else []
    depths = sorted({*selectors.DEPTHS, form.cleaned_data["depth"]}) if valid else list(selectors.DEPTHS)
    sizes = selectors.pool_sizes(collection, wanted, depths)
    context = {"form": form, "runs": runs, "sizes": sizes, **_drawn(collection, request.GET.get("page"))}
    return page(request, "pooling/pool.html", collection, status=422 if form.errors else 200, **context)


def _drawn(collection: Collection, number: str | None) -> dict[str, object]:
    job = Job.objects.filter(name="draw_pool", collection_id=collection.pk).order_by("-pk").first()
    missing = selectors.missing_items(collection)
    return {
        "job": job if job and job.state != "done" else None,
        "rounds": selectors.pools(collection),
        "total": selectors.pools(collection).aggregate(total=Sum("item_count"))["total"] or 0,
        "missing": missing.count(),
        "missing_first": missing[:20],
        "page_obj": Paginator(selectors.topic_counts(collection), 50).get_page(number),
    }
