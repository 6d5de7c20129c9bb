import pytest

from config import accounts
from config.models import Job
from pooling.models import Invitation, Role
from pooling.services import members
from tests import factories
from tests.commands.conftest import Assize
from tests.conftest import Cast

pytestmark = [pytest.mark.django_db, pytest.mark.once]


def test_members_are_listed(assize: Assize, cast: Cast) -> None:
    shown = assize("members", "list", "harbour-trials")
    assert shown.out.splitlines()[1].startswith("olga-organizer")
    found = assize("members", "list", "harbour-trials", "--json").json
    assert [list(row) for row in found] == [["user", "name", "role", "kind", "since", "ended"]] * 5
    assert [(row["user"], row["role"], row["kind"]) for row in found][:2] == [
        ("olga-organizer", "organizer", "person"),
        ("member-assessor", "assessor", "person"),
    ]


def test_member_loses_one_role_or_all(assize: Assize, cast: Cast) -> None:
    factories.join(cast.collection, cast.assessor, Role.RESEARCHER)
    done = assize("members", "remove", "harbour-trials", "member-assessor", "--role", "assessor")
    assert (done.status, done.err) == (0, "member-assessor is no longer assessor of harbour-trials.\n")
    again = assize("members", "remove", "harbour-trials", "member-assessor", "--role", "assessor")
    assert again.told == (1, "Error: member-assessor is not assessor of harbour-trials.")
    assert assize("members", "remove", "harbour-trials", "member-assessor").status == 0
    assert assize("members", "remove", "harbour-trials", "member-assessor").told == (
        1,
        "Error: member-assessor is not a member of harbour-trials.",
    )
    assert len(assize("members", "list", "harbour-trials", "--json").json) == 4
    assert len(assize("members", "list", "harbour-trials", "--all", "--json").json) == 6


def test_last_organizer_stays(assize: Assize, cast: Cast) -> None:
    factories.join(cast.collection, cast.organizer, Role.RESEARCHER)
    refused = assize("members", "remove", "harbour-trials", "olga-organizer")
    assert refused.told == (1, "Error: A collection needs an organizer: invite another one first.")
    assert cast.collection.memberships.filter(user=cast.organizer, ended_at=None).count() == 2


def test_machine_gets_a_token_that_is_printed_once(assize: Assize, cast: Cast) -> None:
    made = assize("members", "add-machine", "harbour-trials", "bot", "--role", "participant")
    assert made.status == 0
    token = accounts.find_token(made.out.strip())
    assert token and (token.user.username, token.scopes) == ("harbour-trials.bot", ["read", "submit"])
    assert "shown this once" in made.err
    again = assize("members", "add-machine", "harbour-trials", "bot")
    assert again.status == 1 and again.out == "" and again.err.startswith("Error: ")
    assert assize("members", "add-machine", "harbour-trials", "bot", "--role", "organizer").status == 2


def test_invitation_prints_its_link(assize: Assize, cast: Cast) -> None:
    made = assize("invitations", "create", "harbour-trials", "--role", "assessor", "--days", 3, "--uses", 5)
    assert made.status == 0
    invitation = Invitation.objects.get()
    assert made.out == members.invitation_url(invitation) + "\n"
    assert (invitation.role, invitation.max_uses, invitation.created_by) == ("assessor", 5, cast.staff)
    found = assize("invitations", "list", "harbour-trials", "--json").json
    assert list(found[0]) == ["id", "role", "state", "uses", "max_uses", "email", "created_by", "expires_at"]
    assert (found[0]["state"], found[0]["created_by"]) == ("open", "ada-admin")
    assert assize("invitations", "list", "harbour-trials").out.splitlines()[0].startswith("ID  ROLE")


def test_invitations_by_mail_are_jobs(assize: Assize, cast: Cast) -> None:
    arguments = ["--role", "assessor", "--email", "a@example.org", "--email", "b@example.org"]
    made = assize("invitations", "create", "harbour-trials", *arguments, "--by", "olga-organizer")
    assert made.out.count("\n") == 2 and "The link is mailed to a@example.org:" in made.err
    assert Job.objects.filter(name="send_invitation", started_by=cast.organizer).count() == 2


def test_invitation_is_revoked_in_its_own_collection_only(assize: Assize, cast: Cast) -> None:
    (invitation,) = members.invite(cast.collection, by=cast.organizer, role="assessor")
    elsewhere = assize("invitations", "revoke", "another-one", invitation.pk)
    assert elsewhere.told == (1, f"Error: There is no invitation “{invitation.pk}” in this collection.")
    assert assize("invitations", "revoke", "harbour-trials", invitation.pk).status == 0
    invitation.refresh_from_db()
    assert invitation.state == "revoked"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["members", "list", "no-such"], "There is no collection “no-such”."),
        (["members", "remove", "harbour-trials", "nobody"], "There is no user “nobody”."),
        (["members", "add-machine", "no-such", "bot"], "There is no collection “no-such”."),
        (["invitations", "list", "no-such"], "There is no collection “no-such”."),
        (["invitations", "create", "no-such", "--role", "assessor"], "There is no collection “no-such”."),
        (["invitations", "create", "harbour-trials", "--role", "assessor", "--by", "nobody"], "There is no user “nobody”."),
        (
            ["invitations", "create", "harbour-trials", "--role", "assessor", "--days", "0"],
            "days: Expected at least 1; found 0.",
        ),
        (
            ["invitations", "create", "harbour-trials", "--role", "assessor", "--email", "nonsense"],
            "emails: Expected an e-mail address, such as ada@example.org; found “nonsense”.",
        ),
    ],
)
def test_bad_input_is_told_in_one_line(assize: Assize, cast: Cast, arguments: list[str], words: str) -> None:
    assert assize(*arguments).told == (1, f"Error: {words}")


@pytest.mark.parametrize(
    "arguments",
    [
        ["members", "remove", "harbour-trials", "x", "--role", "king"],
        ["invitations", "create", "harbour-trials"],
        ["invitations", "revoke", "harbour-trials", "first"],
    ],
)
def test_wrong_usage_has_status_2(assize: Assize, arguments: list[str]) -> None:
    assert assize(*arguments).status == 2
