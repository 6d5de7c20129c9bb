from django.core.management.base import CommandParser

from config.commands import Error, Options
from config.expected import no_such
from pooling import selectors
from pooling.commands import CollectionCommand
from pooling.models import Upload, UploadState
from pooling.services import uploads
from pooling.services.work import Direct

COLUMNS = ["id", "kind", "name", "state", "errors", "warnings", "uploaded_by", "uploaded_at"]


class Command(CollectionCommand):
    help = "List the files that were sent to a collection, repair refused runs, and dismiss reports."

    def add_arguments(self, parser: CommandParser) -> None:
        acts = self.acts(parser)
        self.act(acts, "list", self.list, "Files that were sent, newest first.", lists=True).add_argument("slug")
        act = self.act(acts, "dismiss", self.dismiss, "Dismiss the report of a file that was not taken.")
        act.add_argument("slug")
        act.add_argument("id", type=int)
        act = self.act(acts, "repair", self.repair, "Check a refused run again, with the repairs that were offered.")
        act.add_argument("slug")
        act.add_argument("id", type=int)
        act.add_argument(
            "--repair", metavar="LIST", default="", help="of ranks, first and cut; all that were offered unless given"
        )
        self.add_by(act)

    def list(self, options: Options) -> None:
        found = self.collection(options["slug"]).uploads.select_related("uploaded_by")
        rows = [
            {
                "id": upload.pk,
                "kind": upload.kind,
                "name": upload.name,
                "state": upload.shown_state,
                "errors": upload.report.get("errors"),
                "warnings": upload.report.get("warnings"),
                "uploaded_by": upload.uploaded_by.username,
                "uploaded_at": upload.uploaded_at,
            }
            for upload in selectors.with_jobs(list(found))
        ]
        self.table(rows, COLUMNS)

    def dismiss(self, options: Options) -> None:
        upload = self._upload(options)
        uploads.dismiss_upload(upload)
        self.say(f"The report of {upload.name} is gone.")

    def repair(self, options: Options) -> None:
        names = options["repair"].replace(",", " ").split()
        upload = uploads.repair_upload(self._upload(options), by=self.actor(options), repairs=names, later=False)
        with self.bar(f"Check of {upload.name}") as tell, Direct(tell) as work:
            uploads.check_upload(upload, work)
        if upload.state != UploadState.ACCEPTED:
            raise Error(
                f"{upload.name} is refused all the same, with {upload.report['errors']:,} faults: see upload {upload.pk}."
            )
        self.say(f"{upload.name} is taken, repaired.")

    def _upload(self, options: Options) -> Upload:
        collection = self.collection(options["slug"])
        found = collection.uploads.filter(pk=options["id"]).first()
        if found is None:
            raise Error(no_such("upload", options["id"]))
        return found
