"""What the commands on a collection share. Beside config/commands.py, since the frame knows no app."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from config.commands import Error, Options, SiteCommand, printable
from pooling.models import Collection, Upload, UploadKind, UploadState
from pooling.services import uploads
from pooling.services.work import Direct

CHUNK = 1 << 20


class CollectionCommand(SiteCommand):
    def collection(self, slug: str) -> Collection:
        found = Collection.objects.filter(slug=slug).first()
        if found is None:
            raise Error(f"There is no collection “{slug}”.")
        return found


class UploadCommand(CollectionCommand):
    """Takes files into a collection, each whole or not at all; the faults of a bad one are listed by line."""

    def take(self, options: Options, kind: UploadKind, names: Sequence[str], told: dict[str, str] | None = None) -> None:
        collection, by, refused = self.collection(options["slug"]), self.actor(options), 0
        for name in names:
            with _chunks(name) as chunks:
                upload = uploads.receive_file(collection, by=by, kind=kind, name=name, chunks=chunks, options=told, later=False)
            with self.bar(upload.name) as tell, Direct(tell) as work:
                uploads.check_upload(upload, work)
            self._report(upload)
            refused += upload.state != UploadState.ACCEPTED
        if refused:
            files = names[0] if len(names) == 1 else f"{refused} of {len(names)} files"
            raise Error(f"Refused: {files}. Nothing of {'it' if refused == 1 else 'them'} was stored.")

    def _report(self, upload: Upload) -> None:
        for found in upload.report["findings"]:
            where = f"{upload.name}:{found['line']}" if found["line"] else upload.name
            self.stderr.write(printable(f"{where}: {found['severity']}: {found['message']}"), lambda text: text)
        if upload.state == UploadState.ACCEPTED:
            facts = upload.report["facts"]
            words = {"tag": "", "topics": "topics", "lines": "lines", "documents": "documents"}
            self.stdout.write("  ".join(f"{value} {words[name]}".strip() for name, value in facts.items()))


@contextmanager
def _chunks(name: str) -> Iterator[Iterator[bytes]]:
    try:
        with Path(name).open("rb") as file:
            yield iter(lambda: file.read(CHUNK), b"")
    except OSError as error:
        raise Error(f"{name}: {error.strerror}.") from error
