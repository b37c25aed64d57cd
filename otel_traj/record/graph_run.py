"""What is kept of one graph run while it runs: its identity, and what its manifest will say.

Task ids and counts only; inputs and state are never kept here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from langgraph.types import Command

from otel_traj.rendering import clean_text

__all__ = ["GraphRun", "InputFacts", "SeenTask", "read_input_facts"]


class InputFacts(NamedTuple):
    """What an input says about how a run begins."""

    type_name: str
    """Class name of the input."""
    resumes: bool
    """It is None, or a Command that carries an answer."""
    is_command: bool


class SeenTask(NamedTuple):
    """A task of a graph run."""

    step: int
    node: str
    push_index: int | None


@dataclass(slots=True, kw_only=True, eq=False)
class GraphRun:
    """One graph run; the recorder's lock guards every change."""

    run_id: str
    """Callback run id, dashed UUID."""
    name: str
    thread_id: str | None
    input_type: str
    resumed: bool = False
    awaits_step: bool = False
    """Begun by a Command without an answer: its first superstep tells whether it resumes."""
    parent: GraphRun | None = None
    """The graph run that called this one; None for a top-level run."""
    parent_task_id: str | None = None
    tasks: dict[str, SeenTask] = field(default_factory=dict)
    """By task id."""
    retries: dict[str, int] = field(default_factory=dict)
    """How often each task was tried again, by task id."""
    task_span_count: int = 0
    span_count: int = 0
    """Top-level runs: spans started below this one."""
    interrupted_ids: set[str] = field(default_factory=set)
    """Ids of its own tasks that ended in an interrupt."""
    pause_seen: bool = False
    """LangGraph said that the run paused, or a subgraph of it did."""
    may_pause_untold: bool = False
    """It has static interrupts, and LangGraph tells nobody when it pauses at one."""
    begun_twice: bool = False
    """A second start came under its id while it was open."""
    ended: bool = False

    def find_open_top(self) -> GraphRun | None:
        """Return the top-level run above this one, or itself; None where it has ended.

        A run between may have ended: an async node that is cancelled while its subgraph is being cancelled leaves
        the subgraph running (seen with langgraph 1.2.24).
        """
        run = self
        while run.parent is not None:
            run = run.parent
        return None if run.ended else run

    def note_task(self, task_id: str, step: int, node: str, push_index: int | None) -> int:
        """Count one more attempt of a task.

        Returns:
            Which attempt it is, from 1.
        """
        self.task_span_count += 1
        if task_id not in self.tasks:
            self.tasks[task_id] = SeenTask(step, node, push_index)
            return 1
        self.retries[task_id] = retries = self.retries.get(task_id, 0) + 1
        return retries + 1


def read_input_facts(inputs: object) -> InputFacts:
    """Return what an input says about how a run begins.

    Args:
        inputs: The input of a chain.

    Returns:
        Its facts; nothing of its content.
    """
    if inputs is None:
        return InputFacts("NoneType", resumes=True, is_command=False)
    if isinstance(inputs, Command):
        return InputFacts("Command", resumes=inputs.resume is not None, is_command=True)
    return InputFacts(clean_text(type(inputs).__name__), resumes=False, is_command=False)
