"""The frame of `assize demo`: its environment, and the people one can be by a button. evaluation/demo makes its world.

Loads no Django: the environment must stand before the settings are read.
"""

import argparse
import ipaddress
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

SLUG = "saltmere"
# The rest is dropped: the demo never meets a real site's database, queue, mail server or address.
KEPT = ("ASSIZE_HOST", "ASSIZE_PORT", "ASSIZE_TIME_ZONE", "ASSIZE_LOG_LEVEL")


@dataclass(frozen=True)
class Person:
    """Somebody of the demo; `page` is where their work is."""

    username: str
    name: str
    role: str
    does: str
    page: str


CAST = {
    person.username: person
    for person in (
        Person("olive", "Olive Tarrant", "organizer", "sees the whole line, from runs to scores", f"/c/{SLUG}/"),
        Person("amos", "Amos Pell", "assessor", "has some documents left to judge", f"/c/{SLUG}/judge/"),
        Person("judith", "Judith Crane", "adjudicator", "decides where assessors differ", f"/c/{SLUG}/adjudicate/"),
        Person("percy", "Percy Lowe", "participant", "submitted runs and reads their scores", f"/c/{SLUG}/leaderboard/"),
        Person("rosa", "Rosa Vance", "researcher", "reads and downloads what was released", f"/c/{SLUG}/data/"),
        Person("ada", "Ada Holm", "administrator", "looks after accounts and the site", "/status/"),
    )
}


def people(on: bool) -> list[Person]:
    """Whom one can be by a button: anybody of the cast in the demo, nobody elsewhere."""
    return list(CAST.values()) if on else []


def environment(given: Mapping[str, str], arguments: Sequence[str], base: Path) -> dict[str, str]:
    """The environment of the demo: a data folder beside that of the site in `base`, and nothing else of the site's."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--port", default="")
    port = parser.parse_known_args(arguments)[0].port
    kept = {name: value for name, value in given.items() if not name.startswith("ASSIZE_") or name in KEPT}
    data = Path(given.get("ASSIZE_DATA", "").strip() or base / "data").absolute()
    ours = {"ASSIZE_DATA": f"{data}-demo", "ASSIZE_DEMO": "1"} | ({"ASSIZE_PORT": port} if port else {})
    return kept | ours


def is_here(meta: Mapping[str, object]) -> bool:
    """Whether a request comes from this machine, and through no proxy."""
    try:
        peer = ipaddress.ip_address(str(meta.get("REMOTE_ADDR", "")))
    except ValueError:
        return False
    return peer.is_loopback and not {"HTTP_X_FORWARDED_FOR", "HTTP_FORWARDED", "HTTP_VIA"} & set(meta)
