"""Pools, planner and rank matrix beside trectools' pool maker: the same runs, equal pools, then times.

Ours begins with stored runs on disk; trectools begins with runs that it has read already, which is in its favour. Tools take
turns, so that what else the machine does falls on both; the median of the turns counts. What takes milliseconds, and the start
of a command, is told by the processor's time: on a clock, whatever else the machine does would be most of it.
"""

import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.goals import Goal, status
from pooling.core import planning, strategies
from pooling.core.matrix import RankMatrix
from pooling.core.rankings import Rankings
from pooling.core.run_stream import check_file
from pooling.core.runs import write_run

RUNS, TOPICS, RESULTS, CANDIDATES, DEPTH, TURNS = 50, 50, 1000, 3000, 100, 5
MANY_TURNS = 25  # of what takes milliseconds
MORE = 10  # runs that are added one after the other, since one alone takes but a millisecond

Clock = Callable[[], float]


def make_runs(folder: Path) -> list[Path]:
    """Systems that see the same relevance through noise of their own, so that their rankings overlap as real ones do."""
    rng, paths = np.random.default_rng(2026), []
    worth = rng.gumbel(size=(TOPICS, CANDIDATES))
    numbers = np.repeat(np.array([b"%d" % (301 + topic) for topic in range(TOPICS)]), RESULTS)
    for run in range(RUNS + MORE):
        scores = worth + rng.normal(scale=rng.uniform(0.3, 1.5), size=worth.shape)
        best = np.argsort(-scores, axis=1)[:, :RESULTS]
        docnos = np.array([b"FBIS%d-%05d" % (topic % 7, doc) for topic in range(TOPICS) for doc in best[topic]])
        column = np.take_along_axis(scores, best, axis=1).ravel()
        rankings = Rankings.build(f"run{run:02}", numbers, docnos, column)
        (folder / f"run{run:02}.txt").write_bytes(write_run(rankings))
        (folder / f"run{run:02}.npz").write_bytes(rankings.to_bytes())
        paths.append(folder / f"run{run:02}")
    return paths


def stored(path: Path) -> Rankings:
    return Rankings.from_bytes(path.with_suffix(".npz").read_bytes())


def matrix(paths: list[Path]) -> RankMatrix:
    return RankMatrix.build(map(stored, paths), DEPTH)


def grown(matrix: RankMatrix, paths: list[Path]) -> RankMatrix:
    """With runs more, one after the other as they come in."""
    for path in paths:
        matrix = matrix.extended(stored(path))
    return matrix


def pool(paths: list[Path]) -> planning.Pool:
    return planning.pool_of(strategies.choose(matrix(paths), "depth", {"depth": DEPTH}))


def plan(paths: list[Path]) -> planning.PoolSizes:
    """Every depth at once, and who contributes what at the deepest."""
    found = matrix(paths)
    planning.contributions(strategies.choose(found, "depth", {"depth": DEPTH}))
    return planning.pool_sizes(found, range(1, DEPTH + 1))


def trectools(paths: list[Path]) -> tuple[Callable[[], Any], Callable[[Any], set[tuple[str, str]]]]:
    from trectools import TrecPoolMaker, TrecRun

    runs = [TrecRun(str(path.with_suffix(".txt"))) for path in paths]

    def pairs(found: Any) -> set[tuple[str, str]]:
        return {(str(topic), str(docno)) for topic, docnos in found.pool.items() for docno in docnos}

    return lambda: TrecPoolMaker().make_pool(runs, strategy="topX", topX=DEPTH), pairs


def evaluation(path: Path) -> Callable[[], object]:
    """trec_eval's reading and evaluation of a run, by way of pytrec_eval; some of its documents are judged."""
    import pytrec_eval

    lines = path.read_text().splitlines()[::20]
    qrels = path.with_suffix(".qrels")
    qrels.write_text("".join(f"{line.split()[0]} 0 {line.split()[2]} 1\n" for line in lines))

    def act() -> object:
        with qrels.open() as judged, path.open() as run:
            evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(judged), {"map", "ndcg", "P", "recall"})
            return evaluator.evaluate(pytrec_eval.parse_run(run))

    return act


def seconds(act: Callable[[], object], clock: Clock) -> float:
    begin = clock()
    act()
    return clock() - begin


def in_turns(*acts: Callable[[], object], turns: int = TURNS, clock: Clock = time.perf_counter) -> list[float]:
    times = [[seconds(act, clock) for act in acts] for _ in range(turns)]
    return [statistics.median(column) for column in zip(*times, strict=True)]


def of_children() -> float:
    """Seconds of the processor that ended children took."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def start_up(path: Path) -> tuple[float, float]:
    """`assize pool` on a small file, and Python alone."""
    small = path.with_name("small.txt")
    small.write_text("1 Q0 d1 1 2.0 t\n")
    ours = [str(Path(sys.executable).with_name("assize")), "pool", str(small)]
    run, bare = in_turns(
        lambda: subprocess.run(ours, check=True, capture_output=True),
        lambda: subprocess.run([sys.executable, "-c", "pass"], check=True),
        clock=of_children,
    )
    return run, bare


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="assize-bench-") as name:
        paths = make_runs(Path(name))
        fifty, more = paths[:RUNS], paths[RUNS:]
        theirs, pairs = trectools(fifty)
        ours = pool(fifty)
        mine = {
            (topic.decode(), docno.decode()) for topic, docno in zip(ours.topics.tolist(), ours.docnos.tolist(), strict=True)
        }
        if mine != pairs(theirs()):
            raise SystemExit("the two pools differ; nothing was timed")
        one, all_depths, other = in_turns(lambda: pool(fifty), lambda: plan(fifty), theirs)
        built: list[RankMatrix] = []  # and kept: giving their memory back is no part of either
        building, adding = in_turns(
            lambda: built.append(matrix(fifty)),
            lambda: built.append(grown(built[-1], more)),
            turns=MANY_TURNS,
            clock=time.process_time,
        )
        adding /= MORE
        built.clear()
        sent = paths[0].with_suffix(".txt")
        parsing, evaluating = in_turns(
            lambda: check_file(lambda: sent.open("rb")), evaluation(sent), turns=MANY_TURNS, clock=time.process_time
        )
        run, bare = start_up(paths[0])
    print(
        f"\nPools, Python {platform.python_version()}: {RUNS} runs × {TOPICS} topics × {RESULTS:,} results, {len(mine):,} items at depth {DEPTH}"
    )
    print(
        f"pool {one:.3f} s, plan {all_depths:.3f} s, trectools {other:.3f} s; matrix {building:.3f} s, a run more {adding * 1000:.1f} ms"
    )
    print(
        f"check and order a run {parsing:.3f} s, trec_eval {evaluating:.3f} s; `assize pool` {run:.2f} s, Python alone {bare:.2f} s"
    )
    goals = [
        Goal("trectools' pool ÷ ours from stored runs", other / one, 20),
        Goal("plan of all depths ÷ one pool", all_depths / one, 2, least=False),
        Goal("building the matrix of 50 runs ÷ adding one more", building / adding, 50),
        Goal("trec_eval's evaluation of a run ÷ our check and order of it", evaluating / parsing, 3),
        Goal("start of `assize pool` beyond Python's own, seconds", run - bare, 0.5, least=False),
    ]
    print(*goals, sep="\n")
    sys.exit(status(goals))


if __name__ == "__main__":
    main()
