"""Tables as files: every digit as CSV or JSON, four decimals for LaTeX."""

import csv
import io
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from django.http import Http404, HttpRequest, HttpResponse

from pooling.core.latex import escaped
from pooling.services.collections import safe_cell

TABLE_FORMS = {"csv": "text/csv", "json": "application/json", "tex": "text/plain"}


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
    head = map(safe_cell, (*table.head, *(origins[0] if origins else table.stamp)))  # tags of runs, where they are columns
    return written_csv([[*head], *lines])


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


def asked(
    request: HttpRequest, name: str, found: Mapping[str, Table], stamp: Mapping[str, str] | None = None
) -> HttpResponse | None:
    """The answer to ?table=NAME&form=csv: every page gives out its tables under its own address, in the state it is in. None
    if none is asked for. `stamp`: where the numbers come from."""
    form, table = (request.GET.get(key, "") for key in ("form", "table"))
    if not table:
        return None
    if table not in found or form not in TABLE_FORMS:
        raise Http404
    answer = HttpResponse(written(replace(found[table], stamp=stamp or {}), form), content_type=TABLE_FORMS[form])
    answer["Content-Disposition"] = f'attachment; filename="{name}-{table}.{form}"'
    return answer
