"""The faults of `make chaos` in a short form; that killed workers and horses lose no job is asked in tests/live/test_up.py."""

import pytest

from benchmarks import chaos
from tests.site import Site

pytestmark = [pytest.mark.larger, pytest.mark.timeout(240)]  # more can be killed on PostgreSQL


def test_nothing_that_was_acknowledged_is_lost_or_doubled(own_site: Site) -> None:
    jobs_cut_off = {"worker killed", "horse killed"}  # each is noticed after 45 s of silence
    found = chaos.chaos(own_site, kills=1, people=8, items=300, without={"worker paused", *jobs_cut_off})
    assert found.faults == []
    assert found.acknowledged > 5 and len(found.kills) >= 4  # where the suite leaves little of the machine, few are judged
