"""Files, runs, documents and pools, counted again."""

from collections.abc import Iterator

import numpy as np

from config import store
from config.doctor import Fault, count_faults, examines, file_faults
from pooling import plans, selectors
from pooling.core import planning
from pooling.core.rankings import Rankings
from pooling.models import Corpus, Document, Pool, PoolItem, Run, Upload

NAMED = 5


@examines("files that were sent")
def _uploads() -> Iterator[Fault]:
    for upload in Upload.objects.exclude(path="").select_related("collection").iterator():
        what = f"{upload.kind} {upload.name}"
        yield from file_faults(upload.collection.slug, what, upload.path, upload.sha256, upload.size)


@examines("stored runs")
def _runs() -> Iterator[Fault]:
    """The columns of each, in order, with as many lines and topics as its row says."""
    for run in Run.objects.select_related("collection").iterator():
        where, what = run.collection.slug, f"run {run.tag}"
        try:
            ranked = Rankings.from_bytes(store.path(run.passages or run.columns).read_bytes())
        except (OSError, ValueError) as error:
            yield Fault(where, what, "its columns", str(error))
            continue
        yield from count_faults(where, f"{what}, tag", run.tag, ranked.tag)
        yield from count_faults(where, f"{what}, lines", run.line_count, len(ranked))
        yield from count_faults(where, f"{what}, topics", run.topic_count, len(ranked.topics))
        if not np.array_equal(ranked.reordered(None).docnos, ranked.docnos):
            yield Fault(where, what, "documents in evaluation order", "another order")


@examines("documents")
def _documents() -> Iterator[Fault]:
    for corpus in Corpus.objects.select_related("collection"):
        there = Document.objects.filter(corpus=corpus, generation=corpus.generation).count()
        yield from count_faults(corpus.collection.slug, "number of documents", corpus.document_count, there)
        missing = selectors.missing_items(corpus.collection).values_list("docno", flat=True).distinct()
        if count := missing.count():
            named = ", ".join(missing.order_by("docno")[:NAMED]) + (" …" if count > NAMED else "")
            yield Fault(corpus.collection.slug, "pooled documents", "a text for each", f"none for {count:,}: {named}")


@examines("pools")
def _pools() -> Iterator[Fault]:
    """Items of each round, and what its runs contributed, drawn anew where the runs are still those that were pooled."""
    for pool in Pool.objects.exclude(drawn_at=None).select_related("collection"):
        where, what = pool.collection.slug, f"round {pool.round}"
        yield from count_faults(where, f"{what}, items", pool.item_count, pool.items.count())
        runs = list(pool.runs.select_related("upload").order_by("pk"))
        if not runs or {run.upload.sha256 for run in runs} != {used["sha256"] for used in pool.used}:
            continue
        if pool.kind == "adaptive":  # its items depend on what was judged when
            continue
        chosen = plans.chosen(plans.Choice(pool.strategy, pool.parameters, tuple(runs), pool.seed))
        shares = {share.run.tag: share.told() for share in plans.shares(chosen, runs)}
        for used in pool.used:
            for name in ("pooled", "unique"):
                yield from count_faults(where, f"{what}, {name} of {used['tag']}", used[name], shares[used["tag"]][name])
        yield from _items(pool, planning.pool_of(chosen))


def _items(pool: Pool, drawn: planning.Pool) -> Iterator[Fault]:
    columns = (drawn.topics, drawn.docnos, drawn.best_ranks, drawn.runs)
    known = {(topic, docno): (best, count) for topic, docno, best, count in zip(*(c.tolist() for c in columns), strict=True)}
    rows = PoolItem.objects.filter(pool=pool).values_list("topic__number", "docno", "best_rank", "run_count")
    for number, docno, best, count in rows.iterator():
        expected = known.get((number.encode(), docno.encode()))
        if expected != (best, count):
            told = "in the pool" if expected is None else f"best rank {expected[0]}, {expected[1]} runs"
            yield Fault(pool.collection.slug, f"topic {number}, {docno}", told, f"best rank {best}, {count} runs")
