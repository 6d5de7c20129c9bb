"""Files that unpack to far more than was sent: each is refused with its words, and costs little memory."""

import bz2
import gzip
import io
import struct
import subprocess
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from django.conf import settings
from pytest_django import Settings

from config import health
from pooling.core import packed
from pooling.core.documents import read_documents
from pooling.core.findings import Report
from pooling.core.packed import Unpackable
from pooling.models import Document, Upload
from pooling.services import documents as services
from tests.conftest import Cast
from tests.pooling import files
from tests.pooling.test_packed import tar_of, zip_of, zstd

pytestmark = pytest.mark.once  # refused before a row is seen

MB = (b" " * 9_999 + b"\n") * 100  # lines that are skipped
RATIO = "The file unpacks to more than 500 times its size; no honest file does."


def squeezed(megabytes: int, begin: Callable[[], object]) -> bytes:
    pack = begin()
    return b"".join([*(pack.compress(MB) for _ in range(megabytes)), pack.flush()])  # type: ignore[attr-defined]


def gz(megabytes: int) -> bytes:
    return squeezed(megabytes, lambda: zlib.compressobj(9, wbits=31))


def mild(megabytes: int) -> bytes:
    """Packed to a 200th, which is allowed, in bytes that can be packed again."""
    pack = zlib.compressobj(1, wbits=31)
    return b"".join([*(pack.compress((b"\n" + b" \t  " * 2_500)[:10_000] * 100) for _ in range(megabytes)), pack.flush()])


def bz(megabytes: int) -> bytes:
    return squeezed(megabytes, bz2.BZ2Compressor)


def zst(megabytes: int) -> bytes:
    """With the largest window that is read."""
    given = zstandard.ZstdCompressionParameters.from_level(3, window_log=27)
    return squeezed(megabytes, zstandard.ZstdCompressor(compression_params=given).compressobj)


def overlapping(count: int) -> bytes:
    """A zip whose members all lie on the same bytes: each would be within the ratio."""
    whole = zip_of([("a.jsonl", MB)])
    names = whole.index(b"PK\x01\x02")
    entry, end = whole[names : whole.index(b"PK\x05\x06")], whole[whole.index(b"PK\x05\x06") :]
    tail = end[:8] + struct.pack("<HHLL", count, count, len(entry) * count, names) + end[20:]
    return whole[:names] + entry * count + tail


def sparse() -> bytes:
    info = tarfile.TarInfo("a.jsonl")
    info.type = tarfile.GNUTYPE_SPARSE
    head = bytearray(info.tobuf(tarfile.GNU_FORMAT))
    head[483:495] = b"%011o\0" % (1 << 32)
    head[148:156] = b"%06o\0 " % (sum(head) - sum(head[148:156]) + 8 * 32)
    return bytes(head) + bytes(1024)


def long_header(kind: bytes) -> bytes:
    info = tarfile.TarInfo("a")
    info.type, info.size = kind, 30_000_000
    return gzip.compress(info.tobuf() + bytes(30_000_000))


def zip_by(method: int) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        archive.writestr("a.jsonl", MB * 12)
    return buffer.getvalue()


USUAL = "“a.jsonl” in the archive is not packed by the usual method of zip; expected deflate."
EMPTY = "The archive holds more than 10 empty files, and fewer others; expected texts."
HEADER = "A header in the archive has 30,000,000 bytes; at most 1,048,576 are allowed."
BOMBS: dict[str, tuple[Callable[[], bytes], str]] = {
    "gzip": (lambda: gz(12) + gz(12), RATIO),
    "bzip2": (lambda: bz(12), RATIO),
    "Zstandard": (lambda: zst(12), RATIO),
    "zip": (lambda: zip_of([("a.jsonl", MB * 12)]), RATIO),
    "tar.gz": (lambda: gzip.compress(tar_of([("a.jsonl", MB * 12)], "w")), RATIO),
    "tar.bz2": (lambda: bz2.compress(tar_of([("a.jsonl", MB * 12)], "w")), RATIO),
    "tar.zst": (lambda: zstd(tar_of([("a.jsonl", MB * 12)], "w")), RATIO),
    "gzip in a zip": (lambda: zip_of([("a.gz", gz(12))]), RATIO),
    "Zstandard in a zip": (lambda: zip_of([("a.zst", zst(12))]), RATIO),
    "bzip2 in a tar": (lambda: tar_of([("a.bz2", bz(12))], "w"), RATIO),
    "gzip in a tar.gz": (lambda: tar_of([("a.gz", gz(12))]), RATIO),
    "mild gzip in a zip": (lambda: zip_of([("a.gz", mild(12))]), RATIO),
    "mild gzip in a tar.bz2": (lambda: bz2.compress(tar_of([("a.gz", mild(12))], "w")), RATIO),
    "many in a zip": (lambda: zip_of([(f"{n}.jsonl", MB * 2) for n in range(8)]), RATIO),
    "many gzips in a zip": (lambda: zip_of([(f"{n}.gz", gz(2)) for n in range(8)]), RATIO),
    "many gzips in a tar.gz": (lambda: tar_of([(f"{n}.gz", gz(2)) for n in range(8)]), RATIO),
    "one member over and over": (lambda: overlapping(400), RATIO),
    "zip by bzip2": (lambda: zip_by(zipfile.ZIP_BZIP2), USUAL),
    "zip by LZMA": (lambda: zip_by(zipfile.ZIP_LZMA), USUAL),
    "zip in a gzip": (
        lambda: gzip.compress(zip_of([("a", MB)])),
        "The file is a zip archive packed again with gzip; send the zip archive itself.",
    ),
    "holes": (sparse, "“a.jsonl” in the archive is a sparse file; expected whole ones."),
    "attributes without end": (lambda: long_header(tarfile.XHDTYPE), HEADER),
    "name without end": (lambda: long_header(tarfile.GNUTYPE_LONGNAME), HEADER),
    "empty files in a tar": (lambda: tar_of([(f"{n}.txt", b"") for n in range(11)]), EMPTY),
    "empty files in a zip": (lambda: zip_of([(f"{n}.txt", b"") for n in range(11)]), EMPTY),
}


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "BOMB_FROM", 10_000_000)  # a bomb needs not be as large as that which is meant
    monkeypatch.setattr(packed, "MAX_EMPTY", 10)


@pytest.mark.parametrize("name", BOMBS)
def test_each_bomb_is_refused_with_its_words(name: str, small: None) -> None:
    make, words = BOMBS[name]
    with pytest.raises(Unpackable) as told:
        for _name, file in packed.members(io.BytesIO(make())):
            while file.read(1 << 20):
                pass
    assert str(told.value) == words


def test_some_empty_files_are_no_bomb(small: None) -> None:
    given = [(f"{n}.txt", b"" if n % 3 == 2 else b"eels") for n in range(60)]
    assert sum(1 for _ in packed.members(io.BytesIO(tar_of(given)))) == 60


def test_line_ends_are_counted_without_reading_each() -> None:
    given = gzip.compress(b"\n" * 5_000_000 + b'{"id": "a", "text": "eels"}\n' + b"\n" * 3_000_000 + b"oddly\n")
    report = Report()
    [[found]] = read_documents(io.BytesIO(given), report, name="a.jsonl")
    assert (found.docno, [(one.code, one.line) for one in report.findings]) == ("a", [("JSON", 8_000_002)])


@pytest.fixture
def _own_data(settings: Settings, tmp_path: Path) -> None:
    settings.DATA = tmp_path


@pytest.mark.parametrize("name", BOMBS)
@pytest.mark.usefixtures("_own_data")
def test_bomb_of_documents_stores_nothing(name: str, cast: Cast, small: None) -> None:
    make, words = BOMBS[name]
    upload = files.take(cast.collection, cast.organizer, "documents", make())
    errors = [one["message"] for one in upload.report["findings"] if one["severity"] == "error"]
    assert (upload.state, errors[-1], upload.path) == ("refused", words, "")
    assert (Document.objects.count(), left_on_disk()) == (0, [])


def left_on_disk() -> list[Path]:
    return [path for path in Path(settings.DATA / "files").rglob("*") if path.is_file()]


def test_ratio_that_is_allowed_once_is_not_twice(small: None) -> None:
    assert [len(file.read()) for _name, file in packed.members(io.BytesIO(mild(12)))] == [12_000_000]
    with pytest.raises(Unpackable, match="more than 500 times its size"):
        [file.read() for _name, file in packed.members(io.BytesIO(zip_of([("a.gz", mild(12))])))]


def test_what_packs_well_is_no_bomb_while_it_is_small() -> None:
    data = zip_of([("a.gz", gz(12)), ("b.gz", gz(12))])
    assert [len(file.read()) for _name, file in packed.members(io.BytesIO(data))] == [12 * len(MB)] * 2


def test_too_many_members_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "MAX_MEMBERS", 2)
    for data in (zip_of([(str(n), b"x") for n in range(3)]), tar_of([(str(n), b"x") for n in range(3)])):
        with pytest.raises(Unpackable, match="The archive holds more than 2 files, the most that is allowed"):
            list(packed.members(io.BytesIO(data)))


def test_long_documents_come_in_short_lists() -> None:
    data = b"".join(b'{"id": "%d", "text": "%b"}\n' % (n, b"x" * 3_000_000) for n in range(6))
    found = list(read_documents(io.BytesIO(gzip.compress(data)), Report()))
    assert max(map(len, found)) <= 3 and [one.docno for chunk in found for one in chunk] == list("012345")


def test_smart_document_has_a_longest_too() -> None:
    report = Report()
    data = b".I 1\n.W\n" + b"ten bytes\n" * 30 + b".T\nmore\n.I 2\n.W\nshort\n"
    found = [one for chunk in read_documents(io.BytesIO(data), report, max_line=200) for one in chunk]
    assert [(one.docno, one.text) for one in found] == [("2", "short")]
    assert [(one.code, one.line) for one in report.findings] == [("LINE_LONG", 1)]


def test_documents_that_fill_the_disk_are_refused_whole(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    files.take(cast.collection, cast.organizer, "documents", files.documents())
    before = sorted(Document.objects.values_list("pk", flat=True))
    monkeypatch.setattr(health, "DISK_LEAST", 10**18)
    many = files.documents([f"n{number}" for number in range(1200)], "harbour " * 10)
    assert files.take(cast.collection, cast.organizer, "documents", many, others="drop").state == "accepted"
    kept = sorted(Document.objects.values_list("pk", flat=True))
    assert kept != before and len(kept) == 1200  # a small file is none that fills a disk
    monkeypatch.setattr(services, "ROOM_ASKED", 50_000)
    upload = files.take(cast.collection, cast.organizer, "documents", many, others="drop")
    errors = [
        (one["code"], one["message"].partition(":")[0]) for one in upload.report["findings"] if one["severity"] == "error"
    ]
    assert (upload.state, errors) == ("refused", [("DISK", "The documents need more room than the disk has")])
    assert sorted(Document.objects.values_list("pk", flat=True)) == kept
    assert Upload.objects.filter(path="").get() == upload


GROWTH = """
import sys
from pathlib import Path
from pooling.core.documents import read_documents
from pooling.core.findings import Report
from pooling.core.packed import Unpackable

import tarfile, zipfile, zstandard

def peak():  # ru_maxrss would begin with that of the process which started this one
    return int(Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0]) >> 10

before, report, words = peak(), Report(), ""
try:
    with open(sys.argv[1], "rb") as file:
        for _ in read_documents(file, report):
            pass
except Unpackable as error:
    words = str(error)
print(peak() - before, words or report.findings[0].code)
"""


def text_in_a_zip() -> bytes:
    """600 MB of one text, by an honest ratio: what is too long must be seen before it is read."""
    buffer, block = io.BytesIO(), b"".join(b"%d words of the harbour\n" % n for n in range(40_000))
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive, archive.open("a.txt", "w") as file:
        for _ in range(600_000_000 // len(block)):
            file.write(block)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (text_in_a_zip, "LINE_LONG"),
        (lambda: zip_of([("a.jsonl.gz", mild(600))]), RATIO),
        (lambda: gz(300) + gz(300), RATIO),
        (lambda: bz(300), RATIO),
        (lambda: zst(600), RATIO),
        (lambda: tar_of([("a.zst", zst(600))]), RATIO),
    ],
    ids=["text in a zip", "gzip in a zip", "gzip", "bzip2", "Zstandard", "Zstandard in a tar.gz"],
)
def test_bomb_costs_little_memory(make: Callable[[], bytes], told: str, tmp_path: Path) -> None:
    (tmp_path / "bomb").write_bytes(make())
    command = [sys.executable, "-c", GROWTH, str(tmp_path / "bomb")]
    grown, _, words = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip().partition(" ")
    assert words == told
    assert int(grown) < 150
