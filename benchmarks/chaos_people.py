"""Who judges and sends files while processes die: each act is written down when it is acknowledged, and sent again until then."""

import asyncio
import json
import os
import random
import time
import uuid
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from benchmarks.checks import API
from benchmarks.crowd import QUEUE, Connection, Judge
from tests.site import Site

AGAIN = 0.4  # seconds before what failed is sent again
PATIENCE = 120.0  # seconds in which an act must be taken, whatever is killed meanwhile
CHANGED = 0.1  # of all acts, while there is something new to judge; then all
LIVE_TRIALS = 3  # jobs that wait, so that no worker is idle


class Journal:
    """The clients' own list of what was acknowledged: on the disk before anything else happens."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = path.open("a")
        self.seen: Counter[tuple[int, str]] = Counter()  # acts of each on a seat
        self.last = time.monotonic()  # when something was acknowledged

    def note(self, person: int, act: str, seat: str, grade: int) -> None:
        self._file.write(f"{person} {act} {seat} {grade}\n")
        self._file.flush()
        os.fsync(self._file.fileno())
        self.seen[person, seat] += 1
        self.last = time.monotonic()

    def by_person(self, first: int | None = None) -> dict[int, list[tuple[str, int]]]:
        """Acts and grades of each, in their order, as they stand on the disk; of the first lines alone, or of all."""
        found: dict[int, list[tuple[str, int]]] = {}
        for line in self.path.read_text().splitlines()[:first]:
            person, act, _seat, grade = line.split()
            found.setdefault(int(person), []).append((act, int(grade)))
        return found

    def close(self) -> None:
        self._file.close()


@dataclass
class Stubborn(Judge):
    """A judge who sends an act again until it is acknowledged; its name goes with it as the note.

    Who has nothing new to judge changes their mind about what they judged. How many acts they know of goes along (`seen`):
    one that was lost or doubled would be refused.
    """

    journal: Journal | None = None
    person: int = 0
    resent: int = 0

    async def act(self) -> bool:
        assert self.journal is not None  # noqa: S101
        seat = await self._seat()
        if seat is None:
            return False
        act, grade = str(uuid.uuid4()), random.randrange(4)  # noqa: S311
        told = {"grade": grade, "client_id": act, "seconds": 1, "note": act, "seen": self.journal.seen[self.person, seat]}
        text = await self._until_taken("POST", f"{QUEUE}/{seat}", json.dumps(told).encode())
        if text is None:
            return False
        self.journal.note(self.person, act, seat, grade)
        self.judged[seat] = act
        self._add(json.loads(text)["next"])
        return True

    async def _seat(self) -> str | None:
        if self.judged and random.random() < CHANGED:  # noqa: S311
            return random.choice(list(self.judged))  # noqa: S311
        if not self.waiting and (text := await self._until_taken("GET", f"{QUEUE}?count=5")):
            self._add(json.loads(text))
        if self.waiting:
            return self.waiting.pop(0)
        return random.choice(list(self.judged)) if self.judged else None  # noqa: S311

    async def _until_taken(self, method: str, path: str, body: bytes = b"") -> bytes | None:
        """The answer; nothing where it was refused, or not taken while everything should have come back."""
        until, status, text = time.monotonic() + PATIENCE, 0, b""
        while time.monotonic() < until:
            status, text = await answered(self.connection, method, path, body)
            if status == 200:
                return text
            if 400 <= status < 500 and status != 429:
                break
            self.resent += 1
            await asyncio.sleep(AGAIN)
        self.errors.append(f"{method} {path}: {status} {text[:200]!r}")
        return None


def stubborn(site: Site, secrets: list[str], journal: Journal) -> list[Stubborn]:
    connections = [Connection(site.port, Authorization=f"Bearer {secret}") for secret in secrets]
    return [Stubborn(connection, journal=journal, person=person) for person, connection in enumerate(connections)]


async def judge_on(judge: Stubborn, over: asyncio.Event, think: float) -> None:
    while not over.is_set() and not judge.errors:
        await judge.act()
        await asyncio.sleep(think)


async def answered(connection: Connection, method: str, path: str, body: bytes = b"") -> tuple[int, bytes]:
    """The answer, status 0 where there was none within ten seconds."""
    try:
        return await asyncio.wait_for(connection.ask(method, path, body), 10)
    except (OSError, TimeoutError, ValueError):
        connection.close()
        return 0, b""


@dataclass
class Sender:
    """A participant's runs, one after the other; every fourth is cut off half way."""

    site: Site
    secret: str
    topics: int
    cut: int = 0

    def __post_init__(self) -> None:
        self.tags: list[str] = []
        self.errors: list[str] = []

    async def send(self, over: asyncio.Event, pause: float = 1.0) -> None:
        number = 0
        while not over.is_set() and not self.errors:
            number += 1
            tag, mark = f"chaos-{number}", uuid.uuid4().hex
            headers = {"Authorization": f"Bearer {self.secret}", "Content-Type": f"multipart/form-data; boundary={mark}"}
            connection = Connection(self.site.port, **headers, **{"Idempotency-Key": tag})
            await (self._half if number % 4 == 0 else self._whole)(connection, tag, self._form(tag, mark))
            await asyncio.sleep(pause)

    def _form(self, tag: str, mark: str) -> bytes:
        lines = ((n % self.topics + 1, f"L{n // self.topics:05}", n) for n in range(3000))
        rows = "".join(f"{topic} Q0 {docno} {n} {5000 - n} {tag}\n" for topic, docno, n in lines)
        head = f'--{mark}\r\nContent-Disposition: form-data; name="file"; filename="{tag}.txt"\r\n\r\n'
        return f"{head}{rows}\r\n--{mark}--\r\n".encode()

    async def _half(self, connection: Connection, tag: str, body: bytes) -> None:
        with suppress(OSError):
            _reader, writer = await asyncio.open_connection("127.0.0.1", self.site.port)
            head = f"POST {API}/runs HTTP/1.1\r\n{connection.head}Content-Length: {len(body)}\r\n\r\n"
            writer.write(head.encode() + body[: len(body) // 2])
            await writer.drain()
            writer.close()
            self.cut += 1

    async def _whole(self, connection: Connection, tag: str, body: bytes) -> None:
        until, status, text = time.monotonic() + PATIENCE, 0, b""
        while status not in (200, 201, 202):
            if time.monotonic() > until or (400 <= status < 500 and status not in (409, 429)):
                self.errors.append(f"the run {tag} was not taken: {status} {text[:200]!r}")
                return
            status, text = await answered(connection, "POST", f"{API}/runs", body)
            await asyncio.sleep(AGAIN)
        self.tags.append(tag)
        connection.close()


async def keep_busy(site: Site, secret: str, over: asyncio.Event) -> None:
    """Jobs that only count, two seconds each, so that there is always one to be killed in the middle."""
    connection = Connection(site.port, Authorization=f"Bearer {secret}")
    trial = json.dumps({"steps": 4, "seconds": 2}).encode()
    while not over.is_set():
        status, text = await answered(connection, "GET", f"/api/v1/jobs?state=waiting&page_size={LIVE_TRIALS}")
        if status == 200 and len(json.loads(text)["results"]) < LIVE_TRIALS:
            await answered(connection, "POST", "/api/v1/jobs/trial", trial)
        await asyncio.sleep(0.5)
    connection.close()
