"""Runs: checked, parsed once, stored as columns; what they may be and when they may come."""

from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import ProtectedError, QuerySet
from django.db.models.deletion import Collector
from django.utils import timezone

from config import store
from config.errors import Conflict, Invalid, Refusal
from config.models import User
from pooling import access, selectors
from pooling.core.findings import Report
from pooling.core.metadata import Metadata, checked_figures, read_metadata
from pooling.core.run_stream import check_file
from pooling.core.runs import RunRead
from pooling.docnos import all_docnos
from pooling.models import Collection, Role, Run, RunVersion, Upload, UploadKind, UploadState, WithdrawnRun
from pooling.services.collections import require_not_archived
from pooling.services.taking import Refused, close, locked
from pooling.services.topics import require_language
from pooling.services.work import Work

RULES = ("max_per_topic", "expected_per_topic", "runs_per_group", "strict_runs", "runs_open_at", "runs_close_at")
FIGURE_PREFIX = "figure_"


def take_run(upload: Upload, path: Path, report: Report, work: Work) -> Report:
    collection, replacing = upload.collection, bool(upload.options.get("replace"))
    corpus, docnos = selectors.corpus(collection), all_docnos(collection)
    work.progress(0, message="Checking every line")
    found = check_file(
        lambda: path.open("rb"),
        limit=settings.UPLOAD_MB * 1_000_000,
        most_lines=settings.UPLOAD_LINES,
        folder=work.folder(),
        topics=set(collection.topics.values_list("number", flat=True)),
        docnos=docnos,
        complete=corpus.is_complete,
        max_per_topic=collection.max_per_topic,
        depth=collection.expected_per_topic,
        strict=collection.strict_runs,
        tag_taken=None if replacing else partial(_tag_taken, collection, upload.uploaded_by),
        text_lengths=selectors.text_lengths(collection),
        repair=repairs_of(upload.options),
        tag=upload.options.get("tag", ""),
    )
    report, rankings = found.report, found.rankings
    if docnos is None:
        words = "No documents are imported yet, so docnos were not checked."
        report.add("warning", "DOCS_UNCHECKED", 0, words)
    about = read_metadata(upload.options.get("metadata") or found.header, report)
    if rankings is None or not report.ok:
        return report
    work.progress(0, message="Storing the run")
    aside = {name: work.folder() / f"{name}.npz" for name in _files(found)}
    for name, ranked in (("columns", rankings), ("passages", found.passages)):
        if ranked is not None:
            with aside[name].open("wb") as file:
                ranked.write(file)
                store.sync(file)
    _switch(upload, found, about, aside, work)
    return report


def _files(found: RunRead) -> list[str]:
    return ["columns"] if found.passages is None else ["columns", "passages"]


def _switch(upload: Upload, found: RunRead, about: Metadata, aside: dict[str, Path], work: Work) -> None:
    """The row, the verdict and the files, or nothing of them. The files first, under names that no row tells of yet: the
    disk takes its time, and nobody shall wait for the lock meanwhile. Cut off in between, the next try moves them again."""
    lines, topics = _counts(found)
    facts = {"tag": found.tag, "topics": topics, "lines": lines, "repaired": list(found.mended)}
    for name, file in aside.items():
        store.move(file, _path(upload, name))
    try:
        with work.finish(
            f"Run {found.tag}: {lines:,} line{'' if lines == 1 else 's'}, {topics:,} topic{'' if topics == 1 else 's'}"
        ):
            collection = locked(upload.collection_id, UploadKind.RUN)
            _store(collection, upload, found, about)
            close(upload, UploadState.ACCEPTED, found.report, facts)
            _replaced(upload).delete()
    except (IntegrityError, Refused) as error:
        for name in aside:
            store.remove(_path(upload, name))
        if isinstance(error, Refused):
            raise
        told = _tag_taken(upload.collection, upload.uploaded_by, found.tag)
        raise Refused("TAG_TAKEN", told) from None  # the same file twice at once: the other was first


def _replaced(upload: Upload) -> QuerySet[Upload]:
    """Reports of the same file as it was refused before."""
    same = {"kind": UploadKind.RUN, "name": upload.name, "uploaded_by": upload.uploaded_by_id, "pk__lt": upload.pk}
    return Upload.objects.filter(collection=upload.collection_id, state=UploadState.REFUSED, **same)


def _counts(found: RunRead) -> tuple[int, int]:
    ranked = found.passages if found.passages is not None else found.rankings
    return (len(ranked), len(ranked.topics)) if ranked is not None else (0, 0)


def _path(upload: Upload, name: str) -> str:
    ending = "" if name == "columns" else f"-{name}"
    return f"files/runs/{upload.collection_id}/{upload.pk}{ending}.npz"


def _store(collection: Collection, upload: Upload, found: RunRead, about: Metadata) -> Run:
    options, tag = upload.options, found.tag
    old = collection.runs.filter(tag=tag).select_related("upload").first()
    if old is not None:
        _keep(collection, old, upload)
    run = old or Run(collection=collection, tag=tag)
    run.upload, run.submitted_by = upload, upload.uploaded_by
    run.columns, run.passages = _path(upload, "columns"), "" if found.passages is None else _path(upload, "passages")
    # What was said, else what the file tells, else what the run had; a new one begins with the defaults.
    run.group = options.get("group") or about.group or run.group
    run.description = options.get("description") or about.description or run.description
    run.kind = options.get("kind") or about.kind or run.kind
    run.priority, run.language = int(options.get("priority", run.priority)), options.get("language", run.language)
    run.efficiency = {**run.efficiency, **about.figures, **figures_of(options)}
    run.metadata = about.whole or run.metadata
    run.line_count, run.topic_count = _counts(found)
    run.created_at = timezone.now()
    _require_room(collection, run)
    run.save()
    return run


def repairs_of(options: dict[str, str]) -> list[str]:
    return [name for name in options.get("repair", "").replace(",", " ").split() if name]


def figures_of(options: dict[str, str]) -> dict[str, float]:
    given = {name.removeprefix(FIGURE_PREFIX): value for name, value in options.items() if name.startswith(FIGURE_PREFIX)}
    return checked_figures(given)


def _tag_taken(collection: Collection, by: User, tag: str) -> str:
    """What is told to somebody who brings a tag that is in use; of one that is not, nothing."""
    run = collection.runs.filter(tag=tag).select_related("submitted_by").first()
    return _taken(run, by, Role.ORGANIZER in access.roles_in(by, collection)) if run else ""


def _taken(run: Run, by: User, organizes: bool) -> str:
    used, another = f'The tag "{run.tag}" is in use by', "choose another (“Tag, instead of the file’s”; in programs: tag)"
    if run.submitted_by_id != by.pk and not organizes:
        return f"{used} a run of somebody else; {another}."
    whose = "a run of yours" if run.submitted_by_id == by.pk else f"a run of {run.submitted_by.name}"
    replacing = "to replace that run, send the file again with “Replace runs of the same tag” (in programs: replace)"
    return f"{used} {whose}; {another}, or {replacing}."


def _keep(collection: Collection, run: Run, upload: Upload) -> None:
    """Let a run go into history, if whoever sends it again may replace it."""
    by = upload.uploaded_by
    organizes = Role.ORGANIZER in access.roles_in(by, collection)
    if not upload.options.get("replace") or not (organizes or run.submitted_by_id == by.pk):
        raise Refused("TAG_TAKEN", _taken(run, by, organizes))
    kept = {
        name: getattr(run, name) for name in ("version", "upload", "submitted_by", "topic_count", "line_count", "created_at")
    }
    RunVersion.objects.create(run=run, **kept)
    run.version += 1


def _require_room(collection: Collection, run: Run) -> None:
    """A run without a group counts as one of whoever submitted it."""
    most = collection.runs_per_group
    same = {"group": run.group} if run.group else {"group": "", "submitted_by": run.submitted_by}
    there = collection.runs.filter(**same).exclude(pk=run.pk).count()
    if most is not None and there >= most:
        whose = f"The group “{run.group}” has" if run.group else "You have"
        raise Refused(
            "GROUP_FULL", f"{whose} {there:,} run{'' if there == 1 else 's'} already; at most {most:,} may be submitted."
        )


def window(collection: Collection, now: datetime | None = None) -> str:
    """ "" while runs are taken, else why not."""
    now = now or timezone.now()
    if collection.runs_open_at and now < collection.runs_open_at:
        return f"Runs are taken from {collection.runs_open_at:%-d %B %Y, %H:%M} UTC on."
    if collection.runs_close_at and now >= collection.runs_close_at:
        return f"Runs were taken until {collection.runs_close_at:%-d %B %Y, %H:%M} UTC."
    return ""


def require_window(collection: Collection, by: User) -> None:
    """Organizers may add runs at any time."""
    closed = window(collection)
    if closed and Role.ORGANIZER not in access.roles_in(by, collection):
        raise Conflict(closed)


@transaction.atomic
def set_rules(collection: Collection, **rules: Any) -> Collection:
    """What a run may be and when it may come; runs that are there stay."""
    collection = Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)
    require_not_archived(collection)
    for name in RULES:
        given = rules.get(name, getattr(collection, name))
        setattr(collection, name, _moment(name, given) if isinstance(given, datetime) else given)
    collection.full_clean()
    collection.save(update_fields=RULES)
    return collection


def _moment(field: str, given: datetime) -> datetime:
    """Of UTC unless it says otherwise, and in years that every zone can show."""
    moment = given if given.tzinfo else given.replace(tzinfo=UTC)
    if not 1900 <= moment.year < 3000:
        raise Invalid(field, f"Expected a day and a time of the years 1900 to 2999; found “{moment.isoformat()}”.")
    return moment


@transaction.atomic
def edit_run(
    run: Run, *, group: str, kind: str, description: str, priority: int, language: str, efficiency: dict[str, Any]
) -> Run:
    """What is told of a run; its rankings stay as they are."""
    collection = Collection.objects.select_for_update(no_key=True).get(pk=run.collection_id)
    require_not_archived(collection)
    _require_there(run)
    try:
        run.efficiency = checked_figures(efficiency)
    except ValueError as error:
        raise Refusal(str(error)) from error
    run.group, run.kind, run.description = group.strip(), kind, description.strip()
    run.priority, run.language = priority, language if language == run.language else require_language(language.strip())
    run.full_clean()
    run.save(update_fields=["group", "kind", "description", "priority", "language", "efficiency"])
    return run


def why_kept(run: Run, by: User) -> str:
    """ "" while the run can be withdrawn, else why not: a participant's as long as runs are taken, anybody's as long as
    nothing rests on it."""
    organizes = Role.ORGANIZER in access.roles_in(by, run.collection)
    if (closed := window(run.collection)) and not organizes:
        return f"{closed} Ask the organizers if run {run.tag} is to be withdrawn."
    if used := _resting_on(run):
        more = "" if organizes else " For anything else ask the organizers."
        return f"Run {run.tag} cannot be withdrawn: {used}. A file of the same tag can replace it.{more}"
    return ""


def _resting_on(run: Run) -> str:
    """What would be lost with a run. That there are scores the database knows: they protect it (evaluation/models.py)."""
    pool = run.pools.order_by("round").first()
    if pool is not None:
        return f"round {pool.round} of the pool {'was' if pool.drawn_at else 'is being'} drawn from it"
    try:
        Collector(using=run._state.db or "default", origin=run).collect([run])
    except ProtectedError:
        return "there are scores of it"
    return ""


@transaction.atomic
def withdraw_run(run: Run, *, by: User) -> list[WithdrawnRun]:
    """Take a run away as if it had never come, but for its files: they are kept, with who sent and who withdrew them.

    Its parsed columns stay where they are, as those of a run that is replaced: somebody may be reading them."""
    collection = Collection.objects.select_for_update(no_key=True).get(pk=run.collection_id)  # no round is planned meanwhile
    require_not_archived(collection)
    run = _require_there(run)
    if kept := why_kept(run, by):
        raise Conflict(kept)
    told = ("version", "upload", "submitted_by", "topic_count", "line_count", "created_at")
    withdrawn = [
        WithdrawnRun(
            collection=collection,
            tag=run.tag,
            group=run.group,
            withdrawn_by=by,
            **{name: getattr(one, name) for name in told},
        )
        for one in (*run.earlier.order_by("version"), run)
    ]
    run.delete()
    for one in withdrawn:
        one.save()
    return withdrawn


def _require_there(run: Run) -> Run:
    """The run as it is now, unless it was withdrawn since it was looked up."""
    now = Run.objects.select_related("collection").filter(pk=run.pk).first()
    if now is None:
        raise Conflict(f"Run {run.tag} was withdrawn meanwhile.")
    return now
