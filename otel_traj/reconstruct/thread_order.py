"""The order in which the calls of a thread ran.

They stand in the order of their start, unless links, shared tasks or superstep numbers say that the clocks are
wrong: two processes on one thread may have clocks an hour apart.
"""

from __future__ import annotations

import heapq
from collections import Counter
from typing import TYPE_CHECKING

from otel_traj.reconstruct.parts import find_start
from otel_traj.reconstruct.superstep_numbers import find_first_superstep, find_next_supersteps

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otel_traj.reconstruct.parts import Part

__all__ = ["order_parts"]


def order_parts(parts: Sequence[Part]) -> list[Part]:
    """Return the parts of a thread in the order in which they ran, whatever their clocks say.

    Args:
        parts: Parts of one thread, in any order.
    """
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
    return find_start(part), find_first_superstep(part) or 0, _is_resumed(part), part.run_id


def _is_resumed(part: Part) -> bool:
    return part.graph is not None and part.graph.resumed


def _find_followers(ordered: Sequence[Part]) -> dict[int, set[int]]:
    """Return for each part those that must come after it: they name it, or went on with it."""
    index = _Index(ordered)
    followers: dict[int, set[int]] = {place: set() for place in range(len(ordered))}
    for place, part in enumerate(ordered):
        for earlier in index.find_earlier(part) - {place}:
            followers[earlier].add(place)
    return followers


class _Index:
    """Where parts are named, and by what."""

    def __init__(self, ordered: Sequence[Part]) -> None:
        self._ordered = ordered
        self._of_root: dict[str, int] = {}
        self._of_task: dict[str, list[int]] = {}
        self._of_next: dict[int, list[int]] = {}
        for place, part in enumerate(ordered):
            if part.graph is not None:
                self._of_root[part.graph.place.span_id] = place
            for task_id in {task.task_id for task in part.tasks}:
                self._of_task.setdefault(task_id, []).append(place)
            if part.graph is not None and part.has_root and part.graph.outcome != "ok":
                for number in find_next_supersteps(part):
                    self._of_next.setdefault(number, []).append(place)

    def find_earlier(self, part: Part) -> set[int]:
        """Return the places of parts that ran before a part for sure; its own may be among them."""
        if part.graph is None:
            return set()
        named = part.graph.previous_span_ids
        earlier = {self._of_root[span_id] for span_id in named if span_id in self._of_root}
        if not part.graph.resumed:
            return earlier
        sharing = {place for task in part.tasks for place in self._of_task[task.task_id]}
        earlier |= {place for place in sharing if _comes_before(self._ordered[place], part)}
        first = find_first_superstep(part)
        return earlier or set(self._of_next.get(first, ()) if first is not None else ())


def _comes_before(part: Part, resumed: Part) -> bool:
    """Return whether a part that shares a task with a resumed one ran before it, as far as that is sure."""
    if not _is_resumed(part):
        return True
    last, last_resumed = (max(task.superstep for task in each.tasks) for each in (part, resumed))
    return last < last_resumed
