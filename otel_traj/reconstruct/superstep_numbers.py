"""What LangGraph's superstep numbers say about the calls of a thread, whatever their clocks say.

The numbers count over the thread. A resume goes on with the superstep that did not come to its end, under its old
number, or else with the next one. New input takes up two numbers more, for its own snapshot and for `__start__`
(seen with langgraph 1.2.24; without a checkpointer every run begins at 1).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from otel_traj import semconv as sc

if TYPE_CHECKING:
    from otel_traj.reconstruct.facts import TaskFact
    from otel_traj.reconstruct.parts import Part

__all__ = ["SUPERSTEPS_OF_INPUT", "find_first_superstep", "find_next_supersteps", "has_unfinished_tasks"]

SUPERSTEPS_OF_INPUT = 2
"""Numbers that new input takes up before its first nodes run."""


def find_first_superstep(part: Part) -> int | None:
    """Return the number of the first superstep with nodes in it, None where no task says it."""
    numbers = (task.superstep for task in part.tasks if task.node != sc.START_NODE)
    return min((number for number in numbers if number >= 0), default=None)


def find_next_supersteps(part: Part) -> range:
    """Return the numbers at one of which a resume of a part begins.

    Args:
        part: A part.

    Returns:
        One number where it is known whether the last superstep came to its end, two where it is not, none where
        no task says a number.
    """
    numbers = [task.superstep for task in part.tasks if task.superstep >= 0]
    if not numbers:
        return range(0)
    last = max(numbers)
    outcome = part.graph.outcome if part.graph is not None else "open"
    if outcome == "ok":
        return range(last + 1, last + 2)
    if has_unfinished_tasks(part):
        return range(last, last + 1)
    return range(last + 1 if outcome == "interrupted" else last, last + 2)


def has_unfinished_tasks(part: Part) -> bool:
    """Return whether a task of a part's last superstep was interrupted or failed in the end.

    A task that was cancelled may have written its result all the same (seen with langgraph 1.2.24, async).
    """
    last = max((task.superstep for task in part.tasks), default=-1)
    attempts: dict[str, TaskFact] = {}
    for task in part.tasks:
        if task.superstep == last:
            attempts[task.task_id] = max(attempts.get(task.task_id, task), task, key=_read_attempt)
    return any(task.outcome in ("interrupted", "error") for task in attempts.values())


def _read_attempt(task: TaskFact) -> int:
    return task.attempt
