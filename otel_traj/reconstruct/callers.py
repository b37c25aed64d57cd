"""Which call of a graph called another one whose graph-run span is missing.

The namespace of a task's checkpoint names the tasks around it. Where none of those is there, a top-level run of the
same trace whose manifest is not met lacks something, and may lack this.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from otel_traj.reconstruct.facts import TaskFact
    from otel_traj.reconstruct.parts import Part

__all__ = ["CallerIndex"]

_ANY_THREAD: Final = ""


class CallerIndex:
    """The calls of a source, found by what they ran and by what they lack."""

    def __init__(self, parts: Iterable[Part]) -> None:
        """Index the calls; their tasks and places are known already.

        Args:
            parts: Those whose graph-run span is there.
        """
        self._of_task: dict[tuple[str, str], Part] = {}
        self._lacking: dict[tuple[str, str | None], Part] = {}
        for part in parts:
            for task in part.tasks:
                self._of_task.setdefault((part.trace_id, task.task_id), part)
            if part.has_root and part.lacks_spans:
                self._lacking.setdefault((part.trace_id, part.graph.thread_id if part.graph else None), part)
                self._lacking.setdefault((part.trace_id, _ANY_THREAD), part)

    def find(self, trace_id: str, tasks: Sequence[TaskFact]) -> Part | None:
        """Return the call that tasks without their graph run ran below, None where nothing tells.

        Args:
            trace_id: Their trace.
            tasks: All of one run.
        """
        outer_ids = {
            piece.rpartition(":")[2] for task in tasks for piece in task.checkpoint_ns.split("|")[:-1]
        } - {task.task_id for task in tasks}
        for task_id in sorted(outer_ids):
            part = self._of_task.get((trace_id, task_id))
            if part is not None:
                return part
        thread = next((task.thread_id for task in tasks if task.thread_id), _ANY_THREAD)
        # What runs in a node says the thread of the run around it (seen with langgraph 1.2.22).
        return self._lacking.get((trace_id, thread))
