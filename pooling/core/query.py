"""What somebody searches for: words, "phrases", title: fields, and minus for what must not be there."""

import re
from dataclasses import dataclass
from typing import Literal

from pooling.core.words import terms

Field = Literal["", "title", "text"]
MOST_LETTERS = 1000

_PART = re.compile(r'(?P<minus>-?)(?:(?P<field>title|text):)?(?:"(?P<phrase>[^"]*)"?|(?P<word>[^\s"]+))', re.IGNORECASE)


@dataclass(frozen=True)
class Clause:
    """Terms in this order, as analysed; several are a phrase: a word of scripts without spaces becomes one, too."""

    terms: tuple[str, ...]
    field: Field = ""


@dataclass(frozen=True)
class Query:
    """What is sought, any of it, and what must not be there; false if nothing is sought."""

    wanted: tuple[Clause, ...]
    unwanted: tuple[Clause, ...]

    def __bool__(self) -> bool:
        return bool(self.wanted)


def read_query(text: str, language: str = "") -> Query:
    """Understands anything: what means nothing (a lone quote, "the") is left out."""
    wanted, unwanted = list[Clause](), list[Clause]()
    for part in _PART.finditer(text[:MOST_LETTERS]):
        found = tuple(terms(part["phrase"] if part["phrase"] is not None else part["word"], language))
        if not found:
            continue
        field: Field = (part["field"] or "").lower()  # type: ignore[assignment]
        (unwanted if part["minus"] else wanted).append(Clause(found, field))
    return Query(tuple(wanted), tuple(unwanted))


def sought_words(text: str) -> str:
    """The words that a query looks for, to be marked: without names of fields, and without what must not be there."""
    parts = [part for part in _PART.finditer(text[:MOST_LETTERS]) if not part["minus"]]
    return " ".join(part["phrase"] if part["phrase"] is not None else part["word"] for part in parts)
