"""Which runs a reader asked for: the same keywords on every reading function and command."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING, get_args

from msgspec import Struct

from otel_traj.errors import TrajectoryValueError
from otel_traj.model import AttributeValue, Run, RunStatus
from otel_traj.reconstruct.keywords import check_mapping, check_names, check_texts
from otel_traj.sources import SpanQuery
from otel_traj.sources.times import parse_time

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["Selection", "make_selection"]

_STATUSES: tuple[RunStatus, ...] = get_args(RunStatus)
_TRACE_DIGITS = 32


class Selection(Struct, frozen=True, kw_only=True):
    """A choice of runs; what is None chooses all."""

    graph: str | None = None
    service: str | None = None
    thread: str | None = None
    run: str | None = None
    trace: str | None = None
    status: frozenset[RunStatus] | None = None
    since_ns: int | None = None
    until_ns: int | None = None
    attributes: dict[str, AttributeValue] = {}

    def takes(self, run: Run) -> bool:
        """Return whether a run meets all that was asked for."""
        return (
            self.graph in (None, run.graph)
            and self.service in (None, run.service)
            and self.thread in (None, run.thread_id)
            and (self.status is None or run.status in self.status)
            and (self.since_ns is None or run.started_ns >= self.since_ns)
            and (self.until_ns is None or run.started_ns <= self.until_ns)
            and (self.run is None or self.run in _list_run_ids(run))
            and (self.trace is None or self.trace in run.trace_ids)
            and all(_is_equal(run.attributes.get(key), value) for key, value in self.attributes.items())
        )

    def to_query(self) -> SpanQuery:
        """Return what a place is asked for, so that no run which this takes is missing from its answer.

        A run begins with one of its spans, so that times hold for spans as well. How a run ended no single span of it
        says: that is not asked for.
        """
        return SpanQuery(
            graph=self.graph,
            service=self.service,
            thread=self.thread,
            run=self.run,
            traces=() if self.trace is None else (self.trace,),
            since_ns=self.since_ns,
            until_ns=self.until_ns,
            attributes=self.attributes,
        )


def make_selection(
    *,
    graph: str | None = None,
    service: str | None = None,
    thread: str | None = None,
    run: str | None = None,
    trace: str | None = None,
    status: RunStatus | Iterable[RunStatus] | None = None,
    since: str | datetime | None = None,
    until: str | datetime | None = None,
    attributes: Mapping[str, AttributeValue] | None = None,
) -> Selection:
    """Return a checked selection.

    Args:
        graph: Name of the graph.
        service: `service.name` of the resource.
        thread: Thread id.
        run: Callback run id of any invocation of the run, or of a subgraph run below it.
        trace: Trace id in hex; dashes, `0x`, upper case and lost leading zeros are put right.
        status: One status or several.
        since: Earliest start: an RFC 3339 time, `15m`, `2h`, `7d` back from now, or an aware datetime.
        until: Latest start, likewise.
        attributes: Attributes of the resource or of the graph-run span; a text matches a number or bool by its
            written form.

    Raises:
        TrajectoryTypeError: A keyword is of a wrong type.
        TrajectoryValueError: A status, time or trace id is not one; the message lists what is allowed. Or the latest
            start is before the earliest.
    """
    check_texts({"graph": graph, "service": service, "thread": thread, "run": run, "trace": trace})
    since_ns, until_ns = _parse_bounds(since, until)
    return Selection(
        graph=graph,
        service=service,
        thread=thread,
        run=run.lower() if run is not None else None,
        trace=_normalise_trace_id(trace) if trace is not None else None,
        status=_check_statuses(status) if status is not None else None,
        since_ns=since_ns,
        until_ns=until_ns,
        attributes=check_mapping("attributes", attributes),
    )


def _parse_bounds(
    since: str | datetime | None, until: str | datetime | None
) -> tuple[int | None, int | None]:
    since_ns, until_ns = _parse_bound("since", since), _parse_bound("until", until)
    if since_ns is not None and until_ns is not None and since_ns > until_ns:
        raise TrajectoryValueError(
            f"since={str(since)!r} is after until={str(until)!r}; no run starts between them. Give a later until, or an "
            "earlier since."
        )
    return since_ns, until_ns


def _parse_bound(name: str, value: str | datetime | None) -> int | None:
    if not isinstance(value, datetime):
        check_texts({name: value})
    return None if value is None else parse_time(value)


def _check_statuses(status: RunStatus | Iterable[RunStatus]) -> frozenset[RunStatus]:
    asked = {status} if isinstance(status, str) else set(check_names("status", status))
    unknown = sorted(asked - set(_STATUSES))
    if unknown or not asked:
        found = (
            f"{unknown[0]!r} is no status of a run" if unknown else "an empty list of statuses meets no run"
        )
        raise TrajectoryValueError(f"{found}. Use one or more of {', '.join(_STATUSES)}.")
    return frozenset(known for known in _STATUSES if known in asked)


def _normalise_trace_id(text: str) -> str:
    digits = text.strip().lower().removeprefix("0x").replace("-", "")
    if not re.fullmatch(r"[0-9a-f]{1,32}", digits):
        message = f"{text!r} is no trace id: it must be up to {_TRACE_DIGITS} hex digits."
        raise TrajectoryValueError(message)
    return digits.zfill(_TRACE_DIGITS)


def _list_run_ids(run: Run) -> set[str]:
    ids = {run.run_id, *(invocation.run_id for invocation in run.invocations)}
    return {run_id.lower() for run_id in ids}.union(*(_list_run_ids(child) for child in run.children))


def _is_equal(there: AttributeValue, asked: AttributeValue) -> bool:
    if there == asked:
        # To Python `True` is 1; no backend that is asked for either finds the other.
        return there is not None and isinstance(there, bool) == isinstance(asked, bool)
    if not isinstance(asked, str) or isinstance(there, list | dict | bytes) or there is None:
        return False
    return str(there).lower() == asked.lower() if isinstance(there, bool) else str(there) == asked
