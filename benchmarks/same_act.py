"""`python -m benchmarks.same_act [--pg]`: one act sent twenty times at once over HTTP is one, on a real site.

100 rounds. In every other one all twenty connections are cut before their answers are read, and all twenty send again. In
the end each act is sent once more. It ends with status 1 unless all answers to an act name the same judgment, those of one
moment are the same bytes, and the history has each act once.
"""

import argparse
import asyncio
import json
import random
import sys
import time
import uuid
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from benchmarks import crowd
from benchmarks.checks import get
from benchmarks.crowd import Connection
from benchmarks.databases import database
from benchmarks.load import in_a_loop, machine
from tests.site import Site

ROUNDS, AT_ONCE = 100, 20
SOON = 0.1  # seconds at most between a request that is sent and its connection that is cut


@dataclass
class Same:
    """An assessor who sends each act by many connections."""

    port: int
    secret: str
    slug: str
    answers: int = 0
    cut: int = 0
    unread: int = 0  # acts that were stored though nobody had read an answer
    saved: dict[str, Any] = field(default_factory=dict)  # act -> what the first answer said of it
    faults: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.queue = f"/api/v1/collections/{self.slug}/queue"
        self.sent: list[tuple[str, bytes]] = []

    async def play(self, rounds: int) -> None:
        connections = [self._connection() for _ in range(AT_ONCE)]
        for number in range(rounds):
            seat, act = await self._next(connections[0]), str(uuid.uuid4())
            told = {"grade": number % 4, "client_id": act, "seconds": 1, "note": act, "seen": 0}
            path, body = f"{self.queue}/{seat}", json.dumps(told).encode()
            self.sent.append((path, body))
            if number % 2:
                await asyncio.gather(*(self._cut_off(path, body) for _ in range(AT_ONCE)))
                self.unread += await self._next(connections[0]) != seat
            told_all = await asyncio.gather(*(self._send(one, path, body) for one in connections))
            if len(set(told_all)) > 1:
                self.faults.append(f"{act}: {len(set(told_all))} kinds of answers, as {sorted(set(told_all))[:2]}")
        for path, body in self.sent:
            await self._send(connections[0], path, body)
        for connection in connections:
            connection.close()

    async def _next(self, connection: Connection) -> str:
        _status, text = await connection.ask("GET", f"{self.queue}?count=1")
        seat: str = json.loads(text)[0]["seat"]
        return seat

    def _connection(self) -> Connection:
        return Connection(self.port, Authorization=f"Bearer {self.secret}")

    async def _send(self, connection: Connection, path: str, body: bytes) -> bytes:
        status, text = await connection.ask("POST", path, body)
        if status != 200:
            self.faults.append(f"{status} {text[:200]!r}")
            return text
        act, saved = json.loads(body)["client_id"], json.loads(text)["saved"]
        self.answers += 1
        if self.saved.setdefault(act, saved) != saved:
            self.faults.append(f"{act} was {self.saved[act]} and is {saved}")
        return text

    async def _cut_off(self, path: str, body: bytes) -> None:
        """Sent whole, and never read."""
        _reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        head = f"POST {path} HTTP/1.1\r\n{self._connection().head}Content-Length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        await writer.drain()
        await asyncio.sleep(random.uniform(0, SOON))  # noqa: S311
        writer.transport.abort()
        self.cut += 1

    def compare(self, history: list[dict[str, Any]]) -> None:
        """The acts of the history are those that were sent, each once and with its grade."""
        sent = Counter((told["note"], told["grade"]) for told in (json.loads(body) for _path, body in self.sent))
        stored = Counter((row["note"], row["grade"]) for row in history)
        if stored != sent:
            self.faults.append(f"the history has {stored.total()} rows of {len(stored)} acts for {len(sent)} that were sent")


def same_act(site: Site, slug: str, assessor: str, organizer: str, rounds: int) -> Same:
    """With the tokens of an assessor who has judged nothing, and something to judge, and of the organizer."""
    same = Same(site.port, assessor, slug)
    in_a_loop(same.play(rounds))
    export = get(site, organizer, f"/api/v1/collections/{slug}/judgments?history=true&format=jsonl")
    same.compare([json.loads(line) for line in export.splitlines()])
    return same


def run(name: str, rounds: int) -> bool:
    site = Site(ASSIZE_LOG_LEVEL="WARNING")
    try:
        made = crowd.settle(site.start(), 1, 2, rounds)
        secret = made.judges[0].connection.head.partition("Bearer ")[2].split()[0]
        begin = time.perf_counter()
        same = same_act(site, crowd.COLLECTION, secret, made.organizer, rounds)
        seconds = time.perf_counter() - begin
    finally:
        site.remove()
    print(
        f"{name}, {machine()}: {rounds} acts, each sent {AT_ONCE} times at once and once more at the end, in {seconds:.0f} s:"
    )
    lost = f"{same.cut:,} connections cut before theirs, {same.unread} acts stored though no answer was read"
    print(f"{same.answers:,} answers, {lost}; {len(same.faults)} faults", *same.faults[:10], sep="\n")
    return not same.faults and len(same.saved) == rounds and same.answers == rounds * (AT_ONCE + 1) and same.unread > 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.same_act", description=__doc__)
    parser.add_argument("--pg", action="store_true", help="on PostgreSQL instead of SQLite")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"{ROUNDS} unless given")
    options = parser.parse_args()
    with database(pg=options.pg) as name:
        return 0 if run(name, options.rounds) else 1


if __name__ == "__main__":
    sys.exit(main())
