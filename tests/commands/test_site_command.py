import io
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.exceptions import ObjectDoesNotExist, ValidationError
from django.db import OperationalError
from django.http import Http404
from django.utils import timezone

from config.commands import Error, SiteCommand, plain, printable
from config.errors import Conflict
from tests import factories


class Raising(SiteCommand):
    error: Exception

    def handle(self, *args: object, **options: object) -> None:
        raise self.error


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (Conflict("The scale is frozen."), "The scale is frozen."),
        (ValidationError("Too short."), "Too short."),
        (ValidationError({"slug": ["Taken.", "Odd."], "__all__": ["Both."]}), "slug: Taken. slug: Odd. Both."),
        (Http404(), "There is no such thing."),
        (ObjectDoesNotExist("Job matching query does not exist."), "Job matching query does not exist."),
        (OperationalError("disk I/O error\nmore"), "The database does not answer: disk I/O error."),
    ],
)
def test_known_errors_become_one_line(error: Exception, words: str) -> None:
    command = Raising()
    command.error = error
    with pytest.raises(Error) as caught:
        command.execute(force_color=False, no_color=True, skip_checks=True)
    assert str(caught.value) == words


def test_unknown_errors_are_not_hidden() -> None:
    command = Raising()
    command.error = ZeroDivisionError()
    with pytest.raises(ZeroDivisionError):
        command.execute(force_color=False, no_color=True, skip_checks=True)


def test_table_is_aligned(capsys: pytest.CaptureFixture[str]) -> None:
    when = timezone.now().replace(2026, 3, 1, 12, 30)
    rows = [
        {"name": "日本", "count": 5, "seen_at": when, "ok": True},
        {"name": "a\x1b[31mb", "count": 120, "seen_at": None, "ok": False},
    ]
    SiteCommand().table(rows, ["name", "count", "seen_at", "ok"])
    assert capsys.readouterr().out == (
        "NAME     COUNT  SEEN AT           OK\n日本         5  2026-03-01 12:30  yes\na [31mb    120  -                 no\n"
    )


def test_empty_table_says_so_beside_the_result(capsys: pytest.CaptureFixture[str]) -> None:
    SiteCommand().table([], ["name"])
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("", "Nothing to list.\n")


def test_control_characters_do_not_reach_the_terminal() -> None:
    assert printable("a\x1b[2J\u202eb\nc") == "a [2J b c"
    assert plain(ValidationError(["One.", "Two."])) == "One. Two."


def test_bar_without_a_terminal_tells_lines(capsys: pytest.CaptureFixture[str]) -> None:
    with SiteCommand().bar("Export") as tell:
        tell(0, 0, "waiting")
        for done in range(1, 1001):
            tell(done, 1000, "")
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("", "Export: waiting\nExport: 1000 of 1000\n")


def test_bar_on_a_terminal_is_drawn(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", terminal)
    with SiteCommand().bar("Export of [b]") as tell:
        tell(1, 2, "half")
    assert "Export of [b]: half" in terminal.getvalue() and "1/2" in terminal.getvalue()
    assert capsys.readouterr().out == ""


def test_read_names_the_file_and_the_fault(tmp_path: Path) -> None:
    with pytest.raises(Error, match=r"nowhere\.json: No such file or directory\."):
        SiteCommand().read(str(tmp_path / "nowhere.json"))
    odd = tmp_path / "odd"
    odd.write_bytes(b"a\xff")
    with pytest.raises(Error, match=r"odd: expected UTF-8 text, found byte 0xff at 1\."):
        SiteCommand().read(str(odd))
    odd.write_bytes(b"ab\0c")
    with pytest.raises(Error, match=r"odd: expected text, found a null character at 2\."):
        SiteCommand().read(str(odd))


@pytest.mark.django_db
def test_user_is_found_by_name_or_address_in_any_case() -> None:
    user = factories.make_user("Olga Organizer")
    command = SiteCommand()
    assert command.user("OLGA-organizer") == command.user("Olga-Organizer@Example.org") == user
    for unknown in ("", "olga"):
        with pytest.raises(Error, match=f"There is no user “{unknown}”."):
            command.user(unknown)


@pytest.mark.django_db
def test_actor_is_the_first_administrator_unless_named() -> None:
    command = SiteCommand()
    with pytest.raises(Error, match="There is no administrator yet"):
        command.actor({"by": None})
    plain_user, first, second = (factories.make_user(), factories.make_user(staff=True), factories.make_user(staff=True))
    assert command.actor({"by": None}) == first
    assert command.actor({"by": None}, but=first) == second
    assert command.actor({"by": None}, but=plain_user) == first
    assert command.actor({"by": plain_user.username}) == plain_user


@pytest.fixture
def written(tmp_path: Path) -> Callable[[Path], None]:
    """Writes “new” by way of `written`."""

    def write(target: Path) -> None:
        with SiteCommand().written(target) as aside:
            aside.write_text("new")

    return write


def test_a_file_is_old_or_new_and_a_link_stays(written: Callable[[Path], None], tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    link.symlink_to(target)
    with pytest.raises(ZeroDivisionError), SiteCommand().written(target) as aside:
        aside.write_text("half")
        raise ZeroDivisionError
    assert (target.read_text(), sorted(tmp_path.iterdir())) == ("old", [link, target])
    written(link)
    assert (target.read_text(), link.is_symlink(), sorted(tmp_path.iterdir())) == ("new", True, [link, target])


def test_a_pipe_or_device_is_written_into_and_not_replaced(written: Callable[[Path], None], tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        written(pipe)
        assert (os.read(reader, 10), pipe.is_fifo(), list(tmp_path.iterdir())) == (b"new", True, [pipe])
    finally:
        os.close(reader)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("x" * 300, "File name too long"),
        ("file/x", "Not a directory"),
        (".", "Is a directory"),
        ("no/where", "No such file or directory"),
    ],
)
def test_where_no_file_can_be_written_is_told(written: Callable[[Path], None], tmp_path: Path, name: str, says: str) -> None:
    (tmp_path / "file").touch()
    target = tmp_path / name
    with pytest.raises(Error) as caught:
        written(target)
    assert str(caught.value) == f"{target}: {says}."
