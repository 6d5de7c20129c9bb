"""`make guides`: the pictures of docs/guides, taken from the demo, so that they show what is there.

Starts `assize demo` in a folder of its own, presses its buttons, and writes docs/guides/NAME.png.
"""

import base64
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from playwright.sync_api import Browser, Page, sync_playwright

from tests import browser_setup
from tests.site import ROOT, free_port

FOLDER = Path(__file__).with_name("guides")
C = "/c/saltmere"
MOST = 60_000  # bytes of a picture


def nothing(page: Page) -> None:
    """Most pages are shown as they open."""


def keys(page: Page) -> None:
    page.keyboard.press("?")


def planned(page: Page) -> None:
    page.locator("#choice").get_by_label("Depth", exact=True).fill("20")
    page.get_by_role("button", name="Show the plan").click()
    page.locator(".figures").wait_for()


def token(page: Page) -> None:
    page.get_by_text("New token").click()


@dataclass(frozen=True)
class Picture:
    name: str
    who: str  # a user name of the demo, or "" for nobody
    path: str
    do: Callable[[Page], None] = nothing
    height: int = 560
    at: str = ""  # what is at the top, if not the top of the page


HEAD = ".page-head"
PICTURES = (
    Picture("front", "", "/", height=600),
    Picture("judge", "amos", f"{C}/judge/"),
    Picture("judge-keys", "amos", f"{C}/judge/", keys, height=1000),
    Picture("my-topics", "amos", f"{C}/judge/list/", at=HEAD, height=520),
    Picture("collection", "olive", f"{C}/"),
    Picture("runs", "olive", f"{C}/runs/", at=HEAD),
    Picture("plan", "olive", f"{C}/pool/?strategy=depth", planned, at=".figures", height=620),
    Picture("assign", "olive", f"{C}/assign/", at=HEAD),
    Picture("progress", "olive", f"{C}/progress/", at=HEAD),
    Picture("agreement", "olive", f"{C}/agreement/", at=HEAD),
    Picture("decide", "judith", f"{C}/adjudicate/topics/4/"),
    Picture("releases", "olive", f"{C}/releases/", at=HEAD, height=420),
    Picture("submit", "percy", f"{C}/runs/", at=HEAD, height=640),
    Picture("run-scores", "percy", f"{C}/scores/quay-feedback/", at=HEAD, height=640),
    Picture("leaderboard", "rosa", f"{C}/leaderboard/", at=HEAD),
    Picture("compare", "rosa", f"{C}/compare/?runs=quay-feedback&runs=quay-plain", at=HEAD, height=720),
    Picture("data", "rosa", f"{C}/data/", at=HEAD, height=600),
    Picture("try", "rosa", f"{C}/try/", at=HEAD, height=420),
    Picture("token", "rosa", "/profile/", token, height=700),
    Picture("status", "ada", "/status/"),
    Picture("people", "ada", "/people/", height=460),
)


@contextmanager
def demo() -> Iterator[str]:
    """A demo of its own, and its address."""
    folder, port = Path(tempfile.mkdtemp(prefix="assize-guides-")), free_port()
    env = {**os.environ, "ASSIZE_DATA": str(folder / "data"), "ASSIZE_PORT": str(port)}
    out = folder / "terminal.txt"
    with out.open("w") as terminal:
        process = subprocess.Popen(  # noqa: S603  (our own program)
            [str(Path(sys.executable).parent / "assize"), "demo"], cwd=ROOT, env=env, stdout=terminal, stderr=subprocess.STDOUT
        )
    try:
        until = time.monotonic() + 300
        while "ready at" not in out.read_text():
            if process.poll() is not None or time.monotonic() > until:
                raise SystemExit(f"The demo did not start:\n{out.read_text()}")
            time.sleep(0.2)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(30)
        shutil.rmtree(folder, ignore_errors=True)


def take(browser: Browser, url: str, picture: Picture) -> int:
    context = browser.new_context(
        base_url=url, viewport={"width": 1000, "height": picture.height}, reduced_motion="reduce", color_scheme="light"
    )
    page = context.new_page()
    page.goto("/")
    if picture.who:
        with page.expect_navigation():  # or the next address would cut it off
            page.locator(f'form[action="/demo/{picture.who}/"] button').click()
        page.goto(picture.path)
    picture.do(page)
    page.wait_for_load_state("networkidle")
    target = FOLDER / f"{picture.name}.png"
    box = page.locator(picture.at).first.bounding_box() if picture.at else None
    scrolled = page.evaluate("scrollY")  # a box is told from there, and the whole page is cut from its top
    top = max(0, box["y"] + scrolled - 16) if box else 0
    seen = page.screenshot(full_page=bool(box), clip={"x": 0, "y": top, "width": 1000, "height": picture.height})
    target.write_bytes(small(seen, context.new_page()))
    context.close()
    return target.stat().st_size


# The browser reads its own picture: there is no need for a library of images.
PIXELS = """async data => {
    const image = new Image();
    image.src = "data:image/png;base64," + data;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height), context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    const bytes = context.getImageData(0, 0, image.width, image.height).data, parts = [];
    for (let at = 0; at < bytes.length; at += 32768) parts.push(String.fromCharCode(...bytes.subarray(at, at + 32768)));
    return [image.width, image.height, btoa(parts.join(""))];
}"""


def small(picture: bytes, page: Page) -> bytes:
    """The same PNG with its 64 most frequent colours alone; each of the others becomes the one nearest to it."""
    width, height, data = page.evaluate(PIXELS, base64.b64encode(picture).decode())
    pixels = np.frombuffer(base64.b64decode(data), np.uint8).reshape(-1, 4)[:, :3].astype(np.int64)
    coded = pixels @ np.array([65536, 256, 1])
    colours, place, count = np.unique(coded, return_inverse=True, return_counts=True)
    split = np.stack([colours >> 16, colours >> 8 & 255, colours & 255], axis=1)
    palette = split[np.argsort(-count, kind="stable")[:64]]
    nearest = ((split[:, None, :] - palette[None]) ** 2).sum(axis=2).argmin(axis=1).astype(np.uint8)
    rows = nearest[place].reshape(height, width)
    body = zlib.compress(np.hstack([np.zeros((height, 1), np.uint8), rows]).tobytes(), 9)
    head = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"PLTE", palette.astype(np.uint8).tobytes()), (b"IDAT", body), (b"IEND", b""))
    made = (struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in chunks)
    return b"\x89PNG\r\n\x1a\n" + b"".join(made)


def wanted() -> set[str]:
    """The pictures that the guides show."""
    return {name for page in FOLDER.glob("*.md") for name in re.findall(r"\]\(([\w-]+)\.png\)", page.read_text())}


def main() -> None:
    root = ["--no-sandbox"] if os.geteuid() == 0 else []
    chosen = set(sys.argv[1:]) or wanted()
    with demo() as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_setup.find(), args=["--disable-gpu", *root])
        for picture in PICTURES:
            if picture.name in chosen:
                size = take(browser, url, picture)
                sys.stdout.write(f"docs/guides/{picture.name}.png {size:,} bytes{' TOO LARGE' if size > MOST else ''}\n")
        browser.close()


if __name__ == "__main__":
    main()
