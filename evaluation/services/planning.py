"""How a collection's scores are shown and to whom: chosen by its organizers."""

from collections.abc import Sequence
from typing import Any

from django.db import transaction

from config.errors import Refusal
from config.expected import require_one_of
from evaluation import columns
from evaluation.boards import CORRECTIONS
from evaluation.core.comparison import TESTS
from evaluation.models import ScoringPlan, Seen
from pooling import measures
from pooling.core.lines import Unpackable, unpack
from pooling.models import Collection
from pooling.services.collections import require_not_archived

MOST_KNOWN = 100_000
LARGEST_KNOWN = 10_000_000  # bytes of an uploaded list
FIELDS = ("shown", "test", "correction", "seen", "expected", "known")


@transaction.atomic
def set_plan(collection: Collection, **given: Any) -> ScoringPlan:
    """Change what is named; the rest stays. Scores by a measure that is new are computed when somebody asks for them."""
    locked = Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)
    require_not_archived(locked)
    plan, _made = ScoringPlan.objects.select_for_update().get_or_create(collection=locked)
    for name, value in given.items():
        setattr(plan, name, _cleaned(name, value))
    plan.full_clean()
    plan.save(update_fields=list(given) or None)
    collection.__dict__.pop(columns.PLAN, None)
    return plan


def _cleaned(name: str, value: Any) -> Any:
    if name == "shown":
        return _spelled(value)
    allowed = {"test": TESTS, "correction": CORRECTIONS, "seen": Seen.values}.get(name)
    if allowed:
        require_one_of(name, value, allowed)
    return value


def _spelled(names: Sequence[str]) -> list[str]:
    try:
        return measures.spelled(names)
    except ValueError as error:
        raise Refusal(str(error)) from error


def read_expected(text: str) -> dict[str, int]:
    """Lines of topic and number: how many relevant documents a user expects to find."""
    found: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        parts = line.split()
        if not parts:
            continue
        if len(parts) != 2 or not (parts[1].isascii() and parts[1].isdigit() and 0 < int(parts[1][:9]) < 10**6):
            raise Refusal(f"Line {number}: expected a topic and a number from 1 to 999,999, as “301 20”; found “{line[:80]}”.")
        found[parts[0]] = int(parts[1])
    return found


def read_known(text: str) -> dict[str, list[str]]:
    """Lines of topic and docno: what a user knows already."""
    found: dict[str, list[str]] = {}
    count = 0
    for number, line in enumerate(text.splitlines(), 1):
        parts = line.split()
        if not parts:
            continue
        count += 1
        if len(parts) != 2:
            raise Refusal(f"Line {number}: expected a topic and a docno, as “301 FT911-3”; found “{line[:80]}”.")
        if count > MOST_KNOWN:
            raise Refusal(f"Expected at most {MOST_KNOWN:,} documents; found more.")
        found.setdefault(parts[0], []).append(parts[1])
    return found


def known_text(data: bytes) -> str:
    """What an uploaded list says, packed or not."""
    if len(data) > LARGEST_KNOWN:
        raise Refusal(f"Expected a list of at most {LARGEST_KNOWN // 10**6} MB.")
    try:
        return unpack(data, limit=10 * LARGEST_KNOWN).decode()
    except (Unpackable, UnicodeDecodeError) as error:
        raise Refusal(f"Expected lines of topic and docno in UTF-8: {error}") from error


def written(plan: ScoringPlan) -> tuple[str, str]:
    """What is expected and what is known, as it is read."""
    expected = "\n".join(f"{topic} {number}" for topic, number in plan.expected.items())
    return expected, "\n".join(f"{topic} {docno}" for topic, docnos in plan.known.items() for docno in docnos)
