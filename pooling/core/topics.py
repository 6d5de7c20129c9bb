"""Topics: TREC's SGML with or without closing tags, web-track XML, and TSV."""

import html
import re
from dataclasses import dataclass, field, replace
from typing import Literal

from pooling.core.findings import MAX_ERRORS, Report, shown
from pooling.core.lines import BOM, MAX_ID, encoding_message, line_at

Encoding = Literal["utf-8", "cp1252"]

_BLOCK = re.compile(r"<top(?:ic)?\b([^>]*)>(.*?)(?=</top(?:ic)?\s*>|<top(?:ic)?\b|\Z)", re.IGNORECASE | re.DOTALL)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_OPENING = re.compile(r"(^[ \t]*)?<([A-Za-z][\w-]*)((?:\s[^<>]*)?)>", re.MULTILINE)
_ATTRIBUTE = re.compile(r"""([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_FIELDS = {
    "num": "number",
    "number": "number",
    "identifier": "number",
    "title": "title",
    "query": "title",
    "desc": "description",
    "description": "description",
    "question": "description",
    "narr": "narrative",
    "narrative": "narrative",
}
_LABELS = {"number": "Number", "title": "Topic", "description": "Description", "narrative": "Narrative"}


@dataclass(frozen=True)
class TopicSpec:
    """One topic as its file states it. `extra` holds unknown fields, and `spelling` where the number was written otherwise."""

    number: str
    title: str = ""
    description: str = ""
    narrative: str = ""
    extra: dict[str, str] = field(default_factory=dict)


def read_topics(data: bytes, *, encoding: Encoding = "utf-8", max_errors: int = MAX_ERRORS) -> tuple[list[TopicSpec], Report]:
    """Topics in the order of the file, SGML or TSV as the content tells, and everything found.

    Errors: bytes that are not of the encoding (ENCODING), control characters (CONTROL), no topic at all
    (TOPICS_EMPTY), a topic without number (NUMBER_MISSING), a number with blanks or of more than 255 bytes
    (NUMBER_FORMAT), a number met before (NUMBER_REPEATED), in TSV a line without a tab (FIELDS). Warnings: no title
    (TITLE_MISSING), BOM, CRLF. The list is empty unless the report is ok.
    """
    report = Report(max_errors=max_errors)
    text = _decoded(data, encoding, report)
    if text is None:
        return [], report
    found = _read_sgml(text, report) if re.search(r"<top(ic)?\b", text, re.IGNORECASE) else _read_tsv(text, report)
    if not found and report.ok:
        report.add(
            "error", "TOPICS_EMPTY", 0, "The file holds no topics; expected <top> elements, or lines of number, tab, title."
        )
    _check(found, report)
    return [topic for _, topic in found] if report.ok else [], report


def _decoded(data: bytes, encoding: Encoding, report: Report) -> str | None:
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        message = encoding_message(data, error.start)
        if encoding == "utf-8":
            message += " Or is it Windows-1252? Then say so."
        report.add("error", "ENCODING", line_at(data, error.start), message)
        return None
    if data.startswith(BOM) and encoding == "utf-8":
        report.add("warning", "BOM", 1, "The file begins with a byte order mark. It is ignored.")
        text = text[1:]
    if "\r" in text:
        report.add("warning", "CRLF", 0, "Lines end with CR LF or CR. They are read as line ends.")
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if found := _CONTROL.search(text):
        line = text.count("\n", 0, found.start()) + 1
        message = f"Line {line} holds the control character 0x{ord(found[0]):02X}; remove it."
        report.add("error", "CONTROL", line, message)
        return None
    return text


def _read_sgml(text: str, report: Report) -> list[tuple[int, TopicSpec]]:
    """Each topic with its line. Never an XML parser: these files are not well-formed."""
    text = _COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), text)
    found: list[tuple[int, TopicSpec]] = []
    line, counted = 1, 0
    for block in _BLOCK.finditer(text):
        line += text.count("\n", counted, block.start())
        counted = block.start()
        attributes = {name.lower(): one or other for name, one, other in _ATTRIBUTE.findall(block[1])}
        found.append((line, _topic(attributes, block[2])))
    return _without_zeros(found)


def _topic(attributes: dict[str, str], body: str) -> TopicSpec:
    values: dict[str, str] = {"number": html.unescape(attributes.pop("number", "")).strip()}
    extra: dict[str, str] = {name: html.unescape(value) for name, value in attributes.items()}
    opened = [tag for tag in _OPENING.finditer(body) if _field(tag[2]) or tag[1] is not None]
    names = "|".join({re.escape(tag[2]) for tag in opened})
    closing = re.compile(rf"</\s*(?:{names})\s*>", re.IGNORECASE)
    for tag, following in zip(opened, [*opened[1:], None], strict=True):
        text = closing.sub(" ", body[tag.end() : following.start() if following else len(body)])
        name = _field(tag[2])
        if name and not values.get(name):
            values[name] = _plain(text, _LABELS[name])
        elif value := _plain(text):
            key = tag[2].lower()
            extra[key] = f"{extra[key]}\n{value}" if key in extra else value
    return TopicSpec(extra=extra, **values)


def _field(tag: str) -> str | None:
    """The field a tag opens; CLEF's `EN-title` is a title."""
    return _FIELDS.get(re.sub(r"^[A-Za-z]{2}-", "", tag).lower())


def _plain(text: str, label: str = "") -> str:
    if label:  # "Narrative:", and as a line of its own without the colon
        text = re.sub(rf"^\s*{label}\s*(?::|\n|$)", "", text)
    return " ".join(html.unescape(text).split())


def _without_zeros(found: list[tuple[int, TopicSpec]]) -> list[tuple[int, TopicSpec]]:
    """ "051" becomes "51", as TREC's qrels and runs have it, unless both are there; the spelling is kept beside it."""
    numbers = {topic.number for _, topic in found}
    result = []
    for line, topic in found:
        bare = topic.number.lstrip("0")
        if topic.number.isascii() and bare.isdigit() and bare != topic.number and bare not in numbers:
            topic = replace(topic, number=bare, extra={**topic.extra, "spelling": topic.number})
        result.append((line, topic))
    return result


def _read_tsv(text: str, report: Report) -> list[tuple[int, TopicSpec]]:
    """`number<TAB>title`, then perhaps description and narrative; numbers stay as they are spelled."""
    found: list[tuple[int, TopicSpec]] = []
    for line, row in enumerate(text.split("\n"), 1):
        if not row.strip() or row.startswith("#"):
            continue
        fields = [" ".join(value.split()) for value in row.split("\t")]
        if not 2 <= len(fields) <= 4:
            message = f"Line {line} has {len(fields)} column{'' if len(fields) == 1 else 's'}; expected number, tab, title."
            report.add("error", "FIELDS", line, message)
            continue
        number, title, description, narrative = (*fields, "", "")[:4]
        found.append((line, TopicSpec(number, title, description, narrative)))
    return found


def _check(found: list[tuple[int, TopicSpec]], report: Report) -> None:
    first: dict[str, int] = {}
    for line, topic in found:
        number = topic.number
        if not number:
            report.add("error", "NUMBER_MISSING", line, f"The topic of line {line} has no number.")
        elif len(number.split()) != 1 or len(number.encode()) > MAX_ID:
            message = f'The number "{shown(number)}" may hold no blank and at most {MAX_ID} bytes.'
            report.add("error", "NUMBER_FORMAT", line, message)
        elif number in first:
            message = f"Topic {shown(number)} appears again (first on line {first[number]})."
            report.add("error", "NUMBER_REPEATED", line, message)
        if not topic.title:
            report.add("warning", "TITLE_MISSING", line, f"Topic {shown(number) or 'without number'} has no title.")
        first.setdefault(number, line)
