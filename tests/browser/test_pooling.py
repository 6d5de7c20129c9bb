"""From a collection's files to its pool, in the browser alone; every number on the pages is counted again by a shell pipeline."""

import gzip
from pathlib import Path

import pytest

from config.models import User
from tests import factories
from tests.browser import to_pool
from tests.browser.look import look
from tests.chromium import NewPage, sign_in
from tests.site import Site

pytestmark = pytest.mark.once


def own_files(folder: Path) -> None:
    """A small collection in SMART's form, whose queries are numbered otherwise than its runs; scores have ties."""
    (folder / "runs").mkdir()
    texts = [f".I {n}\n.T\nwing {n}\n.A\nprandtl,l.\n.W\nlift of wing {n} in a slipstream .\n" for n in range(1, 61)]
    (folder / "documents").write_text("".join(texts))
    numbers = ("001", "002", "004", "008", "009")
    (folder / "topics").write_text("".join(f".I {number}\n.W\nwhat lifts wing {number} .\n" for number in numbers))
    for place, tag in enumerate(("bm25", "lm", "rrf")):
        lines = [
            f"{topic} Q0 {(topic * 11 + rank * (1, 7, 11)[place]) % 60 + 1} {rank} {(30 - rank) // 2} {tag}\n"
            for topic in range(1, 6)
            for rank in range(1, 21)
        ]
        (folder / "runs" / f"{tag}.run.gz").write_bytes(gzip.compress("".join(lines).encode()))


def organizer_with(name: str) -> tuple[User, str]:
    organizer = factories.make_user(f"Cyril {name}")
    return organizer, factories.make_collection(organizer, name).slug


def test_from_files_to_a_pool_in_the_browser(site: Site, new_page: NewPage, tmp_path: Path) -> None:
    own_files(tmp_path)
    organizer, slug = organizer_with("Small wings")
    page = new_page(site)
    sign_in(page, organizer)
    to_pool.put_in(page, slug, tmp_path, to_pool.SMART, "Cranfield")
    assert to_pool.pages_tell(page, slug, 7) == to_pool.pipeline_tells(tmp_path, to_pool.SMART, 7, "Cranfield")
    page.goto(f"/c/{slug}/pool/")
    look(page, "pool-cranfield")
