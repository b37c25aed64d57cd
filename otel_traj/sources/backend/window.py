"""Which stretch of time is searched, and at most how many traces: the name's word, the query's, and the defaults.

A name alone reads the newest 20 traces of the last hour. What asks for one run or one thread looks further back: a
person may answer an interrupt days later.
"""

from __future__ import annotations

import time
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from msgspec import Struct

if TYPE_CHECKING:
    from otel_traj.sources.backend.address import Address
    from otel_traj.sources.protocol import SpanQuery

__all__ = ["DEFAULT_LIMIT", "LOOKUP_LIMIT", "Scope", "Window", "describe_defaults", "find_scope"]

DEFAULT_LIMIT: Final = 20
"""Traces that a search gives where no limit is given."""
LOOKUP_LIMIT: Final = 1_000
"""Traces that are looked up for one run or thread where no limit is given."""

_HOUR_NS: Final = 3_600_000_000_000
_LOOKUP_NS: Final = 7 * 24 * _HOUR_NS
# Clocks of two machines differ: what was exported a moment ago may carry a time that is still to come.
_AHEAD_NS: Final = 300_000_000_000
# Spans begin in or after 1970; Jaeger counts in signed nanoseconds, beyond which a question would mean another time.
_LAST_NS: Final = 2**63 - 1


class Window(Struct, frozen=True, kw_only=True):
    """A stretch of time, both ends included, in nanoseconds since the epoch."""

    since_ns: int
    until_ns: int

    def cut(self, longest_ns: int) -> list[Window]:
        """Return it in pieces that are no longer than that, oldest first."""
        ends = [*range(self.until_ns, self.since_ns, -longest_ns), self.since_ns]
        return [
            Window(since_ns=since_ns, until_ns=until_ns) for until_ns, since_ns in reversed([*pairwise(ends)])
        ]

    def split(self) -> tuple[Window, Window]:
        """Return its older and its newer half."""
        middle = (self.since_ns + self.until_ns) // 2
        return (
            Window(since_ns=self.since_ns, until_ns=middle),
            Window(since_ns=middle, until_ns=self.until_ns),
        )


class Scope(Struct, frozen=True, kw_only=True):
    """How far a search goes."""

    window: Window
    limit: int


def find_scope(address: Address, query: SpanQuery) -> Scope:
    """Return how far a search goes.

    Args:
        address: Its `since`, `lookback`, `until` and `limit` hold unless the query completes runs.
        query: Its times narrow those of the name.

    Raises:
        SourceError: A parameter of the name can't be read, or nothing can have begun in the time that is asked for.
    """
    is_lookup = query.completes or query.thread is not None or query.run is not None
    own_since, own_until = (None, None) if query.completes else address.read_times()
    limit = None if query.completes else address.read_limit()
    ends = [end for end in (own_until, query.until_ns) if end is not None]
    until_ns = min(ends) if ends else time.time_ns() + _AHEAD_NS
    beginnings = [beginning for beginning in (own_since, query.since_ns) if beginning is not None]
    back = _LOOKUP_NS if is_lookup else _HOUR_NS + (0 if ends else _AHEAD_NS)
    since_ns = max(*beginnings, 0) if beginnings else max(until_ns - back, 0)
    if since_ns > until_ns:
        raise address.refuse(
            "the time that is asked for ends before it begins (or before 1970), so that there is nothing to read; without "
            "an end it ends now; give a later until, or an earlier since"
        )
    return Scope(
        window=Window(since_ns=min(since_ns, _LAST_NS), until_ns=min(until_ns, _LAST_NS)),
        limit=limit or (LOOKUP_LIMIT if is_lookup else DEFAULT_LIMIT),
    )


def describe_defaults(address: Address, *, all_of: str) -> str:
    """Return in words what is read where a name leaves it open; empty where it says how far, or names traces.

    Args:
        address: The name.
        all_of: What it reads where nothing narrows it, such as "all services".
    """
    if address.parameters.keys() & {"trace", "since", "until", "lookback", "limit"}:
        return ""
    where = "" if address.parameters.keys() & {"service", "query", "operation", "tag"} else f" over {all_of}"
    return (
        f"the newest {DEFAULT_LIMIT} traces of the last hour{where} are read; widen or narrow it with ?since=, ?limit= "
        "and the like, or with the options that select runs"
    )
