"""Pages over the whole line and about the site itself: home, a collection's overview, jobs, people, status."""

import os
from dataclasses import replace

from django.conf import settings
from django.contrib import messages
from django.core.checks import run_checks
from django.core.paginator import Paginator
from django.db.models import Q
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST, require_safe

from assess import adjudication, blind
from assess import selectors as assess
from config import accounts, backups, demo, health, http, jobs, metrics
from config import styleguide as guide
from config.api import token_of
from config.errors import Forbidden
from config.models import Job, Scope, User
from evaluation import selectors as evaluation
from pooling import access, markdown, search, selectors
from pooling.models import Collection, Role
from pooling.selectors import Stage
from pooling.services import people as deleting
from pooling.views.collections import page as collection_page


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    mine, public = selectors.home_list(request.user)
    running = access.jobs_visible_to(request.user).filter(state__in=["waiting", "running"]).order_by("-pk")[:5]
    context: dict[str, object] = {
        "mine": mine,
        "organizes": any(Role.ORGANIZER in row.roles for row in mine),
        "public": public,
        "jobs": running,
        "releases": evaluation.public_releases(request.user),
    }
    context |= {"to_judge": assess.to_judge(request.user), "to_decide": adjudication.to_decide(request.user)}
    context |= {"letters": assess.letters(request.user)}
    context |= {"demo": demo.people(settings.DEMO), "is_new": not (request.user.is_authenticated or User.objects.exists())}
    return render(request, "site/home.html", context)


@require_safe
def collection(request: HttpRequest, slug: str) -> HttpResponse:
    found = access.collection_for(request.user, slug)
    roles = access.roles_in(request.user, found)
    access.narrowed(found, roles)
    guideline = found.guidelines.first()
    stages = _stages(found, request.user, roles)
    context: dict[str, object] = {
        "roles": sorted(roles),
        "stages": stages,
        "next": (following := _next(found, request.user, stages, roles)),
        "is_urgent": following is None or following[1] != "Judge" or _waits(found, request.user),
        "grades": selectors.grades(found),
        "guideline": guideline,
        "description": markdown.render(found.description),
        "counts": selectors.member_counts(found) if Role.ORGANIZER in roles else {},
        "indexed": Role.ORGANIZER in roles and search.index_of(found).is_ready(),
        "has_documents": Role.ORGANIZER in roles and bool(selectors.corpus(found).document_count),
        "released": access.sees_released(roles) and evaluation.newest(found) is not None,
        "jobs": _unfinished(found, request.user) if roles else [],
        "letters": [row for row in assess.letters(request.user) if row.slug == slug] if roles else [],
    }
    return collection_page(request, "site/collection.html", found, 200, **context)


def _waits(found: Collection, user: access.Anyone) -> bool:
    """Whether there is something for this assessor to judge, of their own or of what they share."""
    return any(row.slug == found.slug for row in assess.to_judge(user))


def _stages(found: Collection, user: access.Anyone, roles: set[str]) -> list[Stage]:
    """The line of data. Each app tells its own part; what has not begun says so."""
    judged = assess.judged_stage(found, user, roles) if roles else evaluation.judged_stage(found)
    release = evaluation.release_stage(found, opens=access.sees_released(roles))
    stages = [selectors.people_stage(found, roles), *selectors.pooling_stages(found, roles), judged, release]
    if found.is_archived or not roles:  # nothing in it is next, or not for a stranger
        stages = [replace(stage, state="todo") if stage.state == "now" else stage for stage in stages]
    return stages


def _unfinished(found: Collection, user: access.Anyone) -> list[Job]:
    """Of the latest jobs those that run, wait or failed: what is done shows in the stages, what was refused among the files."""
    latest = access.jobs_visible_to(user).filter(collection_id=found.pk).order_by("-pk")[:5]
    return [job for job in latest if job.state not in ("done", "refused")]


# What an organizer does in a stage that is next.
ACTS = {
    "Members": "Invite people",
    "Topics": "Upload topics",
    "Documents": "Upload documents",
    "Runs": "Upload runs",
    "Pool": "Draw a pool",
    "Judged": "Assign topics",
    "Release": "Freeze a release",
}


def _next(found: Collection, user: access.Anyone, stages: list[Stage], roles: set[str]) -> tuple[str, str] | None:
    """The one thing to do next, by role: its address and its name."""
    if found.is_archived:
        return None
    if Role.ORGANIZER in roles:
        now = [stage for stage in stages if stage.state == "now"]
        judging = reverse("progress", args=[found.slug])
        return next(((one.href, "See the progress" if one.href == judging else ACTS[one.label]) for one in now), None)
    places = {
        Role.ASSESSOR: ("judge", "Judge"),
        Role.ADJUDICATOR: ("adjudicate", "Adjudicate"),
        Role.PARTICIPANT: ("runs", "Your runs"),
    }
    if Role.ASSESSOR in roles and isinstance(user, User) and not blind.own_progress(found, user).total:
        del places[Role.ASSESSOR]  # nothing is assigned yet
    return next(((reverse(name, args=[found.slug]), label) for role, (name, label) in places.items() if role in roles), None)


# Jobs

# Where to look at what a job has done.
RESULTS = {
    "check_upload": ("upload", "The report of the file"),
    "draw_pool": ("pool", "The pool"),
    "seat_items": ("assign", "Who judges what"),
    "freeze_release": ("releases", "Releases"),
    "import_qrels": ("releases", "Releases"),
    "score_release": ("leaderboard", "Leaderboard"),
}


@require_safe
def job_list(request: HttpRequest) -> HttpResponse:
    user = access.require_sign_in(request.user)
    found = access.jobs_visible_to(user).order_by("-pk")
    if slug := request.GET.get("collection", "").replace("\0", ""):
        found = found.filter(collection_id=access.collection_for(user, slug).pk)
    page = Paginator(found, 30).get_page(request.GET.get("page"))
    return render(request, "site/jobs.html", {"page_obj": page})


@never_cache
@require_safe
def job(request: HttpRequest, pk: int) -> HttpResponse:
    """A job's page; for htmx, only the part that moves."""
    found = access.job_for(request.user, pk)
    if request.headers.get("HX-Request") == "true":
        return render(request, "components/job.html", {"job": found, "linked": "linked" in request.GET})
    inside = access.visible_to(request.user).filter(pk=found.collection_id or 0).first()
    return render(request, "site/job.html", {"job": found, "collection": inside, "result": _result(found, inside)})


def _result(found: Job, inside: Collection | None) -> tuple[str, str] | None:
    """Address and name of what the job has done; the report of a file may have been dismissed."""
    name, label = RESULTS.get(found.name, ("", ""))
    if inside is None or not name:
        return None
    if name == "releases" and (made := evaluation.made_by(found)):
        return reverse("release", args=[inside.slug, made.number]), f"Release {made.number}"
    if name != "upload":
        return reverse(name, args=[inside.slug]), label
    upload = inside.uploads.filter(pk=found.args.get("upload")).first()
    return (reverse(name, args=[inside.slug, upload.pk]), label) if upload else None


@require_safe
def job_output(request: HttpRequest, pk: int) -> FileResponse:
    found = access.job_for(request.user, pk)
    path = found.output_path
    if path is None or not path.exists():
        raise Http404
    return http.download(path, path.name, http.ZIP)


# Administration


@require_safe
def people(request: HttpRequest) -> HttpResponse:
    access.require_staff(request.user)
    wanted = request.GET.get("q", "").replace("\0", "").strip()
    found = User.objects.order_by(*selectors.by_name(), "pk")
    if wanted:
        found = found.filter(Q(name__icontains=wanted) | Q(username__icontains=wanted) | Q(email__icontains=wanted))
    imported, shown = found.filter(pk__in=selectors.imported_people().values("pk")), "imported" in request.GET
    told = imported if shown else found.exclude(pk__in=imported.values("pk"))  # who stands for a file, apart from people
    page = Paginator(told, 50).get_page(request.GET.get("page"))
    context = {"page_obj": page, "q": wanted, "imported": shown, "imported_count": imported.count()}
    return render(request, "site/people.html", context)


@require_POST
def set_standing(request: HttpRequest, pk: int) -> HttpResponse:
    by = access.require_staff(request.user)
    person = get_object_or_404(User, pk=pk)
    act = request.POST.get("act", "")
    changes = {"close": (False, False), "reopen": (True, False), "promote": (True, True), "demote": (True, False)}
    if act not in changes:
        return http.error(request, 400)
    active, staff = changes[act]
    accounts.set_standing(by=by, user=person, is_active=active, is_staff=staff)
    done = {
        "close": "is closed",
        "reopen": "is open again",
        "promote": "is an administrator's now",
        "demote": "is a plain one now",
    }
    messages.success(request, f"The account of {person.name} {done[act]}.")
    return redirect("people")


@require_POST
def delete_person(request: HttpRequest, pk: int) -> HttpResponse:
    by = access.require_staff(request.user)
    person = get_object_or_404(User, pk=pk)
    gone = person.name
    person = deleting.delete_person(by=by, user=person)
    messages.success(request, f"The account of {gone} is deleted. What they did stays, as of “{person.name}”.")
    return redirect("people")


@require_POST
def person_link(request: HttpRequest, pk: int) -> HttpResponse:
    """A link with which somebody sets a new password: for sites that send no mail. Shown this once."""
    access.require_staff(request.user)
    person = get_object_or_404(User, pk=pk, is_machine=False, is_active=True)
    link = settings.BASE_URL + accounts.make_link(person)
    return render(request, "site/person_link.html", {"person": person, "link": link})


@never_cache
@require_safe
def status(request: HttpRequest) -> HttpResponse:
    access.require_staff(request.user)
    checks = [message for message in run_checks(include_deployment_checks=True) if not message.is_silenced()]
    waiting = Job.objects.filter(state="waiting").count()
    recent = Job.objects.select_related("started_by").order_by("-pk")[:8]
    context = {"parts": health.parts(), "checks": checks, "waiting": waiting, "jobs": recent, "settings": settings}
    context |= {"backup": backups.last()}
    return render(request, "site/status.html", context)


@require_POST
def trial(request: HttpRequest) -> HttpResponse:
    by = access.require_staff(request.user)
    job = jobs.intend("trial", title="Trial of queue and workers", args={"steps": 20, "seconds": "5"}, started_by=by)
    return redirect("job", job.pk)


@require_safe
def styleguide(request: HttpRequest) -> HttpResponse:
    access.require_staff(request.user)
    return render(request, "styleguide.html", guide.context())


# Probes


@never_cache
@require_GET
def metrics_page(request: HttpRequest) -> HttpResponse:
    """For Prometheus, with an administrator's token of the scope `read`; for an administrator's own eyes, too."""
    token = token_of(request)
    access.require_staff(token.user if token else request.user)
    if token and Scope.READ not in token.scopes:
        raise Forbidden(f"This token lacks the scope “{Scope.READ}”; it has {', '.join(token.scopes)}.")
    figures = [*selectors.figures(), *assess.figures()]
    return HttpResponse(metrics.page(figures), content_type=metrics.TYPE)


@never_cache
@require_GET
def healthz(request: HttpRequest) -> HttpResponse:
    return JsonResponse({"status": "alive"})


@never_cache
@require_GET
def readyz(request: HttpRequest) -> HttpResponse:
    """Each part by name; what is wrong with it, and which process answers, is for administrators only."""
    parts = health.parts()
    database = parts[0]
    # The session lives in the database: without it nobody is an administrator.
    staff = database.ok and request.user.is_authenticated and request.user.is_staff
    told = {part.name: {"ok": part.ok, **({"detail": part.detail} if staff else {})} for part in parts}
    ready = all(part.ok for part in parts)
    answer = {"status": "ready" if ready else "not ready", "parts": told, **({"process": os.getpid()} if staff else {})}
    return JsonResponse(answer, status=200 if ready else 503)
