"""Traces one by one: whatever a search gave of them, each is asked for by its id, read whole, and let go.

Searches give parts of traces, cut windows out of them, or know a trace before it can be had by its id. A trace that
a search found and that is not there is reported: reading again later may give it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from otel_traj.sources.backend.client import AnswerTooLargeError
from otel_traj.sources.times import format_time

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence

    from otel_traj.model import Span
    from otel_traj.sources.backend.window import Scope
    from otel_traj.sources.problems import ProblemLog

__all__ = ["read_named", "read_searched", "report_limit"]


def read_named(
    trace_ids: Sequence[str], fetch: Callable[[str], Iterator[Span]], log: ProblemLog
) -> Iterator[Span]:
    """Yield the spans of traces that the user named.

    Args:
        trace_ids: In order.
        fetch: Yields the spans of one trace, none where it is not there.
        log: Where is reported what is not there.
    """
    missing = []
    for trace_id in trace_ids:
        is_there = yield from _read(trace_id, fetch, log)
        missing += [] if is_there else [trace_id]
    if missing and len(missing) == len(trace_ids):
        log.report(
            "empty_source",
            f"there is no trace {', '.join(missing[:5])} (yet); there is nothing to rebuild a run from; check the id, and "
            "that the place still keeps traces of that age",
        )
    for trace_id in missing if len(missing) < len(trace_ids) else ():
        log.report(
            "partial_response",
            f"there is no trace {trace_id} (yet), though it was asked for; the others are used; check the id",
            trace_ids=(trace_id,),
        )


def read_searched(
    trace_ids: Sequence[str], fetch: Callable[[str], Iterator[Span]], log: ProblemLog, scope: Scope
) -> Iterator[Span]:
    """Yield the spans of traces that a search found.

    Args:
        trace_ids: In order.
        fetch: Yields the spans of one trace, none where it is not there.
        log: Where is reported what is not there.
        scope: How far was searched, for the words.
    """
    if not trace_ids:
        window = scope.window
        log.report(
            "empty_source",
            f"no trace was found between {_show(window.since_ns)} and {_show(window.until_ns)}; there is "
            "nothing to rebuild a run from; widen the time (?since=1d), and check what else was asked for",
        )
    for trace_id in trace_ids:
        if not (yield from _read(trace_id, fetch, log)):
            log.report(
                "partial_response",
                f"trace {trace_id} was found by a search, and is not there by its id (yet); its runs are missing; read "
                "again later",
                trace_ids=(trace_id,),
            )


def report_limit(log: ProblemLog, scope: Scope) -> None:
    """Report that there may be more traces than were read.

    Args:
        log: Where to.
        scope: How far was searched.
    """
    log.report(
        "limit_reached",
        f"the search ended at its limit of traces ({scope.limit:,}), and there may be more; runs in those are not seen; "
        "raise ?limit=, or ask for less: a shorter time, a graph, a service",
    )


def _read(
    trace_id: str, fetch: Callable[[str], Iterator[Span]], log: ProblemLog
) -> Generator[Span, None, bool]:
    """Yield the spans of one trace; return whether it was there, too large to be read or not."""
    is_there = False
    try:
        for span in fetch(trace_id):
            is_there = True
            yield span
    except AnswerTooLargeError as error:
        log.report("partial_response", f"trace {trace_id} is not read: {error}", trace_ids=(trace_id,))
        return True
    return is_there


def _show(time_ns: int) -> str:
    return format_time(time_ns // 10**9 * 10**9)
