from typing import Any

from django.core.management.base import CommandParser

from assess import blind
from assess.services import judging
from config.commands import Error
from pooling.commands import CollectionCommand
from pooling.models import Role
from pooling.services import members


class Command(CollectionCommand):
    help = "Show an assessor's topics; set the words that are marked for them, and the language they read."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        self.add_by(parser, "the assessor")
        parser.add_argument("--topic", metavar="NUMBER", help="of --words")
        parser.add_argument("--words", metavar="WORDS", help="marked in its documents beside the topic's; empty: none")
        parser.add_argument("--language", metavar="TAG", help="in which topics are shown, of theirs; empty: their own")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        topic, words = options["topic"], options["words"]
        if (topic is None) != (words is None):
            raise Error("Expected --topic and --words together.", returncode=2)
        collection, by, _roles = self.member(options, Role.ASSESSOR)
        if words is not None:
            judging.set_words(collection, assessor=by, topic=topic, words=words)
        if options["language"] is not None:
            members.set_topic_language(collection, user=by, language=options["language"])
        columns = ["number", "title", "done", "left"]
        rows = [{name: getattr(line, name) for name in columns} for line in blind.own_topics(collection, by)]
        self.table(rows, columns)
