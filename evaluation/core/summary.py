"""The figures of TREC's page for one run: totals, recall level averages, document level averages, R-precision."""

from dataclasses import dataclass

from evaluation.core.evaluate import evaluate_judged
from evaluation.core.judged import Judged

DEPTHS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
_LEVELS = tuple(f"IPrec@{tenth / 10}" for tenth in range(11))
_NAMES = ("NumQ", "NumRet", "NumRel", "NumRelRet", "AP", "Rprec", *_LEVELS, *(f"P@{depth}" for depth in DEPTHS))


@dataclass(frozen=True)
class SummaryPage:
    """Totals over all topics, and means; `recall_levels` at 0, 0.1, … 1, `precision_at` by depth.

    `micro_precision` and `micro_recall` are of all topics together: not the mean of the topics' own.
    """

    topics: int
    retrieved: int
    relevant: int
    relevant_retrieved: int
    recall_levels: tuple[float, ...]
    average_precision: float
    precision_at: dict[int, float]
    r_precision: float

    @property
    def micro_precision(self) -> float:
        return self.relevant_retrieved / self.retrieved if self.retrieved else 0.0

    @property
    def micro_recall(self) -> float:
        return self.relevant_retrieved / self.relevant if self.relevant else 0.0


def summary_page(judged: Judged, run: int = 0, *, rel: int = 1) -> SummaryPage:
    """The page of one of the runs."""
    means = evaluate_judged(judged, ("",) * judged.runs, _NAMES, rel=rel).means[run].tolist()
    topics, retrieved, relevant, found, ap, rprec = means[:6]
    levels, depths = means[6:17], dict(zip(DEPTHS, means[17:], strict=True))
    return SummaryPage(round(topics), round(retrieved), round(relevant), round(found), tuple(levels), ap, depths, rprec)
