"""An answer of a backend, and what it says in words where it is none of what was asked for."""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec import Struct

__all__ = ["Answer", "describe_error"]

_SAID: Final = 200


class Answer(Struct, frozen=True, kw_only=True):
    """Status and body of one answer, whole."""

    status: int
    body: bytes
    content_type: str = ""

    @property
    def is_page(self) -> bool:
        """Whether it is a page for people: a server that does not know a path may answer so with status 200."""
        return self.body[:_SAID].lstrip().startswith(b"<")

    @property
    def is_route_missing(self) -> bool:
        """Whether there is nothing at this path, as against nothing of that id.

        A router that knows no such path says `404 page not found` or 405, or shows its page; an API that knows the
        path and finds nothing says so as JSON (seen with Jaeger v1.76.0 and a later one).
        """
        return self.is_page or self.status in (405, 501) or (self.status == 404 and not self.read_error())

    def read_error(self) -> str:
        """Return what a JSON answer says went wrong; empty where it does not say."""
        try:
            document = msgspec.json.decode(self.body)
        except (msgspec.MsgspecError, RecursionError):
            return ""
        return _read_error(document)

    def describe(self) -> str:
        """Return in a few words what was answered."""
        if self.is_page:
            return f"{self.status} and an HTML page"
        said = self.read_error() or self.body[: 4 * _SAID].decode("utf-8", "replace")
        line = " ".join(said.split())[:_SAID]
        return f"{self.status} and {line!r}" if line else f"{self.status} and nothing"


def describe_error(error: object) -> str:
    """Return in words what went wrong beside what an answer gives; empty where nothing did.

    Args:
        error: What stands under its `error` or `errors`.
    """
    if not error:
        return ""
    return (_read_error({"error": error, "errors": error}) or str(error))[:_SAID]


def _read_error(document: object) -> str:
    if not isinstance(document, dict):
        return ""
    errors = document.get("errors")
    for found in (document.get("error"), *(errors if isinstance(errors, list) else ()), document):
        for key in ("message", "msg"):
            if isinstance(found, dict) and isinstance(found.get(key), str):
                return str(found[key])
        if isinstance(found, str):
            return found
    return ""
