"""Scores and qrels as files for other programs."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

import numpy as np
from django.conf import settings
from django.http import FileResponse, Http404, HttpResponse, StreamingHttpResponse

from config import http
from config.errors import Refusal
from evaluation import selectors
from evaluation.core.registry import parse_measure
from evaluation.core.trec_output import trec_eval_text
from evaluation.models import Release, ScoreFile
from evaluation.score_files import ScoreTable
from pooling.core.qrels import write_qrels
from pooling.models import Run
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


def archive_file(release: Release) -> FileResponse:
    """All files of a release; one of before there were archives has none."""
    if not release.archive:
        raise Http404(f"Release {release.number} was frozen without an archive.")
    return http.download(settings.DATA / release.archive, file_name(release, ".zip"))


def score_archive_file(release: Release) -> FileResponse:
    """The newest version of the archive of its scores."""
    found = release.score_archives.first()
    if found is None:
        raise Http404(f"There are no scores under release {release.number} yet.")
    return http.download(settings.DATA / found.path, file_name(release, f"-scores-{found.version}.zip"))


Means = Iterable[tuple[Run, Mapping[str, float]]]
Tables = Iterable[tuple[Run, ScoreTable]]


def means_csv(release: Release, found: Means | None = None) -> str:
    """Runs × measures, every digit; both views. Of the stored scores, unless others are given."""
    names = [*map(str, selectors.measures(release)), selectors.JUDGED]
    lines = [["run", "group", "kind", *names]]
    stored = ((file.run, means) for file, means in selectors.means(release)) if found is None else found
    for run, means in stored:
        cells = [repr(means[name]) if name in means else "" for name in names]
        lines.append([safe_cell(run.tag), safe_cell(run.group), run.kind, *cells])
    return _csv(lines)


def topics_csv(release: Release, found: Tables | None = None) -> Iterator[str]:
    """run, topic, measure, value: a piece for each run."""
    yield _csv([["run", "topic", "measure", "value"]])
    for run, scores in selectors.per_topic(release) if found is None else found:
        tag = safe_cell(run.tag)
        topics = [safe_cell(topic.decode()) for topic in scores.topics.tolist()]
        rows = zip(scores.names, scores.values.tolist(), strict=True)
        yield _csv([[tag, topic, name, repr(value)] for name, row in rows for topic, value in zip(topics, row, strict=True)])


def trec_eval(file: ScoreFile) -> str:
    return trec_eval_of(file.run.tag, selectors.table(file))


def trec_eval_of(tag: str, scores: ScoreTable) -> str:
    """One run's scores as `trec_eval -q -c` prints them, in the lenient view: its names know no other threshold."""
    found = scores.scores(tag, [name for name in scores.names if parse_measure(name).rel is None])
    means = trec_eval_text(found, 0, per_topic=False)
    topics = trec_eval_text(found, 0).removesuffix(means)
    return f"{topics}{'runid':<22}\tall\t{tag}\n{'num_q':<22}\tall\t{len(found.topics)}\n{means}"


def score_files(release: Release, rows: Sequence[tuple[Run, ScoreTable, Mapping[str, float]]]) -> dict[str, bytes]:
    """The files of the archive of a release's scores."""
    listed = [["tag", "group", "kind", "sha256"]]
    listed += [[run.tag, run.group, run.kind, run.upload.sha256] for run, _table, _means in rows]
    name, number = release.collection.name, release.number
    about = (
        f"# {name}, release {number}: scores\n\n"
        f"{len(rows):,} runs, scored against the qrels with SHA-256 {release.sha256}.\n"
        f"Relevant from grade {release.counts['lenient_from']}; AP(rel=2) is AP with grades from 2 on as relevant.\n\n"
        "- `scores.csv`: runs × measures\n- `topics.csv`: run, topic, measure, value\n"
        "- `trec_eval/TAG.txt`: as trec_eval -q -c prints it\n- `runs.csv`: the runs, with the SHA-256 of their files\n"
    )
    files = {
        "README.md": about.encode(),
        "runs.csv": _csv(listed).encode(),
        "scores.csv": means_csv(release, [(run, means) for run, _table, means in rows]).encode(),
        "topics.csv": "".join(topics_csv(release, [(run, table) for run, table, _means in rows])).encode(),
    }
    return files | {f"trec_eval/{run.tag}.txt": trec_eval_of(run.tag, table).encode() for run, table, _means in rows}


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
