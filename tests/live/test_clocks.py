"""`python -m benchmarks.clocks` in a short form: the clock of a real site is set back by an hour while people judge."""

import pytest

from benchmarks.clocks import EACH, GONE, HOUR, LEASE, clocks
from tests.clock import own_clock
from tests.site import Site


@pytest.mark.once  # the database is asked for no time
@pytest.mark.timeout(300)
def test_order_leases_and_jobs_do_not_hang_on_the_clock_of_the_server() -> None:
    with own_clock() as clock:
        site = Site(ASSIZE_LEASE_SECONDS=str(LEASE), **clock.env)
        try:
            [back] = clocks(site.start(), clock, settings=(-HOUR,), items=100)
        finally:
            site.remove()
    assert back.faults == []
    assert (len(back.again), back.taken, back.tries) == (GONE * EACH, set(), 1)
    assert back.acknowledged > 50
