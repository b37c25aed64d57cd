"""One emitter per run, where several recorded it: ours first, then the one with the most complete tasks.

Two instrumentations in one process write each task twice, in one trace or in two. LangGraph's task ids are the same
for both, so calls that share one are the same run, in whatever traces. A call without a task is the one that ran at
the same time in the same trace, or on the same thread under the same name.

What the others saw beside it is not counted, but where the chosen one has no manifest, a task that only another one
saw is missing from it.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from otel_traj import semconv as sc
from otel_traj.reconstruct.parts import find_start, find_thread
from otel_traj.reconstruct.recordings import find_second_recordings

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence

    from otel_traj.reconstruct.facts import TaskFact
    from otel_traj.reconstruct.parts import Part

__all__ = ["choose_emitters"]


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
    groups = _Groups(len(parts))
    place_of_task: dict[str, int] = {}
    taskless = []
    for place, part in enumerate(parts):
        ids = {task.task_id for task in (*_list_tasks(part), *part.orphans)}
        for task_id in ids:
            groups.join(place_of_task.setdefault(task_id, place), place)
        if not ids:
            taskless.append(place)
    places_of: defaultdict[Hashable, list[int]] = defaultdict(list)
    if taskless:
        for place, part in enumerate(parts):
            for name in _list_names(part):
                places_of[name].append(place)
    for place in taskless:
        for name in _list_names(parts[place]):
            for other in places_of[name]:
                if parts[other].emitter != parts[place].emitter and _overlap(parts[other], parts[place]):
                    groups.join(other, place)
    return [[parts[place] for place in places] for places in groups.list_groups()]


def _list_names(part: Part) -> Iterator[Hashable]:
    yield part.trace_id
    if part.graph is not None:
        yield part.graph.graph, find_thread(part)


def _overlap(one: Part, two: Part) -> bool:
    if one.graph is None or two.graph is None:
        return one.trace_id == two.trace_id
    earlier, later = sorted((one, two), key=find_start)
    end_ns = earlier.graph.place.end_ns if earlier.graph is not None else 0
    return not end_ns or find_start(later) <= end_ns


class _Groups:
    """Places joined into groups."""

    def __init__(self, count: int) -> None:
        self._into = list(range(count))

    def join(self, one: int, two: int) -> None:
        first, second = sorted((self._find(one), self._find(two)))
        self._into[second] = first

    def list_groups(self) -> list[list[int]]:
        groups: defaultdict[int, list[int]] = defaultdict(list)
        for place in range(len(self._into)):
            groups[self._find(place)].append(place)
        return list(groups.values())

    def _find(self, place: int) -> int:
        while self._into[place] != place:
            self._into[place] = self._into[self._into[place]]
            place = self._into[place]
        return place
