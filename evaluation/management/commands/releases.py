import shutil
from pathlib import Path

from django.core.management.base import CommandParser

from config import store
from config.commands import Error, Options
from evaluation import changes, selectors
from evaluation.models import ReleaseState
from evaluation.services import releases
from pooling.commands import CollectionCommand

COLUMNS = ["number", "state", "frozen_at", "rule", "items", "topics", "sha256"]


class Command(CollectionCommand):
    help = "List releases, show them to others, withdraw and compare them, write their archives."

    def add_arguments(self, parser: CommandParser) -> None:
        acts = self.acts(parser)
        self.act(acts, "list", self.list, "A collection's releases, newest first.", lists=True).add_argument("slug")
        act = self.act(acts, "state", self.state, "Make a release private or public, or withdraw it.")
        act.add_argument("slug")
        act.add_argument("number", type=int)
        act.add_argument("state", choices=[state for state in ReleaseState.values if state != ReleaseState.DRAFT])
        act.add_argument("--note", metavar="TEXT", default="", help="why it was withdrawn: shown in its place")
        act.add_argument("--open-collection", action="store_true", help="to public: a private collection becomes public, too")
        self.add_by(act)
        act = self.act(acts, "diff", self.diff, "What changed from one release to another.", lists=True)
        act.add_argument("slug")
        act.add_argument("old", type=int)
        act.add_argument("new", type=int)
        act = self.act(acts, "archive", self.archive, "Write the archive of a release, or of its scores.")
        act.add_argument("slug")
        act.add_argument("number", type=int)
        act.add_argument("-o", "--output", metavar="FILE", help="SLUG-release-N.zip in the current folder unless given")
        act.add_argument("--scores", action="store_true", help="the scores instead, their newest version")

    def list(self, options: Options) -> None:
        rows = []
        for release in selectors.releases(self.collection(options["slug"])):
            shown = {name: getattr(release, name) for name in ("number", "state", "frozen_at", "rule", "sha256")}
            rows.append({**shown, "items": release.counts["items"], "topics": release.counts["topics"]})
        self.table(rows, COLUMNS)

    def state(self, options: Options) -> None:
        found = selectors.tombstone(self.collection(options["slug"]), options["number"])
        given = {name: options[name] for name in ("state", "note", "open_collection")}
        step = releases.set_state(found, by=self.actor(options), **given)
        self.say(f"Release {found.number} is {step.state} now.")

    def diff(self, options: Options) -> None:
        collection = self.collection(options["slug"])
        old, new = (selectors.release(collection, options[name]) for name in ("old", "new"))
        found = changes.diff(old, new)
        if options["json"]:
            self.document(changes.diff_document(found))
            return
        self.say(f"Added {found.added:,}, other grade {found.changed:,}, removed {found.removed:,}.")
        rows = [{name: getattr(row, name) for name in ("topic", "docno", "before", "after")} for row in found.changes]
        self.table(rows, ["topic", "docno", "before", "after"])

    def archive(self, options: Options) -> None:
        found = selectors.release(self.collection(options["slug"]), options["number"])
        name, path = f"{options['slug']}-release-{found.number}", found.archive
        if options["scores"]:
            scores = found.score_archives.first()
            name, path = (f"{name}-scores-{scores.version}", scores.path) if scores else (name, "")
        if not path:
            raise Error(f"Release {found.number} has no such archive.")
        target = Path(options["output"] or f"{name}.zip")
        with self.written(target) as aside:
            shutil.copyfile(store.path(path), aside)
        self.stdout.write(str(target))
