"""Files taken whole or refused whole, every fault by line; and what is left when a check is cut off."""

import gzip
import hashlib
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.utils import timezone
from pytest_django import Settings

from assess.services import importing
from config import housekeeping, jobs
from config.errors import Conflict, Refusal
from config.models import Job
from pooling import selectors
from pooling.core import run_stream
from pooling.core.lines import Unpackable
from pooling.models import Collection, Corpus, Document, Run, Topic, Upload, UploadKind
from pooling.services import collections, taking, uploads
from pooling.services import documents as document_services
from pooling.services import runs as run_services
from tests.conftest import Cast
from tests.pooling import files
from tests.pooling.files import DOCNOS, Cut, CutOff, check, documents, run_file, send, take, take_run, take_topics

TOPICS, DOCUMENTS, RUN = UploadKind.TOPICS, UploadKind.DOCUMENTS, UploadKind.RUN


@pytest.fixture(autouse=True)
def _own_data(settings: Settings, tmp_path: Path) -> None:
    settings.DATA = tmp_path


def findings(upload: Upload) -> list[tuple[str, int]]:
    return [(found["code"], found["line"]) for found in upload.report["findings"]]


def stored(folder: str) -> list[Path]:
    from django.conf import settings

    return [path for path in (settings.DATA / folder).rglob("*") if path.is_file()]


# Receiving


def test_received_with_its_job_in_one_transaction(cast: Cast) -> None:
    upload = send(cast.collection, cast.organizer, TOPICS, files.TOPICS, "../../etc/topics\n.tsv")
    job = Job.objects.get(pk=upload.job_id or 0)
    assert (job.name, job.args, job.collection_id) == ("check_upload", {"upload": upload.pk}, cast.collection.pk)
    assert (upload.name, upload.state, upload.size) == ("topics.tsv", "received", len(files.TOPICS))
    assert upload.sha256 == hashlib.sha256(files.TOPICS).hexdigest()
    assert upload.file_path and upload.file_path.read_bytes() == files.TOPICS


def test_whichever_query_fails_there_is_neither_file_nor_row_nor_job(cast: Cast) -> None:
    def send_until(place: int) -> Upload:
        asked = 0

        def execute(ask: Callable[..., Any], *given: Any) -> Any:
            nonlocal asked
            asked += 1
            if asked == place:
                raise OperationalError("the database is away")
            return ask(*given)

        with connection.execute_wrapper(execute):
            return send(cast.collection, cast.organizer, TOPICS, files.TOPICS)

    for place in range(1, 99):
        try:
            sent = send_until(place)
        except OperationalError:
            assert (Upload.objects.count(), Job.objects.count(), stored("files")) == (0, 0, []), place
        else:
            break
    assert (sent.job_id, place > 8) == (Job.objects.get().pk, True)


def test_broken_stream_leaves_no_file_and_no_row(cast: Cast) -> None:
    def chunks() -> object:
        yield b"1\t"
        raise OSError("the wire was cut")

    with pytest.raises(OSError, match="wire"):
        uploads.receive_file(cast.collection, by=cast.organizer, kind=TOPICS, name="x", chunks=chunks())  # type: ignore[arg-type]
    assert (Upload.objects.count(), stored("files")) == (0, [])


@pytest.mark.parametrize("kind", UploadKind.values)
def test_archived_collection_takes_nothing(cast: Cast, kind: str) -> None:
    collections.archive_collection(cast.collection)
    with pytest.raises(Conflict, match="archived"):
        send(cast.collection, cast.organizer, kind, b"x")
    assert stored("files") == []


def test_archived_while_it_waits_is_refused(cast: Cast) -> None:
    upload = send(cast.collection, cast.organizer, TOPICS, files.TOPICS)
    collections.archive_collection(cast.collection)
    assert findings(check(upload)) == [("ARCHIVED", 0)]
    assert Topic.objects.count() == 0


def test_run_needs_topics(cast: Cast) -> None:
    with pytest.raises(Conflict, match="upload the topics first"):
        send(cast.collection, cast.organizer, RUN, run_file("a", t1="d1"))


def test_second_file_of_documents_waits(cast: Cast) -> None:
    send(cast.collection, cast.organizer, DOCUMENTS, documents())
    with pytest.raises(Conflict, match="Another file of documents is being checked"):
        send(cast.collection, cast.organizer, DOCUMENTS, documents())


@pytest.mark.parametrize(
    ("kind", "options", "words"),
    [
        (RUN, {"kind": "magic"}, "kind: Expected one of automatic, manual"),
        (RUN, {"group": "x" * 81}, "group: Expected at most 80 characters; found 81."),
        (TOPICS, {"encoding": "ebcdic"}, "encoding: Expected one of utf-8, utf-8-or-latin-1, cp1252"),
    ],
)
def test_bad_option_is_refused(cast: Cast, kind: str, options: dict[str, str], words: str) -> None:
    take_topics(cast.collection, cast.organizer)
    with pytest.raises(Refusal, match=words):
        uploads.receive_file(cast.collection, by=cast.organizer, kind=kind, name="x", chunks=[b"x"], options=options)


def test_stray_files_are_removed_when_old(cast: Cast, settings: Settings) -> None:
    folder = settings.DATA / "files" / "uploads" / str(cast.collection.pk)
    folder.mkdir(parents=True)
    old, new = folder / "old", folder / "new"
    for file in (old, new):
        file.write_text("left behind")
    known = take_topics(cast.collection, cast.organizer).file_path
    assert known
    for file in (old, known):
        os.utime(file, (time.time() - 7200,) * 2)
    assert housekeeping.tidy()["files of no upload"] == 1
    assert not old.exists() and new.exists() and known.exists()


# Topics


def test_topics_are_taken_and_sorted_by_number(cast: Cast) -> None:
    upload = take_topics(cast.collection, cast.organizer)
    assert (upload.state, upload.report["facts"]) == ("accepted", {"topics": 3})
    found = selectors.topics(cast.collection).values_list("number", "title", "description")
    assert list(found) == [("1", "tidal power", "fish near turbines"), ("2", "harbour walls", ""), ("10", "pilots", "")]


def test_topics_gzipped_and_in_another_encoding(cast: Cast) -> None:
    data = gzip.compress("<top><num>Number: 051</num><title>Brücke</title></top>".encode("cp1252"))
    take(cast.collection, cast.organizer, TOPICS, data, encoding="cp1252")
    assert [(t.number, t.title) for t in cast.collection.topics.all()] == [("51", "Brücke")]


def test_bad_topics_leave_the_old_ones_and_no_file(cast: Cast) -> None:
    take_topics(cast.collection, cast.organizer)
    upload = take(cast.collection, cast.organizer, TOPICS, b"1\ta\nno tab here\n1\tb\n")
    assert (upload.state, upload.path, upload.report["errors"]) == ("refused", "", 2)
    assert findings(upload) == [("FIELDS", 2), ("NUMBER_REPEATED", 3)]
    assert cast.collection.topics.count() == 3
    assert len(stored("files/uploads")) == 1


def test_replaced_topics_keep_their_rows_by_number(cast: Cast) -> None:
    take_topics(cast.collection, cast.organizer)
    first = cast.collection.topics.get(number="1").pk
    take(cast.collection, cast.organizer, TOPICS, b"1\tnew title\n3\tthird\n", drop="yes")
    assert [(t.pk == first, t.number, t.title) for t in selectors.topics(cast.collection)] == [
        (True, "1", "new title"),
        (False, "3", "third"),
    ]


def test_fewer_topics_are_asked_about_before_any_is_dropped(cast: Cast) -> None:
    take_topics(cast.collection, cast.organizer)
    upload = take(cast.collection, cast.organizer, TOPICS, b"1\tnew title\n")
    words = "Topics 2 and 10 of the collection are not in the file and would be dropped; to drop them, send the file again and say so."
    assert (upload.state, findings(upload)) == ("refused", [("TOPICS_DROPPED", 0)])
    assert upload.report["findings"][0]["message"] == words
    assert [topic.title for topic in selectors.topics(cast.collection)] == ["tidal power", "harbour walls", "pilots"]
    assert take(cast.collection, cast.organizer, TOPICS, b"1\tnew title\n", drop="yes").state == "accepted"
    assert [topic.title for topic in selectors.topics(cast.collection)] == ["new title"]


def test_pooled_topic_must_stay(cast: Cast) -> None:
    files.fill(cast.collection, cast.organizer)
    files.draw(cast.collection, cast.organizer, 1)
    upload = take(cast.collection, cast.organizer, TOPICS, b"1\tonly one\n", drop="yes")
    assert findings(upload) == [("TOPIC_POOLED", 0)]
    assert cast.collection.topics.get(number="1").title == "tidal power"


def test_topics_are_frozen_by_the_first_judgment(cast: Cast) -> None:
    upload = send(cast.collection, cast.organizer, TOPICS, files.TOPICS)
    Collection.objects.filter(pk=cast.collection.pk).update(judging_started_at=timezone.now())
    assert findings(check(upload)) == [("FROZEN", 0)]
    cast.collection.refresh_from_db()
    with pytest.raises(Conflict, match="frozen: judging has begun"):
        send(cast.collection, cast.organizer, TOPICS, files.TOPICS)


# Documents


def shown(cast: Cast) -> list[tuple[str, str]]:
    return sorted(selectors.documents(cast.collection).values_list("docno", "text"))


def test_documents_are_taken(cast: Cast) -> None:
    line = b'{"id": "d9", "title": "T", "text": "x", "url": "http://e.org", "lang": "en", "date": "2026", "more": 1}\n'
    upload = take(cast.collection, cast.organizer, DOCUMENTS, gzip.compress(line))
    found = selectors.document(cast.collection, "d9")
    assert found and (found.title, found.text, found.url, found.language, found.date) == (
        "T",
        "x",
        "http://e.org",
        "en",
        "2026",
    )
    assert upload.report["facts"] == {"documents": 1}
    assert selectors.document(cast.collection, "D9") is None


def test_new_documents_take_the_place_of_the_old(cast: Cast) -> None:
    take(cast.collection, cast.organizer, DOCUMENTS, documents())
    take(cast.collection, cast.organizer, DOCUMENTS, documents(["d1", "n1"], "new"), others="drop")
    assert shown(cast) == [("d1", "new"), ("n1", "new")]
    assert Document.objects.count() == 2
    corpus = Corpus.objects.get()
    assert (corpus.generation, corpus.last_generation, corpus.document_count) == (2, 2, 2)


def test_documents_are_not_dropped_unasked_and_can_be_added_to(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document_services, "AT_ONCE", 2)
    take(cast.collection, cast.organizer, DOCUMENTS, documents())
    more = documents(["d5", "n1"], "new")
    upload = take(cast.collection, cast.organizer, DOCUMENTS, more)
    words = "4 documents of the collection are not in the file and would be dropped; send the file again and say whether it is added to them or they are dropped."
    assert (upload.state, [one["message"] for one in upload.report["findings"]]) == ("refused", [words])
    assert (len(shown(cast)), Document.objects.count()) == (5, 5)
    added = take(cast.collection, cast.organizer, DOCUMENTS, more, others="keep")
    assert (added.state, added.report["facts"]) == ("accepted", {"documents": 6, "kept": 4})
    old, new = [(docno, "water") for docno in DOCNOS[:4]], [("d5", "new"), ("n1", "new")]
    assert (shown(cast), Document.objects.count(), Corpus.objects.get().document_count) == (old + new, 6, 6)
    fewer = take(cast.collection, cast.organizer, DOCUMENTS, documents(["d5"]), others="drop")
    assert (fewer.state, fewer.report["facts"]) == ("accepted", {"documents": 1, "dropped": 5})
    with pytest.raises(Refusal, match="others: Expected one of refuse, keep, drop; found “lose”"):
        take(cast.collection, cast.organizer, DOCUMENTS, more, others="lose")


def test_bad_documents_store_nothing(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document_services, "AT_ONCE", 2)
    take(cast.collection, cast.organizer, DOCUMENTS, documents())
    upload = take(cast.collection, cast.organizer, DOCUMENTS, documents(["x1", "x2", "x3"]) + b"{oops\n" + documents(["x1"]))
    assert findings(upload) == [("JSON", 4), ("DOC_DUPLICATE", 5)]
    assert [docno for docno, _ in shown(cast)] == list(DOCNOS)
    assert Document.objects.count() == 5


def test_damaged_gzip_is_refused(cast: Cast) -> None:
    data = gzip.compress(documents([f"d{n}" for n in range(3000)]))
    for bad, words in ((data[:-500], "ends too early"), (data[:200] + b"\0" * 50 + data[250:], "damaged")):
        upload = take(cast.collection, cast.organizer, DOCUMENTS, bad)
        assert findings(upload) == [("FILE", 0)]
        assert words in upload.report["findings"][0]["message"]
    assert Document.objects.count() == 0


@pytest.mark.parametrize("at", [1, 2, 3, None])
def test_import_cut_off_leaves_the_old_state_and_repeats(cast: Cast, monkeypatch: pytest.MonkeyPatch, at: int | None) -> None:
    monkeypatch.setattr(document_services, "AT_ONCE", 2)
    take(cast.collection, cast.organizer, DOCUMENTS, documents())
    before = shown(cast)
    upload = send(cast.collection, cast.organizer, DOCUMENTS, documents(["n1", "n2", "n3", "n4", "n5", "n6"]), others="drop")
    with pytest.raises(Cut):
        uploads.check_upload(upload, CutOff(at))
    assert shown(cast) == before
    assert check(upload).state == "accepted"
    assert [docno for docno, _ in shown(cast)] == ["n1", "n2", "n3", "n4", "n5", "n6"]
    assert Document.objects.count() == 6
    assert check(upload).state == "accepted"  # a third time does nothing
    assert Corpus.objects.get().last_generation == 3


@pytest.mark.django_db(transaction=True)
def test_job_checks_and_tells(cast: Cast) -> None:
    upload = send(cast.collection, cast.organizer, DOCUMENTS, documents())
    for _ in range(2):
        jobs.run(upload.job_id or 0)
    job = Job.objects.get(pk=upload.job_id or 0)
    upload.refresh_from_db()
    assert (job.state, job.message, job.attempt, upload.state) == ("done", "5 documents", 1, "accepted")
    bad = send(cast.collection, cast.organizer, TOPICS, b"no topics")
    jobs.run(bad.job_id or 0)
    job, bad = Job.objects.get(pk=bad.job_id or 0), Upload.objects.get(pk=bad.pk)
    assert (job.state, job.attempt, job.failures, bad.state) == ("refused", 1, 0, "refused")
    assert job.message == "1 fault. Nothing of the file was stored." and job.finished_at is not None
    jobs.sweep()
    jobs.run(job.pk)
    again = Job.objects.get(pk=job.pk)
    assert (again.state, again.attempt) == ("refused", 1)


# Runs


@pytest.fixture
def ready(cast: Cast) -> Cast:
    take_topics(cast.collection, cast.organizer)
    take(cast.collection, cast.organizer, DOCUMENTS, documents())
    return cast


def test_run_is_kept_byte_for_byte_with_its_columns(ready: Cast) -> None:
    data = run_file("bm25", t1="d2 d1", t2="d3")
    packed = gzip.compress(data)
    run = take_run(ready.collection, ready.participant, packed, group="North", kind="manual", description="By hand.")
    assert (run.tag, run.group, run.kind, run.description) == ("bm25", "North", "manual", "By hand.")
    assert (run.submitted_by, run.topic_count, run.line_count) == (ready.participant, 2, 3)
    assert run.upload.file_path and run.upload.file_path.read_bytes() == packed
    rankings = selectors.rankings(run)
    assert rankings.docnos.tolist() == [b"d2", b"d1", b"d3"]
    assert rankings.rank_of("1", "d1") == 2
    assert [found["code"] for found in run.upload.report["findings"]] == ["TOPIC_MISSING"]


def test_run_with_faults_is_refused_whole(ready: Cast) -> None:
    data = b"1 Q0 d1 1 2.0 t\n1 Q0 d1 2 1.0 t\n7 Q0 d2 1 1.0 t\n1 Q0 zz 3 0.5 t\n1 Q0 d3 4 x t\n1 Q0 d4\n"
    upload = take(ready.collection, ready.participant, RUN, data)
    assert findings(upload)[:5] == [
        ("DOC_DUPLICATE", 2),
        ("TOPIC_UNKNOWN", 3),
        ("DOC_UNKNOWN", 4),
        ("SCORE_NOT_NUMBER", 5),
        ("FIELDS", 6),
    ]
    assert (upload.state, Run.objects.count(), stored("files/runs"), upload.path) == ("refused", 0, [], "")


def test_hundred_faults_are_listed_and_all_are_counted(ready: Cast) -> None:
    upload = take(ready.collection, ready.participant, RUN, b"five columns are too few\n" * 250)
    assert upload.report["errors"] == 250
    assert len([found for found in upload.report["findings"] if found["code"] == "FIELDS"]) == 100


def test_unknown_documents_pass_while_none_are_imported(cast: Cast) -> None:
    take_topics(cast.collection, cast.organizer)
    run = take_run(cast.collection, cast.organizer, run_file("a", t1="anything", t2="d1", t10="d2"))
    assert findings(run.upload) == [("DOCS_UNCHECKED", 0)]


@pytest.mark.parametrize("tag", [".", ".."])
def test_tag_that_no_address_could_hold(ready: Cast, tag: str) -> None:
    assert findings(take(ready.collection, ready.organizer, RUN, run_file(tag, t1="d1")))[0] == ("TAG_FORMAT", 0)


def test_gzip_bomb_is_refused(ready: Cast, settings: Settings) -> None:
    settings.UPLOAD_MB = 1
    upload = take(ready.collection, ready.organizer, RUN, gzip.compress(bytes(3_000_000)))
    assert findings(upload) == [("FILE", 0)]
    assert "more than 1,000,000 bytes" in upload.report["findings"][0]["message"]


@pytest.mark.parametrize("kind", [RUN, UploadKind.TOPICS])
def test_more_lines_than_allowed_are_refused(ready: Cast, settings: Settings, kind: UploadKind) -> None:
    settings.UPLOAD_LINES = 3
    data = {RUN: run_file("a", t1="d1 d2 d3"), UploadKind.TOPICS: files.TOPICS}[kind]
    upload = take(ready.collection, ready.organizer, kind, gzip.compress(data + data))
    assert findings(upload) == [("FILE", 0)]
    assert upload.report["findings"][0]["message"] == "The file holds 6 lines; at most 3 are allowed."
    assert take(ready.collection, ready.organizer, kind, gzip.compress(data)).state == "accepted"


def test_qrels_have_no_more_lines_either(ready: Cast, settings: Settings) -> None:
    settings.UPLOAD_LINES = 1
    with pytest.raises(Unpackable, match="holds 2 lines; at most 1"):
        taking.plain(b"1 0 d1 1\n1 0 d2 0\n")
    checked = importing.check_judgments(ready.collection, b"1 0 d1 1\n1 0 d2 0\n", assessor="ann")
    assert [found.code for found in checked.report.findings] == ["PACKED"]


def test_same_tag_again_is_told(ready: Cast) -> None:
    take_run(ready.collection, ready.organizer, run_file("bm25", t1="d1"))
    upload = take(ready.collection, ready.participant, RUN, run_file("bm25", t1="d2"))
    assert findings(upload)[0] == ("TAG_TAKEN", 0)
    another = "choose another (“Tag, instead of the file’s”; in programs: tag)"
    somebody = f'The tag "bm25" is in use by a run of somebody else; {another}.'
    assert upload.report["findings"][0]["message"] == somebody
    own = take(ready.collection, ready.organizer, RUN, run_file("bm25", t1="d2")).report["findings"][0]["message"]
    assert own.startswith(
        f'The tag "bm25" is in use by a run of yours; {another}, or to replace that run, send the file again with'
    )


def test_same_body_twice_at_once_is_one_run(ready: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both are checked before either is stored: the database's constraint decides, and the second is told."""
    data = run_file("bm25", t1="d1")
    first, second = (send(ready.collection, ready.participant, RUN, data) for _ in range(2))
    read = run_stream.check_file

    def meanwhile(*given: object, **more: object) -> object:
        monkeypatch.setattr(run_services, "check_file", read)
        found = read(*given, **more)  # type: ignore[arg-type]
        assert check(first).state == "accepted"
        return found

    monkeypatch.setattr(run_services, "check_file", meanwhile)
    assert findings(check(second))[-1] == ("TAG_TAKEN", 0)
    assert [run.upload_id for run in Run.objects.all()] == [first.pk]
    assert len(stored("files/runs")) == 1


def test_run_cut_off_before_the_switch_is_repeated(ready: Cast) -> None:
    upload = send(ready.collection, ready.participant, RUN, run_file("bm25", t1="d1"))
    for at in (1, 2, None):
        with pytest.raises(Cut), CutOff(at) as work:
            uploads.check_upload(upload, work)
        assert Run.objects.count() == 0
    assert check(upload).state == "accepted"
    assert Run.objects.get().line_count == 1
