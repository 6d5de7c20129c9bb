from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser

from config import prepare, up
from config.commands import Error, SiteCommand
from config.demo import SLUG


class Command(SiteCommand):
    help = "Start a site of its own with a finished collection, and sign in as anybody by a button."

    def add_arguments(self, parser: CommandParser) -> None:
        # Read before the settings are, by config/demo.py.
        parser.add_argument("--port", metavar="N", help="port of the web server; ASSIZE_PORT or 8000 unless given")

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.DEMO:
            raise Error("The demo needs a site of its own: start it with `assize demo`.")
        self.say(f"The demo lives in {settings.DATA}; remove that folder to begin anew.")
        try:
            with up.only_one(settings.DATA):
                if not prepare.is_prepared():
                    prepare.prepare()
                self._fill()
            up.main()
        except prepare.CannotStart as error:
            raise Error(str(error)) from None

    def _fill(self) -> None:
        from config.models import User
        from evaluation.demo import world
        from pooling.models import Collection

        if Collection.objects.filter(slug=SLUG).exists():
            return
        if User.objects.exists():
            raise Error(f"{settings.DATA} holds another site; move it, or set ASSIZE_DATA to another folder.")
        with self.bar("The demo's collection") as tell:
            world.build(tell)
