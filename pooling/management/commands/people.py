from django.conf import settings
from django.core.management.base import CommandParser
from django.db import transaction
from django.db.models import Q

from config import accounts
from config.commands import Options, SiteCommand
from config.models import User
from pooling.services import people

COLUMNS = ["username", "name", "email", "kind", "is_active", "last_login"]


class Command(SiteCommand):
    help = "List accounts, make, close, reopen and delete them, make administrators."

    def add_arguments(self, parser: CommandParser) -> None:
        acts = self.acts(parser)
        act = self.act(acts, "list", self.list, "The accounts by name.", lists=True)
        act.add_argument("-q", "--query", default="", metavar="WORD", help="only those with it in user name, name or e-mail")
        act = self.act(acts, "create", self.create, "Make an account; prints a link with which its owner sets the password.")
        act.add_argument("username")
        act.add_argument("--name", required=True, help="as others on the site see them")
        act.add_argument("--email", default="", metavar="ADDRESS")
        act.add_argument("--administrator", action="store_true")
        for name, do, about in (
            ("close", self.close, "Close an account: its owner cannot sign in, what they did stays."),
            ("reopen", self.reopen, "Open a closed account again."),
            ("delete", self.delete, "Delete a person; what they did stays, under a name that tells nobody."),
            ("promote", self.promote, "Make somebody an administrator."),
            ("demote", self.demote, "Take administration away."),
        ):
            act = self.act(acts, name, do, about)
            act.add_argument("user", help="user name or e-mail address")
            self.add_by(act)
        act = self.act(acts, "link", self.link, "Print a one-time link that sets a new password; older ones end.")
        act.add_argument("user", help="user name or e-mail address")

    def list(self, options: Options) -> None:
        word = options["query"]
        found = User.objects.filter(Q(username__icontains=word) | Q(name__icontains=word) | Q(email__icontains=word))
        rows = [
            {
                "username": user.username,
                "name": user.name,
                "email": user.email,
                "kind": _kind(user),
                "is_active": user.is_active,
                "last_login": user.last_login,
            }
            for user in found.order_by("username")
        ]
        self.table(rows, COLUMNS)

    @transaction.atomic
    def create(self, options: Options) -> None:
        wanted = {name: options[name] for name in ("username", "name", "email", "administrator")}
        user = accounts.create_account(password=None, **wanted)
        self._print_link(user)

    def close(self, options: Options) -> None:
        user = self._stand(options, is_active=False)
        self.say(f"The account {user.username} is closed.")

    def reopen(self, options: Options) -> None:
        user = self._stand(options, is_active=True)
        self.say(f"The account {user.username} is open.")

    def delete(self, options: Options) -> None:
        user = self.user(options["user"])
        gone = user.username
        user = people.delete_person(by=self.actor(options, but=user), user=user)
        self.say(f"The account {gone} is deleted. What they did stays, as of {user.name} ({user.username}).")

    def promote(self, options: Options) -> None:
        user = self._stand(options, is_staff=True)
        self.say(f"{user.username} is an administrator.")

    def demote(self, options: Options) -> None:
        user = self._stand(options, is_staff=False)
        self.say(f"{user.username} is no administrator any more.")

    def link(self, options: Options) -> None:
        self._print_link(self.user(options["user"]))

    def _stand(self, options: Options, *, is_active: bool | None = None, is_staff: bool | None = None) -> User:
        user = self.user(options["user"])
        return accounts.set_standing(
            by=self.actor(options, but=user),
            user=user,
            is_active=user.is_active if is_active is None else is_active,
            is_staff=user.is_staff if is_staff is None else is_staff,
        )

    def _print_link(self, user: User) -> None:
        link = settings.BASE_URL + accounts.make_link(user)
        self.say(f"With this link {user.username} sets a password, once, within {accounts.LINK_LIFE.days} days:")
        self.stdout.write(link)


def _kind(user: User) -> str:
    if user.is_deleted:
        return "deleted"
    return "machine" if user.is_machine else "administrator" if user.is_staff else "person"
