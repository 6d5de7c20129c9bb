"""The family of errors a user can cause. config/http.py turns each into a page or a JSON answer."""

from collections.abc import Sequence


class Refusal(Exception):
    """What was asked cannot be done, in words for the one who asked. `details` holds facts for programs."""

    status = 422
    code = "invalid"

    def __init__(self, message: str, **details: object) -> None:
        super().__init__(message)
        self.message = message
        self.details = details


class Invalid(Refusal):
    """What stands in one field cannot be taken. Forms show the words at the field, API and commands begin with its name."""

    def __init__(self, field: str, words: str) -> None:
        super().__init__(f"{field}: {words}", fields=[{"where": field, "message": words}])
        self.field, self.words = field, words


class NotSignedIn(Refusal):
    status, code = 401, "not_signed_in"


class Forbidden(Refusal):
    """Not with this role; `links` lead back to where there is something for it."""

    status, code = 403, "forbidden"

    def __init__(self, message: str, *, links: Sequence[tuple[str, str]] = (), **details: object) -> None:
        super().__init__(message, **details)
        self.links = list(links)


class Conflict(Refusal):
    status, code = 409, "conflict"


class Closed(Conflict):
    """Nothing of it changes any more. Its pages show no forms, so the words have a page of their own."""


class Missing(Refusal):
    """It is not there; the words, and the address and name of what is, are for members alone."""

    status, code = 404, "not_found"

    def __init__(self, message: str, *, href: str, label: str, **details: object) -> None:
        super().__init__(message, **details)
        self.links = [(href, label)]


class Gone(Refusal):
    """It was there, and was taken back; the words say why."""

    status, code = 410, "gone"


class TooMany(Refusal):
    """Asked too often; `retry_after` is in seconds."""

    status, code = 429, "too_many"

    def __init__(self, message: str, retry_after: int) -> None:
        super().__init__(message, retry_after=retry_after)
        self.retry_after = retry_after
