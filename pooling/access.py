"""Who may see or change what. Every object of a request is reached through here, and nowhere else.

A stranger gets the same 404 for a hidden collection and a missing one; a member without the role gets 403.
Administrators (staff) act as organizers everywhere.
"""

from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q, QuerySet
from django.http import Http404
from django.urls import reverse

from config.errors import Forbidden, Missing, NotSignedIn
from config.expected import no_such
from config.models import ApiToken, Job, User
from config.statements import columns, made, statement
from pooling.models import Collection, Membership, Pool, Role, Run, Topic, Upload, Visibility, WithdrawnRun

Anyone = User | AnonymousUser
AMONG_SEEN = "among those you see"


def _active(user: Anyone, *roles: Role) -> QuerySet[Membership]:
    found = Membership.objects.filter(user_id=user.pk or 0, ended_at=None)
    return found.filter(role__in=roles) if roles else found


def visible_to(user: Anyone) -> QuerySet[Collection]:
    """The collections a user may know of when given the address."""
    if user.is_authenticated and user.is_staff:
        return Collection.objects.all()
    open_to_all = Q(visibility__in=[Visibility.PUBLIC, Visibility.UNLISTED])
    if not user.is_authenticated:
        return Collection.objects.filter(open_to_all)
    return Collection.objects.filter(open_to_all | Q(pk__in=_active(user).values("collection_id")))


def listed_for(user: Anyone) -> QuerySet[Collection]:
    """The collections on a user's home page: their own, and the public ones."""
    public = Q(visibility=Visibility.PUBLIC, archived_at=None)
    if not user.is_authenticated:
        return Collection.objects.filter(public)
    return visible_to(user).filter(public | Q(pk__in=_active(user).values("collection_id")))


def roles_in(user: Anyone, collection: Collection) -> set[str]:
    if not user.is_authenticated:
        return set()
    return set(_active(user).filter(collection=collection).values_list("role", flat=True)) | _everywhere(user)


def _everywhere(user: User) -> set[str]:
    return {Role.ORGANIZER.value} if user.is_staff else set()


def collection_for(user: Anyone, slug: str, *roles: Role) -> Collection:
    """The collection, if the user may see it and (where roles are named) holds one of them."""
    known = _known(user=user.pk, slug=slug) if user.is_authenticated else []
    collection = made(Collection, known[0][1:]) if known else visible_to(user).filter(slug=slug).first()
    if collection is None:
        require_sign_in(user)  # hidden or missing alike: signing in may help, and tells nothing
        raise Http404
    if roles:
        held = {row.role for row in known} | _everywhere(require_sign_in(user))
        if not held:
            raise Http404  # an open collection's inside is not for strangers either
        if not held & {role.value for role in roles}:
            if roles == (Role.ASSESSOR,) and Role.ORGANIZER in held:
                told = "Documents are judged by the collection's assessors; you organize it."
                remedy = "To judge yourself, invite yourself as an assessor on the members page. Progress shows how far the others are."
                raise Forbidden(told, remedy=remedy, links=_home(collection))
            wanted = " or ".join(role.label for role in roles)
            yours = " and ".join(Role(role).one for role in sorted(held))
            raise Forbidden(f"This is for the collection's {wanted}s; you are {yours}.", links=_home(collection))
    return collection


def _home(collection: Collection) -> list[tuple[str, str]]:
    return [(reverse("collection", args=[collection.slug]), f"Back to {collection.name}")]


@statement
def _known(user: Any, slug: Any) -> QuerySet[Membership, Any]:
    """A member's roles, each with the collection: asked by nearly every request, so by one query that is made once."""
    held = Membership.objects.filter(user=user, ended_at=None, collection__slug=slug)
    return held.values_list("role", *columns(Collection, "collection__"))


def require_sign_in(user: Anyone) -> User:
    if not user.is_authenticated:
        raise NotSignedIn("Sign in first.")
    return user


def missing(user: Anyone, collection: Collection, told: str, label: str, view: str) -> Exception:
    """What is raised for a thing that is not in a collection: a member is told so, and where the others are listed.
    Anybody else gets the same 404 as for a collection that is not there."""
    if not roles_in(user, collection):
        return Http404()
    return Missing(told, href=reverse(view, args=[collection.slug]), label=label)


def topic_for(user: Anyone, collection: Collection, number: str) -> Topic:
    found = collection.topics.filter(number=number.replace("\0", "")).first()
    if found is None:
        raise missing(user, collection, no_such("topic", number), "All topics", "topics")
    return found


def run_for(user: Anyone, collection: Collection, tag: str) -> Run:
    """One of those that somebody sees; whether there is another of this tag is not told."""
    found = runs_visible_to(user, collection).select_related("collection", "upload", "submitted_by")
    run = found.filter(tag=tag.replace("\0", "")).first()
    if run is None:
        raise missing(user, collection, no_such("run", tag, AMONG_SEEN), "Runs", "runs")
    return run


def round_for(user: Anyone, collection: Collection, number: int) -> Pool:
    found = collection.pools.filter(drawn_at__isnull=False, round=number).select_related("drawn_by").first()
    if found is None:
        raise missing(user, collection, no_such("round", number), "The pool", "pool")
    return found


def require_known(collection: Collection, username: str) -> User:
    """Of a name in an address: who never was a member here does not exist."""
    found = collection.memberships.filter(user__username=username.replace("\0", "")).select_related("user").first()
    if found is None:
        raise Http404
    return found.user


def require_staff(user: Anyone) -> User:
    """For the site's own pages: to everybody else they do not exist."""
    if not require_sign_in(user).is_staff:
        raise Http404
    return require_sign_in(user)


def jobs_visible_to(user: Anyone) -> QuerySet[Job]:
    """A job is seen by who started it, by the organizers of its collection, and by administrators."""
    jobs = Job.objects.select_related("started_by")
    if not user.is_authenticated:
        return jobs.none()
    if user.is_staff:
        return jobs
    organized = _active(user, Role.ORGANIZER).values("collection_id")
    return jobs.filter(Q(started_by=user) | Q(collection_id__in=organized))


def job_for(user: Anyone, pk: int) -> Job:
    require_sign_in(user)
    job = jobs_visible_to(user).filter(pk=pk).first()
    if job is None:
        raise Http404
    return job


def tokens_visible_to(user: User) -> QuerySet[ApiToken]:
    """One's own, and those of the machines of collections one organizes."""
    organized = _active(user, Role.ORGANIZER).values("collection_id")
    machines = Membership.objects.filter(user__is_machine=True, collection_id__in=organized).values("user_id")
    return ApiToken.objects.select_related("user").filter(Q(user=user) | Q(user_id__in=machines))


def runs_visible_to(user: Anyone, collection: Collection) -> QuerySet[Run]:
    """All of them for organizers, their own for participants, none for anybody else: assessors are blind."""
    held, runs = roles_in(user, collection), collection.runs.all()
    if Role.ORGANIZER in held:
        return runs
    return runs.filter(submitted_by_id=user.pk) if Role.PARTICIPANT in held else runs.none()


def withdrawn_visible_to(user: Anyone, collection: Collection) -> QuerySet[WithdrawnRun]:
    """As their runs: all for organizers, those they submitted for participants, none for anybody else."""
    held, withdrawn = roles_in(user, collection), collection.withdrawn_runs.all()
    if Role.ORGANIZER in held:
        return withdrawn
    return withdrawn.filter(submitted_by_id=user.pk) if Role.PARTICIPANT in held else withdrawn.none()


def uploads_visible_to(user: Anyone, collection: Collection) -> QuerySet[Upload]:
    """All of them for organizers, those one sent oneself for participants, none for anybody else."""
    held, uploads = roles_in(user, collection), collection.uploads.all()
    if Role.ORGANIZER in held:
        return uploads
    return uploads.filter(uploaded_by_id=user.pk) if Role.PARTICIPANT in held else uploads.none()


def sees_released(roles: set[str]) -> bool:
    """Whether somebody with these roles, who sees the collection, may see its releases and scores: who judges it may not."""
    return Role.ORGANIZER in roles or not roles & {Role.ASSESSOR, Role.ADJUDICATOR}


def narrowed(collection: Collection, roles: set[str]) -> Collection:
    """The collection, knowing which releases somebody with these roles sees: drafts are the organizers', private ones the
    members', public ones everybody's. A withdrawn one leaves its tombstone to whoever saw it before."""
    if Role.ORGANIZER not in roles:
        collection.release_states = frozenset({"private", "public"} if roles else {"public"})
    return collection


def released_to(user: Anyone, slug: str) -> Collection:
    """The collection, if its releases and scores are for this user; it knows which of them."""
    collection = collection_for(user, slug)
    held = roles_in(user, collection)
    if not sees_released(held):
        told = "Scores tell which runs found what; who judges this collection does not see them."
        raise Forbidden(told, links=_home(collection))
    return narrowed(collection, held)


def blind_in(user: Anyone) -> QuerySet[Membership, int]:
    """The collections whose releases and scores are not for this user, since they judge them."""
    return _active(user, Role.ASSESSOR, Role.ADJUDICATOR).values_list("collection_id", flat=True)
