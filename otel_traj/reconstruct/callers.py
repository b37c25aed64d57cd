"""Which call of a graph called another one whose graph-run span is missing.

The namespace of a task's checkpoint names the tasks around it. Where none of those is there, a top-level run of the
same trace whose manifest is not met lacks something, and may lack this.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from otel_traj import semconv as sc

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
        self._lacking: dict[tuple[str, str | None], list[Part]] = {}
        for part in parts:
            for task in part.tasks:
                self._of_task.setdefault((part.trace_id, task.task_id), part)
            if part.has_root and part.lacks_spans:
                thread = part.graph.thread_id if part.graph else None
                for name in (thread, _ANY_THREAD):
                    self._lacking.setdefault((part.trace_id, name), []).append(part)

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
        candidates = self._lacking.get((trace_id, thread), ())
        return next((part for part in candidates if _may_hold(part, tasks)), None)


def _may_hold(part: Part, tasks: Sequence[TaskFact]) -> bool:
    """Whether a call may lack what these tasks ran in: one that no manifest counts, only while it ran."""
    if part.graph is None or part.emitter == sc.SCOPE_NAME:
        return True
    place = part.graph.place
    first = min(task.place.start_ns for task in tasks)
    return place.start_ns <= first and (not place.end_ns or first <= place.end_ns)
