"""Pages of members and invitations, for organizers; and the page behind an invitation link."""

import secrets

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from config import accounts, http
from config.errors import Conflict
from config.forms import AccountForm, attempt
from pooling import access, forms, selectors
from pooling.models import Collection, Invitation, Role
from pooling.services import members
from pooling.views.collections import page


def _members(request: HttpRequest, collection: Collection, **more: object) -> HttpResponse:
    """The members page; `more` holds forms with errors, or what is shown just this once."""
    rows = Paginator(selectors.members(collection), 100).get_page(request.GET.get("page"))
    made = list(selectors.invitations(collection)[:100])
    invitations = [invitation for invitation in made if invitation.state == "open"]
    for invitation in invitations:
        invitation.url = members.invitation_url(invitation)
    context = {
        "page_obj": rows,
        "invitations": invitations,
        "closed": [invitation for invitation in made if invitation.state != "open"],
        "past": selectors.members(collection, ended=True)[:100],
        "invite_form": forms.InviteForm(),
        "machine_form": forms.MachineForm(),
        "once": secrets.token_urlsafe(16),
        **more,
    }
    bad = any(getattr(form, "errors", None) for form in (context["invite_form"], context["machine_form"]))
    return page(request, "pooling/members.html", collection, status=422 if bad else 200, **context)


@require_safe
def member_list(request: HttpRequest, slug: str) -> HttpResponse:
    return _members(request, access.collection_for(request.user, slug, Role.ORGANIZER))


def mail_words() -> str:
    if settings.EMAIL_BACKEND.endswith("console.EmailBackend"):
        return "This site has no mail server: copy the links below and pass them on to"
    return "Links are on their way to"


@require_POST
def invite(request: HttpRequest, slug: str) -> HttpResponse:
    collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    by = access.require_sign_in(request.user)
    form = forms.InviteForm(request.POST)
    if form.is_valid():
        made = attempt(form, lambda: members.invite(collection, by=by, **form.cleaned_data))
        if made:
            sent = [invitation.email for invitation in made if invitation.email]
            told = f"{mail_words()} {', '.join(sent)}." if sent else f"The link for {made[0].role}s is ready: copy it below."
            messages.success(request, told)
            return redirect("members", slug)
    return _members(request, collection, invite_form=form)


@require_POST
def revoke_invitation(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    members.revoke_invitation(get_object_or_404(collection.invitations, pk=pk))
    messages.success(request, "The invitation is revoked; its link no longer works.")
    return redirect("members", slug)


@require_POST
def remove(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    membership = get_object_or_404(collection.memberships.select_related("user"), pk=pk, ended_at=None)
    try:
        members.end_membership(membership)
    except Conflict as refusal:
        messages.error(request, refusal.message)
        return redirect("members", slug)
    messages.success(request, f"{membership.user.name} is no longer {membership.role}.")
    return redirect("home") if membership.user_id == request.user.pk else redirect("members", slug)


def _sent_again(request: HttpRequest, slug: str) -> HttpResponse | None:
    """Reloading a page that showed a secret sends its form again: say so, and change nothing."""
    if accounts.first_time(access.require_sign_in(request.user), request.POST.get("once", "")):
        return None
    messages.warning(request, "That was done already, and its secret was shown once. Make a new token if you have lost it.")
    return redirect("members", slug)


@require_POST
def add_machine(request: HttpRequest, slug: str) -> HttpResponse:
    """Answers with the page itself, since the token's secret is shown this once."""
    collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    form = forms.MachineForm(request.POST)
    if form.is_valid():
        if (told := _sent_again(request, slug)) is not None:
            return told
        made = attempt(form, lambda: members.add_machine(collection, **form.cleaned_data))
        if made:
            return _members(request, collection, secret=made[2], secret_of=made[0].user)
    return _members(request, collection, machine_form=form)


@require_POST
def machine_token(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """A new token for a machine; the ones before it end."""
    collection = access.collection_for(request.user, slug, Role.ORGANIZER)
    machines = collection.memberships.select_related("user").filter(user__is_machine=True, ended_at=None)
    membership = get_object_or_404(machines, pk=pk)
    if (told := _sent_again(request, slug)) is not None:
        return told
    _token, secret = members.renew_machine_token(membership)
    return _members(request, collection, secret=secret, secret_of=membership.user)


@sensitive_post_parameters("password", "again")
@require_http_methods(["GET", "POST"])
def join(request: HttpRequest, signed: str) -> HttpResponse:
    """Behind an invitation link: join with one's account, or make one first."""
    try:
        invitation = members.open_invitation(signed)
    except Http404:
        words = "No invitation has this link", "Copy the whole link out of the message, or ask who sent it for a new one."
        return http.error(request, 404, "A part of it may have been lost on the way.", code="not_found", words=words)
    form = AccountForm(request.POST or None, initial={"email": invitation.email})
    if request.method == "POST" and invitation.state == "open":
        user = request.user if request.user.is_authenticated else None
        if user is None and form.is_valid():
            user = attempt(form, lambda: members.join_with_new_account(invitation, **form.account()))
            if user:
                login(request, user)
        if user is not None:
            try:
                members.accept_invitation(invitation, user=user)
            except Conflict as refusal:
                return _join_page(request, invitation, form, refusal=refusal.message)
            messages.success(request, f"You are now {Role(invitation.role).one} of “{invitation.collection.name}”.")
            return redirect(invitation.collection)
    archived = invitation.state == "open" and invitation.collection.is_archived
    return _join_page(request, invitation, form, refusal="This collection is archived: nobody joins it." if archived else "")


def _join_page(request: HttpRequest, invitation: Invitation, form: AccountForm, refusal: str = "") -> HttpResponse:
    held = access.roles_in(request.user, invitation.collection)
    if invitation.role in held:
        return redirect(invitation.collection)
    context = {"invitation": invitation, "collection": invitation.collection, "form": form, "path": request.path}
    context["refusal"] = refusal
    if refusal:
        return render(request, "pooling/join.html", context, status=409)
    status = 422 if form.errors and not request.user.is_authenticated else 200 if invitation.state == "open" else 410
    return render(request, "pooling/join.html", context, status=status)
