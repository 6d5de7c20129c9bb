"""Documents, topics and runs beyond the plain case: other forms, languages, versions, archives, rules."""

import gzip
import io
import zipfile
from datetime import timedelta
from uuid import uuid4

import numpy as np
import pytest
from django.conf import settings
from django.utils import timezone

from assess import blind
from assess.models import Judgment
from assess.services import assigning, judging
from config.errors import Conflict, Refusal
from pooling import selectors
from pooling.models import Document, Run, Topic, Upload, UploadKind
from pooling.services import members, runs, topics, uploads
from tests.assess import factories as judged
from tests.conftest import Cast
from tests.pooling import files
from tests.pooling.files import check, run_file, take, take_run, take_topics
from tests.pooling.test_packed import zip_of

pytestmark = pytest.mark.once

DOCUMENTS, TOPICS, RUN = UploadKind.DOCUMENTS, UploadKind.TOPICS, UploadKind.RUN


def codes(upload: Upload) -> list[tuple[str, int]]:
    return [(one["code"], one["line"]) for one in upload.report["findings"]]


# Documents


def test_smart_documents_come_in(cast: Cast) -> None:
    upload = take(
        cast.collection, cast.organizer, DOCUMENTS, b".I 1\n.T\nlift\n.W\nof a wing\n.I 2\n.T\ndrag\n.W\n", "cran.all"
    )
    assert (upload.state, upload.report["facts"]) == ("accepted", {"documents": 2})
    assert list(Document.objects.order_by("docno").values_list("docno", "title", "text")) == [
        ("1", "lift", "of a wing"),
        ("2", "drag", ""),
    ]


def test_pooled_documents_cannot_be_taken_away_once_judging_began(cast: Cast) -> None:
    take(cast.collection, cast.organizer, DOCUMENTS, files.documents())
    take_topics(cast.collection, cast.organizer)
    take_run(cast.collection, cast.organizer, run_file("a", t1="d1 d2"))
    files.draw(cast.collection, cast.organizer, 2)
    less = b'{"id": "d1", "text": "new words"}\n'
    upload = take(cast.collection, cast.organizer, DOCUMENTS, less, others="drop")
    assert (upload.state, upload.report["facts"]["missing"], codes(upload)) == ("accepted", 1, [("DOC_MISSING", 0)])
    take(cast.collection, cast.organizer, DOCUMENTS, files.documents())
    cast.collection.judging_started_at = timezone.now()
    cast.collection.save()
    upload = take(cast.collection, cast.organizer, DOCUMENTS, less, others="drop")
    assert upload.state == "refused" and "1 pooled documents that are there now" in str(upload.report["findings"])
    assert selectors.documents(cast.collection).filter(docno="d2").exists()
    wrong = take(cast.collection, cast.organizer, DOCUMENTS, b"<top><num>Number: 1</num><title>tides</title></top>\n")
    assert (wrong.state, codes(wrong)) == ("refused", [("FORMAT", 0)])  # and not what such a file must lack


def test_judgments_stay_when_documents_come_again(cast: Cast) -> None:
    (topic,) = judged.make_work(cast.collection, cast.organizer, topics=1, items=1)
    assigning.assign(cast.collection, by=cast.organizer, wanted=[assigning.Wanted(topic, [cast.assessor])], overlap=0)
    (card,) = judging.next_items(cast.collection, assessor=cast.assessor, count=1)
    judging.record_judgment(cast.collection, assessor=cast.assessor, seat=card.token, grade=2, client_id=uuid4())
    before = list(Judgment.objects.values_list("pk", "item__docno", "grade"))
    upload = take(cast.collection, cast.organizer, DOCUMENTS, files.documents([before[0][1], "other"], "again"))
    assert (upload.state, before[0][2]) == ("accepted", 2)
    assert list(Judgment.objects.values_list("pk", "item__docno", "grade")) == before
    assert dict(selectors.documents(cast.collection).values_list("docno", "text"))[before[0][1]] == "again"


def test_office_documents_are_refused_by_name(cast: Cast) -> None:
    office = zip_of([("[Content_Types].xml", b"<Types/>"), ("word/document.xml", b"<w:document/>")])
    for kind in (DOCUMENTS, TOPICS):
        upload = take(cast.collection, cast.organizer, kind, office, "paper.docx")
        assert upload.state == "refused" and "office program" in str(upload.report["findings"])


def test_only_what_the_pool_needs_is_kept_and_what_is_missing_is_listed(cast: Cast) -> None:
    take_topics(cast.collection, cast.organizer)
    take_run(cast.collection, cast.organizer, run_file("a", t1="d1 d2 d9"))
    files.draw(cast.collection, cast.organizer, 3)
    upload = take(cast.collection, cast.organizer, DOCUMENTS, files.documents(), only="pool")
    assert upload.report["facts"] == {"documents": 2, "missing": 1, "missing_docnos": ["d9"]}
    assert codes(upload) == [("DOC_MISSING", 0)]
    corpus = selectors.corpus(cast.collection)
    assert (corpus.document_count, corpus.is_complete) == (2, False)
    assert [item.docno for item in selectors.missing_items(cast.collection)] == ["d9"]
    assert [item.docno for item in selectors.drawn_items(cast.collection).order_by("docno")] == ["d1", "d2"]
    other = take(cast.collection, cast.organizer, RUN, run_file("b", t1="d5"))
    assert (other.state, ("DOC_UNKNOWN", 1) in codes(other)) == ("accepted", True)  # a warning: there are others


def test_html_is_kept_beside_its_text(cast: Cast) -> None:
    page = b"<html><title>Tide</title><body><p>one<script>x()</script></p></body></html>"
    take(cast.collection, cast.organizer, DOCUMENTS, zip_of([("c/D1.html", page)]), "pages.zip")
    found = Document.objects.get()
    assert (found.docno, found.title, found.text, found.html) == ("D1", "Tide", "one", page.decode())


# Topics


def test_parallel_versions_and_the_language_an_assessor_reads(cast: Cast) -> None:
    (topic,) = judged.make_work(cast.collection, cast.organizer, topics=1, items=2)
    french = f"{topic.number}\tLes marées\n".encode()
    assert codes(take(cast.collection, cast.organizer, TOPICS, french, parallel="yes")) == [("LANGUAGE", 0)]
    upload = take(cast.collection, cast.organizer, TOPICS, french, parallel="yes", language="fr")
    assert upload.state == "accepted"
    topic.refresh_from_db()
    assert topic.translations == {"fr": {"title": "Les marées", "description": "", "narrative": ""}}
    unknown = take(cast.collection, cast.organizer, TOPICS, b"999\tx\n", parallel="yes", language="fr")
    assert codes(unknown) == [("TOPIC_UNKNOWN", 0)]
    assert selectors.topic_languages(cast.collection) == ["fr"]  # beside their own, whose name nobody said
    assigning.assign(cast.collection, by=cast.organizer, wanted=[assigning.Wanted(topic, [cast.assessor])], overlap=0)
    assert {card.topic_title for card in blind.next_cards(cast.collection, cast.assessor, 2)} == {topic.title}
    members.set_topic_language(cast.collection, user=cast.assessor, language="fr")
    assert {card.topic_title for card in blind.next_cards(cast.collection, cast.assessor, 2)} == {"Les marées"}
    with pytest.raises(Refusal, match="found “xx”"):
        members.set_topic_language(cast.collection, user=cast.assessor, language="xx")


def test_a_topic_is_edited_until_judging_and_versioned_after(cast: Cast) -> None:
    take_topics(cast.collection, cast.organizer)
    topic = Topic.objects.get(number="1")
    given = {"language": "en", "texts": {"title": " tidal  energy ", "description": "d", "narrative": ""}}
    edited = topics.edit_topic(topic, by=cast.organizer, **given)  # type: ignore[arg-type]
    assert (edited.title, edited.language, edited.version, edited.earlier.count()) == ("tidal energy", "en", 1, 0)
    cast.collection.judging_started_at = timezone.now()
    cast.collection.save()
    assert topics.edit_topic(topic, by=cast.organizer, **given).version == 1  # type: ignore[arg-type]  # the same words again
    given["texts"] = {"title": "tides"}
    edited = topics.edit_topic(topic, by=cast.organizer, **given)  # type: ignore[arg-type]
    assert (edited.title, edited.version) == ("tides", 2)
    assert list(edited.earlier.values_list("version", "title", "description")) == [(1, "tidal energy", "d")]
    for wrong, words in (
        ({"texts": {"title": " "}}, "title: Expected an entry; found nothing"),
        ({"language": "in English"}, "language tag"),
    ):
        with pytest.raises(Refusal, match=words):
            topics.edit_topic(topic, by=cast.organizer, **{**given, **wrong})  # type: ignore[arg-type]


def test_running_numbers(cast: Cast) -> None:
    take(cast.collection, cast.organizer, TOPICS, b".I 001\n.W\nlift\n.I 004\n.W\ndrag\n", numbering="running")
    assert list(Topic.objects.order_by("number").values_list("number", "title")) == [("1", "lift"), ("2", "drag")]


# Runs


@pytest.fixture
def ready(cast: Cast) -> Cast:
    take_topics(cast.collection, cast.organizer)
    take(cast.collection, cast.organizer, DOCUMENTS, files.documents())
    return cast


def stored(cast: Cast) -> set[str]:
    return {path.name for path in (settings.DATA / "files/uploads" / str(cast.collection.pk)).iterdir()}


def receive(cast: Cast, *sent: tuple[str, bytes], **options: str) -> list[Upload]:
    given = [(name, [data]) for name, data in sent]
    return uploads.receive_runs(cast.collection, by=cast.participant, files=given, options=options)


def test_an_archive_of_runs_is_taken_apart(ready: Cast) -> None:
    files_in = [
        ("runs/one.run", run_file("one", t1="d1")),
        ("runs/two.run.gz", gzip.compress(run_file("two", t1="d2"))),
        ("runs/bad.run", b"1 Q0 d1\n"),
        ("runs/two.yml", b"actor: {team: Harbour}\nmethod: {automatic: false}\n"),
    ]
    before = stored(ready)
    sent = receive(ready, ("runs.zip", zip_of(files_in)), ("three.run", run_file("three", t1="d3")))
    assert [upload.name for upload in sent] == ["one.run", "two.run.gz", "bad.run", "three.run"]
    assert [check(upload).state for upload in sent] == ["accepted", "accepted", "refused", "accepted"]
    told = {run.tag: (run.group, run.kind) for run in Run.objects.all()}
    assert told == {"one": ("", "automatic"), "two": ("Harbour", "manual"), "three": ("", "automatic")}
    known = set(Upload.objects.filter(kind=RUN).exclude(path="").values_list("path", flat=True))
    assert {f"files/uploads/{ready.collection.pk}/{name}" for name in stored(ready) - before} == known and len(known) == 3


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (zip_of([("../evil", b"x")]), "names a file outside itself"),
        (zip_of([("a.yml", b"x: 1")]), "There is no run among the files"),
        (zip_of([("a", b"x" * 50)])[:-40], "cannot be unpacked"),
    ],
)
def test_a_bad_archive_leaves_nothing(ready: Cast, data: bytes, words: str) -> None:
    before = stored(ready)
    with pytest.raises(Refusal, match=words):
        receive(ready, ("runs.zip", data))
    assert stored(ready) == before
    assert not Upload.objects.filter(kind=RUN).exists()


def test_a_run_is_replaced_and_kept_in_history(ready: Cast) -> None:
    first = take_run(ready.collection, ready.participant, run_file("a", t1="d1"), group="North", figure_cpu_seconds="3")
    before = selectors.rankings(first).docnos.tolist()
    taken = take(ready.collection, ready.participant, RUN, run_file("a", t1="d2 d3"))
    assert codes(taken)[0] == ("TAG_TAKEN", 0)
    again = take_run(ready.collection, ready.participant, run_file("a", t1="d2 d3"), replace="yes")
    assert (again.pk, again.version, again.group, again.efficiency) == (first.pk, 2, "North", {"cpu_seconds": 3.0})
    assert (before, selectors.rankings(again).docnos.tolist()) == ([b"d1"], [b"d2", b"d3"])
    (old,) = again.earlier.all()
    assert old.upload.file_path is not None
    assert (old.version, old.line_count, old.upload.file_path.read_bytes()) == (1, 1, run_file("a", t1="d1"))
    stranger = take(ready.collection, ready.staff, RUN, run_file("a", t1="d1"), replace="yes")
    assert stranger.state == "accepted"  # an administrator is an organizer everywhere
    mine = take_run(ready.collection, ready.organizer, run_file("b", t1="d1"))
    theirs = take(ready.collection, ready.participant, RUN, run_file("b", t1="d2"), replace="yes")
    assert (theirs.state, selectors.rankings(mine).docnos.tolist()) == ("refused", [b"d1"])


def test_what_is_said_counts_over_metadata_over_what_was_there(ready: Cast) -> None:
    told = "method: {automatic: false}\nefficiency: {cpu_seconds: 2, index_bytes: 8}\n"
    given = {"priority": "7", "language": "fr", "figure_cpu_seconds": "1"}

    def facts(**options: str) -> tuple[object, ...]:
        run = take_run(ready.collection, ready.participant, run_file("a", t1="d1"), **options)
        return run.kind, run.priority, run.language, run.efficiency

    assert facts(**given) == ("automatic", 7, "fr", {"cpu_seconds": 1.0})
    assert facts(replace="yes", metadata=told) == ("manual", 7, "fr", {"cpu_seconds": 2.0, "index_bytes": 8.0})
    assert facts(replace="yes") == ("manual", 7, "fr", {"cpu_seconds": 2.0, "index_bytes": 8.0})
    said = {"kind": "automatic", "priority": "2", "figure_index_bytes": "9"}
    figures = {"cpu_seconds": 2.0, "index_bytes": 9.0}
    assert facts(replace="yes", metadata=told, **said) == ("automatic", 2, "fr", figures)


def test_rules_bind_runs(ready: Cast) -> None:
    runs.set_rules(ready.collection, max_per_topic=2, expected_per_topic=2, runs_per_group=1, strict_runs=True)
    ready.collection.refresh_from_db()
    many = take(ready.collection, ready.participant, RUN, run_file("a", t1="d1 d2 d3", t2="d1", t10="d1"))
    assert codes(many) == [("TOO_MANY_DOCS", 3), ("TOPIC_SHORT", 4), ("TOPIC_SHORT", 5)]
    missing = take(ready.collection, ready.participant, RUN, run_file("a", t1="d1 d2", t2="d1 d2"))
    assert (missing.state, codes(missing)) == ("refused", [("TOPIC_MISSING", 0)])
    whole = {"t1": "d1 d2", "t2": "d1 d2", "t10": "d1 d2"}
    take_run(ready.collection, ready.participant, run_file("a", **whole), group="North")
    full = take(ready.collection, ready.participant, RUN, run_file("b", **whole), group="North")
    assert (full.state, codes(full)) == ("refused", [("GROUP_FULL", 0)])
    take_run(ready.collection, ready.participant, run_file("a", **whole), group="North", replace="yes")


def test_the_window_is_for_participants(ready: Cast) -> None:
    now = timezone.now()
    runs.set_rules(ready.collection, runs_open_at=now - timedelta(days=2), runs_close_at=now - timedelta(days=1))
    ready.collection.refresh_from_db()
    with pytest.raises(Conflict, match="Runs were taken until"):
        files.send(ready.collection, ready.participant, RUN, run_file("a", t1="d1"))
    assert take_run(ready.collection, ready.organizer, run_file("a", t1="d1")).tag == "a"
    runs.set_rules(ready.collection, runs_open_at=now + timedelta(days=1), runs_close_at=None)
    ready.collection.refresh_from_db()
    with pytest.raises(Conflict, match="Runs are taken from"):
        receive(ready, ("a.run", run_file("b", t1="d1")))


def test_passages_are_stored_beside_their_documents(ready: Cast) -> None:
    text = b"1 Q0 d1 1 9 p 0 3\n1 Q0 d2 2 8 p 1 4\n1 Q0 d1 3 7 p 2 3\n"
    run = take_run(ready.collection, ready.participant, text)
    assert (run.line_count, selectors.rankings(run).docnos.tolist()) == (3, [b"d1", b"d2"])
    found = selectors.passages(run)
    assert found is not None and found.docnos.tolist() == [b"d1:0-3", b"d2:1-5", b"d1:2-5"]
    outside = take(ready.collection, ready.participant, RUN, b"1 Q0 d1 1 9 q 0 99\n")
    assert codes(outside)[0] == ("SPAN_OUTSIDE", 1)


def test_what_is_told_of_a_run_can_be_changed(ready: Cast) -> None:
    run = take_run(ready.collection, ready.participant, run_file("a", t1="d1"))
    given = {"group": "G", "kind": "manual", "description": "", "priority": 2, "language": "fr"}
    runs.edit_run(run, efficiency={"index_bytes": 5}, **given)  # type: ignore[arg-type]
    run.refresh_from_db()
    assert (run.group, run.kind, run.priority, run.language, run.efficiency) == ("G", "manual", 2, "fr", {"index_bytes": 5.0})
    with pytest.raises(Refusal, match="Expected a language tag such as en or pt-BR; found “French”"):
        runs.edit_run(run, efficiency={}, **given | {"language": "French"})  # type: ignore[arg-type]


def test_columns_of_runs_are_in_evaluation_order(ready: Cast) -> None:
    run = take_run(ready.collection, ready.participant, b"1 Q0 d1 1 1 t\n1 Q0 d3 2 2 t\n1 Q0 d2 3 2 t\n")
    stored = selectors.rankings(run)
    assert stored.docnos.tolist() == [b"d3", b"d2", b"d1"] and np.array_equal(stored.scores, [2, 2, 1])


def test_a_zip_with_one_run_is_one(ready: Cast) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a.run", run_file("a", t1="d1"))
    assert take(ready.collection, ready.participant, RUN, buffer.getvalue()).state == "accepted"
