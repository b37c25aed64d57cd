"""The name of a backend (`jaeger+http://host:16686/base?service=shop`) to where it is and what of it is read.

A parameter that nobody knows is refused: ignored, it would quietly read something else than was asked for. A `+`
stands for itself and not for a blank, because times have it.
"""

from __future__ import annotations

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
        if since_ns is not None and until_ns is not None and since_ns >= until_ns:
            raise self.refuse(
                "it ends before it begins, so that there is nothing to read; give a later until"
            )
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
    try:
        split = urlsplit(name)
        host, port = split.hostname, split.port
    except ValueError:
        shown = hide_user(name)
        # What the library says may quote a part of a password that holds a colon or a slash.
        raise SourceError(
            f"{shown!r} is no address (its host or port can't be read); nothing can be asked there; write "
            "scheme+http://host:port, with %2F and the like for signs in a password",
            source=shown,
        ) from None
    shown = hide_user(name)
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
        raise address.refuse(f"'{host}:' stands where the host should; write {_drop_scheme(name, host)}")
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


def _drop_scheme(name: str, second: str) -> str:
    """Return a name that has two schemes with the second one only: an address was pasted behind the first."""
    first, _, pasted = name.partition("://")
    return f"{first.partition('+')[0]}+{second}://{hide_user(pasted).partition('://')[2]}"


def _make_url(split: SplitResult, host: str | None, port: int | None) -> str:
    scheme = split.scheme.partition("+")[2]
    literal = f"[{host}]" if host and ":" in host else host or ""
    place = literal if port is None else f"{literal}:{port}"
    return f"{scheme}://{place}{split.path.rstrip('/')}"


def hide_user(name: str) -> str:
    """Return a name without what stands before the `@` of its host, however broken the rest of it is.

    Args:
        name: Scheme, `://` and the rest.
    """
    scheme, separator, rest = name.partition("://")
    end = min((place for mark in "/?#" if (place := rest.find(mark)) >= 0), default=len(rest))
    # A password may hold a slash that nobody escaped: then the last @ before the parameters counts.
    query = min((place for mark in "?#" if (place := rest.find(mark)) >= 0), default=len(rest))
    before = rest[:query] if "@" in rest[:query] and "@" not in rest[:end] else rest[:end]
    at = before.rfind("@")
    return f"{scheme}{separator}{rest[at + 1 :]}"


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
            raise address.refuse(
                f"it has no parameter {key[:40]!r}; there are {known} (a & inside a value is written %26)"
            )
        if not value:
            raise address.refuse(f"the parameter {key!r} is empty; give it a value, or leave it out")
        if key in parameters and key not in repeatable:
            raise address.refuse(f"the parameter {key!r} is given twice; give it once")
        parameters[key] = (*parameters.get(key, ()), value)
    return parameters
