"""Traces of a stretch of time by an API without a cursor: halve the time until each answer is whole, newest first.

Backends cut what they answer at a limit and don't say so; an answer that is exactly as long as the limit may be cut.
Several traces can begin at once, so a stretch of time is halved only down to a second.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Callable

    from otel_traj.sources.backend.window import Scope, Window

__all__ = ["PAGE", "Found", "Page", "find_newest"]

PAGE: Final = 200
"""Traces that are asked for at once, at most."""

_SHORTEST_NS: Final = 2_000_000_000
_MAX_QUESTIONS: Final = 2_000


class Found(Struct, frozen=True, kw_only=True):
    """A trace that a search found."""

    trace_id: str
    """32 lower-case hex digits."""
    start_ns: int = 0
    """When the trace, or what of it was found, began."""
    span_count: int = 0
    """How many spans the place says that the whole trace has; 0 where it does not say."""


class Page(Struct, frozen=True, kw_only=True):
    """The answer to one question."""

    found: tuple[Found, ...]
    is_full: bool
    """There may be more in this stretch of time."""


def find_newest(
    ask: Callable[[Window, int], Page], scope: Scope, *, longest_ns: int | None = None
) -> tuple[list[Found], bool]:
    """Return the newest traces of a stretch of time.

    Args:
        ask: Searches a stretch of time for so many traces, the newest first as far as the place can.
        scope: The time and the limit.
        longest_ns: The longest stretch of time that can be searched at once.

    Returns:
        Traces, newest first, each once, no more than the limit; and whether there may be more.
    """
    waiting = [scope.window] if longest_ns is None else scope.window.cut(longest_ns)
    newest: dict[str, Found] = {}
    is_cut = False
    questions = 0
    while waiting and len(newest) < scope.limit and questions < _MAX_QUESTIONS:
        window = waiting.pop()
        size = min(scope.limit, PAGE)
        page = ask(window, size)
        questions += 1
        enough = len(page.found) >= scope.limit
        if page.is_full and not enough and window.until_ns - window.since_ns > _SHORTEST_NS:
            waiting.extend(window.split())
            continue
        is_cut = is_cut or page.is_full
        for found in page.found:
            newest.setdefault(found.trace_id, found)
    ordered = sorted(newest.values(), key=lambda found: (-found.start_ns, found.trace_id))
    return ordered[: scope.limit], is_cut or bool(waiting) or len(ordered) > scope.limit
