"""The faults of `make chaos` in a short form; that killed workers and horses lose no job is asked in tests/live/test_up.py."""

import pytest

from assess.services import assigning
from assess.services.assigning import Wanted
from benchmarks import chaos
from benchmarks.chaos_ways import Postgres
from benchmarks.same_act import AT_ONCE, same_act
from config import accounts
from pooling.services.work import Direct
from tests import factories, plugin
from tests.assess.factories import make_assessors, make_work
from tests.site import Site

pytestmark = pytest.mark.timeout(300)


def test_nothing_that_was_acknowledged_is_lost_or_doubled(own_site: Site) -> None:
    """On PostgreSQL its first process is killed too, and it is stopped for a while. A backup is made meanwhile."""
    jobs_cut_off = {"worker killed", "horse killed"}  # each is noticed after 45 s of silence
    postgres = Postgres(plugin.started[0]) if plugin.started else None
    without = {"worker paused", *jobs_cut_off}
    short = {"kills": 1, "people": 8, "items": 300, "moments": [1 / 2], "still": 2.0}
    found = chaos.chaos(own_site, **short, without=without, postgres=postgres)  # type: ignore[arg-type]
    assert found.faults == []
    assert found.acknowledged > 5 and len(found.kills) >= 4  # where the suite leaves little of the machine, few are judged
    assert len(found.back) == (1 if postgres else 0) and found.backups.startswith("1 backups")


def test_an_act_sent_twenty_times_at_once_is_one(site: Site) -> None:
    organizer = factories.make_user("Sam Same")
    collection = factories.make_collection(organizer, "Same act trials")
    [assessor] = make_assessors(collection, "Twice Told")
    wanted = [Wanted(topic, [assessor]) for topic in make_work(collection, organizer, topics=1, items=5)]
    assigning.assign(collection, by=organizer, wanted=wanted, overlap=0.0, seed=1, work=Direct(lambda *told: None))
    judge = accounts.make_token(user=assessor, name="same", scopes=["judge"])[1]
    reader = accounts.make_token(user=organizer, name="same", scopes=["read", "manage"])[1]
    found = same_act(site, collection.slug, judge, reader, rounds=2)
    assert (found.faults, len(found.saved), found.answers, found.cut) == ([], 2, 2 * AT_ONCE + 2, AT_ONCE)
