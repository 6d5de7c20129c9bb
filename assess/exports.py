"""Judgments as files, with assessors by pseudonym."""

import csv
import io
import json
from collections.abc import Iterator

from django.core.serializers.json import DjangoJSONEncoder
from django.http import HttpResponse, StreamingHttpResponse

from assess import selectors, watching
from assess.models import Judgment
from config.errors import Conflict
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


def interactive_run(collection: Collection, tag: str = "interactive") -> str:
    """What people found by searching and judged relevant, as a run: of each topic the highest grade first, then as found."""
    graded = Judgment.objects.filter(item__found__isnull=False, item__pool__collection=collection, occasion=0, extra=False)
    rows = graded.filter(grade__gte=collection.lenient_from).order_by("item__found__pk", "pk")
    best: dict[str, dict[str, int]] = {}
    for topic, docno, grade in rows.values_list("item__topic__number", "item__docno", "grade"):
        best.setdefault(topic, {}).setdefault(docno, grade or 0)
    lines = []
    for topic in sorted(best, key=str.encode):
        ordered = sorted(best[topic].items(), key=lambda pair: -pair[1])
        lines += [f"{topic} Q0 {docno} {rank} {len(ordered) - rank + 1} {tag}\n" for rank, (docno, _) in enumerate(ordered, 1)]
    if not lines:
        raise Conflict("There is no such run yet: nobody has found a document by searching and judged it relevant.")
    return "".join(lines)
