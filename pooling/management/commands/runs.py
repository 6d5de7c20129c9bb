import argparse
from datetime import datetime

from django.core.management.base import CommandParser

from config.commands import Error, Options
from config.expected import TIME, WHOLE, no_such, shown
from pooling import access
from pooling.access import AMONG_SEEN
from pooling.commands import CollectionCommand
from pooling.models import Run, RunKind, WithdrawnRun
from pooling.services import runs

LISTED = ["tag", "group", "kind", "priority", "topics", "lines", "version", "submitted_by", "created_at"]
WITHDRAWN = ["tag", "group", "version", "lines", "submitted_by", "created_at", "withdrawn_by", "withdrawn_at", "sha256"]
TOLD = ("group", "kind", "description", "priority", "language")


class Command(CollectionCommand):
    help = "List and show runs, change what is told of one, withdraw one, and set the rules for them."

    def add_arguments(self, parser: CommandParser) -> None:
        acts = self.acts(parser)
        self.act(acts, "list", self.list, "A collection's runs, newest first.", lists=True).add_argument("slug")
        show = self.act(acts, "show", self.show, "All that is told of a run.", lists=True)
        edit = self.act(acts, "edit", self.edit, "Change what is told of a run; what is not named stays as it is.")
        withdraw = self.act(acts, "withdraw", self.withdraw, "Withdraw a run on which nothing rests; its file is kept.")
        for act in (show, edit, withdraw):
            act.add_argument("slug")
            act.add_argument("tag")
        edit.add_argument("--group", metavar="NAME", help="who made it")
        edit.add_argument("--kind", choices=RunKind.values)
        edit.add_argument("--description", metavar="TEXT", help="how it was made")
        edit.add_argument("--priority", type=int, metavar="N", help="of its group's runs, the lowest is pooled first")
        edit.add_argument("--language", metavar="TAG", help="in which it read the topics")
        edit.add_argument("--figure", action="append", default=[], metavar="NAME=N", help="efficiency; without N: none")
        self.add_by(withdraw)
        self.act(acts, "withdrawn", self.withdrawn, "Runs that were withdrawn, newest first.", lists=True).add_argument("slug")
        rules = self.act(acts, "rules", self.rules, "What a run may be, and when it may come.", lists=True)
        rules.add_argument("slug")
        given: Options = {"default": argparse.SUPPRESS, "metavar": "N", "type": number}
        rules.add_argument("--max-per-topic", **{**given, "type": int}, help="results of a topic at most; more are an error")
        rules.add_argument("--expected-per-topic", **given, help="fewer are remarked on; empty: never")
        rules.add_argument("--runs-per-group", **given, help="at most; empty: any number")
        rules.add_argument("--strict-runs", choices=["yes", "no"], default=argparse.SUPPRESS, help="as strict as NIST")
        given |= {"metavar": "TIME", "type": time}
        rules.add_argument("--runs-open-at", **given, help="participants' runs are taken from then on, UTC; empty: at once")
        rules.add_argument("--runs-close-at", **given, help="and until then; empty: without end")

    def list(self, options: Options) -> None:
        found = self.collection(options["slug"]).runs.select_related("submitted_by").order_by("-pk")
        self.table([_row(run) for run in found], LISTED)

    def show(self, options: Options) -> None:
        run = self._run(options)
        more = ("description", "language", "efficiency", "repaired", "metadata")
        self.facts({**_row(run), **{name: getattr(run, name) for name in more}, "sha256": run.upload.sha256})

    def edit(self, options: Options) -> None:
        run = self._run(options)
        wanted = {name: getattr(run, name) if options[name] is None else options[name] for name in TOLD}
        figures = {name: value for name, _, value in (figure.partition("=") for figure in options["figure"])}
        runs.edit_run(run, **wanted, efficiency={**run.efficiency, **figures})
        self.say(f"Changed {run.tag}.")

    def withdraw(self, options: Options) -> None:
        by = self.actor(options)
        run = access.run_for(by, self.collection(options["slug"]), options["tag"])
        runs.withdraw_run(run, by=by)
        self.say(f"Run {run.tag} was withdrawn.")

    def withdrawn(self, options: Options) -> None:
        found = self.collection(options["slug"]).withdrawn_runs.select_related("upload", "submitted_by", "withdrawn_by")
        self.table([_withdrawn_row(run) for run in found], WITHDRAWN)

    def rules(self, options: Options) -> None:
        collection = self.collection(options["slug"])
        if wanted := {name: options[name] for name in runs.RULES if name in options}:
            if "strict_runs" in wanted:
                wanted["strict_runs"] = wanted["strict_runs"] == "yes"
            collection = runs.set_rules(collection, **wanted)
        self.facts({name: getattr(collection, name) for name in runs.RULES})

    def _run(self, options: Options) -> Run:
        found = (
            self.collection(options["slug"]).runs.filter(tag=options["tag"]).select_related("submitted_by", "upload").first()
        )
        if found is None:
            raise Error(no_such("run", options["tag"], AMONG_SEEN))
        return found


def _row(run: Run) -> dict[str, object]:
    same = {name: getattr(run, name) for name in ("tag", "group", "kind", "priority", "version", "created_at")}
    return {**same, "topics": run.topic_count, "lines": run.line_count, "submitted_by": run.submitted_by.username}


def _withdrawn_row(run: WithdrawnRun) -> dict[str, object]:
    same = {name: getattr(run, name) for name in ("tag", "group", "version", "created_at", "withdrawn_at")}
    by = {name: getattr(run, name).username for name in ("submitted_by", "withdrawn_by")}
    return {**same, **by, "lines": run.line_count, "sha256": run.upload.sha256}


def number(text: str) -> int | None:
    try:
        return int(text) if text else None
    except ValueError:
        raise argparse.ArgumentTypeError(WHOLE % {"value": shown(text)}) from None


def time(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text) if text else None
    except ValueError:
        raise argparse.ArgumentTypeError(TIME % {"value": shown(text)}) from None
