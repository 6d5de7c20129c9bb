import bz2
import gzip
import io
import tarfile
import zipfile

import pytest
import zstandard

from pooling.core import packed
from pooling.core.packed import Unpackable

TEXT = b"301 Q0 d1 1 2.5 bm25\n" * 20_000


def zstd(data: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(data)


def zipped(**files: bytes) -> bytes:
    return zip_of(list(files.items()))


def zip_of(files: list[tuple[str, bytes]]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files:
            archive.writestr(name, data)
    return buffer.getvalue()


def tar_of(files: list[tuple[str, bytes]], mode: str = "w:gz") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:  # type: ignore[call-overload]
        for name, data in files:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


def listed(data: bytes) -> list[tuple[str, bytes]]:
    return [(name, file.read()) for name, file in packed.members(io.BytesIO(data))]


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, zstd], ids=["gzip", "bzip2", "zstd"])
def test_each_packing_is_known_by_its_content(pack) -> None:  # type: ignore[no-untyped-def]
    assert packed.unpacked(pack(TEXT)) == TEXT
    assert packed.unpacked(pack(b"a") + pack(b"b") + bytes(512)) == b"ab"  # members that follow, and padding
    assert listed(pack(TEXT)) == [("", TEXT)]


@pytest.mark.parametrize(
    ("pack", "name"), [(gzip.compress, "gzip"), (bz2.compress, "bzip2"), (zstd, "Zstandard")], ids=["gzip", "bzip2", "zstd"]
)
def test_what_was_cut_off_or_damaged_is_told_apart(pack, name: str) -> None:  # type: ignore[no-untyped-def]
    whole = pack(TEXT)
    with pytest.raises(Unpackable, match=f"The {name} file ends too early"):
        packed.unpacked(whole[: len(whole) - 9])
    with pytest.raises(Unpackable, match=f"begins like a {name} file but cannot be unpacked"):
        packed.unpacked(whole[:12] + b"\xff" * 40 + whole[52:])


def test_more_than_allowed_is_refused_before_it_is_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "BOMB_FROM", 2_000_000)
    bomb = bz2.compress(bytes(30_000_000))
    with pytest.raises(Unpackable, match="more than 500 times its size"):
        packed.unpacked(bomb)
    with pytest.raises(Unpackable, match="holds more than 1,000 bytes"):
        packed.unpacked(gzip.compress(TEXT), limit=1000)
    with pytest.raises(Unpackable, match=r"holds 420,000 bytes; at most 1,000"):
        packed.unpacked(TEXT, limit=1000)
    with pytest.raises(Unpackable, match="more than 500 times its size"):
        for _name, file in packed.members(io.BytesIO(zipped(bomb=bytes(21_000_000)))):
            packed.read_whole(file)


def test_archives_give_their_files_one_by_one() -> None:
    files = [("runs/a.run", b"a"), ("runs/b.run.gz", gzip.compress(b"b")), ("__MACOSX/._a", b"x"), (".hidden", b"x")]
    expected = [("runs/a.run", b"a"), ("runs/b.run.gz", b"b")]
    assert listed(zip_of(files)) == expected
    assert listed(tar_of(files)) == listed(tar_of(files, "w")) == listed(bz2.compress(tar_of(files, "w"))) == expected
    assert packed.unpacked(zip_of(files[:1])) == b"a"
    with pytest.raises(Unpackable, match="several files"):
        packed.unpacked(zip_of(files))
    with pytest.raises(Unpackable, match="no file"):
        packed.unpacked(zip_of([]))


@pytest.mark.parametrize("name", ["../evil", "/etc/evil", "a/../../evil", "..\\evil", "C:evil"])
def test_names_that_lead_out_of_an_archive_refuse_it(name: str) -> None:
    for data in (zip_of([(name, b"x")]), tar_of([(name, b"x")])):
        with pytest.raises(Unpackable, match="names a file outside itself"):
            listed(data)


def test_links_and_broken_archives_are_refused() -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        info = tarfile.TarInfo("a")
        info.type, info.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(info)
    with pytest.raises(Unpackable, match="is a link"):
        listed(buffer.getvalue())
    with pytest.raises(Unpackable, match="archive cannot be unpacked"):
        listed(zipped(a=TEXT)[:-30])
    with pytest.raises(Unpackable, match="archive cannot be unpacked"):
        listed(tar_of([("a", TEXT)], "w")[:-250_000])
    with pytest.raises(Unpackable, match="a zip archive packed again"):
        listed(gzip.compress(zipped(a=b"x")))
