"""What shows that tasks are missing, where no manifest says how many ran.

Other emitters write none. Superstep numbers follow one another within a call, fan-out tasks are numbered from 0, a join
names the nodes that it waited for, an error comes from a task, an answer follows a question: where one of these has a
hole, a span was lost (or a node's result came from a cache, which leaves none). A lost task beside others of its
superstep, or after all others, leaves no trace.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from otel_traj import semconv as sc
from otel_traj.model import Problem
from otel_traj.reconstruct.dialects.resumes import ANSWER
from otel_traj.reconstruct.names import name_run, name_span
from otel_traj.reconstruct.parts import find_thread

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from otel_traj.model import Task
    from otel_traj.reconstruct.facts import GraphFact
    from otel_traj.reconstruct.parts import Part

__all__ = ["check_answered", "check_without_manifest"]

_NOTHING_TO_RESUME: Final = "EmptyInputError"
_ERRORS_OF_GRAPHS: Final = frozenset({_NOTHING_TO_RESUME, "GraphRecursionError", "InvalidUpdateError"})
"""What LangGraph raises beside the tasks."""
_JOIN: Final = "join:"
_ADVICE: Final = (
    "Read the source again later, and record with the handler of this package beside the emitter."
)


def check_without_manifest(part: Part, tasks: Sequence[Task]) -> list[Problem]:
    """Return what is known to be missing from a call that another emitter recorded.

    Args:
        part: The call.
        tasks: Its tasks, attempts joined, by superstep.
    """
    graph = part.graph
    if graph is None or part.emitter == sc.SCOPE_NAME or not graph.place.end_ns:
        return []
    if not tasks:
        return [] if graph.error_type == _NOTHING_TO_RESUME or part.orphans else [_name_no_tasks(part, graph)]
    holes = _find_holes(part, graph, [task for task in tasks if task.superstep >= 0])
    return [_name_missing_task(part, graph, said) for said in holes]


def check_answered(before: Part, part: Part) -> list[Problem]:
    """Return a problem where a call of another emitter's answers an interrupt that no task shows.

    Args:
        before: The call of the run before it.
        part: The call.
    """
    graph = part.graph
    if graph is None or part.emitter == sc.SCOPE_NAME or graph.input_type != ANSWER:
        return []
    if before.graph is None or before.graph.outcome == "interrupted":
        return []
    return [_name_missing_task(part, graph, "the input answers an interrupt that no task shows")]


def _name_missing_task(part: Part, graph: GraphFact, said: str) -> Problem:
    message = (
        f"{name_run(part)}: of {name_span(graph.place)} {said}, so that a task is missing (or was cached, where nodes "
        f"are). {_ADVICE}"
    )
    return Problem(code="task_missing", message=message, span_ids=(graph.place.span_id,))


def _name_no_tasks(part: Part, graph: GraphFact) -> Problem:
    message = (
        f"{name_run(part)}: {part.emitter} recorded {name_span(graph.place)} and no node task below it, so nobody knows "
        f"which nodes ran. Use the handler of this package, beside it or in its place."
    )
    return Problem(code="no_node_tasks", message=message, span_ids=(graph.place.span_id,))


def _find_holes(part: Part, graph: GraphFact, tasks: Sequence[Task]) -> Iterator[str]:
    """Yield in words each hole in what LangGraph numbers and names."""
    numbers = sorted({task.superstep for task in tasks})
    for low, high in pairwise(numbers):
        if high > low + 1:
            yield f"superstep {high} follows superstep {low}"
    if numbers and not graph.resumed and _begins_late(part, tasks[0]):
        yield f"the first superstep is number {numbers[0]}"
    if not graph.resumed:
        yield from _find_push_holes(tasks)
        yield from _find_join_holes(tasks)
    has_failed = any(task.status != "ok" for task in tasks)
    if graph.outcome == "error" and not has_failed and graph.error_type not in _ERRORS_OF_GRAPHS:
        yield f"the end is {graph.error_type or 'an error'}, and no task ended so"


def _begins_late(part: Part, task: Task) -> bool:
    """Whether a call that input began does so where none can: at 2, or after 1 where no thread was counted before.

    An entrypoint of the functional API has one superstep only, and may have any number.
    """
    if task.triggers == (sc.START_NODE,):
        return False
    return task.superstep == 2 or (task.superstep > 1 and find_thread(part) is None)


def _find_push_holes(tasks: Sequence[Task]) -> Iterator[str]:
    pushed: defaultdict[int, set[int]] = defaultdict(set)
    for task in tasks:
        if task.push_index is not None:
            pushed[task.superstep].add(task.push_index)
    for superstep, indexes in pushed.items():
        lost = sorted(set(range(max(indexes))) - indexes)
        if lost:
            yield f"superstep {superstep} lacks fan-out tasks {lost}"


def _find_join_holes(tasks: Sequence[Task]) -> Iterator[str]:
    """Yield the nodes that a join waited for and that did not run; of a thread's later calls, they may have before."""
    if not tasks or tasks[0].superstep > 1:
        return
    ran = {task.node for task in tasks}
    for task in tasks:
        for trigger in task.triggers:
            sources = trigger.removeprefix(_JOIN).removesuffix(f":{task.node}")
            if trigger == f"{_JOIN}{sources}:{task.node}":
                lost = sorted(set(sources.split("+")) - ran)
                if lost:
                    yield f"{task.node!r} waited for {', '.join(map(repr, lost))}"
