"""Uploads: how large a request with files may be. Asked before a byte of it is read, and again while it is."""

from __future__ import annotations

from typing import IO, Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler
from django.core.handlers.wsgi import LimitedStream
from django.http.multipartparser import MultiPartParserError


class UploadTooLarge(RequestDataTooBig):
    """Its words are for people."""


def _refusal(size: int) -> UploadTooLarge:
    most = f"at most {settings.UPLOAD_MB:,} MB may be sent at once"
    return UploadTooLarge(f"The upload has {size / 1e6:,.0f} MB; {most}. A gzipped file is smaller.")


class UploadLimit(FileUploadHandler):
    """The first of the handlers: lets everything through, until it is too much."""

    def handle_raw_input(
        self, input_data: IO[bytes], META: dict[str, str], content_length: int, boundary: str, encoding: str | None = None
    ) -> None:
        self.seen, self.input, self.expected = 0, input_data, content_length
        if content_length > settings.UPLOAD_MB * 1_000_000:
            raise _refusal(content_length)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        self.seen += len(raw_data)
        if self.seen > settings.UPLOAD_MB * 1_000_000:
            raise _refusal(self.seen)
        return raw_data

    def file_complete(self, file_size: int) -> UploadedFile[Any] | None:
        return None

    def upload_complete(self) -> None:
        """Refuses what was cut off on the way: Django takes what came for the whole, and half a run may look like one."""
        stream = getattr(self.input, "_stream", None)
        came: int = getattr(stream, "_pos", self.expected)
        if isinstance(stream, LimitedStream) and came < self.expected:
            raise MultiPartParserError(f"The upload was cut off: {came:,} of {self.expected:,} bytes came. Send it again.")

    def upload_interrupted(self) -> Any:
        self.seen = 0
