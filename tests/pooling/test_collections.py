"""Acts on a collection: make, edit, scale, guidelines, archive, export."""

import csv
import hashlib
import io
import json
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone
from pytest_django import Settings

from config import jobs
from config.errors import Conflict, Refusal
from config.models import Job
from pooling import measures
from pooling.core.presets import FOUR_GRADES, PRESETS, GradeSpec
from pooling.models import Collection, Grade, Guideline, Role
from pooling.services import collections, members
from tests import factories
from tests.conftest import Cast


def specs(collection: Collection) -> tuple[GradeSpec, ...]:
    rows = collection.grades.values("value", "label", "definition", "example", "key")
    return tuple(GradeSpec(**row) for row in rows)


# Make


@pytest.mark.parametrize("task", PRESETS)
def test_collection_starts_from_its_preset(db: None, task: str) -> None:
    olga, preset = factories.make_user("Olga"), PRESETS[task]
    made = collections.create_collection(by=olga, name=" Harbour ", slug="harbour", task=task)
    made.refresh_from_db()
    assert (made.name, made.task, made.visibility, made.created_by) == ("Harbour", task, "private", olga)
    assert (made.lenient_from, made.strict_from, made.measures) == (preset.lenient, preset.strict, list(preset.measures))
    assert specs(made) == preset.grades
    assert list(made.memberships.values_list("user", "role", "ended_at")) == [(olga.pk, "organizer", None)]


@pytest.mark.parametrize("task", PRESETS)
def test_preset_keeps_the_rules_of_a_scale(db: None, task: str) -> None:
    preset = PRESETS[task]
    made = factories.make_collection(factories.make_user(), task=task)
    collections.set_scale(made, grades=preset.grades, lenient_from=preset.lenient, strict_from=preset.strict)
    assert measures.spelled(preset.measures) == list(preset.measures)


@pytest.mark.parametrize(
    ("change", "field", "words"),
    [
        ({"slug": "Harbour"}, "slug", "Small letters, digits and hyphens, such as harbour-2026."),
        ({"slug": "Har bour"}, "slug", "Small letters, digits and hyphens, such as harbour-2026."),
        ({"slug": "-harbour"}, "slug", "Small letters, digits and hyphens, such as harbour-2026."),
        ({"slug": ""}, "slug", "Expected an entry; found nothing."),
        ({"name": "  "}, "name", "Expected an entry; found nothing."),
        ({"visibility": "open"}, "visibility", "Expected one of private, unlisted, public; found “open”."),
        ({"slug": "harbour-trials"}, "slug", "There is a collection with this address already."),
    ],
)
def test_collection_refuses_bad_facts_by_field(cast: Cast, change: dict[str, str], field: str, words: str) -> None:
    given = {"name": "New", "slug": "new", "task": "web", **change}
    with pytest.raises(ValidationError) as error:
        collections.create_collection(by=cast.organizer, **given)
    assert error.value.message_dict[field] == [words]
    assert Collection.objects.count() == 2


def test_collection_refuses_an_unknown_task(cast: Cast) -> None:
    with pytest.raises(Refusal) as error:
        collections.create_collection(by=cast.organizer, name="New", slug="new", task="chess")
    assert error.value.message == f"task: Expected one of {', '.join(PRESETS)}; found “chess”."


# Edit


def edit(collection: Collection, **change: object) -> Collection:
    given = {"name": "Harbour", "description": "", "visibility": "public", "measures": ["AP"], **change}
    return collections.edit_collection(collection, **given)  # type: ignore[arg-type]


def test_edit_changes_what_may_change(cast: Cast) -> None:
    edit(cast.collection, name="New name", description="Boats.", measures=["nDCG@10", "P@30", "AP(rel=2)"])
    found = Collection.objects.get(pk=cast.collection.pk)
    assert (found.name, found.description, found.visibility) == ("New name", "Boats.", "public")
    assert (found.measures, found.slug, found.task) == (["nDCG@10", "P@30", "AP(rel=2)"], "harbour-trials", "ad-hoc")


def test_official_measures_are_any_that_the_registry_knows(cast: Cast) -> None:
    given = ["ndcg_cut_10", "nDCG@10", "RBP(p=0.8)", "nDCG(form='jk',b=2)@20", "Avg11pt(points={0.2,0.5})", "AP(rel=2)"]
    edit(cast.collection, measures=given)
    cast.collection.refresh_from_db()
    assert cast.collection.measures == [
        "nDCG@10",
        "RBP(p=0.8)",
        "nDCG(form='jk',b=2)@20",
        "Avg11pt(points={0.2,0.5})",
        "AP(rel=2)",
    ]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([], "Expected at least one measure, such as nDCG@10; found none."),
        (["AP", "P@"], '"P@" is not a measure; did you mean P@10? All '),
        (["a b"], '"a b" is not a measure; expected one such as AP, '),
        (["<b>"], '"<b>" is not a measure; expected one such as AP, '),
        (["P@0"], '"P@0": the cutoff must be a whole number of at least 1, got 0.'),
        (["Coverage"], '"Coverage" is of what users know, and stands in the report of each run; expected a measure of '),
        (["PartP@5"], '"PartP@5" is of parts of documents, and stands in the report of runs that return passages; '),
    ],
)
def test_edit_refuses_odd_measures(cast: Cast, given: list[str], words: str) -> None:
    before = cast.collection.measures
    with pytest.raises(Refusal) as error:
        edit(cast.collection, measures=given)
    assert error.value.message.startswith(f"measures: {words}")
    cast.collection.refresh_from_db()
    assert cast.collection.measures == before


# Scale


def scale(collection: Collection, grades: list[GradeSpec], lenient: int = 1, strict: int = 2) -> Collection:
    return collections.set_scale(collection, grades=grades, lenient_from=lenient, strict_from=strict)


def grades(*values: int) -> list[GradeSpec]:
    return [GradeSpec(value, f"Grade {value}", key=str(index)) for index, value in enumerate(values)]


def test_scale_is_replaced_whole(cast: Cast) -> None:
    wanted = [GradeSpec(-1, "Spam", "Not a page.", "x", "9"), *grades(0, 5)]
    scale(cast.collection, wanted, 0, 5)
    found = Collection.objects.get(pk=cast.collection.pk)
    assert (found.lenient_from, found.strict_from) == (0, 5)
    assert specs(found) == tuple(wanted)


@pytest.mark.parametrize(
    ("given", "lenient", "strict", "words"),
    [
        (grades(0), 0, 0, "A scale has 2 to 10 grades; found 1."),
        (grades(*range(11)), 1, 2, "A scale has 2 to 10 grades; found 11."),
        ([*grades(0, 1), replace(FOUR_GRADES[1], key="5")], 1, 1, "Each grade needs its own value; 1 is used twice."),
        ([*grades(0, 1), GradeSpec(2, "Two", key="0")], 1, 2, "Each grade needs its own key; 0 is used twice."),
        (grades(0, 1), 2, 2, "The lenient threshold must be one of the grades 0, 1; found 2."),
        (grades(0, 1), 1, 7, "The strict threshold must be one of the grades 0, 1; found 7."),
        (grades(0, 1), 0, 1, "The lenient threshold must lie above the lowest grade, or every document would be relevant."),
        (grades(0, 1, 2), 2, 1, "The strict threshold (1) cannot lie below the lenient one (2)."),
    ],
)
def test_scale_refuses_each_fault_in_words(cast: Cast, given: list[GradeSpec], lenient: int, strict: int, words: str) -> None:
    before = specs(cast.collection)
    with pytest.raises(Refusal) as error:
        scale(cast.collection, given, lenient, strict)
    assert error.value.message == words
    assert specs(cast.collection) == before


@pytest.mark.parametrize(
    ("bad", "field", "words"),
    [
        (GradeSpec(128, "Far", key="3"), "value", "Expected at most 127; found 128."),
        (GradeSpec(2, "", key="3"), "label", "Expected an entry; found nothing."),
        (GradeSpec(2, "Two", key="x"), "key", "One digit, 0 to 9."),
    ],
)
def test_scale_with_a_bad_grade_changes_nothing(cast: Cast, bad: GradeSpec, field: str, words: str) -> None:
    before = specs(cast.collection)
    with pytest.raises(ValidationError) as error:
        scale(cast.collection, [*grades(0, 1), bad], 1, 1)
    assert error.value.message_dict == {field: [words]}
    assert specs(cast.collection) == before


def test_scale_is_frozen_by_the_first_judgment(cast: Cast) -> None:
    Collection.objects.update(judging_started_at=timezone.now())  # by somebody else, after this one was loaded
    with pytest.raises(Conflict) as error:
        scale(cast.collection, grades(0, 1, 2))
    assert error.value.message == "The scale is frozen: judging has begun."
    assert specs(cast.collection) == FOUR_GRADES


def test_scale_seen_before_another_changed_it_is_a_conflict(cast: Cast) -> None:
    seen = collections.scale_mark(cast.collection)
    given = {"grades": grades(0, 1, 2), "lenient_from": 1, "strict_from": 2}
    collections.set_scale(cast.collection, **given, seen=seen)  # type: ignore[arg-type]
    with pytest.raises(Conflict, match="Somebody else changed the scale meanwhile"):
        collections.set_scale(cast.collection, **given, seen=seen)  # type: ignore[arg-type]
    now = collections.scale_mark(cast.collection)
    assert collections.set_scale(cast.collection, **given, seen=now)  # type: ignore[arg-type]


@pytest.mark.parametrize("change", [{"value": 0}, {"key": "0"}])
def test_database_refuses_two_grades_of_one_value_or_key(cast: Cast, change: dict[str, object]) -> None:
    row = {"collection": cast.collection, "value": 9, "label": "Nine", "key": "9", **change}
    with pytest.raises(IntegrityError), transaction.atomic():
        Grade.objects.create(**row)


def test_database_refuses_a_strict_threshold_below_the_lenient(cast: Cast) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        Collection.objects.filter(pk=cast.collection.pk).update(strict_from=0)


# Guidelines


def write(cast: Cast, text: str, base: int | None = None) -> Guideline:
    return collections.write_guideline(cast.collection, by=cast.organizer, text=text, base_version=base)


def test_guidelines_are_kept_in_versions(cast: Cast) -> None:
    write(cast, "First.\r\nTwo lines. ", 0)
    write(cast, "Second.", 1)
    rows = cast.collection.guidelines.values_list("version", "text", "written_by")
    assert list(rows) == [(2, "Second.", cast.organizer.pk), (1, "First.\nTwo lines.", cast.organizer.pk)]


def test_guidelines_written_again_alike_make_no_version(cast: Cast) -> None:
    assert write(cast, "Same.") == write(cast, " Same.\n")


def test_guidelines_refuse_a_lost_update(cast: Cast) -> None:
    write(cast, "First.", 0)
    with pytest.raises(Conflict) as error:
        write(cast, "Mine.", 0)
    assert error.value.message == (
        "Version 1 was written meanwhile; yours began from version 0. Compare, then save again to replace it."
    )
    assert list(cast.collection.guidelines.values_list("text", flat=True)) == ["First."]


def test_guidelines_refuse_no_text(cast: Cast) -> None:
    with pytest.raises(ValidationError) as error:
        write(cast, " \r\n ")
    assert error.value.message_dict == {"text": ["Expected an entry; found nothing."]}


# Archive


def test_archive_blocks_every_change_until_restored(cast: Cast) -> None:
    machine = members.add_machine(cast.collection, name="judge")[0]
    collection = collections.archive_collection(cast.collection)
    machine.collection = collection
    acts = (
        lambda: edit(collection),
        lambda: scale(collection, grades(0, 1, 2)),
        lambda: write(cast, "New."),
        lambda: members.invite(collection, by=cast.organizer, role="assessor"),
        lambda: members.add_machine(collection, name="llm"),
        lambda: members.renew_machine_token(machine),
    )
    for act in acts:
        with pytest.raises(Conflict, match="archived; restore it first"):
            act()
    collections.restore_collection(collection)
    assert edit(collection).visibility == "public"


def test_archive_again_keeps_the_first_moment(cast: Cast) -> None:
    first = collections.archive_collection(cast.collection).archived_at
    assert collections.archive_collection(cast.collection).archived_at == first


def test_archived_collection_takes_no_new_members(cast: Cast) -> None:
    [invitation] = members.invite(cast.collection, by=cast.organizer, role="assessor")
    collections.archive_collection(cast.collection)
    invitation.refresh_from_db()
    with pytest.raises(Conflict, match="it takes no new members"):
        members.accept_invitation(invitation, user=cast.stranger)


# Export


def test_export_of_the_same_state_has_the_same_bytes(cast: Cast, tmp_path: Path) -> None:
    write(cast, "Judge what you read.")
    for name in ("one.zip", "two.zip"):
        assert collections.export_collection(cast.collection, tmp_path / name) == 3
    digests = {hashlib.sha256((tmp_path / name).read_bytes()).hexdigest() for name in ("one.zip", "two.zip")}
    assert len(digests) == 1


def test_export_holds_settings_guidelines_and_members(cast: Cast, tmp_path: Path) -> None:
    write(cast, "Judge what you read.")
    collections.export_collection(cast.collection, tmp_path / "x.zip")
    with zipfile.ZipFile(tmp_path / "x.zip") as archive:
        files = {name: archive.read(name).decode() for name in archive.namelist()}
    assert json.loads(files.pop("harbour-trials/collection.json")) == collections.facts(cast.collection)
    assert files.pop("harbour-trials/guidelines/0001.md") == "Judge what you read.\n"
    rows = list(csv.DictReader(io.StringIO(files.pop("harbour-trials/members.csv"))))
    assert [(row["user"], row["role"], row["kind"], row["ended"]) for row in rows] == [
        ("olga-organizer", "organizer", "person", ""),
        *((f"member-{role}", role, "person", "") for role in Role.values if role != "organizer"),
    ]
    assert files == {}


def test_export_cell_cannot_begin_a_formula(cast: Cast, tmp_path: Path) -> None:
    eve = factories.make_user("Eve")
    type(eve).objects.filter(pk=eve.pk).update(username="+1-2")
    factories.join(cast.collection, eve, Role.RESEARCHER)
    collections.export_collection(cast.collection, tmp_path / "x.zip")
    with zipfile.ZipFile(tmp_path / "x.zip") as archive:
        assert "\n'+1-2,researcher,person," in archive.read("harbour-trials/members.csv").decode()


def test_export_asked_for_twice_is_made_once(cast: Cast) -> None:
    first = collections.request_export(cast.collection, by=cast.organizer)
    assert collections.request_export(cast.collection, by=cast.organizer) == first
    assert Job.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_export_job_makes_the_archive_and_twice_does_no_harm(cast: Cast, settings: Settings, tmp_path: Path) -> None:
    settings.DATA = tmp_path
    job = collections.request_export(cast.collection, by=cast.organizer)
    for _ in range(2):
        jobs.run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.message, job.attempt) == ("done", "2 files", 1)
    assert job.output == f"files/exports/{job.pk}/harbour-trials.zip"
    collections.export_collection(cast.collection, tmp_path / "again.zip")
    assert (tmp_path / job.output).read_bytes() == (tmp_path / "again.zip").read_bytes()
    assert list((tmp_path / "aside").iterdir()) == []
