"""`make docs`: writes the tables of docs/settings.md from what config/settings.py declares, of docs/measures.md from the
registry of measures, and of docs/pooling.md from the strategies' declarations."""

import re
import sys
from pathlib import Path

from config import env, settings
from docs import measures_table
from pooling.core.strategies import KINDS, STRATEGIES, Strategy

PAGE = Path(__file__).with_name("settings.md")
MEASURES = Path(__file__).with_name("measures.md")
POOLING = Path(__file__).with_name("pooling.md")
FOR_TESTS = "ASSIZE_TEST_"
# One value for each variable, as it could stand in an environment file.
EXAMPLES = {
    "ASSIZE_DATA": "/var/lib/assize",
    "ASSIZE_HOST": "0.0.0.0",
    "ASSIZE_PORT": "8080",
    "ASSIZE_BASE_URL": "https://assize.example.org",
    "ASSIZE_SITE_NAME": "Harbour track 2026",
    "ASSIZE_DEBUG": "1",
    "ASSIZE_DEMO": "1",
    "ASSIZE_ALLOWED_HOSTS": "assize.example.org,assize.local",
    "ASSIZE_TRUSTED_PROXIES": "1",
    "ASSIZE_SESSION_DAYS": "30",
    "ASSIZE_SECRET_KEY": "50 or more random characters",
    "ASSIZE_DATABASE_URL": "postgres://assize:password@db.example.org:5432/assize",
    "ASSIZE_PG_BIN": "/usr/lib/postgresql/18/bin",
    "ASSIZE_SEARCH": "database",
    "ASSIZE_REDIS_URL": "redis://:password@queue.example.org:6379/0",
    "ASSIZE_WORKERS": "4",
    "ASSIZE_WEB_THREADS": "16",
    "ASSIZE_WEB_PROCESSES": "4",
    "ASSIZE_JOB_MEMORY_MB": "8192",
    "ASSIZE_LEASE_SECONDS": "900",
    "ASSIZE_OPEN_SIGNUP": "1",
    "ASSIZE_LOGIN_ATTEMPTS": "5",
    "ASSIZE_EMAIL_URL": "smtp+tls://user:password@mail.example.org:587",
    "ASSIZE_EMAIL_FROM": "Harbour track <track@example.org>",
    "ASSIZE_UPLOAD_MB": "4096",
    "ASSIZE_UPLOAD_LINES": "50000000",
    "ASSIZE_TIME_ZONE": "Europe/Paris",
    "ASSIZE_STORAGE_URL": "s3://key:secret@s3.example.org/assize?region=eu-west-1",
    "ASSIZE_LOG_FORMAT": "json",
    "ASSIZE_LOG_REQUESTS": "1",
    "ASSIZE_LOG_LEVEL": "WARNING",
    "ASSIZE_TEST_DATABASE_URL": "postgres://postgres@127.0.0.1:5432/postgres",
    "ASSIZE_TEST_CHROMIUM": "/usr/bin/chromium",
}


def shown_default(variable: env.Variable) -> str:
    """As people read it: the data folder without where this checkout happens to lie."""
    default = variable.default.removeprefix(f"{settings.BASE_DIR}/")
    return f"`{default}`" if default else "unset"


def row(variable: env.Variable) -> str:
    secret = " Secret." if variable.secret else ""
    return f"| `{variable.name}` | {shown_default(variable)} | {variable.about}{secret} | `{EXAMPLES[variable.name]}` |"


def table(*, for_tests: bool) -> str:
    rows = [row(v) for v in env.VARIABLES.values() if v.name.startswith(FOR_TESTS) == for_tests]
    return "\n".join(["| variable | default | meaning | example |", "|---|---|---|---|", *rows])


def updated(text: str) -> str:
    """The page of settings with both tables as they should be. Everything outside the markers is written by hand."""
    text = _replaced(PAGE, text, "site", table(for_tests=False))
    return _replaced(PAGE, text, "tests", table(for_tests=True))


def updated_measures(text: str) -> str:
    """The page of measures with its tables as they should be."""
    return _replaced(MEASURES, text, "measures", measures_table.tables())


def strategies() -> str:
    """Every strategy with its parameters, by kind."""
    parts = []
    for kind, label in KINDS.items():
        rows = [_strategy(one) for one in STRATEGIES.values() if one.kind == kind]
        parts += [f"### {label}", "", "| strategy | what it takes | parameters |", "|---|---|---|", *rows, ""]
    return "\n".join(parts).rstrip()


def _strategy(one: Strategy) -> str:
    told = [f"`{each.name}`" + ("" if each.default is None else f" ({each.default})") for each in one.parameters]
    return f"| `{one.name}` {one.label} | {one.about} | {', '.join(told)} |"


def updated_pooling(text: str) -> str:
    """The page of pooling with its tables as they should be."""
    return _replaced(POOLING, text, "strategies", strategies())


def _replaced(page: Path, text: str, name: str, new: str) -> str:
    begin, end = f"<!-- table: {name} -->", "<!-- end -->"
    pattern = re.compile(f"({re.escape(begin)}\n).*?({re.escape(end)})", re.DOTALL)
    if not pattern.search(text):
        raise SystemExit(f"{page}: expected the lines {begin} and {end}")
    return pattern.sub(lambda found: f"{found[1]}{new}\n{found[2]}", text)


def main() -> None:
    for page, update in ((PAGE, updated), (MEASURES, updated_measures), (POOLING, updated_pooling)):
        before = page.read_text()
        after = update(before)
        was, now = set(before.splitlines()), set(after.splitlines())
        for line in [f"- {line}" for line in sorted(was - now)] + [f"+ {line}" for line in sorted(now - was)]:
            sys.stdout.write(f"{line}\n")
        if after != before:
            page.write_text(after)
        sys.stdout.write(f"docs/{page.name} is {'up to date' if after == before else 'rewritten'}.\n")


if __name__ == "__main__":
    main()
