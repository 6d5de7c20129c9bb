"""One document as a line of JSON: BEIR's, Anserini's or our own names of its fields."""

import json
import math
import re

from pooling.core.document_spec import BAD_TEXT, DocumentSpec, Fault, checked_docno

MAX_DEPTH = 20

_DOCNO = ("id", "_id", "docno", "docid")
_TEXT = ("text", "contents", "body")
_OTHERS = ("title", "url", "lang", "date")
_TAG = re.compile(r"<(!doctype|html|head|body)\b", re.IGNORECASE)


def json_document(data: bytes) -> DocumentSpec:
    """One JSON object as a document: of the names for its text the first that is not null; what has no place of its own is kept
    beside. Else a Fault."""
    record = _record(data)
    docno = _docno(record)
    texts = [record.pop(name) for name in _TEXT if name in record]
    text = _string("text", next((value for value in texts if value is not None), None))
    title, url, lang, date = (_string(name, record.pop(name, None)) for name in _OTHERS)
    if b"\\u" in data:
        _check_characters([docno, title, text, url, lang, date])
    if record:
        _check_extra(record)
    return DocumentSpec(docno, title, text, url, lang, date, record)


def _record(data: bytes) -> dict[str, object]:
    try:
        record = json.loads(data.decode(), parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        message = f"byte {error.start} of the line (0x{data[error.start]:02X}) is not UTF-8."
        raise Fault("ENCODING", message) from error
    except RecursionError as error:
        raise Fault("JSON", "brackets are nested too deep.") from error
    except json.JSONDecodeError as error:
        where = f"column {error.colno}" if error.lineno == 1 else f"column {error.colno} of its line {error.lineno}"
        raise Fault("JSON", f"not JSON at {where}: {error.msg}.") from error
    except Fault:
        raise
    except ValueError as error:  # Python reads no integer of thousands of digits
        raise Fault("JSON", "a number has too many digits.") from error
    if not isinstance(record, dict):
        raise Fault("NOT_OBJECT", f"expected a JSON object, found {_kind(record)}.")
    return record


def _refuse_constant(name: str) -> object:
    raise Fault("JSON", f"{name} is not a JSON number.")


def _check_characters(values: list[str]) -> None:
    if any(BAD_TEXT.search(value) for value in values):
        raise Fault("CHARACTER", "a NUL character or half a surrogate pair cannot be stored.")


def _check_extra(record: dict[str, object]) -> None:
    """What the other keys hold must be storable as JSON too; walked without recursion, since depth is the danger."""
    left: list[tuple[int, object]] = [(1, record)]
    while left:
        depth, value = left.pop()
        if depth > MAX_DEPTH:
            raise Fault("JSON", f"brackets are nested more than {MAX_DEPTH} deep.")
        if isinstance(value, str):
            _check_characters([value])
        elif isinstance(value, float) and not math.isfinite(value):
            raise Fault("JSON", "a number is too large.")
        elif isinstance(value, dict):
            left.extend((depth + 1, inner) for pair in value.items() for inner in pair)
        elif isinstance(value, list):
            left.extend((depth + 1, inner) for inner in value)


def _docno(record: dict[str, object]) -> str:
    values = [record.pop(name) for name in _DOCNO if name in record]
    docno = _string("id", next((value for value in values if value is not None), None)).strip()
    if not docno:
        raise Fault("DOCNO_MISSING", 'expected an "id" (or "_id", "docno", "docid").')
    return checked_docno(docno)


def _string(name: str, value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise Fault("FIELD_TYPE", f'"{name}" must be text, found {_kind(value)}.')


def _kind(value: object) -> str:
    kinds = {list: "a list", dict: "an object", bool: "true or false", float: "a decimal number", str: "text", int: "a number"}
    return kinds.get(type(value), "null")
