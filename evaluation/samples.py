"""A sampled pool in a release: every document that could have been drawn, with stratum, probability and grade."""

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from config import store
from evaluation.core.judged import Given
from evaluation.core.qrels import Qrels
from evaluation.core.sampled_files import judged_sample
from evaluation.models import Release
from pooling.core.qrels import QrelsColumns
from pooling.core.sampled_qrels import (
    AP_WEIGHTED,
    NOT_SAMPLED,
    UNIFORM,
    SampledQrels,
    read_sampled,
    write_prels,
    write_strata,
)
from pooling.models import Collection, Pool

FILES = {
    "sampled-qrels.txt": "judgments of the sampled round: topic 0 docno stratum grade; -1: could have been drawn, and was not, or is not judged",
    "prels.txt": "the same by probabilities: topic docno grade method probability; what was drawn and judged",
}
BY_WEIGHT = "ap-weighted"
WITHOUT_STRATA = (BY_WEIGHT, "prels")  # of which a release has probabilities alone; prels: a file of another place


@dataclass(frozen=True)
class Sample:
    """What a release tells of its sample, and the files that go with it."""

    about: dict[str, object]
    files: dict[str, bytes]


def sampled_round(collection: Collection) -> Pool | None:
    return next((pool for pool in collection.pools.filter(drawn_at__isnull=False) if pool.kind == "sampled"), None)


def read(
    collection: Collection, topics: NDArray[np.bytes_], docnos: NDArray[np.bytes_], grades: NDArray[np.int64]
) -> Sample | None:
    """Of a collection with a sampled round: its documents with the final grades of this moment."""
    pool = sampled_round(collection)
    if pool is None:
        return None
    pairs = zip(topics.tolist(), docnos.tolist(), strict=True)
    graded = dict(zip(pairs, grades.tolist(), strict=True))
    drawn = pool.items.values_list("topic__number", "docno", "stratum", "inclusion")
    others = pool.not_drawn.values_list("topic__number", "docno", "stratum")
    rows = [(n.encode(), d.encode(), s, p) for n, d, s, p in drawn] + [(n.encode(), d.encode(), s, 0.0) for n, d, s in others]
    names, numbers = np.array([row[0] for row in rows], np.bytes_), np.array([row[1] for row in rows], np.bytes_)
    known = np.array([graded.get(row[:2], NOT_SAMPLED) for row in rows], np.int64)
    strata, chances = np.array([row[2] for row in rows], np.int64), np.array([row[3] for row in rows])
    method = AP_WEIGHTED if pool.strategy == BY_WEIGHT else UNIFORM
    files = {"prels.txt": write_prels(names, numbers, known, chances, method)}
    if pool.strategy != BY_WEIGHT:  # its probabilities are of each document, not of a stratum
        files["sampled-qrels.txt"] = write_strata(names, numbers, strata, known)
    main = files.get("sampled-qrels.txt", files["prels.txt"])
    facts = {"round": pool.round, "strategy": pool.strategy, "sha256": hashlib.sha256(main).hexdigest()}
    by_strata = None if pool.strategy == BY_WEIGHT else strata
    return Sample({**facts, **_told(collection, known, by_strata)}, files)


def _told(collection: Collection, grades: NDArray[np.int64], strata: NDArray[np.int64] | None) -> dict[str, object]:
    """How much was drawn: estimates rest on the relevant ones among it."""
    relevant = int((grades >= collection.lenient_from).sum())
    told: dict[str, object] = {"judged": int((grades >= 0).sum()), "relevant": relevant, "pooled": len(grades)}
    return told if strata is None else {**told, "strata": len(np.unique(strata))}


def counted(sample: Sample) -> dict[str, Any]:
    """What the release's counts say of it: by that it is decided which measures are shown."""
    return {"sample": sample.about["strategy"], "strata": sample.about.get("strata")}


def imported(collection: Collection, sample: SampledQrels, columns: QrelsColumns) -> Sample:
    """Of a file, checked and with the collection's grades: the same files as a release of a sampled round has."""
    grades = np.where(columns.grades < 0, NOT_SAMPLED, columns.grades)
    if sample.inclusion is not None and sample.methods is not None:
        prels = write_prels(columns.topics, columns.docnos, grades, sample.inclusion, sample.methods)
        facts = {"strategy": "prels", "sha256": hashlib.sha256(prels).hexdigest(), **_told(collection, grades, None)}
        return Sample(facts, {"prels.txt": prels})
    strata = np.zeros(len(grades), np.int64) if sample.strata is None else sample.strata + 1
    main = write_strata(columns.topics, columns.docnos, strata, grades)
    known, given = judged_sample(read_sampled(main, "strata"))
    chances = np.zeros(len(grades)) if given.inclusion is None else given.inclusion
    prels = write_prels(known.topics[known.codes], known.docnos, known.grades, chances)
    facts = {"strategy": "strata", "sha256": hashlib.sha256(main).hexdigest(), **_told(collection, grades, strata)}
    return Sample(facts, {"prels.txt": prels, "sampled-qrels.txt": main})


def path(collection: int, sha256: object) -> str:
    return f"files/releases/{collection}/{sha256}.sample"


def main_file(sample: dict[str, object], files: dict[str, bytes]) -> bytes:
    """The file that scores are computed from."""
    return next(data for data in files.values() if hashlib.sha256(data).hexdigest() == sample["sha256"])


def judged(release: Release) -> tuple[Qrels, Given] | None:
    """The sample of a release as an evaluation needs it; None of a release without one."""
    sample = release.about.get("sample")
    if not sample:
        return None
    data = store.path(path(release.collection_id, sample["sha256"])).read_bytes()
    return judged_sample(read_sampled(data, "prels" if sample["strategy"] in WITHOUT_STRATA else "strata"))
