from django.core.management.base import CommandParser
from django.db import transaction

from config.commands import Error, Options
from pooling.commands import CollectionCommand
from pooling.models import Role
from pooling.services import members

COLUMNS = ["user", "name", "role", "kind", "since", "ended"]


class Command(CollectionCommand):
    help = "List and remove a collection's members, add machines."

    def add_arguments(self, parser: CommandParser) -> None:
        acts = self.acts(parser)
        act = self.act(acts, "list", self.list, "A collection's members, a line for each role.", lists=True)
        act.add_argument("slug")
        act.add_argument("--all", action="store_true", help="those who left, too")
        act = self.act(acts, "remove", self.remove, "Take a role away, or all; what was judged stays.")
        act.add_argument("slug")
        act.add_argument("user", help="user name or e-mail address")
        act.add_argument("--role", choices=Role.values, help="only this role")
        act = self.act(acts, "add-machine", self.add_machine, "Add a program that works by API; prints its token once.")
        act.add_argument("slug")
        act.add_argument("name")
        act.add_argument("--role", choices=[role.value for role in members.MACHINE_SCOPES], default=Role.ASSESSOR.value)

    def list(self, options: Options) -> None:
        found = self.collection(options["slug"]).memberships.select_related("user").order_by("pk")
        rows = [
            {
                "user": member.user.username,
                "name": member.user.name,
                "role": member.role,
                "kind": "machine" if member.user.is_machine else "person",
                "since": member.since,
                "ended": member.ended_at,
            }
            for member in (found if options["all"] else found.filter(ended_at=None))
        ]
        self.table(rows, COLUMNS)

    @transaction.atomic
    def remove(self, options: Options) -> None:
        collection, user = self.collection(options["slug"]), self.user(options["user"])
        held = collection.memberships.filter(user=user, ended_at=None)
        wanted = list(held.filter(role=options["role"]) if options["role"] else held)
        if not wanted:
            raise Error(f"{user.username} is not {options['role'] or 'a member'} of {collection.slug}.")
        for membership in wanted:
            members.end_membership(membership)
        self.say(f"{user.username} is no longer {' and '.join(member.role for member in wanted)} of {collection.slug}.")

    def add_machine(self, options: Options) -> None:
        role = options["role"]
        collection = self.collection(options["slug"])
        membership, token, secret = members.add_machine(collection, name=options["name"], role=role)
        self.say(f"{membership.user.username} is {role}; its token ({', '.join(token.scopes)}) is shown this once:")
        self.stdout.write(secret)
