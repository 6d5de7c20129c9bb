"""Releases against their digests, and scores against what runs and qrels give."""

from collections.abc import Iterator

import numpy as np

from config.doctor import Fault, count_faults, examines, file_faults
from evaluation import selectors
from evaluation.core.evaluate import evaluate_rankings
from evaluation.models import Release, Score, ScoreArchive, ScoreFile
from pooling import selectors as pooling


@examines("releases")
def _releases() -> Iterator[Fault]:
    for release in Release.objects.select_related("collection"):
        where, what = release.collection.slug, f"release {release.number}"
        faults = list(file_faults(where, f"qrels of {what}", release.path, release.sha256))
        yield from faults
        if not faults:
            there = len(selectors.qrels(release).grades)
            yield from count_faults(where, f"{what}, judged documents", release.counts["items"], there)
        if release.archive:
            yield from file_faults(where, f"archive of {what}", release.archive, release.archive_sha256)
    for archive in ScoreArchive.objects.select_related("release__collection"):
        what = f"scores of release {archive.release.number}, version {archive.version}"
        yield from file_faults(archive.release.collection.slug, what, archive.path, archive.sha256)


@examines("scores")
def _scores() -> Iterator[Fault]:
    """Evaluated anew, of runs that were not submitted again since: equal to the last bit."""
    for file in ScoreFile.objects.select_related("release__collection", "run__upload").order_by("release", "run"):
        where, what = file.release.collection.slug, f"scores of {file.run.tag} under release {file.release.number}"
        if file.run_sha256 != file.run.upload.sha256:
            continue
        try:
            table = selectors.table(file)
            qrels, given = selectors.judged(file.release)
            ranked = pooling.rankings(file.run)
        except (OSError, ValueError) as error:
            yield Fault(where, what, "their files", str(error))
            continue
        again = evaluate_rankings(qrels, [ranked], list(table.names), rel=int(table.rel.item()), given=given)
        odd = [row for row, values in enumerate(again.values[0]) if not _equal(values, table.values[row])]
        stored = dict(Score.objects.filter(release=file.release, run=file.run).values_list("measure", "mean"))
        odd += [row for row, name in enumerate(table.names) if not _equal(table.means[row], stored.get(name, np.nan))]
        if odd:
            yield Fault(
                where, what, "as evaluated anew", f"others of {', '.join(table.names[row] for row in sorted(set(odd)))}"
            )


def _equal(one: object, other: object) -> bool:
    return bool(np.array_equal(np.asarray(one, np.float64), np.asarray(other, np.float64), equal_nan=True))
