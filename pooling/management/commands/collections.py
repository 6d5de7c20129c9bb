import json
import re

from django.core.management.base import CommandParser
from django.db.models import Count, Q

from config.commands import Error, Options
from pooling.commands import CollectionCommand
from pooling.core.presets import PRESETS, GradeSpec
from pooling.models import Collection, Genre, Visibility
from pooling.services import collections

GRADE_KEYS = {"value": int, "label": str, "definition": str, "example": str, "key": str}


class Command(CollectionCommand):
    help = "List, show, make, change, archive and restore collections."

    def add_arguments(self, parser: CommandParser) -> None:
        acts = self.acts(parser)
        act = self.act(acts, "list", self.list, "The collections, newest first.", lists=True)
        act.add_argument("--all", action="store_true", help="archived ones too")
        self.act(acts, "show", self.show, "A collection's settings and scale.", lists=True).add_argument("slug")
        act = self.act(acts, "create", self.create, "Make a collection with its task's scale and measures.")
        act.add_argument("slug", help="small letters, digits and hyphens; it stays in the collection's address")
        act.add_argument("--name", required=True)
        act.add_argument("--task", required=True, choices=list(PRESETS), help=f"one of {', '.join(PRESETS)}", metavar="TASK")
        act.add_argument("--description", default="", metavar="TEXT", help="what is searched, by whom, for what (Markdown)")
        act.add_argument("--visibility", choices=Visibility.values, default=Visibility.PRIVATE.value)
        _add_described(act)
        self.add_by(act)
        act = self.act(acts, "edit", self.edit, "Change a collection; what is not named stays as it is.")
        act.add_argument("slug")
        act.add_argument("--name")
        act.add_argument("--description", metavar="TEXT")
        act.add_argument("--visibility", choices=Visibility.values)
        _add_described(act)
        act.add_argument("--measures", metavar="LIST", help="official measures, such as AP,nDCG@10; the first orders the runs")
        act = self.act(acts, "scale", self.scale, "Set grades and thresholds, until judging begins.")
        act.add_argument("slug")
        act.add_argument(
            "file", help="JSON with grades, lenient_from, strict_from, as in an export's collection.json; - is stdin"
        )
        act = self.act(acts, "guidelines", self.guidelines, "Print the assessors' guidelines, or write a new version.")
        act.add_argument("slug")
        act.add_argument("file", nargs="?", help="Markdown of the new version; - is stdin; left out: print the current one")
        self.add_by(act)
        self.act(acts, "archive", self.archive, "Close a collection: it can be read, nothing changes.").add_argument("slug")
        self.act(acts, "restore", self.restore, "Open an archived collection again.").add_argument("slug")

    def list(self, options: Options) -> None:
        shown = Collection.objects.all() if options["all"] else Collection.objects.filter(archived_at=None)
        members = Count("memberships__user", filter=Q(memberships__ended_at=None), distinct=True)
        columns = ["slug", "name", "task", "visibility", "members", "created_at", "archived_at"]
        self.table(list(shown.annotate(members=members).order_by("-pk").values(*columns)), columns)

    def show(self, options: Options) -> None:
        facts = collections.facts(self.collection(options["slug"]))
        if options["json"]:
            return self.document(facts)
        grades = facts.pop("grades")
        self.facts(facts)
        self.stdout.write("")
        return self.table(grades, ["value", "key", "label", "definition"])  # type: ignore[arg-type]

    def create(self, options: Options) -> None:
        wanted = {name: options[name] for name in ("slug", "name", "task", "description", "visibility")}
        wanted |= {name: options[name] or "" for name in collections.DESCRIBED}
        collection = collections.create_collection(by=self.actor(options), **wanted)
        self.stdout.write(collection.slug)

    def edit(self, options: Options) -> None:
        collection = self.collection(options["slug"])
        wanted = {name: getattr(collection, name) for name in ("name", "description", "visibility", "measures")}
        told = ("name", "description", "visibility", *collections.DESCRIBED)
        wanted |= {name: options[name] for name in told if options[name] is not None}
        if options["measures"] is not None:
            # Not at the commas of a measure's own parameters: RBP(p=0.8,rel=1).
            wanted["measures"] = [word.strip() for word in re.split(r",(?![^(]*\))", options["measures"])]
        collections.edit_collection(collection, **wanted)
        self.say(f"Changed {collection.slug}.")

    def scale(self, options: Options) -> None:
        collection = self.collection(options["slug"])
        given = _scale(self.read(options["file"]), options["file"])
        grades = [_grade(number, grade) for number, grade in enumerate(given["grades"], 1)]
        collections.set_scale(collection, grades=grades, lenient_from=given["lenient_from"], strict_from=given["strict_from"])
        self.say(f"{collection.slug} has {len(grades)} grades.")

    def guidelines(self, options: Options) -> None:
        collection = self.collection(options["slug"])
        if options["file"] is None:
            current = collection.guidelines.first()
            if current is None:
                raise Error(f"{collection.slug} has no guidelines yet.")
            self.say(f"Version {current.version}")
            return self.stdout.write(current.text)
        text = self.read(options["file"])
        written = collections.write_guideline(collection, by=self.actor(options), text=text)
        return self.say(f"Version {written.version} is the current one.")

    def archive(self, options: Options) -> None:
        collection = collections.archive_collection(self.collection(options["slug"]))
        self.say(f"{collection.slug} is archived.")

    def restore(self, options: Options) -> None:
        collection = collections.restore_collection(self.collection(options["slug"]))
        self.say(f"{collection.slug} is open again.")


def _add_described(parser: CommandParser) -> None:
    genres = ["", *Genre.values]
    parser.add_argument("--authors", metavar="NAMES", help="as it is to be cited, parted by semicolons; else its organizers")
    parser.add_argument("--genre", choices=genres, metavar="GENRE", help=f"kind of documents: {', '.join(Genre.values)}")
    parser.add_argument("--languages", metavar="LIST", help="of documents and topics, such as: en, hi")
    parser.add_argument("--licence", metavar="TEXT", help="a name such as CC BY 4.0, or an address")
    parser.add_argument("--source", metavar="TEXT", help="where the documents come from")
    parser.add_argument("--crawl", metavar="COUNTS", help='by HTTP status: "200 1200; 404 31; none 2; total 1233"')


def _scale(text: str, name: str) -> Options:
    try:
        given = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Error(f"{name}: expected JSON: {error}.") from None
    if not isinstance(given, dict) or not isinstance(given.get("grades"), list):
        raise Error(f"{name}: expected an object with grades (a list), lenient_from and strict_from.")
    for threshold in ("lenient_from", "strict_from"):
        if type(given.get(threshold)) is not int:
            raise Error(f"{name}: expected a whole number as {threshold}; found {json.dumps(given.get(threshold))}.")
    return given


def _grade(number: int, given: object) -> GradeSpec:
    if not isinstance(given, dict):
        raise Error(f"Grade {number}: expected an object with {', '.join(GRADE_KEYS)}; found {json.dumps(given)}.")
    for key in sorted(given.keys() - GRADE_KEYS.keys()) or sorted({"value", "label", "key"} - given.keys()):
        raise Error(f"Grade {number}: expected {', '.join(GRADE_KEYS)}; “{key}” is {'unknown' if key in given else 'missing'}.")
    for key, value in given.items():
        if type(value) is not GRADE_KEYS[key]:
            kind = "a whole number" if GRADE_KEYS[key] is int else "text"
            raise Error(f"Grade {number}: expected {kind} as {key}; found {json.dumps(value, ensure_ascii=False)}.")
    return GradeSpec(**given)
