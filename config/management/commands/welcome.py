from typing import Any

from django.conf import settings

from config import accounts
from config.commands import Error, SiteCommand


class Command(SiteCommand):
    help = "Print the link that makes the first administrator."

    def handle(self, *args: Any, **options: Any) -> None:
        if accounts.has_administrator():
            raise Error("There is an administrator already; `assize people link USER` makes a link for one account.")
        link = settings.BASE_URL + accounts.make_link(None)
        self.say(f"This link makes the first administrator, once, within {accounts.LINK_LIFE.days} days:")
        self.stdout.write(link)
