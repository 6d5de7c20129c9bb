"""Judgments of a sampled pool as files: by strata (`topic 0 docno stratum grade`) or by probabilities, called prels
(`topic docno grade method probability`)."""

import re
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pooling.core.findings import shown

Form = Literal["strata", "prels"]
COLUMNS: dict[Form, str] = {"strata": "topic 0 docno stratum grade", "prels": "topic docno grade method probability"}
NOT_SAMPLED = -1
AP_WEIGHTED, UNIFORM = 1, 0  # the method column of prels that are written here

_WHOLE = re.compile(rb"-?[0-9]{1,9}")
_NUMBER = re.compile(rb"[0-9]*\.?[0-9]+(?:[eE][+-]?[0-9]{1,3})?")


class SampledFault(ValueError):
    """A file that cannot be read; the message names the line, what was expected and what came."""


@dataclass(frozen=True, eq=False)
class SampledQrels:
    """Aligned columns. By strata every pooled document is listed, with grade -1 where it was not sampled; `strata` are
    numbered from 0, in the order of their names. By probabilities only what was sampled is there; `methods` are what the
    file says of how each document was drawn."""

    form: Form
    topics: NDArray[np.bytes_]
    docnos: NDArray[np.bytes_]
    grades: NDArray[np.int64]
    strata: NDArray[np.int64] | None = None
    inclusion: NDArray[np.float64] | None = None
    methods: NDArray[np.int64] | None = None


def has_five_columns(data: bytes) -> bool:
    """Whether the first line that says something has the five columns of either form."""
    first = next((line for line in data.split(b"\n", 1000) if line.strip() and not line.startswith(b"#")), b"")
    return len(first.split()) == 5


def form_of(data: bytes) -> Form | None:
    """Which form the file has: told by column 2 (0 or Q0, or a document) and column 5 (whole, or not); None if unsure."""
    rows = [line.split() for line in data.split(b"\n") if line.strip() and not line.startswith(b"#")]
    rows = [row for row in rows if len(row) == 5]
    second = {row[1] for row in rows} <= {b"0", b"Q0"}
    whole = all(_WHOLE.fullmatch(row[4]) for row in rows)
    if second == whole:
        return "strata" if second else "prels"
    return None


def read_sampled(data: bytes, form: Form | None = None) -> SampledQrels:
    """The judgments of a file; a SampledFault if it is of neither form, or its form is not clear and not given."""
    form = form or form_of(data)
    if form is None:
        raise SampledFault(
            "expected sampled qrels (topic 0 docno stratum grade) or prels (topic docno grade method probability), "
            "found five columns that may be either; say which"
        )
    rows: list[tuple[bytes, bytes, int, bytes, int]] = []
    seen: dict[tuple[bytes, bytes], int] = {}
    for number, line in enumerate(data.split(b"\n"), 1):
        fields = line.split()
        if not fields or line.startswith(b"#"):
            continue
        if len(fields) != 5:
            raise SampledFault(f"line {number}: expected 5 columns ({COLUMNS[form]}), found {len(fields)}")
        topic, docno, grade, last = _parts(fields, form)
        if not _WHOLE.fullmatch(grade):
            raise SampledFault(f'line {number}: expected a whole number as grade, found "{shown(grade)}"')
        if form == "prels" and not (_NUMBER.fullmatch(last) and 0 <= float(last) <= 1):
            raise SampledFault(f'line {number}: expected a probability from 0 to 1, found "{shown(last)}"')
        if (topic, docno) in seen:
            told = f"document {shown(docno)} of topic {shown(topic)} stands on line {seen[topic, docno]} already"
            raise SampledFault(f"line {number}: expected each document once, {told}")
        if form == "prels" and not _WHOLE.fullmatch(fields[3]):
            raise SampledFault(f'line {number}: expected a whole number as method, found "{shown(fields[3])}"')
        seen[topic, docno] = number
        rows.append((topic, docno, int(grade), last, int(fields[3]) if form == "prels" else UNIFORM))
    if not rows:
        raise SampledFault(f"expected lines of {COLUMNS[form]}, found none")
    topics, docnos, grades, lasts, methods = zip(*rows, strict=True)
    columns = np.array(topics, np.bytes_), np.array(docnos, np.bytes_), np.array(grades, np.int64)
    if form == "prels":
        return SampledQrels(form, *columns, inclusion=np.array(lasts, np.float64), methods=np.array(methods, np.int64))
    _, strata = np.unique(np.array(lasts, np.bytes_), return_inverse=True)
    return SampledQrels(form, *columns, strata=strata.astype(np.int64))


def _parts(fields: list[bytes], form: Form) -> tuple[bytes, bytes, bytes, bytes]:
    """Topic, docno, grade, and stratum or probability."""
    if form == "strata":
        return fields[0], fields[2], fields[4], fields[3]
    return fields[0], fields[1], fields[2], fields[4]


def as_qrels(data: bytes, form: Form) -> bytes:
    """The same lines as plain qrels, `topic 0 docno grade`, each where it was: so that they are checked as any qrels are."""
    lines = [line.split() if not line.startswith(b"#") else [] for line in data.split(b"\n")]
    return b"\n".join(b"%b 0 %b %b" % _parts(fields, form)[:3] if len(fields) == 5 else b"" for fields in lines)


def write_strata(
    topics: NDArray[np.bytes_], docnos: NDArray[np.bytes_], strata: NDArray[np.int64], grades: NDArray[np.int64]
) -> bytes:
    """`topic 0 docno stratum grade`, sorted by topic, then docno, both by bytes; LF."""
    order = np.lexsort((docnos, topics))
    rows = zip(*(column[order].tolist() for column in (topics, docnos, strata, grades)), strict=True)
    return b"".join(b"%b 0 %b %d %d\n" % row for row in rows)


def write_prels(
    topics: NDArray[np.bytes_],
    docnos: NDArray[np.bytes_],
    grades: NDArray[np.int64],
    inclusion: NDArray[np.float64],
    method: "int | NDArray[np.int64]" = UNIFORM,
) -> bytes:
    """`topic docno grade method probability` of what was sampled and judged, sorted likewise; probabilities in full."""
    counted = grades > NOT_SAMPLED
    order = np.flatnonzero(counted)[np.lexsort((docnos[counted], topics[counted]))]
    methods = np.broadcast_to(np.asarray(method, np.int64), grades.shape)
    rows = zip(*(column[order].tolist() for column in (topics, docnos, grades, methods, inclusion)), strict=True)
    return b"".join(b"%b %b %d %d %b\n" % (t, d, g, m, _probability(p)) for t, d, g, m, p in rows)


def _probability(value: float) -> bytes:
    """With a point in any case: by it, prels are told from other files."""
    return (repr(value) if value != 1 else "1.0").encode()
