"""Trajectories from a checkpointer's state history: no handler, no spans, no code in the nodes.

LangGraph keeps a snapshot of the state before each superstep, newest first. A run begins at the snapshot whose
source is `input`; each snapshot with tasks is a superstep; one whose tasks hold interrupts is followed by
`["__interrupt__"]`. A snapshot that came of the same one as an earlier snapshot tells that the superstep between ran
again, as time travel makes it (newer versions leave a snapshot of source `fork` then).

History shows what was *planned*: a pending task that never ran is listed (a static interrupt, a recursion limit,
a stream closed early), a node reached by `Command(goto=...)` as input is not, and `durability="exit"` keeps the
last snapshot only. Spans show what was executed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from otel_traj import semconv as sc
from otel_traj.model import GraphRunTrajectory
from otel_traj.reconstruct.history_arguments import (
    check_arguments,
    list_snapshots,
    read_checkpoint_id,
    translate_error,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from otel_traj.reconstruct.history_arguments import Agent, Snapshot

__all__ = ["extract_trajectory", "extract_trajectory_async", "extract_trajectory_from_snapshots"]


def extract_trajectory(agent: Agent, config: Mapping[str, Any]) -> list[GraphRunTrajectory]:
    """Return one trajectory per run of a thread, from the checkpointer's history.

    Args:
        agent: A compiled graph with a checkpointer.
        config: Names the thread (`{"configurable": {"thread_id": ...}}`); with a `checkpoint_ns` the history of
            a subgraph.

    Returns:
        Trajectories, oldest run first; see `extract_trajectory_from_snapshots`.

    Raises:
        HistoryError: The graph has no checkpointer, the config names no thread, or the history can't be walked.
        TrajectoryTypeError: The config is no mapping.
    """
    check_arguments(agent, config)
    try:
        snapshots = list(agent.get_state_history(config))
    except Exception as error:
        raise translate_error(error) from error
    return extract_trajectory_from_snapshots(snapshots)


async def extract_trajectory_async(agent: Agent, config: Mapping[str, Any]) -> list[GraphRunTrajectory]:
    """Return what `extract_trajectory` returns, from an asynchronous checkpointer.

    Args:
        agent: A compiled graph with a checkpointer.
        config: Names the thread, as for `extract_trajectory`.

    Returns:
        Trajectories, oldest run first.

    Raises:
        HistoryError: As for `extract_trajectory`.
        TrajectoryTypeError: As for `extract_trajectory`.
    """
    check_arguments(agent, config)
    try:
        snapshots = [snapshot async for snapshot in agent.aget_state_history(config)]
    except Exception as error:
        raise translate_error(error) from error
    return extract_trajectory_from_snapshots(snapshots)


def extract_trajectory_from_snapshots(snapshots: Iterable[Snapshot]) -> list[GraphRunTrajectory]:
    """Return one trajectory per run that snapshots show.

    Args:
        snapshots: Of one thread, newest first, as `get_state_history` gives them.

    Returns:
        Trajectories, oldest run first. `inputs` are the results of the input snapshot's tasks by name
        (`{"__start__": input}`), None where there is no input snapshot. `results` are the state values of the
        run's own last snapshot, `{}` where the run was interrupted, failed or is unfinished. Names inside a
        superstep stand in the graph's own order. A run whose input was refused before any node is left out.

    Raises:
        HistoryError: The snapshots do not stand newest first.
        TrajectoryTypeError: They are no snapshots.
    """
    runs: list[_RunHistory] = []
    run_of_head: dict[str, _RunHistory] = {}
    overtaken: set[str] = set()
    done: set[str] = set()
    oldest_first = list_snapshots(snapshots)
    of_id = {read_checkpoint_id(snapshot.config): snapshot for snapshot in oldest_first}
    for snapshot in oldest_first:
        parent_id = read_checkpoint_id(snapshot.parent_config)
        source = _read_source(snapshot)
        if source == "input" or not runs:
            run = _RunHistory(snapshot)
            runs.append(run)
            overtaken.add(parent_id)
        else:
            # What was going on goes on, although new input came; what is begun again by hand is the last run's.
            goes_on = source == "loop" or parent_id not in overtaken
            run = run_of_head.pop(parent_id, runs[-1]) if goes_on else runs[-1]
            if source == "loop" and parent_id in of_id:
                if parent_id in done:
                    run.repeat(of_id[parent_id])
                done.add(parent_id)
            run.add(snapshot)
        run_of_head[read_checkpoint_id(snapshot.config)] = run
    return [run.to_trajectory() for run in runs if not run.failed_at_once]


class _RunHistory:
    """The snapshots of one run, oldest first."""

    def __init__(self, first: Snapshot) -> None:
        self._first = first
        self._steps: list[list[str]] = []
        self.add(first)

    def add(self, snapshot: Snapshot) -> None:
        """Add the next snapshot."""
        self._last = snapshot
        self.repeat(snapshot)
        if any(task.interrupts for task in snapshot.tasks):
            self._steps.append([sc.INTERRUPT_NODE])

    def repeat(self, snapshot: Snapshot) -> None:
        """Add the superstep of a snapshot once more.

        Time travel before langgraph 1.1.8 leaves no snapshot of source `fork` that lists it again, only a second
        snapshot that came of it.
        """
        if snapshot.tasks:
            self._steps.append([task.name for task in snapshot.tasks])

    @property
    def failed_at_once(self) -> bool:
        """Whether the input got no further than `__start__`."""
        names = [task.name for task in self._first.tasks]
        is_alone = self._first is self._last and _read_source(self._first) == "input"
        is_waiting = any(task.interrupts for task in self._first.tasks)
        return is_alone and names == [sc.START_NODE] and not is_waiting

    def to_trajectory(self) -> GraphRunTrajectory:
        """Return the run as a trajectory."""
        is_input = _read_source(self._first) == "input"
        return GraphRunTrajectory(
            inputs={task.name: task.result for task in self._first.tasks} if is_input else None,
            results={} if self._last.next else self._last.values,
            steps=self._steps,
        )


def _read_source(snapshot: Snapshot) -> object:
    return (snapshot.metadata or {}).get("source")
