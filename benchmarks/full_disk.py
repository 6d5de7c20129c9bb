"""A disk that is full while people judge: the part of `make chaos` that needs a small disk of its own."""

import asyncio
import json
import shutil
import subprocess
import time
import uuid
from contextlib import suppress
from pathlib import Path
from typing import Any

from benchmarks.chaos import world
from benchmarks.chaos_people import AGAIN, answered
from benchmarks.checks import API, assize, get
from benchmarks.crowd import QUEUE, Connection
from benchmarks.load import in_a_loop
from tests.site import Site

NOT_TRIED = "a full disk: not tried, since mounting a small one needs root; it counts neither as kept nor as broken"


def disk_full() -> list[str] | None:
    """When it is full nothing is called saved that is not, and when there is room again all goes on by itself.

    What went wrong; None where it could not be tried."""
    site = Site(ASSIZE_LOG_LEVEL="WARNING")
    mount = ["mount", "-t", "tmpfs", "-o", "size=640m", "assize-chaos", str(site.data)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        site.remove()
        return None
    try:
        site.start()
        return in_a_loop(_fill_up(site, world(site, 2, 2, 100)))
    finally:
        if site.process and site.process.poll() is None:
            site.stop()
        subprocess.run(["umount", "-l", str(site.data)], check=False)  # noqa: S607
        shutil.rmtree(site.data, ignore_errors=True)


async def _fill_up(site: Site, secrets: dict[str, Any]) -> list[str]:
    connection = Connection(site.port, Authorization=f"Bearer {secrets['assessors'][0]}")
    _status, text = await answered(connection, "GET", f"{QUEUE}?count=20")
    seats = [card["seat"] for card in json.loads(text)]
    filler = site.data / "filler"
    _fill(filler)
    sent = [(act, await _judge(connection, seat, act)) for seat in seats[:-1] for act in [str(uuid.uuid4())]]
    filler.unlink()
    begin, last = time.monotonic(), str(uuid.uuid4())
    while await _judge(connection, seats[-1], last) != 200 and time.monotonic() - begin < 30:
        await asyncio.sleep(AGAIN)
    back = time.monotonic() - begin
    connection.close()
    rows = get(site, secrets["organizer"], f"{API}/judgments?history=true&format=jsonl").decode()
    saved = [act for act, status in sent if status == 200]
    faults = [f"acknowledged on a full disk, but lost: {act}" for act in [*saved, last] if act not in rows]
    if back > 10:
        faults.append(f"judging went on {back:.0f} s after there was room, more than 10")
    examined = assize(site, "doctor")
    if examined.returncode:
        faults.append(f"assize doctor: {examined.stdout[-500:]}")
    print(
        f"a full disk: {len(sent) - len(saved)} of {len(sent)} refused, {len(saved)} saved,"
        f" judging again {back:.1f} s after there was room: {'BROKEN' if faults else 'kept'}"
    )
    return faults


def _fill(file: Path) -> None:
    for portion in (1 << 16, 1 << 10, 1):
        with suppress(OSError), file.open("ab", buffering=0) as opened:
            while True:
                opened.write(bytes(portion))


async def _judge(connection: Connection, seat: str, act: str) -> int:
    body = json.dumps({"grade": 1, "client_id": act, "seconds": 1, "note": act}).encode()
    return (await answered(connection, "POST", f"{QUEUE}/{seat}", body))[0]
