from typing import Any

from django.core.management.base import CommandParser

from assess import exports, watching
from assess.schemas.watching import WatchedOut
from pooling.commands import CollectionCommand
from pooling.models import Collection


class Command(CollectionCommand):
    help = "Show what is judged and what is left, by assessor and by topic."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--watch", action="store_true", help="how it goes: forecast, grades, depths, what is unusual")
        parser.add_argument("--hours", action="store_true", help="active seconds of each assessor by day, as CSV")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        collection = self.collection(options["slug"])
        if options["hours"]:
            return self.document(watching.hours(collection)) if options["json"] else self._hours(collection)
        found = watching.progress(collection)
        if options["watch"]:
            return self._watch(watching.watched(collection, found), as_json=options["json"])
        groups = (("all", [found.total]), ("assessor", found.assessors), ("topic", found.topics))
        rows = [
            {
                "of": kind,
                "name": (line.who or line.name) if kind == "assessor" else line.name,
                "done": line.done,
                "left": line.left,
                "skipped": line.skipped,
                "later": line.later,
                "seconds": line.seconds if options["json"] or line.seconds is None else f"{line.seconds:.1f}",
            }
            for kind, lines in groups
            for line in lines
        ]
        self.table(rows, ["of", "name", "done", "left", "skipped", "later", "seconds"])
        if found.unassigned:
            self.say(f"{found.unassigned:,} of {found.items:,} items have no assessor.")
        if found.imported:
            self.say(f"Beside these, {found.imported:,} judgments came with a file.")
        return None

    def _hours(self, collection: Collection) -> None:
        self.stdout.write(exports.hours_csv(collection), ending="")

    def _watch(self, found: watching.Watched, *, as_json: bool) -> None:
        if as_json:
            return self.document(WatchedOut.from_orm(found).model_dump(by_alias=False))
        rows: list[dict[str, object]] = [
            {"of": "hours left", "what": found.forecast.hours},
            {"of": "days left", "what": found.forecast.days},
        ]
        rows += [{"of": f"grades of {row.who}", "what": " ".join(map(str, row.grades))} for row in found.assessors]
        rows += [{"of": f"unusual: {row.who}", "what": flag} for row in found.assessors for flag in row.flags]
        rows += [{"of": f"depth {row.depth}", "what": f"{row.relevant:,} of {row.judged:,} relevant"} for row in found.depths]
        rows += [{"of": f"same again: {row.who}", "what": f"{row.same:,} of {row.repeats:,}"} for row in found.consistency]
        rows += [
            {"of": f"machine {row.who}", "what": f"{row.done:,} judged, {row.invalid:,} invalid"} for row in found.machines
        ]
        rows.append({"of": "open questions", "what": found.questions})
        return self.table(rows, ["of", "what"])
