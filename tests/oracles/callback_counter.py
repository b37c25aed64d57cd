"""The plainest reader of LangGraph's callbacks: the first witness for the oracles.

It notes, in callback order, which tasks started in which top-level graph run and which of them ended in an
interrupt, and puts supersteps together by `langgraph_step`. It shares nothing with the package under test,
keeps no spans and knows no other callbacks than those of chains.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from langchain_core.callbacks import BaseCallbackHandler
from langgraph.errors import EmptyInputError, GraphInterrupt
from langgraph.types import Command

from tests.oracles.scenario import INTERRUPT, START_STEP

if TYPE_CHECKING:
    from collections.abc import Sequence
    from uuid import UUID

    from tests.oracles.scenario import Trajectories

__all__ = ["CallbackCounter"]


@dataclass(slots=True)
class _Task:
    node: str
    step: int
    task_id: str
    push_index: int | None
    began_at_start: bool
    interrupted: bool = False


@dataclass(slots=True)
class _Root:
    resumed: bool
    tasks: dict[str, _Task] = field(default_factory=dict)
    """By task id, in start order."""
    empty_input: bool = False


class CallbackCounter(BaseCallbackHandler):
    """Collects the node tasks of top-level graph runs."""

    run_inline = True
    raise_error = True

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._roots: dict[UUID, _Root] = {}
        self._namespaces: dict[UUID, str] = {}
        self._tasks: dict[UUID, _Task] = {}

    def on_chain_start(
        self,
        serialized: dict[str, Any],  # noqa: ARG002 - part of BaseCallbackHandler's interface
        inputs: object,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        metadata: dict[str, Any] | None = None,
        **kwargs: Any,  # noqa: ANN401 - as BaseCallbackHandler declares it
    ) -> None:
        """Note a root, or a task whose parent is a root."""
        facts = metadata or {}
        namespace = facts.get("langgraph_checkpoint_ns", "")
        with self._lock:
            self._namespaces[run_id] = namespace
            if parent_run_id is None:
                self._roots[run_id] = _Root(resumed=inputs is None or isinstance(inputs, Command))
                return
            root = self._roots.get(parent_run_id)
            path = facts.get("langgraph_path", ())
            if (
                root is None
                or kwargs.get("name") != facts.get("langgraph_node")
                or namespace == self._namespaces[parent_run_id]
                or "node_error_handler" in path
            ):
                return
            task_id = namespace.rpartition(":")[2]
            self._tasks[run_id] = root.tasks.setdefault(
                task_id,
                _Task(
                    node=facts["langgraph_node"],
                    step=facts["langgraph_step"],
                    task_id=task_id,
                    push_index=path[1] if path[0] == "__pregel_push" else None,
                    began_at_start=tuple(facts["langgraph_triggers"]) == ("__start__",),
                ),
            )

    def on_chain_error(self, error: BaseException, *, run_id: UUID, **_kwargs: object) -> None:
        """Note an interrupt of a task, or a root that had nothing to begin with."""
        with self._lock:
            if run_id in self._tasks and isinstance(error, GraphInterrupt):
                self._tasks[run_id].interrupted = True
            if run_id in self._roots:
                self._roots[run_id].empty_input = isinstance(error, EmptyInputError)

    def read_trajectories(self, declared_nodes: Sequence[str] | None = None) -> Trajectories:
        """Return the runs in start order; names by fan-out index, then as declared or else by name."""
        runs: list[list[list[_Task]]] = []
        for root in self._roots.values():
            if root.empty_input:
                continue
            if not root.resumed or not runs:
                runs.append([])
            for step in sorted({task.step for task in root.tasks.values()}):
                group = [task for task in root.tasks.values() if task.step == step]
                self._add_group(runs[-1], group)
        return [self._name_steps(run, declared_nodes) for run in runs]

    @staticmethod
    def _add_group(run: list[list[_Task]], group: list[_Task]) -> None:
        """Append a superstep, or merge it into the last one where they share a task (a resume)."""
        ids = {task.task_id for task in group}
        if not run or not any(task.task_id in ids for task in run[-1]):
            run.append(group)
            return
        before = {task.task_id: task for task in run[-1]}
        for task in group:
            task.interrupted = task.interrupted or (
                task.task_id in before and before[task.task_id].interrupted
            )
        run[-1] = [task for task in run[-1] if task.task_id not in ids] + group

    @staticmethod
    def _name_steps(run: list[list[_Task]], declared_nodes: Sequence[str] | None) -> list[list[str]]:
        declared = ["__start__", *declared_nodes] if declared_nodes else []

        def order(task: _Task) -> tuple[bool, int, str]:
            if task.push_index is not None:
                return False, task.push_index, ""
            return True, declared.index(task.node) if declared else 0, task.node

        names = {task.node for step in run for task in step}
        is_entrypoint = any(task.began_at_start and task.node != "__start__" for step in run for task in step)
        steps = [] if "__start__" in names or is_entrypoint else [START_STEP]
        for step in run:
            steps.append([task.node for task in sorted(step, key=order)])
            if any(task.interrupted for task in step):
                steps.append(INTERRUPT)
        return steps
