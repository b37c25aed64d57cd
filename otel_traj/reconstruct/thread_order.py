"""The order in which the calls of a thread ran.

They stand in the order of their start, unless links, shared tasks or superstep numbers say that the clocks are
wrong: two processes on one thread may have clocks an hour apart.
"""

from __future__ import annotations

import heapq
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from otel_traj.reconstruct.parts import find_start
from otel_traj.reconstruct.superstep_numbers import find_first_superstep, find_next_supersteps

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from otel_traj.reconstruct.parts import Part

__all__ = ["order_parts"]

_BEFORE_ALL: Final = -(2**64)
"""Layer of the parts that did not resume; the others' is the number of their last superstep."""


def order_parts(parts: Sequence[Part]) -> list[Part]:
    """Return the parts of a thread in the order in which they ran, whatever their clocks say.

    Args:
        parts: Parts of one thread, in any order.
    """
    ordered = sorted(parts, key=_sort_key)
    rules = _Rules(len(ordered))
    roots = {part.graph.place.span_id: place for place, part in enumerate(ordered) if part.graph is not None}
    is_placed = [False] * len(ordered)
    for place, part in enumerate(ordered):
        named = part.graph.previous_span_ids if part.graph is not None else ()
        earlier = {roots[span_id] for span_id in named if span_id in roots} - {place}
        rules.add(earlier, [place])
        is_placed[place] = bool(earlier)
    _place_by_tasks(ordered, rules, is_placed)
    _place_by_numbers(ordered, rules, is_placed)
    return [ordered[place] for place in rules.sort()]


def _sort_key(part: Part) -> tuple[int, int, bool, str]:
    return find_start(part), find_first_superstep(part) or 0, _is_resumed(part), part.run_id


def _is_resumed(part: Part) -> bool:
    return part.graph is not None and part.graph.resumed


def _place_by_tasks(ordered: Sequence[Part], rules: _Rules, is_placed: list[bool]) -> None:
    """Of the parts that share a task those that did not resume come first, then those that ended earlier."""
    sharing: dict[str, dict[int, list[int]]] = {}
    for place, part in enumerate(ordered):
        if part.tasks:
            layer = max(task.superstep for task in part.tasks) if _is_resumed(part) else _BEFORE_ALL
            for task_id in {task.task_id for task in part.tasks}:
                sharing.setdefault(task_id, {}).setdefault(layer, []).append(place)
    for layers in sharing.values():
        for earlier, later in pairwise(sorted(layers)):
            rules.add(layers[earlier], layers[later])
            for place in layers[later]:
                is_placed[place] = True


def _place_by_numbers(ordered: Sequence[Part], rules: _Rules, is_placed: Sequence[bool]) -> None:
    """A resumed part that nothing else places comes after those that stopped at the superstep it begins with."""
    stopped: dict[int, list[int]] = {}
    begun: dict[int, list[int]] = {}
    for place, part in enumerate(ordered):
        if part.graph is not None and part.has_root and part.graph.outcome != "ok":
            for number in find_next_supersteps(part):
                stopped.setdefault(number, []).append(place)
        first = find_first_superstep(part)
        if first is not None and _is_resumed(part) and not is_placed[place]:
            begun.setdefault(first, []).append(place)
    for number, places in begun.items():
        before, after = stopped.get(number, []), set(places)
        both = [place for place in before if place in after]
        rules.add([place for place in before if place not in after], both)
        rules.add(before, after.difference(both))


class _Rules:
    """Which places come before which: between two groups through a gate, so that many cost no more than few."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._after: list[list[int]] = [[] for _ in range(count)]
        self._waiting_for = [0] * count

    def add(self, earlier: Iterable[int], later: Iterable[int]) -> None:
        """Demand that each of some places comes before each of others."""
        gate = len(self._after)
        self._after.append(list(later))
        self._waiting_for.append(0)
        for place in self._after[gate]:
            self._waiting_for[place] += 1
        for place in earlier:
            self._after[place].append(gate)
            self._waiting_for[gate] += 1

    def sort(self) -> list[int]:
        """Return the places in the order nearest to their own that meets the rules; those in a ring last."""
        # Gates count from the end, and so go first: they only pass on that all before them are done.
        ready = [
            place if place < self._count else place - len(self._after)
            for place, count in enumerate(self._waiting_for)
            if not count
        ]
        heapq.heapify(ready)
        result: list[int] = []
        while ready:
            place = heapq.heappop(ready)
            if place >= 0:
                result.append(place)
            for later in self._after[place]:
                self._waiting_for[later] -= 1
                if not self._waiting_for[later]:
                    heapq.heappush(ready, later if later < self._count else later - len(self._after))
        placed = set(result)
        return result + [place for place in range(self._count) if place not in placed]
