"""Scores and qrels as files for other programs."""

import csv
import io
from collections.abc import Iterator
from typing import TypeVar

import numpy as np
from django.conf import settings
from django.http import FileResponse, HttpResponse, StreamingHttpResponse

from config import http
from config.errors import Refusal
from evaluation import selectors
from evaluation.core.registry import parse_measure
from evaluation.core.trec_output import trec_eval_text
from evaluation.models import Release, ScoreFile
from pooling.core.qrels import write_qrels
from pooling.services.collections import safe_cell

Answer = TypeVar("Answer", HttpResponse, StreamingHttpResponse)
VIEWS = ("graded", "lenient", "strict")


def file_name(release: Release, what: str) -> str:
    return f"{release.collection.slug}-release-{release.number}{what}"


def qrels(release: Release, view: str = "graded") -> bytes:
    """The frozen file as it is, or with grades from a threshold on as 1 and all others as 0."""
    if view not in VIEWS:
        raise Refusal(f"Expected a view among {', '.join(VIEWS)}; found “{view}”.")
    if view == "graded":
        return (settings.DATA / release.path).read_bytes()
    found = selectors.qrels(release)
    grades = (found.grades >= release.counts[f"{view}_from"]).astype(np.int64)
    return write_qrels(found.topics[found.codes], found.docnos, grades)


def qrels_file(release: Release, view: str = "graded") -> FileResponse | HttpResponse:
    if view in {"", "graded"}:
        return http.download(settings.DATA / release.path, file_name(release, ".qrels"))
    return _attached(HttpResponse(qrels(release, view), content_type="text/plain"), file_name(release, f"-{view}.qrels"))


def means_csv(release: Release) -> str:
    """Runs × measures, every digit; both views."""
    names = [*map(str, selectors.measures(release)), selectors.JUDGED]
    lines = [["run", "group", "kind", *names]]
    for file, means in selectors.means(release):
        cells = [repr(means[name]) if name in means else "" for name in names]
        lines.append([safe_cell(file.run.tag), safe_cell(file.run.group), file.run.kind, *cells])
    return _csv(lines)


def topics_csv(release: Release) -> Iterator[str]:
    """run, topic, measure, value: a piece for each run."""
    yield _csv([["run", "topic", "measure", "value"]])
    for run, scores in selectors.per_topic(release):
        tag = safe_cell(run.tag)
        topics = [safe_cell(topic.decode()) for topic in scores.topics.tolist()]
        rows = zip(scores.names, scores.values.tolist(), strict=True)
        yield _csv([[tag, topic, name, repr(value)] for name, row in rows for topic, value in zip(topics, row, strict=True)])


def trec_eval(file: ScoreFile) -> str:
    """One run's scores as `trec_eval -q -c` prints them, in the lenient view: its names know no other threshold."""
    scores = selectors.table(file)
    found = scores.scores(file.run.tag, [name for name in scores.names if parse_measure(name).rel is None])
    means = trec_eval_text(found, 0, per_topic=False)
    topics = trec_eval_text(found, 0).removesuffix(means)
    return f"{topics}{'runid':<22}\tall\t{file.run.tag}\n{'num_q':<22}\tall\t{len(found.topics)}\n{means}"


def means_file(release: Release) -> HttpResponse:
    return _attached(HttpResponse(means_csv(release), content_type="text/csv"), file_name(release, "-scores.csv"))


def topics_file(release: Release) -> StreamingHttpResponse:
    answer = StreamingHttpResponse(topics_csv(release), content_type="text/csv")
    return _attached(answer, file_name(release, "-topics.csv"))


def trec_eval_file(release: Release, file: ScoreFile) -> HttpResponse:
    name = file_name(release, f"-{file.run.tag}.txt")
    return _attached(HttpResponse(trec_eval(file), content_type="text/plain"), name)


def _attached(answer: Answer, name: str) -> Answer:
    """Names are made of slugs, numbers and tags: nothing in them needs quoting."""
    answer["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer


def _csv(rows: list[list[str]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
