"""Topics in the making: tried out by search, blind to everybody else until they are accepted."""

import json
from pathlib import Path

import pytest
from pytest_django import Settings

from assess import drafting
from assess.core.estimating import Band, relevant_hits
from assess.models import Search, TopicDraft
from assess.services import drafting as acts
from config.errors import Conflict, Refusal
from pooling.models import Collection, Topic, UploadKind
from pooling.services import indexing, topics
from pooling.services.work import Direct
from tests.api.conftest import CallerFor, caller_for
from tests.commands.conftest import Assize, assize
from tests.conftest import Cast, ClientFor
from tests.pooling import files

__all__ = ["assize", "caller_for"]


def test_bands_are_weighed_by_what_was_drawn_of_them() -> None:
    """By hand: the first band is known, 2 of 4 of the second stand for 40 · 2/4; nothing is relevant of the third."""
    found = relevant_hits([Band(10, 10, 6), Band(40, 4, 2), Band(150, 8, 0)])
    assert found is not None and found.count == 6 + 20
    assert found.low == pytest.approx(6 + max(2, 40 * 0.0496) + 0, abs=0.1)  # Clopper-Pearson at 97.5 % of 2 of 4
    assert found.high == pytest.approx(6 + min(38, 40 * 0.9504) + 150 * (1 - 0.0125 ** (1 / 8)), abs=0.1)
    assert relevant_hits([Band(10, 10, 3)]) == relevant_hits([Band(10, 10, 3), Band(0, 0, 0)])
    assert relevant_hits([Band(10, 10, 3), Band(5, 0, 0)]) is None


@pytest.fixture
def trial(cast: Cast, settings: Settings, tmp_path: Path) -> Collection:
    """60 documents about cranes, of which every third is relevant to the draft."""
    settings.DATA = tmp_path / "data"
    collection, by = cast.collection, cast.organizer
    files.take(collection, by, UploadKind.TOPICS, b"1\twine\n")
    rows = [{"id": f"d{n:02}", "title": f"No {n}", "text": "harbour crane " + "rope " * (n % 7)} for n in range(60)]
    files.take(collection, by, UploadKind.DOCUMENTS, "".join(json.dumps(row) + "\n" for row in rows).encode())
    with Direct(lambda done, total, words: None) as work:
        indexing.index_documents(collection, work)
    return collection


def make(collection: Collection, cast: Cast, number: str = "2") -> TopicDraft:
    return acts.create_draft(collection, by=cast.organizer, number=number, texts={"title": "harbour cranes"})


def grade_all(draft: TopicDraft, cast: Cast) -> None:
    for hit, grade in drafting.tried(draft, cast.organizer).hits:
        if grade is None:
            acts.grade_hit(draft, by=cast.organizer, docno=hit.docno, grade=2 if int(hit.docno[1:]) % 3 == 0 else 0)


def test_the_estimate_comes_from_judged_hits_by_rank(trial: Collection, cast: Cast) -> None:
    draft = make(trial, cast)
    found = drafting.tried(draft, cast.organizer)
    assert (found.total, [len(band.hits) for band in found.bands], found.estimate) == (60, [10, 8, 8], None)
    again = [hit.docno for hit, _ in drafting.tried(draft, cast.organizer).hits]
    assert again == [hit.docno for hit, _ in found.hits]
    grade_all(draft, cast)
    told = drafting.tried(draft, cast.organizer).estimate
    assert told is not None and told.low <= 20 <= told.high and told.low < told.count < told.high
    acts.draw_more(draft)
    more = drafting.tried(TopicDraft.objects.get(), cast.organizer)
    assert set(again) < {hit.docno for hit, _ in more.hits} and more.left == 10 and more.estimate is None
    for _ in range(3):
        acts.draw_more(draft)
    grade_all(TopicDraft.objects.get(), cast)
    whole = drafting.tried(TopicDraft.objects.get(), cast.organizer).estimate
    assert whole is not None and (whole.count, whole.low, whole.high) == (20, 20, 20)


def test_a_draft_is_no_topic_until_it_is_accepted(trial: Collection, cast: Cast, client_for: ClientFor) -> None:
    draft = make(trial, cast)
    acts.grade_hit(draft, by=cast.organizer, docno="d03", grade=1)
    for user in (cast.assessor, cast.participant, cast.organizer):
        assert "harbour cranes" not in client_for(user).get(f"/c/{trial.slug}/topics/").content.decode()
    assert [topic.number for topic in trial.topics.all()] == ["1"]
    topic = acts.accept_draft(draft, by=cast.organizer, reason="some twenty")
    assert (topic.number, topic.title, topic.items.count(), topic.draft.state) == ("2", "harbour cranes", 0, "accepted")
    assert "harbour cranes" in client_for(cast.assessor).get(f"/c/{trial.slug}/topics/").content.decode()
    with pytest.raises(Conflict, match="The draft of topic 2 is accepted"):
        acts.drop_draft(draft, by=cast.organizer)


def test_numbers_grades_and_documents_are_checked(trial: Collection, cast: Cast) -> None:
    draft = make(trial, cast)
    with pytest.raises(Conflict, match="There is a topic 1 already"):
        make(trial, cast, "1")
    with pytest.raises(Conflict, match="There is a draft of topic 2 already"):
        make(trial, cast)
    with pytest.raises(Refusal, match="without blanks; found “2 3”"):
        make(trial, cast, "2 3")
    with pytest.raises(Refusal, match="title: Expected an entry; found nothing"):
        acts.edit_draft(draft, number="2", texts={"title": " "})
    with pytest.raises(Refusal, match=r"Expected a grade of this collection's scale: .*; found 7"):
        acts.grade_hit(draft, by=cast.organizer, docno="d03", grade=7)
    with pytest.raises(Refusal, match="There is no document “nowhere”"):
        acts.grade_hit(draft, by=cast.organizer, docno="nowhere", grade=1)


def test_frozen_topics_come_and_go_no_more(trial: Collection, cast: Cast) -> None:
    draft = make(trial, cast)
    with pytest.raises(Conflict, match="1 draft of a topic is open"):
        acts.freeze_topics(trial)
    acts.drop_draft(draft, by=cast.organizer, reason="too easy")
    acts.freeze_topics(trial)
    trial.refresh_from_db()
    with pytest.raises(Conflict, match="The topics are frozen: open them again first"):
        make(trial, cast, "3")
    with pytest.raises(Conflict, match="The topics are frozen: the organizers said so"):
        files.send(trial, cast.organizer, UploadKind.TOPICS, b"1\tbeer\n")
    changed = topics.edit_topic(Topic.objects.get(), by=cast.organizer, language="", texts={"title": "red wine"})
    assert changed.version == 2
    acts.open_topics(trial)
    assert make(trial, cast, "3").number == "3"


def test_a_draft_is_changed_by_command_and_more_is_drawn(trial: Collection, cast: Cast, assize: Assize) -> None:
    draft = make(trial, cast)
    before = draft.per_band
    done = assize(
        "topic-drafts", trial.slug, "--edit", draft.number, "--number", "9", "--title", "rope", "--more", "9", "--json"
    )
    draft.refresh_from_db()
    assert [(row["number"], row["title"]) for row in done.json] == [("9", "rope")]
    assert (draft.number, draft.title, draft.words, draft.per_band) == ("9", "rope", "rope", before + acts.MORE)
    assize("topic-drafts", trial.slug, "--edit", "9", "--words", "cable", "--narrative", "All of it.")
    assize("topic-drafts", trial.slug, "--edit", "9", "--title", "ropes")
    draft.refresh_from_db()
    assert (draft.title, draft.words, draft.narrative) == ("ropes", "cable", "All of it.")
    assert assize("topic-drafts", trial.slug, "--more", "7").status == 1


def test_by_page_api_and_command(
    trial: Collection, cast: Cast, client_for: ClientFor, caller_for: CallerFor, assize: Assize
) -> None:
    client, address = client_for(cast.organizer), f"/c/{trial.slug}/drafts/"
    assert client.post(address, {"number": "2", "title": "harbour cranes"}).status_code == 302
    draft = TopicDraft.objects.get()
    one = f"{address}{draft.pk}/"
    page = client.get(one).content.decode()
    assert "26 of the hits below are left to judge" in page and page.count('class="hit"') == 26
    assert client.post(one, {"act": "grade", "docno": "d03", "grade": "1"}).status_code == 302
    assert client.post(one, {"act": "grade", "docno": "d03"}).status_code == 422
    edited = {"act": "edit", "number": "2", "title": "cranes", "words": "harbour"}
    assert client.post(one, edited).status_code == 302
    assert Search.objects.filter(words="harbour cranes", topic=None).count() == 1
    call, base = caller_for(cast.organizer), f"/collections/{trial.slug}"
    told = call("GET", f"{base}/drafts/{draft.pk}")
    assert (told["words"], told["total"], told["estimate"], len(told["hits"])) == ("harbour", 60, None, 26)
    for hit in told["hits"]:
        call("POST", f"{base}/drafts/{draft.pk}/grades", {"docno": hit["docno"], "grade": 1})
    told = call("GET", f"{base}/drafts/{draft.pk}")
    assert told["estimate"] == 60 and told["high"] == 60 and told["low"] < 50
    assert "95 % interval" in client.get(one).content.decode()
    (row,) = assize("topic-drafts", trial.slug, "--json").json
    graded = {"d03", *(hit["docno"] for hit in told["hits"])}  # chance may have drawn d03, too: it goes by the draft's id
    assert (row["number"], row["estimate"], row["judged"]) == ("2", 60.0, len(graded))
    assert call("GET", f"{base}/drafts")[0]["state"] == "open"
    taken = Topic.objects.create(collection=trial, number="2", title="came by a file")
    refused = client.post(one, {"act": "accept"})
    assert refused.status_code == 422 and "Give the draft another number, then accept it." in refused.content.decode()
    taken.delete()
    assert client.post(one, {"act": "accept", "reason": "many"}).status_code == 302
    assize("topic-drafts", trial.slug, "--add", "7", "--title", "rope", "--drop", "7", "--freeze")
    assert [line["state"] for line in assize("topic-drafts", trial.slug, "--json").json] == ["accepted", "dropped"]
    assert "Open it again" in client.get(address).content.decode()
    assert client.post(address, {"act": "open"}).status_code == 302
