"""From a source to runs: the one way in for readers."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from otel_traj.reconstruct.gather import gather_facts
from otel_traj.reconstruct.keywords import check_callback, check_names
from otel_traj.reconstruct.lost_threads import doubt_without_threads
from otel_traj.reconstruct.parts import split_parts
from otel_traj.reconstruct.recordings import keep_one_recording
from otel_traj.reconstruct.runs import RunBuilder
from otel_traj.reconstruct.selection import make_selection
from otel_traj.reconstruct.threads import join_parts
from otel_traj.sources import open_source

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import datetime

    from otel_traj.model import AttributeValue, Run, RunStatus, SourceProblem
    from otel_traj.reconstruct.selection import Selection
    from otel_traj.sources import OnProblem, Source

__all__ = ["read_runs", "warn_of_problem"]


def read_runs(
    source: object,
    *,
    unordered: bool = False,
    on_problem: OnProblem | None = None,
    node_order: Iterable[str] | None = None,
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
        source: A file, directory or glob of OTLP JSON, `-` for standard input, an in-memory exporter, or an
            iterable of spans.
        unordered: Give runs as they come instead of by their start.
        on_problem: Called with each problem of the source itself, such as a line that can't be read; by
            default each is a `UserWarning`. Problems of one run stand in `Run.problems`.
        node_order: Node names as the graph declares them (`list(graph.nodes)`); names inside a superstep then
            stand in this order instead of by name. Fan-out tasks always come first, by index.
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
    check_callback("on_problem", on_problem)
    order = {name: place for place, name in enumerate(check_names("node_order", node_order))}
    opened = open_source(source)
    return _read(opened, selection, on_problem or warn_of_problem, order, unordered=unordered)


def _read(
    source: Source,
    selection: Selection,
    on_problem: OnProblem,
    node_order: Mapping[str, int],
    *,
    unordered: bool,
) -> Iterator[Run]:
    facts = gather_facts(source.read_spans(on_problem))
    builder = RunBuilder(conflicts=facts.conflicts, node_order=node_order, source=source.name)
    runs: Iterable[Run] = (
        builder.build(chain)
        for chain in doubt_without_threads(join_parts(keep_one_recording(split_parts(facts))))
    )
    if not unordered:
        runs = sorted(runs, key=lambda run: (run.started_ns, run.run_id))
    yield from filter(selection.takes, runs)


def warn_of_problem(problem: SourceProblem) -> None:
    """Issue a `UserWarning` with where the problem is and what it says."""
    place = problem.source if problem.line is None else f"{problem.source}:{problem.line}"
    warnings.warn(f"{place}: {problem.message}", UserWarning, stacklevel=2)
