"""Acts on who takes part: invitations, memberships, machines."""

from collections.abc import Iterable, Sequence
from datetime import timedelta

from django.conf import settings
from django.core.mail import send_mail
from django.core.signing import BadSignature, Signer
from django.db import IntegrityError, transaction
from django.db.models import F
from django.http import Http404
from django.urls import reverse
from django.utils import timezone

from config import accounts, expected, jobs
from config.errors import Conflict, Refusal
from config.models import ApiToken, User
from pooling import selectors
from pooling.models import Collection, Invitation, Membership, Role
from pooling.services.collections import require_not_archived

_signer = Signer(sep=".", salt="assize.invitation")
MOST_DAYS = 365
# What a machine's token may do unless told otherwise: the work of its role.
MACHINE_SCOPES = {Role.ASSESSOR: ("read", "judge"), Role.PARTICIPANT: ("read", "submit")}


@transaction.atomic
def invite(
    collection: Collection, *, by: User, role: str, days: int = 14, max_uses: int = 1, emails: Iterable[str] = ()
) -> list[Invitation]:
    """Make invitation links: one to pass on oneself, or one for each address, which is then mailed."""
    require_not_archived(collection)
    expected.require_between("days", days, 1, MOST_DAYS)
    addresses = list(dict.fromkeys(email.strip() for email in emails if email.strip()))
    for address in addresses:
        expected.require_mail("emails", address)
    made = []
    for address in addresses or [""]:
        invitation = Invitation(
            collection=collection,
            role=role,
            email=address,
            created_by=by,
            expires_at=timezone.now() + timedelta(days=days),
            max_uses=1 if address else max_uses,
        )
        invitation.full_clean()
        invitation.save()
        if address:
            title = f"Invitation mail for {collection.short_name}"
            args: dict[str, int | str] = {"invitation": invitation.pk}
            jobs.intend("send_invitation", title=title, args=args, started_by=by, collection_id=collection.pk)
        made.append(invitation)
    return made


def invitation_url(invitation: Invitation) -> str:
    return settings.BASE_URL + reverse("join", args=[_signer.sign(str(invitation.pk))])


def send_invitation(invitation: Invitation) -> None:
    collection, by = invitation.collection, invitation.created_by
    text = (
        f"Hello,\n\n{by.name} invites you to take part in “{collection.name}” as {invitation.role}.\n"
        f"This link leads there, until {invitation.expires_at:%d %B %Y}:\n\n{invitation_url(invitation)}\n"
    )
    send_mail(f"Invitation to {collection.name}", text, None, [invitation.email])


def open_invitation(signed: str) -> Invitation:
    """The invitation behind a link, whatever its state; a forged link is a 404."""
    try:
        number = int(_signer.unsign(signed))
    except (BadSignature, ValueError):
        raise Http404 from None
    invitation = Invitation.objects.select_related("collection", "created_by").filter(pk=number).first()
    if invitation is None:
        raise Http404
    return invitation


@transaction.atomic
def accept_invitation(invitation: Invitation, *, user: User) -> Membership:
    """Become a member. Using one's link a second time changes nothing and costs no use."""
    if user.is_machine:
        raise Refusal("A machine is made by an organizer, not invited.")
    held = invitation.collection.memberships.filter(user=user, role=invitation.role, ended_at=None).first()
    if held:
        return held
    if invitation.collection.is_archived:
        raise Conflict("This collection is archived: it takes no new members.")
    past = invitation.collection.memberships.filter(user=user, ended_at__gt=invitation.created_at)
    if past.exists():
        raise Conflict(
            f"Your membership was ended after this invitation was made. Ask {invitation.created_by.name} for a new one."
        )
    open_now = Invitation.objects.filter(
        pk=invitation.pk, revoked_at=None, expires_at__gt=timezone.now(), uses__lt=F("max_uses")
    )
    if not open_now.update(uses=F("uses") + 1):
        invitation.refresh_from_db()
        raise Conflict(f"This invitation is {invitation.state}. Ask {invitation.created_by.name} for a new one.")
    return _join(invitation.collection, user, Role(invitation.role))


@transaction.atomic
def join_with_new_account(invitation: Invitation, *, username: str, name: str, password: str, email: str = "") -> User:
    """Make an account and join, or neither."""
    user = accounts.create_account(username=username, name=name, password=password, email=email)
    accept_invitation(invitation, user=user)
    return user


def _join(collection: Collection, user: User, role: Role) -> Membership:
    try:
        with transaction.atomic():
            return Membership.objects.create(collection=collection, user=user, role=role)
    except IntegrityError:
        other = {Role.ASSESSOR: "participant", Role.PARTICIPANT: "assessor"}.get(role)
        if other is None:
            raise Conflict(f"{user.name} is {role.label} already.") from None
        raise Conflict(
            f"{user.name} is {other} of this collection: nobody can be assessor and participant of the same one, "
            "since who competes may not judge."
        ) from None


@transaction.atomic
def revoke_invitation(invitation: Invitation) -> Invitation:
    if invitation.revoked_at is None:
        invitation.revoked_at = timezone.now()
        invitation.save(update_fields=["revoked_at"])
    return invitation


@transaction.atomic
def end_membership(membership: Membership) -> Membership:
    """Take a role away. The row stays as history; the last organizer stays too."""
    collection = Collection.objects.select_for_update(no_key=True).get(pk=membership.collection_id)
    organizers = collection.memberships.filter(role=Role.ORGANIZER, ended_at=None, user__is_active=True)
    if membership.role == Role.ORGANIZER and not organizers.exclude(pk=membership.pk).exists():
        raise Conflict("A collection needs an organizer: invite another one first.")
    if membership.ended_at is None:
        membership.ended_at = timezone.now()
        membership.save(update_fields=["ended_at"])
    return membership


@transaction.atomic
def add_machine(
    collection: Collection, *, name: str, role: str = Role.ASSESSOR, scopes: Sequence[str] = ()
) -> tuple[Membership, ApiToken, str]:
    """A program that judges (or submits) by API: a member that never signs in, and its first token's secret."""
    require_not_archived(collection)
    expected.require_one_of("role", role, MACHINE_SCOPES)
    user = User(username=f"{collection.slug}.{name.strip()}", name=name.strip(), is_machine=True)
    user.set_unusable_password()
    user.full_clean()
    user.save()
    token, secret = accounts.make_token(user=user, name="first token", scopes=scopes or MACHINE_SCOPES[Role(role)])
    return _join(collection, user, Role(role)), token, secret


@transaction.atomic
def renew_machine_token(membership: Membership, *, scopes: Sequence[str] = ()) -> tuple[ApiToken, str]:
    """A new token for a machine; the ones before it end."""
    require_not_archived(membership.collection)
    for token in membership.user.tokens.filter(revoked_at=None):
        accounts.revoke_token(token)
    wanted = scopes or MACHINE_SCOPES[Role(membership.role)]
    return accounts.make_token(user=membership.user, name="renewed token", scopes=wanted)


def set_topic_language(collection: Collection, *, user: User, language: str) -> None:
    """In which language a member reads topics; "" is the topics' own."""
    expected.require_one_of("language", language, ["", *selectors.topic_languages(collection)])
    collection.memberships.filter(user=user, ended_at=None).update(topic_language=language)
