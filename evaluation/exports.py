"""Scores and qrels as files for other programs."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np
from django.http import FileResponse, Http404, HttpResponse, StreamingHttpResponse
from numpy.typing import NDArray

from config import http, store
from config.expected import require_one_of
from evaluation import columns, selectors
from evaluation.boards import Board, document, topic_place
from evaluation.core.evaluate import Scores
from evaluation.core.trec_output import trec_eval_text
from evaluation.models import Release, ScoreArchive, ScoreFile, Seen
from evaluation.score_files import ScoreTable
from evaluation.standings import Entry, Standing
from pooling import tables
from pooling.core.qrels import write_qrels
from pooling.services.collections import safe_cell
from pooling.tables import written_csv

Answer = TypeVar("Answer", HttpResponse, StreamingHttpResponse)
VIEWS = ("graded", "lenient", "strict")


def file_name(release: Release, what: str) -> str:
    return f"{release.collection.slug}-release-{release.number}{what}"


def qrels(release: Release, view: str = "graded") -> bytes:
    """The frozen file as it is, or with grades from a threshold on as 1 and all others as 0."""
    require_one_of("view", view, VIEWS)
    if view == "graded":
        return store.path(release.path).read_bytes()
    found = selectors.qrels(release)
    grades = (found.grades >= release.counts[f"{view}_from"]).astype(np.int64)
    return write_qrels(found.topics[found.codes], found.docnos, grades)


def qrels_file(release: Release, view: str = "graded") -> FileResponse | HttpResponse:
    if view in {"", "graded"}:
        return http.download(store.path(release.path), file_name(release, ".qrels"), "text/plain")
    return attached(HttpResponse(qrels(release, view), content_type="text/plain"), file_name(release, f"-{view}.qrels"))


def archive_file(release: Release) -> FileResponse:
    """All files of a release; one of before there were archives has none."""
    if not release.archive:
        raise Http404(f"Release {release.number} was frozen without an archive.")
    return http.download(store.path(release.archive), file_name(release, ".zip"), http.ZIP)


def score_archive(release: Release) -> ScoreArchive | None:
    """The newest version, for who may see all runs by name."""
    return release.score_archives.first() if release.collection.scores_seen[0] == Seen.ALL else None


def score_archive_file(release: Release) -> FileResponse:
    """The newest version of the archive of its scores."""
    found = release.score_archives.first()
    if found is None:
        raise Http404(f"There are no scores under release {release.number} yet.")
    return http.download(store.path(found.path), file_name(release, f"-scores-{found.version}.zip"), http.ZIP)


Line = tuple[str, str, str, Sequence[float | None], Sequence[str]]  # tag, group, kind, values, origin
Piece = tuple[
    str, Sequence[str], NDArray[np.bytes_], NDArray[np.float64], Sequence[str]
]  # tag, measures, topics, values, origin
ORIGIN = ("sha256", "release", "version")  # of the run, of the qrels, of Assize: what every score names


def means_csv(standing: Standing) -> str:
    """Runs × measures, every digit; both views."""
    entries = ((standing.entries[place], standing.means[place].tolist()) for place in standing.seen)
    return _means_csv(standing.names, [(one.tag, one.group, one.kind, means, _origin(standing, one)) for one, means in entries])


def _origin(standing: Standing, entry: Entry) -> Sequence[str]:
    return entry.sha256, standing.which, entry.version


def _means_csv(names: Sequence[str], lines: Iterable[Line]) -> str:
    rows = [["run", "group", "kind", *names, *ORIGIN]]
    for tag, group, kind, values, origin in lines:
        rows.append([safe_cell(tag), safe_cell(group), kind, *map(_number, values), *origin])
    return written_csv(rows)


def topics_csv(standing: Standing) -> Iterator[str]:
    """run, topic, measure, value and where they come from: a piece for each run."""
    names, topics = standing.names[:-1], standing.topics
    entries = ((place, standing.entries[place]) for place in standing.seen)
    return _topics_csv((one.tag, names, topics, standing.values[at], _origin(standing, one)) for at, one in entries)


def _topics_csv(pieces: Iterable[Piece]) -> Iterator[str]:
    yield written_csv([["run", "topic", "measure", "value", *ORIGIN]])
    for run, names, topics, values, origin in pieces:
        tag, numbers = safe_cell(run), [safe_cell(topic.decode()) for topic in topics.tolist()]
        rows = zip(names, values.tolist(), strict=True)
        yield written_csv(
            [
                [tag, topic, name, _number(value), *origin]
                for name, row in rows
                for topic, value in zip(numbers, row, strict=True)
            ]
        )


def _number(value: float | None) -> str:
    """Every digit; empty where there is none."""
    return "" if value is None or value != value else repr(value)


def trec_eval(found: Scores, *, per_topic: bool = True) -> str:
    """One run's scores as `trec_eval -q -c` prints them; in the strict view as with -l, since its names know no threshold."""
    means = _means_text(found)
    topics = trec_eval_text(found, 0).removesuffix(means) if per_topic else ""
    return f"{topics}{'runid':<22}\tall\t{found.tags[0]}\n{'num_q':<22}\tall\t{len(found.topics)}\n{means}"


def score_files(release: Release, rows: Sequence[tuple[ScoreFile, ScoreTable, Mapping[str, float]]]) -> dict[str, bytes]:
    """The files of the archive of a release's scores."""
    names = [*map(str, columns.measures(release.collection, release.counts)), columns.JUDGED]
    origins = {file.run_id: (file.run_sha256, str(release.number), file.version) for file, _table, _means in rows}
    listed = [["tag", "group", "kind", "sha256", "version"]]
    listed += [
        [safe_cell(one.run.tag), safe_cell(one.run.group), one.run.kind, one.run_sha256, one.version]
        for one, _table, _means in rows
    ]
    title, number = release.collection.name, release.number
    versions = ", ".join(sorted({file.version for file, _table, _means in rows} - {""})) or "unknown"
    about = (
        f"# {title}, release {number}: scores\n\n"
        f"{len(rows):,} runs, scored against the qrels with SHA-256 {release.sha256}.\n"
        f"Computed with Assize {versions}.\n"
        f"Relevant from grade {release.counts['lenient_from']}; AP(rel=2) is AP with grades from 2 on as relevant.\n\n"
        "- `scores.csv`: runs × measures\n- `topics.csv`: run, topic, measure, value\n"
        "- `trec_eval/TAG.txt`: as trec_eval -q -c prints it\n- `runs.csv`: the runs, with the SHA-256 of their files and the version that scored them\n"
    )
    files = {
        "README.md": about.encode(),
        "runs.csv": written_csv(listed).encode(),
        "scores.csv": _means_csv(
            names,
            ((f.run.tag, f.run.group, f.run.kind, [m.get(n) for n in names], origins[f.run_id]) for f, _t, m in rows),
        ).encode(),
        "topics.csv": "".join(
            _topics_csv((f.run.tag, t.names, t.topics, t.values, origins[f.run_id]) for f, t, _m in rows)
        ).encode(),
    }
    return files | {f"trec_eval/{f.run.tag}.txt": trec_eval(table.scores(f.run.tag)).encode() for f, table, _means in rows}


def means_file(standing: Standing) -> HttpResponse:
    return attached(HttpResponse(means_csv(standing), content_type="text/csv"), standing_name(standing, "-scores.csv"))


def topics_file(standing: Standing) -> StreamingHttpResponse:
    answer = StreamingHttpResponse(topics_csv(standing), content_type="text/csv")
    return attached(answer, standing_name(standing, "-topics.csv"))


def trec_eval_file(standing: Standing, tag: str, *, strict: bool = False) -> HttpResponse:
    text = trec_eval(standing.scores(standing.place(tag), strict=strict))
    name = standing_name(standing, f"-{tag}{'-strict' if strict else ''}.txt")
    return attached(HttpResponse(text, content_type="text/plain"), name)


def topic_text(standing: Standing, board: Board, topic: str, *, strict: bool = False) -> str:
    """The scores of each run on one topic, as trec_eval prints a topic's, each run behind its runid."""
    at = topic_place(standing, topic)
    places = {standing.entries[place].pk: place for place in standing.seen}
    parts = []
    for row in board.rows:
        found = standing.scores(places[row.run.pk], strict=strict)
        one = replace(found, topics=found.topics[[at]], values=found.values[:, :, [at]], answered=found.answered[:, [at]])
        parts.append(f"{'runid':<22}\t{topic}\t{row.run.tag}\n{trec_eval_text(one, 0).removesuffix(_means_text(one))}")
    return "".join(parts)


def _means_text(found: Scores) -> str:
    return trec_eval_text(found, 0, per_topic=False)


def board_text(standing: Standing, board: Board, form: str, *, strict: bool = False) -> str:
    """The board as it is shown, filtered and sorted: csv, json, tex, or txt as trec_eval prints the means of each run."""
    if form == "json":
        return json.dumps(document(standing, board), indent=2) + "\n"
    if form == "txt":
        places = {standing.entries[place].pk: place for place in standing.seen}
        return "".join(trec_eval(standing.scores(places[row.run.pk], strict=strict), per_topic=False) for row in board.rows)
    return tables.written(_board_table(standing, board), form)


def _board_table(standing: Standing, board: Board) -> tables.Table:
    head = ["run", "group", "kind", *(column.name for column in board.columns), "missing topics"]
    head += ["interval low", "interval high", "range low", "range high", "p", "same as best"] if board.focus else []
    rows: list[list[object]] = []
    for row in board.rows:
        cells: list[object] = [row.run.tag, row.run.group, row.run.kind, *(cell.value for cell in row.cells), row.missing]
        if board.focus:
            spread = row.spread
            cells += [spread.low, spread.high, spread.least, spread.most] if spread else [None] * 4
            cells += [row.p, "yes" if row.same else "no"]
        rows.append(cells)
    caption = f"{standing.collection.name}, {standing.name}: {board.topics} topics"
    if board.focus:
        told = f"{board.test}{f', {board.correction}' if board.correction else ''}"
        caption += f"; intervals, ranges and tests ({told}) of {board.focus.name}"
    return tables.Table(caption, head, rows, standing.stamp(), [row.run.origin for row in board.rows])


def standing_name(standing: Standing, what: str) -> str:
    which = f"release-{standing.release.number}" if standing.release else "live"
    return f"{standing.collection.slug}-{which}{what}"


def attached(answer: Answer, name: str) -> Answer:
    """Names are made of slugs, numbers and tags: nothing in them needs quoting."""
    answer["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer
