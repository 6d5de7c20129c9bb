"""People judge on while parts of a real site hang, are renewed, or are kept busy by slow lines; and what is abandoned goes on.

One site for all of these, in this order: it is started again with short leases, which the last needs, and judged without a
journal from then on.
"""

import asyncio
import json
import re
import signal
import subprocess
import sys
import time
import urllib.parse
import urllib.request
import uuid
from collections.abc import Callable, Iterator
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any

import pytest

from benchmarks import chaos
from benchmarks.chaos_people import Journal, judge_on, stubborn
from benchmarks.checks import API, get
from benchmarks.crowd import COLLECTION, QUEUE, Connection
from benchmarks.load import in_a_loop
from tests.factories import PASSWORD
from tests.site import ROOT, Site, standing_still

pytestmark = pytest.mark.timeout(300)
LEASE = 5


class World:
    def __init__(self, site: Site, folder: Path) -> None:
        self.site, self.secrets = site, chaos.world(site, 6, 4, 300)
        self.journal = Journal(folder / "journal.txt")
        self.judges = stubborn(site, self.secrets["assessors"], self.journal)

    def beside_judging(self, act: Callable[[], None]) -> int:
        """Do something while all judge, and send again what was not taken; how many acts were acknowledged meanwhile."""

        async def play() -> None:
            over = asyncio.Event()

            async def disturb() -> None:
                try:
                    await asyncio.to_thread(act)
                finally:
                    over.set()

            await asyncio.gather(disturb(), *(judge_on(judge, over, 0.3) for judge in self.judges))
            for judge in self.judges:
                judge.connection.close()

        before = self.journal.seen.total()
        in_a_loop(play())
        assert [error for judge in self.judges for error in judge.errors] == []
        return self.journal.seen.total() - before

    def ask(self, secret: str, method: str, path: str, body: object = None) -> Any:
        status, text = self.answer(secret, method, path, body)
        assert status < 300, text
        return json.loads(text)

    def answer(self, secret: str, method: str, path: str, body: object) -> tuple[int, bytes]:
        async def once() -> tuple[int, bytes]:
            connection = Connection(self.site.port, Authorization=f"Bearer {secret}")
            try:
                return await connection.ask(method, path, json.dumps(body).encode() if body is not None else b"")
            finally:
                connection.close()

        return in_a_loop(once())


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    site = Site(ASSIZE_WEB_PROCESSES="1").start()
    found = World(site, tmp_path_factory.mktemp("journal"))
    yield found
    found.journal.close()
    site.remove()


def test_without_queue_and_workers_people_judge_sign_in_and_download(world: World) -> None:
    """They hang, which is worse than to be gone: who asks them waits."""
    site, job = world.site, dict[str, Any]()

    def hang() -> None:
        with site.hanging():
            assert "jobs wait and start by themselves" in _page_after_sign_in(site, "chaos-bench")
            assert site.ready() == {"database": True, "queue": False, "workers": False, "disk": True}
            assert get(site, world.secrets["organizer"], f"{API}/pools/file").count(b"\n") == 1200
            job.update(world.ask(world.secrets["admin"], "POST", "/api/v1/jobs/trial", {"steps": 1, "seconds": 1}))

    assert world.beside_judging(hang) > 0
    assert sum(judge.resent for judge in world.judges) == 0, "no judgment failed, not even once"
    site.wait_for(lambda: world.ask(world.secrets["admin"], "GET", f"/api/v1/jobs/{job['id']}")["state"] == "done", 90)


@pytest.mark.once  # of the queue
def test_a_killed_worker_is_told_and_a_busy_one_is_alive(world: World) -> None:
    site, admin = world.site, world.secrets["admin"]
    assert site.process
    site.wait_for(lambda: len(site.pids("worker")) == 1, 60)  # what others asked for is done
    job = world.ask(admin, "POST", "/api/v1/jobs/trial", {"steps": 1, "seconds": 12})
    while world.ask(admin, "GET", f"/api/v1/jobs/{job['id']}")["state"] != "done":
        assert site.ready()["workers"]
        time.sleep(0.2)
    with standing_still([site.process.pid]):  # or it would start another at once
        site.kill("worker")  # how soon, benchmarks/dead_worker.py tells
        site.wait_for(lambda: site.ready() == {"database": True, "queue": True, "workers": False, "disk": True}, 60)
    site.wait_for(lambda: site.ready()["workers"], 60)


def _page_after_sign_in(site: Site, name: str) -> str:
    """The collection's page, for somebody who has just signed in by the form."""
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
    form = opener.open(f"{site.url}/sign-in/", timeout=60).read().decode()
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', form)
    assert token, form
    told = {"username": name, "password": PASSWORD, "csrfmiddlewaretoken": token[1]}
    opener.open(f"{site.url}/sign-in/", urllib.parse.urlencode(told).encode(), timeout=60).close()
    with opener.open(f"{site.url}/c/{COLLECTION}/", timeout=60) as answer:
        page: str = answer.read().decode()
        return page


@pytest.mark.once  # of the web server
@pytest.mark.parametrize("key", ["", "Idempotency-Key: slow-{}\r\n"], ids=["plain", "keyed"])
def test_slow_lines_keep_nobody_from_judging(world: World, key: str) -> None:
    """More of them than the web server has threads, each sending a byte now and then; one with a key holds no lock."""
    site = world.site
    before = _files(site)

    def send_slowly() -> None:
        in_a_loop(_drip(site, world.secrets["organizer"], key, lines=12, seconds=3))

    assert world.beside_judging(send_slowly) > 0
    assert sum(judge.resent for judge in world.judges) == 0
    site.wait_for(lambda: _files(site) == before, 90)


async def _drip(site: Site, secret: str, key: str, lines: int, seconds: float) -> None:
    async def one(number: int) -> None:
        _reader, writer = await asyncio.open_connection("127.0.0.1", site.port)
        head = f"POST {API}/runs HTTP/1.1\r\nHost: 127.0.0.1:{site.port}\r\nAuthorization: Bearer {secret}\r\n"
        head += f"{key.format(number)}Content-Type: multipart/form-data; boundary=slow\r\nContent-Length: 1000000\r\n\r\n"
        writer.write(f'{head}--slow\r\nContent-Disposition: form-data; name="file"; filename="slow.txt"\r\n\r\n'.encode())
        for _ in range(int(seconds / 0.3)):
            writer.write(b"1")
            await asyncio.sleep(0.3)
        writer.close()

    await asyncio.gather(*(one(number) for number in range(lines)))


def _files(site: Site) -> list[str]:
    return sorted(str(path) for path in (site.data / "files").rglob("*") if path.is_file())


def test_renewed_the_site_takes_every_judgment_once(world: World) -> None:
    """Who is in the queue of a web process that ends is cut off, and sends the same act again."""
    site = world.site
    old = set(site.pids("web"))

    def renew() -> None:
        assert site.process
        site.process.send_signal(signal.SIGUSR1)
        site.wait_for(lambda: (now := set(site.pids("web"))) and not now & old, 120)
        site.wait_for(lambda: all(site.ready().values()), 120)

    assert world.beside_judging(renew) > 0
    found = chaos.Found()
    chaos.compare(site, world.secrets["organizer"], world.journal, [], found)
    assert set(found.odd.values()) == {0}, found.faults


def test_stopped_migrated_and_started_again_nothing_is_lost(world: World) -> None:
    site = world.site
    site.env["ASSIZE_LEASE_SECONDS"] = str(LEASE)

    def renew() -> None:
        time.sleep(0.5)
        site.stop()
        migrate = [sys.executable, "manage.py", "migrate", "-v0", "--skip-checks"]
        subprocess.run(migrate, cwd=ROOT, env=site.env, check=True)
        site.start()

    assert world.beside_judging(renew) > 0
    found = chaos.Found()
    chaos.compare(site, world.secrets["organizer"], world.journal, [], found)
    found.odd.pop("given to two")  # leases are short now, and who comes late is kept beside the next
    assert set(found.odd.values()) == {0}, found.faults


@pytest.mark.once  # of SQLite; PostgreSQL is stopped by tests/live/test_chaos.py
def test_a_database_whose_file_is_taken_away_is_told_and_takes_nothing(world: World) -> None:
    """Its connections are open, and would write on into what nobody finds again. Put back, all goes on by itself."""
    site, secret = world.site, world.secrets["assessors"][0]
    file, away = site.data / "assize.sqlite3", site.data / "away.sqlite3"
    seat = world.ask(secret, "GET", f"{QUEUE}?count=5")[0]["seat"]
    act = {"grade": 1, "client_id": str(uuid.uuid4())}
    file.rename(away)
    try:
        assert site.ready() == {"database": False, "queue": True, "workers": True, "disk": True}
        assert world.answer(secret, "POST", f"{QUEUE}/{seat}", act)[0] == 503
        assert not file.exists()
    finally:
        away.rename(file)
    world.ask(secret, "POST", f"{QUEUE}/{seat}", act)
    assert all(site.ready().values())


def test_abandoned_leases_are_given_out_again(world: World) -> None:
    assert world.site.env["ASSIZE_LEASE_SECONDS"] == str(LEASE)
    gone, others = world.secrets["assessors"][:3], world.secrets["assessors"][3:]
    for secret in others:
        world.ask(secret, "DELETE", f"{QUEUE}/hold")
    abandoned = {card["seat"] for secret in gone for card in world.ask(secret, "POST", f"{QUEUE}/hold", {"count": 20})}
    taken = set[str]()
    assert len(abandoned) == 60
    time.sleep(LEASE)
    until = time.monotonic() + 60  # how soon, benchmarks/leases.py tells
    while not abandoned <= taken:
        for secret in others:
            taken |= {card["seat"] for card in world.ask(secret, "POST", f"{QUEUE}/hold", {"count": 50})}
        assert time.monotonic() < until, f"{len(abandoned - taken)} of {len(abandoned)} are stuck"
