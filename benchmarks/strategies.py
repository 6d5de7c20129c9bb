"""What each strategy finds on a judged collection: the tables of docs/pooling.md.

    python -m benchmarks.strategies NAME QRELS RUN [RUN …] [--budget N] [--rel GRADE] [--complete DEPTH]

`--complete`: the qrels list what is relevant, everything else down to this depth of some run is not.

Prints Markdown: judgments needed for 80 % of the relevant documents, relevant documents found after some numbers of judgments
of each topic, tau of the order of the runs against all judgments, and the largest change of a run's AP.
"""

import argparse
from pathlib import Path

import numpy as np

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
    rankings = []
    for path in sorted(options.runs):
        found, _, report = read_run(unpacked(path.read_bytes()), max_per_topic=10**9)
        if found is None:
            raise SystemExit(f"{path}: {report.findings[:1]}")
        rankings.append(found)
    columns, _ = read_qrels(unpacked(options.qrels.read_bytes()))
    if columns is None:
        raise SystemExit(f"{options.qrels}: expected qrels")
    stored = StoredRuns.build(rankings)
    items = stored.matrix.find(columns.topics, columns.docnos)
    grades = np.full(len(stored.matrix) + 1, NOT_IN_QRELS)
    grades[:-1][stored.matrix.best().rank <= options.complete] = 0
    within = (stored.matrix.best().rank <= options.complete) if options.complete else np.ones(len(stored.matrix), bool)
    known = (items >= 0) & (columns.grades >= 0) & np.append(within, False)[items]
    grades[items[known]] = columns.grades[known]
    names = [name for name, one in STRATEGIES.items() if one.kind != "sampled" and name not in ("cal", "depth")]
    total, found_by = compare(stored, grades[:-1], names, budget=options.budget, rel=options.rel, seed=1)
    judged = int((grades[:-1] != NOT_IN_QRELS).sum())
    print(
        f"**{options.name}**: {len(rankings)} runs, {len(stored.matrix.topics)} topics, {judged:,} judged documents that some run has, {total:,} of them relevant.\n"
    )
    base = next(one for one in found_by if one.name == "take")
    print(
        "| strategy | judgments for 80 % | against best rank | "
        + " | ".join(f"found at {mark}" for mark in MARKS)
        + f" | τ at {options.budget} | largest change of AP |"
    )
    print("|---" * (len(MARKS) + 5) + "|")
    for one in found_by:
        print(_row(one, base, total))


def _row(one: Compared, base: Compared, total: int) -> str:
    gain = ""
    if one.to_enough and base.to_enough and one is not base:
        gain = f"{100 * (one.to_enough / base.to_enough - 1):+.0f} %"
    marks = [f"{100 * one.relevant[min(mark, len(one.relevant)) - 1] / total:.0f} %" for mark in MARKS]
    tau = "–" if one.tau is None else f"{one.tau:.3f}"
    needed = f"{one.to_enough:,}" if one.to_enough else "–"
    return f"| `{one.name}` | {needed} | {gain} | {' | '.join(marks)} | {tau} | {np.abs(one.bias).max():.3f} |"


if __name__ == "__main__":
    main()
