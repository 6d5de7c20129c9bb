"""Documents of any usual form, read as a stream: any number of them, in constant memory, packed or not."""

import hashlib
import io
import re
from array import array
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import PurePosixPath
from typing import BinaryIO

from pooling.core import encodings, extra, packed
from pooling.core.document_lines import read_json, read_smart, read_tsv
from pooling.core.document_markup import read_markup
from pooling.core.document_spec import BAD_TEXT, DocumentSpec, Fault, Read, checked_docno
from pooling.core.findings import Report, shown
from pooling.core.html_text import html_text
from pooling.core.lines import BOM
from pooling.core.packed import Peekable

CHUNK = 2000
CHUNK_BYTES = 4 << 20
MAX_LINE = 16 << 20
FORMATS = {
    "auto": "Recognize it from the file",
    "jsonl": "JSON, an object a line or a list of them: id, title, text (BEIR, Anserini)",
    "sgml": "TREC's <DOC> elements, also trecweb",
    "tsv": "Lines of id, tab, text (MS MARCO)",
    "smart": "SMART's .I .T .W (Cranfield, CACM, MED)",
    "files": "Each file of an archive is a document, text or HTML",
}

_BLOCK = 1 << 20
_DOC = re.compile(rb"\s*<(?:[^>]*>[^<]*<){0,20}?DOC[\s>]", re.IGNORECASE)
_PAGE = re.compile(
    rb"\s*+(?:(?><!--.*?-->)\s*+|<\?xml[^>]*+>\s*+)*+<(?:!doctype\s+html|html|head|body|title)\b", re.IGNORECASE | re.DOTALL
)
_SMART = re.compile(rb"\s*\.I[ \t]*\S")


def read_documents(
    file: BinaryIO,
    report: Report,
    *,
    format: str = "auto",
    encoding: str = encodings.UTF8,
    name: str = "",
    keep: Callable[[str], bool] | None = None,
    chunk: int = CHUNK,
    max_line: int = MAX_LINE,
) -> Iterator[list[DocumentSpec]]:
    """Documents in lists of `chunk`, the last one shorter, as are those of long documents; faults go to `report` while the file is read.

    The file may be packed, and may be an archive: then each file in it is read by itself, and one that is neither JSON
    nor TREC's nor SMART's is one document, called as the file is without its ending. `keep` says of a docno whether it
    is wanted; the others are checked all the same, and left out.

    Errors: FORMAT (nothing we know), ENCODING, LINE_LONG (a line or document of more than `max_line` bytes), JSON (also
    nested too deep), NOT_OBJECT, FIELDS, DOCNO_MISSING, DOCNO_FORMAT (a blank, a control character, more than 255
    bytes), DOC_UNCLOSED, DOC_DUPLICATE, FIELD_TYPE, CHARACTER (NUL or half a surrogate pair, which no database takes),
    DOCUMENTS_EMPTY. Warnings: TEXT_EMPTY, EXTRA_LEFT, EXTRA_CUT, BOM, CRLF, FILE_SKIPPED. What has an error is left out. Of each docno 8 bytes
    are remembered, nothing else: look at `report.ok` only after the last chunk, and store nothing for good before.
    """
    reader = _Reader(report, format, encoding, max_line)
    seen = _Docnos()
    documents: list[DocumentSpec] = []
    handed = 0
    for line, within, found in reader.read(file, name):
        try:
            if isinstance(found, Fault):
                raise found
            seen.add(found.docno)
        except Fault as fault:
            report.add("error", fault.code, line, _sentence(within, line, str(fault)))
            continue
        if not found.text and (found.extra or not found.title):
            report.add("warning", "TEXT_EMPTY", line, f"{within}Document {shown(found.docno)} has no text{_instead(found)}.")
        if found.extra:
            found = _plain(found, report, line, within)
        if keep is not None and not keep(found.docno):
            continue
        documents.append(found)
        if len(documents) == chunk or reader.taken - handed > CHUNK_BYTES:
            yield documents
            documents, handed = [], reader.taken
    if not seen.count and report.ok:
        report.add("error", "DOCUMENTS_EMPTY", 0, "The file holds no documents.")
    if documents:
        yield documents


def _instead(found: DocumentSpec) -> str:
    """What a document without a text has: its text may stand under a name that we do not know."""
    names = [*(["title"] if found.title else []), *list(found.extra)[:5]]
    return f"; found {', '.join(map(shown, names))}" if names else ""


def _plain(found: DocumentSpec, report: Report, line: int, within: str) -> DocumentSpec:
    """With those of its other fields that are kept; the report tells of the rest."""
    kept, left, cut = extra.plain(found.extra)
    whose = f"{within}Document {shown(found.docno)}: "
    if left:
        words = f"of its other fields the first {extra.MOST} are kept that are text, a number or a list of texts"
        report.add("warning", "EXTRA_LEFT", line, f"{whose}{_named(left)} left out; {words}.")
    if cut:
        report.add("warning", "EXTRA_CUT", line, f"{whose}{_named(cut)} cut after {extra.LONGEST:,} characters.")
    return replace(found, extra={**kept})


def _named(names: list[str]) -> str:
    """The first of them, with the verb."""
    first, rest = ", ".join(f"“{shown(name)}”" for name in names[:5]), len(names) - 5
    return f"{first}{f' and {rest:,} more' if rest > 0 else ''} {'is' if len(names) == 1 else 'are'}"


def _sentence(within: str, line: int, words: str) -> str:
    place = f"{within}{'line' if within else 'Line'} {line}: " if line else within
    return f"{place}{words}" if place else f"{words[:1].upper()}{words[1:]}"


class _Reader:
    """Finds out of each file what it is, and reads it so."""

    def __init__(self, report: Report, format: str, encoding: str, longest: int) -> None:
        self.report, self.format, self.encoding, self.longest = report, format, encoding, longest
        self.structured = False  # a file that holds documents was seen: a text beside it is a note, not one of them
        self._before, self._stream = 0, Peekable(io.BytesIO())

    @property
    def taken(self) -> int:
        """Bytes that were read so far, unpacked."""
        return self._before + self._stream.taken

    def read(self, raw: BinaryIO, name: str) -> Iterator[tuple[int, str, DocumentSpec | Fault]]:
        """(line, the file's name in an archive with a colon, document or fault)."""
        for member, file in packed.members(raw):
            within = f"{shown(member)}: " if member else ""
            try:
                for line, found in self._documents(file, member or name, in_archive=bool(member)):
                    yield line, within, found
            except encodings.Undecodable as error:
                yield 0, within, Fault("ENCODING", str(error))

    def _documents(self, file: BinaryIO, name: str, *, in_archive: bool) -> Iterator[Read]:
        encoding = self.encoding
        if encoding not in (encodings.UTF8, encodings.FALLBACK):
            file, encoding = encodings.transcoded(file, encoding), encodings.UTF8
        stream = Peekable(file)
        if other := encodings.declared(stream.head):
            stream = Peekable(encodings.transcoded(stream, other))  # type: ignore[arg-type]
        self._before, self._stream = self.taken, stream
        format = self.format if self.format != "auto" else _guess(stream.head, name, in_archive)
        self.structured |= format in ("jsonl", "sgml", "tsv", "smart")
        if format == "files" and in_archive and self.structured and self.format == "auto":
            words = f"{shown(name)} holds no documents that we know of; it is left out."
            self.report.add("warning", "FILE_SKIPPED", 0, words)
        elif format == "sgml":
            self._mark(stream)
            yield from read_markup(stream, longest=self.longest, encoding=encoding)  # type: ignore[arg-type]
        elif format == "files":
            yield from _file(stream, name, self.longest, encoding)
        elif format is None:
            words = "expected JSON, TREC's <DOC> elements, SMART's .I, or lines of id, tab, text; found none of them."
            yield 0, Fault("FORMAT", words)
        else:
            lines = _lines(stream, self.report, self.longest)
            if format == "jsonl":
                yield from read_json(lines, self.longest)
            else:
                yield from read_tsv(lines, encoding) if format == "tsv" else read_smart(lines, self.longest, encoding)

    def _mark(self, stream: Peekable) -> None:
        if stream.head.startswith(BOM):
            stream.read(len(BOM))
            self.report.add_once("warning", "BOM", 1, "The file begins with a byte order mark. It is ignored.")


def _guess(head: bytes, name: str, in_archive: bool) -> str | None:
    head = head.removeprefix(BOM)
    bare = head.lstrip()
    while bare.startswith(b"#"):
        bare = bare.partition(b"\n")[2].lstrip()
    if not bare.strip():
        return "jsonl"  # nothing at all, which that reader says
    if _PAGE.match(head):
        return "files"
    if _DOC.match(head):
        return "sgml"
    if bare.startswith(b"{"):
        return "jsonl"
    if _SMART.match(head):
        return "smart"
    ending = PurePosixPath(name).suffix.lower()
    if ending in (".htm", ".html", ".xhtml"):
        return "files"
    if b"\t" in bare.split(b"\n", 1)[0] and (not in_archive or ending == ".tsv"):
        return "tsv"
    return "files" if in_archive else "jsonl" if bare[:1] in (b"[", b'"') or ending == ".jsonl" else None


def _file(stream: Peekable, name: str, longest: int, encoding: str) -> Iterator[Read]:
    """One file, one document; its name without folders and ending is its docno."""
    parts: list[bytes] = []
    while stream.taken <= longest and (part := stream.read(_BLOCK)):
        parts.append(part)
    data = b"".join(parts)
    if len(data) > longest:
        yield 0, Fault("LINE_LONG", f"the file has more than {longest:,} bytes, the most a document may have.")
        return
    try:
        docno = checked_docno(PurePosixPath(name).stem.strip() or "document")
        page = _PAGE.match(data.removeprefix(BOM)) or PurePosixPath(name).suffix.lower() in (".htm", ".html", ".xhtml")
        text = encodings.decoded(data, encoding, otherwise=encodings.declared_charset(data[:2048]) if page else None)
    except Fault as fault:
        yield 0, fault
        return
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if BAD_TEXT.search(text):
        yield 0, Fault("CHARACTER", "a NUL character cannot be stored.")
    elif page:
        title, read = html_text(text)
        yield 0, DocumentSpec(docno, title, read, html=text)
    else:
        yield 0, DocumentSpec(docno, text=text)


def _lines(file: Peekable, report: Report, longest: int) -> Iterator[tuple[int, bytes]]:
    """Numbered lines ended by LF, CR LF or CR; one that is too long is reported and not kept in memory."""
    number, rest, dropping = 1, b"", False
    block = file.read(_BLOCK)
    if block.startswith(BOM):
        report.add("warning", "BOM", 1, "The file begins with a byte order mark. It is ignored.")
        block = block[len(BOM) :]
    while block:
        if b"\r" in block:
            report.add_once("warning", "CRLF", 0, "Lines end with CR LF or CR. They are read as line ends.")
            if block.endswith(b"\r"):  # its LF may be the next byte
                block += file.read(1)
            block = block.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        if not (rest or dropping or block.strip(b"\n")):  # nothing but line ends: one tells as much as a million
            yield number, b""
            number += len(block)
            block = file.read(_BLOCK)
            continue
        *whole, rest = (rest + block).split(b"\n")
        for line in whole:
            if not dropping and len(line) <= longest:
                yield number, line
            elif not dropping:
                _too_long(report, number, longest)
            dropping = False
            number += 1
        if len(rest) > longest:
            if not dropping:
                _too_long(report, number, longest)
            dropping = True
        if dropping:
            rest = b""
        block = file.read(_BLOCK)
    if rest and not dropping:
        yield number, rest


def _too_long(report: Report, line: int, longest: int) -> None:
    report.add("error", "LINE_LONG", line, f"Line {line} has more than {longest:,} bytes, the most a document may have.")


class _Docnos:
    """Which docnos were met, by 64 bits of each: 12 to 24 bytes for one, where a set would take a hundred."""

    def __init__(self) -> None:
        self.count, self._table = 0, array("Q", [0]) * 1024  # a place for each; 0 where it is free

    def add(self, docno: str) -> None:
        """Note one; one that was met before is a Fault."""
        digest = hashlib.blake2b(docno.encode(), digest_size=8).digest()
        number = int.from_bytes(digest, "little") or 1
        place = self._place(number)
        if self._table[place]:
            raise Fault("DOC_DUPLICATE", f"document {shown(docno)} appears again.")
        self._table[place] = number
        self.count += 1
        if self.count * 3 > len(self._table) * 2:
            self._grow()

    def _place(self, number: int) -> int:
        """Where it is, or would be."""
        table, last = self._table, len(self._table) - 1
        place = number & last
        while table[place] not in (0, number):
            place = (place + 1) & last
        return place

    def _grow(self) -> None:
        old, self._table = self._table, array("Q", [0]) * (2 * len(self._table))
        for number in old:
            if number:
                self._table[self._place(number)] = number
