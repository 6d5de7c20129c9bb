"""How reusable a collection is: what would change had a run or a group not been there, at every depth, and with fewer judgments.

Of few runs it is computed for the page that asks; of many by a job, which keeps it: of a release beside its scores, of the
judgments of now in the place of the one before.
"""

import hashlib
import json
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property
from itertools import count
from typing import Any

import numpy as np
from django.conf import settings
from django.utils import timezone
from numpy.typing import NDArray

from config import jobs, store
from config.errors import Conflict, Refusal
from config.keeping import kept
from config.models import Job
from evaluation import columns, reports, standings
from evaluation.core import charts, stability
from evaluation.core.charts import Axis, Chart, Mark, Series
from evaluation.core.matrix import RankedItems
from evaluation.core.registry import parse_measure
from evaluation.core.stability import LeftOut, Shallower, ThinPoint
from evaluation.standings import Standing
from pooling.models import Run
from pooling.services.work import Direct, Work
from pooling.tables import Table, defined

DEPTHS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 40, 50, 75, 100, 150, 200)
SHARES = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1)
MOST_RUNS = 300
AT_ONCE = 10_000_000  # runs × runs × documents: what takes about a second
RENEWED = timedelta(minutes=10)  # how old a report of live scores may be while people judge
THINNED, DRAWS = ("AP", "Bpref"), 5
PLAIN = {"name", "lost", "lost_relevant", "taus"}  # of what is left out; all else is arrays
FORM = 3  # of what is kept: another number, and it is computed anew
OFTEN = 100  # taken for the depth of the pools, where none is known


@dataclass(frozen=True)
class Reason:
    """`kind` is good, warn or bad."""

    kind: str
    words: str


@dataclass(frozen=True, eq=False)
class PoolReport:
    """`measures`: all that runs are left out by; the one at `lead` orders the runs, and is drawn. `key`: of the standing
    that it tells of. `depth_known`: whether pools were drawn down to `depth`, or it is taken for want of them."""

    measures: list[str]
    lead: int
    depth: int
    judged: int
    relevant: int
    tags: list[str]
    runs: list[LeftOut]
    groups: list[LeftOut]
    depths: list[Shallower]
    thinned: list[ThinPoint]
    shares: list[tuple[str, float, bool]]  # tag, judged@10, pooled
    key: str = ""
    made_at: str = ""
    depth_known: bool = True

    @property
    def made(self) -> datetime:
        return datetime.fromisoformat(self.made_at)

    @property
    def measure(self) -> str:
        return self.measures[self.lead]

    @property
    def label(self) -> str:
        return columns.label(self.measure)

    @property
    def has_groups(self) -> bool:
        """Whether a run belongs to a group; else each stands alone, and groups tell nothing that runs do not."""
        return {one.name for one in self.groups} != {one.name for one in self.runs}

    @cached_property
    def reasons(self) -> list[Reason]:
        return _reasons(self)

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


class BeingComputed(Conflict):
    """A job is at it."""

    def __init__(self, job: Job) -> None:
        super().__init__("The pool report of so many runs is computed by a job: ask again when it is done.", job=job.pk)
        self.job = job


def pool_report(standing: Standing, measure: str = "") -> PoolReport:
    """Of all runs under a release or live; by the first official measure unless another is named. Of many runs
    BeingComputed, until a job has done it; of live scores it may then be of before the newest judgments."""
    found = report_or_job(standing)
    if isinstance(found, Job):
        raise BeingComputed(found)
    return led_by(standing, found, measure)


def report_or_job(standing: Standing) -> PoolReport | Job:
    _check(standing)
    if not is_large(standing):
        return kept((standing.key, "pool report", _groups(standing)), lambda: stored_report(standing) or computed(standing))
    found = stored_report(standing)
    if found and (found.key == standing.key or abs(timezone.now() - found.made) < RENEWED):
        return found
    job = jobs.intend(
        "pool_report",
        title=f"Pool report of {standing.collection.name}, {standing.name}",
        args={"collection": standing.collection.pk, "release": standing.which},
        collection_id=standing.collection.pk,
        dedupe=_dedupe(standing),
    )
    return found or job


def _groups(standing: Standing) -> tuple[str, ...]:
    """They can be changed while scores stay as they are."""
    return tuple(entry.group for entry in standing.entries)


def last_job(standing: Standing) -> Job | None:
    return Job.objects.filter(dedupe=_dedupe(standing)).order_by("-pk").first()


def _dedupe(standing: Standing) -> str:
    return f"pool_report:{standing.collection.pk}:{standing.which}"


def led_by(standing: Standing, found: PoolReport, measure: str) -> PoolReport:
    _require_something(found)
    name = standings.measure_of(standing, measure)
    return replace(found, lead=found.measures.index(name) if name in found.measures else 0)


def _require_something(report: PoolReport) -> None:
    """Where runs and qrels have nothing in common, nothing changes whatever is left out: that is not good, but nothing."""
    if not report.relevant:
        raise Refusal("None of the judged documents is relevant, so leaving out runs changes nothing.")
    shares = [share for _tag, share, _pooled in report.shares if share == share]
    if shares and not any(shares):
        raise Refusal(
            f"None of the {report.judged:,} judged documents is among the first ten of any run, so leaving out runs changes nothing. "
            "Are these the qrels of another collection?"
        )


def _check(standing: Standing) -> None:
    if len(standing.entries) < 3:
        raise Refusal(f"Expected at least 3 runs with scores to tell how reusable a pool is; found {len(standing.entries)}.")
    if len(standing.entries) > MOST_RUNS:
        raise Refusal(f"Expected at most {MOST_RUNS} runs; found {len(standing.entries)}: this would take too long.")


def is_large(standing: Standing) -> bool:
    """Whether it takes longer than a page may: every run is scored once for every run that is left out."""
    judged = standing.release.counts["items"] if standing.release else len(standings.qrels_of(standing))
    return len(standing.entries) ** 2 * judged > AT_ONCE


def computed(standing: Standing, work: Work | None = None) -> PoolReport:
    """All of it, by every measure of the leaderboard; kept beside the scores of a release, and of live scores where it
    is large."""
    _check(standing)
    work = work or Direct(lambda *_told: None)
    runs = standings.runs_of(standing, range(len(standing.entries)))
    judged = standings.judged_all(standing)
    qrels, rel = judged.qrels, standing.counts["lenient_from"]
    names = [name for name in reports.topic_measures(standing) if name in standing.names and not _needs(name)]
    if not names:
        raise Refusal("Expected a measure of runs and judgments alone on the leaderboard, as Bpref; found none.")
    tags = [run.tag for run in runs]
    ranked = RankedItems.of(judged, tags)
    depth, pooled = _pooled(standing, runs)
    known, depth = depth > 0, depth or OFTEN
    groups = [run.group or run.tag for run in runs]
    steps = sorted({step for step in DEPTHS if step < depth} | {depth})
    total, done = len(tags) + len(set(groups)) + len(steps) + len(SHARES), count(1)
    told: dict[str, Any] = {"rel": rel, "step": lambda: work.progress(next(done), total)}
    pool: dict[str, Any] = {"depth": depth, "pooled": pooled}
    work.progress(0, total, "Runs left out")
    by_run = stability.leave_out(ranked, qrels.grades, names, **pool, **told)
    work.progress(len(tags), total, "Groups left out")
    by_group = stability.leave_out(ranked, qrels.grades, names, groups=groups, **pool, **told)
    work.progress(total - len(steps) - len(SHARES), total, "Shallower pools")
    depths = stability.depth_curve(ranked, qrels.grades, names, depths=steps, **pool, **told)
    work.progress(total - len(SHARES), total, "Fewer judgments")
    rng = np.random.default_rng(stability.SEED)
    thinned = stability.thinned(ranked, qrels.grades, THINNED, SHARES, rng, draws=DRAWS, **told)
    shares = [(run.tag, float(standing.means[n, -1]), bool(pooled[n])) for n, run in enumerate(runs)]
    relevant = int((qrels.grades >= rel).sum())
    parts = by_run, by_group, depths, thinned, shares
    made = timezone.now().isoformat()
    found = PoolReport(names, 0, depth, len(qrels), relevant, tags, *parts, standing.key, made, known)
    with work.finish(f"{len(tags):,} runs and {len(by_group):,} groups left out in turn"):
        _store(standing, found)
    return found


def _needs(name: str) -> bool:
    """Estimates from a sample cannot do without part of it, and the size of the corpus says nothing of a pool."""
    return bool(parse_measure(name).definition.needs)


# What is kept of a release


def _name(standing: Standing) -> str:
    """Beside the release's scores, under the key of all that the report depends on; of live scores there is one at a time,
    and none where it is computed for the page."""
    if standing.release is None:
        return f"files/scores/live/{standing.collection.pk}-{FORM}-pool-report.json" if is_large(standing) else ""
    rounds = list(standing.collection.pools.order_by("pk").values_list("pk", "drawn_at"))
    digest = hashlib.sha256(
        repr((FORM, standing.key, _groups(standing), reports.topic_measures(standing), rounds)).encode()
    ).hexdigest()[:32]
    return f"files/scores/{standing.release.pk}/pool-report-{digest}.json"


def _store(standing: Standing, report: PoolReport) -> None:
    """Reports of an earlier state go."""
    if not (name := _name(standing)):
        return
    store.put(name, json.dumps(asdict(report), default=np.ndarray.tolist).encode())
    kept_here = store.path(name)
    for other in kept_here.parent.glob("pool-report-*.json"):
        if other != kept_here:
            store.remove(other.relative_to(settings.DATA).as_posix())


def stored_report(standing: Standing) -> PoolReport | None:
    name = _name(standing)
    if not name or not (path := store.path(name, changes=standing.release is None)).exists():
        return None
    told = json.loads(path.read_text())
    for part in ("runs", "groups"):
        told[part] = [
            LeftOut(**{name: value if name in PLAIN else np.array(value) for name, value in one.items()})  # type: ignore[arg-type]
            for one in told[part]
        ]
    told["depths"] = [Shallower(**{**one, "means": np.array(one["means"])}) for one in told["depths"]]
    told["thinned"] = [ThinPoint(**one) for one in told["thinned"]]
    told["shares"] = [(tag, share, pooled) for tag, share, pooled in told["shares"]]
    return PoolReport(**told)


def _pooled(standing: Standing, runs: list[Run]) -> tuple[int, NDArray[np.bool_]]:
    """How deep the pools were, 0 where none tells, and which runs were in them; all, where no round tells. Qrels that were
    imported as a release come from pools of another time or place."""
    if standing.release and not standing.release.rule:
        return 0, np.ones(len(runs), bool)
    rounds = list(standing.collection.pools.filter(drawn_at__isnull=False).prefetch_related("runs"))
    depths = [int(pool.parameters["depth"]) for pool in rounds if str(pool.parameters.get("depth", "")).isdigit()]
    there = {run.pk for pool in rounds for run in pool.runs.all()}
    mask = np.array([not there or run.pk in there for run in runs], bool)
    return max(depths, default=0), mask


def _reasons(report: PoolReport) -> list[Reason]:
    """From the customary readings: tau 0.9 equivalent, below 0.8 noticeably different; Judged@10 of 0.95."""
    reasons, one_of = [], "group" if report.has_groups else "run"
    lead, groups, depths, relevant = report.lead, report.groups, report.depths, report.relevant
    taus = [tau for one in groups if (tau := one.taus[lead]) is not None]
    if taus:
        low = min(taus)
        kind = "good" if low >= 0.9 else "warn" if low >= 0.8 else "bad"
        reasons.append(Reason(kind, f"Without any one {one_of} the order of runs stays at τ = {low:.3f} or more."))
    worst = max(groups, key=lambda one: float(_sizes(one)[:, lead].max(initial=0.0)))
    change = float(_sizes(worst)[:, lead].max(initial=0.0))
    kind = "good" if change < 0.05 else "warn" if change < 0.1 else "bad"
    whose = "a group's run" if report.has_groups else "a run"
    without = "the group" if report.has_groups else "it"
    far = f"changes by at most {100 * change:.1f}\N{NO-BREAK SPACE}% had {without} not been pooled ({worst.name})"
    reasons.append(Reason(kind, f"By {report.label}, the score of {whose} {far}."))
    alone = max(groups, key=lambda one: one.lost_relevant)
    share = alone.lost_relevant / max(relevant, 1)
    kind = "good" if share < 0.05 else "warn" if share < 0.15 else "bad"
    reasons.append(
        Reason(
            kind,
            f"{alone.name} alone found {alone.lost_relevant:,} of {relevant:,} relevant documents ({100 * share:.1f} %); no {one_of} found more alone.",
        )
    )
    half = next((point for point in depths if report.depth_known and 2 * point.depth >= depths[-1].depth), None)
    tau = half.taus[lead] if half and half.depth < depths[-1].depth else None
    if half and tau is not None:
        kind = "good" if tau >= 0.9 else "warn" if tau >= 0.8 else "bad"
        reasons.append(
            Reason(
                kind,
                f"A pool of depth {half.depth} instead of {depths[-1].depth} gives the order of runs with τ = {tau:.3f}.",
            )
        )
    if report.judged == report.relevant:  # judged@10 is P@10 then
        told = "These qrels list relevant documents only, so that how much of a run was looked at is not known."
        reasons.append(Reason("warn", told))
        return reasons
    if all(share != share for _tag, share, _pooled in report.shares):
        return reasons
    few = min(report.shares, key=lambda one: one[1] if one[1] == one[1] else 1.0)
    kind = "good" if few[1] >= 0.95 else "warn" if few[1] >= 0.8 else "bad"
    reasons.append(
        Reason(
            kind,
            f"Of the first ten documents of each topic at least {100 * few[1]:.0f} % are judged for every run ({few[0]} has the fewest).",
        )
    )
    return reasons


def _sizes(one: LeftOut) -> NDArray[np.float64]:
    """How much each score changes; nothing where it is not defined."""
    return np.where(np.isfinite(one.relative), np.abs(one.relative), 0.0)


# Figures and tables


def drawn(report: PoolReport) -> dict[str, Chart]:
    lead, name = report.lead, report.label
    x = Axis("Depth of the pool", 0, report.depths[-1].depth, 0)
    taus = [(p.depth, found) for p in report.depths if (found := p.taus[lead]) is not None]
    means = [(p.depth, float(p.means[:, lead].mean())) for p in report.depths]
    tau = Series("τ with the whole pool", [Mark(depth, value, f"Depth {depth}: τ {value:.3f}") for depth, value in taus])
    mean = Series(
        f"{name}, mean of all runs", [Mark(depth, value, f"Depth {depth}: {name} {value:.4f}") for depth, value in means], 2
    )
    marks = [Mark(p.depth, p.relevant, f"Depth {p.depth}: {p.relevant:,} relevant") for p in report.depths]
    most = charts.axis("Relevant documents", [p.relevant for p in report.depths])
    thin = [_thin(report, measure, tone) for tone, measure in enumerate(THINNED, 1)]
    words = "Order of runs and mean score at each depth of the pool, against the whole pool"
    return {
        "depth": charts.lines(words, x, _from_zero_to_one("τ, mean", [tau, mean]), [tau, mean]),
        "relevant": charts.lines(
            "Relevant documents found by a pool of each depth", x, most, [Series("relevant documents", marks, 3)]
        ),
        "thinned": charts.lines(
            f"Order of runs as judgments thin out, by MAP and by bpref; mean of {DRAWS} random draws",
            Axis("Judgments kept, %", 0, 100, 0),
            _from_zero_to_one("τ with all", thin),
            thin,
        ),
    }


def _thin(report: PoolReport, measure: str, tone: int) -> Series:
    marks = []
    for point in report.thinned:
        if spread := point.spread(measure):
            mean, low, high = spread
            words = f"{100 * point.share:.0f} %: τ {mean:.3f} on average, {low:.3f} to {high:.3f}"
            marks.append(Mark(100 * point.share, mean, words))
    return Series(f"τ by {columns.label(measure)}", marks, tone)


def told(report: PoolReport) -> dict[str, Table]:
    lead = report.lead
    thin: list[list[object]] = []
    for p in report.thinned:
        spreads = [p.spread(measure) or (None, None, None) for measure in THINNED]
        thin.append([p.share, p.judged, *(value for spread in spreads for value in spread)])
    names = [columns.label(measure) for measure in THINNED]
    return {
        "groups": _left_out("group", report.groups, report),
        "group-measures": _by_measure("group", report.groups, report),
        "runs": _left_out("run", report.runs, report),
        "run-measures": _by_measure("run", report.runs, report),
        "depth": Table(
            "At each depth of the pool",
            ["depth", "judged", "relevant", "τ", f"{report.label}, mean of all runs"],
            [[p.depth, p.judged, p.relevant, p.taus[lead], float(p.means[:, lead].mean())] for p in report.depths],
        ),
        "thinned": Table(
            f"As judgments thin out: τ, mean, lowest and highest of {DRAWS} random draws, seed {stability.SEED}",
            ["share kept", "judged", *(f"{name} {what}" for name in names for what in ("τ", "lowest", "highest"))],
            thin,
        ),
        "judged": Table(
            "Judged among the first ten",
            ["run", "judged@10", "pooled"],
            [[t, s, "yes" if p else "no"] for t, s, p in report.shares],
        ),
    }


def _left_out(what: str, rows: list[LeftOut], report: PoolReport) -> Table:
    """Of a group, the run whose score changes most; it is named."""
    changes = [f"{report.label} before", "after", "change %", "rank before", "rank after"]
    head = [what, *(["run"] if what == "group" else []), "unique", "unique relevant", *changes, "τ"]
    lines: list[list[object]] = []
    for one in rows:
        far = int(np.argmax(_sizes(one)[:, report.lead]))
        before, after = float(one.before[far, report.lead]), float(one.after[far, report.lead])
        ranks = int(one.rank_before[far, report.lead]), int(one.rank_after[far, report.lead])
        named = [report.tags[int(one.runs[far])]] if what == "group" else []
        change = 100 * float(one.relative[far, report.lead])
        lines.append([one.name, *named, one.lost, one.lost_relevant, before, after, change, *ranks, one.taus[report.lead]])
    of = "; of a group, the run that changes most" if what == "group" else ""
    return Table(f"Each {what} left out of the pool, by {report.label}{of}", head, lines)


def _by_measure(what: str, rows: list[LeftOut], report: PoolReport) -> Table:
    """The change of each measure, of a group of the run that changes most by it; and the lowest τ of all measures."""
    labels = [columns.label(measure) for measure in report.measures]
    lines: list[list[object]] = []
    for one in rows:
        far = np.argmax(_sizes(one), axis=0)
        changes = [100 * float(one.relative[row, column]) for column, row in enumerate(far.tolist())]
        taus = [tau for tau in one.taus if tau is not None]
        lines.append([one.name, *changes, min(taus, default=None)])
    words = "Change of each measure in %"
    return Table(f"{words}, each {what} left out of the pool", [what, *(f"{name} %" for name in labels), "lowest τ"], lines)


def document(standing: Standing, report: PoolReport) -> dict[str, Any]:
    names = {"depth": "depths", "group-measures": "group_measures", "run-measures": "run_measures"}
    rows = {
        names.get(name, name): [dict(zip(table.head, map(defined, row), strict=True)) for row in table.rows]
        for name, table in told(report).items()
    }
    return {
        "release": standing.release.number if standing.release else None,
        "measure": report.measure,
        "depth": report.depth,
        "depth_known": report.depth_known,
        "judged_documents": report.judged,
        "relevant": report.relevant,
        "verdict": asdict(report.verdict),
        "reasons": [asdict(reason) for reason in report.reasons],
        **rows,
    }


def _from_zero_to_one(label: str, series: list[Series]) -> Axis:
    """Further down where a τ is negative."""
    return charts.axis(label, [1.0, *(mark.y for one in series for mark in one.marks)])
