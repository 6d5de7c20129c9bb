"""A run that is called otherwise than its file, whose tag is too long or taken."""

from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from pytest_django import Settings

from config.errors import Invalid
from pooling import selectors
from pooling.models import Run, UploadKind
from pooling.services import uploads
from tests.api.conftest import CallerFor
from tests.commands.conftest import Assize, assize
from tests.conftest import Cast, ClientFor
from tests.pooling.files import check, run_file, send, take, take_run, take_topics
from tests.pooling.test_run_stream import PLAIN, both, is_streamed, whole

__all__ = ["assize"]

LONG = "UniversityOfNowhere-title-2x"  # 28 characters, as CLEF had them
DATA = run_file(LONG, t1="d1 d2", t2="d3")
NOTE = f'"short" was given as the tag; that of the file is "{LONG}".'


@pytest.fixture
def ready(cast: Cast, settings: Settings, tmp_path: Path) -> Cast:
    settings.DATA = tmp_path
    take_topics(cast.collection, cast.organizer)
    return cast


@pytest.mark.parametrize("tag", [b"t", LONG.encode(), "naïve".encode(), b"."])
def test_both_readers_say_the_same(tag: bytes) -> None:
    data = PLAIN.replace(b" t\n", b" %b\n" % tag)
    streamed, held = both(data, tag="short")
    assert whole(streamed) == whole(held)
    assert (held.tag, held.report.ok, is_streamed(data, tag="short")) == ("short", True, True)
    careful, _ = both(data + b"3 Q0 a 1 x %b\n" % tag, tag="short")
    assert [one.code for one in careful.report.findings if one.severity == "error"] == ["SCORE_NOT_NUMBER"]


def test_two_tags_in_a_file_are_two_runs_all_the_same() -> None:
    for found in both(b"1 Q0 a 1 2 t\n1 Q0 b 2 1 u\n", tag="short"):
        assert [one.code for one in found.report.findings] == ["TAG_MIXED", "TAG_GIVEN"]


def test_run_is_called_so_and_its_file_stays(ready: Cast) -> None:
    here, by = ready.collection, ready.participant
    refused = take(here, by, UploadKind.RUN, DATA)
    assert [one["code"] for one in refused.report["findings"] if one["severity"] == "error"] == ["TAG_FORMAT"]
    taken = take(here, by, UploadKind.RUN, DATA, tag="short")
    assert [one["message"] for one in taken.report["findings"] if one["code"] == "TAG_GIVEN"] == [NOTE]
    assert taken.file_path and taken.file_path.read_bytes() == DATA
    assert (taken.run.tag, selectors.rankings(taken.run).tag) == ("short", "short")
    take_run(here, by, DATA, tag="short", replace="yes")  # the given tag tells which run is replaced
    assert list(Run.objects.values_list("tag", "version")) == [("short", 2)]


def test_no_word_where_file_and_run_are_called_the_same(ready: Cast) -> None:
    taken = take(ready.collection, ready.participant, UploadKind.RUN, run_file("t", t1="d1", t2="d2", t10="d3"), tag="t")
    assert "TAG_GIVEN" not in taken.report["counts"]


def test_repair_keeps_the_tag(ready: Cast) -> None:
    by = ready.participant
    twice = take(ready.collection, by, UploadKind.RUN, DATA + f"1 Q0 d1 3 1 {LONG}\n".encode(), tag="short")
    assert check(uploads.repair_upload(twice, by=by)).run.tag == "short"


def test_tag_is_of_one_run(ready: Cast) -> None:
    files = [("a.run", [DATA]), ("b.run", [DATA])]
    with pytest.raises(Invalid, match="Expected a tag of one run; found 2 runs"):
        uploads.receive_runs(ready.collection, by=ready.participant, files=files, options={"tag": "short"})


def test_page_leads_there_from_a_taken_tag(ready: Cast, client_for: ClientFor) -> None:
    here, by = ready.collection, ready.participant
    take_run(here, ready.organizer, run_file("bm25", t1="d1"))
    refused, client = take(here, by, UploadKind.RUN, run_file("bm25", t1="d2")), client_for(by)
    assert f"/c/{here.slug}/runs/?retag#send" in client.get(refused.get_absolute_url()).content.decode()
    assert "<details open><summary>Priority" in client.get(f"/c/{here.slug}/runs/?retag").content.decode()
    sent = {"file": SimpleUploadedFile("a.run", run_file("bm25", t1="d2")), "tag": "mine"}
    assert client.post(f"/c/{here.slug}/runs/", sent).status_code == 302
    assert check(here.uploads.get(options__tag="mine")).run.tag == "mine"


def test_api_and_command_take_it(ready: Cast, assize: Assize, tmp_path: Path, client_for: ClientFor) -> None:
    here, by = ready.collection, ready.participant
    call = CallerFor()(by)
    headers = {"Authorization": f"Bearer {call.secret}"}
    sent = {"file": SimpleUploadedFile("a.run", DATA), "tag": "by-api"}
    assert call.client.post(f"/api/v1/collections/{here.slug}/runs", sent, headers=headers).status_code == 202
    assert check(here.uploads.get(options__tag="by-api")).run.tag == "by-api"
    (tmp_path / "a.run").write_bytes(DATA)
    done = assize("import-run", here.slug, str(tmp_path / "a.run"), "--tag", "by-shell", "--by", by.username)
    assert (done.status, done.out.split()[0]) == (0, "by-shell")
    assert send(here, by, UploadKind.RUN, DATA, tag="third").options["tag"] == "third"
