"""One emitter per run, where several recorded it: ours first, then the one with the most complete tasks.

Two instrumentations in one process write each task twice, in one trace or in two. LangGraph's task ids are the same
for both, so calls that share one are the same run, in whatever traces. A call without a task is the same as the one
that began nearest to it while it ran, in the same trace, or on the same thread under the same name.

What the others saw beside it is not counted, but where the chosen one has no manifest, a task that only another one
saw is missing from it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from typing import TYPE_CHECKING, Final

from otel_traj import semconv as sc
from otel_traj.reconstruct.groups import Groups
from otel_traj.reconstruct.parts import find_start, find_thread
from otel_traj.reconstruct.recordings import find_second_recordings

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence

    from otel_traj.reconstruct.facts import TaskFact
    from otel_traj.reconstruct.parts import Part

__all__ = ["choose_emitters"]

_NEAR: Final = 16
"""Among how many that began next before it, and after it, the same call is looked for: more than there are emitters."""


def choose_emitters(parts: Sequence[Part]) -> list[Part]:
    """Return the top-level parts of one emitter for each run, in their former order.

    Args:
        parts: Top-level parts of all emitters; what only another emitter saw is added to those that stay.
    """
    if all(part.emitter == sc.SCOPE_NAME for part in parts):
        return list(parts)
    kept: set[int] = set()
    for group in _group_by_run(parts):
        of_emitter: defaultdict[str, list[Part]] = defaultdict(list)
        for part in group:
            of_emitter[part.emitter].append(part)
        emitter = min(of_emitter, key=lambda name: _rank(name, of_emitter[name]))
        chosen = of_emitter.pop(emitter)
        if emitter != sc.SCOPE_NAME:
            whole = [part for part in chosen if part.graph is not None]
            seconds = {id(part) for part in find_second_recordings(whole)}
            chosen = [part for part in chosen if id(part) not in seconds]
            _add_unseen(chosen, [part for others in of_emitter.values() for part in others])
        kept.update(map(id, chosen))
    return [part for part in parts if id(part) in kept]


def _rank(emitter: str, parts: Iterable[Part]) -> tuple[bool, int, bool, str]:
    known = list(parts)
    ended = {task.task_id for part in known for task in _list_tasks(part) if task.place.end_ns}
    return emitter != sc.SCOPE_NAME, -len(ended), not all(part.has_root for part in known), emitter


def _list_tasks(part: Part) -> Iterator[TaskFact]:
    yield from part.tasks
    for child in part.children:
        yield from _list_tasks(child)


def _add_unseen(chosen: Sequence[Part], others: Iterable[Part]) -> None:
    """Hang the tasks that only other emitters saw to the part that they belong to, as orphans of it."""
    part_of_task = {task.task_id: part for part in chosen for task in (*_list_tasks(part), *part.orphans)}
    for other in others:
        tasks = [*_list_tasks(other), *other.orphans]
        owner = next(
            (part_of_task[each.task_id] for each in tasks if each.task_id in part_of_task), chosen[0]
        )
        for task in tasks:
            if task.task_id not in part_of_task:
                part_of_task[task.task_id] = owner
                owner.orphans.append(task)


def _group_by_run(parts: Sequence[Part]) -> list[list[Part]]:
    """Return the parts in groups, each of one run and all who recorded it."""
    groups = Groups(len(parts))
    place_of_task: dict[str, int] = {}
    with_tasks: list[int] = []
    without: list[int] = []
    for place, part in enumerate(parts):
        ids = {task.task_id for task in (*_list_tasks(part), *part.orphans)}
        for task_id in ids:
            groups.join(place_of_task.setdefault(task_id, place), place)
        (with_tasks if ids else without).append(place)
    if without:
        told, untold = _Neighbours(parts, with_tasks), _Neighbours(parts, without)
        for place in without:
            twin = told.find(place)
            twin = untold.find(place) if twin is None else twin
            if twin is not None:
                groups.join(twin, place)
    return [[parts[place] for place in places] for places in groups.list_groups()]


class _Neighbours:
    """Parts by what a part without a task has in common with another emitter's of the same run."""

    def __init__(self, parts: Sequence[Part], places: Iterable[int]) -> None:
        self._parts = parts
        self._of_name: defaultdict[Hashable, list[tuple[int, int]]] = defaultdict(list)
        """Start and place of each, by start."""
        for place in places:
            for name in _list_names(parts[place]):
                self._of_name[name].append((find_start(parts[place]), place))
        for starts in self._of_name.values():
            starts.sort()

    def find(self, place: int) -> int | None:
        """Return the one that began nearest to a part, by another emitter and while the one or the other ran."""
        part = self._parts[place]
        start_ns = find_start(part)
        found: list[tuple[int, int]] = []
        for name in _list_names(part):
            starts = self._of_name[name]
            middle = bisect_left(starts, (start_ns, place))
            for nearest in (starts[max(middle - _NEAR, 0) : middle], starts[middle : middle + _NEAR]):
                found += [
                    (abs(start - start_ns), other) for start, other in nearest if self._is_twin(other, part)
                ]
        return min(found)[1] if found else None

    def _is_twin(self, other: int, part: Part) -> bool:
        return self._parts[other].emitter != part.emitter and _overlap(self._parts[other], part)


def _list_names(part: Part) -> Iterator[Hashable]:
    yield part.trace_id
    if part.graph is not None:
        yield part.graph.graph, find_thread(part)


def _overlap(one: Part, two: Part) -> bool:
    """Whether one part ran while the other did; of a part without its graph run the trace has to tell."""
    if one.graph is None or two.graph is None:
        return one.trace_id == two.trace_id
    earlier, later = sorted((one.graph, two.graph), key=lambda graph: graph.place.start_ns)
    return not earlier.place.end_ns or later.place.start_ns <= earlier.place.end_ns
