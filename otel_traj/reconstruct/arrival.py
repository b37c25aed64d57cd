"""How much of one call of a graph arrived, beside what its recorder counted.

`completeness` says whether the two agree; here both are kept, for whoever wants to see how far they are apart.
What the manifest lists is kept only where something else arrived: of the many calls that are whole it would be
the same list again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from otel_traj.manifest import digest_steps
from otel_traj.model import Arrival
from otel_traj.reconstruct.supersteps import group_supersteps, list_recorded_steps

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otel_traj.model import Task
    from otel_traj.reconstruct.facts import Manifest, Place
    from otel_traj.reconstruct.parts import Part

__all__ = ["count_arrival"]


def count_arrival(part: Part, tasks: Sequence[Task]) -> Arrival:
    """Return what arrived of a call, and what its manifest says.

    Args:
        part: The call, with its task facts.
        tasks: The same tasks, attempts joined.
    """
    manifest = part.graph.manifest if part.graph else None
    in_time = [fact for fact in part.tasks if not fact.place.late]
    ids = {fact.task_id for fact in in_time}
    kept = [task for task in tasks if task.task_id in ids]
    own: list[Place] = [fact.place for kind in (part.tasks, part.calls, part.strays) for fact in kind]
    below = part.places if part.has_root else list({place.span_id: place for place in own}.values())
    every = {place.span_id: place for place in (*own, *part.places)}
    if part.graph is not None:
        every[part.graph.place.span_id] = part.graph.place
    return Arrival(
        tasks=len(kept),
        task_spans=len(in_time),
        spans=sum(not place.late for place in below),
        expected_tasks=manifest.task_count if manifest else None,
        expected_task_spans=manifest.task_span_count if manifest else None,
        expected_spans=manifest.span_count if manifest else None,
        expected_steps=_read_steps(manifest, kept) if manifest else None,
        dropped_attributes=sum(place.dropped_attributes for place in every.values()),
    )


def _read_steps(manifest: Manifest, tasks: Sequence[Task]) -> list[list[str]] | None:
    """Return what the manifest lists where other tasks arrived; a text that its digest does not fit is no list."""
    if manifest.steps is None or digest_steps(manifest.steps) != manifest.steps_sha256:
        return None
    try:
        steps = msgspec.json.decode(manifest.steps, type=list[list[str]])
    except (msgspec.MsgspecError, ValueError):
        return None
    return None if steps == list_recorded_steps(group_supersteps(list(tasks))) else steps
