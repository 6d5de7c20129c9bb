"""What the commands share: errors in plain words, tables or JSON, progress, and who acts."""

import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from django.conf import settings
from django.core.exceptions import ObjectDoesNotExist, ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.serializers.json import DjangoJSONEncoder
from django.db import DatabaseError
from django.db.models import Q
from django.http import Http404
from django.utils import timezone

from config.errors import Refusal
from config.models import User
from config.prepare import running_address

Options = dict[str, Any]
Tell = Callable[[int, int, str], None]


class Error(CommandError):
    """Bad data, told in one line. Django prints the class's name before the words, hence this one."""


class SiteCommand(BaseCommand):
    """Parses its arguments and calls the service at once. Results go to stdout, everything else to stderr."""

    # `assize status` runs them all; a list should not take a second.
    requires_system_checks: list[str] | Literal["__all__"] = []
    suppressed_base_arguments = {"--version", "--settings", "--pythonpath", "--no-color", "--force-color", "--skip-checks"}
    _json = False

    def execute(self, *args: Any, **options: Any) -> str | None:
        self._json = bool(options.get("json"))
        if "ASSIZE_BASE_URL" not in os.environ and "ASSIZE_PORT" not in os.environ:
            # Links that are printed lead to the site that runs here, whatever port it was started with.
            settings.BASE_URL = running_address() or settings.BASE_URL
        try:
            return super().execute(*args, **options)
        except Refusal as refusal:
            raise Error(refusal.message) from refusal
        except ValidationError as error:
            raise Error(plain(error)) from error
        except (Http404, ObjectDoesNotExist) as error:
            raise Error(str(error) or "There is no such thing.") from error
        except DatabaseError as error:
            raise Error(_database_words(error)) from error

    def handle(self, *args: Any, **options: Any) -> None:
        options["act"](options)

    # Arguments

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        """Its usage tells the name that was typed."""
        return super().create_parser(prog_name, subcommand.replace("_", "-"), **kwargs)

    def acts(self, parser: CommandParser) -> Any:
        """Subcommands: each is made with `act`, and names the method that does it."""
        return parser.add_subparsers(title="acts", metavar="ACT", required=True)

    def act(self, acts: Any, name: str, do: Callable[[Options], None], about: str, *, lists: bool = False) -> CommandParser:
        parser: CommandParser = acts.add_parser(name, help=about, description=about)
        parser.set_defaults(act=do)
        if lists:
            self.add_json(parser)
        return parser

    @staticmethod
    def add_json(parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print one JSON document instead of a table")

    @staticmethod
    def add_by(parser: CommandParser, required: str = "") -> None:
        """Who acts; `required` are the words for it where nobody else can be meant."""
        about = required or "who acts; the first administrator unless given"
        parser.add_argument("--by", metavar="USER", required=bool(required), help=about)

    # What the arguments name

    def user(self, name: str) -> User:
        """By user name or e-mail address, in any case."""
        found = self.found(name)
        if found is None:
            raise Error(f"There is no user “{name}”.")
        return found

    @staticmethod
    def found(name: str) -> User | None:
        return User.objects.filter(Q(username__iexact=name) | Q(email__iexact=name)).first() if name else None

    def actor(self, options: Options, but: User | None = None) -> User:
        """Who acts: --by, else the first administrator (another one than `but`, where there is one)."""
        if options["by"]:
            return self.user(options["by"])
        found = list(User.objects.filter(is_superuser=True, is_active=True).order_by("pk"))
        if not found:
            raise Error("There is no administrator yet: make one with `assize welcome`, or say who acts with --by USER.")
        return next((user for user in found if user != but), found[0])

    def read(self, name: str) -> str:
        """The text of a file, or of stdin for -."""
        try:
            text = sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise Error(
                f"{name}: expected UTF-8 text, found byte {error.object[error.start]:#04x} at {error.start}."
            ) from error
        except OSError as error:
            raise Error(f"{name}: {error.strerror}.") from error
        if "\0" in text:  # which PostgreSQL cannot store
            raise Error(f"{name}: expected text, found a null character at {text.index(chr(0))}.")
        return text

    @contextmanager
    def written(self, target: Path) -> Iterator[Path]:
        """What to write into. Whoever looks at `target` finds the old file or the new one, never half of one: it is a file
        beside it, which gets its name when it is whole. A device or a pipe is written into as it is."""
        whole = Path(os.path.realpath(target))
        aside = whole.parent / f".{whole.name}.{os.getpid()}"
        try:
            if target.exists() and not target.is_file():
                yield target
                return
            yield aside
            with aside.open("rb") as file:
                os.fsync(file.fileno())
            aside.replace(whole)
        except OSError as error:
            raise Error(f"{target}: {error.strerror or error}.") from error
        finally:
            with suppress(OSError):  # there is none, or nothing can be there
                aside.unlink()

    # What is printed

    def say(self, words: str) -> None:
        """A message to the person at the terminal, kept out of the result."""
        self.stderr.write(words, self.style.NOTICE)

    def table(self, rows: Sequence[Mapping[str, object]], columns: Sequence[str]) -> None:
        """Rows under aligned headings, or with --json a list of objects with these keys."""
        if self._json:
            return self.document([{column: row[column] for column in columns} for row in rows])
        if not rows:
            return self.say("Nothing to list.")
        cells = [[column.upper().replace("_", " ") for column in columns], *([_cell(row[c]) for c in columns] for row in rows)]
        widths = [max(_width(row[index]) for row in cells) for index in range(len(columns))]
        numbers = [all(isinstance(row[c], int) and not isinstance(row[c], bool) for row in rows) for c in columns]
        for row in cells:
            padded = [_pad(cell, width, right) for cell, width, right in zip(row, widths, numbers, strict=True)]
            self.stdout.write("  ".join(padded).rstrip())
        return None

    def facts(self, values: Mapping[str, object]) -> None:
        """One thing's facts, a line each, or with --json one object."""
        if self._json:
            return self.document(values)
        width = max(map(len, values)) + 2
        for name, value in values.items():
            self.stdout.write(f"{name.replace('_', ' '):<{width}}{_cell(value)}".rstrip())
        return None

    def document(self, value: object) -> None:
        self.stdout.write(json.dumps(value, indent=2, ensure_ascii=False, cls=DjangoJSONEncoder))

    @contextmanager
    def bar(self, title: str) -> Iterator[Tell]:
        """Progress on stderr: a bar on a terminal, else a line now and then. Give it (done, total, words)."""
        if not self.stderr.isatty():
            yield self._lines(title)
            return
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn())
        with Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True)) as progress:
            task = progress.add_task(title, total=None)

            def tell(done: int, total: int, words: str) -> None:
                shown = f"{title}: {printable(words)}" if words else title
                progress.update(task, completed=done, total=total or None, description=shown)

            yield tell

    def _lines(self, title: str) -> Tell:
        told, last = 0.0, ""

        def tell(done: int, total: int, words: str) -> None:
            nonlocal told, last
            line = f"{title}: {f'{done} of {total} ' if total else ''}{printable(words)}".rstrip(": ")
            finished = bool(total) and done >= total
            if line != last and (finished or not last or time.monotonic() - told >= 2):
                told, last = time.monotonic(), line
                self.stderr.write(line, lambda text: text)

        return tell


def plain(error: ValidationError) -> str:
    """A validation error in one line, each field by name."""
    if not hasattr(error, "error_dict"):
        return " ".join(error.messages)
    return " ".join(
        message if field == "__all__" else f"{field}: {message}"
        for field, messages in error.message_dict.items()
        for message in messages
    )


def printable(text: str) -> str:
    """Without what would move the cursor or colour the terminal: names come from strangers."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def _database_words(error: DatabaseError) -> str:
    words = str(error).strip().split("\n", 1)[0]
    if "no such table" in words or "does not exist" in words or "no such column" in words:
        return f"The database is not set up or not up to date; run `assize migrate` ({words})."
    return f"The database does not answer: {words}."


def _cell(value: object) -> str:
    match value:
        case None | "":
            return "-"
        case bool():
            return "yes" if value else "no"
        case datetime():
            return timezone.localtime(value).strftime("%Y-%m-%d %H:%M")
        case list() | tuple():
            return ", ".join(map(_cell, value)) or "-"
        case dict():
            return ", ".join(f"{name} {_cell(one)}" for name, one in value.items()) or "-"
    return printable(str(value))


def _width(text: str) -> int:
    from rich.cells import cell_len  # knows the letters that take two columns

    return cell_len(text)


def _pad(text: str, width: int, right: bool) -> str:
    gap = " " * (width - _width(text))
    return gap + text if right else text + gap
