"""Files of the site, by their name below the data folder: on this disk alone, or also in a store that machines share.

A file is written once, under a name that is nobody else's, and never changed. So with a shared store the data folder is a
copy that cannot be out of date: what this machine lacks is fetched, and what it makes is sent before a row tells of it.
"""

import os
import shutil
import uuid
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

from django.conf import settings
from django.core.files import File
from django.core.files.storage import Storage, storages

LAST = "meta.json"  # of a folder that is kept whole: it says that the others are there


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
        _send(shared, settings.DATA / name, name)


def _send(shared: Storage, file: Path, name: str) -> None:
    with file.open("rb") as source:
        shared.save(name, File(source, name))


def put(name: str, data: bytes) -> None:
    """A whole file under its name, on the disk, or none."""
    target: Path = settings.DATA / name
    target.parent.mkdir(parents=True, exist_ok=True)
    aside = target.with_name(f".{target.name}.{uuid.uuid4().hex}")
    try:
        with aside.open("wb") as file:
            file.write(data)
            sync(file)
        aside.replace(target)
    finally:
        aside.unlink(missing_ok=True)
    sync_folder(target.parent)
    keep(name)


def sync(file: BinaryIO) -> None:
    """Onto the disk, before a row tells of it: a row outlives a power cut, and so must its file."""
    file.flush()
    os.fsync(file.fileno())
    sync_folder(Path(file.name).parent)


def sync_folder(path: Path) -> None:
    """A new name is on the disk when its folder is."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def move(aside: Path, name: str) -> None:
    """What a job wrote aside, a file or a folder, gets its name. Here it does so last: cut off before, it is sent again."""
    target: Path = settings.DATA / name
    target.parent.mkdir(parents=True, exist_ok=True)
    if shared := _shared():
        for below in _below(aside, aside):
            _send(shared, aside / below, f"{name}/{below}" if below else name)
    aside.replace(target)
    sync_folder(target.parent)


def remove(name: str) -> None:
    (settings.DATA / name).unlink(missing_ok=True)
    if shared := _shared():
        shared.delete(name)


def folder(name: str) -> Path:
    """A folder that was moved whole: it is there when its file LAST is, which comes after the others."""
    here: Path = settings.DATA / name
    shared = _shared()
    if shared and not (here / LAST).exists():
        names = _stored(shared, name)
        if f"{name}/{LAST}" in names:
            for one in names:
                path(one)
    return here


def remove_folder(name: str) -> None:
    shutil.rmtree(settings.DATA / name, ignore_errors=True)
    if shared := _shared():
        for one in reversed(_stored(shared, name)):
            shared.delete(one)


def fetch_all() -> None:
    """For a backup: everything that is shared, onto this machine."""
    if shared := _shared():
        for name in _stored(shared, "files"):
            path(name)


def keep_all() -> None:
    """After a restore: everything of this machine, into the store."""
    if _shared():
        for name in _below(settings.DATA / "files", settings.DATA):
            keep(name)


def _below(here: Path, above: Path) -> list[str]:
    """Names below `above` of a file, or of all in a folder."""
    found = [one.relative_to(above) for one in (here.rglob("*") if here.is_dir() else [here]) if one.is_file()]
    shown = (one for one in found if not any(part.startswith(".") for part in one.parts))
    return _whole_last("" if one == Path() else one.as_posix() for one in shown)


def _stored(shared: Storage, name: str) -> list[str]:
    try:
        folders, names = shared.listdir(name)
    except FileNotFoundError:  # of a file system; a bucket has no folders
        return []
    found = [f"{name}/{one}" for one in names if one]
    for below in folders:
        found += _stored(shared, f"{name}/{below}")
    return _whole_last(found)


def _whole_last(names: Iterable[str]) -> list[str]:
    """What says that a folder is whole comes after all that is in it, so that nobody takes a part for it."""
    return sorted(names, key=lambda one: Path(one).name == LAST)
