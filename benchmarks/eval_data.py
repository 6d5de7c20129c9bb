"""Runs and qrels of four sizes, made from a seed: the same files every time."""

from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

FOLDER = Path("build") / "bench"
VERSION = 1  # of the recipe below; files of another are made anew


@dataclass(frozen=True)
class Size:
    name: str
    runs: int
    topics: int
    depth: int
    judged: int
    documents: int

    @property
    def lines(self) -> int:
        return self.runs * self.topics * self.depth


SIZES = {
    "S": Size("S", 1, 50, 1000, 1000, 500_000),
    "M": Size("M", 50, 50, 1000, 1000, 500_000),
    "L": Size("L", 1, 6980, 1000, 2, 8_800_000),
    "W": Size("W", 1, 6980, 1000, 2, 8_800_000),  # as L, and the worst for memory: long names, no document twice, topics mixed
}


def material(size: Size) -> tuple[Path, list[Path]]:
    """The files of a size, made if they are not there."""
    folder = FOLDER / f"{size.name}-{VERSION}-{size.topics}"
    qrels, runs = folder / "qrels.txt", [folder / f"run{number:02}.txt" for number in range(size.runs)]
    if not (folder / "complete").exists():
        folder.mkdir(parents=True, exist_ok=True)
        if size.topics < SIZES[size.name].topics:
            _cut(size, folder)
        else:
            rng = np.random.default_rng(42)
            pools = _write_qrels(size, qrels, rng)
            for number, path in enumerate(runs):
                _write_run(size, path, f"run{number:02}", pools, rng)
        (folder / "complete").touch()
    return qrels, runs


def _cut(size: Size, folder: Path) -> None:
    """The first topics of the whole size's files."""
    whole, runs = material(SIZES[size.name])
    for source, lines in ((whole, size.judged * size.topics), *((run, size.depth * size.topics) for run in runs)):
        with source.open() as file:
            (folder / source.name).write_text("".join(islice(file, lines)))


def _name(size: Size, number: int) -> str:
    if size.name == "W":
        return f"msmarco_passage_{number % 70:02}_{number:09}"
    return f"{number}" if size.documents > 1_000_000 else f"DOC-{number:06}"


def _topics(size: Size) -> list[int]:
    """Their numbers, ascending, or mixed and of one to seven digits."""
    if size.name == "W":
        return [int(number) for number in np.random.default_rng(7).choice(2_000_000, size.topics, replace=False)]
    return list(range(1001, 1001 + size.topics))


def _write_qrels(size: Size, path: Path, rng: np.random.Generator) -> list[list[int]]:
    """Judged documents of each topic; a tenth of them relevant, or all where there are few, grades 0 to 3."""
    pools = []
    with path.open("w") as file:
        for topic in _topics(size):
            pool = rng.choice(size.documents, size.judged, replace=False)
            shares = [0.0, 0.8, 0.15, 0.05] if size.judged < 10 else [0.9, 0.06, 0.03, 0.01]
            grades = rng.choice(4, size.judged, p=shares)
            file.writelines(f"{topic} 0 {_name(size, d)} {g}\n" for d, g in zip(pool.tolist(), grades.tolist(), strict=True))
            pools.append(pool.tolist())
    return pools


def _write_run(size: Size, path: Path, tag: str, pools: list[list[int]], rng: np.random.Generator) -> None:
    """About a third of the ranking comes out of the pool (or one document), the rest from anywhere; some scores are tied."""
    with path.open("w") as file:
        unused = rng.permutation(size.documents) if size.name == "W" else None
        for place, (topic, pool) in enumerate(zip(_topics(size), pools, strict=True)):
            known = rng.permutation(pool)[: max(1, size.depth // 3)]
            if unused is None:
                others = rng.integers(0, size.documents, size.depth * 11 // 10)
            else:
                others = unused[place * size.depth : (place + 1) * size.depth]
            documents = np.fromiter(dict.fromkeys([*known.tolist(), *others.tolist()]), np.int64)[: size.depth]
            documents = documents[np.argsort(rng.random(len(documents)) - 0.2 * np.isin(documents, known))]
            scores = np.round(np.sort(rng.gamma(2, 5, len(documents)))[::-1], 4 if rng.random() < 0.9 else 2)
            rows = zip(documents.tolist(), scores.tolist(), strict=True)
            lines = [f"{topic} Q0 {_name(size, d)} {rank} {score} {tag}\n" for rank, (d, score) in enumerate(rows, 1)]
            file.writelines(lines)
