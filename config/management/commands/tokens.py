from datetime import timedelta

from django.core.management.base import CommandParser
from django.utils import timezone

from config import accounts, expected
from config.commands import Error, Options, SiteCommand
from config.models import ApiToken, Scope

COLUMNS = ["id", "name", "prefix", "scopes", "state", "created_at", "expires_at", "last_used_at"]


class Command(SiteCommand):
    help = "List, make and revoke tokens of the API."

    def add_arguments(self, parser: CommandParser) -> None:
        acts = self.acts(parser)
        act = self.act(acts, "list", self.list, "Somebody's tokens, newest first.", lists=True)
        act.add_argument("user", help="user name or e-mail address")
        act = self.act(acts, "create", self.create, "Make a token; prints its secret, this once.")
        act.add_argument("user", help="user name or e-mail address")
        act.add_argument("--name", required=True, help="what it is for")
        about = "; ".join(f"{scope.value}: {scope.label}" for scope in Scope)
        act.add_argument("--scope", action="append", required=True, choices=Scope.values, help=f"{about}; may be given again")
        act.add_argument("--days", type=int, metavar="N", help="how long it lives; for ever unless given")
        self.act(acts, "revoke", self.revoke, "End a token.").add_argument("id", type=int)

    def list(self, options: Options) -> None:
        tokens = self.user(options["user"]).tokens.order_by("-pk")
        self.table([{"id": token.pk, **{name: getattr(token, name) for name in COLUMNS[1:]}} for token in tokens], COLUMNS)

    def create(self, options: Options) -> None:
        user, days = self.user(options["user"]), options["days"]
        if days is not None:
            expected.require_between("days", days, 1, 3650)
        ends = None if days is None else timezone.now() + timedelta(days=days)
        token, secret = accounts.make_token(user=user, name=options["name"], scopes=options["scope"], expires_at=ends)
        self.say(f"Token {token.pk} of {user.username} ({', '.join(token.scopes)}); its secret is shown this once:")
        self.stdout.write(secret)

    def revoke(self, options: Options) -> None:
        token = ApiToken.objects.select_related("user").filter(pk=options["id"]).first()
        if token is None:
            raise Error(f"There is no token {options['id']}.")
        accounts.revoke_token(token)
        self.say(f"Token {token.pk} of {token.user.username} is revoked.")
