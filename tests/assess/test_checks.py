"""The warning that judgments would be lost with the machine."""

import json
import uuid
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.checks import run_checks
from django.utils import timezone
from pytest_django import Settings

from assess import checks
from assess.models import Judgment, JudgmentEvent
from config import backups
from tests.assess.conftest import Bench
from tests.conftest import ClientFor
from tests.factories import make_user
from tests.queue_server import no_queue

__all__ = ["no_queue"]
HINT = "Make one every night: assize backup FILE."


@pytest.fixture(autouse=True)
def _own_data(settings: Settings, tmp_path: Path) -> None:
    settings.DATA = tmp_path


def judged_ago(bench: Bench, **ago: int) -> None:
    item = bench.topics[0].items.all()[0]
    head = Judgment.objects.create(item=item, assessor=bench.ann, grade=1)
    JudgmentEvent.objects.create(judgment=head, client_id=uuid.uuid4(), grade=1, at=timezone.now() - timedelta(**ago))


def backed_up_ago(folder: Path, **ago: int) -> None:
    """The record as a backup of then left it."""
    (folder / "last-backup.json").write_text(
        json.dumps(
            {
                "made_at": (timezone.now() - timedelta(**ago)).isoformat(),
                "file": "/backups/one.zip",
                "size": 3_400_000,
                "sha256": "0" * 64,
            }
        )
    )
    assert backups.last()


def told() -> list[tuple[str, str | None, str | None]]:
    return [(found.msg, found.hint, found.id) for found in checks.recent_backup()]


def test_new_site_has_nothing_to_lose(bench: Bench) -> None:
    assert told() == []
    judged_ago(bench, hours=23)
    assert told() == []


def test_judgment_of_yesterday_without_a_backup_is_a_warning(bench: Bench) -> None:
    judged_ago(bench, hours=25)
    assert told() == [("There are judgments, but no backup.", HINT, "assize.W003")]
    assert "assize.W003" in [found.id for found in run_checks(include_deployment_checks=True)]
    assert "assize.W003" not in [found.id for found in run_checks()]


def test_backup_of_the_last_week_is_enough(bench: Bench, tmp_path: Path) -> None:
    judged_ago(bench, days=30)
    backed_up_ago(tmp_path, days=6)
    assert told() == []
    backed_up_ago(tmp_path, days=8, hours=1)
    assert told() == [("The last backup is 8 days old.", HINT, "assize.W003")]


def test_status_page_tells_of_the_last_backup(bench: Bench, client_for: ClientFor, tmp_path: Path, no_queue: None) -> None:
    client = client_for(make_user("Ada Admin", staff=True))
    judged_ago(bench, days=2)
    page = client.get("/status/").content.decode()
    assert "There are judgments, but no backup." in page and "None so far." in page
    backed_up_ago(tmp_path, days=1)
    page = client.get("/status/").content.decode()
    assert "no backup" not in page and "/backups/one.zip, 3.2\xa0MB" in page
