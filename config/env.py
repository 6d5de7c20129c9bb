"""Typed readers of ASSIZE_* variables. A wrong value stops the start, naming variable, value and remedy."""

import difflib
import hashlib
import importlib.util
import os
import tempfile
import zoneinfo
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import SplitResult, unquote, urlsplit


class BadSetting(SystemExit):
    """A variable of the environment that cannot be used as it is: ends any process with this one line."""

    def __init__(self, name: str, value: str, remedy: str) -> None:
        self.name, self.value, self.remedy = name, value, remedy
        super().__init__(f"{name}={value!r} cannot be used: {remedy}")


@dataclass(frozen=True)
class Variable:
    name: str
    default: str
    about: str
    secret: bool = False


# Every variable the product reads; docs/settings.md has a row for each (tests/test_docs.py sees to it).
VARIABLES: dict[str, Variable] = {}


def _declare(name: str, default: str, about: str, secret: bool = False) -> str:
    VARIABLES[name] = Variable(name, default, about, secret)
    return os.environ.get(name, "").strip()


def text(name: str, default: str = "", *, about: str, secret: bool = False) -> str:
    return _declare(name, default, about, secret) or default


def flag(name: str, default: bool, *, about: str) -> bool:
    raw = _declare(name, "1" if default else "0", about)
    if not raw:
        return default
    if raw.lower() in {"1", "true", "yes", "on"}:
        return True
    if raw.lower() in {"0", "false", "no", "off"}:
        return False
    raise BadSetting(name, raw, "write 1 or 0")


def number(name: str, default: int, *, least: int, most: int, about: str) -> int:
    raw = _declare(name, str(default), about)
    if not raw:
        return default
    if not raw.isascii() or not raw.isdigit() or not least <= int(raw) <= most:
        raise BadSetting(name, raw, f"write a whole number from {least} to {most}")
    return int(raw)


def time_zone(name: str, default: str, *, about: str) -> str:
    raw = _declare(name, default, about) or default
    if raw not in zoneinfo.available_timezones():
        near = next(iter(difflib.get_close_matches(raw, zoneinfo.available_timezones(), 1)), "Europe/Paris")
        raise BadSetting(name, raw, f"write a time zone's name, such as {near}")
    return raw


def words(name: str, *, about: str) -> list[str]:
    return [word.strip() for word in _declare(name, "", about).split(",") if word.strip()]


def choice(name: str, default: str, options: Mapping[str, object], *, about: str) -> str:
    raw = _declare(name, default, about) or default
    if raw not in options:
        raise BadSetting(name, raw, f"write one of {', '.join(options)}")
    return raw


def url(name: str, schemes: tuple[str, ...], example: str, *, about: str, secret: bool = True) -> SplitResult | None:
    """The variable as a parsed address, or None when it is unset."""
    raw = _declare(name, "", about, secret)
    if not raw:
        return None
    shown = raw if not secret else f"{raw.split('://', 1)[0]}://…"
    try:
        parts = urlsplit(raw)
        _ = parts.port
    except ValueError as error:
        raise BadSetting(name, shown, f"{error}; write an address like {example}") from None
    # A unix socket has no host name: unix:///path for the queue, ?host=/path for PostgreSQL.
    somewhere = parts.hostname or "host=" in parts.query or (parts.scheme == "unix" and parts.path)
    if parts.scheme not in schemes or not somewhere:
        raise BadSetting(name, shown, f"write an address like {example}")
    return parts


def database(parts: SplitResult) -> dict[str, object]:
    """Django's DATABASES entry for a postgres:// address."""
    options = dict(pair.split("=", 1) for pair in parts.query.split("&") if "=" in pair)
    return {
        "ENGINE": "config.postgresql",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": unquote(parts.hostname or ""),
        "PORT": str(parts.port or ""),
        "OPTIONS": {name: unquote(value) for name, value in options.items()},
    }


def storage(name: str, parts: SplitResult) -> dict[str, object]:
    """Django's STORAGES entry for an s3:// address. Without a key, the machine's own (its role, its files) are used."""
    bucket, _, folder = unquote(parts.path).strip("/").partition("/")
    options = dict(pair.split("=", 1) for pair in parts.query.split("&") if "=" in pair)
    if not bucket or folder or options.keys() - {"region", "prefix"}:
        raise BadSetting(
            name, f"{parts.scheme}://…", "write an address like s3://key:secret@s3.example.org/bucket?region=eu-west-1"
        )
    if importlib.util.find_spec("storages") is None or importlib.util.find_spec("boto3") is None:
        raise BadSetting(
            name, f"{parts.scheme}://…", "install what it needs: .venv/bin/uv pip install -c constraints.txt -e '.[s3]'"
        )
    host = f"{parts.hostname}:{parts.port}" if parts.port else parts.hostname
    return {
        "BACKEND": "storages.backends.s3.S3Storage",
        "OPTIONS": {
            "bucket_name": bucket,
            "location": unquote(options.get("prefix", "")),
            "access_key": unquote(parts.username) if parts.username else None,
            "secret_key": unquote(parts.password) if parts.password else None,
            "endpoint_url": f"{'http' if parts.scheme == 's3+http' else 'https'}://{host}",
            "region_name": options.get("region"),
            "default_acl": None,
            "file_overwrite": True,  # a job that is run again writes the same bytes under the same name
        },
    }


def unknown() -> list[tuple[str, str]]:
    """(variable, nearest known name or '') for each ASSIZE_* variable that nothing reads: most often a slip."""
    strangers = [name for name in os.environ if name.startswith("ASSIZE_") and name not in VARIABLES]
    return [(name, next(iter(difflib.get_close_matches(name, VARIABLES, 1)), "")) for name in sorted(strangers)]


def socket_path(data: Path) -> Path:
    """Where the embedded queue server listens: in the data folder, unless the path is too long for a socket."""
    path = data / "queue" / "valkey.sock"
    if len(os.fsencode(path)) < 100:  # the system's limit is 107 bytes, less a little for the server's temporary name
        return path
    digest = hashlib.sha256(os.fsencode(data)).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"assize-{os.getuid()}-{digest}" / "valkey.sock"
