from typing import Any

from django.core.management.base import CommandParser

from pooling.commands import CollectionCommand
from pooling.core.topics import TEXTS
from pooling.services import topics


class Command(CollectionCommand):
    help = "Change a topic's words; what is not named stays as it is."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("number")
        for name in TEXTS:
            parser.add_argument(f"--{name}", metavar="TEXT")
        parser.add_argument("--language", metavar="TAG", help="in which they are written, such as en; empty: nobody said")
        parser.add_argument("--of", metavar="TAG", default="", help="change its version in this language instead")
        self.add_by(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        collection, of = self.collection(options["slug"]), options["of"]
        topic = self.topic(collection, options["number"])
        now = topic.translations.get(of, {}) if of else {name: getattr(topic, name) for name in TEXTS}
        texts = {name: now.get(name, "") if options[name] is None else options[name] for name in TEXTS}
        language = topic.language if options["language"] is None else options["language"]
        changed = topics.edit_topic(topic, by=self.actor(options), language=language, texts=texts, of=of)
        self.say(f"Topic {changed.number} of {collection.slug} is as you said; version {changed.version}.")
