"""Bytes that are not UTF-8, when somebody says so or the file does; never guessed."""

import codecs
import io
import re
from typing import BinaryIO, cast

UTF8 = "utf-8"
FALLBACK = "utf-8-or-latin-1"
# As asked for by name; `cp1252` is what nearly every file called Latin-1 is.
ENCODINGS = {
    UTF8: "UTF-8",
    FALLBACK: "UTF-8, and Latin-1 where it is not",
    "cp1252": "Windows-1252 (Latin-1)",
    "iso8859-2": "ISO 8859-2 (Central European)",
    "cp1251": "Windows-1251 (Cyrillic)",
    "koi8-r": "KOI8-R (Cyrillic)",
    "cp1256": "Windows-1256 (Arabic)",
    "gb18030": "GB 18030 (Chinese)",
    "big5": "Big5 (Chinese)",
    "shift_jis": "Shift JIS (Japanese)",
    "euc_jp": "EUC-JP (Japanese)",
    "euc_kr": "EUC-KR (Korean)",
    "utf-16": "UTF-16",
}

_BLOCK = 1 << 20
_PROLOG = re.compile(rb"\s*<\?xml[^>]*\bencoding\s*=\s*[\"']([A-Za-z0-9._-]{2,40})[\"']", re.IGNORECASE)
_CHARSET = re.compile(rb"charset\s*=\s*[\"']?([A-Za-z0-9._-]{2,40})", re.IGNORECASE)


class Undecodable(ValueError):
    """Bytes that are not of the encoding; `offset` is that of the first."""

    def __init__(self, offset: int, byte: int, encoding: str) -> None:
        super().__init__(f"Byte {offset:,} (0x{byte:02X}) is not {ENCODINGS.get(encoding, encoding)}.")
        self.offset = offset


def declared(head: bytes) -> str | None:
    """The encoding that an XML declaration names, if it is one that we know and not UTF-8."""
    found = _PROLOG.match(head)
    return _known(found[1]) if found else None


def declared_charset(head: bytes) -> str | None:
    """The encoding that a page or its HTTP header names."""
    found = _CHARSET.search(head)
    return _known(found[1]) if found else None


def _known(name: bytes) -> str | None:
    try:
        found = codecs.lookup(name.decode("ascii"))
        "a".encode(found.name)  # not every codec is of text
    except (LookupError, TypeError):
        return None
    return None if found.name in (UTF8, "ascii") else "cp1252" if found.name == "iso8859-1" else found.name


def decoded(data: bytes, encoding: str = UTF8, *, otherwise: str | None = None) -> str:
    """Text of bytes that are UTF-8, or else of the encoding `otherwise`, or else Latin-1 where that was asked for."""
    try:
        return data.decode(UTF8)
    except UnicodeDecodeError as error:
        if otherwise is not None:
            return data.decode(otherwise, "replace")
        if encoding == FALLBACK:
            return data.decode("cp1252", "replace")
        raise Undecodable(error.start, data[error.start], UTF8) from error


class _Transcoding(io.RawIOBase):
    def __init__(self, file: BinaryIO, encoding: str) -> None:
        self._file, self._encoding = file, encoding
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._ready, self._read = b"", 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "memoryview[int]") -> int:  # type: ignore[override]
        while not self._ready:
            block = self._file.read(_BLOCK)
            try:
                self._ready = self._decoder.decode(block, final=not block).encode(UTF8, "replace")
            except UnicodeDecodeError as error:
                raise Undecodable(self._read + error.start, error.object[error.start], self._encoding) from error
            self._read += len(block)
            if not block:
                break
        data, self._ready = self._ready[: len(buffer)], self._ready[len(buffer) :]
        buffer[: len(data)] = data
        return len(data)


def transcoded(file: BinaryIO, encoding: str) -> BinaryIO:
    """The file as UTF-8, read as it goes."""
    return cast(BinaryIO, io.BufferedReader(_Transcoding(file, encoding), _BLOCK))
