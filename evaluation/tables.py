"""Figures as files beside the tables of pooling: SVG, PNG and PDF."""

from collections.abc import Mapping

from django.http import Http404, HttpRequest, HttpResponse

from evaluation.core.charts import Chart
from pooling import tables
from pooling.tables import Table

FIGURE_FORMS = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf"}


def drawn(chart: Chart, form: str) -> bytes:
    """The figure as a file by itself, in the colours of paper."""
    text = chart.file()
    if form == "svg":
        return text.encode()
    import vl_convert  # late: it holds a browser's engine, and pages need none

    return vl_convert.svg_to_png(text, scale=2) if form == "png" else vl_convert.svg_to_pdf(text)


def asked(
    request: HttpRequest,
    name: str,
    figures: Mapping[str, Chart],
    found: Mapping[str, Table],
    stamp: Mapping[str, str] | None = None,
) -> HttpResponse | None:
    """The answer to ?figure=NAME&form=svg or ?table=NAME&form=csv: every page gives out its figures and tables under its own
    address, in the state it is in. None if neither is asked for. `stamp`: where the numbers come from."""
    form, figure = (request.GET.get(key, "") for key in ("form", "figure"))
    if not figure:
        return tables.asked(request, name, found, stamp)
    if figure not in figures or form not in FIGURE_FORMS:
        raise Http404
    answer = HttpResponse(drawn(figures[figure], form), content_type=FIGURE_FORMS[form])
    answer["Content-Disposition"] = f'attachment; filename="{name}-{figure}.{form}"'
    return answer
