"""Qrels and runs from Python: paths, dictionaries and frames in, arrays out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evaluation.core.qrels import Qrels
    from pooling.core.rankings import Dialect, Rankings

    # A path, {topic: {docno: number}}, a pandas or polars frame, or what read_qrels and read_run return.
    QrelsSource = str | Path | Mapping[str, Mapping[str, int]] | Qrels | Any
    RunSource = str | Path | Mapping[str, Mapping[str, float]] | Rankings | Any

_TOPIC = ("topic", "query_id", "qid", "topic_id")
_DOCNO = ("docno", "doc_id", "docid", "doc")
_GRADE = ("grade", "relevance", "rel", "label", "score")
_SCORE = ("score", "sim")


def read_qrels(source: QrelsSource, *, dialect: Dialect | None = None) -> Qrels:
    """Judgments, ready to be used again and again; a document judged twice in a topic is a ValueError.

    >>> from evaluation import read_qrels
    >>> len(read_qrels({"1": {"a": 1, "b": 0}}))
    2
    """
    from evaluation.core.dialects import RULES
    from evaluation.core.qrels import Qrels
    from evaluation.core.trec_files import FileFault, opener, read_all, read_qrels_table

    if isinstance(source, Qrels):
        return source
    if isinstance(source, Mapping):
        return Qrels.from_dict(source)
    if not isinstance(source, str | Path):
        topics, docnos, grades = _frame(source, _GRADE)
        return Qrels.build(topics, docnos, grades.astype("int64"))
    try:
        qrels, again = read_qrels_table(read_all(opener(source), "qrels"), RULES[dialect])
    except FileFault as fault:
        raise ValueError(f"{source}: {fault}") from fault
    if again:
        place, docno = min(again.items())
        raise ValueError(twice(source, docno, bytes(qrels.topics[place])))
    return qrels


def read_run(source: RunSource, *, tag: str = "run", dialect: Dialect | None = None) -> Rankings:
    """A run in evaluation order, ready to be scored against many qrels.

    >>> from evaluation import read_run
    >>> read_run({"1": {"a": 1.0, "b": 2.0}}).docnos.tolist()
    [b'b', b'a']
    """
    import numpy as np

    from evaluation.core.dialects import RULES
    from evaluation.core.trec_files import DAMAGED, FileFault, opener, read_all, read_run_table
    from pooling.core.fast_runs import read_rankings
    from pooling.core.rankings import Rankings

    if isinstance(source, Rankings):
        return source
    if isinstance(source, Mapping):
        return Rankings.from_dict(tag, source, dialect=dialect)
    if not isinstance(source, str | Path):
        topics, docnos, scores = _frame(source, _SCORE)
        if np.isnan(scores.astype(np.float64)).any():
            raise ValueError("expected scores that can be ranked, found NaN")
        return unique(source, Rankings.build(tag, topics, docnos, scores.astype(np.float64), dialect=dialect))
    try:
        if (plain := read_rankings(opener(source), dialect)) is not None:
            return plain
        table = read_run_table(read_all(opener(source), "results"), RULES[dialect])
    except (FileFault, *DAMAGED) as fault:
        raise ValueError(f"{source}: {fault}") from fault
    if table.guessed:
        raise ValueError(guessed(source, table.guessed))
    name = table.tag.decode("utf-8", "replace")
    return unique(source, Rankings.build(name, table.topics, table.docnos, table.scores, dialect=dialect))


def unique(source: RunSource, rankings: Rankings) -> Rankings:
    from evaluation.core.trec_run import first_repeated

    found = first_repeated(rankings.codes, rankings.docnos)
    if found:
        raise ValueError(twice(source, found.docno, bytes(rankings.topics[found.place])))
    return rankings


def guessed(source: RunSource, line: int) -> str:
    return f"{source}: line {line}: expected a score that is a number, found other text"


def twice(source: object, docno: bytes, topic: bytes) -> str:
    from pooling.core.findings import shown

    where = f"{source}: " if isinstance(source, str | Path) else ""
    return f'{where}topic "{shown(topic)}": expected each document once, found "{shown(docno)}" twice'


def _frame(frame: Any, last: tuple[str, ...]) -> tuple[Any, Any, Any]:
    """Topics, docnos and numbers of a pandas or polars frame, by the usual names of such columns."""
    import numpy as np

    columns = list(getattr(frame, "columns", ()))
    named = [next((name for name in names if name in columns), None) for names in (_TOPIC, _DOCNO, last)]
    if None in named:
        wanted = " and ".join("/".join(names) for names in (_TOPIC[:3], _DOCNO[:3], last))
        raise ValueError(f"expected a path, a dict, or a frame with columns {wanted}; found {columns or type(frame).__name__}")
    topics, docnos, numbers = (frame[name].to_numpy() for name in named)
    encoded = [np.array([str(value).encode() for value in column.tolist()], np.bytes_) for column in (topics, docnos)]
    return encoded[0], encoded[1], numbers
