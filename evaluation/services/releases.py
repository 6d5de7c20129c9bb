"""Acts of evaluation: freeze qrels, score runs against them."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np
from django.db import connection, transaction
from django.db.models import Max
from django.utils import timezone

from assess import opinions
from assess.models import MergePlan, MergeRule
from config import jobs, store
from config.errors import Conflict, Refusal
from config.expected import require_one_of, require_text
from config.models import Job, User
from evaluation import bundles, columns, exports, samples, selectors
from evaluation.core.archive import packed
from evaluation.core.evaluate import evaluate_judged
from evaluation.core.judged import Given, join
from evaluation.core.qrels import Qrels
from evaluation.core.registry import Measure
from evaluation.models import Release, ReleaseState, ReleaseStep, Score, ScoreArchive, ScoreFile
from evaluation.score_files import ScoreTable
from pooling import selectors as pooling
from pooling.models import Collection, Run, Visibility
from pooling.services.collections import require_not_archived
from pooling.services.work import Work

NOTE_LENGTH = 5000
NOTHING_JUDGED = "Nothing is judged yet: a release needs at least one judgment."


def request_release(collection: Collection, *, by: User, rule: str | None = None, note: str = "") -> Job:
    """Ask for the judgments so far to be frozen. Asked twice while it is being done, it is done once."""
    require_not_archived(collection)
    plan, note = _clean(collection, rule, note)
    if not selectors.is_judged(collection):
        raise Refusal(NOTHING_JUDGED)
    mark = hashlib.sha256(f"{plan.rule} {note}".encode()).hexdigest()[:16]
    return jobs.intend(
        "freeze_release",
        title=f"Release of {collection.short_name}",
        args={"collection": collection.pk, "by": by.pk, "rule": plan.rule, "note": note},
        started_by=by,
        collection_id=collection.pk,
        dedupe=f"release:{collection.pk}:{mark}",
    )


def freeze_release(
    collection: Collection,
    *,
    by: User,
    rule: str | None = None,
    note: str = "",
    state: str = ReleaseState.DRAFT,
    score: bool = True,
    work: Work,
) -> Release:
    """Merge the judgments of this moment into numbered qrels, by the collection's rule unless another is named; unless
    told otherwise, ask for all runs to be scored.

    Files are in their place before the row that names them. Their names are their digests, so what a killed attempt left
    is either the next attempt's own file or one that nobody reads.
    """
    plan, note = _clean(collection, rule, note)
    work.progress(0, message="Merging the judgments")
    with one_moment():
        if not selectors.is_judged(collection):
            raise Refusal(NOTHING_JUDGED)
        reading = bundles.read(collection, plan)
    return store_release(collection, reading, by=by, rule=plan.rule, note=note, state=state, score=score, work=work)


def store_release(
    collection: Collection,
    reading: bundles.Reading,
    *,
    by: User,
    rule: str,
    note: str,
    state: str,
    score: bool,
    work: Work,
    remark: str = "",
) -> Release:
    """Give a reading the next number and store it whole: files first, then one row. `remark`: what else there is to say."""
    at = timezone.now()
    digest = hashlib.sha256(reading.qrels).hexdigest()
    release = Release(collection=collection, rule=rule, note=note, sha256=digest, frozen_by=by, frozen_at=at)
    release.path = f"files/releases/{collection.pk}/{digest}.qrels"
    release.counts, release.about = reading.counts, reading.about
    release.last_event, release.last_decision = reading.last_event, reading.last_decision
    store.put(release.path, reading.qrels)
    if sample := reading.about.get("sample"):
        store.put(samples.path(collection.pk, sample["sha256"]), samples.main_file(sample, reading.files))
    for _attempt in range(20):
        release.number = _next_number(collection)
        whole = bundles.complete(collection, reading, number=release.number, frozen_at=at, note=note)
        data = packed(whole, f"{collection.slug}-release-{release.number}")
        release.archive_sha256 = hashlib.sha256(data).hexdigest()
        release.archive = f"files/releases/{collection.pk}/{release.archive_sha256}.zip"
        store.put(release.archive, data)
        try:
            told = f"{reading.counts['items']:,} judged documents of {reading.counts['topics']:,} topics"
            with work.finish(f"{told}. {remark}" if remark else told):
                _insert(release, by, state, score=score)
        except _NumberTaken:
            store.remove(release.archive)
            continue
        return release
    raise Conflict("Others freeze releases of this collection at the same time; freeze again.")


class _NumberTaken(Exception):
    """Somebody else's release came first: the archive is written anew, with the next number."""


def _next_number(collection: Collection) -> int:
    return (Release.objects.filter(collection=collection).aggregate(last=Max("number"))["last"] or 0) + 1


def _insert(release: Release, by: User, state: str, *, score: bool) -> None:
    locked = Collection.objects.select_for_update(no_key=True).get(pk=release.collection_id)  # numbers come one after the other
    require_not_archived(locked)
    newest = selectors.newest(locked)
    if newest and _content(newest) == _content(release):
        raise Conflict(f"Release {newest.number} has these same qrels and judgments already: nothing has changed since.")
    if newest and newest.last_event > release.last_event and release.rule:
        raise Conflict(f"Release {newest.number} was frozen meanwhile, with newer judgments. Freeze again if it is needed.")
    if _next_number(locked) != release.number:
        raise _NumberTaken
    release.full_clean()
    release.save(force_insert=True)
    ReleaseStep.objects.create(release=release, state=state, by=by, at=release.frozen_at)
    if score:
        request_scores(release, by=by)


def _content(release: Release) -> tuple[object, ...]:
    """What a release holds: by `first`, new second opinions leave the qrels as they are, and are news all the same."""
    told = release.about
    newest = release.last_event, release.last_decision  # of releases from before their judgments had a digest
    return release.sha256, release.rule, told.get("merge"), told.get("judgments_sha256", newest if release.rule else "")


def _clean(collection: Collection, rule: str | None, note: str) -> tuple[MergePlan, str]:
    """The collection's plan, with the rule that is named, and the note as it is stored."""
    plan = opinions.plan(collection)
    plan.rule = plan.rule if rule is None else rule
    note = note.replace("\r\n", "\n").strip()
    require_one_of("rule", plan.rule, MergeRule.values)
    require_text("note", note, NOTE_LENGTH)
    return plan, note


NEXT: dict[str, tuple[str, ...]] = {
    ReleaseState.DRAFT: (ReleaseState.PRIVATE, ReleaseState.PUBLIC, ReleaseState.WITHDRAWN),
    ReleaseState.PRIVATE: (ReleaseState.PUBLIC, ReleaseState.WITHDRAWN),
    ReleaseState.PUBLIC: (ReleaseState.WITHDRAWN,),
    ReleaseState.WITHDRAWN: (),
}


@transaction.atomic
def set_state(release: Release, *, by: User, state: str, note: str = "", open_collection: bool = False) -> ReleaseStep:
    """Show a release to more people, or withdraw it. What was given out cannot be taken back: a withdrawn one stays named.

    Nobody else sees anything of a private collection: `open_collection` makes it public in the same act.
    """
    locked = Collection.objects.select_for_update(no_key=True).get(pk=release.collection_id)
    now = release.steps.latest("pk").state
    require_one_of("state", state, NEXT[ReleaseState.DRAFT])
    if state == now:
        raise Conflict(f"Release {release.number} is {now} already.")
    if state not in NEXT[now]:
        expected = " or ".join(NEXT[now]) or "nothing more"
        raise Conflict(f"Release {release.number} is {now}; it can become {expected}, not “{state[:20]}”.")
    if state == ReleaseState.PUBLIC and locked.visibility == Visibility.PRIVATE:
        if not open_collection:
            raise Conflict(
                "The collection is private: nobody else would see the release. Make it public or unlisted first, or both in one act."
            )
        require_not_archived(locked)
        locked.visibility = Visibility.PUBLIC
        locked.save(update_fields=["visibility"])
    note = note.replace("\r\n", "\n").strip()
    if state == ReleaseState.WITHDRAWN and now != ReleaseState.DRAFT and not note:
        raise Refusal("Expected a reason, which is shown in the place of the release; found none.")
    step = ReleaseStep(release=release, state=state, note=note, by=by)
    step.full_clean()
    step.save(force_insert=True)
    return step


@contextmanager
def one_moment() -> Iterator[None]:
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
    require_not_archived(release.collection)
    return jobs.intend(
        "score_release",
        title=f"Scores of {release.collection.short_name}, release {release.number}",
        args={"release": release.pk},
        started_by=by,
        collection_id=release.collection_id,
        dedupe=f"score:{release.pk}",
    )


def score_release(release: Release, *, work: Work) -> int:
    """Score the runs that lack scores under the release; how many. All become visible in one moment."""
    measures = columns.measures(release.collection, release.counts)
    runs = list(selectors.unscored(release))
    qrels, given = selectors.judged(release)
    made = []
    for done, run in enumerate(runs):
        work.progress(done, len(runs), run.tag)
        made.append(_scored(release, run, qrels, given, measures))
    work.progress(len(runs), len(runs), "")
    archived = _score_archive(release, made)
    with work.finish(f"{len(runs):,} run{'' if len(runs) == 1 else 's'} scored"):
        _store(release, made, archived)
    return len(runs)


@dataclass(frozen=True)
class Scored:
    file: ScoreFile
    table: ScoreTable
    means: list[Score]


def _scored(release: Release, run: Run, qrels: Qrels, given: Given, measures: list[Measure]) -> Scored:
    judged = join(qrels, [pooling.rankings(run)], given)
    scores = evaluate_judged(judged, (run.tag,), measures, rel=release.counts["lenient_from"])
    table = ScoreTable.of(scores, replace(judged, given=replace(given, top=columns.top_grade(release.collection))))
    data = table.to_bytes()
    path = f"files/scores/{release.pk}/{run.pk}-{hashlib.sha256(data).hexdigest()[:32]}.npz"
    store.put(path, data)
    means = dict(zip(map(str, measures), scores.means[0].tolist(), strict=True))
    means[columns.JUDGED] = float(evaluate_judged(judged, (run.tag,), [columns.JUDGED]).means[0, 0])
    return Scored(
        ScoreFile(release=release, run=run, path=path, run_sha256=run.upload.sha256, version=bundles.version()),
        table,
        [Score(release=release, run=run, measure=name, mean=None if mean != mean else mean) for name, mean in means.items()],
    )


def _score_archive(release: Release, made: list[Scored]) -> ScoreArchive | None:
    """All scores as one file, those at hand and those stored; None without any."""
    new = {scored.file.run_id for scored in made}
    old = ((file, means) for file, means in selectors.means(release) if file.run_id not in new)
    rows = [(file, selectors.table(file), means) for file, means in old]
    rows += [
        (one.file, one.table, {score.measure: np.nan if score.mean is None else score.mean for score in one.means})
        for one in made
    ]
    if not rows:
        return None
    rows.sort(key=lambda row: row[0].run.tag.encode())
    data = packed(exports.score_files(release, rows), f"{release.collection.slug}-release-{release.number}-scores")
    digest = hashlib.sha256(data).hexdigest()
    path = f"files/releases/{release.collection_id}/{digest}.zip"
    store.put(path, data)
    return ScoreArchive(release=release, path=path, sha256=digest, run_count=len(rows))


def _store(release: Release, made: list[Scored], archived: ScoreArchive | None) -> None:
    Release.objects.select_for_update().get(pk=release.pk)  # two that score at once write one after the other
    runs = [scored.file.run_id for scored in made]
    old = ScoreFile.objects.filter(release=release, run__in=runs)
    gone = set(old.values_list("path", flat=True)) - {scored.file.path for scored in made}
    old.delete()
    Score.objects.filter(release=release, run__in=runs).delete()
    ScoreFile.objects.bulk_create([scored.file for scored in made], batch_size=500)
    Score.objects.bulk_create([score for scored in made for score in scored.means], batch_size=2000)
    last = release.score_archives.first()
    if archived and (last is None or last.sha256 != archived.sha256):
        archived.version = last.version + 1 if last else 1
        archived.save(force_insert=True)
    transaction.on_commit(lambda: _remove(gone), robust=True)


def _remove(paths: set[str]) -> None:
    for path in paths:
        store.remove(path)
