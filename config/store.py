"""Files of the site, by their name below the data folder: on this disk alone, or also in a store that machines share.

A file is written once, under a name that is nobody else's, and never changed. So with a shared store the data folder is a
copy that cannot be out of date: what this machine lacks is fetched, and what it makes is sent before a row tells of it.
"""

import os
import shutil
import uuid
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings
from django.core.files import File
from django.core.files.storage import Storage, storages


def _shared() -> Storage | None:
    return storages["shared"] if "shared" in settings.STORAGES else None


def path(name: str, *, changes: bool = False) -> Path:
    """Where the file is on this machine, if it is anywhere. `changes`: it is one of the few that are written anew."""
    here: Path = settings.DATA / name
    shared = _shared()
    if shared and (changes or not here.exists()):
        _fetch(shared, name, here)
    return here


def _fetch(shared: Storage, name: str, here: Path) -> None:
    here.parent.mkdir(parents=True, exist_ok=True)
    aside = here.with_name(f".{here.name}.{uuid.uuid4().hex}")
    try:
        with shared.open(name) as source, aside.open("wb") as target:
            shutil.copyfileobj(source, target, 1 << 20)
        aside.replace(here)
    except FileNotFoundError:
        pass  # whoever opens it is told so
    finally:
        aside.unlink(missing_ok=True)


def keep(name: str) -> None:
    """The file stands whole in the data folder: other machines may have it. Before its row is committed."""
    if shared := _shared():
        with (settings.DATA / name).open("rb") as source:
            shared.save(name, File(source, name))


def put(name: str, data: bytes) -> None:
    """A whole file under its name, on the disk, or none."""
    target: Path = settings.DATA / name
    target.parent.mkdir(parents=True, exist_ok=True)
    aside = target.with_name(f".{target.name}.{uuid.uuid4().hex}")
    try:
        with aside.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        aside.replace(target)
    finally:
        aside.unlink(missing_ok=True)
    folder = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
    keep(name)


def move(aside: Path, name: str) -> None:
    """What a job wrote aside gets its name."""
    target: Path = settings.DATA / name
    target.parent.mkdir(parents=True, exist_ok=True)
    aside.replace(target)
    for made in _below(target):
        keep(made)


def remove(name: str) -> None:
    (settings.DATA / name).unlink(missing_ok=True)
    if shared := _shared():
        shared.delete(name)


def folder(name: str, last: str) -> Path:
    """A folder that was moved whole, where `last` is its file that says so: it comes after the others."""
    here: Path = settings.DATA / name
    shared = _shared()
    if shared and not (here / last).exists():
        names = _stored(shared, name)
        if f"{name}/{last}" in names:
            for one in sorted(names, key=lambda one: Path(one).name == last):
                path(one)
    return here


def remove_folder(name: str) -> None:
    shutil.rmtree(settings.DATA / name, ignore_errors=True)
    if shared := _shared():
        for one in _stored(shared, name):
            shared.delete(one)


def fetch_all() -> None:
    """For a backup: everything that is shared, onto this machine."""
    if shared := _shared():
        for name in _stored(shared, "files"):
            path(name)


def keep_all() -> None:
    """After a restore: everything of this machine, into the store."""
    if _shared():
        for name in _below(settings.DATA / "files"):
            keep(name)


def _below(here: Path) -> Iterator[str]:
    found = here.rglob("*") if here.is_dir() else [here]
    for one in found:
        if one.is_file() and not any(part.startswith(".") for part in one.relative_to(settings.DATA).parts):
            yield one.relative_to(settings.DATA).as_posix()


def _stored(shared: Storage, name: str) -> list[str]:
    try:
        folders, names = shared.listdir(name)
    except FileNotFoundError:  # of a file system; a bucket has no folders
        return []
    found = [f"{name}/{one}" for one in names if one]
    for below in folders:
        found += _stored(shared, f"{name}/{below}")
    return found
