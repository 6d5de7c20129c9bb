"""What is read of releases and of the scores that are stored under them. Who may see which: standings.py, access.py."""

from dataclasses import dataclass, replace

import numpy as np
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery
from django.http import Http404
from django.urls import reverse

from assess import adjudication
from assess.models import Answer, DecisionEvent, JudgmentEvent
from assess.selectors import judgments, who_counts
from config import errors, store
from config.errors import Gone
from config.expected import no_such
from config.models import Job
from evaluation import columns, samples
from evaluation.core.judged import Given
from evaluation.core.qrels import Qrels
from evaluation.models import Release, ReleaseState, ReleaseStep, Score, ScoreFile
from evaluation.score_files import ScoreTable
from pooling import access
from pooling.core.qrels import read_qrels
from pooling.models import Collection, PoolItem, Run, Visibility
from pooling.selectors import Stage, topics

# Releases


def _last_state() -> Subquery:
    return Subquery(ReleaseStep.objects.filter(release=OuterRef("pk")).order_by("-pk").values("state")[:1])


def releases(collection: Collection, *, withdrawn: bool = True) -> QuerySet[Release]:
    """Newest first, each with its state; those that whoever asks may see (pooling/access.py: narrowed)."""
    found = collection.releases.select_related("frozen_by").annotate(last_state=_last_state())
    if not withdrawn:
        found = found.exclude(last_state=ReleaseState.WITHDRAWN)
    seen = collection.release_states
    if seen is None:
        return found
    was = ReleaseStep.objects.filter(release=OuterRef("pk"), state__in=seen)
    return found.filter(Q(last_state__in=seen) | Q(Exists(was), last_state=ReleaseState.WITHDRAWN))


def newest(collection: Collection) -> Release | None:
    """The newest that is given out."""
    return releases(collection, withdrawn=False).first()


def absent(collection: Collection, told: str, label: str, view: str, **details: str) -> Exception:
    """As pooling/access.py: missing, of a collection that knows for whom it was fetched: strangers see public releases alone."""
    if collection.release_states == frozenset({"public"}):
        return Http404(told)
    return errors.Missing(told, href=reverse(view, args=[collection.slug]), label=label, **details)


def no_release(collection: Collection, number: object) -> Exception:
    return absent(collection, no_such("release", number), "All releases", "releases")


def tombstone(collection: Collection, number: int) -> Release:
    """The release of that number, withdrawn or not."""
    one = releases(collection).filter(number=number).first()
    if one is None:
        raise no_release(collection, number)
    one.collection = collection
    return one


def release(collection: Collection, number: int | None = None) -> Release:
    """The release of that number, or the newest; Gone if it was withdrawn."""
    if number is not None:
        one = tombstone(collection, number)
        if one.state == ReleaseState.WITHDRAWN:
            why = one.steps.latest("pk").note
            raise Gone(f"Release {number} was withdrawn{f': {why}' if why else '.'}")
        return one
    found = newest(collection)
    if found is None:
        raise Http404("There is no release yet.")
    found.collection = collection
    return found


def judged(release: Release) -> tuple[Qrels, Given]:
    """What runs are scored against: the qrels of a release, or its sample where it has one, and how many documents there were."""
    found, given = samples.judged(release) or (qrels(release), Given())
    return found, replace(given, documents=release.counts.get("documents"))


def is_judged(collection: Collection) -> bool:
    return judgments(collection).exists()


@dataclass(frozen=True)
class Missing:
    """What a release frozen now would lack: of pooled documents and of topics how many have no grade, open disagreements."""

    items: int
    ungraded_items: int
    topics: int
    ungraded_topics: int
    open_cases: int

    @property
    def lines(self) -> list[str]:
        """One for each kind of thing that is missing."""
        bare, empty, waiting, told = self.ungraded_items, self.ungraded_topics, self.open_cases, []
        if bare:
            told.append(f"{bare:,} of {self.items:,} pooled documents {'has' if bare == 1 else 'have'} no grade")
        if empty:
            told.append(f"{empty:,} of {self.topics:,} topics {'has' if empty == 1 else 'have'} none at all")
        if waiting:
            one = waiting == 1
            told.append(
                f"{waiting:,} disagreement{' is' if one else 's are'} open and follow{'s' if one else ''} the merge rule,"
                f" which may leave {'it' if one else 'some'} without a grade"
            )
        return told

    @property
    def words(self) -> str:
        """In a sentence; empty if nothing is missing."""
        return f"{'; '.join(self.lines)}." if self.lines else ""

    @property
    def there(self) -> str:
        """What it would hold; of open disagreements a rule may leave out some."""
        items, topics = self.items - self.ungraded_items, self.topics - self.ungraded_topics
        most = "at most " if self.open_cases else ""
        return f"grades of {most}{items:,} document{'' if items == 1 else 's'} of {topics:,} topic{'' if topics == 1 else 's'}"


def missing(collection: Collection) -> Missing:
    pool = PoolItem.objects.filter(pool__collection=collection, pool__drawn_at__isnull=False)
    graded = Q(Exists(judgments(collection).filter(item=OuterRef("pk")))) | Q(decision__grade__isnull=False)
    there = pool.filter(graded).aggregate(items=Count("pk"), topics=Count("topic", distinct=True))
    items, every = pool.count(), topics(collection).count()
    waiting = sum(case.is_open for case in adjudication.cases(collection))
    return Missing(items, items - there["items"], every, every - there["topics"], waiting)


def judgments_since(release: Release | None, collection: Collection) -> int:
    """How many judgments were made or changed after the release; without one, how many there are."""
    if release is None:
        return judgments(collection).count()
    events = JudgmentEvent.objects.filter(pk__gt=release.last_event, judgment__item__pool__collection=collection)
    decided = DecisionEvent.objects.filter(pk__gt=release.last_decision, decision__item__pool__collection=collection)
    graded = Q(grade__isnull=False) & (Q(previous_grade=None) | ~Q(previous_grade=F("grade")))
    said = graded | Q(grade=None, previous_grade__isnull=False) | Q(answer=Answer.CANNOT)  # a note or a mark alone is none
    events = events.filter(said, who_counts(collection, "judgment__assessor"))
    judged = events.aggregate(count=Count("judgment", distinct=True))["count"] or 0
    return judged + (decided.aggregate(count=Count("decision", distinct=True))["count"] or 0)


def qrels(release: Release) -> Qrels:
    columns, report = read_qrels(store.path(release.path).read_bytes())
    if columns is None:
        raise ValueError(f"release {release.pk}: {release.path} holds no qrels: {report.findings[:1]}")
    return Qrels.from_columns(columns)


def public_releases(user: access.Anyone) -> QuerySet[Release]:
    """The newest releases of public collections, without those whose scores the user must not see."""
    found = Release.objects.annotate(last_state=_last_state()).filter(last_state=ReleaseState.PUBLIC)
    found = found.filter(collection__visibility=Visibility.PUBLIC).select_related("collection")
    if user.is_authenticated:
        found = found.exclude(collection_id__in=access.blind_in(user))
    return found.order_by("-pk")[:10]


def release_stage(collection: Collection, *, opens: bool) -> Stage:
    """The last step of the line; a link for who may open it."""
    found = newest(collection)
    if not opens:
        return Stage(
            "Release", f"{found.number}" if found else "–", "frozen" if found else "none yet", "done" if found else "todo"
        )
    href = reverse("releases", args=[collection.slug])
    since = judgments_since(found, collection)
    if found is None:
        return Stage("Release", "–", "none yet", "now" if since else "todo", href)
    note = f"{since:,} judgment{'' if since == 1 else 's'} since" if since else "up to date"
    return Stage("Release", f"{found.number}", note, "now" if since else "done", href)


def judged_stage(collection: Collection) -> Stage:
    """What outsiders are told in the place of how judging goes: the documents judged in the newest release they see."""
    found = newest(collection)
    if found is None:
        return Stage("Judged", "–", "nothing released yet", "todo")
    items = found.counts["items"]
    return Stage("Judged", f"{items:,}", f"document{'' if items == 1 else 's'} in release {found.number}", "done")


def job_of(collection: Collection, *names: str) -> Job | None:
    """The latest job of these kinds."""
    return Job.objects.filter(collection_id=collection.pk, name__in=names).order_by("-pk").first()


def made_by(job: Job) -> Release | None:
    """The release that a job has frozen, if it did."""
    if job.started_at is None or job.finished_at is None:
        return None
    while_it_ran = job.started_at, job.finished_at
    return Release.objects.filter(collection=job.collection_id, frozen_by=job.started_by, frozen_at__range=while_it_ran).first()


# Scores


def unscored(release: Release) -> QuerySet[Run]:
    """Runs that came, or were submitted again, after the scores were computed, or lack a measure that is official since."""
    names = [columns.JUDGED, *map(str, columns.measures(release.collection, release.counts))]
    there = Count("scores", filter=Q(scores__release=release, scores__measure__in=names))
    runs = release.collection.runs.select_related("upload").annotate(there=there)
    return runs.filter(Q(there__lt=len(names)) | ~_has_scores(release)).order_by("tag")


def late(release: Release) -> QuerySet[Run]:
    """Those without any since they were submitted, or submitted again, after the freeze; of which whoever asks may know:
    organizers of all, others of their own."""
    runs, seen = release.collection.runs.order_by("tag"), release.collection.release_states
    found = runs.filter(~_has_scores(release), created_at__gt=release.frozen_at)
    _whose, user = release.collection.scores_seen
    return found if seen is None else found.filter(submitted_by=user) if user else found.none()


def _has_scores(release: Release) -> Exists:
    return Exists(ScoreFile.objects.filter(release=release, run=OuterRef("pk"), run_sha256=OuterRef("upload__sha256")))


def score_files(release: Release) -> QuerySet[ScoreFile]:
    """The runs that have scores, by tag; not the scores of a file that was replaced since."""
    return release.score_files.filter(run_sha256=F("run__upload__sha256")).select_related("run").order_by("run__tag")


def table(file: ScoreFile) -> ScoreTable:
    return ScoreTable.read(store.path(file.path))


def means(release: Release) -> list[tuple[ScoreFile, dict[str, float]]]:
    """Every run that has scores, by tag, with its mean of each measure of both views; NaN where no topic defines it."""
    found: dict[int, dict[str, float]] = {}
    for run, measure, mean in Score.objects.filter(release=release).values_list("run_id", "measure", "mean"):
        found.setdefault(run, {})[measure] = np.nan if mean is None else mean
    return [(file, found.get(file.run_id, {})) for file in score_files(release)]


def natural(number: str) -> tuple[int, str]:
    return (int(number), "") if number.isascii() and number.isdigit() and len(number) < 19 else (10**19, number)


def topic_grades(release: Release, topic: str) -> dict[int, int]:
    """How many documents of a topic have each grade."""
    found = qrels(release)
    at = np.flatnonzero(found.topics == topic.encode())
    values, counts = np.unique(found.grades[found.codes == (at[0] if len(at) else -1)], return_counts=True)
    return dict(zip(values.tolist(), counts.tolist(), strict=True))
