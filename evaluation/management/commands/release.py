from typing import Any

from django.core.management.base import CommandParser

from assess.models import MergeRule
from evaluation import selectors
from evaluation.models import ReleaseState
from evaluation.services import releases
from pooling.commands import CollectionCommand
from pooling.services.work import Direct


class Command(CollectionCommand):
    help = "Freeze a release, the judgments so far as numbered qrels, and score all runs."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        rules = "; ".join(f"{rule.value}: {rule.label}" for rule in MergeRule)
        parser.add_argument(
            "--rule", choices=MergeRule.values, help=f"of several opinions; the collection's rule unless given ({rules})"
        )
        parser.add_argument("--note", metavar="TEXT", default="", help="shown beside the release")
        states = [state for state in ReleaseState.values if state != ReleaseState.WITHDRAWN]
        parser.add_argument("--state", choices=states, default="draft", help="who sees it; draft unless given: the organizers")
        self.add_by(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        collection = self.collection(options["slug"])
        by, given = self.actor(options), {name: options[name] for name in ("rule", "note", "state")}
        if missing := selectors.missing(collection).words:
            self.say(missing)
        with self.bar(f"Release of {collection.short_name}") as tell, Direct(tell) as work:
            release = releases.freeze_release(collection, by=by, **given, score=False, work=work)
        self.say(f"Release {release.number}: {release.counts['items']:,} judged documents, SHA-256 {release.sha256}.")
        with self.bar(f"Scores of release {release.number}") as tell, Direct(tell) as work:
            releases.score_release(release, work=work)
        self.stdout.write(str(release.number))
