"""The order in which the calls of a thread ran.

They stand in the order of their start, unless links, shared tasks or superstep numbers say that the clocks are
wrong: two processes on one thread may have clocks an hour apart.
"""

from __future__ import annotations

import heapq
from itertools import pairwise
from typing import TYPE_CHECKING, Final, TypeAlias

from otel_traj.reconstruct.parts import find_start
from otel_traj.reconstruct.previous_roots import RootIndex
from otel_traj.reconstruct.superstep_numbers import (
    find_first_superstep,
    find_next_supersteps,
    has_unfinished_tasks,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from otel_traj.reconstruct.parts import Part

__all__ = ["order_parts"]

_BEFORE_ALL: Final = -(2**64)
"""In place of the superstep numbers of parts that did not resume."""
_Layer: TypeAlias = tuple[int, int, bool, bool]


def order_parts(parts: Sequence[Part]) -> list[Part]:
    """Return the parts of a thread in the order in which they ran, whatever their clocks say.

    Args:
        parts: Parts of one thread, in any order.
    """
    ordered = sorted(parts, key=_sort_key)
    rules = _Rules(len(ordered))
    roots = RootIndex()
    for place, part in enumerate(ordered):
        roots.add(part, place)
    is_placed = [False] * len(ordered)
    named: list[set[int]] = [roots.find(part) - {place} for place, part in enumerate(ordered)]
    for place, part in enumerate(ordered):
        rules.add(named[place], [place])
        first = find_first_superstep(part)
        is_placed[place] = any(first in find_next_supersteps(ordered[other]) for other in named[place])
    _place_by_tasks(ordered, rules, is_placed, named)
    _place_by_numbers(ordered, rules, is_placed)
    return [ordered[place] for place in rules.sort()]


def _sort_key(part: Part) -> tuple[int, int, bool, str]:
    return find_start(part), find_first_superstep(part) or 0, _is_resumed(part), part.run_id


def _is_resumed(part: Part) -> bool:
    return part.graph is not None and part.graph.resumed


def _place_by_tasks(
    ordered: Sequence[Part], rules: _Rules, is_placed: list[bool], named: Sequence[set[int]]
) -> None:
    """Of the parts that share a task those that did not resume come first, then those that ended earlier.

    Of those that ended in the same superstep the ones that began earlier come first, and one in which all its tasks
    came to their end comes last. Of equals one that names the run before it comes first: the order of the others
    changes nothing.
    """
    sharing: dict[str, dict[_Layer, list[int]]] = {}
    for place, part in enumerate(ordered):
        if part.tasks:
            layer = _find_layer(part, is_first=not named[place])
            for task_id in {task.task_id for task in part.tasks}:
                sharing.setdefault(task_id, {}).setdefault(layer, []).append(place)
    for layers in sharing.values():
        for earlier, later in pairwise(sorted(layers)):
            rules.add(layers[earlier], layers[later])
            for place in layers[later]:
                is_placed[place] = True


def _find_layer(part: Part, *, is_first: bool) -> _Layer:
    if part.graph is None or not part.graph.resumed:
        return _BEFORE_ALL, _BEFORE_ALL, False, False
    numbers = [task.superstep for task in part.tasks]
    return max(numbers), min(numbers), not has_unfinished_tasks(part), is_first


def _place_by_numbers(ordered: Sequence[Part], rules: _Rules, is_placed: Sequence[bool]) -> None:
    """A resumed part that nothing else places comes after those that stopped at the superstep it begins with.

    The run before it that its recorder saw does not, where another process has gone on with the thread since.
    """
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
