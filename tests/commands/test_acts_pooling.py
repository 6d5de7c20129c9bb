"""Commands that change one topic, one run, or the rules for runs."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from pytest_django import Settings

from pooling.models import Run, Topic
from tests.commands.conftest import Assize
from tests.conftest import Cast
from tests.pooling import files
from tests.pooling.files import run_file

pytestmark = pytest.mark.django_db
HERE = "harbour-trials"


@pytest.fixture(autouse=True)
def _own_data(settings: Settings, tmp_path: Path) -> None:
    settings.DATA = tmp_path / "data"


def test_a_topic_is_edited(assize: Assize, cast: Cast) -> None:
    files.take_topics(cast.collection, cast.organizer)
    edit = ("edit-topic", HERE, 1, "--by", "olga-organizer")
    assert assize(*edit, "--description", "Of turbines.", "--language", "en").status == 0
    topic = Topic.objects.get(number="1")
    assert (topic.title, topic.description, topic.language) == ("tidal power", "Of turbines.", "en")
    Topic.objects.update(translations={"fr": {"title": "marées", "description": "", "narrative": ""}})
    assert assize(*edit, "--of", "fr", "--narrative", "Toutes.").status == 0
    topic.refresh_from_db()
    assert topic.translations["fr"] == {"title": "marées", "description": "", "narrative": "Toutes."}
    assert assize(*edit, "--title", "").told == (1, "Error: title: Expected an entry; found nothing.")
    assert assize(*edit, "--of", "de", "--title", "Gezeiten").told == (1, "Error: Topic 1 has no version in “de”.")
    assert assize("edit-topic", HERE, 9).told == (1, "Error: There is no topic “9” in this collection.")
    assert assize("edit-topic", HERE).status == 2


def test_runs_are_listed_shown_and_edited(assize: Assize, cast: Cast, tmp_path: Path) -> None:
    files.take_topics(cast.collection, cast.organizer)
    (tmp_path / "a.run").write_bytes(run_file("alpha", t1="d1 d2", t2="d3", t10="d4"))
    assert assize("import-run", HERE, tmp_path / "a.run", "--figure", "cpu_seconds=2", "--by", "olga-organizer").status == 0
    (row,) = assize("runs", "list", HERE, "--json").json
    assert (row["tag"], row["group"], row["topics"], row["lines"]) == ("alpha", "", 3, 4)
    told = ("--group", "North", "--kind", "manual", "--priority", 2, "--description", "By hand.")
    assert assize("runs", "edit", HERE, "alpha", *told, "--figure", "index_bytes=5", "--figure", "cpu_seconds=").status == 0
    shown = assize("runs", "show", HERE, "alpha", "--json").json
    assert [shown[name] for name in ("group", "kind", "priority", "description")] == ["North", "manual", 2, "By hand."]
    assert shown["efficiency"] == Run.objects.get().efficiency == {"index_bytes": 5.0}
    assert assize("runs", "edit", HERE, "alpha", "--language", "en").status == 0
    assert (Run.objects.get().group, Run.objects.get().language) == ("North", "en")
    assert "“speed” is no efficiency figure" in assize("runs", "edit", HERE, "alpha", "--figure", "speed=5").told[1]
    assert assize("runs", "edit", HERE, "alpha", "--priority", 0).status == 1
    assert assize("runs", "show", HERE, "beta").told == (1, "Error: There is no run “beta” among those you see.")
    assert assize("runs", "edit", HERE, "alpha", "--kind", "magic").status == 2


def test_rules_for_runs_are_shown_and_set(assize: Assize, cast: Cast) -> None:
    wanted = ("--max-per-topic", 100, "--runs-per-group", 3, "--strict-runs", "yes", "--runs-close-at", "2030-01-02T12:00")
    found = assize("runs", "rules", HERE, *wanted, "--json").json
    assert found == {
        "max_per_topic": 100,
        "expected_per_topic": None,
        "runs_per_group": 3,
        "strict_runs": True,
        "runs_open_at": None,
        "runs_close_at": "2030-01-02T12:00:00Z",
    }
    assert assize("runs", "rules", HERE, "--runs-per-group", "", "--runs-open-at", "2029-01-01").status == 0
    cast.collection.refresh_from_db()
    assert (cast.collection.runs_per_group, cast.collection.max_per_topic) == (None, 100)
    assert cast.collection.runs_open_at == datetime(2029, 1, 1, tzinfo=UTC)
    late = assize("runs", "rules", HERE, "--runs-open-at", "2031-01-01")
    assert late.told == (1, "Error: Runs are taken until a time before they are taken from; expected one after it.")
    assert assize("runs", "rules", HERE, "--runs-open-at", "tomorrow").status == 2
    assert assize("runs", "rules", HERE, "--max-per-topic", 0).status == 1
