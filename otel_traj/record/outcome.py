"""How a callback run ended: control flow is not an error.

LangGraph stops a node by raising: `interrupt()` raises GraphInterrupt through the node, its subgraph and the
node that called it, `Command(graph=PARENT)` raises ParentCommand the same way, a drain raises GraphDrained; a
cancelled task sees CancelledError and a closed stream GeneratorExit (seen with langgraph 0.6.11 and 1.2.24).
Everything else that is raised is an error, KeyboardInterrupt and GraphRecursionError among them.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
from typing import Literal, TypeAlias

from langgraph.errors import GraphBubbleUp, GraphInterrupt, ParentCommand

__all__ = ["Ending", "RunOutcome", "asks_something", "classify_ending", "decide_outcome"]

Ending: TypeAlias = Literal["ok", "interrupted", "parent_command", "cancelled", "error"]
"""How one callback run ended."""

RunOutcome: TypeAlias = Literal["ok", "error", "interrupted", "cancelled"]
"""How a graph run ended: the value of `otel_traj.outcome`."""

_CANCELLED = (asyncio.CancelledError, concurrent.futures.CancelledError, GeneratorExit)


def classify_ending(error: BaseException | None) -> Ending:
    """Return how a callback run ended, by what it raised (None: nothing)."""
    if error is None:
        return "ok"
    if isinstance(error, ParentCommand):
        return "parent_command"
    if isinstance(error, GraphBubbleUp):
        return "interrupted"
    return "cancelled" if isinstance(error, _CANCELLED) else "error"


def asks_something(error: BaseException | None) -> bool:
    """Whether an exception carries interrupts, which the task's history then shows.

    A subgraph that pauses at a static interrupt leaves the node that called it with a GraphInterrupt without any
    (seen with langgraph 1.2.24).
    """
    return isinstance(error, GraphInterrupt) and bool(error.args and error.args[0])


def decide_outcome(error: BaseException | None, *, task_interrupted: bool, pause_seen: bool) -> RunOutcome:
    """Return the outcome of a graph run.

    Args:
        error: What the run raised, None where it ended by itself. An interrupted top-level run does.
        task_interrupted: One of its own tasks ended in an interrupt.
        pause_seen: LangGraph said that the run paused (a static interrupt has no interrupted task).

    Returns:
        The outcome. A caller that closes the stream at an interrupt leaves the run interrupted.
    """
    paused = task_interrupted or pause_seen
    ending = classify_ending(error)
    if ending == "parent_command":
        return "ok"
    if paused and (ending == "ok" or isinstance(error, GeneratorExit)):
        return "interrupted"
    return ending
