import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

from config import cli
from tests.commands.conftest import Assize

SCRIPT = Path(sys.executable).with_name("assize")


def run(*arguments: str, data: Path, **more: str) -> "subprocess.CompletedProcess[str]":
    env = {name: value for name, value in os.environ.items() if not name.startswith("ASSIZE_")}
    env |= {"ASSIZE_DATA": str(data), **more}
    return subprocess.run([str(SCRIPT), *arguments], env=env, capture_output=True, text=True, timeout=100)


def test_overview_lists_every_command_with_a_line(assize: Assize) -> None:
    shown = assize("help")
    assert shown.status == 0
    assert shown.out == assize().out == assize("--help").out
    lines = shown.out.splitlines()
    for app in cli.GROUPS:
        for name, about in cli.own_commands(app).items():
            assert about, f"{name} has no help"
            assert f"  {name.replace('_', '-'):<18}{about}" in lines
            assert len(about) <= 100
    for name, module in cli.file_commands().items():
        assert (about := cli.file_command_help(module)), f"{name} has no help"
        assert f"  {name.replace('_', '-'):<18}{about}" in lines


def test_overview_and_version_load_no_django(tmp_path: Path) -> None:
    code = "import sys; from config import cli; cli.main(); sys.exit('django' in sys.modules)"
    for argument in ("help", "--version"):
        done = subprocess.run([sys.executable, "-c", code, argument], cwd=settings.BASE_DIR, capture_output=True, timeout=100)
        assert done.returncode == 0


def test_script_tells_its_version(tmp_path: Path) -> None:
    done = run("--version", data=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "assize 0.1.0\n", "")


def test_script_on_a_new_data_folder(tmp_path: Path) -> None:
    for nowhere in (tmp_path, tmp_path / "none"):
        none = run("status", data=nowhere)
        told = f"Error: There is no site in {nowhere}; set ASSIZE_DATA or run `assize up`.\n"
        assert (none.returncode, none.stdout, none.stderr) == (1, "", told)
    assert not list(tmp_path.iterdir())
    (tmp_path / "assize.sqlite3").touch()
    early = run("collections", "list", "--json", data=tmp_path)
    assert (early.returncode, early.stdout) == (1, "")
    assert early.stderr.startswith("Error: The database is not set up or not up to date; run `assize migrate`")
    assert early.stderr.count("\n") == 1
    assert run("migrate", "-v0", data=tmp_path).returncode == 0
    done = run("collections", "list", "--json", data=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "[]\n", "")
    link = run("welcome", data=tmp_path)
    assert link.returncode == 0
    assert link.stdout.startswith("http://127.0.0.1:8000/welcome/") and link.stdout.count("\n") == 1


def test_wrong_setting_ends_in_one_line(tmp_path: Path) -> None:
    done = run("check", data=tmp_path, ASSIZE_PORT="many")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "ASSIZE_PORT='many' cannot be used: write a whole number from 1 to 65535\n"


def test_closed_pipe_is_quiet(tmp_path: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    env = {**os.environ, "ASSIZE_DATA": str(tmp_path)}
    done = subprocess.run([str(SCRIPT), "help", "--commands"], env=env, stdout=write, stderr=subprocess.PIPE, timeout=100)
    os.close(write)
    assert (done.returncode, done.stderr) == (141, b"")


def test_interrupt_is_quiet(assize: Assize, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(argv: list[str]) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "_django", interrupt)
    ended = assize("jobs", "list")
    assert (ended.status, ended.out, ended.err) == (130, "", "\n")


def test_hyphens_stand_for_underscores(assize: Assize, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[list[str]] = []
    monkeypatch.setattr(cli, "_django", seen.append)
    assize("import-run", "a-b", "--dry-run")
    assize("help", "import-run")
    assize("help", "--commands")
    assert seen == [
        ["assize", "import_run", "a-b", "--dry-run"],
        ["assize", "help", "import_run"],
        ["assize", "help", "--commands"],
    ]


@pytest.mark.parametrize(
    "arguments", [["nothing-such"], ["people"], ["people", "dance"], ["jobs", "show", "x"], ["export"], ["status", "--colour"]]
)
def test_wrong_usage_has_status_2(assize: Assize, arguments: list[str]) -> None:
    ended = assize(*arguments)
    assert (ended.status, ended.out) == (2, "")
    assert "assize" in ended.err


def test_usage_has_the_name_that_was_typed(assize: Assize) -> None:
    assert "usage: assize own-topics " in assize("own-topics").err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("pool a.run --depth 1.5", "assize pool: error: argument --depth: Expected a whole number; found “1.5”."),
        ("rank a b --k1 deep", "assize rank: error: argument --k1: Expected a number; found “deep”."),
        ("compare a b c --correction no", "argument --correction: Expected one of holm, bh, bonferroni; found “no”."),
        ("eval a b --dialect 8", "assize eval: argument --dialect: Expected one of 9, 10; found “8”."),
    ],
)
def test_commands_on_files_say_what_was_expected_as_a_site_does(
    words: str, says: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["assize", *words.split()])
    with pytest.raises(SystemExit):
        cli.main()
    assert capsys.readouterr().err.endswith(f"{says}\n")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("check-run a.run --topics ''", "argument --topics: Expected the name of a file; found nothing."),
        ("check-run a.run --topics ' '", "argument --topics: Expected the name of a file; found nothing."),
        ("check-run a.run --documents ''", "argument --documents: Expected the name of a file; found nothing."),
        ("check-run a.run --write ''", "argument --write: Expected the name of a file; found nothing."),
        ("check-run ''", "argument run: Expected the name of a file; found nothing."),
        ("check-run a.run --repair ,", "argument --repair: expected some of ranks, first, cut, found none"),
        ("check-run a.run --depth ''", "argument --depth: expected a whole number from 1 to 1000000000, found “”"),
        ("pool a.run --groups ''", "argument --groups: Expected the name of a file; found nothing."),
        ("pool a.run --strategy mtf --qrels ''", "argument --qrels: Expected the name of a file; found nothing."),
        ("pool a.run ''", "argument runs: Expected the name of a file; found nothing."),
        ("pool a.run --depth ''", "argument --depth: Expected a whole number; found “”."),
        ("pool a.run --strategy strata --edges ''", "argument --edges: Expected an entry; found nothing."),
        ("rank '' b", "argument TOPICS: Expected the name of a file; found nothing."),
        ("rank a ''", "argument DOCUMENTS: Expected the name of a file; found nothing."),
        ("eval '' a.run", "argument QRELS: Expected the name of a file; found nothing."),
        ("eval q ''", "argument RUNS: Expected the name of a file; found nothing."),
        ("eval q a.run -m ''", "argument -m: Expected an entry; found nothing."),
        ("compare q a.run b.run -m ''", "argument -m: Expected an entry; found nothing."),
        ("compare q a.run b.run --baseline ''", "argument --baseline: Expected an entry; found nothing."),
        ("agree ''", "argument file: Expected the name of a file; found nothing."),
        ("agree a --levels ''", "argument --levels: Expected an entry; found nothing."),
        ("verify ''", "argument file: Expected the name of a file; found nothing."),
    ],
)
def test_commands_on_files_take_no_empty_word_for_one_that_was_left_out(
    words: str, says: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["assize", *shlex.split(words)])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == (1 if words.startswith("eval") else 2)  # as trec_eval
    assert capsys.readouterr().err.endswith(f"{says}\n")
