"""Acts on a collection itself: make, edit, scale, guidelines, archive, export."""

import csv
import hashlib
import io
import json
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from config import expected, jobs
from config.errors import Closed, Conflict, Invalid, Refusal
from config.models import Job, User
from pooling import measures
from pooling.core import crawl, languages
from pooling.core.presets import PRESETS, GradeSpec
from pooling.models import Collection, Grade, Guideline, Membership, Role

DESCRIBED = (
    "authors",
    "genre",
    "languages",
    "licence",
    "source",
    "crawl",
)  # whose it is, and of the documents; each may be left empty


def names_of(authors: str) -> list[str]:
    return [name for part in authors.split(";") if (name := " ".join(part.split()))]


_SPELLED: dict[str, Callable[[str], str]] = {
    "authors": lambda text: "; ".join(names_of(text)),
    "crawl": crawl.spelled,
    "languages": languages.spelled,
}


@transaction.atomic
def create_collection(
    *, by: User, name: str, slug: str, task: str, description: str = "", visibility: str = "private", **described: str
) -> Collection:
    """A new collection with its task's scale, thresholds and measures; its maker is its first organizer.

    `described` are any of DESCRIBED.
    """
    preset = PRESETS[expected.require_one_of("task", task, PRESETS)]
    collection = Collection(
        name=name.strip(),
        slug=slug.strip(),
        description=description,
        visibility=visibility,
        task=task,
        lenient_from=preset.lenient,
        strict_from=preset.strict,
        measures=list(preset.measures),
        created_by=by,
        **_told(described),
    )
    collection.full_clean()
    collection.save()
    _store_grades(collection, preset.grades)
    Membership.objects.create(collection=collection, user=by, role=Role.ORGANIZER)
    return collection


@transaction.atomic
def edit_collection(
    collection: Collection, *, name: str, description: str, visibility: str, measures: Sequence[str], **described: str
) -> Collection:
    """Change what may change at any time, and of DESCRIBED what is named. The address (slug) and the task never do."""
    require_not_archived(collection)
    official = _spelled(measures)
    given = {"name": name.strip(), "description": description, "visibility": visibility, "measures": official}
    given |= _told(described)
    changed = [field for field, value in given.items() if getattr(collection, field) != value]
    for field in changed:
        setattr(collection, field, given[field])
    collection.full_clean()
    collection.save(update_fields=changed)  # only these: somebody else may change another one at the same time
    return collection


def _told(described: Mapping[str, str]) -> dict[str, str]:
    """What is told, as it is stored."""
    told = {field: text.strip() for field, text in described.items()}
    for field, spelled in _SPELLED.items():
        if told.get(field):
            try:
                told[field] = spelled(told[field])
            except ValueError as error:
                raise ValidationError({field: str(error)}) from error
    return told


def described(collection: Collection) -> dict[str, object]:
    """DESCRIBED for other programs: a crawl's counts by status."""
    return {**{field: getattr(collection, field) for field in DESCRIBED}, "crawl": crawl.counts(collection.crawl)}


def _spelled(names: Sequence[str]) -> list[str]:
    """The measures under the names they print, each once."""
    if not names:
        raise Invalid("measures", "Expected at least one measure, such as nDCG@10; found none.")
    try:
        return measures.spelled(names)
    except ValueError as error:
        raise Invalid("measures", str(error)) from error


@transaction.atomic
def set_scale(
    collection: Collection, *, grades: Sequence[GradeSpec], lenient_from: int, strict_from: int, seen: str = ""
) -> Collection:
    """Replace the relevance scale. Frozen once anybody has judged on it. `seen` is the mark of the scale the writer saw."""
    require_not_archived(collection)
    if Collection.objects.select_for_update().filter(pk=collection.pk, judging_started_at__isnull=False).exists():
        raise Conflict("The scale is frozen: judging has begun.")
    if seen and seen != scale_mark(collection):
        raise Conflict("Somebody else changed the scale meanwhile. Look at it in another tab; saving again replaces it.")
    values = [grade.value for grade in grades]
    if not 2 <= len(grades) <= 10:
        raise Refusal(f"A scale has 2 to 10 grades; found {len(grades)}.")
    for what, items in (("value", [str(value) for value in values]), ("key", [grade.key for grade in grades])):
        twice = sorted({item for item in items if items.count(item) > 1})
        if twice:
            raise Refusal(f"Each grade needs its own {what}; {', '.join(twice)} is used twice.")
    for what, threshold in (("lenient", lenient_from), ("strict", strict_from)):
        if threshold not in values:
            raise Refusal(
                f"The {what} threshold must be one of the grades {', '.join(map(str, sorted(values)))}; found {threshold}."
            )
        if threshold == min(values):
            raise Refusal(f"The {what} threshold must lie above the lowest grade, or every document would be relevant.")
    if strict_from < lenient_from:
        raise Refusal(f"The strict threshold ({strict_from}) cannot lie below the lenient one ({lenient_from}).")
    collection.grades.all().delete()
    _store_grades(collection, grades)
    collection.lenient_from, collection.strict_from = lenient_from, strict_from
    collection.save(update_fields=["lenient_from", "strict_from"])
    return collection


def scale_mark(collection: Collection) -> str:
    """A short mark of the scale as it is now, so that two who edit it at once do not overwrite each other unasked."""
    now = [*collection.grades.values_list("value", "label", "definition", "example", "key")]
    text = repr((now, collection.lenient_from, collection.strict_from))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _store_grades(collection: Collection, grades: Sequence[GradeSpec]) -> None:
    for spec in grades:
        grade = Grade(collection=collection, **asdict(spec))
        grade.full_clean()
        grade.save()


@transaction.atomic
def write_guideline(collection: Collection, *, by: User, text: str, base_version: int | None = None) -> Guideline:
    """A new version of the guidelines. `base_version` is the one the writer saw: two writers do not overwrite silently."""
    require_not_archived(collection)
    Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)
    latest = collection.guidelines.first()
    number = latest.version if latest else 0
    if base_version is not None and base_version != number:
        raise Conflict(
            f"Version {number} was written meanwhile; yours began from version {base_version}. Compare, then save again to replace it."
        )
    text = text.replace("\r\n", "\n").strip()
    if latest and latest.text == text:
        return latest
    guideline = Guideline(collection=collection, version=number + 1, text=text, written_by=by)
    guideline.full_clean()
    guideline.save()
    return guideline


@transaction.atomic
def archive_collection(collection: Collection) -> Collection:
    """Close a collection: it can be read and downloaded, and nothing in it changes."""
    if collection.archived_at is None:
        collection.archived_at = timezone.now()
        collection.save(update_fields=["archived_at"])
    return collection


@transaction.atomic
def restore_collection(collection: Collection) -> Collection:
    collection.archived_at = None
    collection.save(update_fields=["archived_at"])
    return collection


def require_not_archived(collection: Collection) -> None:
    if collection.is_archived:
        raise Closed("This collection is archived; restore it first.")


def require_grade(collection: Collection, grade: int) -> None:
    scale = dict(collection.grades.values_list("value", "label"))
    if grade not in scale:
        words = ", ".join(f"{value} ({label})" for value, label in scale.items())
        raise Refusal(f"Expected a grade of this collection's scale: {words}; found {grade}.")


def request_export(collection: Collection, *, by: User) -> Job:
    """Ask for the collection as one archive. Asked twice while it is being made, it is made once."""
    return jobs.intend(
        "export_collection",
        title=f"Export of {collection.short_name}",
        args={"collection": collection.pk},
        started_by=by,
        collection_id=collection.pk,
        dedupe=f"export:{collection.pk}:{by.pk}",
    )


def export_collection(collection: Collection, path: Path) -> int:
    """Write the collection's settings, scale, guidelines and members as a zip; the same state gives the same bytes."""
    files: dict[str, str] = {"collection.json": json.dumps(facts(collection), indent=2, ensure_ascii=False) + "\n"}
    for guideline in collection.guidelines.order_by("version"):
        files[f"guidelines/{guideline.version:04}.md"] = guideline.text + "\n"
    members = io.StringIO()
    rows = csv.writer(members, lineterminator="\n")
    rows.writerow(["user", "role", "kind", "since", "ended"])
    for member in collection.memberships.select_related("user").order_by("pk"):
        ended = member.ended_at.isoformat() if member.ended_at else ""
        kind = "machine" if member.user.is_machine else "person"
        rows.writerow([safe_cell(member.user.username), member.role, kind, member.since.isoformat(), ended])
    files["members.csv"] = members.getvalue()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(f"{collection.slug}/{name}", (2026, 1, 1, 0, 0, 0)), text)
    return len(files)


def safe_cell(text: str) -> str:
    """A spreadsheet runs cells that begin like a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def facts(collection: Collection) -> dict[str, object]:
    """What collection.json of an export holds."""
    return {
        "slug": collection.slug,
        "name": collection.name,
        "description": collection.description,
        "visibility": collection.visibility,
        "task": collection.task,
        **described(collection),
        "measures": collection.measures,
        "lenient_from": collection.lenient_from,
        "strict_from": collection.strict_from,
        "grades": list(collection.grades.values("value", "label", "definition", "example", "key")),
        "created_at": collection.created_at.isoformat(),
        "archived_at": collection.archived_at.isoformat() if collection.archived_at else None,
    }
