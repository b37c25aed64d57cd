"""The plainest walk over a checkpointer's history: the second witness for the oracles.

A run begins at each snapshot whose source is `input`; a snapshot with tasks is one superstep, and is followed
by the marker where a task of it holds interrupts. Nothing is left out, so that tasks which are only planned
count as well. A snapshot that came of the same one as an earlier snapshot tells that the superstep between ran
again: time travel shows itself so where it leaves no snapshot of source `fork` (langgraph before 1.1.8). Names
stand in history's own order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.oracles.scenario import INTERRUPT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from langchain_core.runnables import RunnableConfig
    from langgraph.types import StateSnapshot

    from tests.oracles.scenario import Trajectories

__all__ = ["walk_history"]


def walk_history(newest_first: Iterable[StateSnapshot], *, keep_pending: bool = True) -> Trajectories:
    """Return the runs that the snapshots of one thread show, oldest first.

    Args:
        newest_first: The snapshots, as `get_state_history` yields them.
        keep_pending: Also list tasks without result, error and interrupt, which never ran.
    """
    runs: Trajectories = []
    snapshots = list(newest_first)[::-1]
    names = {read_id(snapshot.config): [task.name for task in snapshot.tasks] for snapshot in snapshots}
    done: set[str] = set()
    for snapshot in snapshots:
        source = (snapshot.metadata or {}).get("source")
        parent = read_id(snapshot.parent_config)
        if not runs or source == "input":
            runs.append([])
        elif source == "loop" and parent in done:
            runs[-1].append(names[parent])
        elif source == "loop" and parent in names:
            done.add(parent)
        tasks = [
            task
            for task in snapshot.tasks
            if keep_pending or task.result is not None or task.error is not None or task.interrupts
        ]
        if tasks:
            runs[-1].append([task.name for task in tasks])
        if any(task.interrupts for task in tasks):
            runs[-1].append(INTERRUPT)
    return runs


def read_id(config: RunnableConfig | None) -> str:
    """Return the id of the checkpoint that a config names; empty where it names none."""
    return str(config["configurable"].get("checkpoint_id", "")) if config else ""
