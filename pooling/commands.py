"""What the commands on a collection share. Beside config/commands.py, since the frame knows no app."""

import sys
import tarfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from config.commands import Error, Options, SiteCommand, printable
from config.expected import no_such
from config.models import User
from pooling import access
from pooling.core.findings import Report
from pooling.models import Collection, Role, Topic, Upload, UploadKind, UploadState
from pooling.services import uploads
from pooling.services.work import Direct

CHUNK = 1 << 20


class CollectionCommand(SiteCommand):
    def collection(self, slug: str) -> Collection:
        found = Collection.objects.filter(slug=slug).first()
        if found is None:
            raise Error(f"There is no collection “{slug}”.")
        return found

    def topic(self, collection: Collection, number: str) -> Topic:
        found = collection.topics.filter(number=number).first()
        if found is None:
            raise Error(no_such("topic", number))
        return found

    def member(self, options: Options, *roles: Role) -> tuple[Collection, User, set[str]]:
        """The collection and --by, with their roles in it: what only its members may do is done by who may."""
        collection, by = self.collection(options["slug"]), self.user(options["by"])
        held = access.roles_in(by, collection)
        if not by.is_active or not held & set(roles):
            wanted = " or ".join(role.label for role in roles)
            raise Error(f"Expected an active {wanted} of {collection.slug} as --by; found {by.username}.")
        return collection, by, held

    def bytes_of(self, name: str) -> bytes:
        """Of a file, or of stdin for -."""
        try:
            return sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
        except OSError as error:
            raise Error(f"{name}: {error.strerror}.") from error

    def tell_findings(self, name: str, report: Report) -> None:
        for found in report.findings:
            where = f"{name}:{found.line}" if found.line else name
            self.stderr.write(printable(f"{where}: {found.severity}: {found.message}"), lambda text: text)


class UploadCommand(CollectionCommand):
    """Takes files into a collection, each whole or not at all; the faults of a bad one are listed by line."""

    def take(self, options: Options, kind: UploadKind, names: Sequence[str], told: dict[str, str] | None = None) -> None:
        collection, by = self.collection(options["slug"]), self.actor(options)
        taken = []
        for name in names:
            with _chunks(name) as chunks:
                upload = uploads.receive_file(collection, by=by, kind=kind, name=name, chunks=chunks, options=told, later=False)
            taken.append(self.look_through(upload))
        self._conclude(taken)

    def take_runs(self, options: Options, names: Sequence[str], told: dict[str, str]) -> None:
        """Run files and archives of them, each run by itself; all are received before the first is checked."""
        collection, by = self.collection(options["slug"]), self.actor(options)
        files = ((name, _whole(name)) for name in names)
        received = uploads.receive_runs(collection, by=by, files=files, options=told, later=False)
        self._conclude([self.look_through(upload) for upload in received])

    def look_through(self, upload: Upload) -> Upload:
        with self.bar(upload.name) as tell, Direct(tell) as work:
            uploads.check_upload(upload, work)
        self._report(upload)
        return upload

    def report(self, taken: Sequence[Upload]) -> None:
        """What became of files that were checked already."""
        for upload in taken:
            self._report(upload)
        self._conclude(taken)

    @staticmethod
    def _conclude(taken: Sequence[Upload]) -> None:
        refused = [upload for upload in taken if upload.state != UploadState.ACCEPTED]
        if refused:
            files = taken[0].name if len(taken) == 1 else f"{len(refused)} of {len(taken)} files"
            raise Error(f"Refused: {files}. Nothing of {'it' if len(refused) == 1 else 'them'} was stored.")

    def _report(self, upload: Upload) -> None:
        for found in upload.report["findings"]:
            where = f"{upload.name}:{found['line']}" if found["line"] else upload.name
            self.stderr.write(printable(f"{where}: {found['severity']}: {found['message']}"), lambda text: text)
        if upload.state == UploadState.ACCEPTED:
            facts = upload.report["facts"]
            words = {"tag": "", "topics": "topics", "lines": "lines", "documents": "documents", "missing": "missing"}
            words |= {"kept": "kept", "dropped": "dropped"}
            told = (_counted(value, words[name]) for name, value in facts.items() if name in words)
            self.stdout.write("  ".join(told))


def _counted(value: object, words: str) -> str:
    """1 document, 2 documents; a tag alone."""
    return f"{value} {words.removesuffix('s') if value == 1 else words}".strip()


@contextmanager
def _chunks(name: str) -> Iterator[Iterable[bytes]]:
    try:
        if Path(name).is_dir():
            yield _folder(Path(name))
        else:
            with Path(name).open("rb") as file:
                yield iter(lambda: file.read(CHUNK), b"")
    except OSError as error:
        raise Error(f"{name}: {error.strerror}.") from error


def _whole(name: str) -> Iterator[bytes]:
    with _chunks(name) as chunks:
        yield from chunks


class _Sink:
    """Takes what is written, to be handed on piece by piece."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []

    def write(self, data: bytes) -> int:
        self.parts.append(bytes(data))
        return len(data)

    def taken(self) -> bytes:
        data, self.parts = b"".join(self.parts), []
        return data


def _folder(folder: Path) -> Iterator[bytes]:
    """The files of a folder as a tar archive, made as it is read; links are not followed."""
    sink = _Sink()
    with tarfile.open(fileobj=sink, mode="w|") as archive:  # type: ignore[call-overload]
        for path in sorted(folder.rglob("*")):
            if path.is_file() and not path.is_symlink():
                archive.add(path, arcname=str(path.relative_to(folder)), recursive=False)
                yield sink.taken()
    yield sink.taken()
