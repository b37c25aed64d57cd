"""One run, recorded twice, is one run.

Two handlers on one graph (one bound with `with_config`, another passed to the call) each write the whole run:
the same callback run id, the same task ids, other spans. Counting both would double the trajectory. Calls that
only share a run id, because the caller gave it, run one after the other; a resumed call shares tasks, but has
another run id or begins when the first has ended.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from otel_traj.reconstruct.parts import Part

__all__ = ["keep_one_recording"]


def keep_one_recording(parts: Iterable[Part]) -> list[Part]:
    """Return the top-level parts without second recordings of the same call.

    Args:
        parts: Top-level parts, in any order.

    Returns:
        Of several recordings of one call, the one with the most task spans, ended before open; of equals, the one
        with the smallest span id. In their former order.
    """
    kept: list[Part] = []
    of_run: dict[str, list[int]] = {}
    for part in parts:
        places = of_run.setdefault(part.run_id, [])
        twin = next((place for place in places if _is_same_call(kept[place], part)), None)
        if twin is None:
            places.append(len(kept))
            kept.append(part)
        elif _rank(part) < _rank(kept[twin]):
            kept[twin] = part
    return kept


def _is_same_call(one: Part, two: Part) -> bool:
    if one.graph is None or two.graph is None or not one.run_id:
        return False
    begun = max(one.graph.place.start_ns, two.graph.place.start_ns)
    ends = [part.graph.place.end_ns for part in (one, two) if part.graph and part.graph.place.end_ns]
    if ends and begun > min(ends):
        return False
    ids, others = ({task.task_id for task in part.tasks} for part in (one, two))
    return bool(ids & others) or not (ids and others)


def _rank(part: Part) -> tuple[bool, int, str]:
    place = part.graph.place if part.graph else None
    is_open = place is None or not place.end_ns
    return is_open, -len(part.tasks), place.span_id if place else ""
