"""The load of `make load` and `make claims` in a short form: real processes, a crowd, imports beside it."""

import pytest

from benchmarks import load
from tests.site import Site

pytestmark = pytest.mark.once  # locks are asked on both by tests/assess/test_at_once.py


def test_a_crowd_judges_beside_imports_and_nothing_is_lost(site: Site) -> None:
    """Speed is judged by the full form: here the machine may be busy with other tests."""
    found = load.load(site, seconds=4, people=20, think=0.5, topics=4, items=100, lines=500)
    assert {name: odd for name, odd in found.checks.items() if odd} == {}
    assert len(found.checks) == 12 and found.acknowledged > 40 and found.tags
    assert (found.locked, found.pool, len(found.measures())) == ([], "", 8)
