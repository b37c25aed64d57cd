"""Callbacks as LangGraph makes them, fed by hand."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.record.recording import Recording

__all__ = ["start_root", "start_subgraph", "start_task", "task_metadata"]

ROOT: dict[str, object] = {"ls_integration": "langgraph", "thread_id": "t1"}


def task_metadata(node: str, step: int = 1, task: str = "id-1") -> dict[str, object]:
    """Return metadata as LangGraph gives it to a node task."""
    return ROOT | {
        "langgraph_step": step,
        "langgraph_node": node,
        "langgraph_triggers": (f"branch:to:{node}",),
        "langgraph_path": ("__pregel_pull", node),
        "langgraph_checkpoint_ns": f"{node}:{task}",
    }


def start_root(recording: Recording) -> uuid.UUID:
    """Start a graph run by hand; return its id."""
    run_id = uuid.uuid4()
    recording.handler.on_chain_start({}, {}, run_id=run_id, name="by hand", metadata=ROOT, tags=[])
    return run_id


def start_subgraph(recording: Recording, task: uuid.UUID, node: str = "a", caller: str = "id-1") -> uuid.UUID:
    """Start by hand what a node task calls, which its first task shows to be a graph; return its id."""
    run_id = uuid.uuid4()
    recording.handler.on_chain_start(
        {},
        {},
        run_id=run_id,
        parent_run_id=task,
        name="inner",
        metadata=task_metadata(node, task=caller),
        tags=[],
    )
    return run_id


def start_task(
    recording: Recording, parent: uuid.UUID, node: str = "a", task: str = "id-1", step: int = 1
) -> uuid.UUID:
    """Start a node task by hand; return its id."""
    run_id = uuid.uuid4()
    recording.handler.on_chain_start(
        {},
        {},
        run_id=run_id,
        parent_run_id=parent,
        name=node,
        tags=[f"graph:step:{step}"],
        metadata=task_metadata(node, step, task),
    )
    return run_id
