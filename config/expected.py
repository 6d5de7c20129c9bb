"""What was expected, and what came: the words in which pages, API and commands tell of the same fault.

`say_so` gives them to Django's own fields and to the parser of the commands, once, before any model or form is made
(config/apps.py); `told` says them of what ninja refuses; `require_…` are for services.
"""

import argparse
import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from django import forms
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core import validators
from django.core.exceptions import ValidationError
from django.core.management.base import CommandParser
from django.db import models
from django.utils.translation import ngettext_lazy

from config.errors import Invalid

Choice = TypeVar("Choice")

NOTHING = "Expected an entry; found nothing."
NO_CHOICES = "Expected at least one choice; found none."
CHOICE = "Expected one of %(choices)s; found “%(value)s”."
MAIL = "Expected an e-mail address, such as ada@example.org; found “%(value)s”."
USER_NAME = "Expected letters, digits and @ . + - _ only; found “%(value)s”."
WHOLE = "Expected a whole number; found “%(value)s”."
NUMBER = "Expected a number; found “%(value)s”."
LEAST = "Expected at least %(limit_value)s; found %(show_value)s."
MOST = "Expected at most %(limit_value)s; found %(show_value)s."
LONGEST = ngettext_lazy(
    "Expected at most %(limit_value)d character; found %(show_value)d.",
    "Expected at most %(limit_value)d characters; found %(show_value)d.",
    "limit_value",
)
NUL = "Expected text; found a null character in it."
EMPTY = "Expected a file with something in it; “%(value)s” is empty."
TIME = "Expected a day and a time; found “%(value)s”."

# What ninja's own words become, by the kind of error.
_TOLD = {
    "missing": NOTHING,
    "extra_forbidden": "Expected nothing under this name; found “%(value)s”.",
    "string_type": "Expected text; found “%(value)s”.",
    "list_type": "Expected a list; found “%(value)s”.",
    "dict_type": "Expected an object; found “%(value)s”.",
    "model_attributes_type": "Expected an object; found “%(value)s”.",
    "timezone_aware": "Expected a day and a time with its zone; found “%(value)s”.",
    **dict.fromkeys(("int_parsing", "int_type", "int_from_float", "int_parsing_size"), WHOLE),
    **dict.fromkeys(("float_parsing", "float_type", "finite_number"), NUMBER),
    **dict.fromkeys(("bool_parsing", "bool_type"), "Expected true or false; found “%(value)s”."),
    **dict.fromkeys(("uuid_parsing", "uuid_type"), "Expected a UUID; found “%(value)s”."),
    **dict.fromkeys(("datetime_type", "datetime_parsing", "datetime_from_date_parsing"), TIME),
    **dict.fromkeys(("literal_error", "enum"), CHOICE),
}


def shown(value: object) -> str:
    """What came, as a message may quote it."""
    text = str(value)
    return "".join(letter if letter.isprintable() else " " for letter in text[:80]) + ("…" if len(text) > 80 else "")


def listed(choices: Iterable[object]) -> str:
    """Choices that are words, by name; those that are numbers of rows, or too many, only as such."""
    values = [value for value in map(str, choices) if value]
    are_words = all(re.fullmatch(r"[A-Za-z][\w.+-]{0,30}", value) for value in values)
    return ", ".join(values) if are_words and 0 < len(values) <= 40 else "the choices"


def one_of(value: object, choices: Iterable[object]) -> str:
    return CHOICE % {"choices": listed(choices), "value": shown(value)}


def no_such(kind: str, name: object, where: str = "in this collection") -> str:
    """Of what is looked for by its name or number."""
    return f"There is no {kind} “{shown(name)}” {where}."


def require_one_of(field: str, value: object, choices: Iterable[Choice]) -> Choice:
    known = list(choices)
    for choice in known:
        if choice == value:
            return choice
    raise Invalid(field, one_of(value, known))


def require_between(field: str, value: float, least: float, most: float) -> None:
    if not value >= least:
        raise Invalid(field, LEAST % {"limit_value": least, "show_value": value})
    if not value <= most:
        raise Invalid(field, MOST % {"limit_value": most, "show_value": value})


def require_mail(field: str, address: str) -> None:
    try:
        validators.validate_email(address)
    except ValidationError as error:
        raise Invalid(field, error.messages[0]) from None


def require_text(field: str, text: str, most: int) -> None:
    """At most so many characters, and none that PostgreSQL cannot store."""
    if len(text) > most:
        raise Invalid(field, str(LONGEST % {"limit_value": most, "show_value": len(text)}))
    if "\0" in text:
        raise Invalid(field, NUL)


def told(error: Mapping[str, Any]) -> str:
    """An error of pydantic in our words."""
    facts, value = error.get("ctx", {}), error.get("input")
    value = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    match error["type"]:
        case "greater_than_equal":
            return LEAST % {"limit_value": facts["ge"], "show_value": value}
        case "less_than_equal":
            return MOST % {"limit_value": facts["le"], "show_value": value}
        case "string_too_long":
            return str(LONGEST % {"limit_value": facts["max_length"], "show_value": len(value)})
        case "too_long":
            return f"Expected at most {facts['max_length']} entries; found {facts['actual_length']}."
    words = _TOLD.get(error["type"], "")
    if not words:
        return str(error["msg"]).removeprefix("Value error, ")
    return words % {"value": shown(value), "choices": listed(re.findall("'([^']*)'", str(facts.get("expected", ""))))}


def say_so() -> None:
    validators.MinValueValidator.message = LEAST
    validators.MaxValueValidator.message = MOST
    validators.MaxLengthValidator.message = LONGEST
    validators.EmailValidator.message = MAIL
    validators.ProhibitNullCharactersValidator.message = NUL
    UnicodeUsernameValidator.message = USER_NAME
    models.Field.default_error_messages |= {"blank": NOTHING, "null": NOTHING, "invalid_choice": CHOICE}
    forms.Field.default_error_messages |= {"required": NOTHING}
    forms.IntegerField.default_error_messages |= {"invalid": WHOLE}
    forms.FloatField.default_error_messages |= {"invalid": NUMBER}
    forms.DateField.default_error_messages |= {"invalid": "Expected a day; found “%(value)s”."}
    forms.DateTimeField.default_error_messages |= {"invalid": TIME}
    forms.ChoiceField.default_error_messages |= {"required": "Expected a choice; found none.", "invalid_choice": CHOICE}
    forms.MultipleChoiceField.default_error_messages |= {
        "required": NO_CHOICES,
        "invalid_choice": CHOICE,
    }
    forms.FileField.default_error_messages |= {"required": "Expected a file; found none."}
    for field in (models.Field, forms.Field):
        if not hasattr(field.clean, "__wrapped__"):
            field.clean = _telling(field.clean)  # type: ignore[method-assign]
    CommandParser._check_value = _check_value  # type: ignore[assignment, method-assign]
    CommandParser._get_value = _get_value  # type: ignore[assignment, method-assign]


def _telling(clean: Callable[..., Any]) -> Callable[..., Any]:
    """Django tells some messages neither what came nor what the choices are."""

    def telling(field: Any, value: Any, *more: Any) -> Any:
        try:
            return clean(field, value, *more)
        except ValidationError as error:
            for one in error.error_list:
                if isinstance(one.message, str) and re.search(r"%\((value|choices)\)s", one.message):
                    choices = getattr(field, "flatchoices", None) or getattr(field, "choices", None) or ()
                    facts = {"value": shown(value), "choices": listed(key for key, _ in choices)}
                    one.params = facts | dict(one.params or {})
            raise

    return telling


def _check_value(parser: CommandParser, action: argparse.Action, value: Any) -> None:
    if action.choices is not None and value not in action.choices:
        raise argparse.ArgumentError(action, one_of(value, action.choices))


def _get_value(parser: CommandParser, action: argparse.Action, text: str) -> Any:
    words = {int: WHOLE, float: NUMBER}.get(action.type)  # type: ignore[call-overload]
    try:
        return argparse.ArgumentParser._get_value(parser, action, text)
    except argparse.ArgumentError:
        if words is None:
            raise
        raise argparse.ArgumentError(action, words % {"value": shown(text)}) from None
