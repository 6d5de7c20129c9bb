"""Signing in and its throttles, passwords, one-time links, tokens: through the pages, as people meet them."""

import re
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from django.contrib.auth.tokens import default_token_generator
from django.core.exceptions import ValidationError
from django.core.mail import EmailMessage
from django.db.models import F
from django.test import Client, RequestFactory
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlsafe_base64_encode
from pytest_django import Settings

from config import accounts, http, jobs
from config.errors import Conflict, Forbidden, Refusal
from config.models import ApiToken, Job, OneTimeLink, Throttle, User, digest
from pooling.services import members
from tests import factories
from tests.conftest import Cast, ClientFor
from tests.factories import PASSWORD

pytestmark = pytest.mark.once

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Answer

WRONG = "User name and password do not match an open account."
NEW = "four new words here"


def sign_in(client: Client, name: str, password: str = PASSWORD, **extra: str) -> "Answer":
    return client.post("/sign-in/", {"username": name, "password": password}, headers=extra)


def is_signed_in(client: Client) -> bool:
    return client.get("/profile/").status_code == 200


# Signing in


@pytest.mark.parametrize(
    "name", ["olga-organizer", "OLGA-Organizer", " olga-organizer@example.org ", "Olga-Organizer@Example.ORG"]
)
def test_sign_in_by_name_or_mail_in_any_case(cast: Cast, client: Client, name: str) -> None:
    answer = sign_in(client, name)
    assert (answer.status_code, answer["Location"]) == (302, "/")
    assert is_signed_in(client)


@pytest.mark.parametrize(("name", "password"), [("olga-organizer", "wrong"), ("nobody", PASSWORD), ("@", PASSWORD)])
def test_sign_in_with_a_wrong_name_or_password_is_told_alike(cast: Cast, client: Client, name: str, password: str) -> None:
    answer = sign_in(client, name, password)
    assert answer.status_code == 422
    assert WRONG in answer.content.decode()
    assert not is_signed_in(client)


def test_closed_account_cannot_sign_in_and_its_session_ends(cast: Cast, client_for: ClientFor, client: Client) -> None:
    before = client_for(cast.assessor)
    assert is_signed_in(before)
    accounts.set_standing(by=cast.staff, user=cast.assessor, is_active=False, is_staff=False)
    assert sign_in(client, cast.assessor.username).status_code == 422
    assert not is_signed_in(before)


def test_machine_cannot_sign_in_even_with_a_password(cast: Cast, client: Client) -> None:
    machine = members.add_machine(cast.collection, name="llm")[0].user
    machine.set_password(PASSWORD)
    machine.save()
    assert sign_in(client, machine.username).status_code == 422


def test_sign_out_ends_the_session(cast: Cast, client_for: ClientFor) -> None:
    client = client_for(cast.assessor)
    assert client.post("/sign-out/")["Location"] == "/sign-in/"
    assert not is_signed_in(client)


@pytest.mark.parametrize(
    "wanted", ["https://evil.example/", "//evil.example/", r"\\evil.example", "javascript:alert(1)", "///evil", "http:evil"]
)
def test_sign_in_refuses_to_lead_elsewhere(cast: Cast, client: Client, wanted: str) -> None:
    answer = client.post("/sign-in/", {"username": "olga-organizer", "password": PASSWORD, "next": wanted})
    assert (answer.status_code, answer["Location"]) == (302, "/")


def test_sign_in_leads_back_to_the_page_that_asked_for_it(cast: Cast, client: Client) -> None:
    asked = client.get("/c/harbour-trials/members/")
    assert asked["Location"] == "/sign-in/?next=%2Fc%2Fharbour-trials%2Fmembers%2F"
    given = {"username": "olga-organizer", "password": PASSWORD, "next": "/c/harbour-trials/members/"}
    assert client.post("/sign-in/", given)["Location"] == "/c/harbour-trials/members/"


# Throttles


def test_throttle_per_account_answers_429_from_any_peer(cast: Cast, client: Client, settings: Settings) -> None:
    settings.LOGIN_ATTEMPTS, settings.TRUSTED_PROXIES = 3, 1
    for number in range(3):
        assert sign_in(client, "olga-organizer", "wrong", X_Forwarded_For=f"192.0.2.{number}").status_code == 422
    answer = sign_in(client, "OLGA-organizer", PASSWORD, X_Forwarded_For="192.0.2.9")
    assert answer.status_code == 429
    assert 890 <= int(answer["Retry-After"]) <= 900
    assert "Too many attempts. Try again in 15 minutes." in answer.content.decode()
    assert not is_signed_in(client)


def test_throttle_per_peer_answers_429_whatever_the_name(db: None, client: Client, settings: Settings) -> None:
    settings.LOGIN_ATTEMPTS = 2
    statuses = [sign_in(client, f"name-{number}", "wrong").status_code for number in range(11)]
    assert statuses == [422] * 10 + [429]


def test_throttle_ends_with_its_window(cast: Cast, client: Client, settings: Settings) -> None:
    settings.LOGIN_ATTEMPTS = 1
    assert [sign_in(client, "olga-organizer", "wrong").status_code for _ in range(2)] == [422, 429]
    Throttle.objects.update(window_ends=timezone.now() - timedelta(seconds=1))
    assert sign_in(client, "olga-organizer").status_code == 302


def test_throttle_lasts_no_longer_when_the_clock_is_set_back(cast: Cast, client: Client, settings: Settings) -> None:
    settings.LOGIN_ATTEMPTS = 1
    assert [sign_in(client, "olga-organizer", "wrong").status_code for _ in range(2)] == [422, 429]
    Throttle.objects.update(window_ends=F("window_ends") + timedelta(hours=1))
    assert [sign_in(client, "olga-organizer", "wrong").status_code for _ in range(2)] == [422, 429]
    Throttle.objects.update(window_ends=F("window_ends") + timedelta(hours=1))
    assert sign_in(client, "olga-organizer").status_code == 302


def test_success_sets_the_account_back_and_takes_one_off_the_peer(cast: Cast, client: Client, settings: Settings) -> None:
    settings.LOGIN_ATTEMPTS = 3
    for _ in range(2):
        sign_in(client, "olga-organizer", "wrong")
    assert dict(Throttle.objects.values_list("key", "count")) == {"account:olga-organizer": 2, "peer:127.0.0.1": 2}
    sign_in(client, "olga-organizer")
    assert dict(Throttle.objects.values_list("key", "count")) == {"peer:127.0.0.1": 2}


@pytest.mark.parametrize(
    ("proxies", "forwarded", "expected"),
    [
        (0, "203.0.113.9", "127.0.0.1"),
        (1, "", "127.0.0.1"),
        (1, "198.51.100.6, 203.0.113.9", "203.0.113.9"),
        (2, "198.51.100.6, 203.0.113.9, 10.0.0.1", "203.0.113.9"),
        (3, "203.0.113.9", "203.0.113.9"),
    ],
)
def test_peer_is_believed_only_from_trusted_proxies(proxies: int, forwarded: str, expected: str) -> None:
    request = RequestFactory().get("/", headers={"X-Forwarded-For": forwarded} if forwarded else {})
    assert http.peer(request, proxies) == expected


# Passwords


def change(client: Client, old: str, new: str, again: str = "") -> "Answer":
    return client.post("/password/", {"old": old, "password": new, "again": again or new})


def test_password_change_ends_other_sessions(cast: Cast, client_for: ClientFor) -> None:
    here, elsewhere = client_for(cast.assessor), client_for(cast.assessor)
    assert change(here, PASSWORD, NEW)["Location"] == "/profile/"
    assert (is_signed_in(here), is_signed_in(elsewhere)) == (True, False)
    assert sign_in(elsewhere, cast.assessor.username, NEW).status_code == 302


@pytest.mark.parametrize(
    ("old", "new", "again", "words"),
    [
        ("wrong", NEW, NEW, "This is not your present password."),
        (PASSWORD, NEW, "other", "The two passwords differ."),
        (PASSWORD, "short", "short", "This password is too short."),
        (PASSWORD, "password123", "password123", "This password is too common."),
        (PASSWORD, "member-assessor", "member-assessor", "The password is too similar to the username."),
    ],
)
def test_bad_password_is_refused_with_its_reason(
    cast: Cast, client_for: ClientFor, old: str, new: str, again: str, words: str
) -> None:
    answer = change(client_for(cast.assessor), old, new, again)
    assert answer.status_code == 422
    assert words in answer.content.decode()
    cast.assessor.refresh_from_db()
    assert cast.assessor.check_password(PASSWORD)


TOO_SHORT = "This password is too short. It must contain at least 10 characters."
COMMON = "This password is too common."
LIKE_NAME = "The password is too similar to the username."
DIFFER = "The two passwords differ."


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (
            {"old": "wrong", "password": "baseball"},
            {"old": ["This is not your present password."], "password": [TOO_SHORT, COMMON]},
        ),
        ({"password": "assessor", "again": "other"}, {"password": [LIKE_NAME, TOO_SHORT], "again": [DIFFER]}),
        ({"old": "", "password": "member-assessor"}, {"old": ["Expected an entry; found nothing."], "password": [LIKE_NAME]}),
    ],
)
def test_all_faults_of_a_new_password_are_told_at_once(
    cast: Cast, client_for: ClientFor, given: dict[str, str], told: dict[str, list[str]]
) -> None:
    sent = {"old": PASSWORD, "again": given["password"], **given}
    answer = client_for(cast.assessor).post("/password/", sent)
    assert (answer.status_code, answer.context["form"].errors) == (422, told)


def test_all_faults_of_a_password_are_told_wherever_it_is_set(cast: Cast, client: Client, settings: Settings) -> None:
    """At sign-up, by an invitation, by a link, after a forgotten one: the same faults, beside those of the other fields."""
    settings.OPEN_SIGNUP = True
    [invitation] = members.invite(cast.collection, by=cast.organizer, role="assessor")
    uid, token = urlsafe_base64_encode(b"%d" % cast.assessor.pk), default_token_generator.make_token(cast.assessor)
    weak = {"password": "assessor", "again": "other"}
    new = {"name": "", "username": "assessor", "email": "", **weak}
    told = {"password": [LIKE_NAME, TOO_SHORT], "again": [DIFFER]}
    for path in (accounts.make_link(cast.assessor), f"/password/reset/{uid}/{token}/"):
        assert client.post(path, weak).context["form"].errors == told, path
    for path in ("/sign-up/", members.invitation_url(invitation).removeprefix(settings.BASE_URL)):
        assert client.post(path, new).context["form"].errors == {"name": ["Expected an entry; found nothing."], **told}, path
    taken = {"name": "Eve", "username": "olga-organizer", "email": "", "password": "baseball", "again": "baseball"}
    told = {"username": ["This user name is taken."], "password": [TOO_SHORT, COMMON]}
    assert client.post("/sign-up/", taken).context["form"].errors == told


def test_password_change_is_throttled(cast: Cast, client_for: ClientFor, settings: Settings) -> None:
    settings.LOGIN_ATTEMPTS = 2
    client = client_for(cast.assessor)
    assert [change(client, "wrong", NEW).status_code for _ in range(3)] == [422, 422, 429]


@pytest.mark.django_db(transaction=True)
def test_reset_mail_is_a_job_and_its_link_works_once(cast: Cast, client: Client, mailoutbox: list[EmailMessage]) -> None:
    assert client.post("/password/reset/", {"email": "OLGA-organizer@example.org"}).status_code == 200
    job = Job.objects.get()
    assert (job.name, job.args, job.started_by) == ("send_reset", {"user": cast.organizer.pk}, None)
    jobs.run(job.pk)
    [mail] = mailoutbox
    assert (mail.to, mail.subject) == (["olga-organizer@example.org"], "New password on Assize")
    found = re.search(r"http://127\.0\.0\.1:8000(/password/reset/\S+)", str(mail.body))
    assert found
    assert client.post(found[1], {"password": NEW, "again": NEW})["Location"] == "/sign-in/"
    assert sign_in(client, "olga-organizer", NEW).status_code == 302
    again = client.get(found[1])
    assert again.status_code == 409
    assert "This link has been used or has expired." in again.content.decode()


def test_reset_of_an_unknown_address_answers_alike(cast: Cast, client: Client) -> None:
    answers = [client.post("/password/reset/", {"email": f"{name}@example.org"}) for name in ("olga-organizer", "nobody")]
    pages = [re.sub(r'(?<="X-CSRFToken": ")\w+', "", answer.content.decode()) for answer in answers]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert pages[0] == pages[1]
    assert Job.objects.count() == 1


def test_reset_reaches_no_closed_account_and_no_machine(cast: Cast, client: Client) -> None:
    User.objects.filter(pk=cast.organizer.pk).update(is_active=False)
    User.objects.filter(pk=cast.assessor.pk).update(is_machine=True)
    for user in (cast.organizer, cast.assessor):
        client.post("/password/reset/", {"email": user.email})
    assert not Job.objects.exists()


def test_reset_is_throttled_per_peer(db: None, client: Client, settings: Settings) -> None:
    settings.LOGIN_ATTEMPTS = 1
    given = {"email": "nobody@example.org"}
    assert [client.post("/password/reset/", given).status_code for _ in range(2)] == [200, 429]


@pytest.mark.parametrize("uid", ["MQ", "!!", "AAAA", "x"])
def test_reset_link_that_was_made_up_is_nothing(db: None, client: Client, uid: str) -> None:
    answer = client.get(f"/password/reset/{uid}/abc-def/")
    assert answer.status_code == 409
    page = answer.content.decode()
    assert "This link has been used or has expired." in page
    assert '<a class="button primary" href="/password/reset/">Ask for a new link</a>' in page


@pytest.mark.parametrize(("backend", "told"), [("locmem", False), ("console", True)])
def test_reset_page_says_when_there_is_no_mail_server(
    db: None, client: Client, settings: Settings, backend: str, told: bool
) -> None:
    settings.EMAIL_BACKEND = f"django.core.mail.backends.{backend}.EmailBackend"
    for page in (client.get("/password/reset/"), client.post("/password/reset/", {"email": "nobody@example.org"})):
        assert ("This site has no mail server" in page.content.decode()) == told


# One-time links


def test_one_time_link_sets_a_password_once(cast: Cast, client: Client) -> None:
    path = accounts.make_link(cast.assessor)
    assert client.get(path).status_code == 200
    assert client.post(path, {"password": NEW, "again": NEW})["Location"] == "/"
    assert is_signed_in(client)
    again = client.get(path)
    assert again.status_code == 409
    page = again.content.decode()
    assert "This link has been used or has expired." in page and "ask an administrator of this site for one" in page
    assert 'href="/password/reset/">Ask for a new link</a>' in page and 'href="/sign-in/">Sign in</a>' in page


def test_one_time_link_survives_a_refused_password(cast: Cast, client: Client) -> None:
    path = accounts.make_link(cast.assessor)
    assert client.post(path, {"password": "short", "again": "short"}).status_code == 422
    assert client.post(path, {"password": NEW, "again": NEW}).status_code == 302


def test_one_time_link_expires(cast: Cast, client: Client) -> None:
    path = accounts.make_link(cast.assessor)
    OneTimeLink.objects.update(expires_at=timezone.now())
    assert client.post(path, {"password": NEW, "again": NEW}).status_code == 409
    cast.assessor.refresh_from_db()
    assert cast.assessor.check_password(PASSWORD)


def test_one_time_link_ends_with_the_next(cast: Cast, client: Client) -> None:
    first, second = accounts.make_link(cast.assessor), accounts.make_link(cast.assessor)
    assert [client.get(path).status_code for path in (first, second)] == [409, 200]


def test_one_time_link_is_kept_as_a_digest(cast: Cast) -> None:
    secret = accounts.make_link(cast.assessor).removeprefix("/welcome/").removesuffix("/")
    assert OneTimeLink.objects.get().digest == digest(secret)
    assert len(secret) == 43


def test_one_time_link_that_was_made_up_is_nothing(db: None, client: Client) -> None:
    assert client.get("/welcome/abc/").status_code == 404


def test_machine_gets_no_one_time_link(cast: Cast) -> None:
    machine = members.add_machine(cast.collection, name="llm")[0].user
    with pytest.raises(Refusal, match="A machine never signs in"):
        accounts.make_link(machine)


def test_first_link_makes_the_administrator(db: None, client: Client) -> None:
    path = accounts.make_link(None)
    given = {"name": "Ada", "username": "ada", "email": "", "password": NEW, "again": NEW}
    assert client.post(path, given)["Location"] == "/"
    ada = User.objects.get()
    assert (ada.username, ada.name, ada.is_staff, ada.is_superuser) == ("ada", "Ada", True, True)
    assert client.get("/people/").status_code == 200


def test_first_link_is_useless_once_there_is_an_administrator(db: None, client: Client) -> None:
    path = accounts.make_link(None)
    factories.make_user("Ada Admin", staff=True)
    given = {"name": "Eve", "username": "eve", "email": "", "password": NEW, "again": NEW}
    assert [client.get(path).status_code, client.post(path, given).status_code] == [409, 409]
    assert not User.objects.filter(username="eve").exists()


# Accounts


def test_account_names_and_mails_exist_once_in_any_case(cast: Cast) -> None:
    with pytest.raises(ValidationError) as error:
        accounts.create_account(username="OLGA-organizer", name="Other", password=NEW)
    assert error.value.messages == ["This user name is taken."]
    with pytest.raises(ValidationError) as error:
        accounts.create_account(username="other", name="Other", password=NEW, email="Olga-Organizer@example.org")
    assert error.value.messages == ["An account with this e-mail exists."]


def test_sign_up_is_closed_unless_the_site_says_so(db: None, client: Client, settings: Settings) -> None:
    given = {"name": "Nia", "username": "nia", "email": "", "password": NEW, "again": NEW}
    assert client.post("/sign-up/", given).status_code == 404
    settings.OPEN_SIGNUP = True
    assert client.post("/sign-up/", given)["Location"] == "/"
    assert list(User.objects.values_list("username", "is_staff", "is_superuser")) == [("nia", False, False)]


def test_administrator_cannot_lock_themselves_out(cast: Cast) -> None:
    for standing in ({"is_active": False, "is_staff": True}, {"is_active": True, "is_staff": False}):
        with pytest.raises(Conflict, match="You cannot close your own account"):
            accounts.set_standing(by=cast.staff, user=cast.staff, **standing)


def test_machine_cannot_be_an_administrator(cast: Cast) -> None:
    machine = members.add_machine(cast.collection, name="llm")[0].user
    with pytest.raises(Refusal, match="A machine cannot be an administrator"):
        accounts.set_standing(by=cast.staff, user=machine, is_active=True, is_staff=True)


def test_profile_refuses_a_mail_of_somebody_else(cast: Cast, client_for: ClientFor) -> None:
    client = client_for(cast.assessor)
    answer = client.post("/profile/", {"name": "New name", "email": cast.organizer.email})
    assert answer.status_code == 422
    assert "An account with this e-mail exists." in answer.content.decode()
    assert client.post("/profile/", {"name": "New name", "email": ""}).status_code == 302
    assert list(User.objects.filter(pk=cast.assessor.pk).values_list("name", "email")) == [("New name", "")]


def test_standing_is_told_in_words(cast: Cast, client_for: ClientFor) -> None:
    client, name = client_for(cast.staff), cast.assessor.name
    told = {
        "close": f"The account of {name} is closed.",
        "reopen": f"The account of {name} is open again.",
        "promote": f"The account of {name} is an administrator&#x27;s now.",
        "demote": f"The account of {name} is a plain one now.",
    }
    for act, words in told.items():
        page = client.post(reverse("set_standing", args=[cast.assessor.pk]), {"act": act}, follow=True)
        assert f"<span>{words}</span>" in page.content.decode()


# Tokens


def test_token_is_shown_once_and_kept_as_a_digest(cast: Cast, client_for: ClientFor) -> None:
    client = client_for(cast.assessor)
    shown = client.post(reverse("make_token"), {"name": "laptop", "scopes": ["read"], "days": "30"})
    secret = re.search(r"asz_[\w-]{43}", shown.content.decode())
    assert secret
    token = ApiToken.objects.get()
    assert (token.digest, token.prefix, token.scopes) == (digest(secret[0]), secret[0][:10], ["read"])
    assert token.expires_at and timedelta(days=29) < token.expires_at - timezone.now() < timedelta(days=31)
    assert secret[0] not in client.get("/profile/").content.decode()


@pytest.mark.parametrize("once", ["", "a\0b", "x" * 300])
def test_token_form_sent_again_makes_nothing(cast: Cast, client_for: ClientFor, once: str) -> None:
    client = client_for(cast.assessor)
    given = {"name": "laptop", "scopes": ["read"], "days": "30"}
    given["once"] = once or client.get("/profile/").context["once"]
    assert "asz_" in client.post(reverse("make_token"), given).content.decode()
    assert client.post(reverse("make_token"), given)["Location"] == "/profile/"
    page = client.get("/profile/").content.decode()
    assert 'class="toast toast-warning"' in page
    assert "That token was made already, and its secret was shown once. Make another if you have lost it." in page
    assert ApiToken.objects.count() == 1
    assert "asz_" in client_for(cast.organizer).post(reverse("make_token"), given).content.decode()  # another's form


def test_token_form_refuses_no_scope_at_its_field(cast: Cast, client_for: ClientFor) -> None:
    answer = client_for(cast.assessor).post(reverse("make_token"), {"name": "laptop", "days": "30"})
    assert answer.status_code == 422
    assert answer.context["token_form"].errors == {"scopes": ["Expected at least one choice; found none."]}
    assert not ApiToken.objects.exists()


def test_token_is_found_until_it_is_revoked_or_expired_or_its_owner_closed(cast: Cast) -> None:
    made = [accounts.make_token(user=cast.assessor, name=str(n), scopes=["read"]) for n in range(3)]
    assert [accounts.find_token(secret) for _, secret in made] == [token for token, _ in made]
    accounts.revoke_token(made[0][0])
    ApiToken.objects.filter(pk=made[1][0].pk).update(expires_at=timezone.now())
    assert [accounts.find_token(secret) for _, secret in made] == [None, None, made[2][0]]
    User.objects.update(is_active=False)
    assert accounts.find_token(made[2][1]) is None


def test_token_use_is_noted_once_a_minute(cast: Cast) -> None:
    token, secret = accounts.make_token(user=cast.assessor, name="x", scopes=["read"])
    accounts.find_token(secret)
    token.refresh_from_db()
    first = token.last_used_at
    assert first is not None
    accounts.find_token(secret)
    token.refresh_from_db()
    assert token.last_used_at == first


def test_token_cannot_make_a_stronger_or_longer_one(cast: Cast) -> None:
    ends = timezone.now() + timedelta(days=1)
    weak, _ = accounts.make_token(user=cast.assessor, name="weak", scopes=["read"], expires_at=ends)
    for scopes, until, words in (
        (["manage"], ends, "scopes that it does not have"),
        (["read"], None, "outlives it"),
        (["read"], ends + timedelta(days=1), "outlives it"),
    ):
        with pytest.raises(Forbidden, match=words):
            accounts.make_token(user=cast.assessor, name="strong", scopes=scopes, expires_at=until, with_token=weak)


def test_token_of_somebody_else_cannot_be_revoked(cast: Cast, client_for: ClientFor) -> None:
    token, _ = accounts.make_token(user=cast.assessor, name="x", scopes=["read"])
    path = reverse("revoke_token", args=[token.pk])
    assert client_for(cast.stranger).post(path).status_code == 404
    assert client_for(cast.assessor).post(path)["Location"] == "/profile/"
    token.refresh_from_db()
    assert token.state == "revoked"


def test_a_site_without_accounts_says_where_the_first_link_is(client: Client, db: None) -> None:
    assert "finds a link for the first one in its terminal" in client.get("/").content.decode()
    factories.make_user("Ada First")
    assert "in its terminal" not in client.get("/").content.decode()
