"""A run of one's own against a public release: scored at once, for oneself alone, kept or thrown away."""

import hashlib
from dataclasses import replace
from typing import Any

import numpy as np
from django.db import transaction
from django.db.models import QuerySet

from config import accounts
from config.errors import Conflict, Refusal
from config.models import User
from evaluation import bundles, columns, samples, selectors
from evaluation.core.bounds import score_range
from evaluation.core.definitions import Measure, MeasureError
from evaluation.core.evaluate import Scores, evaluate_judged
from evaluation.core.judged import Given, Judged, join
from evaluation.importing import Faulty
from evaluation.models import PrivateScore, Release, ReleaseState
from pooling import selectors as pooling
from pooling.core.lines import Unpackable, unpack
from pooling.core.rankings import Rankings
from pooling.core.runs import check_run
from pooling.models import Collection

LARGEST = 50_000_000  # bytes; it is scored while one waits
ATTEMPTS = 20  # in a quarter of an hour
MOST_KEPT = 100
FEW = 0.95  # of Judged@10, below which a run that was not pooled is warned of


def try_run(release: Release, *, by: User, data: bytes, keep: bool = False) -> dict[str, Any]:
    """The report of the run; nothing of it is stored but, if it is to be kept, these figures."""
    accounts.hit(f"try:{by.pk}", ATTEMPTS)
    if release.state != ReleaseState.PUBLIC:
        raise Conflict(f"Release {release.number} is {release.state}; runs are scored privately against public ones.")
    if len(data) > LARGEST:
        raise Refusal(
            f"The run has {len(data) / 1e6:,.0f} MB; at most {LARGEST // 10**6} MB are scored here. `assize eval` takes any."
        )
    try:
        text = unpack(data, limit=10 * LARGEST)
    except Unpackable as error:
        raise Refusal(str(error)) from error
    found = check_run(text, max_per_topic=1_000_000)
    if found.rankings is None:
        raise Faulty(found.report)
    strangers = _strangers(release.collection, found.rankings)
    qrels, given = samples.judged(release) or (selectors.qrels(release), Given())
    judged = join(qrels, [found.rankings], replace(given, top=columns.top_grade(release.collection)))
    digest = hashlib.sha256(data).hexdigest()
    report = _report(release, found.tag, digest, judged)
    if strangers:
        report["warnings"].append(
            f"{strangers:,} of its {len(found.rankings):,} results name documents that are not in this collection."
        )
    if keep:
        _keep(release, by, found.tag, digest, report)
    return report


def _strangers(collection: Collection, run: Rankings) -> int:
    """How many results name a document that the collection has not, as far as it holds all of its own; refused if all do."""
    docnos = pooling.docnos(collection) if pooling.corpus(collection).is_complete else None
    if docnos is None:
        return 0
    strange = int((~np.isin(run.docnos, docnos)).sum())
    if strange == len(run):
        raise Refusal(
            f"None of the {len(run):,} results names a document of this collection, as “{docnos[0].decode()}”; is it a run of another?"
        )
    return strange


def _report(release: Release, tag: str, digest: str, judged: Judged) -> dict[str, Any]:
    collection, counts = release.collection, release.counts
    measures: list[Measure | str] = [*columns.measures(collection, counts), columns.JUDGED]
    plain = replace(judged, given=replace(judged.given, top=None))
    scores = evaluate_judged(plain, (tag,), measures, rel=counts["lenient_from"])
    means = {str(measure): _defined(mean) for measure, mean in zip(scores.measures, scores.means[0].tolist(), strict=True)}
    topics = [
        {"topic": topic.decode(), "scores": {str(m): _defined(v) for m, v in zip(scores.measures, column, strict=True)}}
        for topic, column in zip(scores.topics.tolist(), scores.values[0].T.tolist(), strict=True)
    ]
    ranges = {name: ends for name in means if (ends := _range(judged, name, counts["lenient_from"]))}
    return {
        "collection": collection.slug,
        "release": release.number,
        "qrels_sha256": release.sha256,
        "run": tag,
        "run_sha256": digest,
        "version": bundles.version(),
        "means": means,
        "ranges": ranges,
        "missing_topics": int((~scores.answered).sum()),
        "topics": topics,
        "warnings": _warnings(release, digest, scores, means),
    }


def _warnings(release: Release, digest: str, scores: Scores, means: dict[str, float | None]) -> list[str]:
    told = []
    pooled = release.collection.runs.filter(upload__sha256=digest, pools__drawn_at__isnull=False).exists()
    share = means[columns.JUDGED]
    if not pooled:
        told.append("This run was not pooled: relevant documents that only it found count as not relevant.")
        if share is not None and share < FEW:
            told.append(f"Only {100 * share:.0f} % of its first ten documents are judged: its scores may be much too low.")
    missing = int((~scores.answered).sum())
    if missing:
        told.append(f"It does not answer {missing:,} of {len(scores.topics):,} topics; each counts as zero.")
    return told


def _range(judged: Judged, name: str, rel: int) -> list[float] | None:
    try:
        found = score_range(judged, name, rel=rel)
    except MeasureError:
        return None
    return [float(found.low.mean()), float(found.high.mean())]


def _defined(value: float) -> float | None:
    return None if np.isnan(value) else value


@transaction.atomic
def _keep(release: Release, by: User, tag: str, digest: str, report: dict[str, Any]) -> PrivateScore:
    User.objects.select_for_update().get(pk=by.pk)
    mine = PrivateScore.objects.filter(user=by)
    if mine.count() >= MOST_KEPT and not mine.filter(release=release, run_sha256=digest).exists():
        raise Conflict(f"You keep {MOST_KEPT} reports already; throw one away first.")
    told = {"tag": tag, "version": bundles.version(), "report": report}
    kept, _made = PrivateScore.objects.update_or_create(release=release, user=by, run_sha256=digest, defaults=told)
    return kept


def kept_by(user: User, collection: Collection) -> QuerySet[PrivateScore]:
    """One's own alone, newest first."""
    return PrivateScore.objects.filter(user=user, release__collection=collection).select_related("release")


def throw_away(score: PrivateScore) -> None:
    score.delete()
