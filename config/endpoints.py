"""The API's own endpoints: oneself, tokens, jobs, people and status. Mounts the routers of the apps too."""

from typing import Any

from django.conf import settings
from django.db.models import Q, QuerySet
from django.http import FileResponse, Http404
from django.shortcuts import get_object_or_404
from ninja import Query, Router

from assess import api as assess_api
from assess import drafting_api, merging_api, watching_api
from config import accounts, health, http, jobs, openapi
from config.api import MANAGE, ApiRequest, api, newest_first
from config.models import ApiToken, Job, User
from config.schemas import (
    AccountChange,
    AccountOut,
    JobFilter,
    JobOut,
    LinkOut,
    MeOut,
    PeopleFilter,
    ProfileChange,
    StatusOut,
    TokenIn,
    TokenMade,
    TokenOut,
    TrialIn,
)
from evaluation import analysis_api, release_api
from evaluation import api as evaluation_api
from pooling import access, line_api, selectors
from pooling import api as pooling_api
from pooling.services import people

__all__ = ["api"]

me = Router(tags=["You"])
work = Router(tags=["Jobs"])
site = Router(tags=["Site"])


@me.get("/me", response=MeOut)
def read_me(request: ApiRequest) -> dict[str, Any]:
    """Who am I: account, roles, and the token in use"""
    user = request.user
    names = ("id", "username", "name", "is_machine", "email", "is_staff")
    known = {name: getattr(user, name) for name in names}
    return {**known, "roles": list(selectors.memberships_of(user)), "token": request.token}


@me.patch("/me", response=MeOut, auth=MANAGE)
def edit_me(request: ApiRequest, body: ProfileChange) -> dict[str, Any]:
    """Change your name or e-mail

    What is left out stays as it is. An empty e-mail is none.
    """
    known = {"name": request.user.name, "email": request.user.email, **body.dict(exclude_unset=True)}
    accounts.edit_profile(request.user, **known)
    return read_me(request)


@me.get("/tokens", response=list[TokenOut])
@newest_first
def list_tokens(request: ApiRequest) -> QuerySet[ApiToken]:
    """List tokens

    Your own, and those of the machines of collections that you organize.
    """
    return access.tokens_visible_to(request.user)


@me.post("/tokens", response={201: TokenMade}, auth=MANAGE)
def make_token(request: ApiRequest, body: TokenIn) -> TokenMade:
    """Make a token

    Its secret is in this answer and nowhere else. A token cannot make one with more scopes or a longer life than its own.
    """
    return TokenMade.of(*accounts.make_token(user=request.user, with_token=request.token, **body.dict()))


@me.delete("/tokens/{int:id}", response={204: None}, auth=MANAGE)
def revoke_token(request: ApiRequest, id: int) -> None:
    """Revoke a token, at once and for good"""
    accounts.revoke_token(get_object_or_404(access.tokens_visible_to(request.user), pk=id))


@work.get("/jobs", response=list[JobOut])
@newest_first
def list_jobs(request: ApiRequest, filters: Query[JobFilter]) -> QuerySet[Job]:
    """List jobs

    Those you started, and those of collections that you organize.
    """
    found = access.jobs_visible_to(request.user)
    return found.filter(state=filters.state) if filters.state else found


@work.get("/jobs/{int:id}", response=JobOut)
def read_job(request: ApiRequest, id: int) -> Job:
    """Read a job: its state, progress and result

    Ask again every few seconds until the state is done, refused or failed.
    """
    return access.job_for(request.user, id)


@work.get("/jobs/{int:id}/output", response={200: None}, openapi_extra=openapi.files(http.ZIP))
def download_job_output(request: ApiRequest, id: int) -> FileResponse:
    """Download the file that a job made"""
    path = access.job_for(request.user, id).output_path
    if path is None or not path.exists():
        raise Http404
    return http.download(path, path.name, http.ZIP)


@work.post("/jobs/trial", response={202: JobOut}, auth=MANAGE)
def start_trial(request: ApiRequest, body: TrialIn) -> Job:
    """Start a trial job

    For administrators. It only counts: a way to see whether queue and workers do their work.
    """
    by = access.require_staff(request.user)
    args: dict[str, int | str] = {"steps": body.steps, "seconds": str(body.seconds)}
    return jobs.intend("trial", title="Trial of queue and workers", args=args, started_by=by)


@site.get("/people", response=list[AccountOut])
@newest_first
def list_people(request: ApiRequest, filters: Query[PeopleFilter]) -> QuerySet[User]:
    """List accounts

    For administrators.
    """
    access.require_staff(request.user)
    q = filters.q.strip()
    return User.objects.filter(Q(name__icontains=q) | Q(username__icontains=q) | Q(email__icontains=q))


@site.patch("/people/{int:id}", response=AccountOut, auth=MANAGE)
def edit_person(request: ApiRequest, id: int, body: AccountChange) -> User:
    """Close or reopen an account, make or unmake an administrator

    For administrators. What is left out stays as it is.
    """
    by, person = access.require_staff(request.user), get_object_or_404(User, pk=id)
    standing = {"is_active": person.is_active, "is_staff": person.is_staff, **body.dict(exclude_unset=True)}
    return accounts.set_standing(by=by, user=person, **standing)


@site.delete("/people/{int:id}", response=AccountOut, auth=MANAGE)
def delete_person(request: ApiRequest, id: int) -> User:
    """Delete a person: name, e-mail, password, tokens and roles go

    For administrators. What they judged, decided and submitted stays, as of the closed account that is answered. Refused
    for the last administrator, and for the only organizer of a collection.
    """
    by, person = access.require_staff(request.user), get_object_or_404(User, pk=id)
    return people.delete_person(by=by, user=person)


@site.post("/people/{int:id}/link", response={201: LinkOut}, auth=MANAGE)
def make_link(request: ApiRequest, id: int) -> LinkOut:
    """Make a link with which somebody sets a new password, once

    For administrators. Older links of the same person end.
    """
    access.require_staff(request.user)
    person = get_object_or_404(User, pk=id, is_machine=False, is_active=True)
    return LinkOut(one_time_link=settings.BASE_URL + accounts.make_link(person))


@site.get("/status", response=StatusOut)
def read_status(request: ApiRequest) -> dict[str, Any]:
    """Is each part alive: database, queue, workers, disk

    For administrators.
    """
    access.require_staff(request.user)
    parts = health.parts()
    return {"ok": all(part.ok for part in parts), "parts": parts}


# Addresses are tried in this order: judging first, which is asked most often.
for router in (
    assess_api.judging_routes,
    assess_api.assignment_routes,
    watching_api.ask_routes,
    watching_api.watch_routes,
    drafting_api.routes,
):
    api.add_router("", router)
for router in (pooling_api.collection_routes, pooling_api.member_routes, pooling_api.invitation_routes):
    api.add_router("", router)
for router in (line_api.upload_routes, line_api.run_routes, line_api.pool_routes):
    api.add_router("", router)
for router in (
    merging_api.routes,
    evaluation_api.release_routes,
    release_api.routes,
    analysis_api.routes,
    evaluation_api.score_routes,
    me,
    work,
    site,
):
    api.add_router("", router)
