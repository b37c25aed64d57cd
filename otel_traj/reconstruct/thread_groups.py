"""Parts that may belong to one run, together: those of one thread, and those that name one another.

A thread id can be lost on the way (a redaction in one of two services, a limit on attributes). What a resumed call
shares with the call before it can't come about by chance: a task id, or a link to the run before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from otel_traj.reconstruct.groups import Groups
from otel_traj.reconstruct.parts import find_thread

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from otel_traj.reconstruct.parts import Part

__all__ = ["group_by_thread"]

_Name: TypeAlias = tuple[str, str]


def group_by_thread(parts: Sequence[Part]) -> list[list[Part]]:
    """Return the parts in groups of which none can go on with a part of another.

    Args:
        parts: Top-level parts, in any order.

    Returns:
        Groups in the order of their first part; a part without a thread that nothing names is one of its own.
    """
    groups = Groups(len(parts))
    place_of_name: dict[_Name, int] = {}
    for place, part in enumerate(parts):
        for name in _list_names(part):
            groups.join(place_of_name.setdefault(name, place), place)
    return [[parts[place] for place in places] for places in groups.list_groups()]


def _list_names(part: Part) -> Iterator[_Name]:
    thread = find_thread(part)
    if thread is not None:
        yield "thread", thread
    if part.graph is not None:
        yield part.graph.place.trace_id, part.graph.place.span_id
        yield from part.graph.linked_spans
    if part.graph is None or part.graph.resumed or part.graph.outcome != "ok":
        for task in part.tasks:
            yield "task", task.task_id
