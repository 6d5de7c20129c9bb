"""Topics: TREC's SGML with or without closing tags, XML, JSON lines, SMART and TSV, in one language or several."""

import html
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import Literal

from pooling.core import encodings
from pooling.core.document_lines import smart_records
from pooling.core.findings import MAX_ERRORS, Report, shown
from pooling.core.languages import is_tag
from pooling.core.lines import BOM, MAX_ID, encoding_message, line_at, no_text, without_comments

Numbering = Literal["given", "running"]

_BLOCK = re.compile(r"<top(?:ic)?\b([^<>]*+)>(.*?)(?=</top(?:ic)?\s*>|<top(?:ic)?\b|\Z)", re.IGNORECASE | re.DOTALL)
_OPENING = re.compile(r"(^[ \t]*)?<([A-Za-z][\w-]*)((?:\s[^<>]*)?)>", re.MULTILINE)
_ATTRIBUTE = re.compile(r"""(?<![\w-])([\w-]++)\s*+=\s*(?:"([^"]*)"|'([^']*)')""")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_FIELDS = {
    "num": "number",
    "number": "number",
    "identifier": "number",
    "title": "title",
    "query": "title",
    "summary": "title",
    "desc": "description",
    "description": "description",
    "question": "description",
    "narr": "narrative",
    "narrative": "narrative",
}
TEXTS = ("title", "description", "narrative")
_TOP = re.compile(r"<top(ic)?\b", re.IGNORECASE)
_PREFIX = re.compile(r"^([A-Za-z]{2})-(?=[A-Za-z])")
_JSON = {
    "number": ("id", "_id", "number", "num", "qid", "query_id", "topic_id"),
    "title": ("title", "query", "text", "question"),
    "description": ("description", "desc"),
    "narrative": ("narrative", "narr"),
    "language": ("language", "lang"),
}
_LABELS = {"number": "Number", "title": "Topic", "description": "Description", "narrative": "Narrative"}


@dataclass(frozen=True)
class TopicSpec:
    """One topic as its file states it. `extra` holds unknown fields, and `spelling` where the number was written otherwise.

    `language` is the tag of its language ("" where nobody says); `versions` are the same topic in other languages:
    {tag: {title, description, narrative}}.
    """

    number: str
    title: str = ""
    description: str = ""
    narrative: str = ""
    extra: dict[str, str] = field(default_factory=dict)
    language: str = ""
    versions: dict[str, dict[str, str]] = field(default_factory=dict)

    @property
    def texts(self) -> dict[str, str]:
        return {name: getattr(self, name) for name in TEXTS}


# The forms in which topics are given out, each with what it is to a browser.
WRITTEN = {"trec": "text/plain", "tsv": "text/tab-separated-values", "jsonl": "application/jsonl"}


def topic_lines(topics: Iterable[TopicSpec], form: str) -> Iterator[str]:
    """As TREC's SGML, lines of number, tab, title, or JSON lines, which alone hold languages; `read_topics` reads each."""
    for topic in topics:
        if form == "jsonl":
            told = {"id": topic.number, **topic.texts, "language": topic.language, "translations": topic.versions}
            yield json.dumps(told, ensure_ascii=False) + "\n"
            continue
        title, description, narrative = (" ".join(text.split()) for text in topic.texts.values())
        if form == "tsv":
            yield f"{topic.number}\t{title}\n"
            continue
        parts = [f"<num> Number: {html.escape(topic.number, quote=False)}", f"<title> {html.escape(title, quote=False)}"]
        parts += [f"<desc> Description:\n{html.escape(description, quote=False)}"] if description else []
        parts += [f"<narr> Narrative:\n{html.escape(narrative, quote=False)}"] if narrative else []
        yield "<top>\n{}\n</top>\n\n".format("\n\n".join(parts))


def read_topics(
    data: bytes,
    *,
    encoding: str = "utf-8",
    numbering: Numbering = "given",
    language: str = "",
    max_errors: int = MAX_ERRORS,
) -> tuple[list[TopicSpec], Report]:
    """Topics in the order of the file, in the form that the content tells, and everything found.

    `numbering="running"` numbers them 1, 2, 3 … as they come: the runs and qrels of Cranfield count so, its queries do
    not. `language` is that of topics that name none. A number that comes again in another language is another version
    of the same topic. Errors: bytes that are not of the encoding (ENCODING), control characters (CONTROL), no topic at
    all (TOPICS_EMPTY), a topic without number (NUMBER_MISSING), a number with blanks or of more than 255 bytes
    (NUMBER_FORMAT), a number met before (NUMBER_REPEATED), a line that is no JSON (JSON), in TSV a line without a tab
    (FIELDS), a language that is no tag like "en" (LANGUAGE). Warnings: no title (TITLE_MISSING), BOM, CRLF. The list is
    empty unless the report is ok.
    """
    report = Report(max_errors=max_errors)
    text = _decoded(data, encoding, report)
    if text is None:
        return [], report
    found = _read(text, report)
    if numbering == "running":
        found = [(line, replace(topic, number=str(place))) for place, (line, topic) in enumerate(found, 1)]
    found = _joined([(line, replace(topic, language=topic.language or language)) for line, topic in found])
    if not found and report.ok:
        words = "The file holds no topics; expected <top> elements, JSON lines, SMART's .I, or lines of number, tab, title."
        report.add("error", "TOPICS_EMPTY", 0, words)
    _check(found, report, as_json=_is_json(text))
    return [topic for _, topic in found] if report.ok else [], report


def _read(text: str, report: Report) -> list[tuple[int, TopicSpec]]:
    if _is_json(text):
        return _read_json(text, report)
    if _TOP.search(text):
        return _read_sgml(text, report)
    return _read_smart(text) if re.match(r"\.I[ \t]+\S", text.lstrip()) else _read_tsv(text, report)


def _is_json(text: str) -> bool:
    return text.lstrip().startswith("{") and not _TOP.search(text)


def _decoded(data: bytes, encoding: str, report: Report) -> str | None:
    if encoding == encodings.UTF8:
        encoding = encodings.declared(data[:200]) or encoding
    try:
        if encoding == encodings.FALLBACK:
            text = encodings.decoded(data, encoding)
        else:
            text = data.decode(encoding)
    except UnicodeDecodeError as error:
        message = encoding_message(data, error.start)
        if encoding == "utf-8" and not no_text(data):
            message += " Or is it Windows-1252? Then say so."
        else:
            message = f"Byte {error.start} (0x{data[error.start]:02X}) is not {encodings.ENCODINGS.get(encoding, encoding)}."
        report.add("error", "ENCODING", line_at(data, error.start), message)
        return None
    if data.startswith(BOM) and text.startswith("\ufeff"):
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
    text = without_comments(text, lambda comment: "\n" * comment.count("\n"))
    found: list[tuple[int, TopicSpec]] = []
    line, counted = 1, 0
    for block in _BLOCK.finditer(text):
        line += text.count("\n", counted, block.start())
        counted = block.start()
        attributes = {name.lower(): one or other for name, one, other in _ATTRIBUTE.findall(block[1])}
        found.append((line, _topic(attributes, block[2])))
    return _without_zeros(found)


def _topic(attributes: dict[str, str], body: str) -> TopicSpec:
    number = html.unescape(attributes.pop("number", "")).strip()
    language = html.unescape(attributes.pop("lang", attributes.pop("language", ""))).strip()
    extra: dict[str, str] = {name: html.unescape(value) for name, value in attributes.items()}
    texts: dict[str, dict[str, str]] = {}  # by language, that of the first field first
    opened = [tag for tag in _OPENING.finditer(body) if _field(tag[2])[1] or tag[1] is not None]
    names = "|".join({re.escape(tag[2]) for tag in opened})
    closing = re.compile(rf"</\s*(?:{names})\s*>", re.IGNORECASE)
    for tag, following in zip_longest(opened, opened[1:]):
        text = closing.sub(" ", body[tag.end() : following.start() if following else len(body)])
        own, name = _field(tag[2])
        own = {key.lower(): one or other for key, one, other in _ATTRIBUTE.findall(tag[3])}.get("lang", own)
        if name == "number" and not number:
            number = _plain(text, _LABELS[name])
        elif name in TEXTS and not texts.setdefault(own or language, {}).get(name):
            texts[own or language][name] = _plain(text, _LABELS[name])
        elif value := _plain(text):
            key = tag[2].lower()
            extra[key] = f"{extra[key]}\n{value}" if key in extra else value
    first = next(iter(texts), language)
    return TopicSpec(number, extra=extra, language=first, versions=_others(texts, first), **texts.get(first, {}))


def _others(texts: Mapping[str, Mapping[str, str]], first: str) -> dict[str, dict[str, str]]:
    return {tag: {name: found.get(name, "") for name in TEXTS} for tag, found in texts.items() if tag != first}


def _field(tag: str) -> tuple[str, str | None]:
    """The language and the field that a tag opens; CLEF's `EN-title` is an English title."""
    prefix = _PREFIX.match(tag)
    return (prefix[1].lower() if prefix else ""), _FIELDS.get(tag[3 if prefix else 0 :].lower())


def _joined(found: list[tuple[int, TopicSpec]]) -> list[tuple[int, TopicSpec]]:
    """Topics of one number and several languages become one with several versions; the first stays in front."""
    joined: dict[str, int] = {}
    result: list[tuple[int, TopicSpec]] = []
    for line, topic in found:
        place = joined.get(topic.number)
        if place is not None and topic.number and topic.language:
            first = result[place][1]
            if first.language and topic.language not in {first.language, *first.versions}:
                more = {**first.versions, topic.language: topic.texts, **topic.versions}
                result[place] = result[place][0], replace(first, versions=more)
                continue
        joined.setdefault(topic.number, len(result))
        result.append((line, topic))
    return result


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


def _read_json(text: str, report: Report) -> list[tuple[int, TopicSpec]]:
    found: list[tuple[int, TopicSpec]] = []
    for line, row in enumerate(text.split("\n"), 1):
        if not row.strip() or row.startswith("#"):
            continue
        try:
            record = json.loads(row)
            if not isinstance(record, dict):
                raise TypeError("expected a JSON object")
            found.append((line, _json_topic(record)))
        except (ValueError, TypeError, RecursionError) as error:
            told = f"not JSON at column {error.colno}" if isinstance(error, json.JSONDecodeError) else str(error)
            report.add("error", "JSON", line, f"Line {line}: {told}.")
    return found


def _json_topic(record: dict[str, object]) -> TopicSpec:
    values: dict[str, str] = {}
    for name, keys in _JSON.items():
        key = next((key for key in keys if key in record), None)
        if key is not None:
            values[name] = _json_text(key, record.pop(key))
    versions = record.pop("versions", None) or record.pop("translations", None) or {}
    if not isinstance(versions, dict) or not all(isinstance(texts, dict) for texts in versions.values()):
        raise TypeError('"versions" must be {language: {title, description, narrative}}')
    others = {tag: {name: _json_text(name, texts.get(name)) for name in TEXTS} for tag, texts in versions.items()}
    values["number"] = values.get("number", "").strip()
    extra = {key: value if isinstance(value, str) else json.dumps(value) for key, value in record.items()}
    return TopicSpec(extra=extra, versions=others, **values)


def _json_text(key: str, value: object) -> str:
    if value is None:
        return ""
    if not isinstance(value, str | int) or isinstance(value, bool):
        raise TypeError(f'"{shown(key)}" must be text')
    text = str(value)
    if "\0" in text or any("\ud800" <= letter <= "\udfff" for letter in text):
        raise ValueError(f'"{shown(key)}" holds a character that cannot be stored')
    return text


def _read_smart(text: str) -> list[tuple[int, TopicSpec]]:
    """SMART's queries: `.I` number, `.W` text; `.T` is the title where there is one, else the text is."""
    rows = ((line, row.encode()) for line, row in enumerate(text.split("\n"), 1))
    found: list[tuple[int, TopicSpec]] = []
    for line, number, fields in smart_records(rows):
        words = {mark: " ".join(value.decode().split()) for mark, value in fields.items()}
        title, body = words.get("T", ""), words.get("W", "")
        found.append((line, TopicSpec(number.decode().strip(), title or body, body if title else "")))
    return _without_zeros(found)


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


def _sought(topic: TopicSpec) -> str:
    first, *others = (f'"{key}"' for key in _JSON["number"])
    unknown = ", ".join(f'"{shown(key)}"' for key in list(topic.extra)[:5])
    return f"; expected {first} (or {', '.join(others)}){f', found {unknown}' if unknown else ''}"


def _check(found: list[tuple[int, TopicSpec]], report: Report, *, as_json: bool) -> None:
    first: dict[str, int] = {}
    for line, topic in found:
        number = topic.number
        if not number:
            message = f"The topic of line {line} has no number{_sought(topic) if as_json else ''}."
            report.add("error", "NUMBER_MISSING", line, message)
        elif len(number.split()) != 1 or len(number.encode()) > MAX_ID:
            message = f'The number "{shown(number)}" may hold no blank and at most {MAX_ID} bytes.'
            report.add("error", "NUMBER_FORMAT", line, message)
        elif number in first:
            message = f"Topic {shown(number)} appears again (first on line {first[number]})."
            report.add("error", "NUMBER_REPEATED", line, message)
        for tag in filter(None, (topic.language, *topic.versions)):
            if not is_tag(tag):
                message = f'The language "{shown(tag)}" of line {line} is no tag; expected one like en or pt-BR.'
                report.add("error", "LANGUAGE", line, message)
        if not topic.title:
            report.add("warning", "TITLE_MISSING", line, f"Topic {shown(number) or 'without number'} has no title.")
        first.setdefault(number, line)
