"""The joined view of a run: the supersteps of its parts in one row, with their markers."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from otel_traj import semconv as sc
from otel_traj.model import Problem
from otel_traj.reconstruct.names import name_run, name_spans
from otel_traj.reconstruct.supersteps import group_supersteps, join_attempts, join_tasks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otel_traj.model import Task
    from otel_traj.reconstruct.parts import Part

__all__ = ["Piece", "find_gap", "join_groups", "make_piece", "mark_steps"]


@dataclass(frozen=True, slots=True)
class Piece:
    """One part of a run with the attempts of its tasks joined."""

    part: Part
    tasks: list[Task]
    """By superstep, then canonical order."""
    groups: list[list[Task]]
    """The same, one list per superstep."""


def make_piece(part: Part) -> Piece:
    """Return a part with the attempts of its tasks joined."""
    tasks = join_attempts(part.tasks)
    return Piece(part, tasks, group_supersteps(tasks))


def join_groups(pieces: Sequence[Piece]) -> list[list[Task]]:
    """Return the supersteps of a run.

    The first superstep of a resumed part merges into the run's last one where they share a task, because
    LangGraph goes on with an unfinished superstep under the same task ids; otherwise (time travel, forks, a
    static interrupt) it is the next one. So it is where the shared tasks had ended well, in a part that had too:
    time travel before langgraph 1.1.8 runs a finished task again under its old id.

    Args:
        pieces: The run's parts, in order.

    Returns:
        One list of tasks per superstep, in the order in which they ran.
    """
    joined: list[list[Task]] = []
    before: Part | None = None
    for piece in pieces:
        groups = piece.groups
        if before is not None and joined and groups and _goes_on(before, joined[-1], piece.part, groups[0]):
            joined[-1] = _merge(joined[-1], groups[0])
            groups = groups[1:]
        joined += groups
        before = piece.part
    return joined


def _goes_on(before: Part, last: Sequence[Task], part: Part, first: Sequence[Task]) -> bool:
    """Whether a part's first superstep is the unfinished last one of the parts before it.

    A call that failed or was closed early may leave tasks behind that never began; where all others had ended well,
    only these run, and no id is shared. A call from a checkpoint that its caller named begins a branch of its own, which
    may have the same number by chance.
    """
    ids = {task.task_id for task in first}
    shared = [task for task in last if task.task_id in ids]
    outcome = before.graph.outcome if before.graph is not None else "ok"
    if shared:
        return outcome != "ok" or any(task.status != "ok" for task in shared)
    if outcome not in ("error", "cancelled") or last[0].superstep != first[0].superstep:
        return False
    if part.graph is not None and part.graph.names_checkpoint:
        return False
    has_ended = all(task.status in ("ok", "cancelled") for task in last)
    return has_ended and {_name_place(task) for task in last}.isdisjoint(map(_name_place, first))


def _name_place(task: Task) -> tuple[str, int | None]:
    return task.node, task.push_index


def _merge(earlier: list[Task], later: list[Task]) -> list[Task]:
    by_id = {task.task_id: task for task in earlier}
    for task in later:
        before = by_id.get(task.task_id)
        by_id[task.task_id] = join_tasks(before, task) if before else task
    return list(by_id.values())


def mark_steps(first: Part, groups: Sequence[Sequence[Task]]) -> tuple[list[list[str]], list[list[str]]]:
    """Return a run's node names by superstep with `__start__` and `__interrupt__`, and the task ids beside.

    Args:
        first: The run's first part.
        groups: The run's supersteps, siblings in order.

    Returns:
        Names and task ids, of equal shape but for the markers, which have no task id.
    """
    steps: list[list[str]] = []
    ids: list[list[str]] = []
    if _failed_at_start(groups):
        return steps, ids
    if _began_with_input(first, groups):
        steps.append([sc.START_NODE])
        ids.append([])
    for group in groups:
        steps.append([task.node for task in group])
        ids.append([task.task_id for task in group])
        if any(task.interrupted for task in group):
            steps.append([sc.INTERRUPT_NODE])
            ids.append([])
    return steps, ids


def _failed_at_start(groups: Sequence[Sequence[Task]]) -> bool:
    """Whether a conditional entry was all that ran, and did not come to its end: history drops such a run too."""
    tasks = [task for group in groups for task in group]
    return bool(tasks) and all(
        task.node == sc.START_NODE and task.status in ("error", "cancelled") and not task.interrupted
        for task in tasks
    )


def _began_with_input(first: Part, groups: Sequence[Sequence[Task]]) -> bool:
    """Whether `__start__` leads the run without a task of its own.

    Not where `__start__` has a task (a conditional entry), not for an entrypoint of the functional API (its
    task is triggered by `__start__` itself, seen with langgraph 1.2.22), not where the beginning is missing,
    not where the run failed before its input got anywhere, and not where another emitter wrote no node at all. A
    subgraph's first call shows nothing where it paused before its first node; the call that resumes it then begins
    with superstep 1.
    """
    if first.graph is None or (not groups and first.emitter != sc.SCOPE_NAME):
        is_begun = bool(groups) and groups[0][0].superstep <= 1
    else:
        failed_at_once = not groups and first.graph.outcome == "error"
        is_fresh = first.graph.is_subgraph and bool(groups) and groups[0][0].superstep <= 1
        is_begun = (is_fresh or not first.graph.resumed) and not failed_at_once
    tasks = [task for group in groups for task in group]
    is_traced = any(task.node == sc.START_NODE for task in tasks)
    is_entrypoint = any(task.triggers == (sc.START_NODE,) and task.node != sc.START_NODE for task in tasks)
    return is_begun and not is_traced and not is_entrypoint


def find_gap(pieces: Sequence[Piece]) -> list[Problem]:
    """Return a problem that names superstep numbers at which nothing ran; empty where there is none.

    A gap proves nothing missing (cached nodes have no callback, `update_state` uses up numbers), but it helps
    to read a verdict that failed.
    """
    facts = [fact for piece in pieces for fact in piece.part.tasks if fact.superstep >= 0]
    place_of = {fact.superstep: fact.place for fact in facts}
    gaps = [(low, high) for low, high in pairwise(sorted(place_of)) if high > low + 1]
    if not gaps:
        return []
    named = ", ".join(f"{low} and {high}" for low, high in gaps)
    around = [place_of[number] for number in sorted({number for gap in gaps for number in gap})]
    message = (
        f"{name_run(pieces[0].part)}: no task is recorded between supersteps {named}, of {name_spans(around)}. Cached "
        f"nodes and update_state leave such gaps. Look for lost spans where neither is used."
    )
    span_ids = tuple(sorted(place.span_id for place in around))
    return [Problem(code="step_gap", message=message, span_ids=span_ids)]
