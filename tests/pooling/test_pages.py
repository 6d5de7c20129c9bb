"""The pages of collections and members: what each shows and changes, and bad input told at its field."""

import re
from typing import TYPE_CHECKING

import pytest
from django.test import Client
from django.urls import reverse

from config.models import Job
from pooling.core.presets import PRESETS
from pooling.models import Collection, Guideline
from pooling.services import collections
from tests.conftest import Cast, ClientFor

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Answer

pytestmark = pytest.mark.once  # what pages make of the same rows; tests/test_access.py opens each on both

HERE = "/c/harbour-trials/"
NEW = "four new words here"
ROLES = ("adjudicator", "assessor", "organizer", "participant", "researcher")


@pytest.fixture
def olga(cast: Cast, client_for: ClientFor) -> Client:
    return client_for(cast.organizer)


def toast(client: Client) -> str:
    """The message that the next page shows."""
    page = client.get("/").content.decode()
    found = re.search(r'class="toast[^>]*>(.*?)</', page, re.DOTALL)
    return re.sub(r"<[^>]+>", "", found[1]).strip() if found else ""


def errors(answer: "Answer", form: str = "form") -> dict[str, list[str]]:
    """The errors of a page's form by field; the page has them too, each at its field."""
    found: dict[str, list[str]] = dict(answer.context[form].errors)
    page = answer.content.decode()
    for field in found:
        if field != "__all__":
            assert f'id="{answer.context[form][field].auto_id}_error"' in page
    return found


# New collection


def given(**change: str) -> dict[str, str]:
    return {"name": "Boats", "slug": "boats", "task": "web", "description": "", "visibility": "private", **change}


def test_create_page_offers_every_task(olga: Client) -> None:
    page = olga.get("/collections/new/").content.decode()
    assert re.findall(r'name="task" value="([a-z-]+)"', page) == list(PRESETS)


def test_create_makes_a_collection_and_leads_there(cast: Cast, client_for: ClientFor) -> None:
    client = client_for(cast.stranger)
    assert client.post("/collections/new/", given())["Location"] == "/c/boats/"
    made = Collection.objects.get(slug="boats")
    assert (made.name, made.task, made.created_by) == ("Boats", "web", cast.stranger)
    assert client.get("/c/boats/").status_code == 200


@pytest.mark.parametrize(
    ("change", "field", "words"),
    [
        ({"name": ""}, "name", "Expected an entry; found nothing."),
        ({"name": "x" * 121}, "name", "Expected at most 120 characters; found 121."),
        ({"slug": "Boats & more"}, "slug", "Small letters, digits and hyphens, such as harbour-2026."),
        ({"slug": "BOATS"}, "slug", "Small letters, digits and hyphens, such as harbour-2026."),
        ({"slug": "harbour-trials"}, "slug", "There is a collection with this address already."),
        (
            {"task": "chess"},
            "task",
            "Expected one of ad-hoc, web, known-item, discussion, expert, question-answering, microblog; found “chess”.",
        ),
        ({"visibility": "open"}, "visibility", "Expected one of private, unlisted, public; found “open”."),
        ({"name": "a\0b"}, "name", "Expected text; found a null character in it."),
        ({"description": "x" * 5001}, "description", "Expected at most 5000 characters; found 5001."),
    ],
)
def test_create_refuses_at_the_field_and_stores_nothing(
    cast: Cast, olga: Client, change: dict[str, str], field: str, words: str
) -> None:
    answer = olga.post("/collections/new/", given(**change))
    found = errors(answer)
    assert (answer.status_code, list(found)) == (422, [field])
    assert found[field] == [words]
    assert not Collection.objects.filter(slug="boats").exists()


def test_no_field_cuts_what_is_typed(olga: Client) -> None:
    """A browser obeys maxlength without a word; the server says how much is too much, and gives back what was sent."""
    assert "maxlength" not in olga.get("/collections/new/").content.decode()
    assert f'value="{"x" * 121}"' in olga.post("/collections/new/", given(name="x" * 121)).content.decode()


# Overview


@pytest.mark.parametrize("who", ["organizer", "assessor", "adjudicator", "participant", "researcher", "staff"])
def test_overview_shows_the_line_and_to_organizers_what_is_theirs(cast: Cast, client_for: ClientFor, who: str) -> None:
    answer = client_for(getattr(cast, who)).get(HERE)
    labels = [stage.label for stage in answer.context["stages"]]
    assert (answer.status_code, labels) == (200, ["Members", "Topics", "Documents", "Runs", "Pool", "Judged", "Release"])
    assert ("Invite people" in answer.content.decode()) == (who in {"organizer", "staff"})
    assert answer.context["counts"] == (dict.fromkeys(ROLES, 1) if who in {"organizer", "staff"} else {})


def test_overview_leads_who_judges_to_the_guidelines(cast: Cast, client_for: ClientFor) -> None:
    assert "What counts as relevant" not in client_for(cast.assessor).get(HERE).content.decode()
    cast.collection.guidelines.create(version=3, text="Judge by the text.", written_by=cast.organizer)
    page = client_for(cast.assessor).get(HERE).content.decode()
    assert f'<a href="{HERE}guidelines/">What counts as relevant</a> <span class="soft small nowrap">version 3' in page
    assert "What counts as relevant" not in client_for(cast.organizer).get(HERE).content.decode()  # it is in the set-up


def test_overview_renders_the_description_harmlessly(cast: Cast, olga: Client) -> None:
    Collection.objects.update(description="**Boats** <script>alert(1)</script>")
    page = olga.get(HERE).content.decode()
    assert "<strong>Boats</strong> &lt;script&gt;" in page


def test_home_lists_mine_with_roles_and_public_ones_of_others(cast: Cast, client_for: ClientFor) -> None:
    Collection.objects.filter(slug="another-one").update(visibility="public")
    answer = client_for(cast.assessor).get("/")
    mine, public = answer.context["mine"], answer.context["public"]
    assert [(row.collection.slug, row.roles, row.members) for row in mine] == [("harbour-trials", ["assessor"], 5)]
    assert [(row.collection.slug, row.roles) for row in public] == [("another-one", [])]


def test_first_cells_head_their_rows(cast: Cast, client_for: ClientFor) -> None:
    page = client_for(cast.staff).get("/people/").content.decode()
    assert '<th scope="row" class="name" dir="auto">Olga Organizer</th>' in page
    assert 'Password link<span class="sr"> for Olga Organizer</span></button>' in page
    assert (
        '<th scope="row" class="name" dir="auto">Olga Organizer'
        in client_for(cast.organizer).get(f"{HERE}members/").content.decode()
    )


def test_overview_marks_both_thresholds_on_the_scale(cast: Cast, olga: Client) -> None:
    """Relevant from 1, strictly from 2; a threshold for both is marked once."""
    marks = re.compile('<span class="soft small">(relevant|strictly) from here</span>')
    assert marks.findall(olga.get(HERE).content.decode()) == ["relevant", "strictly"]
    Collection.objects.filter(pk=cast.collection.pk).update(strict_from=1)
    assert marks.findall(olga.get(HERE).content.decode()) == ["relevant"]


# Settings


def settings_of(**change: str) -> dict[str, str]:
    return {"name": "Harbour", "description": "x", "visibility": "public", "measures": "AP, nDCG@10 AP", **change}


def test_settings_page_shows_what_is_stored(olga: Client) -> None:
    form = olga.get(f"{HERE}settings/").context["form"]
    assert {name: form[name].value() for name in form.fields} == {
        "name": "Harbour trials",
        "description": "",
        "visibility": "private",
        "authors": "",
        "genre": "",
        "languages": "",
        "licence": "",
        "source": "",
        "crawl": "",
        "measures": "AP nDCG",
    }


def test_settings_are_changed(cast: Cast, olga: Client) -> None:
    assert olga.post(f"{HERE}settings/", settings_of())["Location"] == f"{HERE}settings/"
    cast.collection.refresh_from_db()
    found = cast.collection
    assert (found.name, found.visibility, found.measures) == ("Harbour", "public", ["AP", "nDCG@10"])


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"name": ""}, {"name": ["Expected an entry; found nothing."]}),
        ({"measures": ""}, {"measures": ["Expected an entry; found nothing."]}),
        (
            {"crawl": "200 7; total 8"},
            {"crawl": ["The counts add up to 7, but the total says 8. Correct a count or the total."]},
        ),
        (
            {"languages": "en, klingon!!"},
            {"languages": ["Expected tags of languages, such as en, hi or pt-BR; found “klingon!!”."]},
        ),
        ({"measures": "P"}, {"measures": ['"P": P needs a cutoff, as in P@10.']}),
    ],
)
def test_settings_refuse_and_keep_what_was(
    cast: Cast, olga: Client, change: dict[str, str], expected: dict[str, list[str]]
) -> None:
    answer = olga.post(f"{HERE}settings/", settings_of(**change))
    assert (answer.status_code, errors(answer)) == (422, expected)
    assert '<h1 dir="auto">Harbour trials<span class="sr">: Settings</span></h1>' in answer.content.decode()
    cast.collection.refresh_from_db()
    assert (cast.collection.name, cast.collection.measures) == ("Harbour trials", ["AP", "nDCG"])


# Scale


def scale_form(*rows: tuple[int, str, str], lenient: str = "1", strict: str = "1", **more: str) -> dict[str, str]:
    data = {"grade-TOTAL_FORMS": str(len(rows)), "grade-INITIAL_FORMS": "0", "lenient_from": lenient, "strict_from": strict}
    for index, (value, label, key) in enumerate(rows):
        names = {"value": str(value), "label": label, "key": key, "definition": "", "example": ""}
        data |= {f"grade-{index}-{name}": text for name, text in names.items()}
    return data | more


TWO = ((0, "No", "0"), (1, "Yes", "1"))


def test_scale_page_is_a_form_for_organizers_and_a_table_for_others(cast: Cast, client_for: ClientFor) -> None:
    used = {
        who: next(t.name for t in client_for(getattr(cast, who)).get(f"{HERE}scale/").templates)
        for who in ("organizer", "assessor")
    }
    assert used == {"organizer": "pooling/scale_edit.html", "assessor": "pooling/scale.html"}


def test_scale_is_saved(cast: Cast, olga: Client) -> None:
    assert olga.post(f"{HERE}scale/", scale_form(*TWO))["Location"] == f"{HERE}scale/"
    assert list(cast.collection.grades.values_list("value", "label", "key")) == list(TWO)


def test_scale_row_marked_for_removal_goes(cast: Cast, olga: Client) -> None:
    rows = (*TWO, (2, "More", "2"))
    olga.post(f"{HERE}scale/", scale_form(*rows, **{"grade-2-DELETE": "on"}))
    assert list(cast.collection.grades.values_list("value", flat=True)) == [0, 1]


@pytest.mark.parametrize(
    ("form", "words"),
    [
        (scale_form((0, "No", "0"), (1, "Yes", "0")), "Each grade needs its own key; 0 is used twice."),
        (scale_form(*TWO, lenient="7"), "The lenient threshold must be one of the grades 0, 1; found 7."),
        (scale_form(*TWO, lenient=""), "Expected an entry; found nothing."),
        (scale_form((0, "No", "0"), (1, "", "1")), "Expected an entry; found nothing."),
        (scale_form((0, "No", "0"), (1, "Yes", "x")), "One digit, 0 to 9."),
        (scale_form((0, "No", "0"), (999, "Yes", "1")), "Expected at most 127; found 999."),
        ({"lenient_from": "1", "strict_from": "1"}, "ManagementForm data is missing"),
    ],
)
def test_scale_refuses_in_words_and_keeps_the_old(cast: Cast, olga: Client, form: dict[str, str], words: str) -> None:
    answer = olga.post(f"{HERE}scale/", form)
    assert answer.status_code == 422
    assert words in answer.content.decode()
    assert cast.collection.grades.count() == 4


def test_scale_of_two_editors_is_a_conflict_once(cast: Cast, olga: Client) -> None:
    seen = olga.get(f"{HERE}scale/").context["form"]["seen"].value()
    three = (*TWO, (2, "More", "2"))
    assert olga.post(f"{HERE}scale/", scale_form(*three, seen=seen)).status_code == 302
    answer = olga.post(f"{HERE}scale/", scale_form(*TWO, seen=seen))
    words = "Somebody else changed the scale meanwhile. Look at it in another tab; saving again replaces it."
    assert (answer.status_code, errors(answer)) == (422, {"__all__": [words]})
    assert words in answer.content.decode()
    assert cast.collection.grades.count() == 3
    now = re.search(r'name="seen" value="(\w+)"', answer.content.decode())
    assert now and now[1] != seen
    assert olga.post(f"{HERE}scale/", scale_form(*TWO, seen=now[1])).status_code == 302
    assert cast.collection.grades.count() == 2


# Guidelines


def test_guidelines_page_tells_when_there_are_none(cast: Cast, olga: Client, client_for: ClientFor) -> None:
    assert "No guidelines yet" in olga.get(f"{HERE}guidelines/").content.decode()
    assert "The organizers have not written any." in client_for(cast.assessor).get(f"{HERE}guidelines/").content.decode()


def test_guidelines_are_written_and_every_version_can_be_read(cast: Cast, olga: Client, client_for: ClientFor) -> None:
    for version, text in enumerate(("# One", "# Two")):
        answer = olga.post(f"{HERE}guidelines/edit/", {"text": text, "base_version": str(version)})
        assert answer["Location"] == f"{HERE}guidelines/"
    reader = client_for(cast.assessor)
    shown = [reader.get(f"{HERE}guidelines/{path}").context["html"].strip() for path in ("", "1/", "2/")]
    assert shown == [f'<h2 dir="auto">{text}</h2>' for text in ("Two", "One", "Two")]


@pytest.mark.parametrize("version", ["0", "3", "99999999999999999999999"])
def test_guideline_version_that_does_not_exist_is_404_or_the_empty_page(olga: Client, version: str) -> None:
    assert olga.get(f"{HERE}guidelines/{version}/").status_code == (200 if version == "0" else 404)


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ({"text": "", "base_version": "1"}, {"text": ["Expected an entry; found nothing."]}),
        (
            {"text": "Mine", "base_version": "0"},
            {
                "__all__": [
                    "Version 1 was written meanwhile; yours began from version 0. Compare, then save again to replace it."
                ]
            },
        ),
    ],
)
def test_guidelines_refuse_and_give_the_text_back(
    cast: Cast, olga: Client, form: dict[str, str], expected: dict[str, list[str]]
) -> None:
    collections.write_guideline(cast.collection, by=cast.organizer, text="Theirs")
    answer = olga.post(f"{HERE}guidelines/edit/", form)
    assert (answer.status_code, dict(answer.context["form"].errors)) == (422, expected)
    assert answer.context["form"]["text"].value() == form["text"]
    assert Guideline.objects.count() == 1


def test_guidelines_conflict_shows_the_other_version_and_saving_again_makes_the_next(cast: Cast, olga: Client) -> None:
    collections.write_guideline(cast.collection, by=cast.organizer, text="Theirs")
    answer = olga.post(f"{HERE}guidelines/edit/", {"text": "Mine", "base_version": "0"})
    page = answer.content.decode()
    assert "Version 1, written meanwhile by <bdi>Olga Organizer</bdi>" in page
    assert '<p dir="auto">Theirs</p>' in page
    assert "Save as version 2" in page
    form = answer.context["form"]
    again = {name: form[name].value() for name in ("text", "base_version")}
    assert olga.post(f"{HERE}guidelines/edit/", again)["Location"] == f"{HERE}guidelines/"
    assert list(Guideline.objects.order_by("version").values_list("text", flat=True)) == ["Theirs", "Mine"]


def test_guidelines_editor_of_an_archived_collection_is_409(cast: Cast, olga: Client) -> None:
    collections.archive_collection(cast.collection)
    for answer in (
        olga.get(f"{HERE}guidelines/edit/"),
        olga.post(f"{HERE}guidelines/edit/", {"text": "x", "base_version": "0"}),
    ):
        assert answer.status_code == 409
        assert "This collection is archived; restore it first." in answer.content.decode()
    assert not Guideline.objects.exists()


# Archive, restore, export


def test_archive_and_restore_by_their_buttons(cast: Cast, olga: Client) -> None:
    assert olga.post(f"{HERE}archive/")["Location"] == HERE
    cast.collection.refresh_from_db()
    assert cast.collection.is_archived
    assert olga.post(f"{HERE}settings/", settings_of()).status_code == 409
    assert "stage-now" not in olga.get(HERE).content.decode()
    assert olga.post(f"{HERE}restore/")["Location"] == HERE
    cast.collection.refresh_from_db()
    assert not cast.collection.is_archived
    assert "stage-now" in olga.get(HERE).content.decode()


def test_export_leads_to_its_job(olga: Client) -> None:
    answer = olga.post(f"{HERE}export/")
    job = Job.objects.get()
    assert answer["Location"] == f"/jobs/{job.pk}/"
    assert "Export of Harbour trials" in olga.get(answer["Location"]).content.decode()


# All pages


def test_message_is_shown_on_the_next_page(olga: Client) -> None:
    olga.post(f"{HERE}archive/")
    assert toast(olga) == "“Harbour trials” is archived: it can be read, and nothing in it changes."


@pytest.mark.parametrize("address", ["/people/?q=%00", "/jobs/?collection=%00", "/people/?page=%00", "/?next=%00"])
def test_nul_in_an_address_is_no_error_of_ours(cast: Cast, client_for: ClientFor, address: str) -> None:
    assert client_for(cast.staff).get(address).status_code in {200, 400, 404}


def test_names_of_pages_have_addresses() -> None:
    assert reverse("members", args=["harbour-trials"]) == f"{HERE}members/"
