"""Traces one by one: whatever a search gave of them, each is asked for by its id, read whole, and let go.

Searches give parts of traces, cut windows out of them, or know a trace before it can be had by its id. A trace that
a search found and that is not there is reported, and so is one that has fewer spans than the search said: reading
again later may give them. More spans are no problem, for a trace may have grown in between.

A trace for which the place answers with an error costs only itself, unless it is so with all of them: then the place
is broken, or not what it was taken for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from otel_traj.sources.backend.client import AnswerTooLargeError, UnusableAnswerError
from otel_traj.sources.times import format_time

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping, Sequence

    from otel_traj.model import Span
    from otel_traj.sources.backend.paging import Found
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

    Raises:
        SourceError: The place does not answer, or with an error for each trace.
    """
    missing = []
    refused: dict[str, UnusableAnswerError] = {}
    for trace_id in trace_ids:
        count = yield from _read(trace_id, fetch, log, refused)
        if not count and trace_id not in log.named_traces and trace_id not in refused:
            missing.append(trace_id)
    _report_refused(refused, len(set(trace_ids)), log)
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
    found: Sequence[Found], fetch: Callable[[str], Iterator[Span]], log: ProblemLog, scope: Scope
) -> Iterator[Span]:
    """Yield the spans of traces that a search found.

    Args:
        found: In order.
        fetch: Yields the spans of one trace, none where it is not there.
        log: Where is reported what is not there.
        scope: How far was searched, for the words.

    Raises:
        SourceError: The place does not answer, or with an error for each trace.
    """
    refused: dict[str, UnusableAnswerError] = {}
    if not found:
        window = scope.window
        log.report(
            "empty_source",
            f"no trace was found between {_show(window.since_ns)} and {_show(window.until_ns)}; there is "
            "nothing to rebuild a run from; widen the time (?since=1d), and check what else was asked for",
        )
    for trace in found:
        unusable_before = log.count("bad_span")
        count = yield from _read(trace.trace_id, fetch, log, refused)
        # What came and can't be used is said already.
        came = count + log.count("bad_span") - unusable_before
        if trace.trace_id in log.named_traces or trace.trace_id in refused:
            continue
        if not count:
            log.report(
                "partial_response",
                f"trace {trace.trace_id} was found by a search, and is not there by its id (yet); its runs are missing; "
                "read again later",
                trace_ids=(trace.trace_id,),
            )
        elif came < trace.span_count:
            log.report(
                "partial_response",
                f"the search says that trace {trace.trace_id} has {trace.span_count:,} spans, and {came:,} came by its id; "
                "its runs can't be judged without the others; read again later",
                trace_ids=(trace.trace_id,),
            )
    _report_refused(refused, len(found), log)


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
    trace_id: str,
    fetch: Callable[[str], Iterator[Span]],
    log: ProblemLog,
    refused: dict[str, UnusableAnswerError],
) -> Generator[Span, None, int]:
    """Yield the spans of one trace; return how many were its own, and report or note what else is said of it."""
    count = 0
    has_strangers = False
    try:
        for span in fetch(trace_id):
            is_own = span.trace_id == trace_id
            count += is_own
            has_strangers = has_strangers or not is_own
            yield span
    except AnswerTooLargeError as error:
        log.report("partial_response", f"trace {trace_id} is not read: {error}", trace_ids=(trace_id,))
    except UnusableAnswerError as error:
        refused[trace_id] = error
    if has_strangers and not count:
        log.report(
            "partial_response",
            f"trace {trace_id} was asked for by its id, and only spans of other traces came; its runs are missing; look at "
            "what stands between here and the place that keeps them",
            trace_ids=(trace_id,),
        )
    return count


def _report_refused(refused: Mapping[str, UnusableAnswerError], asked: int, log: ProblemLog) -> None:
    """Report traces for which an error was answered; raise it where nothing else was answered at all."""
    for trace_id, error in refused.items():
        if len(refused) == asked:
            raise error
        log.report(
            "partial_response",
            f"trace {trace_id} is not read, the others are used: {error}",
            trace_ids=(trace_id,),
        )


def _show(time_ns: int) -> str:
    return format_time(time_ns // 10**9 * 10**9)
