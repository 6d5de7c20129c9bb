"""Pages of releases and scores: what each role sees, each state, downloads, and how many queries they take."""

import csv
import json
import re
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from config import jobs
from config.doctor import examine
from config.models import Job
from evaluation import evaluate, figures, reports, selectors, standings, topic_reports
from evaluation.core.catalogue import DEFINITIONS
from evaluation.models import Release
from evaluation.services import releases
from pooling.models import Collection, Corpus, PoolItem, Run
from pooling.services import collections
from tests.commands.conftest import Assize, assize
from tests.conftest import Cast, ClientFor
from tests.evaluation import factories

__all__ = ["assize"]
pytestmark = pytest.mark.once  # what pages make of the same rows; tests/test_access.py opens each on both

HERE = "/c/harbour-trials/"
PAGES = ("releases/", "releases/1/", "leaderboard/", "leaderboard/topics/1/", "scores/alpha/")
FILES = ("releases/1/qrels/", "leaderboard/scores.csv", "leaderboard/topics.csv", "scores/alpha/trec_eval/")
SEE = ("organizer", "participant", "researcher", "staff")


@pytest.fixture
def olga(cast: Cast, client_for: ClientFor) -> Client:
    return client_for(cast.organizer)


def status(client: Client, path: str) -> int:
    answer = client.get(path)
    for close in getattr(answer, "_resource_closers", []):
        close()  # answer.close() would end the test's connection too
    return int(answer.status_code)


def text(client: Client, path: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", client.get(HERE + path).content.decode()))


# Who sees


@pytest.mark.parametrize("path", [*PAGES, *FILES])
def test_private_scores_by_role(release: Release, judged: Cast, client_for: ClientFor, path: str) -> None:
    found = {who: status(client_for(getattr(judged, who)), HERE + path) for who in SEE}
    assert found == dict.fromkeys(SEE, 200)
    for who, expected in (("assessor", 403), ("adjudicator", 403), ("stranger", 404), ("other_organizer", 404)):
        assert status(client_for(getattr(judged, who)), HERE + path) == expected
    assert status(client_for(None), HERE + path) == 302


def test_strangers_are_told_what_is_judged_in_the_newest_public_release(
    release: Release, judged: Cast, client_for: ClientFor
) -> None:
    """What is wanted, and what nobody has been asked for yet, is the campaign's own."""
    Collection.objects.filter(pk=judged.collection.pk).update(visibility="public")
    told = text(client_for(None), "")
    assert f"{release.counts['items']} documents in release 1" in told
    assert "wanted" not in told and "without assessor" not in told
    assert "stage-now" not in client_for(None).get(HERE).content.decode()  # nothing is theirs to do
    factories.judge(factories.make_item(judged.collection, "1", "later", by=judged.organizer), judged.assessor, 1)
    assert f"{release.counts['items']} documents in release 1" in text(client_for(judged.stranger), "")
    releases.set_state(release, by=judged.organizer, state="withdrawn", note="Wrong.")
    assert "nothing released yet" in text(client_for(None), "")


@pytest.mark.parametrize("visibility", ["public", "unlisted"])
@pytest.mark.parametrize("path", [*PAGES, *FILES])
def test_open_scores_are_for_all_but_its_judges(
    release: Release, judged: Cast, client_for: ClientFor, path: str, visibility: str
) -> None:
    Collection.objects.filter(pk=judged.collection.pk).update(visibility=visibility)
    for who in (None, judged.stranger, judged.participant):
        assert status(client_for(who), HERE + path) == 200
    for blind in (judged.assessor, judged.adjudicator):
        answer = client_for(blind).get(HERE + path)
        assert answer.status_code == 403
        assert "Scores tell which runs found what" in answer.content.decode()


def test_ended_assessor_sees_an_open_collection(release: Release, judged: Cast, client_for: ClientFor) -> None:
    Collection.objects.filter(pk=judged.collection.pk).update(visibility="public")
    judged.collection.memberships.filter(user=judged.assessor).update(ended_at=release.frozen_at)
    assert client_for(judged.assessor).get(HERE + "leaderboard/").status_code == 200


@pytest.mark.parametrize("who", ["organizer", "assessor", "participant"])
def test_tabs_are_for_who_may(release: Release, judged: Cast, client_for: ClientFor, who: str) -> None:
    page = client_for(getattr(judged, who)).get(HERE).content.decode()
    assert (f'href="{HERE}leaderboard/"' in page, f'href="{HERE}releases/"' in page) == ((who != "assessor"),) * 2


@pytest.mark.parametrize("path", ["compare/", "agreement/", "effect/", "scores/alpha/", "leaderboard/topics/1/", "topics/"])
def test_links_and_folds_of_one_page_have_names_of_their_own(release: Release, judged: Cast, olga: Client, path: str) -> None:
    """Heard out of place, “CSV” seven times over tells nothing."""
    judged.collection.topics.update(narrative="Say why.")
    factories.score(release)
    page = olga.get(f"{HERE}{path}", follow=True).content.decode()
    folds = [told(summary) for summary in re.findall(r"<summary.*?>(.*?)</summary>", page, re.DOTALL)]
    assert len(folds) == len(set(folds))
    leads: dict[str, set[str]] = {}
    for href, words in re.findall(r'<a [^>]*?href="([^"]*form=\w+[^"]*)"[^>]*>(.*?)</a>', page, re.DOTALL):
        leads.setdefault(told(words), set()).add(href)
    assert {name: found for name, found in leads.items() if len(found) > 1} == {}
    assert leads or path == "topics/"


def told(markup: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", "", markup).split())


def test_empty_pages_lead_organizers_on(cast: Cast, olga: Client) -> None:
    def way(path: str) -> list[str]:
        return re.findall(
            r'<a class="button primary" href="/c/harbour-trials/([^"]*)">', olga.get(f"{HERE}{path}").content.decode()
        )

    assert (way("data/"), way("effect/"), way("pool/compare/"), way("drafts/")) == (["releases/"], ["runs/"], ["runs/"], [])
    for tag in ("alpha", "beta"):
        factories.make_run(cast.collection, tag, factories.ALPHA, by=cast.organizer)
    assert (way("effect/"), way("pool/compare/")) == (["assign/"], ["assign/"])
    assert "Simulate" not in text(olga, "pool/compare/") and "Freeze the topics" not in text(olga, "drafts/")


# Freezing


def test_freeze_asks_for_a_job_and_the_page_follows_it(judged: Cast, olga: Client) -> None:
    page = text(olga, "releases/")
    assert "No release yet" in page and "9 judgments so far" in page and "Freeze a release…" in page
    answer = olga.post(f"{HERE}releases/", {"rule": "max", "note": "Spring"})
    job = Job.objects.get(name="freeze_release")
    assert (answer.status_code, answer["Location"]) == (302, f"{HERE}releases/?job={job.pk}")
    assert (job.args["rule"], job.args["note"], job.started_by) == ("max", "Spring", judged.organizer)
    page = olga.get(answer["Location"]).content.decode()
    assert (
        f'hx-get="{answer["Location"]}" hx-trigger="every 1s"' in page
        and "A release is being frozen" in page
        and "Freeze a release…" not in page
    )
    Job.objects.update(state="failed", message="The disk is full.")
    assert "The last freeze failed The disk is full." in text(olga, "releases/")


def test_the_page_tells_what_was_frozen_to_who_asked_for_it(
    committed: None, judged: Cast, olga: Client, client_for: ClientFor
) -> None:
    asked = olga.post(f"{HERE}releases/", {"rule": "max", "note": ""})["Location"].removeprefix(HERE)
    jobs.run(Job.objects.get().pk)
    told = "Release 1 is frozen 6 judged documents of 2 topics. It begins as a draft, which only organizers see. Open release 1"
    page = text(olga, asked)
    assert told in page and 'data-say="Release 1 is frozen"' in olga.get(HERE + asked).content.decode()
    assert f'<a href="{HERE}releases/1/">Open release 1</a>' in olga.get(HERE + asked).content.decode()
    for client, path in ((olga, "releases/"), (olga, "releases/?job=x"), (client_for(judged.researcher), asked)):
        assert "is frozen" not in text(client, path)
    assert f'<a href="{HERE}releases/1/">Release 1</a>' in olga.get(f"/jobs/{Job.objects.earliest('pk').pk}/").content.decode()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"rule": "lowest"}, "Expected one of first, majority, median_low, median_high, max, min; found “lowest”."),
        ({}, "Expected a choice; found none."),
        ({"rule": "first", "note": "x" * 5001}, "Expected at most 5000 characters; found 5001."),
    ],
)
def test_bad_freeze_is_told_at_the_field(judged: Cast, olga: Client, given: dict[str, str], words: str) -> None:
    answer = olga.post(f"{HERE}releases/", {"note": "", **given})
    assert answer.status_code == 422
    assert words in answer.content.decode()
    assert not Job.objects.exists()


def test_freezing_nothing_is_refused_in_words(cast: Cast, olga: Client) -> None:
    answer = olga.post(f"{HERE}releases/", {"rule": "first", "note": ""})
    assert answer.status_code == 422
    assert "Nothing is judged yet: a release needs at least one judgment." in answer.content.decode()
    page = text(olga, "releases/")
    assert "Nothing is judged yet. A release needs" in page and "Qrels of this moment" not in page


def test_the_same_judgments_may_be_frozen_by_another_rule(release: Release, olga: Client) -> None:
    page = text(olga, "releases/")
    assert "No judgment since release 1: another rule may still give other grades." in page and "Freeze a release…" in page


def test_freezing_asks_first_and_tells_what_is_missing(judged: Cast, olga: Client) -> None:
    """The dialog sends the form it stands in; Enter in a field presses the first button, which does nothing."""
    factories.make_item(judged.collection, "1", "new", by=judged.organizer)
    page = olga.get(f"{HERE}releases/").content.decode()
    assert '<form method="post" class="form" id="freezing"><button hidden formmethod="dialog"></button>' in page
    [dialog] = re.findall(r'<dialog id="ask".*?</dialog>', page, re.DOTALL)
    assert re.findall("<li>(.*?)</li>", dialog) == [
        "1 of 7 pooled documents has no grade.",
        "2 disagreements are open and follow the merge rule, which may leave some without a grade.",
        "It holds the grades of at most 6 documents of 2 topics, as they stand at this moment.",
        "It never changes; later judgments go into the next one.",
        "It begins as a draft, which only organizers see.",
    ]
    assert "<form" not in dialog and '<button class="primary" form="freezing">Freeze a release</button>' in dialog


def test_freezing_leads_only_where_something_was_judged(judged: Cast, olga: Client) -> None:
    trigger = '<button type="button" class="{}" popovertarget="ask">Freeze a release…</button>'
    assert trigger.format("primary") in olga.get(f"{HERE}releases/").content.decode()
    factories.freeze(judged.collection, judged.organizer)
    page = olga.get(f"{HERE}releases/").content.decode()
    assert trigger.format("") in page and "<li>Nothing was judged since release 1.</li>" in page


def test_lists_have_a_heading_once_filled(release: Release, olga: Client) -> None:
    for path, heading in (("releases/", "Releases"), ("runs/", "Runs"), ("pool/", "Rounds"), ("topics/", "Topics")):
        assert f"<h2>{heading}</h2>" in olga.get(f"{HERE}{path}").content.decode()
    assert '>Download qrels<span class="sr"> of release 1</span></a>' in olga.get(f"{HERE}releases/").content.decode()


@pytest.mark.parametrize("who", ["participant", "researcher", "assessor"])
def test_only_organizers_freeze_and_score(release: Release, judged: Cast, client_for: ClientFor, who: str) -> None:
    client = client_for(getattr(judged, who))
    assert client.post(f"{HERE}releases/", {"rule": "first"}).status_code == 403
    assert client.post(f"{HERE}releases/1/score/").status_code == 403
    if who != "assessor":
        assert "Freeze a release…" not in client.get(f"{HERE}releases/").content.decode()


def test_archived_collection_shows_and_refuses(release: Release, judged: Cast, olga: Client) -> None:
    collections.archive_collection(judged.collection)
    assert olga.get(f"{HERE}leaderboard/").status_code == 200
    assert "Freeze a release…" not in olga.get(f"{HERE}releases/").content.decode()
    assert olga.post(f"{HERE}releases/1/score/").status_code == 409
    answer = olga.post(f"{HERE}releases/", {"rule": "first", "note": ""})
    assert (answer.status_code, "archived; restore it first" in answer.content.decode()) == (409, True)


def test_release_page_tells_what_is_in_it(release: Release, judged: Cast, olga: Client) -> None:
    page = text(olga, "releases/1/")
    for words in (
        "First one.",
        "6 of 2 topics",
        "9 by 2 assessors",
        "3 documents, with different grades on 2",
        release.sha256,
        "no judgment",
    ):
        assert words in page, words
    factories.judge(factories.make_item(judged.collection, "1", "a", by=judged.organizer), judged.assessor, 0)
    assert "1 judgment or decision made or changed" in text(olga, "releases/1/")
    factories.freeze(judged.collection, judged.organizer)
    assert "Release 2 is newer." in text(olga, "releases/1/")
    assert olga.get(f"{HERE}releases/3/").status_code == 404


# Leaderboard


def test_no_release_yet(judged: Cast, olga: Client, client_for: ClientFor) -> None:
    assert "No release yet Runs are scored when a release is frozen" in text(olga, "leaderboard/")
    for path in ("compare/", "pool-report/"):
        assert olga.get(HERE + path).status_code == 200 and "No release yet" in text(olga, path)
        assert olga.get(f"{HERE}{path}?release=1").status_code == 404
    percy = client_for(judged.participant)
    assert "Scores appear here when the organizers release" in text(percy, "leaderboard/")
    assert 'class="button primary"' not in percy.get(f"{HERE}leaderboard/").content.decode()  # nothing to press, so no button
    assert olga.get(f"{HERE}leaderboard/?release=1").status_code == 404


def test_scoring_under_way_failed_and_done(judged: Cast, olga: Client, client_for: ClientFor) -> None:
    made = factories.freeze(judged.collection, judged.organizer, score=True)
    job = Job.objects.get(name="score_release")
    for client in (olga, client_for(judged.participant)):
        page = client.get(f"{HERE}leaderboard/").content.decode()
        assert "The runs are being scored" in page and 'hx-select="#board"' in page and "<tbody>" not in page
    Job.objects.filter(pk=job.pk).update(state="failed", message="It took too long.")
    page = text(olga, "leaderboard/")
    assert "2 runs have no scores" in page and "It took too long." in page and "Score new runs" in page
    factories.score(made)
    page = text(olga, "leaderboard/")
    assert "Score new runs" not in page and "alpha" in page


def test_a_late_run_is_told_of_where_it_is_missed(
    release: Release, judged: Cast, client_for: ClientFor, assize: Assize
) -> None:
    """To organizers, who can score it, and to whoever submitted it; to nobody else."""
    factories.make_run(judged.collection, "gamma", factories.BETA, by=judged.participant)
    why = "gamma was submitted after release 1 was frozen, and has no scores under it. "
    then = "The organizers can score it, or the next release does."
    olga, percy, rosa = (client_for(who) for who in (judged.organizer, judged.participant, judged.researcher))
    for page in ("leaderboard/", "releases/1/"):
        assert f"{why}Score new runs" in text(olga, page)
    assert f"{why}{then} Meanwhile you can score a run for yourself ." in text(percy, "leaderboard/")
    assert "gamma no scores" in text(percy, "runs/") and f"{why}{then} Meanwhile" in text(percy, "runs/")
    assert "gamma no scores" in text(olga, "runs/") and f"{why}Score new runs on the leaderboard" in text(olga, "runs/")
    assert f"Run “gamma” was submitted after release 1 was frozen, and has no scores under it. {then}" in text(
        percy, "scores/gamma/"
    )
    assert "no scores under it. Score new runs on the leaderboard, or freeze the next release." in text(olga, "scores/gamma/")
    assert "gamma" not in text(rosa, "leaderboard/") and "There is no run “gamma” with scores" in text(rosa, "scores/gamma/")
    shell = assize("leaderboard", judged.collection.slug).err
    assert "without scores under it: gamma." in shell and "MAP" not in shell
    releases.request_scores(release, by=judged.organizer)
    assert "no scores" not in text(olga, "runs/")  # it is being scored
    factories.score(release)
    for page in ("leaderboard/", "runs/"):
        assert "gamma" in text(percy, page) and "no scores" not in text(percy, page)


def test_leaderboard_sorts_by_link(release: Release, olga: Client) -> None:
    page = olga.get(f"{HERE}leaderboard/?release=1").content.decode()
    assert re.findall(r'<th scope="row" class="pin"><input[^>]*><a[^>]*>(\w+)', page) == ["alpha", "beta"]
    assert re.findall(r'aria-sort="(\w+)"><a href="([^"]+)"', page) == [("descending", "?release=1&amp;sort=-AP")]
    page = olga.get(f"{HERE}leaderboard/?release=1&sort=-AP").content.decode()
    assert re.findall(r'<th scope="row" class="pin"><input[^>]*><a[^>]*>(\w+)', page) == ["beta", "alpha"]
    assert re.findall(r'aria-sort="(\w+)"', page) == ["ascending"]
    assert len(re.findall(r"<strong>0\.\d{4}<span", page)) == 6


def test_own_runs_are_marked(release: Release, judged: Cast, client_for: ClientFor) -> None:
    page = client_for(judged.participant).get(f"{HERE}leaderboard/").content.decode()
    assert re.findall(r'<tr class="mine"><th[^>]*><input[^>]*><a[^>]*>(\w+)', page) == ["alpha"]


def test_strict_view(release: Release, olga: Client) -> None:
    page = text(olga, "leaderboard/?view=strict")
    assert "MAP(rel=2)" in page and "Relevant from grade 2" in page and "Lenient view" in page


@pytest.mark.parametrize("page", ["leaderboard/", "scores/alpha/", "leaderboard/topics/1/"])
def test_pages_tell_how_the_shell_spells_a_measure(release: Release, olga: Client, page: str) -> None:
    mean = "" if "topics" in page else "MAP is AP, "  # of one topic it is AP on the page, too
    told = f"In files, by API and from the shell {mean}bpref is Bpref, R-precision is Rprec, Recall@1000 is R@1000"
    assert told in text(olga, page)
    assert "MAP (AP)" in text(olga, "scoring/") and "P@10 (" not in text(olga, "scoring/")
    compared = text(olga, "compare/?runs=alpha&runs=beta&measure=R@1000")
    assert "In files, by API and from the shell Recall@1000 is R@1000." in compared


def test_old_release_stays_readable(release: Release, judged: Cast, olga: Client) -> None:
    before = olga.get(f"{HERE}leaderboard/scores.csv?release=1").content
    factories.judge(factories.make_item(judged.collection, "1", "a", by=judged.organizer), judged.assessor, 0)
    factories.score(factories.freeze(judged.collection, judged.organizer))
    assert olga.get(f"{HERE}leaderboard/scores.csv?release=1").content == before
    assert olga.get(f"{HERE}leaderboard/scores.csv").content != before
    assert "Release 1" in text(olga, "leaderboard/")


@pytest.mark.parametrize("number", ["0", "7", "x", "-1", "9" * 30, "١"])
@pytest.mark.parametrize("path", ["leaderboard/", "leaderboard/topics/1/", "scores/alpha/", "leaderboard/scores.csv"])
def test_strange_release_numbers(release: Release, olga: Client, path: str, number: str) -> None:
    assert olga.get(f"{HERE}{path}", {"release": number}).status_code == 404


def test_score_button(release: Release, judged: Cast, olga: Client) -> None:
    factories.make_run(judged.collection, "gamma", factories.BETA, by=judged.organizer)
    for page in ("leaderboard/", "releases/1/"):
        assert "gamma was submitted after release 1 was frozen" in text(olga, page) and "Score new runs" in text(olga, page)
    answer = olga.post(f"{HERE}releases/1/score/")
    assert (answer.status_code, answer["Location"]) == (302, f"{HERE}leaderboard/?release=1")
    job = Job.objects.get(name="score_release")
    assert job.args == {"release": release.pk}
    assert releases.request_scores(release, by=judged.organizer) == job
    page = text(olga, "leaderboard/")
    assert "The runs are being scored" in page and "alpha" in page  # what is there stays in view


# Topics and runs


def test_topic_page(release: Release, olga: Client) -> None:
    page = text(olga, "leaderboard/topics/2/")
    assert "Topic 2: Topic named 2" in page and "2 relevant of 3 judged" in page and "Median" in page
    assert olga.get(f"{HERE}leaderboard/topics/10/").status_code == 404  # beta answers it, nobody judged it
    assert olga.get(f"{HERE}leaderboard/topics/1/?sort=-AP&view=strict").status_code == 200


def test_topic_with_a_slash_in_its_number(judged: Cast, olga: Client) -> None:
    factories.judge(factories.make_item(judged.collection, "b/3é", "a", by=judged.organizer), judged.assessor, 0)
    factories.score(factories.freeze(judged.collection, judged.organizer))
    page = olga.get(f"{HERE}leaderboard/").content.decode()
    [address] = re.findall(r'href="([^"]*topics/b[^"]*)"', page)
    assert "No document of this topic is relevant" in olga.get(address).content.decode()


def test_run_page(release: Release, olga: Client) -> None:
    page = text(olga, "scores/beta/")
    assert "Above the median of all runs on 1 topic, below it on 1." in page
    assert "0.5000" in page and "automatic · 3 documents for 2 topics" in page
    page = text(olga, "scores/beta/?measure=nDCG@10")
    assert "nDCG@10 by topic" in page
    assert "AP by topic" in text(olga, "scores/beta/?measure=odd")
    assert olga.get(f"{HERE}scores/gamma/").status_code == 404


def test_every_measure_can_be_official(judged: Cast, olga: Client) -> None:
    names = [entry.example for entry in DEFINITIONS.values() if entry.needs in ("", "documents")]
    given = {"name": "Harbour trials", "description": "", "visibility": "private", "measures": names}
    collections.edit_collection(judged.collection, **given)  # type: ignore[arg-type]
    Corpus.objects.create(collection=judged.collection, document_count=1000)
    factories.score(factories.freeze(judged.collection, judged.organizer))
    board = text(olga, "leaderboard/")
    assert all(f"{name.partition('@')[0]}" in board for name in names if not name.startswith("Num"))
    for path in FILES:
        assert status(olga, HERE + path) == 200
    answer = olga.get("/api/v1/collections/harbour-trials/releases/1/runs/alpha").content.decode()
    assert "NaN" not in answer and set(names) <= set(json.loads(answer)["means"])


def test_measures_of_the_corpus_are_of_its_size_when_frozen(judged: Cast, olga: Client) -> None:
    names = ["Fallout", "Generality", "Accuracy", "Specificity"]
    given = {"name": "Harbour trials", "description": "", "visibility": "private", "measures": names}
    collections.edit_collection(judged.collection, **given)  # type: ignore[arg-type]
    unsized = "how many documents there are: Fallout, Generality, Accuracy, Specificity."
    assert unsized in text(olga, "leaderboard/?release=live")
    corpus = Corpus.objects.create(collection=judged.collection, document_count=100)
    release = factories.freeze(judged.collection, judged.organizer)
    corpus.document_count = 50
    corpus.save()
    factories.score(release)
    assert examine(factories.quiet)["scores"] == []
    frozen, live = standings.of_release(release), standings.live(judged.collection)
    qrels = selectors.qrels(release)
    for standing, documents in ((frozen, 100), (live, 50)):
        again = evaluate(qrels, [factories.ALPHA, factories.BETA], names, documents=documents)
        assert standing.means[:, :4].tolist() == again.means.tolist()
    before = live.means[0, 0]
    factories.judge(
        PoolItem.objects.get(topic__number="1", docno="b"), judged.assessor, 2
    )  # one grade is followed, not all read
    assert standings.live(judged.collection).means[0, 0] < before
    assert status(olga, f"{HERE}effect/") == 200
    assert "documents there are" not in text(olga, "leaderboard/?release=live")


ODD = re.compile(r"\b(?:nan|inf|infinity)\b", re.I)


def strict_json(data: bytes) -> Any:
    """JSON as its standard has it: no NaN, no Infinity."""

    def refused(word: str) -> None:
        raise AssertionError(f"{word} in JSON")

    return json.loads(data, parse_constant=refused)


@pytest.fixture
def undefined(judged: Cast) -> list[str]:
    """By every measure of the registry, with a topic of which nobody found anything relevant; topic 3 is that one."""
    factories.make_run(judged.collection, "gamma", {"1": {"c": 1.0}, "2": {"e": 1.0}}, by=judged.organizer)
    factories.judge_all(judged.collection, {"3": {"q": 2, "r": 0}}, judged.assessor)
    names = [entry.example for entry in DEFINITIONS.values() if not entry.needs]
    given = {"name": "Harbour trials", "description": "", "visibility": "private", "measures": names}
    collections.edit_collection(judged.collection, **given)  # type: ignore[arg-type]
    factories.score(factories.freeze(judged.collection, judged.organizer))
    return names


def test_no_page_and_no_figure_holds_what_is_no_number(undefined: list[str], olga: Client) -> None:
    """In words, attributes and pictures alike."""
    pages = ("scores/alpha/?measure={}", "leaderboard/topics/3/?measure={}", "leaderboard/?sort={}")
    paths = [page.format(name) for name in ("SL", "E", "Utility", "Yaap", "P@10") for page in pages]
    for path in (*paths, "leaderboard/", "pool-report/?measure=SL", "scores/beta/?measure=SL&order=difference"):
        answer = olga.get(HERE + path)
        assert (answer.status_code, ODD.findall(answer.content.decode())) == (200, []), path


def test_no_figure_of_any_measure_holds_what_is_no_number(undefined: list[str], judged: Cast) -> None:
    standing = standings.standing(judged.collection)
    for name in undefined:
        rows = reports.run_topics(standing, 0, name)
        pictures = [figures.differences(name, rows), figures.spreads("alpha", name, rows)]
        pictures += [topic_reports.strip(standing, topic, name)[0] for topic in ("1", "3")]
        assert [ODD.findall(picture.file()) for picture in pictures] == [[]] * 4, name
        topic_reports.hardness(standing, "3", name)


def test_spreads_reach_below_zero(undefined: list[str], judged: Cast) -> None:
    """Where the worst run of a topic scores below zero, so does the axis."""
    rows = reports.run_topics(standings.standing(judged.collection), 0, "Utility")
    least = min(row.worst for row in rows)
    ticks = re.findall(r'class="chart-tick" text-anchor="end"[^>]*>([^<]+)<', figures.spreads("alpha", "Utility", rows).svg)
    assert least < 0 and min(float(tick.replace("−", "-")) for tick in ticks) <= least


def test_figures_of_a_topic_without_a_number_are_left_out(undefined: list[str], olga: Client) -> None:
    picture = olga.get(f"{HERE}scores/alpha/?measure=SL&figure=differences&form=svg").content.decode()
    assert re.findall(r"Topic (\d+): ", picture) == ["1", "2"]
    assert "SL is defined for no run on this topic." in text(olga, "leaderboard/topics/3/?measure=SL")


TAKEN = (
    *(f"scores/alpha/?table={name}" for name in ("topics", "summary", "means", "gains", "recall-precision")),
    *("leaderboard/topics/3/?table=strip", "leaderboard/topics/3/?table=scores", "leaderboard/topics/3/?table=found"),
    *("compare/?runs=alpha&runs=beta&table=pairs", "compare/?runs=alpha&runs=beta&table=topics"),
    *("pool-report/?table=groups", "pool-report/?table=run-measures", "leaderboard/file/{}/?"),
)


def test_downloads_leave_out_what_is_no_number(undefined: list[str], olga: Client) -> None:
    for path in TAKEN:
        measure = "AP" if path.startswith("compare") else "SL"  # compared is what every topic defines
        asked = f"{HERE}{path}&measure={measure}"
        data = olga.get(asked.format("json") if "{}" in path else f"{asked}&form=json").content
        assert strict_json(data), path
        data = olga.get(asked.format("csv") if "{}" in path else f"{asked}&form=csv").content
        cells = {cell for row in csv.reader(data.decode().splitlines()) for cell in row}
        assert not {"nan", "inf", "-inf", "None"} & cells, path
    for path in ("leaderboard/topics.csv", "leaderboard/scores.csv"):
        rows = csv.reader(b"".join(olga.get(HERE + path)).decode().splitlines())
        cells = {cell for row in rows for cell in row}
        assert "" in cells and not {"nan", "inf", "None"} & cells
    for path in ("runs/alpha", "runs/alpha/report", "scores", "topics/3"):
        assert strict_json(olga.get(f"/api/v1/collections/harbour-trials/releases/1/{path}").content)


def test_comparison_on_a_single_topic_has_no_interval(cast: Cast, olga: Client) -> None:
    factories.make_run(cast.collection, "alpha", factories.ALPHA, by=cast.organizer)
    factories.make_run(cast.collection, "beta", factories.BETA, by=cast.organizer)
    factories.judge_all(cast.collection, {"1": factories.FIRST["1"]}, cast.assessor)
    factories.score(factories.freeze(cast.collection, cast.organizer))
    found = strict_json(olga.get("/api/v1/collections/harbour-trials/compare?runs=alpha&runs=beta").content)
    assert (found["topics"], found["pairs"][0]["interval"]) == (1, None)
    assert "interval of the difference" not in found["sentences"][0]
    assert "nan" not in olga.get(f"{HERE}compare/?runs=alpha&runs=beta").content.decode()


def test_efficiency_is_told_beside_the_scores(release: Release, olga: Client) -> None:
    assert "Efficiency" not in text(olga, "scores/alpha/")
    Run.objects.filter(tag="alpha").update(efficiency={"latency_mean_ms": 12.5})
    assert "Query latency, mean 12.5 ms" in text(olga, "scores/alpha/")
    answer = olga.get("/api/v1/collections/harbour-trials/releases/1/scores").json()
    assert {row["run"]: row["efficiency"] for row in answer["runs"]}["alpha"] == {"latency_mean_ms": 12.5}


@pytest.mark.parametrize(
    ("path", "name", "kind"),
    [
        ("releases/1/qrels/", "harbour-trials-release-1.qrels", "text/plain"),
        ("releases/1/qrels/?view=strict", "harbour-trials-release-1-strict.qrels", "text/plain"),
        ("leaderboard/scores.csv", "harbour-trials-release-1-scores.csv", "text/csv"),
        ("leaderboard/topics.csv", "harbour-trials-release-1-topics.csv", "text/csv"),
        ("scores/alpha/trec_eval/", "harbour-trials-release-1-alpha.txt", "text/plain"),
    ],
)
def test_downloads_have_names(release: Release, olga: Client, path: str, name: str, kind: str) -> None:
    answer = olga.get(HERE + path)
    assert answer["Content-Disposition"] == f'attachment; filename="{name}"'
    assert answer["Content-Type"] == kind
    assert len(b"".join(answer)) > 20


def test_qrels_download_is_the_frozen_file(release: Release, olga: Client) -> None:
    assert b"".join(olga.get(f"{HERE}releases/1/qrels/")).startswith(b"1 0 a 2\n")
    assert olga.get(f"{HERE}releases/1/qrels/?view=odd").status_code == 422


def test_home_lists_public_releases_but_not_to_its_judges(release: Release, judged: Cast, client_for: ClientFor) -> None:
    def listed(client: Client) -> bool:
        return "Harbour trials, release 1" in client.get("/").content.decode()

    assert not listed(client_for(None))
    Collection.objects.filter(pk=judged.collection.pk).update(visibility="public")
    assert (listed(client_for(None)), listed(client_for(judged.participant))) == (True, True)
    assert not listed(client_for(judged.assessor))


# Queries


COUNTS = {
    "releases/": 18,  # for organizers: what would be missing
    "releases/1/": 18,
    "leaderboard/": 11,
    "leaderboard/topics/1/": 11,
    "scores/alpha/": 14,
    "leaderboard/scores.csv": 8,
    "leaderboard/topics.csv": 8,
    "leaderboard/?release=live": 15,
    "leaderboard/file/json/": 8,
}


@pytest.mark.parametrize("path", COUNTS)
def test_query_counts_do_not_grow(
    judged: Cast, olga: Client, path: str, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    Run.objects.filter(tag="beta").delete()
    made = factories.freeze(judged.collection, judged.organizer)
    for runs in (1, 3):
        for number in range(Run.objects.count(), runs):
            factories.make_run(judged.collection, f"more-{number}", factories.BETA, by=judged.organizer)
        factories.score(made)
        b"".join(olga.get(HERE + path))  # live scores are made once, and kept
        with django_assert_num_queries(COUNTS[path]):
            b"".join(olga.get(HERE + path))
