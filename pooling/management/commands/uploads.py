from django.core.management.base import CommandParser

from config.commands import Error, Options
from pooling import selectors
from pooling.commands import CollectionCommand
from pooling.services import uploads

COLUMNS = ["id", "kind", "name", "state", "errors", "warnings", "uploaded_by", "uploaded_at"]


class Command(CollectionCommand):
    help = "List the files that were sent to a collection, and dismiss reports of refused ones."

    def add_arguments(self, parser: CommandParser) -> None:
        acts = self.acts(parser)
        self.act(acts, "list", self.list, "Files that were sent, newest first.", lists=True).add_argument("slug")
        act = self.act(acts, "dismiss", self.dismiss, "Dismiss the report of a file that was not taken.")
        act.add_argument("slug")
        act.add_argument("id", type=int)

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
        collection = self.collection(options["slug"])
        upload = collection.uploads.filter(pk=options["id"]).first()
        if upload is None:
            raise Error(f"{collection.slug} has no upload {options['id']}.")
        uploads.dismiss_upload(upload)
        self.say(f"The report of {upload.name} is gone.")
