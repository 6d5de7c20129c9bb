"""Pages of accounts: sign in and out, first administrator, passwords, profile and tokens."""

import secrets

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import authenticate, login, logout, update_session_auth_hash
from django.contrib.auth.tokens import default_token_generator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme, urlsafe_base64_decode
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from config import accounts, demo, forms, http
from config.errors import Conflict, Forbidden
from config.models import User
from pooling import access, selectors

SHOWN_ALREADY = "That token was made already, and its secret was shown once. Make another if you have lost it."


def next_page(request: HttpRequest) -> str:
    """Where to go after signing in: only within this site."""
    wanted = request.POST.get("next") or request.GET.get("next") or ""
    allowed = url_has_allowed_host_and_scheme(wanted, {request.get_host()}, require_https=request.is_secure())
    return wanted if allowed else "/"


@sensitive_post_parameters("password")
@require_http_methods(["GET", "POST"])
def sign_in(request: HttpRequest) -> HttpResponse:
    form = forms.SignInForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        name = form.cleaned_data["username"]
        accounts.throttle_sign_in(request, name)
        user = authenticate(request, username=name, password=form.cleaned_data["password"])
        if user is not None:
            accounts.forget_failures(request, name)
            login(request, user)
            return redirect(next_page(request))
        form.add_error(None, "User name and password do not match an open account.")
    elif request.user.is_authenticated:
        return redirect(next_page(request))
    people = demo.people(settings.DEMO)
    if people:
        form.fields["username"].widget.attrs["autofocus"] = False  # it would scroll their buttons out of view
    context = {"form": form, "next": next_page(request), "open_signup": settings.OPEN_SIGNUP, "demo": people}
    return render(request, "accounts/sign_in.html", context, status=422 if form.errors else 200)


@require_POST
def demo_sign_in(request: HttpRequest, username: str) -> HttpResponse:
    """Without a password: only under `assize demo`, only for its cast, and only from this machine."""
    if not settings.DEMO or username not in demo.CAST:
        raise Http404
    if not demo.is_here(request.META):
        raise Forbidden("The demo signs people in on the machine it runs on, and nowhere else.")
    login(request, get_object_or_404(User, username=username, is_active=True))
    return redirect(demo.CAST[username].page)


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    logout(request)
    messages.success(request, "You are signed out.")
    return redirect("sign_in")


@sensitive_post_parameters("password", "again")
@require_http_methods(["GET", "POST"])
def sign_up(request: HttpRequest) -> HttpResponse:
    """Open only where the site says so; elsewhere accounts come by invitation (pooling.views.members.join)."""
    if not settings.OPEN_SIGNUP:
        raise Http404
    form = forms.AccountForm(request.POST or None)
    if request.method == "POST" and form.is_valid() and (user := sign_up_with(request, form)):
        login(request, user)
        messages.success(request, f"Welcome, {user.name}.")
        return redirect(next_page(request))
    context = {"form": form, "next": next_page(request)}
    return render(request, "accounts/sign_up.html", context, status=422 if form.errors else 200)


def sign_up_with(request: HttpRequest, form: forms.AccountForm) -> User | None:
    accounts.hit(f"sign-up:{http.peer(request, settings.TRUSTED_PROXIES)}", 5 * settings.LOGIN_ATTEMPTS)
    return forms.attempt(form, lambda: accounts.create_account(**form.account(), administrator=False))


@sensitive_post_parameters("password", "again")
@require_http_methods(["GET", "POST"])
def welcome(request: HttpRequest, secret: str) -> HttpResponse:
    """A one-time link: the first administrator makes the account, anybody else sets a password."""
    try:
        link = accounts.open_link(secret)
    except Conflict as used:
        return _used_link(request, used.message)
    form: forms.NewPasswordForm
    if link.user is None:
        form = forms.AccountForm(request.POST or None)
    else:
        form = forms.NewPasswordForm(request.POST or None, user=link.user)
    if request.method == "POST" and form.is_valid():
        given = form.account() if isinstance(form, forms.AccountForm) else {"password": form.cleaned_data["password"]}
        if user := forms.attempt(form, lambda: accounts.use_link(secret, **given)):
            login(request, user)
            messages.success(request, f"Welcome, {user.name}. You are signed in.")
            return redirect("home")
    context = {"form": form, "person": link.user}
    return render(request, "accounts/welcome.html", context, status=422 if form.errors else 200)


def _used_link(request: HttpRequest, told: str) -> HttpResponse:
    remedy = "If your password is set, sign in. Else have a new link sent to your e-mail, or ask an administrator of this site for one."
    links = [(reverse("reset"), "Ask for a new link"), (reverse("sign_in"), "Sign in")]
    return http.error(request, 409, told, code="conflict", words=("This link no longer works", remedy), links=links)


@sensitive_post_parameters()
@require_http_methods(["GET", "POST"])
def change_password(request: HttpRequest) -> HttpResponse:
    user = access.require_sign_in(request.user)
    form = forms.ChangePasswordForm(request.POST or None, user=user)
    if request.method == "POST" and form.is_valid():
        accounts.hit(f"password:{user.pk}", settings.LOGIN_ATTEMPTS)
        old, new = form.cleaned_data["old"], form.cleaned_data["password"]
        if forms.attempt(form, lambda: accounts.change_password(user, old=old, new=new)):
            update_session_auth_hash(request, user)  # this session stays, all others end
            messages.success(request, "Your password is changed; other sessions are signed out.")
            return redirect("profile")
    return render(request, "accounts/change_password.html", {"form": form}, status=422 if form.errors else 200)


@require_http_methods(["GET", "POST"])
def reset(request: HttpRequest) -> HttpResponse:
    form = forms.ResetForm(request.POST or None)
    sent = False
    if request.method == "POST" and form.is_valid():
        accounts.hit(f"reset:{http.peer(request, settings.TRUSTED_PROXIES)}", settings.LOGIN_ATTEMPTS)
        accounts.request_reset(form.cleaned_data["email"])
        sent = True
    no_mail = settings.EMAIL_BACKEND.endswith("console.EmailBackend")
    context = {"form": form, "sent": sent, "no_mail": no_mail}
    return render(request, "accounts/reset.html", context, status=422 if form.errors else 200)


@sensitive_post_parameters("password", "again")
@require_http_methods(["GET", "POST"])
def reset_confirm(request: HttpRequest, uidb64: str, token: str) -> HttpResponse:
    try:
        user = User.objects.filter(pk=int(urlsafe_base64_decode(uidb64)), is_active=True, is_machine=False).first()
    except ValueError:
        user = None
    if user is None or not default_token_generator.check_token(user, token):
        return _used_link(request, accounts.USED_LINK)
    form = forms.NewPasswordForm(request.POST or None, user=user)
    if request.method == "POST" and form.is_valid():
        if forms.attempt(form, lambda: accounts.set_password(user, form.cleaned_data["password"])):
            messages.success(request, "Your password is set. Sign in with it.")
            return redirect("sign_in")
    return render(request, "accounts/welcome.html", {"form": form, "person": user}, status=422 if form.errors else 200)


@require_http_methods(["GET", "POST"])
def profile(request: HttpRequest) -> HttpResponse:
    user = access.require_sign_in(request.user)
    form = forms.ProfileForm(request.POST or None, instance=User.objects.get(pk=user.pk))
    if request.method == "POST" and form.is_valid():
        if forms.attempt(form, lambda: accounts.edit_profile(user, **form.cleaned_data)):
            messages.success(request, "Saved.")
            return redirect("profile")
    return _profile(request, user, form, forms.TokenForm())


def _profile(
    request: HttpRequest, user: User, form: forms.ProfileForm, token_form: forms.TokenForm, secret: str = ""
) -> HttpResponse:
    context = {
        "form": form,
        "token_form": token_form,
        "tokens": user.tokens.order_by("-pk")[:50],
        "memberships": selectors.memberships_of(user),
        "secret": secret,
        "once": secrets.token_urlsafe(16),
    }
    bad = form.errors or token_form.errors
    return render(request, "accounts/profile.html", context, status=422 if bad else 200)


@require_POST
def make_token(request: HttpRequest) -> HttpResponse:
    """Answers with the page itself, since the secret is shown this once and kept nowhere."""
    user = access.require_sign_in(request.user)
    form, secret = forms.TokenForm(request.POST), ""
    if form.is_valid():
        if not accounts.first_time(user, request.POST.get("once", "")):
            messages.warning(request, SHOWN_ALREADY)
            return redirect("profile")
        given = {"name": form.cleaned_data["name"], "scopes": form.cleaned_data["scopes"], "expires_at": form.expires_at()}
        if made := forms.attempt(form, lambda: accounts.make_token(user=user, **given)):
            secret = made[1]
            form = forms.TokenForm()
    return _profile(request, user, forms.ProfileForm(instance=user), form, secret)


@require_POST
def revoke_token(request: HttpRequest, pk: int) -> HttpResponse:
    user = access.require_sign_in(request.user)
    token = get_object_or_404(access.tokens_visible_to(user), pk=pk)
    accounts.revoke_token(token)
    messages.success(request, f"The token “{token.name}” is revoked.")
    return redirect(next_page(request) if request.POST.get("next") else "profile")
