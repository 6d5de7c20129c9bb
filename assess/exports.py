"""Judgments as files, with assessors by pseudonym."""

import csv
import io
import json
from collections.abc import Iterator

from django.core.serializers.json import DjangoJSONEncoder
from django.http import HttpResponse, StreamingHttpResponse

from assess import selectors, watching
from pooling.models import Collection
from pooling.services.collections import safe_cell

FORMATS = {"csv": "text/csv; charset=utf-8", "jsonl": "application/x-ndjson; charset=utf-8"}


def lines(collection: Collection, kind: str, *, history: bool = False) -> Iterator[str]:
    """CSV with a head, its cells safe for spreadsheets; or JSONL, a judgment a line, exactly as stored."""
    rows = selectors.exported(collection, history=history)
    if kind == "jsonl":
        for row in rows:
            yield json.dumps(row, ensure_ascii=False, cls=DjangoJSONEncoder) + "\n"
        return
    line = io.StringIO()
    writer = csv.writer(line, lineterminator="\n")
    writer.writerow(selectors.HISTORY if history else selectors.EXPORT)
    yield line.getvalue()
    for row in rows:
        line.seek(0)
        line.truncate()
        cells = [value.isoformat() if hasattr(value, "isoformat") else value for value in row.values()]
        writer.writerow([safe_cell(cell) if isinstance(cell, str) else cell for cell in cells])
        yield line.getvalue()


def answer(collection: Collection, kind: str, *, history: bool = False) -> StreamingHttpResponse:
    name = f"{collection.slug}-{'history' if history else 'judgments'}.{kind}"
    found = StreamingHttpResponse(lines(collection, kind, history=history), content_type=FORMATS[kind])
    found["Content-Disposition"] = f'attachment; filename="{name}"'
    return found


def hours_csv(collection: Collection) -> str:
    """Active seconds by assessor and day."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(watching.HOURS)
    for row in watching.hours(collection):
        writer.writerow([safe_cell(cell) if isinstance(cell, str) else cell for cell in row.values()])
    return text.getvalue()


def hours_answer(collection: Collection) -> HttpResponse:
    found = HttpResponse(hours_csv(collection), content_type=FORMATS["csv"])
    found["Content-Disposition"] = f'attachment; filename="{collection.slug}-hours.csv"'
    return found
