"""What every reader of documents hands on: a document, or the fault that stands in its place."""

import re
from dataclasses import dataclass, field

from pooling.core.findings import shown
from pooling.core.lines import MAX_ID

BAD_TEXT = re.compile("[\x00\ud800-\udfff]")
_BAD_DOCNO = re.compile(r"[\s\x00-\x1f\x7f]", re.ASCII)


@dataclass(frozen=True)
class DocumentSpec:
    """One document as its file states it. `html` is its markup, where it has any, and `text` what reads in it.

    `extra` holds what has no place of its own, such as the other keys of JSON or the authors of a SMART file: strings, once
    `core/extra.py` has looked at it.
    """

    docno: str
    title: str = ""
    text: str = ""
    url: str = ""
    lang: str = ""
    date: str = ""
    extra: dict[str, object] = field(default_factory=dict)
    html: str = ""


class Fault(ValueError):
    """Why a document cannot be taken: a code for programs and a clause for people."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


Read = tuple[int, DocumentSpec | Fault]  # the line where it begins, and what was found there


def checked_docno(docno: str) -> str:
    """As it is, if a run can name it; else a Fault."""
    if _BAD_DOCNO.search(docno) or BAD_TEXT.search(docno) or len(docno.encode()) > MAX_ID:
        raise Fault("DOCNO_FORMAT", f'the id "{shown(docno)}" may hold no blank and at most {MAX_ID} bytes.')
    return docno
