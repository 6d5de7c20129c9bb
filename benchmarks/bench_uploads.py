"""`python -m benchmarks.bench_uploads [--pg]`: seconds from sending a file to “accepted”, and what the processes grow by.

A run of 50,000 lines, one of 300,000, and 100,000 documents, each over the API to a site that is idle otherwise; then
bombs, which must be refused: a gzipped run that unpacks to more than may be sent, the same by Zstandard, and documents of a
gzip in a zip. It ends with status 1 beyond 3, 15 and 120 s, beyond 15 s for a bomb, or when a process of the site grows by
more than 150 MB with one.
"""

import asyncio
import io
import json
import sys
import threading
import time
import zipfile
import zlib
from collections.abc import Iterator
from uuid import uuid4

import zstandard

from benchmarks import checks, crowd
from benchmarks.crowd import Connection
from benchmarks.databases import on_either
from benchmarks.load import Given, in_a_loop, machine, sizes
from tests.site import Site

TOPICS, ITEMS = 300, 4  # a run has a thousand lines of a topic at most
RUNS = ((50_000, 3.0), (300_000, 15.0))
DOCUMENTS, DOCUMENTS_WITHIN = 100_000, 120.0
BOMB_MB, BOMB_WITHIN, GROWTH = 1_100, 15.0, 150
PATIENCE = 300.0


class Weighed:
    """How much each part of the site grew meanwhile at most, in megabytes, by its largest process."""

    def __init__(self, site: Site) -> None:
        self.site, self.over = site, threading.Event()

    def __enter__(self) -> "Weighed":
        self.before = {part: max(sizes(self.site, part).values()) for part in ("web", "worker")}
        self.most = dict(self.before)
        self.thread = threading.Thread(target=self._watch)
        self.thread.start()
        return self

    def _watch(self) -> None:
        while not self.over.wait(0.1):
            for part in self.most:
                self.most[part] = max(self.most[part], *sizes(self.site, part).values(), 0.0)

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self.thread.join()

    def grown(self) -> dict[str, float]:
        return {part: most - self.before[part] for part, most in self.most.items()}


async def _send(site: Site, secret: str, kind: str, name: str, data: bytes) -> tuple[str, float]:
    """The state that the file ended in, and the seconds from its first byte on."""
    mark, begin = uuid4().hex, time.perf_counter()
    headers = {"Authorization": f"Bearer {secret}", "Content-Type": f"multipart/form-data; boundary={mark}"}
    sending, reading = Connection(site.port, **headers), Connection(site.port, Authorization=f"Bearer {secret}")
    field = f"--{mark}\r\nContent-Disposition: form-data; name="
    head = f'{field}"others"\r\n\r\nkeep\r\n' if kind == "documents" else ""  # those that the site was made with
    head += f'{field}"file"; filename="{name}"\r\n\r\n'
    status, text = await sending.ask("POST", f"{checks.API}/{kind}", head.encode() + data + f"\r\n--{mark}--\r\n".encode())
    sending.close()
    state, upload = f"{status} {text[:200]!r}", json.loads(text).get("id")
    while status < 400 and time.perf_counter() - begin < PATIENCE:
        _status, text = await reading.ask("GET", f"{checks.API}/uploads/{upload}")
        if (state := json.loads(text)["state"]) != "received":
            break
        await asyncio.sleep(0.05)
    reading.close()
    return state, time.perf_counter() - begin


def _documents() -> bytes:
    words = "The tide carries salmon past the turbines of the harbour, and eel at night. " * 8
    rows = (json.dumps({"id": f"U{number:06}", "title": f"Survey {number}", "text": words}) for number in range(DOCUMENTS))
    return "\n".join(rows).encode()


def _bombs() -> Iterator[tuple[str, str, bytes]]:
    """So many megabytes of one line, packed: (what, kind, file)."""
    line, documents = b"1 Q0 D1-000-1 1 1.0 bomb\n" * 40_000, (b" \t  " * 2_500 + b"\n") * 100
    for name, kind, part, begun in (
        ("by gzip", "runs", line, zlib.compressobj(1, wbits=31)),
        ("by Zstandard", "runs", line, zstandard.ZstdCompressor().compressobj()),
        ("by gzip in a zip", "documents", documents, zlib.compressobj(1, wbits=31)),  # to a 200th, and again
    ):
        data = b"".join([*(begun.compress(part) for _ in range(BOMB_MB)), begun.flush()])
        if kind == "documents":
            packed = io.BytesIO()
            with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
                archive.writestr("documents.jsonl.gz", data)
            data = packed.getvalue()
        yield f"a bomb of {BOMB_MB:,} MB {name}", kind, data


def bench(name: str) -> bool:
    """Whether all was quick enough and small enough."""
    site, good = Site(ASSIZE_LOG_LEVEL="WARNING"), True
    try:
        made = crowd.settle(site.start(), 1, TOPICS, ITEMS)
        files = [
            (f"a run of {lines:,} lines", "runs", Given(TOPICS, made.documents, lines).run(f"run-{lines}").encode(), within)
            for lines, within in RUNS
        ]
        files.append((f"{DOCUMENTS:,} documents", "documents", _documents(), DOCUMENTS_WITHIN))
        print(f"{name}: {machine()}\n\n| | MB sent | state | seconds | at most | web grew, worker grew |\n{'| --- ' * 6}|")
        for what, kind, data, within in [*files, *((*bomb, BOMB_WITHIN) for bomb in _bombs())]:
            wanted = "refused" if what.startswith("a bomb") else "accepted"
            with Weighed(site) as weighed:
                state, taken = in_a_loop(_send(site, made.organizer, kind, f"{uuid4().hex[:8]}.txt", data))
            grown = weighed.grown()
            told = ", ".join(f"{most:.0f} MB" for most in grown.values())
            print(f"| {what} | {len(data) / 1e6:.1f} | {state} | {taken:.1f} | {within:g} | {told} |", flush=True)
            good &= state == wanted and taken <= within and (wanted == "accepted" or max(grown.values()) <= GROWTH)
    finally:
        site.remove()
    print("\nkept" if good else "\nBROKEN")
    return good


if __name__ == "__main__":
    sys.exit(on_either("bench_uploads", __doc__ or "", bench))
