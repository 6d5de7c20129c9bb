"""Who sees a release in which state, and what the data sheet tells."""

import json
import re

import pytest
from django.utils import timezone

from evaluation import citation, dataset
from evaluation.services import releases
from pooling.services import members
from tests.assess.factories import make_documents
from tests.conftest import Cast, ClientFor
from tests.evaluation.factories import freeze, judge, make_item, score
from tests.evaluation.test_bundles import files

pytestmark = pytest.mark.once  # what pages make of the same rows; tests/test_access.py opens each on both

HERE = "/c/harbour-trials/"


@pytest.mark.parametrize(
    ("state", "seen"),
    [
        ("draft", {"organizer": 200, "participant": 404, "stranger": 404, "": 404}),
        ("private", {"organizer": 200, "participant": 200, "stranger": 404, "": 404}),
        ("public", {"organizer": 200, "participant": 200, "stranger": 200, "": 200}),
    ],
)
def test_each_state_has_its_readers(judged: Cast, client_for: ClientFor, state: str, seen: dict[str, int]) -> None:
    """Of an open collection: members of a private one are the same, and strangers see nothing of it at all."""
    judged.collection.visibility = "public"
    judged.collection.save()
    score(freeze(judged.collection, judged.organizer, state=state))
    for who, status in seen.items():
        client = client_for(getattr(judged, who) if who else None)
        for path in ("releases/1/", "releases/1/qrels/", "releases/1/archive/", "releases/1/scores/", "scores/alpha/"):
            answer = client.get(HERE + path)
            b"".join(answer)  # a file is closed once it is read
            assert answer.status_code == status, (who, path)
        assert ("Release 1" in client.get(f"{HERE}releases/").content.decode()) == (status == 200)
        page = client.get(HERE).content.decode()
        assert (">frozen<" in page or "up to date" in page) == (status == 200)
        assert ("alpha" in client.get(f"{HERE}leaderboard/").content.decode()) == (status == 200)
        assert ("release 1" in client.get("/").content.decode().lower()) == (state == "public")
    assert client_for(judged.assessor).get(f"{HERE}data/").status_code == 403


def test_withdrawn_leaves_a_tombstone_to_who_saw_it(judged: Cast, client_for: ClientFor) -> None:
    judged.collection.visibility = "public"
    judged.collection.save()
    release = freeze(judged.collection, judged.organizer, state="private")
    olga, stranger = client_for(judged.organizer), client_for(None)
    answer = olga.post(f"{HERE}releases/1/state/", {"state": "withdrawn", "note": "Topic 2 was <wrong>."})
    assert answer.headers["Location"] == f"{HERE}releases/1/"
    for client, status in ((olga, 410), (client_for(judged.participant), 410), (stranger, 404)):
        answer = client.get(f"{HERE}releases/1/")
        assert answer.status_code == status
        assert ("Topic 2 was &lt;wrong&gt;." in answer.content.decode()) == (status == 410)
        assert client.get(f"{HERE}releases/1/qrels/").status_code == status
    assert release.sha256 in olga.get(f"{HERE}releases/1/").content.decode()
    assert olga.post(f"{HERE}releases/1/state/", {"state": "public"}).status_code == 409


def test_data_sheet_tells_people_and_machines(judged: Cast, client_for: ClientFor) -> None:
    judged.collection.visibility = "public"
    judged.collection.description = "Tides </script><script>alert(1)</script>"
    told_of = {"genre": "news", "languages": "en, hi", "licence": "CC BY 4.0", "source": "Port <b>logs</b>"}
    for field, value in {**told_of, "crawl": "200 1200\n404 31\nnone 2\ntotal 1233"}.items():
        setattr(judged.collection, field, value)
    judged.collection.save()
    olga, stranger = client_for(judged.organizer), client_for(None)
    assert "Nothing is released yet" in stranger.get(f"{HERE}data/").content.decode()
    freeze(judged.collection, judged.organizer, state="draft")
    assert "ld+json" not in olga.get(f"{HERE}data/").content.decode()
    judge(make_item(judged.collection, "1", "a", by=judged.organizer), judged.assessor, 3)
    release = freeze(judged.collection, judged.organizer, state="public")
    page = stranger.get(f"{HERE}data/").content.decode()
    [found] = re.findall(r'<script type="application/ld\+json">(.*?)</script>', page, re.DOTALL)
    told = json.loads(found)
    assert (told["@type"], told["version"], told["identifier"]) == ("Dataset", "2", f"sha256:{release.sha256}")
    assert told["description"] == judged.collection.description and "<script>alert" not in page
    for words in ("All relevant documents are known", "Relevant per topic", "@misc{harbourtrials", "Krippendorff"):
        assert words in page
    assert judged.assessor.name not in page
    assert (told["license"], told["inLanguage"], told["genre"]) == ("CC BY 4.0", ["en", "hi"], "News")
    assert "Port &lt;b&gt;logs" in page
    archive = files(release)
    described = json.loads(archive["ir_datasets.json"])["harbour-trials/v2"]
    assert {field: described[field] for field in told_of} == told_of
    assert described["crawl"] == {"200": 1200, "404": 31, "none": 2, "total": 1233}
    assert described["qrels"]["relevant_per_query"] == 4 / 2 and described["task"] == "Ad hoc search"
    assert "1,233 addresses" in page and '404 <span class="soft">Not Found</span>' in page
    assert b"Crawl: 200 1200, 404 31, none 2, total 1233.\n" in archive["README.md"]
    assert b"Licence: CC BY 4.0.\n" in archive["README.md"]


def test_authors_are_cited_in_the_place_of_organizers(judged: Cast, client_for: ClientFor) -> None:
    """Who imported qrels did not make them. What is frozen stays as it is; the pages tell whom to cite now."""
    olga, before = client_for(judged.organizer), freeze(judged.collection, judged.organizer, state="draft")
    assert (
        f"{judged.organizer.name} ({before.frozen_at.year}): Harbour trials, release 1."
        in olga.get(f"{HERE}data/").content.decode()
    )
    given = "National Institute of Standards and Technology; Harman,  D.;"
    change = {"name": "Harbour trials", "description": "", "visibility": "private", "measures": "AP", "authors": given}
    assert olga.post(f"{HERE}settings/", change).status_code == 302
    cited = f"National Institute of Standards and Technology; Harman, D. ({before.frozen_at.year}): Harbour trials, release 1."
    bibtex = "author = {{National Institute of Standards and Technology} and Harman, D.},"
    names = [{"name": "National Institute of Standards and Technology"}, {"name": "Harman, D."}]
    for path in ("data/", "releases/1/"):
        page = olga.get(HERE + path).content.decode()
        assert cited in page and bibtex in page
    assert judged.organizer.name.encode() in files(before)["citation.bib"]
    judged.collection.refresh_from_db()
    judge(make_item(judged.collection, "1", "late", by=judged.organizer), judged.assessor, 1)
    archive = files(freeze(judged.collection, judged.organizer, state="draft"))
    assert bibtex.encode() in archive["citation.bib"] and b'  - name: "Harman, D."\n' in archive["CITATION.cff"]
    assert b"Authors: National Institute of Standards and Technology; Harman, D.\n" in archive["README.md"]
    assert citation.creators(judged.collection) == names


def test_documents_that_are_not_here_are_not_counted_as_none(judged: Cast, client_for: ClientFor) -> None:
    freeze(judged.collection, judged.organizer)
    page = client_for(judged.organizer).get(f"{HERE}data/").content.decode()
    assert "<dt>Documents</dt><dd>not held here</dd>" in page


def test_words_are_counted_where_no_blank_parts_them(judged: Cast) -> None:
    """Chinese by pairs of letters, as search has it; a blank, a full stop or a dash is no word."""
    make_documents(judged.collection, ["zh"], title="", text="信息检索评测。", language="zh")  # 信息 息检 检索 索评 评测
    make_documents(judged.collection, ["en"], title="Tides", text="Salmon – and eel – pass.", language="en")
    judged.collection.topics.filter(number="1").update(title="信息检索")
    judged.collection.topics.filter(number="2").update(title="Does it rain?")
    found = dataset.statistics(judged.collection)
    assert (found["words_per_document"], found["words_per_topic"]) == ((5 + 5) / 2, (3 + 3) / 2)
    assert (found["documents"], found["topics"], found["languages"]) == (2, 2, "en, zh")


def test_the_data_sheet_draws_grades_and_counts_judgments(judged: Cast, client_for: ClientFor) -> None:
    freeze(judged.collection, judged.organizer)
    olga = client_for(judged.organizer)
    page = " ".join(olga.get(f"{HERE}data/").content.decode().split())
    assert "<dt>Judgments</dt><dd>9, of 2 assessors</dd>" in page and "<dt>Judged documents</dt><dd>6</dd>" in page
    assert "Grade 1, " in page and ": 2 documents, 33.3%" in page
    told = json.loads(olga.get(f"{HERE}data/?table=grades&form=json").content)
    assert [(row["grade"], row["documents"]) for row in told["rows"]] == [(0, 2), (1, 2), (2, 1), (3, 1)]
    assert olga.get(f"{HERE}data/?figure=grades&form=svg").content.startswith(b"<svg")


def test_diff_live_qrels_and_effect_are_pages(judged: Cast, client_for: ClientFor) -> None:
    olga = client_for(judged.organizer)
    freeze(judged.collection, judged.organizer)
    judge(make_item(judged.collection, "1", "a", by=judged.organizer), judged.assessor, 0)
    freeze(judged.collection, judged.organizer)
    assert "From release 1 to release 2" in olga.get(f"{HERE}releases/2/diff/1/").content.decode()
    shown = olga.get(f"{HERE}releases/1/").content.decode()
    assert "round 1: " in shown and "On the grades</summary>" in shown and "Krippendorff" in shown
    assert "from resamples of these documents, as under “Every coefficient” of" in shown
    assert f'action="{HERE}live-qrels/"' in olga.get(f"{HERE}releases/").content.decode()
    for at in ("", "?at=", f"?at={timezone.now():%Y-%m-%d}"):  # as the form sends it
        assert olga.get(f"{HERE}live-qrels/{at}").content.startswith(b"1 0 a 0\n")
    assert olga.get(f"{HERE}live-qrels/?at=yesterday").status_code == 422
    machine = members.add_machine(judged.collection, name="llm")[0].user
    judge(make_item(judged.collection, "1", "b", by=judged.organizer), machine, 3)
    page = olga.get(f"{HERE}effect/?measure=P@10").content.decode()
    assert "Primary assessor and lower median" in page and "Each machine against the merged grades" in page
    assert "Does disagreement change the order of runs?" in page and '<svg class="bump"' in page
    assert olga.get(f"{HERE}effect/?measure=nonsense").status_code == 422


def test_a_public_release_needs_an_open_collection(judged: Cast, client_for: ClientFor) -> None:
    release = freeze(judged.collection, judged.organizer, state="draft")
    answer = client_for(judged.organizer).post(f"{HERE}releases/1/state/", {"state": "public"})
    assert (answer.status_code, "Make it public or unlisted first" in answer.content.decode()) == (409, True)
    assert releases.NEXT[release.state][0] == "private"
    releases.set_state(release, by=judged.organizer, state="private")
    asked = client_for(judged.organizer).get(f"{HERE}releases/1/").content.decode()
    [dialog] = re.findall(r'<dialog id="publish".*?</dialog>', asked, re.DOTALL)
    assert re.findall("<li>(.*?)</li>", dialog) == [
        "There is no description of the collection yet.",
        "There is no licence yet.",
        "There are no guidelines for assessors yet.",
        "The collection becomes public with it, and is listed for everybody; Settings can make it unlisted instead.",
        "Everybody who sees the collection can read and download qrels, scores, and every judgment and decision, with notes,"
        " passages and changes of mind.",
        "People are in it under pseudonyms.",
        "It can be withdrawn, but what was downloaded stays.",
    ]


def test_release_and_collection_become_public_in_one_act(judged: Cast, client_for: ClientFor) -> None:
    freeze(judged.collection, judged.organizer, state="draft")
    olga = client_for(judged.organizer)
    page = olga.get(f"{HERE}releases/1/").content.decode()
    assert "The collection becomes public with it" in page
    [dialog] = re.findall(r'<dialog id="publish".*?</dialog>', page, re.DOTALL)
    sent = dict(re.findall(r'type="hidden" name="(state|open_collection)" value="(\w+)"', dialog))
    assert "Make both public" in dialog and client_for(None).get(f"{HERE}releases/1/").status_code == 302
    assert olga.post(f"{HERE}releases/1/state/", sent).headers["Location"] == f"{HERE}releases/1/"
    assert client_for(None).get(f"{HERE}releases/1/").status_code == 200
    judge(make_item(judged.collection, "1", "a", by=judged.organizer), judged.assessor, 0)
    freeze(judged.collection, judged.organizer, state="draft")
    page = olga.get(f"{HERE}releases/2/").content.decode()
    assert "Make this release public?" in page and "open_collection" not in page


def test_what_a_release_would_lack_is_told_before(judged: Cast, client_for: ClientFor) -> None:
    """Beside the button; nothing where all is there."""
    olga = client_for(judged.organizer)
    lacking = "2 disagreements are open and follow the merge rule, which may leave some without a grade."
    assert lacking in olga.get(f"{HERE}releases/").content.decode()
    for docno in ("new", "newer"):
        make_item(judged.collection, "77", docno, by=judged.organizer)
    told = olga.get(f"{HERE}releases/").content.decode()
    assert f"2 of 8 pooled documents have no grade; 1 of 3 topics has none at all; {lacking}" in told
    assert lacking not in client_for(judged.participant).get(f"{HERE}releases/").content.decode()
