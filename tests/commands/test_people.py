from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.utils import timezone
from pytest_django import Settings

from config import accounts
from config.models import ApiToken, User
from pooling.services import members
from tests import factories
from tests.commands.conftest import Assize
from tests.config.test_prepare import site_on
from tests.conftest import Cast

pytestmark = [pytest.mark.django_db, pytest.mark.once]


def secret_of(link: str) -> str:
    assert link.startswith(settings.BASE_URL + "/")
    return link.strip().rstrip("/").rsplit("/", 1)[1]


@pytest.mark.parametrize(
    ("variables", "address"),
    [({}, "http://127.0.0.1:8123"), ({"ASSIZE_BASE_URL": "x"}, "http://127.0.0.1:8000"), ({"ASSIZE_PORT": "1"}, None)],
)
def test_links_lead_to_the_site_that_runs(
    assize: Assize,
    cast: Cast,
    settings: Settings,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    variables: dict[str, str],
    address: str | None,
) -> None:
    settings.DATA, settings.BASE_URL = tmp_path, "http://127.0.0.1:8000"
    for name in ("ASSIZE_BASE_URL", "ASSIZE_PORT"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with site_on(tmp_path):
        link = assize("people", "link", "olga-organizer").out
    assert link.startswith(f"{address or 'http://127.0.0.1:8000'}/")


def test_people_are_listed_and_searched(assize: Assize, cast: Cast) -> None:
    found = assize("people", "list", "--json").json
    assert list(found[0]) == ["username", "name", "email", "kind", "is_active", "last_login"]
    assert (found[0]["username"], found[0]["kind"]) == ("ada-admin", "administrator")
    assert [row["username"] for row in assize("people", "list", "-q", "OLGA", "--json").json] == ["olga-organizer"]
    assert assize("people", "list", "-q", "olga").out.splitlines()[1].split()[0] == "olga-organizer"
    nobody = assize("people", "list", "-q", "zzz")
    assert (nobody.out, nobody.err) == ("", "Nothing to list.\n")


def test_new_account_sets_its_password_by_the_printed_link(assize: Assize, db: None) -> None:
    made = assize("people", "create", "bea", "--name", "Bea B", "--email", "bea@example.org", "--administrator")
    assert made.status == 0 and made.out.count("\n") == 1
    user = User.objects.get(username="bea")
    assert (user.has_usable_password(), user.is_superuser, user.email) == (False, True, "bea@example.org")
    accounts.use_link(secret_of(made.out), password=factories.PASSWORD)
    user.refresh_from_db()
    assert user.check_password(factories.PASSWORD)


def test_account_that_is_taken_is_refused(assize: Assize, cast: Cast) -> None:
    for name, field in (("OLGA-organizer", ""), ("olga-organizer", "username: ")):
        taken = assize("people", "create", name, "--name", "O")
        assert taken.told == (1, f"Error: {field}This user name is taken.")
    odd = assize("people", "create", "bea", "--name", "Bea", "--email", "nonsense")
    assert odd.told == (1, "Error: email: Expected an e-mail address, such as ada@example.org; found “nonsense”.")
    assert not User.objects.filter(username="bea").exists()
    assert assize("people", "create", "bea").status == 2


def test_account_is_closed_and_reopened(assize: Assize, cast: Cast) -> None:
    assert assize("people", "close", "olga-organizer").err == "The account olga-organizer is closed.\n"
    assert not User.objects.get(username="olga-organizer").is_active
    assert assize("people", "reopen", "Olga-Organizer@example.org").status == 0
    assert User.objects.get(username="olga-organizer").is_active


def test_person_is_deleted_for_good(assize: Assize, cast: Cast) -> None:
    name = f"former~{cast.stranger.pk}"
    left = f"What they did stays, as of Former member {cast.stranger.pk} ({name})."
    assert assize("people", "delete", "stranger").told == (0, f"The account stranger is deleted. {left}")
    (row,) = assize("people", "list", "-q", name, "--json").json
    assert (row["kind"], row["email"], row["is_active"]) == ("deleted", "", False)
    assert assize("people", "reopen", name).told == (1, "Error: This account was deleted; nobody can open it again.")
    assert assize("people", "delete", "ada-admin").status == 1, "nobody else is an administrator"


def test_administration_is_given_and_taken(assize: Assize, cast: Cast) -> None:
    assert assize("people", "promote", "olga-organizer").err == "olga-organizer is an administrator.\n"
    assert User.objects.get(username="olga-organizer").is_superuser
    assert assize("people", "demote", "ada-admin").status == 0, "another administrator is there to act"
    last = assize("people", "demote", "olga-organizer")
    assert last.status == 1 and last.err.count("\n") == 1
    assert User.objects.get(username="olga-organizer").is_superuser


def test_link_is_for_people(assize: Assize, cast: Cast) -> None:
    shown = assize("people", "link", "olga-organizer")
    assert accounts.open_link(secret_of(shown.out)).user == cast.organizer
    members.add_machine(cast.collection, name="bot")
    assert assize("people", "link", "harbour-trials.bot").told == (
        1,
        "Error: A machine never signs in; make a token for it instead.",
    )


@pytest.mark.parametrize("act", ["close", "reopen", "delete", "promote", "demote", "link"])
def test_unknown_person_is_named(assize: Assize, cast: Cast, act: str) -> None:
    assert assize("people", act, "nobody").told == (1, "Error: There is no user “nobody”.")


def test_token_is_made_listed_and_revoked(assize: Assize, cast: Cast) -> None:
    made = assize("tokens", "create", "olga-organizer", "--name", "laptop", "--scope", "read", "--scope", "judge", "--days", 7)
    assert made.status == 0
    token = accounts.find_token(made.out.strip())
    assert token and token.scopes == ["judge", "read"] and token.expires_at
    assert timedelta(days=6) < token.expires_at - timezone.now() <= timedelta(days=7)
    (row,) = assize("tokens", "list", "olga-organizer", "--json").json
    assert list(row) == ["id", "name", "prefix", "scopes", "state", "created_at", "expires_at", "last_used_at"]
    assert (row["id"], row["scopes"], row["state"]) == (token.pk, ["judge", "read"], "active")
    assert made.out.strip() not in assize("tokens", "list", "olga-organizer").out
    assert assize("tokens", "revoke", token.pk).err == f"Token {token.pk} of olga-organizer is revoked.\n"
    assert ApiToken.objects.get().state == "revoked"


def test_tokens_refuse_bad_input(assize: Assize, cast: Cast) -> None:
    create = ["tokens", "create", "olga-organizer", "--name", "x"]
    assert assize("tokens", "list", "nobody").told == (1, "Error: There is no user “nobody”.")
    assert assize("tokens", "revoke", 4711).told == (1, "Error: There is no token 4711.")
    assert assize(*create, "--scope", "read", "--days", 0).told == (1, "Error: days: Expected at least 1; found 0.")
    assert assize(*create, "--scope", "everything").status == 2
    assert assize(*create).status == 2


def test_welcome_makes_the_first_administrator(assize: Assize, db: None) -> None:
    shown = assize("welcome")
    assert shown.status == 0
    accounts.use_link(secret_of(shown.out), password=factories.PASSWORD, username="ada", name="Ada")
    assert User.objects.get().is_superuser
    assert assize("welcome").told == (
        1,
        "Error: There is an administrator already; `assize people link USER` makes a link for one account.",
    )
