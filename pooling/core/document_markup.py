"""Documents in TREC's SGML, plain or with a page of the web inside (trecweb). Never read by an XML parser."""

import functools
import html
import re
from collections.abc import Iterator
from typing import BinaryIO

from pooling.core import encodings
from pooling.core.document_spec import BAD_TEXT, DocumentSpec, Fault, Read, checked_docno
from pooling.core.html_text import html_text, tidy
from pooling.core.lines import without_comments

_BLOCK = 1 << 20
_TAGS = re.compile(rb"<(/?)DOC(?=[\s>])[^<>]*+>", re.IGNORECASE)
_DOCNO_NEXT = re.compile(rb"\s*<DOCNO\b", re.IGNORECASE)
_DOCNO = re.compile(r"<DOCNO\b[^<>]*+>\s*+([^<\n]*+)", re.IGNORECASE)
_ID = re.compile(r"""^<DOC\s[^>]*?\bid\s*=\s*(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE)
_HEADER, _HEADER_END = (re.compile(one, re.IGNORECASE) for one in (rb"<DOCHDR\b[^<>]*+>", rb"</DOCHDR\s*+>"))
_URL = re.compile(r"\bhttps?://\S+", re.IGNORECASE)
_TITLES = ("title", "headline", "hl", "ttl", "ti", "head", "h3")
_DATES = ("date", "date1", "date_time")
_UNREAD = ("docno", "docid", "docoldno", "dochdr", "parent", "fileid", "first", "second", "url")
_ANY_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_NAME = re.compile(r"<([A-Za-z][A-Za-z0-9_]*)[\s>]")
_EDGES = re.compile(r"\A<DOC\b[^>]*>|</DOC\s*>\s*\Z", re.IGNORECASE)
_INLINE = re.compile(r"</?(?:f|b|i|em|strong|a|sub|sup|span|font|tt)\b[^<>]*>", re.IGNORECASE)


def read_markup(file: BinaryIO, *, longest: int, encoding: str = encodings.UTF8, entities: bool = True) -> Iterator[Read]:
    """Each `<DOC> … </DOC>` with its line; what stands between them is not looked at.

    A `<DOC>` inside a document is its content, unless a DOCNO follows: then the outer one was not closed, which is an
    error (DOC_UNCLOSED), as is the end of the file before `</DOC>`. `entities=False` leaves `&amp;` as it is.
    """
    for line, data in _elements(file, longest):
        if isinstance(data, Fault):
            yield line, data
            continue
        try:
            yield line, _document(data, encoding, entities)
        except Fault as fault:
            yield line, fault
        except encodings.Undecodable as error:
            yield line, Fault("ENCODING", f"byte {error.offset} of the document is not UTF-8.")


def _elements(file: BinaryIO, longest: int) -> Iterator[tuple[int, bytes | Fault]]:
    buffer, ended = b"", False
    line, counted = 1, 0  # the line of the byte up to which line ends were counted
    begin, depth, place = -1, 0, 0  # where the open document begins, how deep we are in it, how far was looked
    while True:
        for tag in _TAGS.finditer(buffer, place):
            if not ended and tag.end() + 64 > len(buffer):
                break  # whether a DOCNO follows is not there yet
            place = tag.end()
            opens = begin < 0 or (not tag[1] and _DOCNO_NEXT.match(buffer, place) is not None)
            if opens and not tag[1]:
                if begin >= 0:
                    yield line, Fault("DOC_UNCLOSED", "expected </DOC> before the next <DOC>.")
                line, counted = line + buffer.count(b"\n", counted, tag.start()), tag.start()
                begin, depth = tag.start(), 1
            elif begin >= 0:
                depth += -1 if tag[1] else 1
                if not depth:
                    yield line, buffer[begin:place]
                    begin = -1
        if ended:
            break
        if begin >= 0 and len(buffer) - begin > longest:
            yield line, Fault("LINE_LONG", f"the document has more than {longest:,} bytes, the most it may have.")
            begin = -1
        keep = begin if begin >= 0 else max(place, len(buffer) - 256)
        line += buffer.count(b"\n", counted, keep)
        place = max(place, len(buffer) - 256) - keep
        buffer, counted, begin = buffer[keep:], 0, min(begin, 0)
        block = file.read(_BLOCK)
        buffer, ended = buffer + block, not block
    if begin >= 0:
        yield line, Fault("DOC_UNCLOSED", "expected </DOC> before the end of the file.")


def _document(data: bytes, encoding: str, entities: bool) -> DocumentSpec:
    begun = _HEADER.search(data)
    header = _HEADER_END.search(data, begun.end()) if begun else None
    charset = encodings.declared_charset(data[:4096]) if header else None
    text = encodings.decoded(data, encoding, otherwise=charset).replace("\r\n", "\n").replace("\r", "\n")
    if BAD_TEXT.search(text):
        raise Fault("CHARACTER", "a NUL character cannot be stored.")
    found, attribute = _DOCNO.search(text), _ID.match(text)
    docno = found[1].strip() if found else (attribute[1] or attribute[2] or "").strip() if attribute else ""
    if not docno:
        raise Fault("DOCNO_MISSING", "expected <DOCNO> with the document's id.")
    checked_docno(docno)
    return _web(docno, text) if header else _plain(docno, text, entities)


def _web(docno: str, text: str) -> DocumentSpec:
    """trecweb: an HTTP header that begins with the address, then the page."""
    start = re.search(r"</DOCHDR\s*>", text, re.IGNORECASE)
    header, page = text[: start.start() if start else 0], text[start.end() if start else 0 :]
    page = re.sub(r"</DOC\s*>\s*$", "", page, flags=re.IGNORECASE).strip()
    address = _URL.search(header)
    title, read = html_text(page)
    return DocumentSpec(docno, title, read, address[0] if address else "", html=page)


def _plain(docno: str, text: str, entities: bool) -> DocumentSpec:
    text = _EDGES.sub("", without_comments(text, lambda _: " "))
    there = {name.lower() for name in _NAME.findall(text)}
    url = _element(text, "url") if "url" in there else ""
    for name in there.intersection(_UNREAD):
        text = _pattern(name).sub(" ", text)
    values = {}
    for kind, names in (("title", _TITLES), ("date", _DATES)):
        name = next((name for name in names if name in there), None)
        values[kind] = _read(_element(text, name), entities, " ") if name else ""
        text = _pattern(name).sub(" ", text, count=1) if name else text
    return DocumentSpec(docno, values["title"], _read(text, entities, "\n"), url, date=values["date"])


@functools.cache
def _pattern(name: str) -> "re.Pattern[str]":
    """An element: to its closing tag, or without one before the next of its kind to the end of its line."""
    inner = rf"((?:[^<]++|<(?!/?{name}\b))*+)"
    return re.compile(rf"<{name}\b[^<>]*+>(?:{inner}</{name}\s*+>|([^\n<]*+))", re.IGNORECASE)


def _element(text: str, name: str) -> str:
    found = _pattern(name).search(text)
    return (found[1] if found[1] is not None else found[2]).strip() if found else ""


def _read(text: str, entities: bool, gap: str) -> str:
    text = _ANY_TAG.sub(gap, _INLINE.sub("", text))
    text = tidy(html.unescape(text) if entities else text)
    return " ".join(text.split()) if gap == " " else text
