"""Acts of evaluation: freeze qrels, score runs against them."""

import hashlib
import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import connection, transaction
from django.db.models import Max

from assess import selectors as judging
from assess.core.adjudication import Rule, merge_grades
from config import jobs
from config.errors import Conflict, Refusal
from config.models import Job, User
from evaluation import selectors
from evaluation.core.evaluate import evaluate_rankings
from evaluation.core.qrels import Qrels
from evaluation.core.registry import Measure
from evaluation.models import MergeRule, Release, Score, ScoreFile
from evaluation.score_files import ScoreTable
from pooling import selectors as pooling
from pooling.core.qrels import write_qrels
from pooling.models import Collection, Run
from pooling.services.work import Work

RULES: dict[str, Rule] = {MergeRule.PRIMARY: "first", MergeRule.HIGHEST: "max"}
NOTE_LENGTH = 5000
NOTHING_JUDGED = "Nothing is judged yet: a release needs at least one judgment."


def request_release(collection: Collection, *, by: User, rule: str, note: str = "") -> Job:
    """Ask for the judgments so far to be frozen. Asked twice while it is being done, it is done once."""
    _require_not_archived(collection)
    note = _clean(rule, note)
    if not selectors.is_judged(collection):
        raise Refusal(NOTHING_JUDGED)
    mark = hashlib.sha256(f"{rule} {note}".encode()).hexdigest()[:16]
    return jobs.intend(
        "freeze_release",
        title=f"Release of {collection.name}",
        args={"collection": collection.pk, "by": by.pk, "rule": rule, "note": note},
        started_by=by,
        collection_id=collection.pk,
        dedupe=f"release:{collection.pk}:{mark}",
    )


def freeze_release(collection: Collection, *, by: User, rule: str, note: str = "", score: bool = True, work: Work) -> Release:
    """Merge the judgments of this moment into numbered qrels; unless told otherwise, ask for all runs to be scored.

    The file is in its place before the row that names it. Its name is its digest, so what a killed attempt left is
    either the next attempt's own file or one that nobody reads.
    """
    note = _clean(rule, note)
    work.progress(0, 1, "Merging the judgments")
    merged = _merged(collection, rule)
    digest = hashlib.sha256(merged.qrels).hexdigest()
    path = f"files/releases/{collection.pk}/{digest}.qrels"
    _put(path, merged.qrels)
    told = f"{merged.counts['items']:,} judged documents of {merged.counts['topics']:,} topics"
    with work.finish(told):
        locked = Collection.objects.select_for_update().get(pk=collection.pk)  # numbers are given one after the other
        _require_not_archived(locked)
        newest = selectors.newest(locked)
        if newest and (newest.sha256, newest.rule) == (digest, rule):
            raise Conflict(f"Release {newest.number} has these same qrels already: no grade has changed since.")
        if newest and newest.last_event > merged.last_event:
            raise Conflict(f"Release {newest.number} was frozen meanwhile, with newer judgments. Freeze again if it is needed.")
        release = Release(
            collection=locked,
            number=(locked.releases.aggregate(last=Max("number"))["last"] or 0) + 1,
            rule=rule,
            note=note,
            path=path,
            sha256=digest,
            counts=merged.counts,
            last_event=merged.last_event,
            frozen_by=by,
        )
        release.full_clean()
        release.save(force_insert=True)
        if score:
            request_scores(release, by=by)
    return release


def _clean(rule: str, note: str) -> str:
    """The note as it is stored; a ValidationError, by field, for an unknown rule or a note that is too long."""
    note = note.replace("\r\n", "\n").strip()
    others = {field.name for field in Release._meta.get_fields()} - {"rule", "note"}
    Release(rule=rule, note=note).clean_fields(exclude=others)
    if len(note) > NOTE_LENGTH:
        raise ValidationError({"note": f"Expected at most {NOTE_LENGTH:,} characters; found {len(note):,}."})
    return note


@dataclass(frozen=True)
class Merged:
    """One reading of a collection's judgments, one grade for each item."""

    qrels: bytes
    counts: dict[str, object]
    last_event: int


def _merged(collection: Collection, rule: str) -> Merged:
    with _one_moment():
        judgments = judging.judgment_table(collection)
        last = judging.newest_event(collection)
    if not len(judgments.items):
        raise Refusal(NOTHING_JUDGED)
    distinct, first, codes = np.unique(judgments.items, return_index=True, return_inverse=True)
    size, grades = len(distinct), judgments.grades
    merged, highest, lowest = (merge_grades(codes, grades, size, way)[0] for way in (RULES[rule], "max", "min"))
    values, numbers = np.unique(merged, return_counts=True)
    counts = {
        "items": size,
        "topics": len(np.unique(judgments.topics)),
        "judgments": len(codes),
        "assessors": len(np.unique(judgments.assessors)),
        "grades": {str(value): number for value, number in zip(values.tolist(), numbers.tolist(), strict=True)},
        "doubly_judged": int((np.bincount(codes) > 1).sum()),
        "differing": int((highest != lowest).sum()),
        "lenient_from": collection.lenient_from,
        "strict_from": collection.strict_from,
    }
    return Merged(write_qrels(judgments.topics[first], judgments.docnos[first], merged), counts, last)


@contextmanager
def _one_moment() -> Iterator[None]:
    """What is read inside belongs together: no judgment comes in between. Nobody who judges has to wait for it."""
    if connection.in_atomic_block:  # somebody else's transaction, and their promise
        yield
    elif connection.vendor == "postgresql":
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            yield
    else:
        with connection.cursor() as cursor:
            cursor.execute("BEGIN DEFERRED")  # Django's own are IMMEDIATE, and keep writers out
            try:
                yield
            finally:
                cursor.execute("ROLLBACK")


def request_scores(release: Release, *, by: User) -> Job:
    """Ask for the runs that have no scores under a release to be scored."""
    _require_not_archived(release.collection)
    return jobs.intend(
        "score_release",
        title=f"Scores of {release.collection.name}, release {release.number}",
        args={"release": release.pk},
        started_by=by,
        collection_id=release.collection_id,
        dedupe=f"score:{release.pk}",
    )


def score_release(release: Release, *, work: Work) -> int:
    """Score the runs that lack scores under the release; how many. All become visible in one moment."""
    measures = selectors.measures(release)
    runs = list(selectors.unscored(release))
    qrels = selectors.qrels(release)
    made = []
    for done, run in enumerate(runs):
        work.progress(done, len(runs), run.tag)
        made.append(_scored(release, run, qrels, measures))
    work.progress(len(runs), len(runs), "")
    with work.finish(f"{len(runs):,} run{'' if len(runs) == 1 else 's'} scored"):
        _store(release, made)
    return len(runs)


@dataclass(frozen=True)
class Scored:
    file: ScoreFile
    means: list[Score]


def _scored(release: Release, run: Run, qrels: Qrels, measures: list[Measure]) -> Scored:
    rankings = pooling.rankings(run)
    scores = evaluate_rankings(qrels, [rankings], measures, rel=release.counts["lenient_from"])
    data = ScoreTable.of(scores, 0).to_bytes()
    path = f"files/scores/{release.pk}/{run.pk}-{hashlib.sha256(data).hexdigest()[:32]}.npz"
    _put(path, data)
    means = {str(measure): mean for measure, mean in zip(measures, scores.means[0].tolist(), strict=True)}
    means[selectors.JUDGED] = float(evaluate_rankings(qrels, [rankings], [selectors.JUDGED]).means[0, 0])
    return Scored(
        ScoreFile(release=release, run=run, path=path, run_sha256=run.upload.sha256),
        [Score(release=release, run=run, measure=name, mean=mean) for name, mean in means.items()],
    )


def _store(release: Release, made: list[Scored]) -> None:
    Release.objects.select_for_update().get(pk=release.pk)  # two that score at once write one after the other
    runs = [scored.file.run_id for scored in made]
    old = ScoreFile.objects.filter(release=release, run__in=runs)
    gone = set(old.values_list("path", flat=True)) - {scored.file.path for scored in made}
    old.delete()
    Score.objects.filter(release=release, run__in=runs).delete()
    ScoreFile.objects.bulk_create([scored.file for scored in made], batch_size=500)
    Score.objects.bulk_create([score for scored in made for score in scored.means], batch_size=2000)
    transaction.on_commit(lambda: _remove(gone), robust=True)


def _remove(paths: set[str]) -> None:
    for path in paths:
        (settings.DATA / path).unlink(missing_ok=True)


def _put(path: str, data: bytes) -> None:
    """A whole file under its name, on the disk, or none."""
    target = settings.DATA / path
    target.parent.mkdir(parents=True, exist_ok=True)
    aside = target.with_name(f".{target.name}.{uuid.uuid4().hex}")
    try:
        with aside.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        aside.replace(target)
    finally:
        aside.unlink(missing_ok=True)
    folder = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _require_not_archived(collection: Collection) -> None:
    if collection.is_archived:
        raise Conflict("This collection is archived; restore it first.")
