"""Qrels of another time or place: as judgments, as a release; bad files are refused whole, every fault by its line."""

import gzip
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from pytest_django import Settings

from assess import pairs, watching
from assess import selectors as judging
from assess.models import Judgment, JudgmentEvent, Seat
from assess.services.importing import check_judgments
from config import jobs
from config.errors import Conflict, Refusal
from config.models import Job, User
from evaluation import changes, selectors, tasks
from evaluation.models import Release
from evaluation.on_files import verify
from evaluation.services import importing
from pooling.models import Pool, PoolItem
from pooling.services import collections
from pooling.services.work import Direct
from tests.assess.factories import make_documents
from tests.commands.conftest import Assize, assize
from tests.conftest import Cast, ClientFor
from tests.evaluation.factories import judge, make_item, make_topic, quiet
from tests.evaluation.test_bundles import files
from tests.pooling import files as pool_files

__all__ = ["assize"]
TABLE = b"topic,docno,assessor,grade\n1,a,ann,2\n1,a,bob,0\n1,b,ann,1\n2,c,bob,3\n"
QRELS = b"1 0 a 2\n1 0 b 0\n2 0 c 3\n"


@pytest.fixture
def two(cast: Cast) -> Cast:
    for number in ("1", "2"):
        make_topic(cast.collection, number)
    return cast


def take(cast: Cast, data: bytes, kind: str = "judgments", **more: str) -> str:
    with Direct(quiet) as work:
        options = importing.Options(kind=kind, **more)
        return importing.take_import(cast.collection, by=cast.organizer, data=data, options=options, work=work)


def test_a_table_becomes_judgments_with_seats_and_history(two: Cast) -> None:
    assert take(two, TABLE) == "4 judgments of 2 assessors."
    table = judging.judgment_table(two.collection)
    assert list(zip(table.docnos.tolist(), table.slots.tolist(), table.grades.tolist(), strict=True)) == [
        (b"a", 1, 2),
        (b"a", 2, 0),
        (b"b", 1, 1),
        (b"c", 1, 3),
    ]
    assert (Seat.objects.count(), JudgmentEvent.objects.count(), Pool.objects.get().strategy) == (4, 4, "imported")
    ann = User.objects.get(name="ann")
    assert (ann.username, ann.is_active, ann.has_usable_password()) == ("harbour-trials.ann", False, False)
    assert judging.pseudonyms(two.collection)[ann.pk].startswith("A")
    two.collection.refresh_from_db()
    assert two.collection.judging_started_at is not None
    assert changes.live_qrels(two.collection) == b"1 0 a 2\n1 0 b 1\n2 0 c 3\n"


def test_qrels_are_continued_by_another_assessor(two: Cast) -> None:
    judge(make_item(two.collection, "1", "a", by=two.organizer), two.assessor, 1)
    take(two, QRELS, assessor="nist")
    assert PoolItem.objects.count() == 3
    assert pairs.agreement(two.collection).overall.figures.n == 1
    again = pytest.raises(importing.Faulty, match="3 faults")
    with again as told:
        take(two, QRELS, assessor="nist")
    assert [finding.message for finding in told.value.report.findings] == [
        "nist has judged what is on 3 lines in this collection already, such as document a of topic 1."
    ]
    assert Judgment.objects.count() == 4


def test_a_release_is_a_draft_that_checks_itself(two: Cast) -> None:
    told = take(two, QRELS, "release", note="Of 1998.")
    release = Release.objects.get()
    assert told == f"Release 1: 3 judged documents, SHA-256 {release.sha256}."
    assert (release.rule, release.state, release.note, release.about["origin"]) == ("", "draft", "Of 1998.", "import")
    assert not Judgment.objects.exists()
    found = files(release)
    assert found["qrels.txt"] == QRELS
    assert all(good for _name, good, _words in verify.verify(found))
    assert selectors.topic_grades(release, "1") == {0: 1, 2: 1}


@pytest.mark.parametrize(
    ("data", "kind", "code", "line"),
    [
        (b"1 0 a 2\n1 0 b yes\n", "release", "GRADE_NOT_INTEGER", 2),
        (b"1 0 a 2\n9 0 b 1\n", "release", "TOPIC_UNKNOWN", 2),
        (b"1 0 a 7\n", "release", "GRADE_OUTSIDE_SCALE", 1),
        (b"1 0 a\n", "release", "FIELDS", 1),
        (b"1 0 a 1\n1 0 a 2\n", "release", "DUPLICATE_CONFLICT", 2),
        (b"1 0 a \xff\n", "release", "ENCODING", 0),
        (b"", "release", "QRELS_EMPTY", 0),
        (b"topic,docno,assessor,grade\n1,a,ann,2\n9,b,ann,1\n", "judgments", "TOPIC_UNKNOWN", 3),
        (b"topic,docno,assessor,grade\n1,a,ann,2\n1,a,ann,1\n", "judgments", "DUPLICATE_CONFLICT", 3),
        (b"topic,docno,assessor,grade\n1,a,,2\n", "judgments", "FIELD_EMPTY", 2),
        (b"1 0 a 2\n", "judgments", "QRELS_ALONE", 1),
        (b"topic,docno,assessor,grade\n1,a,ann,\n", "judgments", "EMPTY", 0),
    ],
)
def test_faults_are_told_by_line_and_nothing_is_stored(two: Cast, data: bytes, kind: str, code: str, line: int) -> None:
    with pytest.raises(importing.Faulty) as told:
        take(two, data, kind)
    errors = [finding for finding in told.value.report.findings if finding.severity == "error"]
    assert (errors[0].code if code != "ENCODING" else code, errors[0].line if code != "ENCODING" else 0) == (code, line)
    assert not Judgment.objects.exists() and not Release.objects.exists() and not PoolItem.objects.exists()


def test_a_missing_name_is_told_with_the_faults_of_the_file(two: Cast) -> None:
    with pytest.raises(importing.Faulty) as told:
        take(two, b"1 0 a 2\n9 0 b 1\n1 0 c 7\n1 0 d yes\n", "judgments")
    errors = [(finding.line, finding.code) for finding in told.value.report.findings if finding.severity == "error"]
    assert sorted(errors) == [(1, "QRELS_ALONE"), (2, "TOPIC_UNKNOWN"), (3, "GRADE_OUTSIDE_SCALE"), (4, "GRADE_NOT_INTEGER")]


GOOD = b"1 0 a 2\n"
HOSTILE = {
    "nul": (GOOD + b"1 0 b\0 1\n", "CONTROL", 2),
    "escape": (GOOD + b"1 0 b\x1b[31m 1\n", "CONTROL", 2),
    "latin-1": (GOOD + "1 0 é 1\n".encode("latin-1"), "ENCODING", 2),
    "utf-16": ("1 0 a 2\n".encode("utf-16"), "ENCODING", 1),
    "surrogate": (b"1 0 \xed\xa0\x80 1\n", "ENCODING", 1),
    "arabic grade": ("1 0 a ٢\n".encode(), "GRADE_NOT_INTEGER", 1),
    "underscore": (b"1 0 a 1_0\n", "GRADE_NOT_INTEGER", 1),
    "exponent": (GOOD + b"1 0 b 1e0\n", "GRADE_NOT_INTEGER", 2),
    "huge grade": (b"1 0 a 99999999999999999999\n", "GRADE_OUTSIDE_SCALE", 1),
    "line of 10 MB": (GOOD + b"1 0 " + b"x" * 10_000_000 + b" 1\n", "ID_LONG", 2),
    "word of 10 MB": (b"y" * 10_000_000, "FIELDS", 1),
    "a run": (b"1 Q0 a 1 2.0 t\n", "FIELDS", 1),
    "cut gzip": (gzip.compress(GOOD * 500)[:30], "PACKED", 0),
    "gzip bomb": (gzip.compress(bytes(12_000_000)), "PACKED", 0),
}


@pytest.mark.once
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_qrels_are_refused_in_each_way_they_may_come(two: Cast, settings: Settings, name: str) -> None:
    data, code, line = HOSTILE[name]
    settings.UPLOAD_MB = 11
    for kind, assessor in (("release", ""), ("judgments", "nist")):
        with pytest.raises(importing.Faulty) as told:
            take(two, data, kind, assessor=assessor)
        first = told.value.report.findings[0]
        assert (first.severity, first.code, first.line) == ("error", code, line), kind
        assert len(first.message) < 300
    assert not any(model.objects.exists() for model in (Judgment, Release, PoolItem, Job))
    assert not User.objects.filter(name="nist").exists()


@pytest.mark.parametrize(("data", "more"), [(QRELS, {"assessor": "nist"}), (b"1 a ann 2\n1 b ann 0\n2 c ann 3\n", {})])
def test_their_grades_become_ours(two: Cast, data: bytes, more: dict[str, str]) -> None:
    take(two, data, grades="2=1, 3=-1", **more)
    assert judging.judgment_table(two.collection).grades.tolist() == [1, 0]
    with pytest.raises(Refusal, match="such as 1=2 2=3; found “2:1”"):
        take(two, data, grades="2:1", **more)
    with pytest.raises(Refusal, match="each grade of theirs once; 2 becomes 1 and 3"):
        take(two, data, grades="2=1 2=3", **more)


def test_a_fault_of_many_lines_is_told_once_for_each_value(two: Cast) -> None:
    lines = b"".join(b"%d 0 d%d %d\n" % (topic, n, 4 + n % 2) for topic in (1, 9) for n in range(50))
    for kind, data in (("release", lines), ("judgments", lines.replace(b" 0 d", b" d0 d"))):
        with pytest.raises(importing.Faulty) as told:
            take(two, data, kind)
        outside = [finding for finding in told.value.report.findings if finding.code == "GRADE_OUTSIDE_SCALE"]
        scale = "is not on the scale (0, 1, 2, 3); extend the scale or map the grade."
        assert [(one.line, one.message) for one in outside] == [
            (1, f"Grade 4, on 50 lines (1, 3, 5 …), {scale}"),
            (2, f"Grade 5, on 50 lines (2, 4, 6 …), {scale}"),
        ]


def test_zeros_before_a_topic_and_unknown_documents_are_told_once(two: Cast) -> None:
    make_documents(two.collection, ["a"])
    checked = check_judgments(two.collection, b"01 a ann 2\n1 x ann 1\n02 x ann 0\n2 x bob 1\n2 y bob 1\n")
    assert [(one.line, one.message) for one in checked.report.findings] == [
        (1, "Topic 01 is taken as topic 1 of this collection."),
        (2, "Document x, on 3 lines (2, 3, 4), is not in the collection."),
        (5, "Document y is not in the collection."),
    ]
    assert [line.topic for line in checked.lines] == ["1", "1", "2", "2", "2"]


def test_round_of_imported_judgments_was_not_drawn(two: Cast, client_for: ClientFor) -> None:
    take(two, TABLE)
    page = client_for(two.organizer).get("/c/harbour-trials/pool/1/").content.decode()
    assert "Imported judgments; nothing was drawn" in page and "<dt>Imported</dt>" in page
    assert "Seed" not in page and "No run contributed" not in page


ZEROS = (b"1 0 0858 2\n1 0 007 1\n2 0 0858 0\n2 0 9 1\n", b"1 0858 nist 2\n1 007 nist 1\n2 0858 nist 0\n2 9 nist 1\n")


@pytest.mark.parametrize(("data", "assessor"), [(ZEROS[0], "nist"), (ZEROS[1], "")])
def test_docnos_with_zeros_are_suggested_and_taken_if_asked(two: Cast, data: bytes, assessor: str) -> None:
    make_documents(two.collection, ["858", "007", "7", "9"])
    plain = check_judgments(two.collection, data, assessor=assessor)
    assert [(one.code, one.near, one.message) for one in plain.report.findings] == [
        ("DOC_UNKNOWN", "858", "Document 0858, on 2 lines (1, 3), is not in the collection. Did you mean 858?")
    ]
    taken = check_judgments(two.collection, data, assessor=assessor, drop_zeros=True)
    assert [(line.topic, line.docno) for line in taken.lines] == [("1", "858"), ("1", "007"), ("2", "858"), ("2", "9")]
    assert [(one.code, one.line, one.message) for one in taken.report.findings] == [
        ("DOC_ZEROS", 1, "2 lines are taken without the zeros before their docnos, the first 0858 as 858.")
    ]


def test_zeros_that_make_two_lines_one_are_told(two: Cast) -> None:
    make_documents(two.collection, ["858"])
    twice = b"1 0 858 2\n1 0 0858 1\n"
    for data, assessor in ((twice, "nist"), (b"1 858 nist 2\n1 0858 nist 1\n", "")):
        found = check_judgments(two.collection, data, assessor=assessor, drop_zeros=True)
        assert [one.code for one in found.report.findings] == ["DUPLICATE_CONFLICT", "DOC_ZEROS"]


@pytest.mark.parametrize("kind", importing.KINDS)
def test_page_api_and_command_drop_zeros(two: Cast, client_for: ClientFor, assize: Assize, tmp_path: Path, kind: str) -> None:
    make_documents(two.collection, ["858", "007", "9"])
    sent, olga = {"kind": kind, "assessor": "nist" if kind == "judgments" else ""}, client_for(two.organizer)
    hint = "Choose to drop zeros, so that 0858 is 858, or to keep them (in programs: zeros)."
    for address in ("/api/v1/collections/harbour-trials/qrels", "/c/harbour-trials/import-qrels/"):
        answer = olga.post(address, {**sent, "file": SimpleUploadedFile("q", ZEROS[0])})
        assert (answer.status_code, hint in answer.content.decode(), Job.objects.exists()) == (422, True, False)
        answer = olga.post(address, {**sent, "zeros": "keep", "file": SimpleUploadedFile("q", ZEROS[0])})
        assert Job.objects.get().message.startswith("2 of 4 lines name documents that are not in this collection")
        Job.objects.all().delete()
    for address in ("/api/v1/collections/harbour-trials/qrels", "/c/harbour-trials/import-qrels/"):
        Job.objects.all().delete()
        olga.post(address, {**sent, "zeros": "drop", "file": SimpleUploadedFile("q", ZEROS[0])})
        job = Job.objects.get()
        assert (job.args["zeros"], job.message) == ("drop", "")
    file = tmp_path / "old.qrels"
    file.write_bytes(ZEROS[0])
    done = assize("import-qrels", "harbour-trials", file, "--as", kind, "--assessor", sent["assessor"], "--zeros", "drop")
    assert (done.status, "as 858" in done.err) == (0, True)


def test_sample_keeps_its_zeros(two: Cast) -> None:
    with pytest.raises(Refusal, match="of a sample every docno stays"):
        options = importing.Options(kind="release", zeros="drop")
        importing.check_report(two.collection, b"1 0 a 1 2\n1 0 b 1 0\n", options)


def test_imported_judgments_are_not_counted_as_wanted(two: Cast) -> None:
    make_item(two.collection, "1", "new", by=two.organizer)
    pool_files.take(two.collection, two.organizer, "documents", pool_files.documents(["new", "a", "b", "c"]))
    take(two, QRELS, assessor="nist")
    found = watching.progress(two.collection)
    assert (found.total.done, found.total.total, found.imported, found.unassigned) == (0, 0, 3, 1)
    stage = judging.judged_stage(two.collection, two.organizer, {"organizer"})
    assert (stage.count, stage.note) == ("–", "not assigned; 3 imported")


class Meanwhile(Direct):
    """What others do after the file was checked and made ready, and before it is stored."""

    def __init__(self, *acts: Callable[[], object]) -> None:
        super().__init__(quiet)
        self.acts = list(acts)

    @contextmanager
    def finish(self, message: str = "", output: str = "", *, refused: bool = False) -> Iterator[None]:
        if self.acts:
            self.acts.pop(0)()
        with super().finish(message, output, refused=refused):
            yield


def test_what_others_pool_and_judge_meanwhile_is_met(two: Cast) -> None:
    """A document that somebody pooled is not pooled again, a seat that was taken is left, and no judgment is overwritten."""

    def judged(docno: str) -> None:
        judge(make_item(two.collection, "1", docno, by=two.organizer), two.assessor, 1)

    given: Any = {"by": two.organizer, "options": importing.Options()}
    with Meanwhile(lambda: make_item(two.collection, "2", "c", by=two.organizer), lambda: judged("a")) as work:
        assert importing.take_import(two.collection, data=TABLE, work=work, **given) == "4 judgments of 2 assessors."
    seats = Seat.objects.order_by("item__docno", "slot").values_list("item__docno", "slot", "assessor__name")
    told = [("a", 1, two.assessor.name), ("a", 2, "ann"), ("a", 3, "bob"), ("b", 1, "ann"), ("c", 1, "bob")]
    assert list(seats) == told
    assert list(Pool.objects.order_by("round").values_list("strategy", "item_count")) == [("depth", 0), ("imported", 1)]
    hers = f"1 b {two.assessor.username} 2\n1 d {two.assessor.username} 2\n".encode()
    with pytest.raises(importing.Faulty, match="1 fault"), Meanwhile(lambda: judged("b")) as work:
        importing.take_import(two.collection, data=hers, work=work, **given)
    assert (JudgmentEvent.objects.count(), PoolItem.objects.filter(docno="d").exists()) == (6, False)


def test_what_can_be_taken_no_more_is_refused(two: Cast) -> None:
    given: Any = {"data": TABLE, "by": two.organizer, "options": importing.Options()}
    with (
        pytest.raises(Conflict, match="scale was changed"),
        Meanwhile(lambda: two.collection.grades.get(value=3).delete()) as work,
    ):
        importing.take_import(two.collection, work=work, **given)
    two.collection.grades.create(value=3, label="Highly", key="3")
    item = make_item(two.collection, "1", "a", by=two.organizer)
    Pool.objects.filter(pk=item.pool_id).update(drawn_at=None)
    with pytest.raises(Conflict, match="being drawn"):
        take(two, TABLE)
    item.delete()
    with pytest.raises(Conflict, match="archived"), Meanwhile(lambda: collections.archive_collection(two.collection)) as work:
        importing.take_import(two.collection, work=work, **given)
    assert not Judgment.objects.exists() and not PoolItem.objects.exists() and not User.objects.filter(name="ann").exists()


def test_refused_in_words(cast: Cast, two: Cast) -> None:
    with pytest.raises(Refusal, match="kind: Expected one of judgments, release; found “run”"):
        take(two, QRELS, "run")
    two.collection.topics.all().delete()
    with pytest.raises(Conflict, match="no topics yet"):
        take(two, QRELS, "release")


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (QRELS, ""),
        (b"1 0 a 2\n1 0 x 0\n2 0 c 3\n", "1 of 3 lines name documents that are not in this collection: x on line 2."),
        (
            b"1 0 x1 2\n1 0 x2 0\n1 0 x3 0\n2 0 x4 3\n",
            "None of its 4 lines names a document of this collection; the first are x1 on line 1, x2 on line 2, x3 on line 3."
            " It looks like the qrels of another collection.",
        ),
    ],
)
@pytest.mark.parametrize("kind", importing.KINDS)
def test_documents_of_another_collection_are_told(
    two: Cast, client_for: ClientFor, assize: Assize, tmp_path: Path, data: bytes, told: str, kind: str
) -> None:
    """On the page, over the API and by the command; they are taken, for what was judged may have left the collection."""
    make_documents(two.collection, ["a", "b", "c"])
    sent = {"kind": kind, "assessor": "nist" if kind == "judgments" else "", "unknown": "take"}
    olga = client_for(two.organizer)
    page = olga.post("/c/harbour-trials/import-qrels/", {**sent, "file": SimpleUploadedFile("q", data)}, follow=True)
    assert (escape(told) in page.content.decode(), "toast-warning" in page.content.decode()) == (True, bool(told))
    Job.objects.all().delete()
    answer = olga.post("/api/v1/collections/harbour-trials/qrels", {**sent, "file": SimpleUploadedFile("q", data)})
    assert (answer.status_code, answer.json()["message"]) == (202, told)
    job = Job.objects.get()
    job.state = "running"
    job.save()
    tasks.import_qrels(jobs.Running(job))
    job.refresh_from_db()
    assert (job.state, job.message.partition(". ")[2]) == ("done", told)
    file, other = tmp_path / "old.qrels", ("--assessor", "cran", "--grades", "2=1", "--unknown", "take")
    file.write_bytes(data)
    by_hand = assize("import-qrels", "harbour-trials", file, "--as", kind, *other)
    warned = (
        f"{file}: warning: {told}\n" in by_hand.err and f"{file}:{data.count(b'a') + 1}: warning: Document x" in by_hand.err
    )
    assert (by_hand.status, warned, "warning" in by_hand.err) == (0, bool(told), bool(told))


@pytest.mark.parametrize("kind", importing.KINDS)
def test_qrels_of_another_collection_are_refused_unless_they_are_meant(
    two: Cast, client_for: ClientFor, assize: Assize, tmp_path: Path, kind: str
) -> None:
    make_documents(two.collection, ["a"])
    data, file = b"1 0 x1 2\n1 0 x2 0\n2 0 x3 3\n", tmp_path / "old.qrels"
    told = "None of its 3 lines names a document of this collection: x1 on line 1, x2 on line 2, x3 on line 3. It looks like "
    told += "the qrels of another collection. If it is not, choose to take unknown documents (in programs: unknown)."
    sent, olga = {"kind": kind, "assessor": "nist" if kind == "judgments" else ""}, client_for(two.organizer)
    page = olga.post("/c/harbour-trials/import-qrels/", {**sent, "file": SimpleUploadedFile("q", data)})
    assert (page.status_code, escape(told) in page.content.decode()) == (422, True)
    answer = olga.post("/api/v1/collections/harbour-trials/qrels", {**sent, "file": SimpleUploadedFile("q", data)})
    assert (answer.status_code, told in answer.content.decode()) == (422, True)
    file.write_bytes(data)
    by_hand = assize("import-qrels", "harbour-trials", file, "--as", kind, "--assessor", "nist")
    assert (by_hand.status, f"{file}: error: {told}" in by_hand.err) == (1, True)
    assert not Job.objects.exists() and not Judgment.objects.exists() and not Release.objects.exists()


def test_qrels_of_documents_that_are_called_otherwise_here_say_how(two: Cast) -> None:
    make_documents(two.collection, [str(number) for number in range(1400, 1412)])
    with pytest.raises(importing.Faulty) as told:
        importing.check_report(two.collection, b"1 0 CACM-1410 2\n1 0 CACM-1402 0\n", importing.Options(kind="release"))
    [whole] = [one.message for one in told.value.report.findings if one.code == importing.STRANGERS]
    assert whole.endswith(
        ": CACM-1410 on line 1, CACM-1402 on line 2. Here they are called otherwise, as 1410 for CACM-1410: correct them in the file."
    )


def test_page_refuses_with_findings_and_takes_by_a_job(two: Cast, client_for: ClientFor) -> None:
    olga, here = client_for(two.organizer), "/c/harbour-trials/import-qrels/"

    def send(data: bytes) -> dict[str, object]:
        return {"file": SimpleUploadedFile("old.qrels", data), "kind": "judgments", "assessor": "nist"}

    answer = olga.post(here, send(b"1 0 a 2\n9 0 b 1\n"))
    assert (answer.status_code, "Topic 9 is not part" in answer.content.decode(), Job.objects.count()) == (422, True, 0)
    answer = olga.post(here, send(QRELS))
    job = Job.objects.get()
    assert answer.headers["Location"] == f"/jobs/{job.pk}/"
    options = importing.Options(
        **{name: str(job.args[name]) for name in ("kind", "assessor", "repeats", "grades", "note", "unknown")}
    )
    kept: Any = {"path": job.args["path"], "options": options}
    with Direct(quiet) as work:
        importing.take_kept(two.collection, by=two.organizer, work=work, **kept)
    assert Judgment.objects.count() == 3
    with pytest.raises(importing.Faulty), Direct(quiet) as work:
        importing.take_kept(two.collection, by=two.organizer, work=work, **kept)
    assert Judgment.objects.count() == 3


def test_a_faulty_file_is_not_called_that_of_another_collection(two: Cast) -> None:
    make_documents(two.collection, ["a", "b", "c"])
    with pytest.raises(importing.Faulty) as refused:
        importing.request_import(
            two.collection,
            by=two.organizer,
            data=b"1 0 x 2\n1 0 a two\n1 0 b 1\n",
            options=importing.Options(kind="judgments", assessor="nist"),
        )
    told = [one.message for one in refused.value.report.findings if one.severity == "warning"]
    assert told == ["Document x is not in the collection."]
