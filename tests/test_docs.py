"""The documents tell the truth about settings, links, roles, scopes and make's targets."""

import re
from pathlib import Path

import pytest
from django.apps import apps
from django.urls import resolve

from config import env
from config.models import Scope
from docs import make
from pooling.models import Role

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").glob("*.md"),
        *(ROOT / "docs" / "guides").glob("*.md"),
        ROOT / "benchmarks" / "README.md",
    ]
)
SETTINGS = (ROOT / "docs" / "settings.md").read_text()
SECURITY = (ROOT / "docs" / "security.md").read_text()


@pytest.mark.parametrize("name", sorted(env.VARIABLES))
def test_setting_has_a_row_with_its_default_and_meaning(name: str) -> None:
    found = [line for line in SETTINGS.splitlines() if line.startswith(f"| `{name}` |")]
    assert found == [make.row(env.VARIABLES[name])]


def test_settings_page_names_no_variable_that_is_not_read() -> None:
    told = {name for page in PAGES for name in re.findall(r"ASSIZE_[A-Z_]*[A-Z]", page.read_text())}
    assert told - set(env.VARIABLES) == set()


def test_examples_are_given_for_variables_that_exist() -> None:
    assert set(make.EXAMPLES) == set(env.VARIABLES)


def test_settings_page_is_as_make_docs_writes_it() -> None:
    assert make.updated(SETTINGS) == SETTINGS


def test_the_page_of_measures_is_what_the_registry_says() -> None:
    page = make.MEASURES.read_text(encoding="utf-8")
    assert make.updated_measures(page) == page, "run `make docs`"


def test_the_page_of_pooling_is_what_the_strategies_declare() -> None:
    page = make.POOLING.read_text(encoding="utf-8")
    assert make.updated_pooling(page) == page, "run `make docs`"


def test_settings_page_without_markers_is_refused() -> None:
    with pytest.raises(SystemExit, match="expected the lines <!-- table: site -->"):
        make.updated("# Settings\n")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files_and_headings_that_exist(page: Path) -> None:
    wrong = []
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        name, _, heading = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        if re.match(r"[a-z]+:", link):
            continue
        if not target.exists() or (heading and heading not in headings(target)):
            wrong.append(link)
    assert wrong == []


def headings(page: Path) -> set[str]:
    """Anchors as hosts of Markdown make them."""
    titles = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title).strip().lower().replace(" ", "-") for title in titles}


def test_every_guide_is_in_the_list_and_every_picture_is_small_shown_and_taken_by_the_script() -> None:
    folder = ROOT / "docs" / "guides"
    listed = (folder / "README.md").read_text()
    assert [page.name for page in folder.glob("*.md") if page.name != "README.md" and f"({page.name})" not in listed] == []
    there = {picture.stem: picture.stat().st_size for picture in folder.glob("*.png")}
    taken = re.findall(r'^    Picture\("([\w-]+)"', (ROOT / "docs" / "pictures.py").read_text(), re.MULTILINE)
    shown = {name for page in folder.glob("*.md") for name in re.findall(r"\]\(([\w-]+)\.png\)", page.read_text())}
    assert set(there) == set(taken) == shown
    assert max(there.values()) < 60_000


def test_the_curl_lines_of_the_tour_name_addresses_that_exist() -> None:
    told = (ROOT / "docs" / "guides" / "api.md").read_text()
    asked = re.findall(
        r'^curl "?(\S+?)(?:\?[^" ]*)?"?(?: |$)', "\n".join(re.findall(r"```sh\n(.*?)```", told, re.DOTALL)), re.MULTILINE
    )
    assert len(asked) >= 7
    for address in asked:
        path = address.replace("$API", "/api/v1/collections/saltmere").removeprefix("http://127.0.0.1:8000")
        assert resolve(path).url_name != "", path


def test_every_role_has_its_column_in_the_security_page() -> None:
    header = next(line for line in SECURITY.splitlines() if line.startswith("| may |"))
    assert [cell.strip() for cell in header.strip("|").split("|")][1 : 1 + len(Role)] == list(Role.values)


def test_every_scope_is_told_in_its_own_words() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (.+) \|$", SECURITY, re.MULTILINE)
    assert [name for name, _ in rows] == list(Scope.values)
    assert [about.replace("the owner", "you") for _, about in rows] == [str(label) for label in Scope.labels]


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "docs/install.md", "benchmarks/README.md"])
def test_make_targets_exist(name: str) -> None:
    targets = set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    told = set(re.findall(r"(?:`|^|=\S* )make ([a-z-]+)", (ROOT / name).read_text(), re.MULTILINE))
    assert told - targets == set()
    assert told, f"{name} tells no target; is it written otherwise now?"


def test_readme_tells_the_two_commands() -> None:
    readme = (ROOT / "README.md").read_text()
    assert re.findall(r"^make [a-z-]+", readme, re.MULTILINE) == ["make up", "make test"]
    for page in (readme, (ROOT / "docs" / "guides" / "administrators.md").read_text()):
        assert ".venv/bin/assize" in page and "`. .venv/bin/activate`" in page  # where the other commands are


def test_readme_lists_every_target() -> None:
    makefile, readme = (ROOT / "Makefile").read_text(), (ROOT / "README.md").read_text()
    phony = {name for line in re.findall(r"^\.PHONY: (.+)$", makefile, re.MULTILINE) for name in line.split()}
    line = next(line for line in readme.splitlines() if line.startswith("Makefile "))
    assert set(line.removeprefix("Makefile").replace(",", " ").split()) == phony


@pytest.mark.parametrize(
    "name", ["CONTRIBUTING.md", "docs/architecture.md", "docs/reliability.md", "docs/scaling.md", "docs/security.md"]
)
def test_files_and_functions_that_a_page_names_are_there(name: str) -> None:
    """As `config/jobs.py: run`, `services/pools.py: draw_pool` or `tests/live/test_up.py::test_…`."""
    code = (ROOT / folder for folder in ("config", "pooling", "assess", "evaluation", "tests", "templates", "docs"))
    files = [file.relative_to(ROOT).as_posix() for folder in code for file in folder.rglob("*.*")]
    wrong = []
    told = re.findall(r"`([\w./-]+/[\w.-]+\.(?:py|js|html|css))(?:(?:: |::)(\w+))?", (ROOT / name).read_text())
    for path, function in told:
        found = [file for file in files if file == path or file.endswith(f"/{path}")]
        if not any(re.search(rf"\b{function}\b", (ROOT / file).read_text()) for file in found):
            wrong.append(f"{path}: {function}")
    assert (wrong, bool(told)) == ([], True)


def test_every_table_of_the_database_has_a_row_in_the_data_model() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text()
    rows = {name.strip() for cell in re.findall(r"^\| ([A-Z][\w, ]+) \|", page, re.MULTILINE) for name in cell.split(",")}
    ours = [apps.get_app_config(app) for app in ("config", "pooling", "assess", "evaluation")]
    assert {model.__name__ for app in ours for model in app.get_models()} == rows
