"""A folder of hostile files, made here: each is refused with its verdict and line, or taken with a warning; nothing stays behind."""

import bz2
import gzip
import io
from pathlib import Path
from typing import Any
from typing import cast as typed

import pytest
import zstandard
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.handlers.wsgi import WSGIRequest
from django.http.multipartparser import MultiPartParserError
from django.test import Client

from pooling.core import packed
from pooling.models import Document, Pool, Run, Topic, Upload
from tests.conftest import Cast, ClientFor
from tests.pooling import files
from tests.pooling.test_packed import tar_of, zip_of

pytestmark = pytest.mark.once  # refused before a row is made

GOOD = b"1 Q0 d1 1 2.0 t\n"
RUNS = {
    "five columns": (b"1 Q0 d1 1 2.0\n", [("FIELDS", 1)]),
    "seven columns": (GOOD + b"1 Q0 d2 2 1.0 t extra\n", [("FIELDS", 2)]),
    "nan": (GOOD + b"1 Q0 d2 2 nan t\n", [("SCORE_NOT_FINITE", 2)]),
    "infinite": (b"1 Q0 d1 1 1e999 t\n", [("SCORE_NOT_FINITE", 1)]),
    "underscore": (b"1 Q0 d1 1 1_000 t\n", [("SCORE_NOT_NUMBER", 1)]),
    "arabic digits": ("1 Q0 d1 1 ١٢٣ t\n".encode(), [("SCORE_NOT_NUMBER", 1)]),
    "arabic rank": ("1 Q0 d1 ١ 2 t\n".encode(), [("RANK_NOT_INTEGER", 1)]),
    "comma": (b"1 Q0 d1 1 12,5 t\n", [("SCORE_NOT_NUMBER", 1)]),
    "hexadecimal": (b"1 Q0 d1 1 0x1p3 t\n", [("SCORE_NOT_NUMBER", 1)]),
    "nul": (GOOD + b"1 Q0 d2\0 2 1.0 t\n", [("CONTROL", 2)]),
    "escape": (b"1 Q0 d\x1b[31m1 1 2 t\n", [("CONTROL", 1)]),
    "latin-1": (GOOD + "1 Q0 dé 2 1 t\n".encode("latin-1"), [("ENCODING", 2)]),
    "utf-16": ("1 Q0 d1 1 2 t\n".encode("utf-16"), [("ENCODING", 1)]),
    "duplicate": (GOOD + b"1 Q0 d2 2 1.0 t\n1 Q0 d1 3 0.5 t\n", [("DOC_DUPLICATE", 3)]),
    "unknown topic": (b"77 Q0 d1 1 2 t\n", [("TOPIC_UNKNOWN", 1)]),
    "unknown document": (b"1 Q0 D1 1 2 t\n", [("DOC_UNKNOWN", 1)]),
    "two tags": (GOOD + b"1 Q0 d2 2 1.0 u\n", [("TAG_MIXED", 2)]),
    "tag of dots": (b"1 Q0 d1 1 2 ..\n", [("TAG_FORMAT", 0)]),
    "script for a tag": (b"1 Q0 d1 1 2 <script>\n", [("TAG_FORMAT", 1)]),
    "line of 10 MB": (GOOD + b"1 Q0 " + b"x" * 10_000_000 + b" 2 1.0 t\n", [("ID_LONG", 2)]),
    "word of 10 MB": (b"y" * 10_000_000, [("FIELDS", 1)]),
    "blank": (b"\n# nothing\n\n", [("RUN_EMPTY", 0)]),
    "cut gzip": (gzip.compress(GOOD * 500)[:40], [("FILE", 0)]),
    "cut bzip2": (bz2.compress(GOOD)[:-9], [("FILE", 0)]),
    "cut zstd": (zstandard.ZstdCompressor().compress(GOOD * 50)[:-5], [("FILE", 0)]),
    "gzip bomb": (gzip.compress(bytes(12_000_000)), [("FILE", 0)]),
    "bzip2 bomb": (bz2.compress(bytes(12_000_000)), [("FILE", 0)]),
    "metadata bomb": (b"# ir_metadata.start\n# a: &a [1]\n# b: [*a, *a]\n# ir_metadata.end\n" + GOOD, [("METADATA", 0)]),
    "span beyond": (b"1 Q0 d1 1 2 t 0 99\n", [("SPAN_OUTSIDE", 1)]),
}
ODD_RUNS = {
    "bom": (b"\xef\xbb\xbf" + GOOD, ("BOM", 1)),
    "crlf": (GOOD.replace(b"\n", b"\r\n"), ("CRLF", 0)),
    "tabs": (GOOD.replace(b" ", b" \t"), None),
    "no final newline": (GOOD.rstrip(), None),
}
DOCUMENTS = {
    "not json": (b'{"id": "a", "text": "x"}\n{oops\n', [("JSON", 2)]),
    "no id": (b'{"text": "x"}\n', [("DOCNO_MISSING", 1)]),
    "duplicate": (b'{"id": "a", "text": "x"}\n{"id": "a", "text": "y"}\n', [("DOC_DUPLICATE", 2)]),
    "surrogate": (b'{"id": "a", "text": "\\ud800"}\n', [("CHARACTER", 1)]),
    "nul": (b'{"id": "a", "text": "\\u0000"}\n', [("CHARACTER", 1)]),
    "deep": (b'{"id": "a", "x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}\n", [("JSON", 1)]),
    "unclosed": (b"<DOC>\n<DOCNO>a</DOCNO>\ntext\n", [("DOC_UNCLOSED", 1)]),
    "zip slip": (zip_of([("ok.txt", b"x"), ("../../evil.txt", b"x")]), [("FILE", 0)]),
    "tar slip": (tar_of([("/etc/evil.txt", b"x")]), [("FILE", 0)]),
    "zip cut": (zip_of([("a.txt", b"x" * 5000)])[:-30], [("FILE", 0)]),
    "tar cut": (tar_of([("a.txt", b"x" * 50_000)], "w")[:20_000], [("FILE", 0)]),
    "bomb in a zip": (zip_of([("a.txt", bytes(12_000_000))]), [("FILE", 0)]),
    "long line": (b'{"id": "a", "text": "x"}\n{"id": "b", "text": "' + b"y" * 17_000_000 + b'"}\n', [("LINE_LONG", 2)]),
    "something else": (b"%PDF-1.7\nno documents here\n", [("FORMAT", 0)]),
}
TOPICS = {
    "no number": (b"<top>\n<title> x\n</top>\n", [("NUMBER_MISSING", 1)]),
    "twice": (b"1\ta\n1\tb\n", [("NUMBER_REPEATED", 2)]),
    "control": (b"1\ta\x07\n", [("CONTROL", 1)]),
    "one column": (b"1\ta\nb\n", [("FIELDS", 2)]),
    "bomb": (gzip.compress(bytes(12_000_000)), [("FILE", 0)]),
}
HOSTILE = [
    pytest.param(place, data, verdict, id=f"{place}: {name}")
    for place, cases in (("runs", RUNS), ("documents", DOCUMENTS), ("topics", TOPICS))
    for name, (data, verdict) in cases.items()
]


@pytest.fixture
def ready(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> Cast:
    files.take_topics(cast.collection, cast.organizer)
    files.take(cast.collection, cast.organizer, "documents", files.documents())
    monkeypatch.setattr(packed, "BOMB_FROM", 10_000_000)  # a bomb needs not be as large as that which is meant
    return cast


@pytest.fixture
def olga(cast: Cast, client_for: ClientFor) -> Client:
    return client_for(cast.organizer)


def everything() -> tuple[object, ...]:
    """Rows and files that a refused upload must not change; its own row, with the report, is all that it leaves."""
    kept = sorted(path for path in Path(settings.DATA / "files").rglob("*") if path.is_file())
    rows = [sorted(model.objects.values_list("pk", flat=True)) for model in (Run, Topic, Document, Pool)]
    return kept, rows


@pytest.mark.parametrize(("place", "data", "verdict"), HOSTILE)
def test_hostile_file_is_refused_by_line_and_leaves_nothing(
    place: str, data: bytes, verdict: list[tuple[str, int]], ready: Cast, olga: Client
) -> None:
    before = everything()
    given = {"file": SimpleUploadedFile("evil", data), "kind": "automatic"}
    assert olga.post(f"/c/harbour-trials/{place}/", given).status_code == 302
    upload = files.check(Upload.objects.latest("pk"))
    errors = [(one["code"], one["line"]) for one in upload.report["findings"] if one["severity"] == "error"]
    assert (upload.state, errors[:1], bool(upload.path)) == ("refused", verdict, bool(upload.repairable))
    if upload.repairable:  # kept for a day, unless somebody dismisses it
        (settings.DATA / upload.path).unlink()
    assert everything() == before
    page = olga.get(f"/c/harbour-trials/uploads/{upload.pk}/")
    assert page.status_code == 200 and len(page.content) < 1_000_000


@pytest.mark.parametrize("name", ODD_RUNS)
def test_odd_but_good_run_is_taken_as_it_came(name: str, ready: Cast, olga: Client) -> None:
    data, remark = ODD_RUNS[name]
    olga.post("/c/harbour-trials/runs/", {"file": SimpleUploadedFile("odd", data), "kind": "automatic"})
    upload = files.check(Upload.objects.latest("pk"))
    assert upload.state == "accepted"
    assert remark is None or remark in [(one["code"], one["line"]) for one in upload.report["findings"]]
    assert b"".join(olga.get("/c/harbour-trials/runs/t/file/")) == data


def test_ten_thousand_faults_are_counted_and_a_hundred_told(ready: Cast) -> None:
    upload = files.take(
        ready.collection, ready.organizer, "run", b"".join(b"1 Q0 x%d 1 oops%d t\n" % (n, n) for n in range(10_000))
    )
    listed = [one["code"] for one in upload.report["findings"] if one["severity"] == "error"]
    assert (upload.report["errors"], len(listed), listed[-1]) == (10_001, 101, "TOO_MANY_ERRORS")  # the documents are one


def test_upload_that_is_cut_off_on_the_way_is_none(ready: Cast) -> None:
    """Half a body looks like a shorter file: only the length tells."""
    body = (
        b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.run"\r\n'
        b"Content-Type: text/plain\r\n\r\n" + GOOD * 10 + b"\r\n--x--\r\n"
    )

    def request(sent: bytes) -> WSGIRequest:
        environ = {
            "REQUEST_METHOD": "POST",
            "CONTENT_TYPE": "multipart/form-data; boundary=x",
            "CONTENT_LENGTH": str(len(body)),
        }
        return WSGIRequest(
            {**environ, "wsgi.input": io.BytesIO(sent), "PATH_INFO": "/", "SERVER_NAME": "x", "SERVER_PORT": "80"}
        )

    assert typed(Any, request(body).FILES["file"]).read() == GOOD * 10
    for length in (len(body) - 40, len(body) // 2, 130):
        with pytest.raises(MultiPartParserError, match="cut off"):
            _ = request(body[:length]).FILES
