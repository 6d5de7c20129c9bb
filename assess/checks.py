"""What cannot be made again are judgments: where some would be lost with the machine, the status page says so."""

from datetime import timedelta

from django.core.checks import CheckMessage, Warning, register
from django.db import DatabaseError
from django.utils import timezone

from assess.models import JudgmentEvent
from config import backups

WORTH_KEEPING = timedelta(days=1)
OLD = timedelta(days=7)


@register("assize", deploy=True)
def recent_backup(**kwargs: object) -> list[CheckMessage]:
    """A warning, no error: a new site has nothing to lose, and backups may be made by other means."""
    now, last = timezone.now(), backups.last()
    if last and last.made_at > now - OLD:
        return []
    try:
        first = JudgmentEvent.objects.order_by("pk").values_list("at", flat=True).first()
    except DatabaseError:  # told by the database's own check
        return []
    if first is None or first > now - WORTH_KEEPING:
        return []
    words = f"The last backup is {(now - last.made_at).days} days old." if last else "There are judgments, but no backup."
    return [Warning(words, hint="Make one every night: assize backup FILE.", id="assize.W003")]
