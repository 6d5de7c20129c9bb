"""What changed between two releases, and the judgments as qrels at any moment."""

from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from django.utils.dateparse import parse_date, parse_datetime

from assess import opinions
from config.errors import Refusal
from evaluation import selectors
from evaluation.core.archive import Change, TopicChange, difference
from evaluation.models import Release
from pooling import selectors as pooling
from pooling.core.qrels import write_qrels
from pooling.models import Collection


@dataclass(frozen=True)
class Diff:
    """Totals, by topic, and each document that differs."""

    old: Release
    new: Release
    topics: list[TopicChange]
    changes: list[Change]

    @property
    def added(self) -> int:
        return sum(topic.added for topic in self.topics)

    @property
    def changed(self) -> int:
        return sum(topic.changed for topic in self.topics)

    @property
    def removed(self) -> int:
        return sum(topic.removed for topic in self.topics)

    @property
    def moved_topics(self) -> list[TopicChange]:
        return sorted(
            (topic for topic in self.topics if topic.added or topic.changed or topic.removed),
            key=lambda topic: selectors.natural(topic.topic),
        )


def diff(old: Release, new: Release) -> Diff:
    return Diff(old, new, *difference(selectors.qrels(old), selectors.qrels(new)))


def diff_document(found: Diff) -> dict[str, Any]:
    counts = {"added": found.added, "changed": found.changed, "removed": found.removed}
    rows = {"topics": [asdict(row) for row in found.moved_topics], "changes": [asdict(row) for row in found.changes]}
    return {"old": found.old.number, "new": found.new.number, **counts, **rows}


def live_qrels(collection: Collection, at: datetime | None = None, rule: str | None = None) -> bytes:
    """The judgments as they are now, or as they stood at a moment, merged by the collection's rule; nothing is stored."""
    plan = opinions.plan(collection)
    found = opinions.opinions(collection, at)
    lowest = pooling.grades(collection)[0].value
    final = opinions.final(found, rule or plan.rule, plan.opinions, plan.missing, lowest)
    if not len(final.places):
        raise Refusal("Nothing is judged yet." if at is None else f"Nothing was judged by {at:%Y-%m-%d %H:%M} UTC.")
    return write_qrels(found.topics[final.places], found.docnos[final.places], final.grades)


def moment(text: str) -> datetime | None:
    """A date (its end) or a time, of UTC unless it says otherwise; empty: now."""
    if not text:
        return None
    try:
        time, day = parse_datetime(text.replace(" ", "+") if "T" in text else text), parse_date(text)
    except ValueError:
        time = day = None
    if day is not None and "T" not in text and " " not in text:
        return datetime(day.year, day.month, day.day, 23, 59, 59, 999_999, UTC)
    if time is None:
        raise Refusal(f"Expected a date or time such as 2026-11-16 or 2026-11-16T12:00; found “{text[:40]}”.")
    return time if time.tzinfo else time.replace(tzinfo=UTC)
