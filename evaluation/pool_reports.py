"""How reusable a collection is: what would change had a run or a group not been there, at every depth, and with fewer judgments."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from config.errors import Refusal
from config.keeping import kept
from evaluation import standings
from evaluation.core import charts, stability
from evaluation.core.charts import Axis, Chart, Mark, Series
from evaluation.core.matrix import RankedItems
from evaluation.core.registry import parse_measure
from evaluation.core.stability import LeftOut, Shallower, ThinPoint
from evaluation.standings import Standing
from evaluation.tables import Table
from pooling.models import Collection, Run

DEPTHS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 40, 50, 75, 100, 150, 200)
SHARES = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1)
MOST_RUNS = 300
OFTEN = 100  # the depth of pools, where no round tells its own


@dataclass(frozen=True)
class Reason:
    """`kind` is good, warn or bad."""

    kind: str
    words: str


@dataclass(frozen=True, eq=False)
class PoolReport:
    measure: str
    depth: int
    judged: int
    relevant: int
    runs: list[LeftOut]
    groups: list[LeftOut]
    depths: list[Shallower]
    thinned: list[ThinPoint]
    shares: list[tuple[str, float, bool]]  # tag, judged@10, pooled
    reasons: list[Reason]

    @property
    def verdict(self) -> Reason:
        kinds = {reason.kind for reason in self.reasons}
        if "bad" in kinds:
            return Reason(
                "bad", "A new run may be judged unfairly by these qrels: look at the reasons below before you reuse them."
            )
        if "warn" in kinds:
            return Reason("warn", "These qrels can be reused with care: see the reasons below.")
        return Reason("good", "These qrels can be reused: a run that was not pooled is scored much as if it had been.")


def pool_report(standing: Standing, measure: str = "") -> PoolReport:
    """Of all runs under a release or live; by the first official measure unless another is named."""
    if len(standing.entries) < 3:
        raise Refusal(f"Expected at least 3 runs with scores to tell how reusable a pool is; found {len(standing.entries)}.")
    if len(standing.entries) > MOST_RUNS:
        raise Refusal(f"Expected at most {MOST_RUNS} runs; found {len(standing.entries)}: this would take too long.")
    name = standings.measure_of(standing, measure)
    return kept((standing.key, "pool report", name), lambda: _made(standing, name))


def _made(standing: Standing, measure: str) -> PoolReport:
    runs = standings.runs_of(standing, range(len(standing.entries)))
    judged = standings.judged_all(standing)
    qrels, rel = judged.qrels, standing.counts["lenient_from"]
    tags = tuple(run.tag for run in runs)
    ranked = RankedItems(tags, qrels.topics, qrels.codes, judged.rows, judged.ranks, judged.items, judged.num_ret)
    depth, pooled = _pooled(standing.collection, runs)
    told: dict[str, Any] = {"depth": depth, "rel": rel, "pooled": pooled}
    groups = [run.group or run.tag for run in runs]
    by_run = stability.leave_out(ranked, qrels.grades, measure, **told)
    by_group = stability.leave_out(ranked, qrels.grades, measure, groups=groups, **told)
    steps = sorted({step for step in DEPTHS if step < depth} | {depth})
    depths = stability.depth_curve(ranked, qrels.grades, measure, depths=steps, **told)
    rng = np.random.default_rng(stability.SEED)
    thinned = stability.thinned(ranked, qrels.grades, ("AP", "Bpref"), SHARES, rng, rel=rel)
    shares = [(run.tag, float(standing.means[n, -1]), bool(pooled[n])) for n, run in enumerate(runs)]
    relevant = int((qrels.grades >= rel).sum())
    reasons = _reasons(by_group, depths, shares, relevant)
    return PoolReport(measure, depth, len(qrels), relevant, by_run, by_group, depths, thinned, shares, reasons)


def _pooled(collection: Collection, runs: list[Run]) -> tuple[int, NDArray[np.bool_]]:
    """How deep the pools were, and which runs were in them; all, where no round tells."""
    rounds = list(collection.pools.filter(drawn_at__isnull=False).prefetch_related("runs"))
    depths = [int(pool.parameters["depth"]) for pool in rounds if str(pool.parameters.get("depth", "")).isdigit()]
    there = {run.pk for pool in rounds for run in pool.runs.all()}
    mask = np.array([not there or run.pk in there for run in runs], bool)
    return max(depths, default=OFTEN), mask


def _reasons(
    groups: list[LeftOut], depths: list[Shallower], shares: list[tuple[str, float, bool]], relevant: int
) -> list[Reason]:
    """From the customary readings: tau 0.9 equivalent, below 0.8 noticeably different; Judged@10 of 0.95."""
    reasons = []
    taus = [one.tau_b for one in groups if one.tau_b is not None]
    if taus:
        low = min(taus)
        kind = "good" if low >= 0.9 else "warn" if low >= 0.8 else "bad"
        reasons.append(Reason(kind, f"Without any one group the order of runs stays at τ = {low:.3f} or more."))
    worst = max(groups, key=lambda one: float(np.abs(one.relative).max(initial=0.0)))
    change = float(np.abs(worst.relative).max(initial=0.0))
    kind = "good" if change < 0.05 else "warn" if change < 0.1 else "bad"
    reasons.append(
        Reason(
            kind,
            f"The score of a group's run changes by at most {100 * change:.1f} % had the group not been pooled ({worst.name}).",
        )
    )
    alone = max(groups, key=lambda one: one.lost_relevant)
    share = alone.lost_relevant / max(relevant, 1)
    kind = "good" if share < 0.05 else "warn" if share < 0.15 else "bad"
    reasons.append(
        Reason(
            kind,
            f"{alone.name} alone found {alone.lost_relevant:,} of {relevant:,} relevant documents ({100 * share:.1f} %), the most of all groups.",
        )
    )
    half = next((point for point in depths if 2 * point.depth >= depths[-1].depth), None)
    if half and half.tau_b is not None and half.depth < depths[-1].depth:
        kind = "good" if half.tau_b >= 0.9 else "warn" if half.tau_b >= 0.8 else "bad"
        reasons.append(
            Reason(
                kind,
                f"A pool of depth {half.depth} instead of {depths[-1].depth} gives the order of runs with τ = {half.tau_b:.3f}.",
            )
        )
    few = min(shares, key=lambda one: one[1] if one[1] == one[1] else 1.0)
    kind = "good" if few[1] >= 0.95 else "warn" if few[1] >= 0.8 else "bad"
    reasons.append(
        Reason(
            kind,
            f"Of the first ten documents of each topic at least {100 * few[1]:.0f} % are judged for every run ({few[0]} has the fewest).",
        )
    )
    return reasons


# Figures and tables


def drawn(report: PoolReport) -> dict[str, Chart]:
    deepest = report.depths[-1].depth
    x = Axis("Depth of the pool", 0, deepest, 0)
    tau = Series(
        "τ with the whole pool",
        [
            Mark(p.depth, p.tau_b or 0.0, f"Depth {p.depth}: τ {p.tau_b or 0.0:.3f}")
            for p in report.depths
            if p.tau_b is not None
        ],
    )
    mean = Series(
        f"mean {report.measure} of all runs",
        [
            Mark(p.depth, float(p.means.mean()), f"Depth {p.depth}: {report.measure} {p.means.mean():.4f}")
            for p in report.depths
        ],
        2,
    )
    relevant = Series(
        "relevant documents", [Mark(p.depth, p.relevant, f"Depth {p.depth}: {p.relevant:,} relevant") for p in report.depths], 3
    )
    found = charts.axis("Relevant documents", [p.relevant for p in report.depths])
    thin = [
        Series(
            f"τ by {name}",
            [
                Mark(100 * p.share, p.taus[name] or 0.0, f"{100 * p.share:.0f} %: τ {p.taus[name] or 0.0:.3f}")
                for p in report.thinned
            ],
            tone,
        )
        for tone, name in enumerate(("AP", "Bpref"), 1)
    ]
    return {
        "depth": charts.lines(
            "Order of runs and mean score at each depth of the pool, against the whole pool",
            x,
            _from_zero_to_one("τ, mean", [tau, mean]),
            [tau, mean],
        ),
        "relevant": charts.lines("Relevant documents found by a pool of each depth", x, found, [relevant]),
        "thinned": charts.lines(
            "Order of runs as judgments thin out, by MAP and by bpref",
            Axis("Judgments kept, %", 0, 100, 0),
            _from_zero_to_one("τ with all", thin),
            thin,
        ),
    }


def told(report: PoolReport) -> dict[str, Table]:
    return {
        "groups": _left_out("group", report.groups, report.measure),
        "runs": _left_out("run", report.runs, report.measure),
        "depth": Table(
            "At each depth of the pool",
            ["depth", "judged", "relevant", "τ", f"mean {report.measure}"],
            [[p.depth, p.judged, p.relevant, p.tau_b, float(p.means.mean())] for p in report.depths],
        ),
        "thinned": Table(
            "As judgments thin out",
            ["share kept", "judged", "τ by AP", "τ by Bpref"],
            [[p.share, p.judged, p.taus["AP"], p.taus["Bpref"]] for p in report.thinned],
        ),
        "judged": Table(
            "Judged among the first ten",
            ["run", "judged@10", "pooled"],
            [[t, s, "yes" if p else "no"] for t, s, p in report.shares],
        ),
    }


def _left_out(what: str, rows: list[LeftOut], measure: str) -> Table:
    head = [
        what,
        "unique",
        "unique relevant",
        f"{measure} before",
        f"{measure} after",
        "change %",
        "rank before",
        "rank after",
        "τ",
    ]
    lines: list[list[object]] = []
    for one in rows:
        far = int(np.argmax(np.abs(one.relative))) if len(one.runs) else 0
        before, after = float(one.before[far]), float(one.after[far])
        ranks = int(one.rank_before[far]), int(one.rank_after[far])
        lines.append([one.name, one.lost, one.lost_relevant, before, after, 100 * float(one.relative[far]), *ranks, one.tau_b])
    return Table(f"Each {what} left out of the pool; of a group, the run that changes most", head, lines)


def document(standing: Standing, report: PoolReport) -> dict[str, Any]:
    names = {"depth": "depths"}
    rows = {
        names.get(name, name): [dict(zip(table.head, row, strict=True)) for row in table.rows]
        for name, table in told(report).items()
    }
    return {
        "release": standing.release.number if standing.release else None,
        "measure": str(parse_measure(report.measure)),
        "depth": report.depth,
        "judged_documents": report.judged,
        "relevant": report.relevant,
        "verdict": asdict(report.verdict),
        "reasons": [asdict(reason) for reason in report.reasons],
        **rows,
    }


def _from_zero_to_one(label: str, series: list[Series]) -> Axis:
    """Further down where a τ is negative."""
    return charts.axis(label, [1.0, *(mark.y for one in series for mark in one.marks)])
