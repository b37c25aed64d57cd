"""One run, recorded twice, is one run.

Two handlers on one graph (one bound with `with_config`, another passed to the call) each write the whole run:
the same callback run id, the same task ids, other spans. Counting both would double the trajectory. Calls that
only share a run id, because the caller gave it, run one after the other; a resumed call shares tasks, but has
another run id or begins when the first has ended.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from otel_traj.reconstruct.parts import find_start

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from otel_traj.reconstruct.parts import Part

__all__ = ["find_second_recordings", "keep_one_recording"]


def keep_one_recording(parts: Iterable[Part]) -> list[Part]:
    """Return the top-level parts without second recordings of the same call.

    Args:
        parts: Top-level parts, in any order.

    Returns:
        Of several recordings of one call, the one with the most task spans, ended before open; of equals, the one
        with the smallest span id. In their former order.
    """
    known = list(parts)
    of_run: dict[str, list[Part]] = {}
    for part in known:
        if part.graph is not None and part.run_id:
            of_run.setdefault(part.run_id, []).append(part)
    dropped = {id(part) for same in of_run.values() if len(same) > 1 for part in find_second_recordings(same)}
    return [part for part in known if id(part) not in dropped]


def find_second_recordings(parts: Iterable[Part]) -> Iterator[Part]:
    """Yield the second recordings among parts that may be of one call.

    Args:
        parts: Of one run id, or with tasks in common.
    """
    going_on: list[Part] = []
    for part in sorted(parts, key=lambda part: (find_start(part), _rank(part))):
        going_on = [other for other in going_on if _overlap(other, part)]
        twin = next((place for place, other in enumerate(going_on) if _may_be_one(other, part)), None)
        if twin is None:
            going_on.append(part)
        elif _rank(part) < _rank(going_on[twin]):
            yield going_on[twin]
            going_on[twin] = part
        else:
            yield part


def _overlap(earlier: Part, later: Part) -> bool:
    """Whether a part had begun before one that began earlier, or before itself, ended; an open one goes on."""
    ends = [part.graph.place.end_ns for part in (earlier, later) if part.graph and part.graph.place.end_ns]
    return not ends or find_start(later) <= min(ends)


def _may_be_one(one: Part, two: Part) -> bool:
    ids, others = ({task.task_id for task in part.tasks} for part in (one, two))
    return bool(ids & others) or not (ids and others)


def _rank(part: Part) -> tuple[bool, int, str]:
    place = part.graph.place if part.graph else None
    is_open = place is None or not place.end_ns
    return is_open, -len(part.tasks), place.span_id if place else ""
