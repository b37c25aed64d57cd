"""The name of a backend (`jaeger+http://host:16686/base?service=shop`) to where it is and what of it is read.

A parameter that nobody knows is refused: ignored, it would quietly read something else than was asked for. A `+`
stands for itself and not for a blank, because times have it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from urllib.parse import SplitResult, unquote, urlsplit

from msgspec import Struct

from otel_traj.errors import SourceError, TrajectoryValueError
from otel_traj.sources.times import parse_duration, parse_time

if TYPE_CHECKING:
    from collections.abc import Collection

__all__ = ["MAX_LIMIT", "Address", "hide_user", "parse_address"]

MAX_LIMIT: Final = 100_000
"""More traces than this are not read at once."""

_AT: Final = re.compile("@|%40")
_PASSWORD: Final = re.compile(r".*:.*(?:@|%40)", re.DOTALL)
_NO_PORT: Final = re.compile(r"(\[[^\]]*\]|[^:/?#\[]*):(?![0-9]*(?:[/?#]|\Z)).*", re.DOTALL)
_HTTP: Final = re.compile(r"https?://", re.IGNORECASE)
_WORD: Final = re.compile(r"[A-Za-z][A-Za-z_.-]*")
_TRUE: Final = frozenset({"1", "true", "yes"})
_FALSE: Final = frozenset({"0", "false", "no"})


class Address(Struct, frozen=True, kw_only=True):
    """Where a backend is, and what of it is read."""

    name: str
    """As the user wrote it, without user and password."""
    url: str
    """Scheme, host, port and base path, without a slash at the end."""
    user: str | None = None
    password: str = ""
    parameters: dict[str, tuple[str, ...]] = {}

    def __repr__(self) -> str:
        """Return the name alone: a password stands in no traceback."""
        return f"Address({self.name!r})"

    def get(self, key: str) -> str | None:
        """Return the one value of a parameter, or None where it is not given."""
        values = self.parameters.get(key)
        return values[0] if values else None

    def get_all(self, key: str) -> tuple[str, ...]:
        """Return all values of a parameter that may be given several times."""
        return self.parameters.get(key, ())

    def read_limit(self) -> int | None:
        """Return how many traces are read at most, or None where that is not given.

        Raises:
            SourceError: It is no number that can be used.
        """
        text = self.get("limit")
        if text is None:
            return None
        if not (text.isascii() and text.isdecimal()) or not 1 <= int(text[:9]) <= MAX_LIMIT or len(text) > 9:
            raise self.refuse(f"limit={text!r} is no number of traces; give one from 1 to {MAX_LIMIT}")
        return int(text)

    def read_flag(self, key: str) -> bool:
        """Return whether a parameter that is true or false is true; it is not where it is not given.

        Raises:
            SourceError: It is neither.
        """
        text = (self.get(key) or "false").lower()
        if text not in _TRUE | _FALSE:
            raise self.refuse(f"{key}={text!r} is neither true nor false; give one of the two")
        return text in _TRUE

    def read_times(self) -> tuple[int | None, int | None]:
        """Return the bounds `since` (or `lookback`) and `until` in nanoseconds, each None where not given.

        Raises:
            SourceError: One of them can't be read, or both beginnings are given.
        """
        since, until, lookback = (self.get(key) for key in ("since", "until", "lookback"))
        if since is not None and lookback is not None:
            raise self.refuse("since and lookback both say where to begin; give one of them")
        try:
            until_ns = None if until is None else parse_time(until)
            if lookback is not None:
                end = parse_time("0s") if until_ns is None else until_ns
                since_ns: int | None = end - parse_duration(lookback)
            else:
                since_ns = None if since is None else parse_time(since)
        except TrajectoryValueError as error:
            raise self.refuse(str(error)) from error
        return since_ns, until_ns

    def refuse(self, reason: str) -> SourceError:
        """Return the error that says what is wrong with the name.

        Args:
            reason: What was found, and what to do.
        """
        return SourceError(f"{self.name!r} can't be read: {reason}", source=self.name)


def parse_address(name: str, *, allowed: Collection[str], repeatable: Collection[str] = ()) -> Address:
    """Return what a name says.

    Args:
        name: Such as `jaeger+https://user:password@host:16686/base?limit=50`.
        allowed: The parameters that it may have.
        repeatable: Those of them that may be given several times.

    Raises:
        SourceError: It can't be read; a password in it is not shown.
    """
    shown = hide_user(name, allowed)
    if _is_user_cut(name, allowed):
        raise SourceError(
            f"{shown!r} can't be read: an '@' stands behind a '/', '?' or '#', which ends a user and password; write %2F, "
            "%3F and %23 for these in a password, and %40 for an '@' elsewhere",
            source=shown,
        )
    try:
        split = urlsplit(name)
        host, port = split.hostname, split.port
    except ValueError:
        # What the library says may quote a part of a password that holds a colon or a slash.
        raise SourceError(
            f"{shown!r} is no address (its host or port can't be read); nothing can be asked there; write "
            "scheme+http://host:port, with %2F and the like for signs in a password",
            source=shown,
        ) from None
    address = Address(
        name=shown,
        url=_make_url(split, host, port),
        user=None if split.username is None else unquote(split.username),
        password=unquote(split.password or ""),
    )
    if not _is_text(name):
        raise address.refuse("it holds bytes that are no UTF-8; write them as %FF and the like")
    if not host:
        raise address.refuse("it names no host; write scheme+http://host:port")
    if host in {"http", "https"} and split.path.startswith("//"):
        raise address.refuse(
            f"'{host}:' stands where the host should; write {_drop_scheme(name, host, allowed)}"
        )
    if split.fragment:
        raise address.refuse("it holds a '#', which ends an address; write %23 where a value has one")
    parameters = _split_parameters(split.query, address, allowed, repeatable)
    return Address(
        name=shown, url=address.url, user=address.user, password=address.password, parameters=parameters
    )


def _is_text(name: str) -> bool:
    """Return whether a name has bytes to be sent; what the command line can't decode comes as lone surrogates."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _drop_scheme(name: str, second: str, allowed: Collection[str]) -> str:
    """Return a name that has two schemes with the second one only: an address was pasted behind the first."""
    first, _, pasted = name.partition("://")
    return f"{first.partition('+')[0]}+{second}://{hide_user(pasted, allowed).partition('://')[2]}"


def _make_url(split: SplitResult, host: str | None, port: int | None) -> str:
    scheme = split.scheme.partition("+")[2]
    literal = f"[{host}]" if host and ":" in host else host or ""
    place = literal if port is None else f"{literal}:{port}"
    return f"{scheme}://{place}{split.path.rstrip('/')}"


def hide_user(name: str, parameters: Collection[str] = ()) -> str:
    """Return a name without what may be a user and password, however broken it is.

    A password may hold signs that end it, or the `@` behind it may have been escaped with it: whatever stands before the
    last `@` is hidden, but for the values of parameters. Without an `@`, what stands where the port should is. An address
    whose scheme is misspelt looks like the name of a file: there, a colon before an `@` makes a password.

    Args:
        name: Whatever was given.
        parameters: Those that the name may have.
    """
    scheme, separator, rest = name.partition("://")
    if not separator:
        return _PASSWORD.sub("***@", name, count=1)
    ends = [match.end() for match in _AT.finditer(_blank_values(rest, parameters))]
    shown = _NO_PORT.sub(r"\1:***", rest[ends[-1] if ends else 0 :])
    return f"{scheme}{separator}{shown}"


def _is_user_cut(name: str, parameters: Collection[str]) -> bool:
    """Return whether a user and password, or what looks like it, holds a sign that ends it."""
    # An address that was pasted behind the scheme is told as what it is.
    pasted = _HTTP.sub("", name.partition("://")[2])
    rest = _blank_values(pasted, parameters)
    return any(mark in rest[: rest.rfind("@") + 1] for mark in "/?#")


def _blank_values(rest: str, parameters: Collection[str]) -> str:
    """Return a text of the same length in which the values of parameters hold no signs."""
    if not parameters:
        return rest
    value = re.compile(rf"[?&](?:{'|'.join(map(re.escape, parameters))})=[^&#]*")
    return value.sub(lambda match: " " * len(match[0]), rest)


def _split_parameters(
    query: str, address: Address, allowed: Collection[str], repeatable: Collection[str]
) -> dict[str, tuple[str, ...]]:
    parameters: dict[str, tuple[str, ...]] = {}
    for piece in query.split("&"):
        key, _, value = (unquote(part) for part in piece.partition("="))
        if not piece:
            continue
        if key not in allowed:
            known = ", ".join(sorted(allowed))
            # What is no word may be a part of a password.
            which = repr(key[:40]) if _WORD.fullmatch(key) else "of such a name"
            raise address.refuse(
                f"it has no parameter {which}; there are {known} (a & inside a value is written %26)"
            )
        if not value:
            raise address.refuse(f"the parameter {key!r} is empty; give it a value, or leave it out")
        if key in parameters and key not in repeatable:
            raise address.refuse(f"the parameter {key!r} is given twice; give it once")
        parameters[key] = (*parameters.get(key, ()), value)
    return parameters
