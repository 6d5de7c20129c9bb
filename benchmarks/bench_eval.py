"""Evaluation speed beside other tools: the same files, the same measures, equal scores, then times.

Each tool runs in a process of its own, imports and compilers warmed up before anything is timed. Tools take turns, so that
what else the machine does falls on all of them; the median of the turns counts. Slow ones have fewer.
"""

import argparse
import io
import json
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.eval_data import SIZES, Size, material
from benchmarks.goals import Goal, status

MEASURES = [
    "map", "Rprec", "bpref", "recip_rank", "ndcg", "ndcg_cut_5", "ndcg_cut_10", "ndcg_cut_20", "ndcg_cut_100", "P_5", "P_10",
    "P_20", "P_100", "recall_10", "recall_100", "recall_1000", "map_cut_100", "success_1", "success_10", "num_rel_ret",
    "iprec_at_recall_0.00", "iprec_at_recall_0.50",
]  # fmt: skip
IR_MEASURES = [
    "AP", "Rprec", "Bpref", "RR", "nDCG", "nDCG@5", "nDCG@10", "nDCG@20", "nDCG@100", "P@5", "P@10",
    "P@20", "P@100", "R@10", "R@100", "R@1000", "AP@100", "Success@1", "Success@10", "NumRelRet",
    "IPrec@0.0", "IPrec@0.5",
]  # fmt: skip
RANX = {
    "map": "map", "Rprec": "r-precision", "bpref": "bpref", "recip_rank": "mrr", "ndcg": "ndcg", "ndcg_cut_5": "ndcg@5",
    "ndcg_cut_10": "ndcg@10", "ndcg_cut_20": "ndcg@20", "ndcg_cut_100": "ndcg@100", "P_5": "precision@5",
    "P_10": "precision@10", "P_20": "precision@20", "P_100": "precision@100", "recall_10": "recall@10",
    "recall_100": "recall@100", "recall_1000": "recall@1000", "map_cut_100": "map@100", "success_1": "hit_rate@1",
    "success_10": "hit_rate@10", "num_rel_ret": "hits",
}  # fmt: skip
PACKAGES = {
    "assize": "assize", "pytrec_eval": "pytrec-eval-terrier", "ir_measures": "ir-measures", "ranx": "ranx", "trectools": "trectools"
}  # fmt: skip
# What the peer's time ÷ ours is to be at least; `changed` and `order` beside the peer's evaluation.
GOALS = {
    ("S", "files"): {"pytrec_eval": 3, "ir_measures": 10, "ranx": 5},
    ("M", "files"): {"pytrec_eval": 7, "ir_measures": 14, "ranx": 10},
    ("L", "files"): {"pytrec_eval": 12, "ir_measures": 25, "ranx": 14},
    ("M", "stored"): {"pytrec_eval": 12, "ir_measures": 18, "ranx": 40},
    ("L", "stored"): {"pytrec_eval": 30, "ir_measures": 80, "ranx": 35},
    ("M", "changed"): {"pytrec_eval": 50},
    ("S", "order"): {"pytrec_eval": 3},
    ("L", "order"): {"pytrec_eval": 3},
    ("W", "order"): {"pytrec_eval": 3},
}
MOST_MEMORY = 300  # MB, of L from files to scores, and of L and W checked and ordered
CHANGED = 0  # the judgment, by its place in the qrels, that becomes another
LONG = 5.0  # seconds after which a tool has had its turns
Work = Callable[[], Any]


def assize(size: Size) -> Iterator[tuple[str, Work]]:
    from evaluation import evaluate, read_qrels, read_run
    from evaluation.core.dialects import RULES
    from evaluation.core.evaluate import evaluate_judged
    from evaluation.core.matrix import RankedItems, StoredRuns, evaluate_items, rescored
    from evaluation.core.registry import parse_measure

    qrels, runs = material(size)
    yield "files", lambda: evaluate(qrels, [*runs], MEASURES, dialect="9", complete=False)
    yield "order", lambda: [_stored_size(run) for run in runs]
    stored = StoredRuns.build([read_run(run, dialect="9") for run in runs])
    judged, parsed, rules = read_qrels(qrels), [parse_measure(name) for name in MEASURES], RULES["9"]
    yield (
        "stored",
        lambda: evaluate_judged(stored.judged(judged), stored.ranked.tags, parsed, complete=False, rules=rules),
    )
    ranked, grades = RankedItems.of(stored.judged(judged), stored.ranked.tags), judged.grades.copy()
    before = evaluate_items(ranked, grades, parsed)

    def change() -> Any:
        grades[CHANGED] = 1 - grades[CHANGED]
        return rescored(before, ranked, grades, np.array([CHANGED]))

    yield "changed", change


def _stored_size(run: Path) -> int:
    """The bytes of a run's columns, after what an upload goes through: lines checked, put in evaluation order, written."""
    from pooling.core.run_stream import check_file

    found = check_file(partial(io.FileIO, run)).rankings
    if found is None:
        raise SystemExit(f"{run} was refused")
    with tempfile.TemporaryFile() as file:
        found.write(file)
        return file.tell()


def pytrec_eval(size: Size) -> Iterator[tuple[str, Work]]:
    import pytrec_eval as peer

    qrels, runs = material(size)
    asked = {"iprec_at_recall" if name.startswith("iprec") else name for name in MEASURES}

    def parsed() -> tuple[Any, list[Any]]:
        with qrels.open() as file:
            judged = peer.parse_qrel(file)
        found = []
        for run in runs:
            with run.open() as file:
                found.append(peer.parse_run(file))
        return judged, found

    yield "files", lambda: _pytrec_scores(peer, asked, *parsed())
    ready = parsed()
    yield "stored", lambda: _pytrec_scores(peer, asked, *ready)


def _pytrec_scores(peer: Any, asked: set[str], judged: Any, runs: list[Any]) -> list[Any]:
    return [peer.RelevanceEvaluator(judged, asked).evaluate(run) for run in runs]


def ir_measures(size: Size) -> Iterator[tuple[str, Work]]:
    import ir_measures as peer

    qrels, runs = material(size)
    asked = [peer.parse_measure(name) for name in IR_MEASURES]

    def files() -> list[Any]:
        judged = list(peer.read_trec_qrels(str(qrels)))
        return [list(peer.iter_calc(asked, judged, peer.read_trec_run(str(run)))) for run in runs]

    yield "files", files
    judged = list(peer.read_trec_qrels(str(qrels)))
    ready = [list(peer.read_trec_run(str(run))) for run in runs]
    yield "stored", lambda: [list(peer.iter_calc(asked, judged, run)) for run in ready]


def ranx(size: Size) -> Iterator[tuple[str, Work]]:
    import ranx as peer

    qrels, runs = material(size)
    asked = list(RANX.values())

    def scored(judged: Any, run: Any) -> Any:
        return peer.evaluate(judged, run, asked, return_mean=False, make_comparable=True)

    def files() -> Any:
        judged = peer.Qrels.from_file(str(qrels), kind="trec")
        return [scored(judged, peer.Run.from_file(str(run), kind="trec")) for run in runs]

    yield "files", files
    judged = peer.Qrels.from_file(str(qrels), kind="trec")
    ready = [peer.Run.from_file(str(run), kind="trec") for run in runs]
    yield "stored", lambda: [scored(judged, run) for run in ready]


def trectools(size: Size) -> Iterator[tuple[str, Work]]:
    from trectools import TrecEval, TrecQrel, TrecRun

    qrels, runs = material(size)

    def files() -> list[Any]:
        judged = TrecQrel(str(qrels))
        found = []
        for run in runs:
            one = TrecEval(TrecRun(str(run)), judged)
            found.append(
                [one.get_map(per_query=True), one.get_rprec(per_query=True), one.get_bpref(per_query=True)]
                + [one.get_reciprocal_rank(per_query=True)]
                + [one.get_ndcg(depth=depth, per_query=True) for depth in (5, 10, 20, 100, 1000)]
                + [one.get_precision(depth=depth, per_query=True) for depth in (5, 10, 20, 100)]
            )
        return found

    yield "files", files


TOOLS: dict[str, Callable[[Size], Iterator[tuple[str, Work]]]] = {
    "assize": assize, "pytrec_eval": pytrec_eval, "ir_measures": ir_measures, "ranx": ranx, "trectools": trectools
}  # fmt: skip


def check_equal(size: Size) -> int:
    """How many values of trec_eval's, through pytrec_eval, are ours to the last bit; all, or it ends here.

    So are those of ir_measures, those of stored runs, and those after a changed judgment, beside an evaluation from files
    with such qrels. ranx and trectools compute other values (ties, nDCG), and are timed alone.
    """
    import ir_measures as peer

    acts = TOOLS["assize"](size)
    files = next(acts)[1]()
    expected, topics, names = files.values, list(files.topics), [run.name for run in material(size)[1]]
    theirs = next(TOOLS["pytrec_eval"](size))[1]()
    for name, values, found in zip(names, expected, theirs, strict=True):
        answered = [place for place, topic in enumerate(topics) if topic in found]
        table = np.array([[found[topics[place]][measure] for place in answered] for measure in MEASURES])
        _same(f"{size.name}, {name}: pytrec_eval", table, values[:, answered])
    place_of = {topic: place for place, topic in enumerate(topics)}
    column_of = {peer.parse_measure(name): column for column, name in enumerate(IR_MEASURES)}
    for name, values, rows in zip(names, expected, next(TOOLS["ir_measures"](size))[1](), strict=True):
        table = np.full(values.shape, np.nan)
        for row in rows:
            table[column_of[row.measure], place_of[row.query_id]] = row.value
        _same(f"{size.name}, {name}: ir_measures", table, values)
    checked = sum(len(found) * len(MEASURES) for found in theirs)
    del theirs  # gigabytes, of L
    others = dict(acts)
    _same(f"{size.name}: stored runs", others["stored"]().values, expected)
    _same(f"{size.name}: a changed judgment", others["changed"]().values, _with_change(size))
    return checked


def _with_change(size: Size) -> Any:
    """By our own rules, from files, where the judgment that `change` changes is the other one from the start."""
    from evaluation import read_qrels, read_run
    from evaluation.core.evaluate import evaluate_rankings

    qrels, runs = material(size)
    judged = read_qrels(qrels)
    grades = judged.grades.copy()
    grades[CHANGED] = 1 - grades[CHANGED]
    rankings = [read_run(run, dialect="9") for run in runs]
    return evaluate_rankings(replace(judged, grades=grades), rankings, MEASURES).values


def _same(what: str, theirs: Any, ours: Any) -> None:
    wrong = np.argwhere(theirs != ours)
    if theirs.shape != ours.shape or len(wrong):
        raise SystemExit(f"{what}: {len(wrong)} values differ from ours from files, the first at {wrong[:1].tolist()}")


def child(tool: str) -> None:
    """For each line on stdin, of size, topics and act, that act once, timed; what it begins with is made before, and warm."""
    next(TOOLS[tool](SIZES["S"]))[1]()
    print("ready", flush=True)
    ready: dict[tuple[str, str], Iterator[tuple[str, Work]]] = {}
    works: dict[tuple[str, str, str], Work] = {}
    for line in sys.stdin:
        name, topics, act = line.split()
        if (name, topics) not in ready:
            works.clear()
            ready = {(name, topics): TOOLS[tool](replace(SIZES[name], topics=int(topics)))}
        while (name, topics, act) not in works:
            found, work = next(ready[name, topics])
            works[name, topics, found] = work
            if found == act and name not in "LW":
                work()
        begin = time.perf_counter()
        works[name, topics, act]()
        print(json.dumps([time.perf_counter() - begin, peak()]), flush=True)


def peak() -> int:
    """The most memory this process had, in MB; where the system tells, without what it had of its parent at its start."""
    status = Path("/proc/self/status")
    if status.exists():
        return int(status.read_text().partition("VmHWM:")[2].split()[0]) // 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


class Children:
    """Tools at work, each in a process of its own; that of ranx is kept, since it compiles for half a minute."""

    def __init__(self) -> None:
        self._at_work: dict[str, subprocess.Popen[str]] = {}

    def timed(self, tools: list[str], size: Size, act: str, turns: int) -> dict[str, tuple[float, int]]:
        """The median seconds and the peak MB of each tool, taking turns; who took long has no further turn."""
        found: dict[str, list[tuple[float, int]]] = {tool: [] for tool in tools}
        for _ in range(turns):
            for tool, rows in found.items():
                if not rows or sum(seconds for seconds, _ in rows) + rows[-1][0] < LONG:
                    rows.append(self._asked(tool, f"{size.name} {size.topics} {act}\n"))
        return {tool: (statistics.median(one for one, _ in rows), max(mb for _, mb in rows)) for tool, rows in found.items()}

    def _asked(self, tool: str, line: str) -> tuple[float, int]:
        if tool not in self._at_work:
            command = [sys.executable, "-W", "ignore", "-m", "benchmarks.bench_eval", "--child", tool]
            self._at_work[tool] = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            _answer(self._at_work[tool])
        process = self._at_work[tool]
        if process.stdin:
            process.stdin.write(line)
            process.stdin.flush()
        seconds, memory = json.loads(_answer(process))
        return seconds, memory

    def end(self, *but: str) -> None:
        for tool in [tool for tool in self._at_work if tool not in but]:
            self._at_work.pop(tool).communicate()


def _answer(process: "subprocess.Popen[str]") -> str:
    line = process.stdout.readline() if process.stdout else ""
    while line and line[0] not in "r[":  # what a tool prints by itself
        line = process.stdout.readline() if process.stdout else ""
    if not line:
        raise SystemExit("a tool ended without an answer; see above")
    return line


def row(name: str, found: dict[str, tuple[float, int]]) -> str:
    ours = found["assize"][0]
    cells = []
    for tool in TOOLS:
        if tool not in found:
            cells.append("–")
        elif tool == "assize":
            cells.append(f"{ours:.3f} s, {found[tool][1]} MB")
        else:
            cells.append(f"{found[tool][0]:.3f} s, {found[tool][1]} MB: **{found[tool][0] / ours:.1f}**")
    return f"| {name} | " + " | ".join(cells) + " |"


def goals(size: Size, act: str, found: dict[str, tuple[float, int]]) -> list[Goal]:
    """Those of one line of the table."""
    wanted = GOALS.get((size.name, act), {})
    made = [
        Goal(f"{size.name}, {act}: time of {peer} ÷ ours", found[peer][0] / found["assize"][0], least)
        for peer, least in wanted.items()
    ]
    if (size.name, act) in (("L", "files"), ("L", "order"), ("W", "order")):
        made.append(Goal(f"{size.name}, {act}: memory, MB", found["assize"][1], MOST_MEMORY, least=False))
    return made


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bench_eval", description=__doc__)
    parser.add_argument("--child", metavar="TOOL", help=argparse.SUPPRESS)
    parser.add_argument("--sizes", default="SMLW", help="which of S, M, L and W; all unless given")
    parser.add_argument("--order", action="store_true", help="only the parsing and ordering of runs, of S, L and W")
    parser.add_argument("--turns", type=int, default=9, help="repetitions of each; 9 unless given")
    parser.add_argument("--linear", action="store_true", help="also the time for 0.7 to 7 million lines")
    options = parser.parse_args()
    if options.child:
        child(options.child)
        return
    versions = ", ".join(f"{tool} {metadata.version(package)}" for tool, package in PACKAGES.items())
    print(f"{platform.machine()}, {platform.python_implementation()} {platform.python_version()}; {versions}")
    print("| | " + " | ".join(TOOLS) + " |")
    print("|---" * (len(TOOLS) + 1) + "|")
    children = Children()
    reached: list[Goal] = []
    for letter in options.sizes:
        measured = _ordering if options.order or letter == "W" else _size
        reached += measured(children, SIZES[letter], options.turns)
        children.end("ranx")
    if options.linear:
        large = SIZES["L"]
        for topics in (700, 1400, 2800, 5600, 6980):
            part = replace(large, topics=topics)
            seconds, _memory = children.timed(["assize"], part, "files", options.turns)["assize"]
            print(
                f"{part.lines / 1e6:.1f} M lines: {seconds:.2f} s, {seconds / part.lines * 1e6:.3f} µs a line",
                flush=True,
            )
    children.end()
    sys.exit(status(reached))


def _size(children: Children, size: Size, turns: int) -> list[Goal]:
    many = turns * (5 if size.name == "S" else 1)
    peers = ["assize", "pytrec_eval", "ir_measures", "ranx"]
    tools = [*peers, "trectools"] if size.name == "S" else peers
    what = f"{size.name}: {size.runs} × {size.topics} × {size.depth}, files to scores ({check_equal(size):,} values equal)"
    files: dict[str, tuple[float, int]] = {}
    stored: dict[str, tuple[float, int]] = {}
    order: dict[str, tuple[float, int]] = {}
    for some in [[tool] for tool in tools] if size.name == "L" else [tools]:  # they hold gigabytes: one after the other
        files |= children.timed(some, size, "files", many)
        if size.runs == 1 and "assize" in some:
            order = children.timed(["assize"], size, "order", many)
        stored |= children.timed([tool for tool in some if tool in peers], size, "stored", many)
        if size.name == "L":
            children.end()
    print(row(what, files), flush=True)
    reached = goals(size, "files", files) + goals(size, "stored", stored)
    if order:
        reached += _told_order(size, order | {"pytrec_eval": files["pytrec_eval"]})
    print(row(f"{size.name}: stored runs, new qrels", stored), flush=True)
    if size.name == "M":
        changed = children.timed(["assize"], size, "changed", turns * 3) | {"pytrec_eval": stored["pytrec_eval"]}
        print(row("M: one changed judgment (peers: evaluate again)", changed), flush=True)
        reached += goals(size, "changed", changed)
    return reached


def _ordering(children: Children, size: Size, turns: int) -> list[Goal]:
    """Parsing and ordering alone, one tool after the other, each in a process that did nothing else of this size."""
    if size.runs > 1:
        return []
    order = children.timed(["assize"], size, "order", turns)
    children.end()
    return _told_order(size, order | children.timed(["pytrec_eval"], size, "files", turns))


def _told_order(size: Size, order: dict[str, tuple[float, int]]) -> list[Goal]:
    print(row(f"{size.name}: parse, order and store the run (peer: evaluate it)", order), flush=True)
    return goals(size, "order", order)


if __name__ == "__main__":
    main()
