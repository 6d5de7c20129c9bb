"""Forms of the frame: accounts and tokens. They clean; the rules live in the services."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, TypeVar

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone

from config import accounts
from config.errors import Closed, Invalid, Refusal, TooMany
from config.expected import EMPTY
from config.models import Scope, User

T = TypeVar("T")


def attempt(form: forms.BaseForm, act: Callable[[], T]) -> T | None:
    """Run a service; what it refuses becomes errors of the form, at their fields where it has them."""
    try:
        return act()
    except (TooMany, Closed):
        raise
    except Invalid as refusal:
        there = _at(form, refusal.field)
        form.add_error(there, refusal.words if there else refusal.message)
    except Refusal as refusal:
        form.add_error(None, refusal.message)
    except ValidationError as error:
        for name, messages in getattr(error, "message_dict", {"__all__": error.messages}).items():
            form.add_error(_at(form, name), messages)
    return None


def _at(form: forms.BaseForm, name: str) -> str | None:
    """The field of the form that holds what the service calls so."""
    name = getattr(form, "CALLED", {}).get(name, name)
    return name if name in form.fields else None


class FileField(forms.FileField):
    """A file. One without a byte is told by its name, since a form may take several."""

    def to_python(self, data: Any) -> Any:
        if getattr(data, "size", None) == 0:
            raise ValidationError(EMPTY, code="empty", params={"value": data.name})
        return super().to_python(data)


class SignInForm(forms.Form):
    username = forms.CharField(
        label="User name or e-mail",
        max_length=254,
        widget=forms.TextInput(attrs={"autocomplete": "username", "autofocus": True}),
    )
    password = forms.CharField(widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}))


class NewPasswordForm(forms.Form):
    """A new password, twice. `user` is whose it will be, for it may not be like their name."""

    password = forms.CharField(
        max_length=1000,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text="At least 10 characters; a few words in a row are good.",
    )
    again = forms.CharField(
        label="The same again", max_length=1000, widget=forms.PasswordInput(attrs={"autocomplete": "new-password"})
    )

    def __init__(self, *args: Any, user: User | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if data.get("password") and data.get("again") and data["password"] != data["again"]:
            self.add_error("again", "The two passwords differ.")
        if self.errors and "password" in data:  # the service is not asked: what it would say comes with the rest
            for name, faults in accounts.password_faults(data["password"], self.owner()).items():
                self.add_error(name, faults)
        return data

    def owner(self) -> User:
        return self.user or User()


class ChangePasswordForm(NewPasswordForm):
    old = forms.CharField(label="Present password", widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}))
    field_order = ["old", "password", "again"]


class AccountForm(NewPasswordForm):
    """A new account."""

    name = forms.CharField(
        max_length=150, help_text="As others on the site see you.", widget=forms.TextInput(attrs={"autocomplete": "name"})
    )
    username = forms.CharField(
        label="User name",
        max_length=150,
        validators=[User.username_validator],
        help_text="For signing in: letters, digits and @ . + - _",
        widget=forms.TextInput(attrs={"autocomplete": "username", "autocapitalize": "none"}),
    )
    email = forms.EmailField(
        label="E-mail",
        required=False,
        help_text="For a forgotten password. Only you and the administrators of this site see it.",
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )
    field_order = ["name", "username", "email", "password", "again"]

    def owner(self) -> User:
        return User(**{name: self.cleaned_data.get(name, "") for name in ("name", "username", "email")})

    def account(self) -> dict[str, str]:
        return {name: self.cleaned_data[name] for name in ("name", "username", "email", "password")}


class ProfileForm(forms.ModelForm):  # type: ignore[type-arg]
    class Meta:
        model = User
        fields = ["name", "email"]


class ResetForm(forms.Form):
    email = forms.EmailField(label="E-mail", widget=forms.EmailInput(attrs={"autocomplete": "email", "autofocus": True}))


class TokenForm(forms.Form):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"auto_id": "id_token_%s", **kwargs})  # stands beside ProfileForm: no id twice in a page

    name = forms.CharField(max_length=80, help_text="What will use it, such as “laptop” or “judge script”.")
    scopes = forms.MultipleChoiceField(
        choices=[(s.value, f"{s.value}: {s.label}") for s in Scope], initial=["read"], widget=forms.CheckboxSelectMultiple
    )
    days = forms.TypedChoiceField(
        label="Valid for",
        coerce=int,
        initial=90,
        choices=[(7, "a week"), (30, "30 days"), (90, "90 days"), (365, "a year"), (0, "until revoked")],
    )

    def expires_at(self) -> datetime | None:
        days = self.cleaned_data["days"]
        return timezone.now() + timedelta(days=days) if days else None
