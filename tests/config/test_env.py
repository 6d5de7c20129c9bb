"""Readers of the environment: good values, bad ones with variable, value and remedy; and starts that are refused."""

import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config import env, settings

ABOUT = "A trial."


@pytest.fixture(autouse=True)
def _own_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test declares is not left behind among the product's variables."""
    monkeypatch.setattr(env, "VARIABLES", dict(env.VARIABLES))


@pytest.fixture
def given_value(monkeypatch: pytest.MonkeyPatch) -> "Setter":
    return Setter(monkeypatch)


class Setter:
    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.monkeypatch = monkeypatch

    def __call__(self, value: str, name: str = "ASSIZE_TRIAL") -> None:
        self.monkeypatch.setenv(name, value)


def refusal(error: pytest.ExceptionInfo[env.BadSetting]) -> tuple[str, str, str]:
    return error.value.name, error.value.value, error.value.remedy


# Text, flags, numbers


@pytest.mark.parametrize(("value", "read"), [("", "before"), ("  ", "before"), (" after ", "after")])
def test_text_is_stripped_and_empty_means_unset(given_value: Setter, value: str, read: str) -> None:
    given_value(value)
    assert env.text("ASSIZE_TRIAL", "before", about=ABOUT) == read


def test_reader_declares_its_variable() -> None:
    env.text("ASSIZE_TRIAL", "x", about=ABOUT, secret=True)
    assert env.VARIABLES["ASSIZE_TRIAL"] == env.Variable("ASSIZE_TRIAL", "x", ABOUT, secret=True)


@pytest.mark.parametrize("value", ["1", "true", "Yes", "ON"])
def test_flag_reads_yes(given_value: Setter, value: str) -> None:
    given_value(value)
    assert env.flag("ASSIZE_TRIAL", False, about=ABOUT) is True


@pytest.mark.parametrize("value", ["0", "false", "No", "OFF"])
def test_flag_reads_no(given_value: Setter, value: str) -> None:
    given_value(value)
    assert env.flag("ASSIZE_TRIAL", True, about=ABOUT) is False


def test_flag_refuses_other_words(given_value: Setter) -> None:
    given_value("perhaps")
    with pytest.raises(env.BadSetting) as error:
        env.flag("ASSIZE_TRIAL", True, about=ABOUT)
    assert refusal(error) == ("ASSIZE_TRIAL", "perhaps", "write 1 or 0")


@given(st.integers(min_value=5, max_value=9))
def test_number_reads_what_lies_within(value: int) -> None:
    os.environ["ASSIZE_TRIAL"] = f" {value} "
    try:
        assert env.number("ASSIZE_TRIAL", 7, least=5, most=9, about=ABOUT) == value
    finally:
        del os.environ["ASSIZE_TRIAL"]


@pytest.mark.parametrize("value", ["4", "10", "-5", "5.0", "٧", "1_0", "seven", "0x7", "99999999999999999999"])
def test_number_refuses_what_is_none_or_out_of_range(given_value: Setter, value: str) -> None:
    given_value(value)
    with pytest.raises(env.BadSetting) as error:
        env.number("ASSIZE_TRIAL", 7, least=5, most=9, about=ABOUT)
    assert refusal(error) == ("ASSIZE_TRIAL", value, "write a whole number from 5 to 9")


def test_words_are_split_at_commas(given_value: Setter) -> None:
    given_value(" a.example.org, ,b.example.org,")
    assert env.words("ASSIZE_TRIAL", about=ABOUT) == ["a.example.org", "b.example.org"]


def test_choice_refuses_what_is_not_offered(given_value: Setter) -> None:
    given_value("LOUD")
    with pytest.raises(env.BadSetting) as error:
        env.choice("ASSIZE_TRIAL", "INFO", {"INFO": 1, "ERROR": 2}, about=ABOUT)
    assert refusal(error) == ("ASSIZE_TRIAL", "LOUD", "write one of INFO, ERROR")


def test_time_zone_refusal_suggests_the_nearest(given_value: Setter) -> None:
    given_value("Europe/Pariss")
    with pytest.raises(env.BadSetting) as error:
        env.time_zone("ASSIZE_TRIAL", "UTC", about=ABOUT)
    assert refusal(error) == ("ASSIZE_TRIAL", "Europe/Pariss", "write a time zone's name, such as Europe/Paris")


# Addresses


def read_url(secret: bool = True) -> SplitResult | None:
    return env.url("ASSIZE_TRIAL", ("redis", "unix", "postgres"), "redis://host:1", about=ABOUT, secret=secret)


@pytest.mark.parametrize(
    "value", ["redis://:p%40ss@host:6379/0", "unix:///run/queue.sock", "postgres:///assize?host=/run", "redis://[::1]:6379"]
)
def test_url_reads_hosts_and_sockets(given_value: Setter, value: str) -> None:
    given_value(value)
    assert read_url() == urlsplit(value)


def test_url_unset_is_none() -> None:
    assert read_url() is None


@pytest.mark.parametrize("value", ["host:6379", "http://host", "redis://", "unix://", "redis:///0"])
def test_url_refuses_other_schemes_and_no_host(given_value: Setter, value: str) -> None:
    given_value(value)
    with pytest.raises(env.BadSetting) as error:
        read_url(secret=False)
    assert refusal(error) == ("ASSIZE_TRIAL", value, "write an address like redis://host:1")


def test_url_refuses_a_port_that_is_no_number_and_keeps_the_password(given_value: Setter) -> None:
    given_value("redis://:hunter2@host:port")
    with pytest.raises(env.BadSetting) as error:
        read_url()
    assert refusal(error)[:2] == ("ASSIZE_TRIAL", "redis://…")
    assert "hunter2" not in str(error.value)
    assert "write an address like redis://host:1" in str(error.value)


def test_database_entry_has_unquoted_parts_and_options() -> None:
    parts = urlsplit("postgres://us%40er:pa%2Fss@db:5433/name?sslmode=require&host=%2Frun")
    assert env.database(parts) == {
        "ENGINE": "config.postgresql",
        "NAME": "name",
        "USER": "us@er",
        "PASSWORD": "pa/ss",
        "HOST": "db",
        "PORT": "5433",
        "OPTIONS": {"sslmode": "require", "host": "/run"},
    }


def test_unknown_variable_suggests_the_nearest(given_value: Setter) -> None:
    given_value("1", "ASSIZE_PROT")
    given_value("1", "ASSIZE_XYZZY_PLUGH_QUUX")
    assert env.unknown() == [("ASSIZE_PROT", "ASSIZE_PORT"), ("ASSIZE_XYZZY_PLUGH_QUUX", "")]


def test_socket_path_is_in_the_data_folder_unless_too_long(tmp_path: Path) -> None:
    short, long = Path("/srv/assize"), Path("/srv") / ("x" * 120)
    assert env.socket_path(short) == Path("/srv/assize/queue/valkey.sock")
    assert len(os.fsencode(env.socket_path(long))) < 100
    assert env.socket_path(long) == env.socket_path(long) != env.socket_path(Path("/srv") / ("y" * 120))


# Starts that are refused, in a process of their own


def check(**variables: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ASSIZE_")}
    return subprocess.run(
        [sys.executable, str(settings.BASE_DIR / "manage.py"), "check"],
        env={**kept, "ASSIZE_DATA": os.environ["ASSIZE_DATA"], **variables},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("variables", "line"),
    [
        ({"ASSIZE_PORT": "99999"}, "ASSIZE_PORT='99999' cannot be used: write a whole number from 1 to 65535"),
        (
            {"ASSIZE_DATABASE_URL": "mysql://root:hunter2@host/x"},
            "ASSIZE_DATABASE_URL='mysql://…' cannot be used: write an address like postgres://user:password@host:5432/assize",
        ),
        (
            {"ASSIZE_BASE_URL": "https://example.org/assize"},
            "ASSIZE_BASE_URL='https://example.org/assize' cannot be used:"
            " the site lives at the root of its host; leave the path out",
        ),
        (
            {"ASSIZE_DEBUG": "1", "ASSIZE_HOST": "192.0.2.1"},
            "ASSIZE_DEBUG='1' cannot be used:"
            " debug pages show secrets; unset it, or set ASSIZE_HOST to 127.0.0.1 (it is 192.0.2.1)",
        ),
        (
            {"ASSIZE_HOST": "0.0.0.0"},
            "ASSIZE_HOST='0.0.0.0' cannot be used:"
            " the site would answer under any name; say which with ASSIZE_BASE_URL or ASSIZE_ALLOWED_HOSTS",
        ),
        (
            {"ASSIZE_SECRET_KEY": "short"},
            "ASSIZE_SECRET_KEY='…' cannot be used: it is shorter than 50 characters; unset it to have one made",
        ),
        (
            {"ASSIZE_TIME_ZONE": "Middle/Earth"},
            "ASSIZE_TIME_ZONE='Middle/Earth' cannot be used: write a time zone's name, such as",
        ),
        (
            {"ASSIZE_DATA": "/proc/assize"},
            "ASSIZE_DATA='/proc/assize' cannot be used: No such file or directory; name a folder that can be written to",
        ),
    ],
    ids=lambda value: ",".join(value) if isinstance(value, dict) else "",
)
def test_start_is_refused_in_one_line(variables: dict[str, str], line: str) -> None:
    ended = check(**variables)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.startswith(line)
    assert ended.stderr.count("\n") == 1


def test_start_warns_of_an_unknown_variable() -> None:
    ended = check(ASSIZE_PROT="8080")
    assert ended.returncode == 0
    assert "(assize.W001) ASSIZE_PROT is set, but nothing reads it.\n\tHINT: Did you mean ASSIZE_PORT?" in ended.stderr
