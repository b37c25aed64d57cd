"""The checkpoint from which a superstep of a run began, so that it can be run again or looked at.

A snapshot of a thread's history lists the tasks of the superstep that follows it, with LangGraph's own task ids; the
spans of those tasks carry the same ids. So the snapshot is found by identity, whatever else happened on the thread:
other runs, time travel, branches (langgraph 0.6 and newer). The graph is duck-typed, as for every history.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from otel_traj import semconv as sc
from otel_traj.errors import HistoryError, TrajectoryTypeError, TrajectoryValueError
from otel_traj.model import Run
from otel_traj.reconstruct.history_arguments import check_arguments, read_checkpoint_id, translate_error

if TYPE_CHECKING:
    from collections.abc import Iterable

    from otel_traj.reconstruct.history_arguments import Agent, Snapshot

__all__ = ["state_before", "state_before_async"]


def state_before(agent: Agent, run: Run, superstep: int) -> Any:  # noqa: ANN401 - LangGraph's own StateSnapshot
    """Return the snapshot from which a superstep of a run began.

    `agent.invoke(None, snapshot.config)` runs the superstep again; `agent.update_state(snapshot.config, ...)` changes
    the state first; `snapshot.values` is the state.

    Args:
        agent: The compiled graph that was run, with the same checkpointer.
        run: A run of `read_runs`, complete or not.
        superstep: Its number in the run, as explanations count: 1 for the first nodes, 0 for `__start__`, which a run
            of the functional API lacks.

    Returns:
        LangGraph's `StateSnapshot`. Of a superstep that was resumed, the one that it was first begun from.

    Raises:
        HistoryError: The run has no thread, the graph no checkpointer, or the history does not hold the superstep.
        TrajectoryTypeError: `run` is no `Run`, or `superstep` no whole number.
        TrajectoryValueError: The run has no superstep of that number.
    """
    tasks, config = _read_arguments(agent, run, superstep)
    try:
        snapshots = list(agent.get_state_history(config))
    except Exception as error:
        raise translate_error(error) from error
    return _find(snapshots, tasks, run, superstep)


async def state_before_async(agent: Agent, run: Run, superstep: int) -> Any:  # noqa: ANN401 - see above
    """Return what `state_before` returns, from an asynchronous checkpointer.

    Args:
        agent: As for `state_before`.
        run: As for `state_before`.
        superstep: As for `state_before`.

    Returns:
        LangGraph's `StateSnapshot`.

    Raises:
        HistoryError: As for `state_before`.
        TrajectoryTypeError: As for `state_before`.
        TrajectoryValueError: As for `state_before`.
    """
    tasks, config = _read_arguments(agent, run, superstep)
    try:
        snapshots = [snapshot async for snapshot in agent.aget_state_history(config)]
    except Exception as error:
        raise translate_error(error) from error
    return _find(snapshots, tasks, run, superstep)


def _read_arguments(agent: Agent, run: object, superstep: object) -> tuple[list[str], dict[str, Any]]:
    """Return the ids of the tasks that the superstep ran, and what names the thread."""
    if not isinstance(run, Run):
        raise TrajectoryTypeError(
            f"the run is a {type(run).__name__}, which names no tasks. Pass a run of read_runs."
        )
    if not isinstance(superstep, int) or isinstance(superstep, bool):
        words = f"superstep is a {type(superstep).__name__}, which is no number of a superstep"
        raise TrajectoryTypeError(f"{words}. Pass a whole number, 1 for the first nodes.")
    tasks = _list_tasks(run)
    if superstep not in tasks:
        words = f"run {run.run_id!r} has no superstep {superstep}"
        if not tasks:
            raise TrajectoryValueError(f"{words}: nothing of it ran. Pass a run that has supersteps.")
        raise TrajectoryValueError(f"{words}; its last one is {max(tasks)}. Pass a number from {min(tasks)}.")
    if run.thread_id is None:
        words = f"run {run.run_id!r} had no thread, so no checkpoint of it was kept"
        raise HistoryError(f'{words}. Run the graph with {{"configurable": {{"thread_id": ...}}}}.')
    config = {"configurable": {"thread_id": run.thread_id}}
    check_arguments(agent, config)
    return tasks[superstep], config


def _list_tasks(run: Run) -> dict[int, list[str]]:
    """Return the ids of each superstep's tasks by its number; of `__start__` only a conditional entry has any."""
    begins = run.steps[:1] == [[sc.START_NODE]]
    groups = [
        ids for names, ids in zip(run.steps, run.step_task_ids, strict=True) if names != [sc.INTERRUPT_NODE]
    ]
    return dict(enumerate(groups, 0 if begins else 1))


def _find(snapshots: Iterable[Any], tasks: list[str], run: Run, superstep: int) -> Any:  # noqa: ANN401
    known = list(snapshots)
    if tasks:
        found = _find_by_tasks(known, tasks)
    else:
        first = next((ids for ids in run.step_task_ids if ids), [])
        found = _find_input(known, _find_by_tasks(known, first))
    if found is None:
        words = (
            f"the history of thread {run.thread_id!r} holds no checkpoint before superstep {superstep} of run"
        )
        raise HistoryError(
            f"{words} {run.run_id!r}. Pass the graph and the checkpointer that it ran with; a subgraph's run, and a run "
            f"with durability='exit', keep none."
        )
    return found


def _find_by_tasks(snapshots: list[Snapshot], tasks: list[str]) -> Snapshot | None:
    """Return the oldest snapshot that is followed by one of the tasks."""
    wanted = set(tasks)
    return next(
        (
            snapshot
            for snapshot in reversed(snapshots)
            if not wanted.isdisjoint(getattr(task, "id", None) for task in snapshot.tasks)
        ),
        None,
    )


def _find_input(snapshots: list[Snapshot], later: Snapshot | None) -> Snapshot | None:
    """Return the snapshot of the input that one came of; cached nodes, which no span shows, may stand between."""
    by_id = {read_checkpoint_id(each.config): each for each in snapshots}
    seen: set[str] = set()
    here = later
    while here is not None and (here.metadata or {}).get("source") != "input":
        parent = read_checkpoint_id(here.parent_config)
        here = None if parent in seen else by_id.get(parent)
        seen.add(parent)
    return here
