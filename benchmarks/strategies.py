"""What each strategy finds on a judged collection: the tables of docs/pooling.md.

    python -m benchmarks.strategies NAME QRELS RUN [RUN …] [--budget N] [--rel GRADE] [--complete DEPTH]

`--complete`: the qrels list what is relevant, everything else down to this depth of some run is not.

Prints Markdown: judgments needed for 80 % of the relevant documents, relevant documents found after some numbers of judgments
of each topic, tau of the order of the runs against all judgments, and the largest change of a run's AP.
"""

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evaluation.core.matrix import NOT_IN_QRELS, StoredRuns
from evaluation.core.simulation import Compared, compare
from pooling.core.packed import unpacked
from pooling.core.qrels import read_qrels
from pooling.core.runs import read_run
from pooling.core.strategies import STRATEGIES

MARKS = (5, 10, 20, 50, 100)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name")
    parser.add_argument("qrels", type=Path)
    parser.add_argument("runs", type=Path, nargs="+")
    parser.add_argument("--budget", type=int, default=50)
    parser.add_argument("--rel", type=int, default=1)
    parser.add_argument("--complete", type=int, default=0)
    options = parser.parse_args()
    stored, grades = judged_collection(sorted(options.runs), options.qrels, options.complete)
    names = [name for name, one in STRATEGIES.items() if one.kind != "sampled" and name != "cal"]
    total, found_by = compare(stored, grades, names, budget=options.budget, rel=options.rel, seed=1)
    judged = int((grades != NOT_IN_QRELS).sum())
    print(
        f"**{options.name}**: {len(stored.matrix.tags)} runs, {len(stored.matrix.topics)} topics, {judged:,} judged documents that some run has, {total:,} of them relevant.\n"
    )
    bases = [next(one for one in found_by if one.name == name) for name in ("depth", "take")]
    print(
        "| strategy | judgments for 80 % | against depth-k | against best rank | "
        + " | ".join(f"found at {mark}" for mark in MARKS)
        + f" | τ at {options.budget} | largest change of AP |"
    )
    print("|---" * (len(MARKS) + 6) + "|")
    for one in found_by:
        print(_row(one, bases, total))


def judged_collection(runs: list[Path], qrels: Path, complete: int = 0) -> tuple[StoredRuns, NDArray[np.int64]]:
    """The runs, and the grade of each of their documents."""
    rankings = []
    for path in runs:
        found, _, report = read_run(unpacked(path.read_bytes()), max_per_topic=10**9)
        if found is None:
            raise SystemExit(f"{path}: {report.findings[:1]}")
        rankings.append(found)
    columns, _ = read_qrels(unpacked(qrels.read_bytes()))
    if columns is None:
        raise SystemExit(f"{qrels}: expected qrels")
    stored = StoredRuns.build(rankings)
    items = stored.matrix.find(columns.topics, columns.docnos)
    grades = np.full(len(stored.matrix) + 1, NOT_IN_QRELS)
    within = (stored.matrix.best().rank <= complete) if complete else np.ones(len(stored.matrix), bool)
    if complete:
        grades[:-1][within] = 0
    known = (items >= 0) & (columns.grades >= 0) & np.append(within, False)[items]
    grades[items[known]] = columns.grades[known]
    return stored, grades[:-1]


def _row(one: Compared, bases: list[Compared], total: int) -> str:
    gains = []
    for base in bases:
        known = one.to_enough and base.to_enough and one is not base
        gains.append(f"{100 * (one.to_enough / base.to_enough - 1):+.0f} %" if known else "")  # type: ignore[operator]
    marks = [f"{100 * one.relevant[min(mark, len(one.relevant)) - 1] / total:.0f} %" for mark in MARKS]
    tau = "–" if one.tau is None else f"{one.tau:.3f}"
    needed = f"{one.to_enough:,}" if one.to_enough else "–"
    return f"| `{one.name}` | {needed} | {' | '.join(gains)} | {' | '.join(marks)} | {tau} | {np.abs(one.bias).max():.3f} |"


if __name__ == "__main__":
    main()
