"""What Django's own fields say of a fault, in the words of the house: what was expected, and what came.

Set once, before any model or form is made (config/apps.py), so that pages, API and commands say the same.
"""

from django import forms
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core import validators
from django.db import models
from django.utils.translation import ngettext_lazy

NOTHING = "Expected an entry; found nothing."
CHOICE = "Expected one of the choices; found “%(value)s”."
MAIL = "Expected an e-mail address, such as ada@example.org; found “%(value)s”."
USER_NAME = "Expected letters, digits and @ . + - _ only; found “%(value)s”."


def say_so() -> None:
    validators.MinValueValidator.message = "Expected at least %(limit_value)s; found %(show_value)s."
    validators.MaxValueValidator.message = "Expected at most %(limit_value)s; found %(show_value)s."
    validators.MaxLengthValidator.message = ngettext_lazy(
        "Expected at most %(limit_value)d character; found %(show_value)d.",
        "Expected at most %(limit_value)d characters; found %(show_value)d.",
        "limit_value",
    )
    validators.EmailValidator.message = MAIL
    validators.ProhibitNullCharactersValidator.message = "Expected text; found a null character in it."
    UnicodeUsernameValidator.message = USER_NAME
    models.Field.default_error_messages |= {"blank": NOTHING, "null": NOTHING, "invalid_choice": CHOICE}
    forms.Field.default_error_messages |= {"required": NOTHING}
    forms.IntegerField.default_error_messages |= {"invalid": "Expected a whole number."}
    forms.FloatField.default_error_messages |= {"invalid": "Expected a number."}
    forms.DateField.default_error_messages |= {"invalid": "Expected a day."}
    forms.DateTimeField.default_error_messages |= {"invalid": "Expected a day and a time."}
    forms.ChoiceField.default_error_messages |= {"required": "Expected a choice; found none.", "invalid_choice": CHOICE}
    forms.MultipleChoiceField.default_error_messages |= {
        "required": "Expected at least one choice; found none.",
        "invalid_choice": CHOICE,
    }
    forms.FileField.default_error_messages |= {"required": "Expected a file; found none."}
