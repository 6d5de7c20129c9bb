"""A report of agreement as plain data: for JSON, pages and tables alike."""

from collections.abc import Sequence
from typing import Any

from assess.core import figures as core
from assess.core.agreement import band
from assess.core.bootstrap import GENERATOR, THIN, Plan
from assess.core.figures import Figure
from assess.core.ratings import Ratings
from assess.core.ratings import pairs as pairs_of


def report(
    ratings: Ratings,
    assessors: Sequence[str],
    topics: Sequence[str],
    *,
    thresholds: Sequence[int],
    plan: Plan | None,
    pairs: bool = False,
    by_topic: bool = False,
) -> dict[str, Any]:
    """All figures on the grades and seen from each threshold; with `pairs` and `by_topic` also one by one.

    On a scale of 0 and 1 the grades are what the threshold sees, and are told once.
    """
    views = [*([] if ratings.levels == (0, 1) else [None]), *thresholds]
    found: dict[str, Any] = {
        "assessors": list(assessors),
        "levels": list(ratings.levels),
        "topics": len(topics),
        "items": len(ratings.places),
        "shared": len(ratings.shared().places),
        "bootstrap": plan and _plan(plan),
        "views": [_view(ratings, assessors, topics, threshold, plan, pairs, by_topic) for threshold in views],
    }
    if pairs or len(assessors) == 2:
        found["tables"] = [
            {"first": assessors[i], "second": assessors[j], "counts": core.table(ratings.of((i, j)).shared()).tolist()}
            for i, j in pairs_of(ratings)
        ]
    return found


def _plan(plan: Plan) -> dict[str, Any]:
    unit = "topics" if plan.by_topic else "items"
    return {
        "generator": GENERATOR,
        "seed": plan.seed,
        "resamples": plan.resamples,
        "unit": unit,
        "confidence": plan.level,
    }


def _view(
    ratings: Ratings,
    assessors: Sequence[str],
    topics: Sequence[str],
    threshold: int | None,
    plan: Plan | None,
    pairs: bool,
    by_topic: bool,
) -> dict[str, Any]:
    seen = ratings if threshold is None else ratings.binarised(threshold)
    found: dict[str, Any] = {"threshold": threshold, **_told(seen, assessors, plan)}
    if pairs:
        found["pairs"] = [
            {
                "first": assessors[i],
                "second": assessors[j],
                **_told(seen.of((i, j)), (assessors[i], assessors[j]), plan),
            }
            for i, j in pairs_of(seen)
        ]
    if by_topic:
        rows = core.by_topic(seen)
        found["by_topic"] = [{"topic": topics[code], "few": row[0].n < THIN, "figures": _figures(row)} for code, row in rows]
        found["topic_means"] = {
            one.key: {"mean": one.mean, "topics": one.topics, "undefined": one.undefined} for one in core.topic_means(rows)
        }
    return found


def _told(ratings: Ratings, assessors: Sequence[str], plan: Plan | None) -> dict[str, Any]:
    return {"notes": core.notes(ratings, assessors), "figures": _figures(core.figures(ratings, plan))}


def _figures(figures: Sequence[Figure]) -> dict[str, Any]:
    return {
        one.key: {
            "n": one.n,
            "value": one.value,
            "standard_error": one.standard_error,
            "interval": one.interval,
            "large_sample": one.large_sample,
            "undefined_resamples": one.undefined,
            "band": band(one.value) if one.key in core.BANDED else None,
            "note": one.note,
        }
        for one in figures
    }
