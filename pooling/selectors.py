"""What pages, API and commands read of collections and members."""

from dataclasses import dataclass

from django.db.models import Case, Count, F, IntegerField, Prefetch, Q, QuerySet, When

from config.models import ApiToken, User
from pooling import access
from pooling.models import Collection, Grade, Invitation, Membership, Role


@dataclass(frozen=True)
class Stage:
    """One step of the line of data. `state` is done, now or todo."""

    label: str
    count: str
    note: str
    state: str
    href: str = ""


def memberships_of(user: User) -> QuerySet[Membership]:
    return Membership.objects.filter(user=user, ended_at=None).select_related("collection").order_by("-collection_id", "role")


@dataclass(frozen=True)
class Listed:
    """A collection on somebody's home page, with the roles they hold in it."""

    collection: Collection
    roles: list[str]
    members: int


def home_list(user: access.Anyone) -> tuple[list[Listed], list[Listed]]:
    """(my collections, public ones of others), newest first, archived ones of mine last."""
    mine = Membership.objects.filter(user_id=user.pk or 0, ended_at=None)
    members = Count("memberships__user", filter=Q(memberships__ended_at=None), distinct=True)
    found = (
        access.listed_for(user)
        .annotate(member_count=members)
        .prefetch_related(Prefetch("memberships", queryset=mine, to_attr="my_memberships"))
        .order_by(F("archived_at").asc(nulls_first=True), "-pk")
    )
    rows = [Listed(c, [Role(m.role).label for m in c.my_memberships], c.member_count) for c in found]
    return [row for row in rows if row.roles], [row for row in rows if not row.roles]


def grades(collection: Collection) -> list[Grade]:
    """The scale from lowest to highest; each grade knows its `step` of the ten colours (assize.css section 10)."""
    found = list(collection.grades.all())
    for index, grade in enumerate(found):
        grade.step = round(9 * index / max(1, len(found) - 1))
    return found


def member_counts(collection: Collection) -> dict[str, int]:
    """Active members by role."""
    found = collection.memberships.filter(ended_at=None).values_list("role").annotate(Count("pk"))
    return dict(found)


def members(collection: Collection, *, ended: bool = False) -> QuerySet[Membership]:
    """Members by role (organizers first) and name; machines with their tokens."""
    tokens = Prefetch("user__tokens", queryset=ApiToken.objects.order_by("-pk"))
    rows = collection.memberships.filter(ended_at__isnull=not ended).select_related("user").prefetch_related(tokens)
    order = Case(*(When(role=role, then=place) for place, role in enumerate(Role)), output_field=IntegerField())
    return rows.order_by(order, "user__name", "pk")


def invitations(collection: Collection) -> QuerySet[Invitation]:
    return collection.invitations.select_related("created_by")


def people_stage(collection: Collection) -> Stage:
    counts = member_counts(collection)
    assessors = counts.get(Role.ASSESSOR, 0)
    note = f"{assessors} assessor{'' if assessors == 1 else 's'}" if assessors else "no assessor yet"
    return Stage("Members", f"{sum(counts.values())}", note, "done" if assessors else "now")
