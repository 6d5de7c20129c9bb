"""Many assessors at once, from one thread: connections that are kept open, and who judges over them."""

import asyncio
import json
import random
import subprocess
import sys
import time
import uuid
from dataclasses import dataclass, field
from typing import Any

from tests.site import ROOT, Site

COLLECTION = "judging-bench"
QUEUE = f"/api/v1/collections/{COLLECTION}/queue"


class Connection:
    """HTTP over one socket, which is opened again when the server ends it."""

    def __init__(self, port: int, **headers: str) -> None:
        self.port = port
        told = {"Host": f"127.0.0.1:{port}", "Content-Type": "application/json", **headers}
        self.head = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in told.items())
        self.streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, method: str, path: str, body: bytes = b"") -> tuple[int, bytes]:
        if self.streams and self.streams[0].at_eof():  # it was idle for too long
            self.close()
        if self.streams is None:
            self.streams = await asyncio.open_connection("127.0.0.1", self.port)
        reader, writer = self.streams
        try:
            writer.write(f"{method} {path} HTTP/1.1\r\n{self.head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            lines = head.split("\r\n")
            told = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
            text = await (self._chunks(reader) if "chunked" in told.get("transfer-encoding", "") else self._whole(reader, told))
            return int(lines[0].split()[1]), text
        except (OSError, asyncio.IncompleteReadError):
            self.close()
            raise ConnectionError(f"{method} {path}: the connection was cut") from None

    async def _whole(self, reader: asyncio.StreamReader, told: dict[str, str]) -> bytes:
        return await reader.readexactly(int(told.get("content-length", "0")))

    async def _chunks(self, reader: asyncio.StreamReader) -> bytes:
        found = b""
        while size := int(await reader.readline(), 16):
            found += (await reader.readexactly(size + 2))[:-2]
        await reader.readline()
        return found

    def close(self) -> None:
        if self.streams:
            self.streams[1].close()
        self.streams = None


@dataclass
class Judge:
    """An assessor who takes what is next and judges it; the answer brings what comes then."""

    connection: Connection
    waiting: list[str] = field(default_factory=list)
    judged: dict[str, str] = field(default_factory=dict)  # seat -> the act that was acknowledged
    acts: list[tuple[str, str, int]] = field(default_factory=list)  # the same in their order: seat, act, grade
    errors: list[str] = field(default_factory=list)
    times: list[tuple[float, float]] = field(default_factory=list)  # (at, seconds)

    async def take(self) -> None:
        status, text = await self.connection.ask("GET", f"{QUEUE}?count=5")
        if status != 200:
            self.errors.append(f"GET queue: {status} {text[:200]!r}")
            return
        self._add(json.loads(text))

    async def act(self) -> bool:
        """Judge one document; whether there was one. What fails is sent again, as the page does, and noted."""
        if not self.waiting:
            await self.take()
        if not self.waiting:
            return False
        seat, act = self.waiting.pop(0), str(uuid.uuid4())
        grade = len(self.judged) % 4
        body = json.dumps({"grade": grade, "client_id": act, "seconds": 1, "note": act}).encode()
        begin = time.perf_counter()
        status, text = await self.connection.ask("POST", f"{QUEUE}/{seat}", body)
        self.times.append((begin, time.perf_counter() - begin))
        if status != 200:
            self.errors.append(f"POST a judgment: {status} {text[:200]!r}")
            return True
        self.judged[seat] = act
        self.acts.append((seat, act, grade))
        self._add(json.loads(text)["next"])
        return True

    def _add(self, cards: list[dict[str, Any]]) -> None:
        known = {*self.waiting, *self.judged}
        self.waiting += [card["seat"] for card in cards if card["seat"] not in known]


@dataclass(frozen=True)
class Settled:
    """People with something to judge, and what the others of a load need."""

    judges: list[Judge]
    organizer: str  # token
    session: str  # of the organizer, for pages
    participants: list[str]  # tokens
    documents: list[str]


def settle(site: Site, people: int, topics: int, items: int, opinions: int = 1) -> Settled:
    """Made beside the site in its own database."""
    command = [sys.executable, "-m", "benchmarks.judging_world", *map(str, (people, topics, items, opinions))]
    told = subprocess.run(command, cwd=ROOT, env=site.env, capture_output=True, text=True, check=False)
    if told.returncode:
        raise RuntimeError(told.stderr[-2000:])
    made = json.loads(told.stdout)
    judges = [Judge(Connection(site.port, Authorization=f"Bearer {secret}")) for secret in made["assessors"]]
    return Settled(judges, made["organizer"], made["session"], made["participants"], made["documents"])


async def judge_until(judges: list[Judge], until: float, think: float = 0.0, most: int = 1_000_000) -> None:
    """All judge side by side until the time is over, nothing is left, or `most` are judged. They think for `think` seconds in
    the mean, now shorter and now longer: who all thought for the same time would come one by one at first, and in ever
    larger bunches later, and the last minute would seem slower than the first."""
    left, chance = [most], random.Random(len(judges))  # noqa: S311

    def thought() -> float:
        return min(chance.expovariate(1 / think), 10 * think)

    async def go(judge: Judge) -> None:
        if think:  # not all at the same moment
            await asyncio.sleep(thought())
        while time.perf_counter() < until and left[0] > 0:
            left[0] -= 1
            if not await judge.act():
                return
            if think:
                await asyncio.sleep(thought())

    await asyncio.gather(*(go(judge) for judge in judges))
