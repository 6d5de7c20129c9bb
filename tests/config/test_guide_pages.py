"""The guides on the site itself: every page, link and picture of docs/, and nothing else of the machine."""

import re
from pathlib import Path

import pytest
from django.test import Client

from config import guides

pytestmark = [pytest.mark.django_db, pytest.mark.once]


@pytest.mark.parametrize("name", guides.pages())
def test_every_page_opens_and_its_links_and_pictures_lead_somewhere(client: Client, name: str) -> None:
    text = client.get(guides.pages()[name].address).content.decode()
    assert f"<title>{guides.pages()[name].title} · Assize" in text
    article = text.partition("<article")[2].partition("</article>")[0]
    for source in re.findall(r'<img src="([^"]+)"', article):
        answer = client.get(source)
        assert answer.status_code == 200 and b"".join(answer)[:4] in (b"\x89PNG", b"<svg")
    for href in re.findall(r'<a href="([^"]+)"', article):
        path, _, part = href.partition("#")
        if "://" not in href and path.startswith("/"):
            answer = client.get(path)
            assert answer.status_code == 200
            assert not part or f'id="{part}"' in answer.content.decode(), href


@pytest.mark.parametrize("name", guides.pages())
def test_every_page_has_ids_of_their_own_heads_with_words_and_code_that_scrolls(name: str) -> None:
    text = guides.html(name)
    ids = re.findall(r' id="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    assert not re.search(r"<th[^>]*></th>", text)
    assert "&lt;!--" not in text  # marks for the tools that write tables
    assert text.count("<pre") == text.count('<pre tabindex="0" role="group" aria-label="Code">')


def test_all_of_docs_is_there() -> None:
    files = {path.relative_to(guides.DOCS).with_suffix("").as_posix() for path in guides.DOCS.glob("**/*.md")}
    assert files - {"screens/README"} == set(guides.pages())


@pytest.mark.parametrize("path", ["nothing/", "../README/", "make/", "guides/../../README/", "%2e%2e/README/", "guides/"])
def test_nothing_else_is_served(client: Client, path: str) -> None:
    assert client.get(f"/docs/{path}").status_code == 404
    assert client.get(f"/docs/pictures/{path}").status_code == 404


def test_own_files_are_no_pictures(client: Client) -> None:
    assert Path(guides.DOCS / "make.py").exists()
    assert {client.get(f"/docs/pictures/{name}").status_code for name in ("make.py", "../manage.py", "guides/api.md")} == {404}
