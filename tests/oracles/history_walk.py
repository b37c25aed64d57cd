"""The plainest walk over a checkpointer's history: the second witness for the oracles.

A run begins at each snapshot whose source is `input`; a snapshot with tasks is one superstep, and is followed
by the marker where a task of it holds interrupts. Nothing is left out, so that tasks which are only planned
count as well. Names stand in history's own order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.oracles.scenario import INTERRUPT

if TYPE_CHECKING:
    from collections.abc import Iterable

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
    for snapshot in reversed(list(newest_first)):
        if not runs or (snapshot.metadata or {}).get("source") == "input":
            runs.append([])
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
