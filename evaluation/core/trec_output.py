"""Scores as trec_eval prints them: name, topic or "all", value, with tabs between."""

from collections.abc import Iterator, Sequence

import numpy as np

from evaluation.core.definitions import Measure
from evaluation.core.evaluate import Scores
from evaluation.core.judged import Judged
from evaluation.core.trec_names import Line

_NOT_POOLED, _NOT_JUDGED, _BEYOND = b"-.>"


def trec_eval_text(scores: Scores, run: int, *, per_topic: bool = True) -> str:
    """One run's scores, each measure under the name trec_eval has for it."""
    lines = [Line.of(measure) for measure in scores.measures]
    parts = list(topic_texts(scores, run, lines)) if per_topic else []
    return "".join([*parts, summary_text(scores, run, lines)])


def topic_texts(
    scores: Scores,
    run: int,
    lines: Sequence[Line],
    *,
    strings: Sequence[str] = (),
    shows_missing: bool = True,
    upto: int | None = None,
) -> Iterator[str]:
    """The lines of each topic, one text for each; `strings` are the relstrings, topic by topic, where one is asked for.

    Topics from the place `upto` on are left out.
    """
    columns = {str(measure): column for column, measure in enumerate(scores.measures)}
    shown = [
        (f"{line.name:<22}\t", columns.get(str(line.measure), -1), _format(line.measure)) for line in lines if line.in_topics
    ]
    values = scores.values[run].T.tolist()
    wanted = (scores.answered[run] | (scores.complete and shows_missing)).tolist()
    for place, topic in enumerate(scores.topics[:upto].tolist()):
        if wanted[place]:
            name, row = topic.decode("utf-8", "surrogateescape"), values[place]
            yield "".join(
                f"{label}{name}\t{form % row[column] if column >= 0 else strings[place]}\n" for label, column, form in shown
            )


def summary_text(scores: Scores, run: int, lines: Sequence[Line]) -> str:
    """The lines over all topics."""
    means = dict(zip(map(str, scores.measures), scores.means[run].tolist(), strict=True))
    return "".join(
        f"{line.name:<22}\tall\t{_format(line.measure) % means[str(line.measure)] if line.measure else scores.tags[run]}\n"
        for line in lines
        if line.in_summary
    )


def _format(measure: Measure | None) -> str:
    """As trec_eval's %6.4f, which would pad the "nan" of what is undefined."""
    return "%.0f" if measure and measure.definition.summary == "sum" else "%.4f"


def relstrings(judged: Judged, length: int) -> list[str]:
    """For each row the grades of its first documents, a character each, between single quotes.

    ">" is a grade above 9, "-" a document that is not in the qrels, "." one with a negative grade.
    """
    codes = np.full((judged.size, length), _NOT_POOLED, np.uint8)
    inside = judged.ranks <= length
    grades = judged.grades[inside]
    letters = np.where(grades < 0, _NOT_JUDGED, np.where(grades > 9, _BEYOND, ord("0") + grades))
    codes[judged.rows[inside], judged.ranks[inside] - 1] = letters
    texts = codes.tobytes().decode("ascii")
    lengths = np.minimum(judged.num_ret, length).tolist()
    return [f"'{texts[row * length : row * length + taken]}'" for row, taken in enumerate(lengths)]
