"""Parts of one thread -> runs: which calls of a graph went on with an earlier one.

A run is one input until it ends, resumes included. A resumed call belongs to the run that it shares a task id
with (LangGraph re-runs an interrupted task under its old id), else to the run whose root it links to, else to
the last run of the same graph and service on the thread that ran any node. Anything else begins a run.

Calls stand in the order of their start, unless links, shared tasks or superstep numbers say that the clocks
are wrong: two processes on one thread may have clocks an hour apart.
"""

from __future__ import annotations

import heapq
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from otel_traj.model import Problem

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from otel_traj.reconstruct.parts import Part

__all__ = ["Chain", "join_parts", "find_start", "find_thread"]

_SUPERSTEPS_OF_INPUT = 3
_Key: TypeAlias = tuple[str, str, str | None] | None


@dataclass(slots=True)
class Chain:
    """The parts of one run, in order."""

    parts: list[Part]
    problems: list[Problem] = field(default_factory=list)


def join_parts(parts: Sequence[Part]) -> list[Chain]:
    """Return the runs that top-level parts make.

    Args:
        parts: Top-level parts of a source, in any order.

    Returns:
        One chain per run, by the start of its first part.
    """
    chains: list[Chain] = []
    by_thread: dict[str, list[Part]] = {}
    for part in parts:
        thread = find_thread(part)
        if thread is None:
            chains.append(_begin(part))
        else:
            by_thread.setdefault(thread, []).append(part)
    for siblings in by_thread.values():
        chains.extend(_join_thread(siblings))
    return sorted(chains, key=lambda chain: (find_start(chain.parts[0]), chain.parts[0].run_id))


def find_thread(part: Part) -> str | None:
    """Return the thread id of a part, its tasks' where the graph-run span is missing."""
    if part.graph is not None:
        return part.graph.thread_id
    return next((task.thread_id for task in part.tasks if task.thread_id), None)


def find_start(part: Part) -> int:
    """Return when a part started, in nanoseconds."""
    if part.graph is not None:
        return part.graph.place.start_ns
    return min(task.place.start_ns for task in part.tasks)


def _join_thread(parts: list[Part]) -> list[Chain]:
    chains: list[Chain] = []
    of_task: dict[str, int] = {}
    of_root: dict[str, int] = {}
    last_of_key: dict[_Key, int] = {}
    for part in _order_parts(parts):
        index = _find_chain(part, of_task, of_root, last_of_key)
        if index is None:
            last = _find_last(part, last_of_key)
            if last is not None and (_lacks_link(part, of_root) or _may_go_on(chains[last].parts[-1], part)):
                chains[last].problems.append(_name_lost_call(chains[last].parts[-1], part))
            index = len(chains)
            chains.append(_begin(part))
        else:
            chains[index].parts.append(part)
        of_task.update((task.task_id, index) for task in part.tasks)
        if part.graph is not None:
            of_root[part.graph.place.span_id] = index
        if part.tasks or _is_waiting(part):
            last_of_key[_read_key(part)] = index
    return chains


def _begin(part: Part) -> Chain:
    chain = Chain([part])
    if part.graph is not None and part.graph.resumed and part.tasks:
        message = (
            f"run {part.run_id!r} (trace {part.trace_id}) resumes an earlier call on thread "
            f"{part.graph.thread_id!r} that is not in this source. Read more of the thread's traces."
        )
        problem = Problem(code="beginning_missing", message=message, span_ids=(part.graph.place.span_id,))
        chain.problems.append(problem)
    return chain


def _find_chain(
    part: Part, of_task: Mapping[str, int], of_root: Mapping[str, int], last_of_key: Mapping[_Key, int]
) -> int | None:
    """Return the run that a part goes on with, None where it begins one."""
    sharing = [of_task[task.task_id] for task in part.tasks if task.task_id in of_task]
    if sharing:
        return max(sharing)
    graph = part.graph
    if graph is None or not graph.resumed:
        return None
    return None if _lacks_link(part, of_root) else _find_last(part, last_of_key)


def _is_waiting(part: Part) -> bool:
    """Whether a part stopped before its first node, where a resume can go on."""
    return part.graph is not None and part.graph.outcome in ("interrupted", "cancelled")


def _lacks_link(part: Part, of_root: Mapping[str, int]) -> bool:
    """Whether a part resumes a call that it links to and that is not here."""
    graph = part.graph
    if graph is None or not graph.resumed or not graph.previous_span_ids:
        return False
    return not any(span_id in of_root for span_id in graph.previous_span_ids)


def _find_last(part: Part, last_of_key: Mapping[_Key, int]) -> int | None:
    """Return the last run of the same graph and service that ran any node, as far as these are known."""
    key = _read_key(part)
    keys = last_of_key if key is None else [known for known in (key, None) if known in last_of_key]
    return max((last_of_key[known] for known in keys), default=None)


def _may_go_on(last: Part, part: Part) -> bool:
    """Whether a part without its graph-run span may have resumed the one before it.

    New input takes up three superstep numbers before its first nodes run (its own snapshot, `__start__`, then the
    nodes; seen with langgraph 1.2.22), so a part that begins earlier than that is a resume, or travelled in time.
    """
    if part.graph is not None or not last.tasks:
        return False
    first = min(task.superstep for task in part.tasks)
    return first < max(task.superstep for task in last.tasks) + _SUPERSTEPS_OF_INPUT


def _name_lost_call(part: Part, resumed: Part) -> Problem:
    message = (
        f"run {part.run_id!r} (trace {part.trace_id}): a later call on its thread may have gone on with it, and its "
        f"graph-run span is missing; run {resumed.run_id!r} is, or resumes, that call. Read more of the thread's "
        f"traces."
    )
    return Problem(code="root_missing", message=message)


def _read_key(part: Part) -> _Key:
    """Return service and graph of a part; None where the graph-run span is missing."""
    return (*part.graph.service, part.graph.graph) if part.graph is not None else None


def _order_parts(parts: list[Part]) -> list[Part]:
    """Return the parts of a thread in the order in which they ran, whatever their clocks say."""
    ordered = sorted(parts, key=_sort_key)
    followers = _find_followers(ordered)
    waiting = Counter(target for targets in followers.values() for target in targets)
    ready = [index for index in range(len(ordered)) if not waiting[index]]
    result: list[int] = []
    while ready:
        index = heapq.heappop(ready)
        result.append(index)
        for target in followers[index]:
            waiting[target] -= 1
            if not waiting[target]:
                heapq.heappush(ready, target)
    placed = set(result)
    return [ordered[index] for index in result] + [
        part for index, part in enumerate(ordered) if index not in placed
    ]


def _sort_key(part: Part) -> tuple[int, int, bool, str]:
    supersteps = [task.superstep for task in part.tasks]
    return find_start(part), min(supersteps, default=0), _is_resumed(part), part.run_id


def _is_resumed(part: Part) -> bool:
    return part.graph is not None and part.graph.resumed


def _find_followers(ordered: Sequence[Part]) -> dict[int, set[int]]:
    """Return for each part those that must come after it: they link to it, or went on with its tasks."""
    followers: dict[int, set[int]] = {index: set() for index in range(len(ordered))}
    of_root = {
        part.graph.place.span_id: index for index, part in enumerate(ordered) if part.graph is not None
    }
    of_task: dict[str, list[int]] = {}
    for index, part in enumerate(ordered):
        for task_id in {task.task_id for task in part.tasks}:
            of_task.setdefault(task_id, []).append(index)
    for index, part in enumerate(ordered):
        if part.graph is None or not part.graph.resumed:
            continue
        earlier = {of_root[span_id] for span_id in part.graph.previous_span_ids if span_id in of_root}
        sharing = {other for task in part.tasks for other in of_task[task.task_id]}
        earlier |= {other for other in sharing if _comes_before(ordered[other], part)}
        for other in earlier - {index}:
            followers[other].add(index)
    return followers


def _comes_before(part: Part, resumed: Part) -> bool:
    """Return whether a part that shares a task with a resumed one ran before it, as far as that is sure."""
    if not _is_resumed(part):
        return True
    last, last_resumed = (max(task.superstep for task in each.tasks) for each in (part, resumed))
    return last < last_resumed
