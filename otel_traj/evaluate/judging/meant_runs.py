"""Which runs of a source a selection means, among all that the source gave.

The selection is applied here and not by the reader, because an exit code depends on whether the source holds any
run at all, and a hint on which graphs it holds. A run that lost its graph-run span may be meant by what only that
span says (graph, status, attributes): to leave it out would be to pass what could not be seen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import structs

from otel_traj.reconstruct.read import read_candidates

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from otel_traj.model import Run
    from otel_traj.reconstruct.selection import Selection
    from otel_traj.sources import OnProblem

__all__ = ["read_meant"]


def read_meant(
    source: object,
    selection: Selection,
    *,
    on_problem: OnProblem,
    wait: float | None,
    lacks_runs: Callable[[Sequence[Run]], bool] | None = None,
) -> tuple[list[Run], list[Run]]:
    """Read a source once.

    Args:
        source: Whatever `read_runs` takes.
        selection: Which runs are asked for.
        on_problem: Called with each problem of the source.
        wait: As in `read_runs`.
        lacks_runs: Where threads are judged: whether one lacks runs, which may be late. Their other runs are then
            read too.

    Returns:
        All runs that the source gave, and those of them that are meant; both by start.

    Raises:
        SourceError: The source can't be opened.
        TrajectoryTypeError: The source is of no type that can be read.
        TrajectoryValueError: `wait` is no time to wait.
    """
    # A place that is asked for a graph does not give a run that lost the span which names it.
    asked_for = structs.replace(selection, graph=None, attributes={})
    runs = list(read_candidates(source, asked_for, on_problem=on_problem, wait=wait, lacks_runs=lacks_runs))
    return runs, [run for run in runs if selection.takes(run) or _may_be_meant(run, selection)]


def _may_be_meant(run: Run, selection: Selection) -> bool:
    """Return whether only what nobody knows of a run, its graph, status and attributes, leaves it unselected."""
    is_root_lost = run.graph is None or run.parent_task_id is not None
    return is_root_lost and structs.replace(selection, graph=None, status=None, attributes={}).takes(run)
