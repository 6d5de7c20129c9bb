"""Tables as files: every digit as CSV or JSON, four decimals for LaTeX."""

import csv
import io
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse

from pooling.core.latex import escaped
from pooling.services.collections import safe_cell

TABLE_FORMS = {"csv": "text/csv", "json": "application/json", "tex": "text/plain"}


@dataclass(frozen=True)
class Table:
    """`rows` hold what was computed, None where there is nothing."""

    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[object]]

    @property
    def heads(self) -> list[tuple[str, bool]]:
        """Each with whether its column holds numbers."""
        return [
            (name, all(isinstance(row[place], int | float | None) for row in self.rows)) for place, name in enumerate(self.head)
        ]


def written(table: Table, form: str) -> str:
    if form == "json":
        rows = [dict(zip(table.head, map(defined, row), strict=True)) for row in table.rows]
        return json.dumps({"caption": table.caption, "rows": rows}, indent=2, ensure_ascii=False, default=str) + "\n"
    if form == "tex":
        return _latex(table)
    return written_csv([list(table.head), *([_cell(value) for value in row] for row in table.rows)])


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
    return "\n".join(
        [
            f"% {table.caption}",
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


def asked(request: HttpRequest, name: str, found: Mapping[str, Table]) -> HttpResponse | None:
    """The answer to ?table=NAME&form=csv: every page gives out its tables under its own address, in the state it is in. None
    if none is asked for."""
    form, table = (request.GET.get(key, "") for key in ("form", "table"))
    if not table:
        return None
    if table not in found or form not in TABLE_FORMS:
        raise Http404
    answer = HttpResponse(written(found[table], form), content_type=TABLE_FORMS[form])
    answer["Content-Disposition"] = f'attachment; filename="{name}-{table}.{form}"'
    return answer
