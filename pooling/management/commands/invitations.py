from django.core.management.base import CommandParser

from config.commands import Error, Options
from config.expected import no_such
from pooling.commands import CollectionCommand
from pooling.models import Role
from pooling.services import members

COLUMNS = ["id", "role", "state", "uses", "max_uses", "email", "created_by", "expires_at"]


class Command(CollectionCommand):
    help = "List, make and revoke invitations to a collection."

    def add_arguments(self, parser: CommandParser) -> None:
        acts = self.acts(parser)
        self.act(acts, "list", self.list, "A collection's invitations, newest first.", lists=True).add_argument("slug")
        act = self.act(acts, "create", self.create, "Make an invitation and print its link.")
        act.add_argument("slug")
        act.add_argument("--role", required=True, choices=Role.values)
        act.add_argument("--days", type=int, default=14, metavar="N", help="how long the link lives; 14 unless given")
        act.add_argument("--uses", type=int, default=1, metavar="N", help="how many people it may bring; 1 unless given")
        act.add_argument(
            "--email", action="append", default=[], metavar="ADDRESS", help="mail a link of its own there; may be given again"
        )
        self.add_by(act)
        act = self.act(acts, "revoke", self.revoke, "End an invitation; who came with it stays.")
        act.add_argument("slug")
        act.add_argument("id", type=int)

    def list(self, options: Options) -> None:
        found = self.collection(options["slug"]).invitations.select_related("created_by")
        rows = [
            {
                "id": invitation.pk,
                "role": invitation.role,
                "state": invitation.state,
                "uses": invitation.uses,
                "max_uses": invitation.max_uses,
                "email": invitation.email,
                "created_by": invitation.created_by.username,
                "expires_at": invitation.expires_at,
            }
            for invitation in found
        ]
        self.table(rows, COLUMNS)

    def create(self, options: Options) -> None:
        collection, by = self.collection(options["slug"]), self.actor(options)
        wanted = {"role": options["role"], "days": options["days"], "max_uses": options["uses"], "emails": options["email"]}
        for invitation in members.invite(collection, by=by, **wanted):
            if invitation.email:
                self.say(f"The link is mailed to {invitation.email}:")
            self.stdout.write(members.invitation_url(invitation))

    def revoke(self, options: Options) -> None:
        collection = self.collection(options["slug"])
        invitation = collection.invitations.filter(pk=options["id"]).first()
        if invitation is None:
            raise Error(no_such("invitation", options["id"]))
        members.revoke_invitation(invitation)
        self.say(f"Invitation {invitation.pk} is revoked.")
