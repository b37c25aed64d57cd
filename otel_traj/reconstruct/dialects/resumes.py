"""Whether a call of a graph went on with an earlier one: other emitters do not say so.

The input says it where it was recorded: a `Command`, written out as an object of its four fields, or nothing at all.
Without content the tasks do: one that ran before runs again under its id. Where none does (a static interrupt), the
superstep numbers say it: new input takes two of them before its first nodes, a resume none. A call that begins behind
where its thread had come to goes on from an earlier checkpoint, with new input or without: without content nobody knows.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Final

import msgspec

from otel_traj import semconv as sc
from otel_traj.reconstruct.content import decode_content

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from otel_traj.reconstruct.facts import GraphFact, TaskFact

__all__ = ["ANSWER", "mark_resumes"]

ANSWER: Final = "Command"
"""Input type of a call that answers an interrupt, as far as its input tells."""

_COMMAND: Final = frozenset({"graph", "update", "resume", "goto"})
_MAY_BE_COMMAND: Final = re.compile(r'\{\s*"(?:graph|update|resume|goto|input)"\s*:')
_WRAPPED: Final = "input"


def mark_resumes(graphs: Iterable[GraphFact], tasks_of: Mapping[str, Sequence[TaskFact]]) -> list[GraphFact]:
    """Return the graph runs of one emitter, those that resumed marked.

    Args:
        graphs: Graph runs that do not say whether they resumed.
        tasks_of: The tasks of each, by run id.
    """
    marked = []
    seen: set[str] = set()
    last_on: defaultdict[tuple[tuple[str, str], str], set[int]] = defaultdict(set)
    for graph in sorted(graphs, key=lambda graph: (graph.place.start_ns, graph.place.span_id)):
        tasks = tasks_of.get(graph.run_id, ())
        numbers = {task.superstep for task in tasks if task.superstep >= 0}
        ids = {task.task_id for task in tasks}
        first = min(numbers, default=0)
        numbered = last_on[graph.service, graph.thread_id or graph.run_id]
        resumed, command = _read_input(_find_inputs(graph, tasks), first)
        if resumed is None:
            goes_on = not graph.is_subgraph and first > 1 and first - 1 in numbered
            resumed = goes_on or not seen.isdisjoint(ids)
            if not resumed and not graph.is_subgraph and 1 < first <= max(numbered, default=0):
                place = msgspec.structs.replace(graph.place, missing_keys=(sc.RESUMED,))
                graph = msgspec.structs.replace(graph, place=place)
        seen |= ids
        if numbers and not graph.is_subgraph:
            numbered.add(max(numbers))
        if resumed:
            graph = msgspec.structs.replace(graph, resumed=True, input_type=command)
        marked.append(graph)
    return marked


def _find_inputs(graph: GraphFact, tasks: Sequence[TaskFact]) -> str | None:
    """Return the input of a call; None where it is not known, or where nothing was recorded.

    An emitter that writes the inputs of tasks and none of their graph run was given none (seen with langfuse 5.0.4). A
    subgraph that is resumed has its caller's input again, which tells nothing.
    """
    if graph.is_subgraph:
        return None
    if graph.inputs is None and any(task.inputs is not None for task in tasks):
        return "null"
    return graph.inputs


def _read_input(inputs: str | None, first: int) -> tuple[bool | None, str | None]:
    """Return whether an input says that it resumes, None where it was not recorded; and `Command` where it answers."""
    if inputs is None:
        return None, None
    if inputs == "null":
        return True, None
    if not _MAY_BE_COMMAND.match(inputs):
        return False, None
    value = decode_content(inputs)[0]
    if isinstance(value, dict) and value.keys() == {_WRAPPED}:
        value = value[_WRAPPED]
        if value is None:
            return True, None
    if not isinstance(value, dict) or value.keys() != _COMMAND:
        return False, None
    answers = value["resume"] is not None
    return answers or first > 1, ANSWER if answers else None
