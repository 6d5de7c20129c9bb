"""What a document has beside title and text, such as authors or keywords: strings in the file's order, and not too many."""

import json
from collections.abc import Iterator, Mapping
from typing import NamedTuple

MOST = 20  # fields of a document
LONGEST, LONGEST_NAME = 1000, 80  # characters


class Extra(NamedTuple):
    """Fields that are kept, and the names of those that are left out, and of those that are cut."""

    kept: dict[str, str]
    left: list[str]
    cut: list[str]


def plain(given: Mapping[str, object]) -> Extra:
    """The first `MOST` fields that are text, a number or a list of texts, each as a line of at most `LONGEST` characters.

    Objects, and lists of anything else (as vectors are), are left out; what is empty is no field. BEIR's `metadata` is an
    object of such fields: they count as the document's own.
    """
    found = Extra({}, [], [])
    for name, value in _fields(given):
        if value in (None, "", [], {}):
            continue
        name, words = _line(name, LONGEST_NAME), _words(value)
        if words is None or not name or name in found.kept or len(found.kept) == MOST:
            found.left.append(name)
        elif line := _line(words, LONGEST):
            found.kept[name] = line
            if len(line) == LONGEST and line.endswith("…"):
                found.cut.append(name)
    return found


def _fields(given: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    for name, value in given.items():
        if name == "metadata" and isinstance(value, dict):
            yield from value.items()
        else:
            yield name, value


def _words(value: object) -> str | None:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return "; ".join(one.strip() for one in value if one.strip())
    return None


def _line(words: str, longest: int) -> str:
    """With single blanks, and cut if it is longer. Of a text of megabytes the rest is not looked at."""
    line = " ".join(words[: 4 * longest].split())
    return line if len(line) <= longest and not words[4 * longest :].strip() else line[: longest - 1] + "…"


def stored(kept: Mapping[str, object]) -> str | None:
    """As the database has them: an object of JSON as text, since a database that knows it for JSON sorts its names."""
    return json.dumps(kept, ensure_ascii=False) if kept else None


def read(words: str | None) -> dict[str, str]:
    """What `stored` has written."""
    found: dict[str, str] = json.loads(words) if words else {}
    return found


def text(words: str | None) -> str:
    """What is said in them, as words to be found."""
    return "\n".join(read(words).values())
