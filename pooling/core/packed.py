"""Files that come packed: gzip, bzip2, Zstandard, zip and tar, told by their content and never by their name."""

import io
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any, BinaryIO, Literal, TypeVar, cast

GZIP = b"\x1f\x8b"  # its first bytes
Kind = Literal["plain", "gzip", "bzip2", "Zstandard", "zip", "tar"]

LIMIT = 1 << 30
BOMB_FROM, BOMB_RATIO = 200_000_000, 500  # text shrinks to a tenth, seldom to a fiftieth
MAX_MEMBERS = 2_000_000
MAX_EMPTY = 10_000  # files without a byte, where they are more than the others
MOST_RUNS = 500  # in an archive of them

_PIECE = 1 << 16
_ZSTD_PIECE = 1 << 8  # zstandard unpacks all it is given at once, and four bytes may become 128 kB
_MAGIC: tuple[tuple[bytes, Kind], ...] = (
    (GZIP, "gzip"),
    (b"BZh", "bzip2"),
    (b"\x28\xb5\x2f\xfd", "Zstandard"),
    (b"PK\x03\x04", "zip"),
    (b"PK\x05\x06", "zip"),
)
_STREAMS = ("gzip", "bzip2", "Zstandard")
_Info = TypeVar("_Info")


class Unpackable(ValueError):
    """A packed file that is broken, dangerous, or larger than allowed when unpacked; its words are for the uploader."""


def kind_of(head: bytes) -> Kind:
    """How a file is packed, by its first 512 bytes."""
    found = next((kind for magic, kind in _MAGIC if head.startswith(magic)), None)
    return found or ("tar" if head[257:262] == b"ustar" else "plain")


def unpacked(data: bytes, limit: int = LIMIT) -> bytes:
    """The bytes of a file that may be packed, at most `limit`; of an archive, its only file.

    Stops as soon as more than `limit` bytes come out, so that a bomb costs no more memory than an honest file. Members
    that follow one another are joined, as gzip does.
    """
    if kind_of(data[:512]) == "plain":
        if len(data) > limit:
            raise Unpackable(f"The file holds {len(data):,} bytes; at most {limit:,} are allowed.")
        return data
    for _name, file in members(io.BytesIO(data)):
        for _part in _parts(file, limit):  # a bomb is told before anything of it is kept
            pass
    found: bytes | None = None
    for _name, file in members(io.BytesIO(data)):
        if found is not None:
            raise Unpackable("The archive holds several files; expected one.")
        found = read_whole(file, limit)
    if found is None:
        raise Unpackable("The archive holds no file.")
    return found


def read_whole(file: BinaryIO, limit: int = LIMIT) -> bytes:
    """All of an unpacked file, if that is not more than `limit`; within an archive its members may be packed again."""
    return b"".join(_parts(file, limit))


def _parts(file: BinaryIO, limit: int) -> Iterator[bytes]:
    size = 0
    while part := file.read(1 << 20):
        size += len(part)
        if size > limit:
            raise Unpackable(f"Unpacked, the file holds more than {limit:,} bytes, the most that is allowed.")
        yield part


def members(raw: BinaryIO) -> Iterator[tuple[str, BinaryIO]]:
    """Each file in what was sent, unpacked as it is read: (name, file). The name is "" where there is no archive.

    Nothing is written anywhere, so a name that leads out of the archive could do no harm; it is refused all the same,
    as are links. Folders, hidden files and what macOS adds are left out. A file must be read before the next is asked
    for. All that comes out, of all files and packings in packings, is held against the bytes that were sent.
    """
    file, kind, whole = _peeled(raw)
    if kind == "zip":
        yield from _zip(file, whole)
    elif kind == "tar":
        yield from _tar(file, whole)
    else:
        yield "", file


def runs_of(raw: BinaryIO) -> Iterator[tuple[str, BinaryIO]]:
    """The members of an archive of runs, which are not so many."""
    for number, found in enumerate(members(raw)):
        if number == MOST_RUNS:
            raise Unpackable(f"The archive holds more than {MOST_RUNS:,} files, the most that is allowed.")
        yield found


def is_metadata(name: str) -> bool:
    """By its name: does a file that comes with runs tell of one?"""
    return name.lower().endswith((".yml", ".yaml"))


def stem(name: str) -> str:
    """What a run and the metadata beside it have in common: `bm25` of bm25.run.gz, of bm25.yml and of bm25.run.yml."""
    return re.sub(r"\.(?:ya?ml|gz|bz2|zst|zip|run|txt|res|tsv|dat|out)\b", "", name, flags=re.IGNORECASE)


def is_archive(raw: BinaryIO) -> bool:
    """Whether several files may come out; the file is left where it was."""
    try:
        return _peeled(raw)[1] in ("zip", "tar")
    except Unpackable:  # whoever reads it will say so
        return False
    finally:
        raw.seek(0)


def _peeled(raw: BinaryIO) -> tuple[BinaryIO, Kind, "_Whole"]:
    """Without the outer packing, if any: a tar.gz is a tar."""
    size = None
    if raw.seekable():
        size = raw.seek(0, io.SEEK_END)
        raw.seek(0)
        kind = kind_of(raw.read(512))
        raw.seek(0)
    else:
        peeked = Peekable(raw, 512)
        raw, kind = cast(BinaryIO, peeked), kind_of(peeked.head)
    whole = _Whole(raw, size)
    if kind not in _STREAMS:
        return raw if kind == "plain" else cast(BinaryIO, whole), kind, whole
    file = io.BufferedReader(_Unpacking(cast(BinaryIO, whole), kind, whole), _PIECE)
    inner = kind_of(file.peek(512)[:512])
    if inner == "zip":
        raise Unpackable(f"The file is a zip archive packed again with {kind}; send the zip archive itself.")
    return cast(BinaryIO, file), "tar" if inner == "tar" else kind, whole


def _zip(raw: BinaryIO, whole: "_Whole") -> Iterator[tuple[str, BinaryIO]]:
    import zipfile  # late, like the others: most files are not packed so, and small commands start at once

    try:
        with zipfile.ZipFile(raw) as archive:
            if "[Content_Types].xml" in archive.namelist():
                raise Unpackable("This is a document of an office program (Word, Excel …); save it as plain text first.")
            for info in _few(archive.infolist(), lambda info: not info.file_size and not info.is_dir()):
                if info.is_dir() or not _wanted(info.filename):
                    continue
                if info.flag_bits & 1:
                    raise Unpackable(f"“{info.filename}” in the archive is encrypted; send it without a password.")
                if (info.external_attr >> 28) == 0xA:
                    raise Unpackable(f"“{info.filename}” in the archive is a link; expected files.")
                if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):  # others come out in no small pieces
                    raise Unpackable(
                        f"“{info.filename}” in the archive is not packed by the usual method of zip; expected deflate."
                    )
                with archive.open(info) as member:
                    yield info.filename, _inner(_Counting(cast(BinaryIO, member), max(info.compress_size, 1), whole), whole)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError) as error:
        raise Unpackable("The archive cannot be unpacked; it is damaged, or was cut off on the way.") from error


def _tar(raw: BinaryIO, whole: "_Whole") -> Iterator[tuple[str, BinaryIO]]:
    import tarfile

    from pooling.core.tar_header import Header

    try:
        with tarfile.open(fileobj=raw, mode="r|", tarinfo=Header) as archive:
            for info in _few(archive, lambda info: not info.size and info.isreg()):
                archive.members = []  # type: ignore[attr-defined]  # it would remember them all
                if info.isdir() or not _wanted(info.name):
                    continue
                member = archive.extractfile(info) if info.isreg() and not info.issparse() else None
                if member is None:
                    raise Unpackable(f"“{info.name}” in the archive is a link, a device or sparse; expected whole files.")
                yield info.name, _inner(_Counting(cast(BinaryIO, member), info.size), whole)
    except (tarfile.TarError, EOFError, RecursionError) as error:  # the last: headers that only announce headers
        raise Unpackable("The archive cannot be unpacked; it is damaged, or was cut off on the way.") from error


def _few(found: Iterable[_Info], is_empty: Callable[[_Info], bool]) -> Iterator[_Info]:
    empty = 0
    for number, info in enumerate(found):
        if number == MAX_MEMBERS:
            raise Unpackable(f"The archive holds more than {MAX_MEMBERS:,} files, the most that is allowed.")
        empty += is_empty(info)
        if empty > max(MAX_EMPTY, number // 2):  # they take next to no room, and a moment each all the same
            raise Unpackable(f"The archive holds more than {MAX_EMPTY:,} empty files, and fewer others; expected texts.")
        yield info


def _wanted(name: str) -> bool:
    parts = name.replace("\\", "/").split("/")
    if name.startswith(("/", "\\")) or ".." in parts or name[1:2] == ":":
        raise Unpackable(f"The archive names a file outside itself, “{name[:80]}”; expected names like runs/bm25.run.")
    return not any(part.startswith((".", "__MACOSX")) for part in parts if part != ".")


def _inner(file: "_Counting", whole: "_Whole") -> BinaryIO:
    """A member that is packed itself, unpacked: an archive of gzipped runs is usual."""
    buffered = io.BufferedReader(file, _PIECE)
    kind = kind_of(buffered.peek(512)[:512])
    if kind in _STREAMS:
        return cast(BinaryIO, io.BufferedReader(_Unpacking(cast(BinaryIO, buffered), kind, whole), _PIECE))
    return cast(BinaryIO, buffered)


class Peekable:
    """A file whose beginning can be looked at before it is read."""

    def __init__(self, file: BinaryIO, size: int = 1 << 16) -> None:
        self._file, self._rest, self.taken = file, b"", 0
        while len(self._rest) < size and (block := file.read(size - len(self._rest))):
            self._rest += block
        self.head = self._rest

    def read(self, size: int = -1) -> bytes:
        if size < 0:
            data, self._rest = self._rest + self._file.read(), b""
        elif self._rest:
            data, self._rest = self._rest[:size], self._rest[size:]
        else:
            data = self._file.read(size)
        self.taken += len(data)
        return data


class _Whole:
    """What was sent, as it is read, and by how much all packings in it have made it grow."""

    def __init__(self, raw: BinaryIO, size: int | None) -> None:
        self._raw, self._size = raw, size
        self._in = self._grown = 0

    def read(self, size: int = -1) -> bytes:
        data = self._raw.read(size)
        self._in += len(data)
        return data

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return self._raw.seek(offset, whence)

    def tell(self) -> int:
        return self._raw.tell()

    def seekable(self) -> bool:
        return self._size is not None

    def grow(self, by: int) -> None:
        """Note what a packing gave beyond what it took."""
        self._grown += by
        # Members of a zip may lie on the same bytes, which are read again then.
        sent = self._in if self._size is None else min(self._in, self._size)
        _refuse_bomb(sent, sent + self._grown)


class _Counting(io.RawIOBase):
    """A member of an archive, watched for coming out far larger than it lies there; `whole` where the archive packs it."""

    def __init__(self, file: BinaryIO, packed: int, whole: _Whole | None = None) -> None:
        self._file, self._packed, self._out, self._whole = file, packed, 0, whole

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "memoryview[int]") -> int:  # type: ignore[override]
        import tarfile
        import zipfile

        try:
            data = self._file.read(len(buffer))
        except (tarfile.TarError, zipfile.BadZipFile, zlib.error, EOFError) as error:
            raise Unpackable("The archive cannot be unpacked; it is damaged, or was cut off on the way.") from error
        self._out += len(data)
        _refuse_bomb(self._packed, self._out)
        if self._whole:
            self._whole.grow(len(data))
        buffer[: len(data)] = data
        return len(data)


def _refuse_bomb(packed: int, out: int) -> None:
    if out > BOMB_FROM and out > BOMB_RATIO * packed:
        raise Unpackable(f"The file unpacks to more than {BOMB_RATIO} times its size; no honest file does.")


class _Unpacking(io.RawIOBase):
    """A gzip, bzip2 or Zstandard stream, unpacked as it is read; further members follow on."""

    def __init__(self, raw: BinaryIO, kind: Kind, whole: _Whole) -> None:
        self._raw, self._kind, self._whole = raw, kind, whole
        self._ready = self._rest = b""  # unpacked and not handed out; read and not unpacked
        self._step: Any = None  # what unpacks the present member
        self._in = self._out = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "memoryview[int]") -> int:  # type: ignore[override]
        while not self._ready:
            if not self._more():
                return 0
        data, self._ready = self._ready[: len(buffer)], self._ready[len(buffer) :]
        buffer[: len(data)] = data
        return len(data)

    def _more(self) -> bool:
        if not self._rest:
            self._rest = self._raw.read(_ZSTD_PIECE if self._kind == "Zstandard" else _PIECE)
            self._in += len(self._rest)
            self._whole.grow(-len(self._rest))
        if not self._rest and getattr(self._step, "needs_input", True):
            if self._step is not None:
                raise Unpackable(f"The {self._kind} file ends too early; it was probably cut off on the way.")
            return False
        if self._step is None:
            if not self._rest.strip(b"\0"):  # what tapes and some tools pad with
                self._rest = b""
                return True
            self._step = _begin(self._kind)
        try:
            self._ready = self._unpack()
        except Exception as error:  # each library has its own
            raise Unpackable(f"The file begins like a {self._kind} file but cannot be unpacked; it is damaged.") from error
        self._out += len(self._ready)
        _refuse_bomb(self._in, self._out)
        self._whole.grow(len(self._ready))
        return True

    def _unpack(self) -> bytes:
        step, rest = self._step, self._rest
        data: bytes = step.decompress(rest) if self._kind == "Zstandard" else step.decompress(rest, 4 * _PIECE)
        self._rest = getattr(step, "unconsumed_tail", b"")
        if step.eof:
            self._rest, self._step = step.unused_data, None
        return data


def _begin(kind: Kind) -> Any:
    if kind == "gzip":
        return zlib.decompressobj(wbits=31)
    if kind == "bzip2":
        import bz2

        return bz2.BZ2Decompressor()
    import zstandard  # late: few files are packed so

    return zstandard.ZstdDecompressor(max_window_size=1 << 27).decompressobj()
