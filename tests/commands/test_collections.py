import json
import zipfile
from pathlib import Path

import pytest

from pooling.models import Collection
from tests.commands.conftest import Assize
from tests.conftest import Cast

pytestmark = [pytest.mark.django_db, pytest.mark.once]
SCALE = {
    "grades": [
        {"value": 0, "label": "No", "definition": "", "example": "", "key": "0"},
        {"value": 1, "label": "Yes", "key": "1"},
    ],
    "lenient_from": 1,
    "strict_from": 1,
}


def test_list_is_a_table_or_json(assize: Assize, cast: Cast) -> None:
    shown = assize("collections", "list")
    assert shown.status == 0
    assert [line.split()[0] for line in shown.out.splitlines()] == ["SLUG", "another-one", "harbour-trials"]
    found = assize("collections", "list", "--json").json
    assert [list(row) for row in found] == [
        ["slug", "name", "task", "visibility", "members", "created_at", "archived_at"],
        ["slug", "name", "task", "visibility", "members", "created_at", "archived_at"],
    ]
    assert (found[1]["slug"], found[1]["members"], found[1]["archived_at"]) == ("harbour-trials", 5, None)


def test_archived_ones_are_listed_with_all(assize: Assize, cast: Cast) -> None:
    ended = assize("collections", "archive", "harbour-trials")
    assert (ended.status, ended.out, ended.err) == (0, "", "harbour-trials is archived.\n")
    assert [row["slug"] for row in assize("collections", "list", "--json").json] == ["another-one"]
    assert [row["slug"] for row in assize("collections", "list", "--all", "--json").json] == ["another-one", "harbour-trials"]
    refused = assize("collections", "edit", "harbour-trials", "--name", "New")
    assert refused.told == (1, "Error: This collection is archived; restore it first.")
    assert assize("collections", "restore", "harbour-trials").status == 0
    assert assize("collections", "edit", "harbour-trials", "--name", "New").status == 0


def test_show_tells_settings_and_scale(assize: Assize, cast: Cast) -> None:
    shown = assize("collections", "show", "harbour-trials")
    assert "visibility    private" in shown.out.splitlines()
    assert "Highly relevant" in shown.out
    facts = assize("collections", "show", "harbour-trials", "--json").json
    assert facts["grades"][3]["label"] == "Highly relevant"
    assert list(facts) == [
        *(
            "slug",
            "name",
            "description",
            "visibility",
            "task",
            "authors",
            "genre",
            "languages",
            "licence",
            "source",
            "crawl",
            "measures",
            "lenient_from",
            "strict_from",
            "grades",
        ),
        *("created_at", "archived_at"),
    ]


def test_create_acts_as_the_first_administrator(assize: Assize, cast: Cast) -> None:
    made = assize("collections", "create", "new-one", "--name", "New one", "--task", "web", "--visibility", "public")
    assert (made.status, made.out) == (0, "new-one\n")
    collection = Collection.objects.get(slug="new-one")
    assert (collection.created_by, collection.measures, collection.visibility) == (cast.staff, ["nDCG@10"], "public")
    assize("collections", "create", "newer", "--name", "Newer", "--task", "web", "--by", "olga-organizer@example.org")
    assert Collection.objects.get(slug="newer").created_by == cast.organizer


def test_create_without_an_administrator_says_what_to_do(assize: Assize, db: None) -> None:
    status, words = assize("collections", "create", "new", "--name", "New", "--task", "web").told
    assert status == 1
    assert words == "Error: There is no administrator yet: make one with `assize welcome`, or say who acts with --by USER."


def test_create_refuses_bad_input(assize: Assize, cast: Cast) -> None:
    taken = assize("collections", "create", "harbour-trials", "--name", "H", "--task", "web")
    assert taken.told == (1, "Error: slug: There is a collection with this address already.")
    odd = assize("collections", "create", "Not a slug", "--name", "H", "--task", "web")
    assert odd.status == 1 and odd.err.startswith("Error: slug: ") and odd.err.count("\n") == 1
    assert assize("collections", "create", "x", "--name", "H", "--task", "nothing").status == 2
    assert assize("collections", "create", "x", "--task", "web").status == 2


@pytest.mark.parametrize(
    "arguments", [["show"], ["edit"], ["scale"], ["guidelines"], ["archive"], ["restore"]], ids=lambda given: given[0]
)
def test_unknown_collection_is_named(assize: Assize, cast: Cast, arguments: list[str]) -> None:
    more = ["-"] if arguments == ["scale"] else []
    assert assize("collections", *arguments, "no-such", *more).told == (1, "Error: There is no collection “no-such”.")


def test_edit_changes_what_is_named_only(assize: Assize, cast: Cast) -> None:
    done = assize("collections", "edit", "harbour-trials", "--measures", "AP, nDCG@10,AP(rel=2)@100", "--description", "")
    assert (done.status, done.out) == (0, "")
    cast.collection.refresh_from_db()
    assert cast.collection.measures == ["AP", "nDCG@10", "AP(rel=2)@100"]
    assert (cast.collection.name, cast.collection.visibility) == ("Harbour trials", "private")
    odd = assize("collections", "edit", "harbour-trials", "--measures", "AP,10nDCG")
    assert odd.status == 1 and '"10nDCG" is not a measure' in odd.err


def test_a_crawl_is_told_by_status(assize: Assize, cast: Cast) -> None:
    assert assize("collections", "edit", "harbour-trials", "--crawl", "404 31; 200 1,200; none 2").status == 0
    assert "crawl         200 1200, 404 31, none 2, total 1233" in assize("collections", "show", "harbour-trials").out
    facts = assize("collections", "show", "harbour-trials", "--json").json
    assert facts["crawl"] == {"200": 1200, "404": 31, "none": 2, "total": 1233}
    refused = assize("collections", "edit", "harbour-trials", "--crawl", "200 1200; total 1233")
    words = "crawl: The counts add up to 1,200, but the total says 1,233. Correct a count or the total."
    assert refused.told == (1, f"Error: {words}")


def test_languages_are_told_by_their_tags(assize: Assize, cast: Cast) -> None:
    assert assize("collections", "edit", "harbour-trials", "--languages", "en hi,pt-BR,en").status == 0
    assert assize("collections", "show", "harbour-trials", "--json").json["languages"] == "en, hi, pt-BR"
    refused = assize("collections", "edit", "harbour-trials", "--languages", "English")
    words = "languages: Expected tags of languages, such as en, hi or pt-BR; found “English”."
    assert refused.told == (1, f"Error: {words}")


def test_scale_is_set_from_a_file_or_an_export(assize: Assize, cast: Cast, tmp_path: Path) -> None:
    file = tmp_path / "scale.json"
    file.write_text(json.dumps(SCALE))
    assert assize("collections", "scale", "harbour-trials", file).err == "harbour-trials has 2 grades.\n"
    cast.collection.refresh_from_db()
    assert [grade.label for grade in cast.collection.grades.all()] == ["No", "Yes"]
    assert (cast.collection.lenient_from, cast.collection.strict_from) == (1, 1)
    other = assize("collections", "show", "another-one", "--json").out
    assert assize("collections", "scale", "harbour-trials", "-", stdin=other).status == 0
    assert cast.collection.grades.count() == 4


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("{", "-: expected JSON: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)."),
        ("[]", "-: expected an object with grades (a list), lenient_from and strict_from."),
        ({"lenient_from": "1"}, '-: expected a whole number as lenient_from; found "1".'),
        ({"strict_from": True}, "-: expected a whole number as strict_from; found true."),
        ({"strict_from": 9}, "The strict threshold must be one of the grades 0, 1; found 9."),
        ({"grades": [1, 2]}, "Grade 1: expected an object with value, label, definition, example, key; found 1."),
        (
            {"grades": [{"value": 0, "label": "No", "key": "0", "colour": "red"}]},
            "Grade 1: expected value, label, definition, example, key; “colour” is unknown.",
        ),
        ({"grades": [{"value": 0}]}, "Grade 1: expected value, label, definition, example, key; “key” is missing."),
        ({"grades": [{"value": 0, "label": 1, "key": "0"}]}, "Grade 1: expected text as label; found 1."),
        ({"grades": [{"value": "0", "label": "No", "key": "0"}]}, 'Grade 1: expected a whole number as value; found "0".'),
        ({"grades": SCALE["grades"][:1]}, "A scale has 2 to 10 grades; found 1."),  # type: ignore[index]
    ],
)
def test_scale_refuses_bad_input(assize: Assize, cast: Cast, given: str | dict[str, object], words: str) -> None:
    text = given if isinstance(given, str) else json.dumps(SCALE | given)
    assert assize("collections", "scale", "harbour-trials", "-", stdin=text).told == (1, f"Error: {words}")
    assert cast.collection.grades.count() == 4


def test_guidelines_are_written_and_printed(assize: Assize, cast: Cast, tmp_path: Path) -> None:
    assert assize("collections", "guidelines", "harbour-trials").told == (1, "Error: harbour-trials has no guidelines yet.")
    written = assize("collections", "guidelines", "harbour-trials", "-", stdin="# Read\nthe document.\n")
    assert (written.status, written.out, written.err) == (0, "", "Version 1 is the current one.\n")
    shown = assize("collections", "guidelines", "harbour-trials")
    assert (shown.out, shown.err) == ("# Read\nthe document.\n", "Version 1\n")
    missing = assize("collections", "guidelines", "harbour-trials", tmp_path / "none.md")
    assert missing.told == (1, f"Error: {tmp_path}/none.md: No such file or directory.")
    assert assize("collections", "guidelines", "harbour-trials", "-", stdin="").told == (
        1,
        "Error: text: Expected an entry; found nothing.",
    )


def test_export_writes_the_whole_archive_or_nothing(assize: Assize, cast: Cast, tmp_path: Path) -> None:
    target = tmp_path / "out.zip"
    target.write_text("old")
    done = assize("export", "harbour-trials", "-o", target)
    assert (done.status, done.out) == (0, f"{target}\n")
    assert done.err == "Export of Harbour trials: 0 of 1 Writing the archive\nExport of Harbour trials: 1 of 1 2 files\n"
    assert zipfile.ZipFile(target).namelist() == ["harbour-trials/collection.json", "harbour-trials/members.csv"]
    assert list(tmp_path.iterdir()) == [target]


def test_export_goes_to_the_current_folder_by_default(
    assize: Assize, cast: Cast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert assize("export", "harbour-trials").out == "harbour-trials.zip\n"
    assert [path.name for path in tmp_path.iterdir()] == ["harbour-trials.zip"]


def test_export_refuses_bad_input(assize: Assize, cast: Cast, tmp_path: Path) -> None:
    assert assize("export", "no-such").told == (1, "Error: There is no collection “no-such”.")
    nowhere = tmp_path / "no" / "out.zip"
    ended = assize("export", "harbour-trials", "-o", nowhere)
    assert (ended.status, ended.err.splitlines()[-1]) == (1, f"Error: {nowhere}: No such file or directory.")
    assert list(tmp_path.iterdir()) == []
