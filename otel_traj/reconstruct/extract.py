"""Runs as the plain dicts that the matching functions, and other people's, take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from otel_traj.model import GraphRunTrajectory
from otel_traj.reconstruct.read import read_runs
from otel_traj.reconstruct.user_warning import warn_user

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from otel_traj.model import AttributeValue, Run, RunStatus
    from otel_traj.sources import OnProblem

__all__ = ["extract_trajectories", "to_trajectory"]


def extract_trajectories(
    source: object,
    *,
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
) -> list[GraphRunTrajectory]:
    """Return one plain trajectory per run of a source, by start.

    A plain trajectory can't say that spans of it are missing, so each incomplete run is named in a
    `UserWarning`: to judge, pass the runs of `read_runs`. A run that failed before any node ran is left out.

    Args:
        source: As for `read_runs`, and so are all the keywords.
        on_problem: See `read_runs`.
        node_order: See `read_runs`.
        wait: See `read_runs`.
        graph: See `read_runs`.
        service: See `read_runs`.
        thread: See `read_runs`.
        run: See `read_runs`.
        trace: See `read_runs`.
        status: See `read_runs`.
        since: See `read_runs`.
        until: See `read_runs`.
        attributes: See `read_runs`.

    Returns:
        Dicts with `inputs` (`{"__start__": input}`), `results` (the final state, `{}` for a run that did not end
        ok) and `steps`; inputs and results are None where content was not recorded.

    Raises:
        SourceError: The source can't be opened.
        TrajectoryTypeError: The source or a keyword is of no type that can be used.
        TrajectoryValueError: A keyword's value is not allowed.
    """
    runs = read_runs(
        source,
        on_problem=on_problem,
        node_order=node_order,
        wait=wait,
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
    trajectories = []
    for each in runs:
        if not each.complete:
            codes = ", ".join(dict.fromkeys(problem.code for problem in each.problems))
            warn_user(f"run {each.run_id!r} is incomplete ({codes}): its steps may not be all that ran")
        if each.steps:
            trajectories.append(to_trajectory(each))
    return trajectories


def to_trajectory(run: Run) -> GraphRunTrajectory:
    """Return a run as a plain trajectory.

    Args:
        run: A run of `read_runs`.

    Returns:
        `inputs`, `results` and `steps`; the steps are the caller's own copy.
    """
    results = run.results if isinstance(run.results, dict) else None
    return GraphRunTrajectory(
        inputs=None if run.inputs is None else {"__start__": run.inputs},
        results=results,
        steps=[list(names) for names in run.steps],
    )
