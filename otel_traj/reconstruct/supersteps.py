"""Task facts of one invocation -> tasks by superstep.

Attempts of one task are one task (they share the task id). Tasks group by LangGraph's superstep number, never
by time: start times of parallel tasks jitter, and clocks of two machines differ.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from otel_traj import semconv as sc
from otel_traj.manifest import sibling_sort_key
from otel_traj.model import AttributeValue, Task
from otel_traj.reconstruct.content import decode_content

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from otel_traj.reconstruct.facts import TaskFact

__all__ = ["group_supersteps", "join_attempts", "join_tasks", "list_recorded_steps", "order_siblings"]


def join_attempts(facts: Iterable[TaskFact]) -> list[Task]:
    """Return one task per task id, by superstep, then in canonical order.

    Args:
        facts: Attempts in any order, all of one invocation.

    Returns:
        Tasks; the last attempt decides the status.
    """
    by_task: dict[str, list[TaskFact]] = {}
    for fact in facts:
        by_task.setdefault(fact.task_id, []).append(fact)
    tasks = [_join_one(attempts) for attempts in by_task.values()]
    return sorted(tasks, key=lambda task: (task.superstep, *_canonical_key(task)))


def _join_one(attempts: list[TaskFact]) -> Task:
    attempts.sort(key=lambda fact: (fact.attempt, fact.place.start_ns, fact.place.span_id))
    last = attempts[-1]
    is_open = any(not fact.place.end_ns for fact in attempts)
    return Task(
        node=last.node,
        superstep=last.superstep,
        task_id=last.task_id,
        run_id=last.run_id,
        push_index=last.push_index,
        checkpoint_ns=last.checkpoint_ns,
        triggers=last.triggers,
        attempts=len(attempts),
        status=last.outcome,
        interrupted=any(fact.interrupted for fact in attempts),
        error_type=last.error_type,
        started_ns=min(fact.place.start_ns for fact in attempts),
        ended_ns=0 if is_open else max(fact.place.end_ns for fact in attempts),
        span_ids=tuple(fact.place.span_id for fact in attempts),
        inputs=_decode(last.inputs),
        outputs=_decode(last.outputs),
    )


def _decode(text: str | None) -> AttributeValue:
    return decode_content(text)[0]


def join_tasks(earlier: Task, later: Task) -> Task:
    """Return one task that was interrupted (or failed) in one invocation and went on in a later one."""
    return Task(
        node=later.node,
        superstep=later.superstep,
        task_id=later.task_id,
        run_id=earlier.run_id,
        push_index=later.push_index,
        checkpoint_ns=later.checkpoint_ns,
        triggers=later.triggers,
        attempts=earlier.attempts + later.attempts,
        status=later.status,
        interrupted=earlier.interrupted or later.interrupted,
        error_type=later.error_type,
        started_ns=min(earlier.started_ns, later.started_ns),
        ended_ns=later.ended_ns,
        span_ids=earlier.span_ids + later.span_ids,
        inputs=earlier.inputs if later.inputs is None else later.inputs,
        outputs=later.outputs,
    )


def _canonical_key(task: Task) -> tuple[tuple[int, int, str], int, str]:
    return sibling_sort_key(task.node, task.push_index), task.started_ns, task.task_id


def order_siblings(tasks: Iterable[Task], node_order: Mapping[str, int]) -> list[Task]:
    """Return the tasks of one superstep in order.

    Args:
        tasks: Tasks of one superstep.
        node_order: Place of each node as its graph declares them; empty for canonical order.

    Returns:
        Fan-out tasks by index, then the rest by declared place (unknown nodes last), then by name.
    """
    unknown = len(node_order)

    def key(task: Task) -> tuple[int, int, tuple[tuple[int, int, str], int, str]]:
        is_pushed = task.push_index is not None
        place = 0 if is_pushed else node_order.get(task.node, unknown)
        return (0 if is_pushed else 1, place, _canonical_key(task))

    return sorted(tasks, key=key)


def group_supersteps(tasks: Sequence[Task]) -> list[list[Task]]:
    """Return tasks, sorted by superstep, as one list per superstep."""
    return [list(group) for _, group in groupby(tasks, key=lambda task: task.superstep)]


def list_recorded_steps(groups: Iterable[Sequence[Task]]) -> list[list[str]]:
    """Return the node names as a manifest lists them: canonical order, without a traced `__start__`."""
    named = ([task.node for task in group if task.node != sc.START_NODE] for group in groups)
    return [names for names in named if names]
