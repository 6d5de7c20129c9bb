"""Files that pages, API and commands give out: the topics, and the pool, with which runs found what."""

import csv
import io
import json
from collections.abc import Iterator
from itertools import islice

from pooling import plans, selectors
from pooling.core import topics
from pooling.models import Collection, PoolItem, Topic
from pooling.services.collections import safe_cell

FORMS = {"txt": "text/plain", "csv": "text/csv", "json": "application/json"}
_AT_ONCE = 2000


def topics_file(collection: Collection, form: str) -> str:
    """The topics in a form of `topics.WRITTEN`, by number."""
    return "".join(topics.topic_lines(map(_spec, selectors.topics(collection)), form))


def _spec(topic: Topic) -> topics.TopicSpec:
    texts = {name: getattr(topic, name) for name in topics.TEXTS}
    return topics.TopicSpec(topic.number, language=topic.language, versions=topic.translations, **texts)


def pool_lines(collection: Collection, form: str) -> Iterator[str]:
    """TREC's pool file (topic and docno, a line each, sorted by bytes), CSV, or JSON with the ranks."""
    items = selectors.pool_list(collection)
    if form == "txt":
        rows = items.order_by().values_list("topic__number", "docno")
        yield from (f"{topic} {docno}\n" for topic, docno in sorted(rows, key=lambda row: (row[0].encode(), row[1].encode())))
    elif form == "csv":
        yield from _csv(items.iterator(chunk_size=_AT_ONCE))
    else:
        yield from _json(collection, items.iterator(chunk_size=_AT_ONCE))


def _csv(items: Iterator[PoolItem]) -> Iterator[str]:
    yield _row(["topic", "docno", "round", "best_rank", "runs", "present"])
    for item in items:
        facts = [item.pool.round, item.best_rank, item.run_count, "yes" if item.present else "no"]
        yield _row([safe_cell(item.topic.number), safe_cell(item.docno), *facts])


def _row(cells: list[object]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer).writerow(cells)
    return buffer.getvalue()


def _json(collection: Collection, items: Iterator[PoolItem]) -> Iterator[str]:
    runs, begin = list(collection.runs.order_by("pk")), "[\n"
    while chunk := list(islice(items, _AT_ONCE)):
        for item, found in zip(chunk, plans.found_by(runs, chunk), strict=True):
            yield begin + json.dumps(item_told(item, found), ensure_ascii=False)
            begin = ",\n"
    yield "[]\n" if begin == "[\n" else "\n]\n"


def item_told(item: PoolItem, found: list[tuple[str, int]]) -> dict[str, object]:
    facts = {"topic": item.topic.number, "docno": item.docno, "round": item.pool.round, "best_rank": item.best_rank}
    pick = getattr(item, "pick", None)
    run = pick.run.tag if pick and pick.run else None
    picked = {"number": pick.number, "run": run, "why": pick.why} if pick else None
    sample = {"stratum": item.stratum, "inclusion": item.inclusion}
    return {**facts, "present": item.present, "runs": dict(found), "picked": picked, **sample}
