"""From a source to runs: the one way in for readers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from otel_traj.errors import TrajectoryTypeError, TrajectoryValueError
from otel_traj.reconstruct.keywords import check_callback, check_names
from otel_traj.reconstruct.lateness import DEFAULT_WAIT_SECONDS, read_until_settled
from otel_traj.reconstruct.reading import Reading
from otel_traj.reconstruct.selection import make_selection
from otel_traj.reconstruct.user_warning import warn_user
from otel_traj.sources import open_source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from otel_traj.model import AttributeValue, Run, RunStatus, SourceProblem
    from otel_traj.reconstruct.selection import Selection
    from otel_traj.sources import OnProblem, Source

__all__ = ["read_candidates", "read_runs"]


def read_runs(
    source: object,
    *,
    unordered: bool = False,
    on_problem: OnProblem | None = None,
    node_order: Iterable[str] | None = None,
    wait: float | None = None,
    graph: str | None = None,
    service: str | None = None,
    thread: str | None = None,
    run: str | None = None,
    trace: str | None = None,
    status: RunStatus | Iterable[RunStatus] | None = None,
    since: str | datetime | None = None,
    until: str | datetime | None = None,
    attributes: Mapping[str, AttributeValue] | None = None,
) -> Iterator[Run]:
    """Rebuild the runs of a source.

    Args:
        source: A file, directory or glob of OTLP JSON, `-` for standard input, `jaeger+http://host:16686` or
            `tempo+http://host:3200` with parameters, an in-memory exporter, or an iterable of spans.
        unordered: Give runs as they come instead of by their start.
        on_problem: Called with each problem of the source itself, such as a line that can't be read; by
            default each is a `UserWarning`. Problems of one run stand in `Run.problems`.
        node_order: Node names as the graph declares them (`list(graph.nodes)`); names inside a superstep then
            stand in this order instead of by name. Fan-out tasks always come first, by index.
        wait: Seconds to go on reading while runs are incomplete; by default 30 where telemetry arrives late
            (Jaeger, Tempo), else 0.
        graph: Only runs of this graph.
        service: Only runs of this `service.name`.
        thread: Only runs of this thread.
        run: Only the run with this callback run id (any invocation's, or a subgraph run's).
        trace: Only runs with a part in this trace.
        status: Only runs of this status or these.
        since: Only runs that started then or later: an RFC 3339 time, or `15m`, `2h`, `7d` back from now.
        until: Only runs that started then or earlier, likewise.
        attributes: Only runs with these attributes, of the resource or of the graph-run span.

    Returns:
        An iterator over top-level runs, by start; subgraph runs are their `children`.

    Raises:
        SourceError: The source can't be opened.
        TrajectoryTypeError: The source or a keyword is of no type that can be used.
        TrajectoryValueError: A keyword's value is not allowed.
    """
    selection = make_selection(
        graph=graph,
        service=service,
        thread=thread,
        run=run,
        trace=trace,
        status=status,
        since=since,
        until=until,
        attributes=attributes,
    )
    runs = read_candidates(
        source, selection, unordered=unordered, on_problem=on_problem, node_order=node_order, wait=wait
    )
    return filter(selection.takes, runs)


def read_candidates(
    source: object,
    selection: Selection,
    *,
    unordered: bool = False,
    on_problem: OnProblem | None = None,
    node_order: Iterable[str] | None = None,
    wait: float | None = None,
    lacks_runs: Callable[[Sequence[Run]], bool] | None = None,
) -> Iterator[Run]:
    """Rebuild the runs that a source gives for a selection: those that it takes, and others beside them.

    Args:
        source: See `read_runs`, and so are the keywords.
        selection: What the source is asked for, as far as it can select.
        unordered: See `read_runs`.
        on_problem: See `read_runs`.
        node_order: See `read_runs`.
        wait: See `read_runs`.
        lacks_runs: The source is then to give all runs of each thread of which it gives one, and late ones are
            waited for while this says that a thread lacks some.

    Returns:
        An iterator over top-level runs, by start.

    Raises:
        SourceError: The source can't be opened.
        TrajectoryTypeError: The source or a keyword is of no type that can be used.
        TrajectoryValueError: A keyword's value is not allowed.
    """
    check_callback("on_problem", on_problem)
    _check_wait(wait)
    order = {name: place for place, name in enumerate(check_names("node_order", node_order))}
    opened = open_source(source)
    query, report = selection.to_query(), on_problem or _warn

    def begin(on_problem: OnProblem) -> Reading:
        whole = lacks_runs is not None
        return Reading(opened, query, on_problem, node_order=order, whole_threads=whole)

    return _read(opened, begin, report, wait=wait, unordered=unordered, lacks_runs=lacks_runs)


def _read(
    source: Source,
    begin: Callable[[OnProblem], Reading],
    on_problem: OnProblem,
    *,
    wait: float | None,
    unordered: bool,
    lacks_runs: Callable[[Sequence[Run]], bool] | None,
) -> Iterator[Run]:
    able = source.capabilities
    seconds = (DEFAULT_WAIT_SECONDS if able.lags else 0.0) if wait is None else wait
    if seconds > 0 and able.rereads:
        runs: Iterable[Run] = read_until_settled(begin, on_problem, seconds=seconds, lacks_runs=lacks_runs)
    else:
        runs = begin(on_problem).read()
    if not unordered:
        runs = sorted(runs, key=lambda run: (run.started_ns, run.run_id, run.trace_ids))
    yield from runs


def _check_wait(wait: object) -> None:
    if wait is None:
        return
    if isinstance(wait, bool) or not isinstance(wait, int | float):
        raise TrajectoryTypeError(
            f"wait is a {type(wait).__name__}; it is a number of seconds. Pass 0 to read once."
        )
    if not 0 <= wait < math.inf:
        raise TrajectoryValueError(f"wait is {wait}, which is no time to wait. Pass seconds from 0.")


def _warn(problem: SourceProblem) -> None:
    """Issue a `UserWarning` with where the problem is and what it says."""
    place = problem.source if problem.line is None else f"{problem.source}:{problem.line}"
    warn_user(f"{place}: {problem.message}")
