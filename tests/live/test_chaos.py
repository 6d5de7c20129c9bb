"""The faults of `make chaos` in a short form; that killed workers and horses lose no job is asked in tests/live/test_up.py."""

import pytest

from benchmarks import chaos
from benchmarks.chaos_ways import Postgres
from tests import plugin
from tests.site import Site

pytestmark = pytest.mark.timeout(300)


def test_nothing_that_was_acknowledged_is_lost_or_doubled(own_site: Site) -> None:
    """On PostgreSQL its first process is killed too, and it is stopped for a while."""
    jobs_cut_off = {"worker killed", "horse killed"}  # each is noticed after 45 s of silence
    postgres = Postgres(plugin.started[0]) if plugin.started else None
    without = {"worker paused", *jobs_cut_off}
    found = chaos.chaos(own_site, kills=1, people=8, items=300, without=without, postgres=postgres)
    assert found.faults == []
    assert found.acknowledged > 5 and len(found.kills) >= 4  # where the suite leaves little of the machine, few are judged
    assert len(found.back) == (1 if postgres else 0)
