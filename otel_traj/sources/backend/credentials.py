"""Who asks: headers from the environment and from the name of a backend, and what of them must never be shown.

`OTEL_TRAJ_TOKEN` is a bearer token; `OTEL_TRAJ_HEADERS` are headers in the form of the specification's
`OTEL_EXPORTER_OTLP_HEADERS` (`key=value,key=value`, values percent-encoded). A user and password in the name come
first, then the token, then the headers: the nearer word counts.
"""

from __future__ import annotations

import base64
import html
import json
import os
import re
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, unquote

from msgspec import Struct

if TYPE_CHECKING:
    from otel_traj.sources.backend.address import Address

__all__ = ["HEADERS_VARIABLE", "TOKEN_VARIABLE", "Credentials", "read_credentials"]

HEADERS_VARIABLE: Final = "OTEL_TRAJ_HEADERS"
"""Environment variable with headers for every request to a backend."""
TOKEN_VARIABLE: Final = "OTEL_TRAJ_TOKEN"  # noqa: S105 - the variable's name
"""Environment variable with a bearer token for every request to a backend."""

_HEADER_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_HEADER_VALUE: Final = re.compile(r"[\t\x20-\x7e]*")
_SHORTEST_SECRET: Final = 4
_HIDDEN: Final = "***"


class Credentials(Struct, frozen=True, kw_only=True):
    """What is sent with every request."""

    headers: dict[str, str] = {}
    """By name in lower case."""
    secrets: tuple[str, ...] = ()
    """What of it no message shows, in every spelling, the longest first."""

    def __repr__(self) -> str:
        """Return the names of the headers alone."""
        return f"Credentials({sorted(self.headers)})"

    def hide(self, text: str) -> str:
        """Return a text in which every secret is `***`: a backend may answer with what it was sent."""
        for secret in self.secrets:
            text = text.replace(secret, _HIDDEN)
        return text

    def hide_in(self, body: bytes) -> bytes:
        """Return an answer in which every secret is `***`.

        Args:
            body: All of it: where it is cut first, the beginning of a secret may be left.
        """
        for secret in self.secrets:
            body = body.replace(secret.encode(), _HIDDEN.encode())
        return body


def read_credentials(address: Address) -> Credentials:
    """Return what the environment and the name of a backend give.

    Args:
        address: The backend.

    Raises:
        SourceError: A variable can't be read; the message does not show it.
    """
    headers = _read_headers(address)
    token = os.environ.get(TOKEN_VARIABLE, "").strip()
    secrets = [*headers.values(), token]
    if token:
        headers["authorization"] = f"Bearer {token}"
    if address.user is not None:
        pair = f"{address.user}:{address.password}"
        encoded = base64.b64encode(pair.encode()).decode()
        headers["authorization"] = f"Basic {encoded}"
        secrets += [address.password, encoded]
    _check(headers, address)
    spellings = {each for secret in secrets if len(secret) >= _SHORTEST_SECRET for each in _spell(secret)}
    # The longest first: a secret may hold another one.
    hidden = sorted(spellings, key=len, reverse=True)
    return Credentials(headers=headers, secrets=tuple(hidden))


def _spell(secret: str) -> set[str]:
    """Return a secret as answers and messages write it: JSON in three fashions, HTML, an address, Python."""
    quoted = json.dumps(secret, ensure_ascii=False)[1:-1]
    of_go = quoted.replace("&", r"\u0026").replace("<", r"\u003c").replace(">", r"\u003e")
    others = {
        html.escape(secret),
        html.escape(secret, quote=False),
        quote(secret, safe=""),
        repr(secret)[1:-1],
    }
    return {secret, quoted, quoted.replace("/", r"\/"), of_go} | others


def _read_headers(address: Address) -> dict[str, str]:
    headers: dict[str, str] = {}
    for number, piece in enumerate(os.environ.get(HEADERS_VARIABLE, "").split(","), 1):
        if not piece.strip():
            continue
        name, separator, value = piece.partition("=")
        if not separator:
            raise address.refuse(
                f"part {number} of {HEADERS_VARIABLE} has no '='; write name=value,name=value"
            )
        headers[unquote(name).strip().lower()] = unquote(value).strip()
    return headers


def _check(headers: dict[str, str], address: Address) -> None:
    for name, value in headers.items():
        if not _HEADER_NAME.fullmatch(name):
            raise address.refuse(f"{name!r} in {HEADERS_VARIABLE} is no name of a header; write name=value")
        if not _HEADER_VALUE.fullmatch(value):
            raise address.refuse(
                f"the value of the header {name!r} has characters that no header may have; look at {HEADERS_VARIABLE} "
                f"and {TOKEN_VARIABLE} for a line break or a letter that is not ASCII"
            )
