"""Deleting a person: name, mail and all that lets them in go; what they did stays, under a name that tells nobody."""

from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from config.errors import Conflict, Refusal
from config.models import OneTimeLink, RememberedAnswer, Throttle, User
from pooling.models import Collection, Invitation, Membership, Role


@transaction.atomic
def delete_person(*, by: User, user: User) -> User:
    """What is left is a closed account “Former member 17”, since judgments, decisions, runs and releases name its row.

    Memberships end and stay, so that the pseudonyms of exports are the same before and after."""
    # Locked, lest two administrators delete each other at the same moment.
    found = {
        row.pk: row for row in User.objects.select_for_update().filter(Q(is_superuser=True) | Q(pk=user.pk)).order_by("pk")
    }
    user = found.pop(user.pk)
    _require_dispensable(by, user, is_last=not any(row.is_active for row in found.values()))
    _forget_traces(user)
    now = timezone.now()
    Membership.objects.filter(user=user, ended_at=None).update(ended_at=now)
    Invitation.objects.filter(created_by=user, revoked_at=None).update(revoked_at=now)
    user.username, user.name, user.email = user.former_username, f"Former member {user.pk}", ""
    user.is_active = user.is_staff = user.is_superuser = False
    user.last_login = None
    user.set_unusable_password()  # ends every session, whatever became of its row
    user.save()
    return user


def _require_dispensable(by: User, user: User, *, is_last: bool) -> None:
    if user.is_deleted:
        raise Conflict("This account was deleted already.")
    if user.is_machine:
        raise Refusal("A machine is no person: its organizers remove it from its collection, and its name says what judged.")
    if user == by:
        raise Conflict("You cannot delete your own account; ask another administrator.")
    if user.is_superuser and is_last:
        raise Conflict("The last administrator cannot be deleted; make another one first.")
    held = Membership.objects.filter(role=Role.ORGANIZER, ended_at=None)
    shared = held.filter(user__is_active=True).exclude(user=user).values("collection")
    alone = Collection.objects.filter(pk__in=held.filter(user=user).values("collection"), archived_at=None)
    if names := list(alone.exclude(pk__in=shared).order_by("name").values_list("name", flat=True)):
        raise Conflict(f"{user.name} is the only organizer of {', '.join(names)}: invite another one there first.")


def _forget_traces(user: User) -> None:
    """Whatever holds the name or the address of somebody, or would let them in."""
    user.tokens.all().delete()
    OneTimeLink.objects.filter(user=user).delete()
    RememberedAnswer.objects.filter(user=user).delete()
    names = [name.lower() for name in (user.username, user.email) if name]
    Throttle.objects.filter(key__in=[f"account:{name}"[:200] for name in names]).delete()
    if user.email:
        Invitation.objects.filter(email__iexact=user.email).update(email="")
    own = str(user.pk)
    gone = [row.pk for row in Session.objects.iterator() if row.get_decoded().get("_auth_user_id") == own]
    Session.objects.filter(pk__in=gone).delete()
