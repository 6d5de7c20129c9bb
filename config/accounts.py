"""Accounts: signing in (throttled), one-time links, API tokens."""

import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.password_validation import validate_password
from django.contrib.auth.tokens import default_token_generator
from django.core.exceptions import ValidationError
from django.core.mail import send_mail
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.http import Http404, HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from config import expected, http, jobs
from config.errors import Conflict, Forbidden, Invalid, Refusal, TooMany
from config.models import ApiToken, OneTimeLink, RememberedAnswer, Scope, Throttle, User, digest
from config.statements import columns, made, statement

WINDOW = timedelta(minutes=15)
LINK_LIFE = timedelta(days=7)
USED_LINK = "This link has been used or has expired."
TOKEN_START = "asz_"  # lets scanners find a token that was committed somewhere


class NameOrMailBackend(ModelBackend):
    """Sign in with the user name or the e-mail address, in any case; machines never."""

    def authenticate(
        self, request: HttpRequest | None, username: str | None = None, password: str | None = None, **kwargs: object
    ) -> User | None:
        given = (username or "").strip()
        by_mail = Q(email__iexact=given) if "@" in given else Q()
        user = User.objects.filter(Q(username__iexact=given) | by_mail, is_machine=False).first() if given else None
        if user is None:
            User().set_password(password)  # as slow as a real check, so that names cannot be probed
            return None
        return user if user.check_password(password or "") and self.user_can_authenticate(user) else None


# Throttles


def hit(key: str, limit: int) -> None:
    """Count one attempt, before it is made, so that many at once cannot slip through."""
    now = timezone.now()
    key = key[:200]
    # One that ends later than any begun now is of a clock that was set back since: it would last so much longer.
    if not Throttle.objects.filter(key=key, window_ends__gt=now, window_ends__lte=now + WINDOW).update(count=F("count") + 1):
        Throttle.objects.update_or_create(key=key, defaults={"count": 1, "window_ends": now + WINDOW})
    found = Throttle.objects.get(key=key)
    if found.count > limit:
        wait = int((found.window_ends - now).total_seconds())
        raise TooMany(f"Too many attempts. Try again in {http.minutes(wait)}.", retry_after=max(1, wait))


def throttle_sign_in(request: HttpRequest, name: str) -> None:
    hit(f"peer:{http.peer(request, settings.TRUSTED_PROXIES)}", 5 * settings.LOGIN_ATTEMPTS)
    hit(f"account:{name.strip().lower()}", settings.LOGIN_ATTEMPTS)


def forget_failures(request: HttpRequest, name: str) -> None:
    Throttle.objects.filter(key=f"account:{name.strip().lower()}"[:200]).delete()
    Throttle.objects.filter(key=f"peer:{http.peer(request, settings.TRUSTED_PROXIES)}", count__gt=0).update(
        count=F("count") - 1
    )


# Accounts


@transaction.atomic
def create_account(*, username: str, name: str, password: str | None, email: str = "", administrator: bool = False) -> User:
    """A new account. Without a password nobody can sign in to it until a one-time link has set one."""
    user = User(username=username.strip(), name=name.strip(), email=email.strip())
    user.is_staff = user.is_superuser = administrator
    user.set_password(password)  # None: one that nothing matches
    faults = _own_faults(user) | ({} if password is None else password_faults(password, user))
    if faults:
        raise ValidationError(faults)
    user.save()
    return user


def _own_faults(user: User) -> dict[str, list[str]]:
    try:
        user.full_clean()
    except ValidationError as error:
        return error.message_dict
    return {}


@transaction.atomic
def edit_profile(user: User, *, name: str, email: str) -> User:
    user.name, user.email = name.strip(), email.strip()
    user.full_clean()
    user.save(update_fields=["name", "email"])
    return user


@transaction.atomic
def set_standing(*, by: User, user: User, is_active: bool, is_staff: bool) -> User:
    """Close or reopen an account, make or unmake an administrator."""
    if user.is_deleted:
        raise Conflict("This account was deleted; nobody can open it again.")
    if user == by and not (is_active and is_staff):
        raise Conflict("You cannot close your own account or give up your own administration; ask another administrator.")
    if user.is_machine and is_staff:
        raise Refusal("A machine cannot be an administrator.")
    user.is_active, user.is_staff, user.is_superuser = is_active, is_staff, is_staff
    user.save(update_fields=["is_active", "is_staff", "is_superuser"])
    return user


# One-time links


def make_link(user: User | None) -> str:
    """A path that sets a password once; without a user, it makes the first administrator. Older ones end."""
    if user and user.is_machine:
        raise Refusal("A machine never signs in; make a token for it instead.")
    secret = secrets.token_urlsafe(32)
    with transaction.atomic():
        OneTimeLink.objects.filter(user=user, used_at=None).update(used_at=timezone.now())
        OneTimeLink.objects.create(digest=digest(secret), user=user, expires_at=timezone.now() + LINK_LIFE)
    return reverse("welcome", args=[secret])


def open_link(secret: str) -> OneTimeLink:
    link = OneTimeLink.objects.select_related("user").filter(digest=digest(secret)).first()
    if link is None:
        raise Http404
    if link.used_at or link.expires_at <= timezone.now() or (link.user is None and has_administrator()):
        raise Conflict(USED_LINK)
    return link


@transaction.atomic
def use_link(secret: str, *, password: str, username: str = "", name: str = "", email: str = "") -> User:
    link = open_link(secret)
    # One statement decides who of two came first.
    if not OneTimeLink.objects.filter(pk=link.pk, used_at=None).update(used_at=timezone.now()):
        raise Conflict("This link has just been used.")
    if link.user is None:
        return create_account(username=username, name=name, email=email, password=password, administrator=True)
    return set_password(link.user, password)


def password_faults(password: str, user: User) -> dict[str, list[str]]:
    """Everything that is wrong with a password, at its field: nobody learns of one fault after the other."""
    try:
        validate_password(password, user)
    except ValidationError as error:
        return {"password": error.messages}
    return {}


def set_password(user: User, password: str) -> User:
    if faults := password_faults(password, user):
        raise ValidationError(faults)
    user.set_password(password)
    user.save(update_fields=["password"])
    return user


def change_password(user: User, *, old: str, new: str) -> User:
    if not user.check_password(old):
        raise ValidationError({"old": ["This is not your present password."]} | password_faults(new, user))
    return set_password(user, new)


def has_administrator() -> bool:
    return User.objects.filter(is_superuser=True, is_active=True).exists()


# Password reset by mail


def request_reset(email: str) -> None:
    """The same answer whether the address is known or not; the mail is a job, so the time is the same too."""
    for user in User.objects.filter(email__iexact=email.strip(), is_active=True, is_machine=False):
        jobs.intend("send_reset", title="Password reset mail", args={"user": user.pk})


def send_reset(user: User) -> None:
    uid, token = urlsafe_base64_encode(force_bytes(user.pk)), default_token_generator.make_token(user)
    address = settings.BASE_URL + reverse("reset_confirm", args=[uid, token])
    text = (
        f"Hello {user.name},\n\nsomebody asked for a new password for the account {user.username} on {settings.SITE_NAME}.\n"
        f"This link sets it, once, within a day:\n\n{address}\n\nIf it was not you, do nothing: the old password stays.\n"
    )
    send_mail(f"New password on {settings.SITE_NAME}", text, None, [user.email])


# API tokens


def first_time(user: User, form: str) -> bool:
    """Whether this form is sent for the first time: reloading a page that showed a secret must not make another."""
    if not form:
        return True
    mark = digest(form)
    return RememberedAnswer.objects.get_or_create(user=user, key=f"form:{mark}", defaults={"request": mark})[1]


@transaction.atomic
def make_token(
    *, user: User, name: str, scopes: Iterable[str], expires_at: datetime | None = None, with_token: ApiToken | None = None
) -> tuple[ApiToken, str]:
    """A new token and its secret, which is shown this once. A token cannot make one that may do or live more."""
    wanted = sorted(set(scopes))
    if not wanted:
        raise Invalid("scopes", expected.NO_CHOICES)
    for scope in wanted:
        expected.require_one_of("scopes", scope, Scope.values)
    if user.is_machine and Scope.MANAGE in wanted:
        raise Refusal("A machine reads, judges and submits; its token cannot have the scope manage.")
    if expires_at and expires_at <= timezone.now():
        raise Refusal("The expiry lies in the past.")
    if with_token:
        if set(wanted) - set(with_token.scopes):
            raise Forbidden("A token cannot make one with scopes that it does not have itself.")
        if with_token.expires_at and (expires_at is None or expires_at > with_token.expires_at):
            raise Forbidden("A token cannot make one that outlives it.")
    secret = TOKEN_START + secrets.token_urlsafe(32)
    token = ApiToken(
        user=user, name=name.strip(), prefix=secret[:10], digest=digest(secret), scopes=wanted, expires_at=expires_at
    )
    token.full_clean()
    token.save()
    return token, secret


@statement
def _token(digest: Any) -> QuerySet[ApiToken, Any]:
    found = ApiToken.objects.filter(digest=digest, user__is_active=True)
    return found.values_list(*columns(ApiToken), *columns(User, "user__"))


def find_token(secret: str) -> ApiToken | None:
    """The active token with this secret; its last use is noted, at most once a minute."""
    now = timezone.now()
    found = _token(digest=digest(secret))
    if not found:
        return None
    own = len(columns(ApiToken))
    token: ApiToken = made(ApiToken, found[0][:own])
    token.user = made(User, found[0][own:])
    if token.state != "active":
        return None
    if token.last_used_at is None or token.last_used_at < now - timedelta(minutes=1):
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)
    return token


def revoke_token(token: ApiToken) -> None:
    ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now())
