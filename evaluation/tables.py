"""Tables as files: every digit as CSV or JSON, four decimals for LaTeX; figures as SVG, PNG and PDF."""

import csv
import io
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from django.http import Http404, HttpRequest, HttpResponse

from evaluation.core.charts import Chart
from evaluation.core.comparison_text import escaped
from pooling.services.collections import safe_cell

TABLE_FORMS = {"csv": "text/csv", "json": "application/json", "tex": "text/plain"}
FIGURE_FORMS = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf"}


@dataclass(frozen=True)
class Table:
    """`rows` hold what was computed, None where there is nothing. Files also tell where it comes from: `stamp` of all
    rows, `origins` of each."""

    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[object]]
    stamp: Mapping[str, str] = field(default_factory=dict)
    origins: Sequence[Mapping[str, str]] = ()

    @property
    def heads(self) -> list[tuple[str, bool]]:
        """Each with whether its column holds numbers."""
        return [
            (name, all(isinstance(row[place], int | float | None) for row in self.rows)) for place, name in enumerate(self.head)
        ]


def written(table: Table, form: str) -> str:
    if form == "json":
        rows = [
            dict(zip(table.head, map(defined, row), strict=True)) | dict(origin)
            for row, origin in zip(table.rows, _origins(table), strict=True)
        ]
        return (
            json.dumps({"caption": table.caption, **table.stamp, "rows": rows}, indent=2, ensure_ascii=False, default=str)
            + "\n"
        )
    if form == "tex":
        return _latex(table)
    origins = [{**table.stamp, **origin} for origin in _origins(table)]
    lines = [[_cell(value) for value in (*row, *of.values())] for row, of in zip(table.rows, origins, strict=True)]
    return written_csv([[*table.head, *(origins[0] if origins else table.stamp)], *lines])


def _origins(table: Table) -> Sequence[Mapping[str, str]]:
    return table.origins or [{}] * len(table.rows)


def defined(value: object) -> object:
    """None in the place of what is no number: JSON and spreadsheets know no other word for it."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def written_csv(rows: Sequence[Sequence[str]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def _cell(value: object) -> str:
    if defined(value) is None:
        return ""
    return repr(value) if isinstance(value, float) else safe_cell(str(value))


def _latex(table: Table) -> str:
    """A booktabs table; columns of numbers to the right."""
    lines = [" & ".join(_tex(value) for value in row) for row in table.rows]
    told = [", ".join(f"{name} {value}" for name, value in table.stamp.items())] if table.stamp else []
    told += [
        f"{row[0]}: {', '.join(f'{name} {value}' for name, value in origin.items())}"
        for row, origin in zip(table.rows, table.origins, strict=False)
    ]
    return "\n".join(
        [
            f"% {table.caption}",
            *(f"% {line}" for line in told),
            f"\\begin{{tabular}}{{{''.join('r' if number else 'l' for _name, number in table.heads)}}}",
            r"  \toprule",
            f"  {' & '.join(escaped(name) for name in table.head)} \\\\",
            r"  \midrule",
            *(f"  {line} \\\\" for line in lines),
            r"  \bottomrule",
            r"\end{tabular}",
            "",
        ]
    )


def _tex(value: object) -> str:
    if defined(value) is None:
        return "--"
    return f"{value:.4f}" if isinstance(value, float) else escaped(str(value))


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
    form, figure, table = (request.GET.get(key, "") for key in ("form", "figure", "table"))
    if not figure and not table:
        return None
    if (figure and (figure not in figures or form not in FIGURE_FORMS)) or (
        table and (table not in found or form not in TABLE_FORMS)
    ):
        raise Http404
    kind = FIGURE_FORMS[form] if figure else TABLE_FORMS[form]
    data = drawn(figures[figure], form) if figure else written(replace(found[table], stamp=stamp or {}), form)
    answer = HttpResponse(data, content_type=kind)
    answer["Content-Disposition"] = f'attachment; filename="{name}-{figure or table}.{form}"'
    return answer
