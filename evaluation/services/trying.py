"""A run of one's own against a public release: scored at once, for oneself alone, kept or thrown away."""

import hashlib
import json
from dataclasses import replace
from typing import Any

import numpy as np
from django.db import transaction
from django.db.models import QuerySet
from numpy.typing import NDArray

from config import accounts
from config.errors import Conflict, Refusal
from config.models import User
from evaluation import bundles, columns, exports, selectors
from evaluation.core.bounds import score_range
from evaluation.core.definitions import Measure, MeasureError
from evaluation.core.evaluate import Scores, evaluate_judged
from evaluation.core.judged import Judged, join
from evaluation.core.registry import parse_measure
from evaluation.models import PrivateScore, Release, ReleaseState
from evaluation.services.importing import Faulty
from pooling import selectors as pooling
from pooling import tables
from pooling.core.lines import Unpackable, listed_topics, spelled_topics, unpack
from pooling.core.rankings import Rankings
from pooling.core.runs import RunRead, check_run
from pooling.docnos import all_docnos
from pooling.models import Collection
from pooling.tables import Table

LARGEST = 50_000_000  # bytes; it is scored while one waits
ATTEMPTS = 20  # in a quarter of an hour
MOST_KEPT = 100
MOST_ALIKE = 20  # pooled runs of the same length that are read to find out whether one is the same
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
    qrels, given = selectors.judged(release)
    found = _read(text, release.collection, qrels.topics)
    if found.rankings is None:
        raise Faulty(found.report)
    _require_common(found.rankings, qrels.topics, release)
    strangers = _strangers(release.collection, found.rankings)
    judged = join(qrels, [found.rankings], replace(given, top=columns.top_grade(release.collection)))
    digest = hashlib.sha256(data).hexdigest()
    pooled = _was_pooled(release.collection, {digest, hashlib.sha256(text).hexdigest()}, found.rankings)
    report = _report(release, found.tag, digest, judged, pooled=pooled)
    told = [finding.message for finding in found.report.findings if finding.code == "TOPIC_ZEROS"]
    if strangers:
        told.append(f"{strangers:,} of its {len(found.rankings):,} results name documents that are not in this collection.")
    report["warnings"][:0] = told
    if keep:
        _keep(release, by, found.tag, digest, report)
    return report


def _read(text: bytes, collection: Collection, judged: NDArray[np.bytes_]) -> RunRead:
    """The run with its topics spelled as here, "01" as "1", so that it scores as it would if it were uploaded. Topics that
    nobody knows here are no fault."""
    found = check_run(text, max_per_topic=1_000_000)
    if found.rankings is None:
        return found
    topics = {*collection.topics.values_list("number", flat=True), *np.strings.decode(judged, "utf-8").tolist()}
    spelled, changed, _known = spelled_topics(found.rankings.topics, topics)
    if not changed.any():
        return found
    # Read again, and not renamed: where it has both "01" and "1", these are one topic, and are checked as one.
    return check_run(text, max_per_topic=1_000_000, topics=topics | set(np.strings.decode(spelled, "utf-8").tolist()))


def _require_common(run: Rankings, judged: NDArray[np.bytes_], release: Release) -> None:
    """Zeros for every topic would tell nothing of the run."""
    if not np.isin(run.topics, judged).any():
        expected, found = (listed_topics(np.strings.decode(one, "utf-8").tolist()) for one in (judged, run.topics))
        raise Refusal(
            f"The run answers none of the topics that release {release.number} judges: expected {expected}; found {found}. "
            "Is it a run of another collection?"
        )


def _strangers(collection: Collection, run: Rankings) -> int:
    """How many results name a document that the collection has not, as far as it holds all of its own; refused if all do."""
    docnos = all_docnos(collection) if pooling.corpus(collection).is_complete else None
    if docnos is None:
        return 0
    strange = int((~np.isin(run.docnos, docnos)).sum())
    if strange == len(run):
        raise Refusal(
            f"None of the {len(run):,} results names a document of this collection, as “{docnos[0].decode()}”; is it a run of another?"
        )
    return strange


def _was_pooled(collection: Collection, digests: set[str], run: Rankings) -> bool:
    """Whether a pooled run is the same, packed or not: its bytes, or the same documents in the same order."""
    pooled = collection.runs.filter(pools__drawn_at__isnull=False).distinct()
    if pooled.filter(upload__sha256__in=digests).exists():
        return True
    alike = list(pooled.filter(line_count=len(run), topic_count=len(run.topics)))
    alike.sort(key=lambda one: one.tag != run.tag)
    return any(_same(pooling.rankings(one), run) for one in alike[:MOST_ALIKE])


def _same(one: Rankings, other: Rankings) -> bool:
    parts = ("topics", "offsets", "docnos")
    return all(np.array_equal(getattr(one, part), getattr(other, part)) for part in parts)


def _report(release: Release, tag: str, digest: str, judged: Judged, *, pooled: bool) -> dict[str, Any]:
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
        "measures": list(means),
        "means": means,
        "ranges": ranges,
        "missing_topics": int((~scores.answered).sum()),
        "topics": topics,
        "warnings": _warnings(scores, means, pooled=pooled, only_relevant=columns.only_relevant(counts)),
    }


def _warnings(scores: Scores, means: dict[str, float | None], *, pooled: bool, only_relevant: bool) -> list[str]:
    """What explains most comes first."""
    told = []
    missing, every = int((~scores.answered).sum()), len(scores.topics)
    if missing:
        told.append(f"It does not answer {missing:,} of {every:,} topics; each counts as zero.")
    share = means[columns.JUDGED]
    if not pooled:
        told.append("This run was not pooled: relevant documents that only it found count as not relevant.")
        if only_relevant:  # judged@10 is P@10 then
            told.append(columns.ONLY_RELEVANT)
        elif share is not None and share < FEW:
            told.append(f"Only {100 * share:.0f} % of its first ten documents are judged: its scores may be much too low.")
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


FORMS = {"csv": "text/csv", "json": "application/json", "tex": "text/plain", "txt": "text/plain"}


def file_name(report: dict[str, Any], form: str) -> str:
    return f"{report['collection']}-release-{report['release']}-{report['run']}.{form}"


def means_of(report: dict[str, Any]) -> dict[str, float | None]:
    """In the order they were computed in, official ones first: a database that keeps JSON may forget it."""
    names: list[str] = report.get("measures") or list(report["means"])
    return {name: report["means"][name] for name in names}


def written(report: dict[str, Any], form: str) -> str:
    """The report as a file: the means with their ranges, all of it as JSON, or as trec_eval prints every topic."""
    if form == "json":
        return json.dumps(report, indent=2, ensure_ascii=False, sort_keys=True) + "\n"
    if form == "txt":
        return exports.trec_eval(_scores(report))
    rows = [[name, value, *report["ranges"].get(name, (None, None))] for name, value in means_of(report).items()]
    stamp = {name: str(report[name]) for name in ("release", "qrels_sha256", "run_sha256", "version")}
    caption = f"{report['run']}, scored against release {report['release']} of {report['collection']}"
    caption += f", over {len(report['topics']):,} topics"
    return tables.written(Table(caption, ["measure", "score", "range low", "range high"], rows, stamp), form)


def _scores(report: dict[str, Any]) -> Scores:
    """In the lenient view, of the measures with a mean; judged@10 is none of trec_eval's."""
    means = {name: mean for name, mean in means_of(report).items() if mean is not None and name != columns.JUDGED}
    plain = [measure for measure in map(parse_measure, means) if measure.rel is None]
    rows = [[row["scores"].get(str(measure)) for row in report["topics"]] for measure in plain]
    topics = np.array([row["topic"].encode() for row in report["topics"]], np.bytes_)
    yes = np.ones((1, len(topics)), bool)  # topics that a run lacks are among them, as with -c
    found = np.array([means[str(measure)] for measure in plain], np.float64)
    return Scores(
        *((report["run"],), tuple(plain), topics, np.array(rows, np.float64)[None], found[None], yes, ~yes[0]), 1, True
    )


def throw_away(score: PrivateScore) -> None:
    score.delete()
