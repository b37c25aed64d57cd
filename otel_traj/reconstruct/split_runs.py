"""Runs that an emitter may have split: what lost its parent stands in a trace of its own.

A task without its graph run says nothing of which run it was of. Every run of the same service that was going on at
that time, and on no other thread, may lack it, whichever emitter it is read from (seen with langsmith 0.15.1, whose
exporter sends the end of a span before its beginning where the two are near).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, TypeAlias

from otel_traj import semconv as sc
from otel_traj.model import Problem
from otel_traj.reconstruct.names import name_run, name_spans
from otel_traj.reconstruct.parts import find_start, find_thread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otel_traj.reconstruct.facts import TaskFact
    from otel_traj.reconstruct.parts import Part
    from otel_traj.reconstruct.threads import Chain

__all__ = ["doubt_split_runs"]

_Service: TypeAlias = tuple[str, str]


def doubt_split_runs(chains: Sequence[Chain]) -> Sequence[Chain]:
    """Name, at each run that may lack them, the tasks that another emitter left without a graph run.

    Args:
        chains: All runs of a source; problems are added to them.

    Returns:
        The same.
    """
    strays: dict[_Service, list[TaskFact]] = {}
    for chain in chains:
        for part in chain.parts:
            if part.graph is None and part.emitter != sc.SCOPE_NAME:
                for task in part.tasks:
                    strays.setdefault(task.service, []).append(task)
    for tasks in strays.values():
        tasks.sort(key=_read_start)
    if strays:
        for chain in chains:
            for part in chain.parts:
                _doubt(chain, part, strays)
    return chains


def _doubt(chain: Chain, part: Part, strays: dict[_Service, list[TaskFact]]) -> None:
    if part.graph is None or part.emitter == sc.SCOPE_NAME:
        return
    tasks = strays.get(part.graph.service, [])
    first = bisect_left(tasks, find_start(part), key=_read_start)
    end_ns = part.graph.place.end_ns
    last = bisect_right(tasks, end_ns, key=_read_start) if end_ns else len(tasks)
    thread = find_thread(part)
    may_be_its = [task for task in tasks[first:last] if thread is None or task.thread_id in (None, thread)]
    if not may_be_its:
        return
    places = [task.place for task in may_be_its]
    message = (
        f"{name_run(part)}: while it ran, tasks without their graph run were recorded: {name_spans(places)}. "
        f"Some of them may be its own. Use the handler of this package beside it."
    )
    span_ids = tuple(sorted(place.span_id for place in places))
    chain.problems.append(Problem(code="orphan", message=message, span_ids=span_ids))


def _read_start(task: TaskFact) -> int:
    return task.place.start_ns
