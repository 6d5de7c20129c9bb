"""The import arrows: pooling ← assess ← evaluation; the frame knows no app; no Django under core/."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
APPS = ("pooling", "assess", "evaluation")
# What each may import of the others; `config` itself is open to all, but for its pages.
UPSTREAM = {"pooling": set(), "assess": {"pooling"}, "evaluation": {"pooling", "assess"}}
# The frame's own pages look over the whole line; nothing else of the frame knows an app.
OVERVIEW = {"config.pages", "config.account_pages", "config.endpoints", "config.urls", "config.styleguide"}
OVERVIEW |= {"config.management.commands.demo"}
CORE_MAY = {"numpy", "scipy", "polars", "zstandard", "yaml", "Stemmer"}


def modules(package: str) -> Iterator[tuple[str, Path]]:
    for path in sorted((ROOT / package).rglob("*.py")):
        if "migrations" not in path.parts:
            yield ".".join(path.relative_to(ROOT).with_suffix("").parts), path


def imports(path: Path) -> Iterator[str]:
    """Every module a file imports, also inside functions; `from a import b` counts as a and as a.b."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield node.module or ""
            yield from (f"{node.module}.{name.name}" for name in node.names)


def test_apps_import_only_upstream() -> None:
    wrong = [
        f"{name} imports {wanted}"
        for app in APPS
        for name, path in modules(app)
        for wanted in imports(path)
        if wanted.split(".")[0] in set(APPS) - {app} - UPSTREAM[app] or wanted in OVERVIEW
    ]
    assert wrong == []


def test_the_frame_knows_no_app() -> None:
    wrong = [
        f"{name} imports {wanted}"
        for name, path in modules("config")
        if name not in OVERVIEW
        for wanted in imports(path)
        if wanted.split(".")[0] in APPS or (wanted in OVERVIEW and name != "config.urls")
    ]
    assert wrong == []


def test_core_is_pure() -> None:
    import sys

    wrong = [
        f"{name} imports {wanted}"
        for app in APPS
        for name, path in modules(app)
        if ".core." in f"{name}."
        for wanted in imports(path)
        if (top := wanted.split(".")[0]) not in sys.stdlib_module_names | CORE_MAY
        and not (top in {app} | UPSTREAM[app] and wanted.split(".")[1:2] == ["core"])
    ]
    assert wrong == []


EDGES = {"views", "api", "urls", "forms", "tasks"}
SHARED_WITH_FORMS = {"assess.grid"}  # the table in which a form is filled in


def is_edge(name: str) -> bool:
    """Of a module of an app: does it speak with people or programs? By its name, as `views` or `drafting_api`."""
    layer = name.partition(".")[2].partition(".")[0]
    return layer in EDGES or layer.endswith("_api")


def test_only_edges_import_edges() -> None:
    """views → services → models, never back; and a command calls the service, as the page does."""
    wrong = [
        f"{name} imports {wanted}"
        for app in APPS
        for name, path in modules(app)
        if not is_edge(name) and name not in SHARED_WITH_FORMS
        for wanted in imports(path)
        if wanted.split(".")[0] in APPS and is_edge(wanted)
    ]
    assert wrong == []


def test_templates_have_no_inline_script_or_style() -> None:
    """The content security policy would refuse them, silently for whoever wrote them."""
    wrong = [
        f"{path.relative_to(ROOT)}: {bad}"
        for path in sorted((ROOT / "templates").rglob("*.html"))
        for bad in (" style=", "<style", "javascript:", " onclick=", " onsubmit=", " onchange=", "hx-on")
        if bad in path.read_text()
    ]
    assert wrong == []
